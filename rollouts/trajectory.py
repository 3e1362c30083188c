"""The one record of an episode: written once by the runner, read by reports, SFT and RL."""

from typing import Any, Literal

from pydantic import Field

from env.actions import InvalidReason
from env.episode import Ending
from env.records import Message, Record
from rollouts.policy import StopReason

VERSION: Literal[1] = 1
"""Version of the record; readers refuse others."""


class Turn(Record):
    """Bookkeeping of one model turn; its text is the assistant message at `message`."""

    message: int
    """Index into `Trajectory.messages`; the prompt of this turn is `messages[:message]`."""
    invalid: InvalidReason | None = None
    stop: StopReason = StopReason.STOP
    prompt_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    cost_usd: float = 0.0
    token_ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None


class Trajectory(Record):
    """One episode."""

    version: Literal[1] = VERSION
    task: str
    """Task id; with `sample` the resume key."""
    sample: int
    """Index of this episode among those of the same task."""
    game: str
    category: str
    format: str
    doc: str
    split: str
    policy: str
    seed: int
    snapshot: str
    """Digest of the snapshot that was played on; empty for live tools."""
    messages: tuple[Message, ...]
    turns: tuple[Turn, ...]
    ending: Ending
    detail: str = ""
    """Why it ended so: the model's reason, the intercepting rule, the provider's error."""
    reward: float | None = None
    """None: not scored. Never 0 for an episode that was not played."""
    reward_terms: dict[str, float] = Field(default_factory=dict)
    metrics: dict[str, float] = Field(default_factory=dict)
    """Numbers to average (`f1`, `oracle`, `right`, `calls`, `tool_seconds`…). Never shown to a model."""
    outcome: dict[str, Any] = Field(default_factory=dict)
    """What the game delivers, e.g. `{"choice": "pandoc", "tools": ["pymupdf", "pandoc"]}`; never shown to a model."""

    @property
    def key(self) -> tuple[str, int]:
        """Resume key within a run."""
        return self.task, self.sample

    @property
    def seconds(self) -> float:
        """Model time plus recorded tool time, in seconds."""
        return sum(turn.seconds for turn in self.turns) + self.metrics.get("tool_seconds", 0.0)
