import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewards.breakdown import RewardBreakdown
from rewards.parsing_reward import parsing_reward

F1S = st.floats(0, 1)
ORACLES = st.floats(0.02, 1)
CALLS = st.integers(0, 6)


def reward(
    ending: str = "finished",
    chosen_f1: float | None = 0.9,
    oracle: float | None = 0.9,
    calls: int = 1,
    max_calls: int = 6,
    invalid: int = 0,
) -> RewardBreakdown:
    return parsing_reward(
        ending=ending,
        chosen_f1=chosen_f1,
        oracle=oracle,
        calls=calls,
        max_calls=max_calls,
        invalid=invalid,
        right_margin=0.01,
        efficiency_bonus=0.10,
        invalid_penalty=0.02,
    )


@pytest.mark.parametrize(
    ("changes", "total"),
    [
        ({}, 1.10),
        ({"calls": 6}, 1.00),
        ({"calls": 2}, 1.08),
        ({"calls": 2, "invalid": 1}, 1.06),
        ({"chosen_f1": 0.891}, 1.10),
        ({"chosen_f1": 0.45}, 0.50),
        ({"chosen_f1": 0.0}, 0.0),
        ({"chosen_f1": 0.01, "invalid": 2}, 0.0),
        ({"max_calls": 1}, 1.10),
        ({"ending": "failed"}, 0.0),
        ({"ending": "failed", "oracle": 0.0}, 1.0),
        ({"ending": "failed", "oracle": None, "chosen_f1": None}, 1.0),
        ({"ending": "failed", "oracle": 0.0, "invalid": 2}, 0.96),
        ({"oracle": 0.0, "chosen_f1": 0.0}, 0.0),
        ({"oracle": None, "chosen_f1": None}, 0.0),
        ({"ending": "rule_fallback"}, 0.0),
        ({"ending": "call_limit"}, 0.0),
    ],
)
def test_rewards_follow_the_formula(changes: dict[str, object], total: float) -> None:
    assert reward(**changes).total == pytest.approx(total)  # type: ignore[arg-type]


@given(ORACLES, F1S, F1S, CALLS, CALLS)
def test_any_right_choice_beats_any_wrong_one(oracle: float, one: float, other: float, calls: int, other_calls: int) -> None:
    one, other = min(one, oracle), min(other, oracle)
    right, wrong = (one, other) if one > other else (other, one)
    if right >= oracle - 0.01 > wrong:
        assert value(reward(chosen_f1=right, oracle=oracle, calls=calls)) > value(reward(chosen_f1=wrong, oracle=oracle, calls=other_calls))


@given(ORACLES, F1S, st.integers(1, 8), st.integers(0, 3))
def test_another_call_never_pays(oracle: float, f1: float, max_calls: int, invalid: int) -> None:
    totals = [
        value(reward(chosen_f1=min(f1, oracle), oracle=oracle, calls=calls, max_calls=max_calls, invalid=invalid))
        for calls in range(max_calls + 1)
    ]
    assert totals == sorted(totals, reverse=True)


@given(
    st.sampled_from(["finished", "failed", "rule_fallback", "call_limit"]),
    st.none() | F1S,
    st.none() | F1S,
    CALLS,
    st.integers(0, 3),
)
def test_rewards_are_bounded_and_the_terms_add_up(ending: str, f1: float | None, oracle: float | None, calls: int, invalid: int) -> None:
    f1 = None if f1 is None or oracle is None else min(f1, oracle)
    result = reward(ending=ending, chosen_f1=f1, oracle=oracle, calls=calls, invalid=invalid)
    assert 0 <= value(result) <= 1.1 + 1e-9
    assert value(result) == pytest.approx(max(0.0, sum(result.terms.values())))


def value(result: RewardBreakdown) -> float:
    assert result.total is not None
    return result.total
