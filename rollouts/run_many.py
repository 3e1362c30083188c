"""Plays many episodes at once, records each as it ends, and goes on where an earlier run stopped."""

import asyncio
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from tqdm import tqdm

from env.episode import Ending, Environment
from env.errors import ProviderError
from env.records import Task
from rollouts.policy import Policy
from rollouts.run_episode import EpisodeSettings, run_episode
from rollouts.trajectory import Trajectory
from rollouts.trajectory_file import TrajectoryFile


class Item(Protocol):
    """Anything with an id that a game can turn into a task, e.g. a corpus file."""

    @property
    def id(self) -> str:
        """Id of the task it becomes."""
        ...


ItemT_contra = TypeVar("ItemT_contra", bound=Item, contravariant=True)


class Game(Protocol[ItemT_contra]):
    """Makes tasks and episodes, e.g. `env.parsing.environment.ParsingGame`."""

    def task(self, item: ItemT_contra) -> Task:
        """Task of one item; may have to look into the file."""
        ...

    def environment(self) -> Environment[Any]:
        """A fresh single-use episode."""
        ...


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How a run is spread over episodes."""

    samples: int
    """Episodes per item."""
    seed: int
    concurrency: int
    """Episodes at the same time."""
    give_up_after: int
    """Stop the run when so many episodes in a row ended by a provider error: the server is gone, or refuses the key."""
    episode: EpisodeSettings


@dataclass(slots=True)
class LiveLine:
    """Running totals behind the progress bar."""

    sums: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    invalid: int = 0
    cost_usd: float = 0.0
    unscored: int = 0
    provider_errors: int = 0
    """Episodes in a row that the provider broke."""

    def add(self, trajectory: Trajectory) -> None:
        """Count one finished episode."""
        for name in ("f1", "right"):
            if name in trajectory.metrics:
                self.sums[name] = self.sums.get(name, 0.0) + trajectory.metrics[name]
                self.counts[name] = self.counts.get(name, 0) + 1
        self.invalid += int(trajectory.metrics.get("invalid", 0))
        self.cost_usd += sum(turn.cost_usd for turn in trajectory.turns)
        self.unscored += trajectory.reward is None
        self.provider_errors = self.provider_errors + 1 if trajectory.ending is Ending.PROVIDER_ERROR else 0

    def __str__(self) -> str:
        parts = [f"{name} {self.sums[name] / self.counts[name]:.3f}" for name in self.sums]
        parts += [f"invalid {self.invalid}", f"unscored {self.unscored}", f"${self.cost_usd:.4f}"]
        return ", ".join(parts)


async def run_many(game: Game[Any], items: Sequence[Item], policy: Policy, settings: RunSettings, file: TrajectoryFile) -> LiveLine:
    """Play `samples` episodes of every item that the file does not hold yet.

    Raises:
        ProviderError: too many episodes in a row ended by one.
        asyncio.CancelledError: stopped from outside, after the running episodes were recorded as `cancelled`.
    """
    done = file.finished_keys()
    todo = [(item, sample) for sample in range(settings.samples) for item in items if (item.id, sample) not in done]
    line = LiveLine()
    queue = iter(todo)
    total = len(items) * settings.samples
    with tqdm(total=total, initial=total - len(todo), unit="episode", desc=policy.name, delay=1, dynamic_ncols=True) as bar:
        workers = [_work(game, queue, policy, settings, file, line, bar) for _ in range(min(settings.concurrency, max(1, len(todo))))]
        tasks = [asyncio.create_task(worker) for worker in workers]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    return line


async def _work(
    game: Game[Any],
    queue: Iterator[tuple[Item, int]],
    policy: Policy,
    settings: RunSettings,
    file: TrajectoryFile,
    line: LiveLine,
    bar: "tqdm[Any]",
) -> None:
    for item, sample in queue:
        task = await asyncio.to_thread(game.task, item) if settings.episode.live else game.task(item)
        seed = episode_seed(settings.seed, item.id, sample)
        trajectory = await run_episode(game.environment(), task, policy, settings.episode, sample=sample, seed=seed)
        file.append(trajectory)
        line.add(trajectory)
        bar.set_postfix_str(str(line), refresh=False)
        bar.update()
        if trajectory.ending is Ending.CANCELLED:
            raise asyncio.CancelledError
        if line.provider_errors >= settings.give_up_after:
            raise ProviderError(f"stopped after {line.provider_errors} provider errors in a row, the last one: {trajectory.detail}")


def episode_seed(run_seed: int, item: str, sample: int) -> int:
    """Seed of one episode: a function of the run's seed and the resume key, not of the order of play."""
    digest = hashlib.sha256(f"{run_seed}/{item}/{sample}".encode()).digest()
    return int.from_bytes(digest[:4], "big")
