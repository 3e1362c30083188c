"""Text of the model → action. Total: every string gives an `Action` or an `InvalidAction`, nothing raises.

The model writes one JSON object in plain text, no native function calling, so that teacher and student share every byte
(specification, parsing §6). Keys beyond those an action needs are ignored, not punished.
"""

from enum import StrEnum
from typing import Any, NamedTuple

from pydantic_core import from_json


class InvalidReason(StrEnum):
    """Why a text was not a legal action; counted by kind in the trajectory."""

    NOT_JSON = "not_json"
    NOT_AN_OBJECT = "not_an_object"
    MISSING_THOUGHT = "missing_thought"
    UNKNOWN_ACTION = "unknown_action"
    BAD_ARGUMENT = "bad_argument"
    UNKNOWN_TOOL = "unknown_tool"
    REPEATED_TOOL = "repeated_tool"
    CHOICE_NOT_SUCCESSFUL = "choice_not_successful"


class Action(NamedTuple):
    """One legal-looking action; whether its argument fits the episode is the environment's business."""

    name: str
    argument: str
    thought: str


class InvalidAction(NamedTuple):
    """A text that is no action, with the sentence that tells the model why."""

    reason: InvalidReason
    detail: str


def parse_action(text: str, arguments: dict[str, str], *, thought_required: bool = True) -> Action | InvalidAction:
    """Read one action.

    Args:
        text: what the model wrote, any string.
        arguments: legal action names, each with the key of its one string argument, e.g. `{"call_tool": "tool"}`.
        thought_required: refuse actions without a non-empty `thought` (the `no_thought` ablation sets it to False).
    """
    try:
        data: Any = from_json(text)  # four times as fast as json.loads
    except (ValueError, TypeError) as error:  # TypeError: lone surrogates, which no file could hold
        return InvalidAction(InvalidReason.NOT_JSON, f"the reply is not one JSON object ({str(error)[:80]})")
    if not isinstance(data, dict):
        return InvalidAction(InvalidReason.NOT_AN_OBJECT, "the reply is JSON but not an object")
    thought = data.get("thought", "")
    if thought_required and not (isinstance(thought, str) and thought.strip()):
        return InvalidAction(InvalidReason.MISSING_THOUGHT, '"thought" is missing or empty')
    name = data.get("action")
    if not (isinstance(name, str) and name in arguments):
        return InvalidAction(InvalidReason.UNKNOWN_ACTION, f'"action" must be one of {", ".join(arguments)}')
    key = arguments[name]
    argument = data.get(key)
    if not (isinstance(argument, str) and argument):
        return InvalidAction(InvalidReason.BAD_ARGUMENT, f'"{name}" needs "{key}", a non-empty string')
    return Action(name, argument, thought if isinstance(thought, str) else "")
