"""Trajectories → numbers: what one policy did on each file, and a summary of any group of files.

Everything is averaged per file first, so that files sampled more often do not weigh more. Episodes that were not played (provider error,
cancelled, intercepted before the first model call…) are counted by their ending and enter no average; episodes without a reference have no
F1 and no right.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeVar

from env.episode import Ending
from env.records import Record
from rollouts.statistics import ClusteredMean, clustered_mean
from rollouts.trajectory import Trajectory

LEVELS = ("easy", "medium", "hard")
"""First part of a category such as `hard/text_boxes`."""
DIMENSIONS = ("format", "category", "level")

T = TypeVar("T")
GroupT = TypeVar("GroupT")
Groups = dict[str, dict[str, GroupT]]
"""Dimension → group → value, e.g. `groups["format"]["pdf"]`."""


@dataclass(frozen=True, slots=True)
class FileScore:
    """What one policy did on one file, averaged over its played episodes."""

    task: str
    doc: str
    groups: Mapping[str, str]
    """Dimension → group it belongs to."""
    values: Mapping[str, float]
    """`calls`, `seconds`, `prompt_tokens`…; `f1` and `right` only where they exist. Empty when no episode was played."""
    not_played: tuple[Ending, ...] = ()
    """Endings of the episodes that were not played."""


class Share(Record):
    """`k` of `n` files; fractions where a file was sampled several times."""

    k: float
    n: float


class Summary(Record):
    """One policy on one group of files."""

    files: int
    played: int
    """Files with at least one played episode; the averages below are over them."""
    f1: ClusteredMean | None
    """Over readable files with a reference. A file on which the policy delivered nothing counts 0."""
    right: ClusteredMean | None
    """Over files whose right answer is known; for a file that no tool can read it is `fail`."""
    calls: float | None
    seconds: float | None
    """Model time plus recorded tool time per file."""
    prompt_tokens: float | None
    output_tokens: float | None
    cost_usd: float | None
    """Per file."""
    fallback_rate: float | None
    """Share of episodes in which the rule baseline's choice was delivered (third invalid action, or a call beyond the limit)."""
    invalid_rate: float | None
    """Share of episodes with at least one invalid action."""
    fail_precision: Share
    """Of the files with known readability that the policy failed, those that no tool can read."""
    fail_recall: Share
    """Of the files that no tool can read, those that the policy failed."""
    not_played: dict[str, int]
    """Episodes by ending."""


def score_files(records: Iterable[Trajectory]) -> list[FileScore]:
    """Average the episodes of each file; sorted by task id."""
    by_task: dict[str, list[Trajectory]] = defaultdict(list)
    for record in records:
        by_task[record.task].append(record)
    return [_score_file(by_task[task]) for task in sorted(by_task)]


def summarise(files: Sequence[FileScore]) -> Summary:
    """Numbers of one policy on some files."""
    played = [file for file in files if file.values]
    known = [file for file in played if "readable" in file.values]
    unreadable = [file for file in known if file.values["readable"] == 0]
    failed = sum(file.values["failed"] for file in known)
    failed_rightly = sum(file.values["failed"] for file in unreadable)
    endings = Counter(ending.value for file in files for ending in file.not_played)
    return Summary(
        files=len(files),
        played=len(played),
        f1=_mean_of("f1", played),
        right=_mean_of("right", played),
        calls=_plain_mean("calls", played),
        seconds=_plain_mean("seconds", played),
        prompt_tokens=_plain_mean("prompt_tokens", played),
        output_tokens=_plain_mean("output_tokens", played),
        cost_usd=_plain_mean("cost_usd", played),
        fallback_rate=_plain_mean("fallback", played),
        invalid_rate=_plain_mean("any_invalid", played),
        fail_precision=Share(k=failed_rightly, n=failed),
        fail_recall=Share(k=failed_rightly, n=len(unreadable)),
        not_played=dict(sorted(endings.items())),
    )


def by_group(files: Sequence[FileScore], measure: Callable[[Sequence[FileScore]], T]) -> Groups[T]:
    """Apply `measure` to the files of every format, category and level."""
    return {
        dimension: {name: measure([file for file in files if file.groups.get(dimension) == name]) for name in names}
        for dimension in DIMENSIONS
        if (names := _group_names(files, dimension))
    }


def _group_names(files: Sequence[FileScore], dimension: str) -> list[str]:
    found = {file.groups[dimension] for file in files if dimension in file.groups}
    return [level for level in LEVELS if level in found] if dimension == "level" else sorted(found)


def _score_file(episodes: Sequence[Trajectory]) -> FileScore:
    first = episodes[0]
    groups = {"format": first.format, "category": first.category}
    level = first.category.split("/")[0]
    if level in LEVELS:
        groups["level"] = level
    collected: dict[str, list[float]] = defaultdict(list)
    for episode in episodes:
        if episode.ending.played:
            for name, value in _episode_values(episode).items():
                collected[name].append(value)
    return FileScore(
        task=first.task,
        doc=first.doc,
        groups=groups,
        values={name: fmean(values) for name, values in collected.items()},
        not_played=tuple(episode.ending for episode in episodes if not episode.ending.played),
    )


def _episode_values(episode: Trajectory) -> dict[str, float]:
    metrics = episode.metrics
    return {name: metrics[name] for name in ("f1", "right", "readable") if name in metrics} | {
        "calls": metrics.get("calls", 0.0),
        "seconds": episode.seconds,
        "prompt_tokens": float(sum(turn.prompt_tokens for turn in episode.turns)),
        "output_tokens": float(sum(turn.output_tokens for turn in episode.turns)),
        "cost_usd": sum(turn.cost_usd for turn in episode.turns),
        "fallback": float(episode.ending in {Ending.RULE_FALLBACK, Ending.CALL_LIMIT}),
        "any_invalid": float(metrics.get("invalid", 0.0) > 0),
        "failed": float(episode.ending is Ending.FAILED),
    }


def _mean_of(name: str, files: Sequence[FileScore]) -> ClusteredMean | None:
    having = [file for file in files if name in file.values]
    return clustered_mean([file.values[name] for file in having], [file.doc for file in having])


def _plain_mean(name: str, files: Sequence[FileScore]) -> float | None:
    return fmean(file.values[name] for file in files) if files else None
