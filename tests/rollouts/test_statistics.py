import math
import random
import statistics as stdlib
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rollouts.statistics import ClusteredMean, Interval, clustered_mean, mcnemar_p, verdict


def normal_values(n: int, seed: int = 0) -> list[float]:
    rng = random.Random(seed)
    return [rng.gauss(0.5, 0.2) for _ in range(n)]


def interval_of(values: list[float], clusters: list[str]) -> Interval:
    found = clustered_mean(values, clusters)
    assert found is not None
    assert found.interval is not None
    return found.interval


def test_independent_files_give_the_normal_theory_interval() -> None:
    values = normal_values(400)
    half_width = 1.96 * stdlib.stdev(values) / math.sqrt(400)
    interval = interval_of(values, [str(i) for i in range(400)])
    assert interval.low == pytest.approx(stdlib.mean(values) - half_width, abs=0.002)
    assert interval.high == pytest.approx(stdlib.mean(values) + half_width, abs=0.002)


def test_copies_of_a_document_do_not_narrow_the_interval() -> None:
    values = normal_values(40)
    docs = [str(i) for i in range(40)]
    assert interval_of(values * 4, docs * 4) == interval_of(values, docs)
    as_if_independent = interval_of(values * 4, [str(i) for i in range(160)])
    assert as_if_independent.high - as_if_independent.low < 0.6 * (interval_of(values, docs).high - interval_of(values, docs).low)


def test_documents_with_more_files_weigh_more_in_the_mean() -> None:
    found = clustered_mean([1.0, 1.0, 1.0, 0.0], ["a", "a", "a", "b"])
    assert found == ClusteredMean(mean=0.75, n=4, clusters=2, interval=None)


def test_a_skewed_sample_gets_a_skewed_interval() -> None:
    """BCa, unlike a symmetric interval, reaches further towards the long tail."""
    values = [0.0] * 45 + [1.0] * 5
    interval = interval_of(values, [str(i) for i in range(50)])
    assert interval.high - 0.1 > 0.1 - interval.low > 0


@pytest.mark.parametrize(
    ("values", "docs"),
    [
        pytest.param([0.1, 0.9, 0.5], ["a", "a", "a"], id="one document"),
        pytest.param([0.1, 0.9, 0.5, 0.4], list("abcd"), id="four documents"),
        pytest.param([0.7] * 9, list("abcdefghi"), id="all equal"),
        pytest.param([0.1 + 0.2, 0.3] * 5, list("abcdefghij"), id="equal up to rounding"),
    ],
)
def test_degenerate_samples_have_a_mean_and_no_interval(values: list[float], docs: list[str]) -> None:
    found = clustered_mean(values, docs)
    assert found is not None
    assert found.mean == pytest.approx(stdlib.mean(values))
    assert found.interval is None


def test_no_values_give_none() -> None:
    assert clustered_mean([], []) is None


@given(st.lists(st.tuples(st.floats(-1, 1), st.sampled_from("abcdefghij")), min_size=1, max_size=30))
@settings(max_examples=40, deadline=None)
def test_an_interval_is_finite_ordered_and_within_the_data(rows: list[tuple[float, str]]) -> None:
    values, docs = [value for value, _ in rows], [doc for _, doc in rows]
    found = clustered_mean(values, docs)
    assert found is not None
    assert found.mean == pytest.approx(stdlib.fmean(values))
    if found.interval is not None:
        assert min(values) - 1e-9 <= found.interval.low <= found.interval.high <= max(values) + 1e-9


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    [
        pytest.param(1, 9, 22 / 1024, id="2 (1 + 10) / 2^10"),
        pytest.param(0, 5, 2 / 32, id="2 / 2^5"),
        pytest.param(0, 6, 2 / 64, id="2 / 2^6"),
        pytest.param(3, 3, 1.0, id="a tie"),
        pytest.param(1, 0, 1.0, id="one disagreement"),
    ],
)
def test_mcnemar_matches_binomial_probabilities_counted_by_hand(only_first: int, only_second: int, p: float) -> None:
    assert mcnemar_p(only_first, only_second) == pytest.approx(p)
    assert mcnemar_p(only_second, only_first) == pytest.approx(p)


def test_mcnemar_says_nothing_when_policies_never_disagree() -> None:
    assert mcnemar_p(0, 0) is None


@pytest.mark.parametrize(
    ("mean", "interval", "claim"),
    [
        (0.05, Interval(0.01, 0.09), "better"),
        (-0.05, Interval(-0.09, -0.01), "worse"),
        (0.05, Interval(-0.01, 0.11), "no claim"),
        (0.05, Interval(0.0, 0.1), "no claim"),
        (0.009, Interval(0.008, 0.0095), "no claim"),
        (0.05, None, "no claim"),
    ],
)
def test_claims_need_a_difference_of_a_hundredth_and_an_interval_off_zero(mean: float, interval: Interval | None, claim: str) -> None:
    assert verdict(ClusteredMean(mean, 10, 10, interval)) == claim


def test_nothing_is_claimed_without_common_files() -> None:
    assert verdict(None) == "no claim"


def test_importing_the_module_does_not_import_scipy() -> None:
    program = "import rollouts.statistics, sys; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
