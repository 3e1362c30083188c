import json
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from env.episode import Ending
from env.errors import RunFolderError
from rollouts.comparison import Report
from rollouts.report import main
from rollouts.run_report import report_runs
from rollouts.trajectory import Trajectory
from rollouts.trajectory_file import TrajectoryFile


def write_run(folder: Path, episodes: Iterable[Trajectory]) -> Path:
    folder.mkdir(parents=True)
    with TrajectoryFile(folder / "trajectories.jsonl") as file:
        for episode in episodes:
            file.append(episode)
    return folder


@pytest.fixture
def runs(tmp_path: Path, make_episode: Callable[..., Trajectory]) -> tuple[Path, Path]:
    """Two runs on twelve files of six documents; the second is better by 0.1 on most."""
    base = [
        make_episode(f"f{i}", f1=0.5 + 0.01 * i, right=float(i % 2), readable=1.0, doc=f"d{i // 2}", policy="rule", calls=4.0)
        for i in range(12)
    ]
    better = [
        make_episode(f"f{i}", f1=0.6 + 0.012 * i, right=1.0, readable=1.0, doc=f"d{i // 2}", category=f"{'easy' if i < 6 else 'hard'}/x")
        for i in range(11)
    ]
    better.append(make_episode("f11", ending=Ending.PROVIDER_ERROR, doc="d5", category="hard/x"))
    return write_run(tmp_path / "a", base), write_run(tmp_path / "b", better)


def test_a_single_run_gets_its_report_beside_its_trajectories(runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(runs[0])]) == 0
    printed = capsys.readouterr().out
    assert "| rule " in printed
    assert "6/12 (50%)" in printed
    assert "0.555 [" in printed
    report = Report.model_validate_json((runs[0] / "report.json").read_text())
    assert report.runs[0].overall.calls == 4.0
    assert (runs[0] / "report.md").read_text().startswith("# Report")


def test_several_runs_are_compared_with_the_first_or_with_the_named_one(runs: tuple[Path, Path], tmp_path: Path) -> None:
    text = report_runs(runs, tmp_path / "out")
    row = next(line for line in text.splitlines() if line.startswith("| heuristic") and "better" in line)
    assert "| 11 " in row
    assert "6 : 0 of 11" in row
    assert "0.031" in row
    assert "1 provider_error" in text
    reversed_text = report_runs(runs, base="b")
    assert any(line.startswith("| rule") and "worse" in line for line in reversed_text.splitlines())


def test_the_written_report_has_a_table_for_every_dimension(runs: tuple[Path, Path], tmp_path: Path) -> None:
    report_runs(runs, tmp_path / "out")
    text = (tmp_path / "out" / "report.md").read_text()
    for heading in ("## By format", "## By category", "## By level", "### F1 difference from `rule` by format (files)"):
        assert heading in text


def test_reports_are_the_same_every_time(runs: tuple[Path, Path], tmp_path: Path) -> None:
    for name in ("one", "two"):
        report_runs(runs, tmp_path / name)
    assert (tmp_path / "one" / "report.json").read_bytes() == (tmp_path / "two" / "report.json").read_bytes()
    assert (tmp_path / "one" / "report.md").read_bytes() == (tmp_path / "two" / "report.md").read_bytes()


@pytest.mark.parametrize("case", ["one file", "all equal", "no reference", "nothing played", "unreadable only"])
def test_degenerate_runs_show_dashes_instead_of_nan(case: str, tmp_path: Path, make_episode: Callable[..., Trajectory]) -> None:
    episodes = {
        "one file": [make_episode("a", f1=0.5, right=1.0)],
        "all equal": [make_episode(task, f1=0.5, right=1.0) for task in "abcdefgh"],
        "no reference": [make_episode(task) for task in "abcdefgh"],
        "nothing played": [make_episode("a", ending=Ending.CANCELLED)],
        "unreadable only": [make_episode(task, ending=Ending.FAILED, right=1.0, readable=0.0) for task in "abcdefgh"],
    }[case]
    one, two = write_run(tmp_path / "one", episodes), write_run(tmp_path / "two", episodes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = report_runs([one, two], tmp_path / "out")
    assert "—" in text
    assert "nan" not in (text + (tmp_path / "out" / "report.md").read_text()).lower()
    json.loads((tmp_path / "out" / "report.json").read_text(), parse_constant=lambda name: pytest.fail(f"{name} in report.json"))


def test_the_last_record_of_an_episode_counts(tmp_path: Path, make_episode: Callable[..., Trajectory]) -> None:
    run = write_run(tmp_path / "run", [make_episode("a", ending=Ending.TIMEOUT), make_episode("a", f1=0.25, right=1.0)])
    report_runs([run], run)
    overall = Report.model_validate_json((run / "report.json").read_text()).runs[0].overall
    assert overall.f1 is not None
    assert (overall.f1.mean, overall.not_played) == (0.25, {})


def test_runs_of_one_policy_are_told_apart_by_their_folders(tmp_path: Path, make_episode: Callable[..., Trajectory]) -> None:
    folders = [write_run(tmp_path / name, [make_episode("a")]) for name in ("no_preview", "full")]
    text = report_runs(folders, base="full")
    assert "heuristic (no_preview)" in text
    assert "Compared with `heuristic (full)`" in text


def test_unequal_runs_are_pointed_out(tmp_path: Path, make_episode: Callable[..., Trajectory]) -> None:
    one = write_run(tmp_path / "one", [make_episode("a", snapshot="1"), make_episode("b", snapshot="1")])
    two = write_run(tmp_path / "two", [make_episode("a", snapshot="2", policy="rule")])
    text = report_runs([one, two])
    assert "not all played on the same snapshot" in text
    assert "rule lacks 1 files" in text


def test_several_runs_without_a_folder_for_the_report_write_nothing(runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(run) for run in runs]) == 0
    assert "--out" in capsys.readouterr().err
    assert not (runs[0] / "report.json").exists()


def test_what_is_no_finished_run_is_a_clear_error(runs: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match=r"is no run folder: it has no trajectories\.jsonl"):
        report_runs([tmp_path / "nowhere"])
    with pytest.raises(RunFolderError, match="holds no episode yet"):
        report_runs([write_run(tmp_path / "empty", [])])
    with pytest.raises(RunFolderError, match="no run is called 'nobody'; there are rule, heuristic"):
        report_runs(runs, base="nobody")
    (tmp_path / "file").write_text("")
    with pytest.raises(RunFolderError, match="cannot write the report"):
        report_runs(runs, tmp_path / "file")
