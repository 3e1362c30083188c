import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from env.episode import Ending
from env.errors import ProviderError
from env.parsing.corpus.manifest import CorpusFile
from env.parsing.environment import ParsingGame
from env.records import Message, Task
from rollouts.policies.references import RandomPolicy
from rollouts.policy import Reply
from rollouts.run_episode import EpisodeSettings
from rollouts.run_many import RunSettings, episode_seed, run_many
from rollouts.trajectory import Trajectory
from rollouts.trajectory_file import TrajectoryFile, read_trajectories

MakeGame = Callable[..., ParsingGame]
FILES = [CorpusFile(id=f"doc/{number}", path=Path("x.pdf"), format="pdf", doc=f"doc/{number}", split="train") for number in range(6)]


def settings(samples: int = 1, concurrency: int = 3) -> RunSettings:
    return RunSettings(samples=samples, seed=1, concurrency=concurrency, give_up_after=3, episode=EpisodeSettings(timeout_s=5))


def play(game: ParsingGame, path: Path, run: RunSettings, policy: object = None) -> list[Trajectory]:
    with TrajectoryFile(path) as file:
        asyncio.run(run_many(game, FILES, policy or RandomPolicy(), run, file))  # type: ignore[arg-type]
    return list(read_trajectories(path))


def test_every_sample_of_every_file_is_played_with_its_own_seed(make_game: MakeGame, tmp_path: Path) -> None:
    trajectories = play(make_game(), tmp_path / "t.jsonl", settings(samples=3))
    assert {trajectory.key for trajectory in trajectories} == {(file.id, sample) for file in FILES for sample in range(3)}
    assert len({trajectory.seed for trajectory in trajectories}) == 18
    assert all(trajectory.seed == episode_seed(1, *trajectory.key) for trajectory in trajectories)


def test_the_same_configuration_and_seed_give_the_same_bytes(make_game: MakeGame, tmp_path: Path) -> None:
    for name in ("a", "b"):
        play(make_game(), tmp_path / name, settings(samples=2))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_second_run_plays_nothing_again(make_game: MakeGame, tmp_path: Path) -> None:
    play(make_game(), tmp_path / "t.jsonl", settings())
    before = (tmp_path / "t.jsonl").read_bytes()
    play(make_game(), tmp_path / "t.jsonl", settings())
    assert (tmp_path / "t.jsonl").read_bytes() == before


class FailsOnce(RandomPolicy):
    """A provider that is down for the first call of a run."""

    def __init__(self) -> None:
        self.calls = 0

    async def reply(self, messages: Sequence[Message], *, task: Task, seed: int) -> Reply:
        self.calls += 1
        if self.calls == 1:
            raise ProviderError("down")
        return await super().reply(messages, task=task, seed=seed)


def test_an_episode_that_a_provider_broke_is_played_again_on_resume(make_game: MakeGame, tmp_path: Path) -> None:
    first = play(make_game(), tmp_path / "t.jsonl", settings(), FailsOnce())
    assert [trajectory.ending for trajectory in first].count(Ending.PROVIDER_ERROR) == 1
    again = play(make_game(), tmp_path / "t.jsonl", settings())
    assert len(again) == len(FILES) + 1
    assert again[-1].ending is Ending.FINISHED


class Dead(RandomPolicy):
    """A provider that refuses every call."""

    async def reply(self, messages: Sequence[Message], *, task: Task, seed: int) -> Reply:
        raise ProviderError("the key is refused")


def test_a_dead_provider_stops_the_run_instead_of_failing_every_file(make_game: MakeGame, tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="3 provider errors in a row, the last one: the key is refused"):
        play(make_game(), tmp_path / "t.jsonl", settings(concurrency=1), Dead())
    assert len(list(read_trajectories(tmp_path / "t.jsonl"))) == 3


class InterruptsItself(RandomPolicy):
    """Sends Ctrl-C to the program in the middle of the run."""

    def __init__(self) -> None:
        self.calls = 0

    async def reply(self, messages: Sequence[Message], *, task: Task, seed: int) -> Reply:
        self.calls += 1
        if self.calls == 5:
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(5)
        return await super().reply(messages, task=task, seed=seed)


def test_ctrl_c_keeps_what_was_played_and_a_resume_goes_on(make_game: MakeGame, tmp_path: Path) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a parallel test runner may have switched it off
    with pytest.raises(KeyboardInterrupt):
        play(make_game(), tmp_path / "t.jsonl", settings(), InterruptsItself())
    kept = list(read_trajectories(tmp_path / "t.jsonl"))
    assert any(trajectory.ending is Ending.CANCELLED for trajectory in kept)
    finished = {
        trajectory.key for trajectory in play(make_game(), tmp_path / "t.jsonl", settings()) if trajectory.ending is Ending.FINISHED
    }
    assert len(finished) == len(FILES)
