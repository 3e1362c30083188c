from collections.abc import Callable

from env.episode import Ending
from rollouts.comparison import build_report, compare
from rollouts.summary import score_files
from rollouts.trajectory import Trajectory


def test_differences_are_paired_by_file(make_episode: Callable[..., Trajectory]) -> None:
    base = [make_episode(str(i), f1=0.1 * i, right=0.0) for i in range(10)]
    better = [make_episode(str(i), f1=0.1 * i + 0.02 + 0.001 * i, right=1.0) for i in range(10)]
    difference = compare(score_files(better), score_files(base))
    assert difference.f1 is not None
    assert difference.f1.interval is not None
    assert abs(difference.f1.mean - 0.0245) < 1e-9
    assert difference.f1.interval.low > 0.02, "far narrower than the spread between files"
    assert difference.verdict == "better"
    assert (difference.right_only_policy, difference.right_only_base, difference.right_files) == (10, 0, 10)
    assert difference.mcnemar_p == 2 / 2**10


def test_only_files_that_both_played_are_compared(make_episode: Callable[..., Trajectory]) -> None:
    base = [make_episode("a", f1=0.5, right=1.0), make_episode("b", f1=0.5, right=1.0), make_episode("c", ending=Ending.TIMEOUT)]
    policy = [make_episode("b", f1=0.7, right=1.0), make_episode("c", f1=0.1, right=0.0), make_episode("d", f1=0.1, right=0.0)]
    difference = compare(score_files(policy), score_files(base))
    assert difference.f1 is not None
    assert (difference.f1.n, round(difference.f1.mean, 9), difference.right_files) == (1, 0.2, 1)


def test_a_policy_with_no_common_file_has_no_difference(make_episode: Callable[..., Trajectory]) -> None:
    difference = compare(score_files([make_episode("a", f1=1.0)]), score_files([make_episode("b", f1=1.0)]))
    assert (difference.f1, difference.verdict, difference.mcnemar_p) == (None, "no claim", None)


def test_a_file_sampled_often_is_right_when_most_samples_are(make_episode: Callable[..., Trajectory]) -> None:
    policy = [make_episode("a", sample, right=float(sample < 2)) for sample in range(3)]
    policy += [make_episode("b", sample, right=float(sample < 1)) for sample in range(2)]
    base = [make_episode("a", right=0.0), make_episode("b", right=0.0)]
    assert compare(score_files(policy), score_files(base)).right_only_policy == 1


def test_the_base_is_compared_with_nobody(make_episode: Callable[..., Trajectory]) -> None:
    files = score_files([make_episode("a", f1=1.0, right=1.0)])
    report = build_report({"rule": files, "heuristic": files}, base="heuristic")
    assert [run.name for run in report.runs if run.difference is None] == ["heuristic"]
    assert list(report.runs[0].group_differences) == ["format", "category"]
