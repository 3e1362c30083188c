import json
import logging
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from env.episode import Ending
from env.errors import RunFolderError
from env.records import Message
from rollouts.trajectory import Trajectory, Turn
from rollouts.trajectory_file import TrajectoryFile, last_records, read_trajectories


def episode(
    task: str = "a", sample: int = 0, ending: Ending = Ending.FINISHED, text: str = "hello", reward: float | None = None
) -> Trajectory:
    return Trajectory(
        task=task,
        sample=sample,
        game="parsing",
        category="papers",
        format="pdf",
        doc=task,
        split="train",
        policy="heuristic",
        seed=0,
        snapshot="",
        messages=(Message(role="user", content="go"), Message(role="assistant", content=text)),
        turns=(Turn(message=1, token_ids=(1, 2), logprobs=(-0.5, -0.25)),),
        ending=ending,
        reward=reward,
        metrics={"calls": 1.0},
        outcome={"choice": "pypdf", "tools": ["pypdf"]},
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trajectories.jsonl"


def write(path: Path, *records: Trajectory) -> None:
    with TrajectoryFile(path) as file:
        for record in records:
            file.append(record)


@pytest.mark.parametrize("fsync", [False, True])
def test_what_was_appended_is_read_back_in_order(fsync: bool, path: Path) -> None:
    records = [episode("b", reward=1.0), episode("a"), episode("a", 1)]
    write(path, *records[:1])
    with TrajectoryFile(path, fsync=fsync) as file:
        for record in records[1:]:
            file.append(record)
    assert list(read_trajectories(path)) == records


def test_text_is_stored_as_plain_utf8_not_as_escapes(path: Path) -> None:
    write(path, episode(text="中文\u2028next"))
    assert "中文" in path.read_text(encoding="utf-8")
    assert [record.messages[1].content for record in read_trajectories(path)] == ["中文\u2028next"]


@given(text=st.text(st.characters(exclude_categories=()), max_size=20))
@settings(max_examples=50, deadline=None)
def test_any_text_even_with_lone_surrogates_costs_no_record(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("any") / "trajectories.jsonl"
    write(path, episode(text=text), episode("b"))
    first, second = read_trajectories(path)
    assert first.messages[1].content == text.encode("utf-8", "replace").decode("utf-8")
    assert second.task == "b"


@given(cut=st.integers(min_value=1, max_value=10_000), text=st.sampled_from(["short", "长" * 60_000]))
@settings(max_examples=30, deadline=None)
def test_a_file_cut_anywhere_in_its_last_record_keeps_all_earlier_ones(
    tmp_path_factory: pytest.TempPathFactory, cut: int, text: str
) -> None:
    path = tmp_path_factory.mktemp("cut") / "trajectories.jsonl"
    write(path, episode("a"))
    kept = path.stat().st_size
    write(path, episode("b", text=text))
    os.truncate(path, max(kept + 1, path.stat().st_size - 1 - cut))
    assert [record.task for record in read_trajectories(path)] == ["a"]
    write(path, episode("c"))
    assert [record.task for record in read_trajectories(path)] == ["a", "c"]


def test_dropping_a_torn_line_is_announced_once(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(path, episode("a"))
    with path.open("ab") as raw:
        raw.write(b'{"version":1,"task":"b"')
    with caplog.at_level(logging.WARNING):
        TrajectoryFile(path).close()
        TrajectoryFile(path).close()
    assert [record.getMessage().split(" ")[0] for record in caplog.records] == [str(path)]
    assert "23 bytes" in caplog.text


def test_a_complete_last_record_that_only_lacks_its_newline_is_kept(path: Path) -> None:
    write(path, episode("a"))
    os.truncate(path, path.stat().st_size - 1)
    assert [record.task for record in read_trajectories(path)] == ["a"]
    write(path, episode("b"))
    assert [record.task for record in read_trajectories(path)] == ["a", "b"]


def test_a_second_writer_is_refused_and_a_reader_is_not(path: Path) -> None:
    with TrajectoryFile(path) as file:
        file.append(episode("a"))
        with pytest.raises(RunFolderError, match="another process is writing"):
            TrajectoryFile(path)
        assert len(list(read_trajectories(path))) == 1
    TrajectoryFile(path).close()


def test_a_full_disk_leaves_no_half_record_and_writing_can_go_on(path: Path) -> None:
    with TrajectoryFile(path) as file:
        file.append(episode("a"))
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 100, limits[1]))
        try:
            with pytest.raises(RunFolderError, match=r"cannot write to .*trajectories\.jsonl"):
                file.append(episode("b"))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert path.read_bytes().endswith(b"}\n")
        file.append(episode("c"))
    assert [record.task for record in read_trajectories(path)] == ["a", "c"]


def test_a_killed_writer_loses_nothing_it_has_appended(path: Path) -> None:
    write(path, episode("a"))
    program = (
        "import sys, os, signal; from pathlib import Path; from rollouts.trajectory_file import *; path = Path(sys.argv[1]);"
        "record = next(read_trajectories(path)); file = TrajectoryFile(path); file.append(record.model_copy(update={'task': 'b'}));"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", program, str(path)], check=False).returncode == -9
    assert [record.task for record in read_trajectories(path)] == ["a", "b"]
    TrajectoryFile(path).close()


def test_episodes_that_faults_outside_the_policy_ended_are_not_finished(path: Path) -> None:
    outside = [Ending.TIMEOUT, Ending.CACHE_MISS, Ending.PROVIDER_ERROR, Ending.CANCELLED]
    with TrajectoryFile(path) as file:
        for ending in Ending:
            file.append(episode(ending.value, ending=ending))
        assert file.finished_keys() == {(ending.value, 0) for ending in Ending if ending not in outside}


def test_the_last_record_of_a_key_counts(path: Path) -> None:
    write(path, episode("a", ending=Ending.PROVIDER_ERROR), episode("a", 1), episode("a", ending=Ending.FINISHED))
    assert last_records(path)["a", 0].ending is Ending.FINISHED
    with TrajectoryFile(path) as file:
        assert file.finished_keys() == {("a", 0), ("a", 1)}


def test_a_record_of_another_version_is_refused_with_both_versions_named(path: Path) -> None:
    path.write_text(json.dumps({"version": 2, "task": "a"}) + "\n", encoding="utf-8")
    with pytest.raises(RunFolderError, match=r"line 1 is a record of version 2; this program reads version 1"):
        list(read_trajectories(path))


def test_a_damaged_line_in_the_middle_is_named(path: Path) -> None:
    write(path, episode("a"))
    with path.open("ab") as raw:
        raw.write(b"{oops\n")
    write(path, episode("b"))
    with pytest.raises(RunFolderError, match="line 2 is damaged"):
        list(read_trajectories(path))


def test_a_path_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="No such file"):
        TrajectoryFile(tmp_path / "missing" / "trajectories.jsonl")
    with pytest.raises(RunFolderError, match="cannot read"):
        list(read_trajectories(tmp_path / "missing.jsonl"))
