from collections.abc import Callable

import pytest

from env.episode import Ending
from rollouts.summary import Share, by_group, score_files, summarise
from rollouts.trajectory import Trajectory


def test_samples_of_a_file_are_averaged_before_files_are(make_episode: Callable[..., Trajectory]) -> None:
    often = [make_episode("a", sample, f1=0.0, right=0.0) for sample in range(3)]
    summary = summarise(score_files([*often, make_episode("b", f1=1.0, right=1.0)]))
    assert summary.files == 2
    assert summary.f1 is not None
    assert (summary.f1.mean, summary.f1.n) == (0.5, 2)


def test_episodes_that_were_not_played_are_counted_and_never_averaged(make_episode: Callable[..., Trajectory]) -> None:
    faults = [make_episode(f"x{ending}", ending=ending) for ending in Ending if not ending.played]
    summary = summarise(score_files([make_episode("a", f1=0.8, right=1.0, calls=2.0), *faults]))
    assert (summary.files, summary.played) == (1 + len(faults), 1)
    assert summary.f1 is not None
    assert (summary.f1.mean, summary.f1.n, summary.calls) == (0.8, 1, 2.0)
    assert summary.not_played == {ending.value: 1 for ending in Ending if not ending.played}


def test_unreadable_files_enter_right_but_not_f1(make_episode: Callable[..., Trajectory]) -> None:
    unreadable = make_episode("b", ending=Ending.FAILED, right=1.0, readable=0.0)
    summary = summarise(score_files([make_episode("a", f1=0.6, right=0.0, readable=1.0), unreadable]))
    assert summary.f1 is not None
    assert summary.right is not None
    assert (summary.f1.n, summary.right.n, summary.right.mean) == (1, 2, 0.5)


def test_files_without_a_reference_have_calls_but_neither_f1_nor_right(make_episode: Callable[..., Trajectory]) -> None:
    summary = summarise(score_files([make_episode("a", calls=3.0)]))
    assert (summary.f1, summary.right, summary.calls, summary.played) == (None, None, 3.0, 1)


def test_failing_is_judged_by_what_no_tool_can_read(make_episode: Callable[..., Trajectory]) -> None:
    episodes = [
        make_episode("rightly", ending=Ending.FAILED, right=1.0, readable=0.0),
        make_episode("wrongly", ending=Ending.FAILED, right=0.0, f1=0.0, readable=1.0),
        make_episode("too trusting", right=0.0, readable=0.0),
        make_episode("read", right=1.0, f1=1.0, readable=1.0),
        make_episode("unknown", ending=Ending.FAILED),
    ]
    summary = summarise(score_files(episodes))
    assert summary.fail_precision == Share(k=1, n=2)
    assert summary.fail_recall == Share(k=1, n=2)


def test_rates_count_episodes_with_a_fallback_or_an_invalid_action(make_episode: Callable[..., Trajectory]) -> None:
    episodes = [
        make_episode("a", ending=Ending.RULE_FALLBACK, invalid=3.0),
        make_episode("b", ending=Ending.CALL_LIMIT),
        make_episode("c", invalid=1.0),
        make_episode("d"),
    ]
    summary = summarise(score_files(episodes))
    assert (summary.fallback_rate, summary.invalid_rate) == (0.5, 0.5)


def test_costs_are_per_file(make_episode: Callable[..., Trajectory]) -> None:
    summary = summarise(score_files([make_episode("a", tool_seconds=1.0), make_episode("b", tool_seconds=2.0)]))
    # each episode of the fixture has one turn: 100 tokens in, 10 out, half a second, 0.25 dollars
    assert (summary.prompt_tokens, summary.output_tokens, summary.seconds, summary.cost_usd) == (100, 10, 2.0, 0.25)


def test_files_are_grouped_by_format_category_and_level(make_episode: Callable[..., Trajectory]) -> None:
    episodes = [
        make_episode("a", category="hard/text_boxes", format="docx"),
        make_episode("b", category="easy/article", format="pdf"),
        make_episode("c", category="papers", format="pdf"),
    ]
    assert by_group(score_files(episodes), len) == {
        "format": {"docx": 1, "pdf": 2},
        "category": {"easy/article": 1, "hard/text_boxes": 1, "papers": 1},
        "level": {"easy": 1, "hard": 1},
    }
    assert "level" not in by_group(score_files(episodes[2:]), len)


def test_no_files_give_no_numbers() -> None:
    summary = summarise(score_files([]))
    assert (summary.files, summary.f1, summary.calls, summary.fallback_rate) == (0, None, None, None)


@pytest.mark.parametrize("order", [1, -1])
def test_the_order_of_records_does_not_matter(order: int, make_episode: Callable[..., Trajectory]) -> None:
    episodes = [make_episode(task, f1=0.1 * index) for index, task in enumerate("abcdef")]
    assert [file.task for file in score_files(episodes[::order])] == list("abcdef")
