"""Reward of one parsing episode: F1 of the choice against the oracle, a little for few calls (specification, parsing §8).

`q = 1 if right else F1 / oracle`, `R = q · (1 + bonus · e · right)` with `e = 1 − (calls − par) / (max_calls − par)` clipped to 0..1,
minus a penalty for each invalid action, at least 0. Without invalid actions any right choice is worth more than any wrong one, more calls
are never worth more, and 0 ≤ R ≤ 1 + bonus.
"""

from rewards.breakdown import RewardBreakdown
from rewards.oracle import is_right

_PAR = 1
"""Calls that a right choice of one tool needs (`rewards.oracle.fewest_calls`)."""


def parsing_reward(  # noqa: PLR0913 - every number of the formula is named by its caller
    *,
    ending: str,
    chosen_f1: float | None,
    oracle: float | None,
    calls: int,
    max_calls: int,
    invalid: int,
    right_margin: float,
    efficiency_bonus: float,
    invalid_penalty: float,
) -> RewardBreakdown:
    """Score a played episode.

    Args:
        ending: `finished`, `failed`, `rule_fallback` or `call_limit`; the last two are worth 0 whatever was delivered.
        chosen_f1: token F1 of the delivered text, 0..1; None when nothing was delivered or there is nothing to compare with.
        oracle: best F1 of all usable tools; None or 0 when no tool can read the file.
        calls: tool calls made.
        max_calls: tool calls allowed.
        invalid: invalid actions made.
        right_margin: how far below the oracle a right choice may be.
        efficiency_bonus: extra share of the reward for a right choice with the fewest calls.
        invalid_penalty: subtracted for each invalid action.
    """
    if ending == "failed":
        quality, efficiency = float(not oracle), 0.0
    elif ending == "finished" and oracle and chosen_f1 is not None:
        right = is_right(chosen_f1, oracle, right_margin)
        quality = 1.0 if right else chosen_f1 / oracle
        saved = 1.0 - (calls - _PAR) / (max_calls - _PAR) if max_calls > _PAR else 1.0
        efficiency = efficiency_bonus * min(1.0, max(0.0, saved)) if right else 0.0
    else:
        quality, efficiency = 0.0, 0.0
    penalty = invalid_penalty * invalid
    total = max(0.0, quality * (1.0 + efficiency) - penalty)
    return RewardBreakdown(total, {"quality": quality, "efficiency": quality * efficiency, "invalid_penalty": -penalty})
