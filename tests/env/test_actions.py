import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from env.actions import Action, InvalidAction, InvalidReason, parse_action

ARGUMENTS = {"call_tool": "tool", "finish": "choice", "fail": "reason"}


def parse(text: str) -> Action | InvalidAction:
    return parse_action(text, ARGUMENTS)


def test_a_legal_action_keeps_its_name_argument_and_thought() -> None:
    text = '{"thought": "look", "action": "call_tool", "tool": "pandoc", "extra": 1}'
    assert parse(text) == Action("call_tool", "pandoc", "look")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", InvalidReason.NOT_JSON),
        ("\ud800", InvalidReason.NOT_JSON),
        ('{"thought": "\\ud800", "action": "fail", "reason": "r"}', InvalidReason.NOT_JSON),
        ("I think pandoc", InvalidReason.NOT_JSON),
        ('```json\n{"thought": "t", "action": "fail", "reason": "r"}\n```', InvalidReason.NOT_JSON),
        ('{"thought": "t", "action": "fail", "reason": "r"} and more', InvalidReason.NOT_JSON),
        ("[" * 100_000, InvalidReason.NOT_JSON),
        ("9" * 10_000, InvalidReason.NOT_JSON),
        ("[]", InvalidReason.NOT_AN_OBJECT),
        ("null", InvalidReason.NOT_AN_OBJECT),
        ('{"action": "fail", "reason": "r"}', InvalidReason.MISSING_THOUGHT),
        ('{"thought": "  ", "action": "fail", "reason": "r"}', InvalidReason.MISSING_THOUGHT),
        ('{"thought": 3, "action": "fail", "reason": "r"}', InvalidReason.MISSING_THOUGHT),
        ('{"thought": "t"}', InvalidReason.UNKNOWN_ACTION),
        ('{"thought": "t", "action": "run", "tool": "x"}', InvalidReason.UNKNOWN_ACTION),
        ('{"thought": "t", "action": ["fail"], "reason": "r"}', InvalidReason.UNKNOWN_ACTION),
        ('{"thought": "t", "action": "call_tool", "choice": "x"}', InvalidReason.BAD_ARGUMENT),
        ('{"thought": "t", "action": "call_tool", "tool": ""}', InvalidReason.BAD_ARGUMENT),
        ('{"thought": "t", "action": "call_tool", "tool": {"name": "x"}}', InvalidReason.BAD_ARGUMENT),
    ],
)
def test_each_mistake_has_its_reason(text: str, reason: InvalidReason) -> None:
    answer = parse(text)
    assert isinstance(answer, InvalidAction)
    assert answer.reason is reason
    assert len(answer.detail) < 200


def test_a_thought_is_optional_when_the_ablation_removes_it() -> None:
    text = '{"action": "finish", "choice": "pandoc"}'
    assert parse_action(text, ARGUMENTS, thought_required=False) == Action("finish", "pandoc", "")


surrogates_too = st.text(st.characters(exclude_categories=()))
json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | surrogates_too, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)


@given(
    surrogates_too
    | json_values.map(json.dumps)
    | st.dictionaries(st.sampled_from(["thought", "action", "tool", "choice"]), json_values).map(json.dumps)
)
def test_any_text_gives_an_action_or_a_reason(text: str) -> None:
    answer = parse(text)
    if isinstance(answer, Action):
        assert answer.name in ARGUMENTS
        assert answer.argument
        assert answer.thought.strip()


@given(
    thought=surrogates_too.filter(lambda text: bool(text.strip())),
    name=st.sampled_from(sorted(ARGUMENTS)),
    argument=surrogates_too.filter(bool),
)
def test_what_is_written_as_json_is_read_back(thought: str, name: str, argument: str) -> None:
    assert parse(json.dumps({"thought": thought, "action": name, ARGUMENTS[name]: argument})) == Action(name, argument, thought)
