import json
from pathlib import Path

import pytest

from configs.load import ConfigError
from env.errors import CorpusError, RunFolderError
from env.parsing import build_cache
from rollouts import evaluate, teacher
from rollouts.launch import launch
from rollouts.trajectory_file import read_trajectories

TEXTS = {
    "train/a": "The model learns the policy from what it has observed, and the teacher is not asked again.",
    "train/b": "Each of the tools has been run once, so that an episode can be played again from the cache.",
    "heldout/c": "When the results of a tool are poor, another tool is tried before the document is given up.",
}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Three text files with references in two splits."""
    folder = tmp_path / "corpus"
    rows = []
    for name, text in TEXTS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.txt").write_text(text)
        rows.append(
            json.dumps(
                {"id": name, "path": f"{name}.txt", "ref": f"{name}.txt", "format": "txt", "category": "prose", "split": name.split("/")[0]}
            )
        )
    (folder / "manifest.jsonl").write_text("\n".join(rows))
    return folder


@pytest.fixture
def arguments(corpus: Path, tmp_path: Path) -> list[str]:
    return [f"corpus={corpus}", f"cache={tmp_path}/cache.sqlite", "parsing.pool=source17", f"out={tmp_path}/run"]


def test_the_teacher_plays_training_files_and_leaves_a_folder_that_explains_itself(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert teacher.main([*arguments, "samples=2"]) == 0
    played = list(read_trajectories(tmp_path / "run" / "trajectories.jsonl"))
    assert {trajectory.key for trajectory in played} == {(f"train/{name}", sample) for name in "ab" for sample in (0, 1)}
    assert all(trajectory.metrics["f1"] == 1.0 for trajectory in played)
    assert {path.name for path in (tmp_path / "run").iterdir()} == {
        "config.json",
        "meta.json",
        "trajectories.jsonl",
        "report.json",
        "report.md",
        "run.log",
    }
    meta = json.loads((tmp_path / "run" / "meta.json").read_text())
    assert "plain-text" in meta["tools"]
    assert "heuristic" in capsys.readouterr().out


@pytest.mark.parametrize("policy", ["rule", "first", "fixed", "random", "oracle"])
def test_every_reference_policy_can_be_evaluated(arguments: list[str], tmp_path: Path, policy: str) -> None:
    assert build_cache.main([argument for argument in arguments if not argument.startswith("out=")]) == 0
    assert evaluate.main([*arguments, f"policy={policy}"]) == 0
    (trajectory,) = read_trajectories(tmp_path / "run" / "trajectories.jsonl")
    assert trajectory.task == "heldout/c"
    assert trajectory.metrics["oracle"] == 1.0


def test_another_configuration_in_the_same_folder_is_refused(arguments: list[str]) -> None:
    assert launch("evaluate", arguments) == 0
    with pytest.raises(RunFolderError, match="seed: 0 there, 5 now"):
        launch("evaluate", [*arguments, "seed=5"])


def test_the_folder_of_a_run_follows_from_its_configuration(arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for seed in (0, 0, 1):
        launch("evaluate", [*arguments[:-1], f"seed={seed}"])
    assert len(list((tmp_path / "runs").glob("evaluate-heuristic-*"))) == 2


def test_an_unknown_split_names_those_there_are(arguments: list[str]) -> None:
    with pytest.raises(CorpusError, match="heldout, train, all"):
        launch("evaluate", [*arguments, "split=test"])


def test_fixed_says_when_there_is_nothing_to_learn_from(arguments: list[str]) -> None:
    with pytest.raises(ConfigError, match="'other' has no recorded file"):
        launch("evaluate", [*arguments, "policy=fixed", "policy.learn_on=other"])


def test_an_empty_folder_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(CorpusError, match="no files"):
        launch("teacher", [f"corpus={tmp_path}/empty"])


def test_a_plain_folder_is_played_but_not_scored(arguments: list[str], corpus: Path, tmp_path: Path) -> None:
    (corpus / "manifest.jsonl").unlink()
    assert teacher.main(arguments) == 0
    played = list(read_trajectories(tmp_path / "run" / "trajectories.jsonl"))
    assert len(played) == 3
    assert all(trajectory.reward is None and trajectory.outcome["choice"] for trajectory in played)
    assert {trajectory.format for trajectory in played} == {"txt"}
