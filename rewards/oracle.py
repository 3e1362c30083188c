"""The best that any tool could do on a file, and what counts as right (specification, parsing §8)."""

from collections.abc import Mapping


def oracle_f1(f1_by_tool: Mapping[str, float]) -> float | None:
    """Best token F1 of all usable tools, 0..1; None without usable tools. 0 means that no tool can read the file."""
    return max(f1_by_tool.values(), default=None)


def is_right(f1: float, oracle: float, margin: float) -> bool:
    """Whether a choice is as good as the oracle up to the margin (0.01 in the study): near-equal tools are all right."""
    return f1 >= oracle - margin


def fewest_calls(f1_by_tool: Mapping[str, float], margin: float) -> int:
    """`par`: the fewest tool calls after which a right end can be reached.

    Choosing one tool takes one call, that of any right tool; where no tool can read the file, failing at once takes none. Games in which a
    result is composed of several tools will need more.
    """
    oracle = oracle_f1(f1_by_tool)
    return int(any(is_right(f1, oracle, margin) for f1 in f1_by_tool.values())) if oracle else 0
