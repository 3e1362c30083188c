"""Several runs → one report: a summary of each, and paired comparisons with a base policy."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal

from tqdm import tqdm

from env.records import Record
from rollouts.statistics import CONFIDENCE, RESAMPLES, SEED, ClusteredMean, clustered_mean, mcnemar_p, verdict
from rollouts.summary import FileScore, Groups, Summary, by_group, summarise


class Difference(Record):
    """A policy minus the base on the files that both have; positive when the policy is better."""

    f1: ClusteredMean | None
    verdict: str
    """On F1: `better`, `worse` or `no claim`."""
    right_files: int
    """Files whose right answer is known and that both played."""
    right_only_policy: int
    """Files that only the policy got right (in most of its samples)."""
    right_only_base: int
    mcnemar_p: float | None
    """Exact; None when the two never disagree."""


class RunReport(Record):
    """One run, and how it compares with the base."""

    name: str
    overall: Summary
    groups: Groups[Summary]
    difference: Difference | None
    """None for the base itself."""
    group_differences: Groups[Difference]


class Report(Record):
    """Content of `report.json`."""

    version: Literal[1] = 1
    base: str
    runs: tuple[RunReport, ...]
    warnings: tuple[str, ...] = ()
    """Why the runs may not be comparable."""
    confidence: float = CONFIDENCE
    resamples: int = RESAMPLES
    seed: int = SEED


def build_report(runs: Mapping[str, Sequence[FileScore]], base: str, warnings: tuple[str, ...] = ()) -> Report:
    """Summarise runs and compare each with the base.

    Args:
        runs: scores of each run by the name shown in tables.
        base: one of these names.
        warnings: shown with the report.
    """
    progress = tqdm(runs.items(), desc="report", unit="run", delay=2, dynamic_ncols=True)
    reports = [_report_run(name, files, None if name == base else runs[base]) for name, files in progress]
    return Report(base=base, runs=tuple(reports), warnings=warnings)


def compare(policy: Sequence[FileScore], base: Sequence[FileScore]) -> Difference:
    """Paired comparison on the files that both played."""
    of_base = {file.task: file.values for file in base}
    pairs = [(file, of_base[file.task]) for file in policy if file.task in of_base]
    with_f1 = [(file, values) for file, values in pairs if "f1" in file.values and "f1" in values]
    f1 = clustered_mean([file.values["f1"] - values["f1"] for file, values in with_f1], [file.doc for file, _ in with_f1])
    right = [(file.values["right"] > 0.5, values["right"] > 0.5) for file, values in pairs if "right" in file.values and "right" in values]
    only_policy, only_base = right.count((True, False)), right.count((False, True))
    return Difference(
        f1=f1,
        verdict=verdict(f1),
        right_files=len(right),
        right_only_policy=only_policy,
        right_only_base=only_base,
        mcnemar_p=mcnemar_p(only_policy, only_base),
    )


def _report_run(name: str, files: Sequence[FileScore], base: Sequence[FileScore] | None) -> RunReport:
    return RunReport(
        name=name,
        overall=summarise(files),
        groups=by_group(files, summarise),
        difference=None if base is None else compare(files, base),
        group_differences={} if base is None else by_group(files, partial(compare, base=base)),
    )
