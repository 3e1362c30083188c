"""Intervals and tests behind every comparison of policies (specification, distillation §3).

Formats of one source document are not independent, so whole documents are resampled, never single files: the pairs cluster bootstrap
(Cameron, Gelbach and Miller 2008, "Bootstrap-Based Improvements for Inference with Clustered Errors"; recommended for language-model
evaluations by Miller 2024, "Adding Error Bars to Evals"). The interval is Efron's BCa (1987, "Better Bootstrap Confidence Intervals").
scipy takes two seconds to import, so the functions that need it import it: a command that only prints its help stays fast.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95
RESAMPLES = 9999
SEED = 0
MIN_DIFFERENCE = 0.01
"""No claim is made about smaller differences, whatever their interval (specification, distillation §3)."""
MIN_CLUSTERS = 5
"""Fewer documents give no interval: resampling a handful makes it far too narrow, and any difference would look certain."""

Floats = NDArray[np.float64]

_SAME = 1e-12
"""Spread that is only rounding."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval at level `CONFIDENCE`."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ClusteredMean:
    """Mean over files with an interval that respects documents."""

    mean: float
    n: int
    """Files."""
    clusters: int
    """Source documents."""
    interval: Interval | None
    """None where resampling says nothing: fewer than `MIN_CLUSTERS` documents, or the same mean in every one."""


def clustered_mean(values: Sequence[float], clusters: Sequence[str]) -> ClusteredMean | None:
    """Mean of `values`, with the BCa interval of a bootstrap over clusters; None when there are no values.

    For the difference of two policies pass one difference per file: that is the paired bootstrap.

    Args:
        values: one number per file.
        clusters: the source document of each file.
    """
    if not values:
        return None
    sums, counts = _sum_by_cluster(values, clusters)
    tells_nothing = len(counts) < MIN_CLUSTERS or np.ptp(sums / counts) < _SAME
    interval = None if tells_nothing else _bootstrap(sums, counts)
    return ClusteredMean(float(sums.sum() / counts.sum()), len(values), len(counts), interval)


def mcnemar_p(only_first: int, only_second: int) -> float | None:
    """Exact two-sided p-value that two policies are right equally often (McNemar 1947); None when they never disagree.

    Of the files on which they disagree, each policy should win half: a binomial test.

    Args:
        only_first: files that only the first policy got right.
        only_second: files that only the second policy got right.
    """
    if only_first + only_second == 0:
        return None
    from scipy.stats import binomtest  # noqa: PLC0415 - slow import, see above

    return float(binomtest(only_first, only_first + only_second, 0.5).pvalue)


def verdict(difference: ClusteredMean | None) -> str:
    """What may be claimed about a difference: `better`, `worse` or `no claim`."""
    if difference is None or difference.interval is None or abs(difference.mean) < MIN_DIFFERENCE:
        return "no claim"
    if difference.interval.low <= 0 <= difference.interval.high:
        return "no claim"
    return "better" if difference.mean > 0 else "worse"


def _sum_by_cluster(values: Sequence[float], clusters: Sequence[str]) -> tuple[Floats, Floats]:
    """Sum and number of values per cluster: all that the mean of a resample depends on."""
    names = sorted(set(clusters))
    index = {name: position for position, name in enumerate(names)}
    positions = [index[cluster] for cluster in clusters]
    return np.bincount(positions, weights=values).astype(np.float64), np.bincount(positions).astype(np.float64)


def _bootstrap(sums: Floats, counts: Floats) -> Interval:
    """BCa is defined here: with at least two different means neither the jackknife nor the resamples are constant."""
    from scipy.stats import bootstrap  # noqa: PLC0415 - slow import, see above

    found = bootstrap(
        (sums, counts),
        _ratio,
        n_resamples=RESAMPLES,
        batch=1000,
        vectorized=True,
        paired=True,
        confidence_level=CONFIDENCE,
        method="BCa",
        rng=np.random.default_rng(SEED),
    ).confidence_interval
    return Interval(float(found.low), float(found.high))


def _ratio(sums: Floats, counts: Floats, axis: int = -1) -> Floats:
    ratio: Floats = sums.sum(axis=axis) / counts.sum(axis=axis)
    return ratio
