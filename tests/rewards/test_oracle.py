import pytest

from rewards.oracle import fewest_calls, is_right, oracle_f1


def test_the_oracle_is_the_best_tool() -> None:
    assert oracle_f1({"pandoc": 0.7, "markitdown": 0.9}) == 0.9


def test_without_usable_tools_there_is_no_oracle() -> None:
    assert oracle_f1({}) is None


@pytest.mark.parametrize(("f1", "right"), [(0.90, True), (0.895, True), (0.89, True), (0.8899, False), (0.0, False)])
def test_a_choice_is_right_within_the_margin_of_the_oracle(f1: float, right: bool) -> None:
    assert is_right(f1, 0.90, 0.01) is right


def test_one_call_reaches_a_right_choice_and_none_is_needed_to_give_up() -> None:
    assert fewest_calls({"pandoc": 0.7, "markitdown": 0.9}, 0.01) == 1
    assert fewest_calls({"pandoc": 0.0}, 0.01) == 0
    assert fewest_calls({}, 0.01) == 0
