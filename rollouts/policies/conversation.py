"""What a scripted policy can know: the same messages that a model reads, taken apart."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from env.records import Message

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Conversation:
    """The task and the observations so far."""

    card: Json
    """The file's card as shown in the task prompt."""
    tools: dict[str, str]
    """Usable tools in their listed order, with descriptions."""
    observations: dict[str, Json] = field(default_factory=dict)
    """Latest observation of each called tool, in the order of the calls."""

    @property
    def format(self) -> str:
        """True format of the file."""
        return str(self.card["format"])

    @property
    def successes(self) -> dict[str, Json]:
        """Observations of the tools that gave text."""
        return {tool: seen for tool, seen in self.observations.items() if seen["ok"]}

    def untried(self, names: Sequence[str] | None = None) -> list[str]:
        """Usable tools that have not been called, in the order of `names` (default: as listed)."""
        return [name for name in (self.tools if names is None else names) if name in self.tools and name not in self.observations]


def read_conversation(messages: Sequence[Message]) -> Conversation:
    """Take the messages of a parsing episode apart; answers to invalid actions are skipped (scripted policies make none)."""
    task = json.loads(messages[1].content.split("\n", 1)[1])
    observations = (json.loads(message.content) for message in messages[2:] if message.role == "user" and message.content.startswith("{"))
    return Conversation(card=task["card"], tools=task["tools"], observations={seen["tool"]: seen for seen in observations})


def call_tool(tool: str, thought: str) -> str:
    """Text of the action that calls a tool."""
    return json.dumps({"thought": thought, "action": "call_tool", "tool": tool}, ensure_ascii=False)


def finish(tool: str, thought: str) -> str:
    """Text of the action that delivers a tool's output."""
    return json.dumps({"thought": thought, "action": "finish", "choice": tool}, ensure_ascii=False)


def fail(reason: str, thought: str) -> str:
    """Text of the action that gives up."""
    return json.dumps({"thought": thought, "action": "fail", "reason": reason}, ensure_ascii=False)
