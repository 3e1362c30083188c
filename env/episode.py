"""The protocol every game follows, its budget, and the names of every way an episode can end.

An environment is synchronous and deterministic, knows no model, and is single-use: `reset` once, `step` until `done`. Any text is a legal
argument of `step` and never raises. The reward is computed once, on the last step.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeVar

from env.actions import InvalidReason
from env.records import Message, Task
from rewards.breakdown import NOT_SCORED, RewardBreakdown

TaskT_contra = TypeVar("TaskT_contra", bound=Task, contravariant=True)


class Ending(StrEnum):
    """How an episode ended (specification, parsing §6, and DESIGN "How it ended is a named enum")."""

    FINISHED = "finished"
    """The model chose a result."""
    FAILED = "failed"
    """The model said that the task cannot be done."""
    INTERCEPTED = "intercepted"
    """A rule ended it before the first model call, e.g. a file that is only a digest."""
    RULE_FALLBACK = "rule_fallback"
    """Third invalid action: the rule baseline's choice is delivered."""
    CALL_LIMIT = "call_limit"
    """A tool call beyond the budget: the rule baseline's choice is delivered."""
    TRUNCATED = "truncated"
    """The conversation no longer fits the model's context or reply limit."""
    TIMEOUT = "timeout"
    """The episode ran past its wall-clock limit."""
    CACHE_MISS = "cache_miss"
    """The snapshot lacks an output that was asked for."""
    PROVIDER_ERROR = "provider_error"
    """The model server failed after its retries."""
    CANCELLED = "cancelled"
    """Stopped from outside, e.g. Ctrl-C."""

    @property
    def played(self) -> bool:
        """Whether the policy itself brought about this ending; infrastructure faults are not scored."""
        return self in _PLAYED

    @property
    def worth_replaying(self) -> bool:
        """Whether a resumed run plays the episode again: the fault lay outside the policy and may be gone."""
        return self in _OUTSIDE_FAULTS


_OUTSIDE_FAULTS = frozenset({Ending.TIMEOUT, Ending.CACHE_MISS, Ending.PROVIDER_ERROR, Ending.CANCELLED})
_PLAYED = frozenset({Ending.FINISHED, Ending.FAILED, Ending.RULE_FALLBACK, Ending.CALL_LIMIT})


_NO_METRICS: Mapping[str, float] = MappingProxyType({})


class Step(NamedTuple):
    """Answer of the environment to one text of the model. A tuple, since one is made for every turn of millions."""

    observation: str
    """Content of the next user message; empty when `done`."""
    done: bool = False
    ending: Ending | None = None
    reward: RewardBreakdown = NOT_SCORED
    """Set on the last step only."""
    metrics: Mapping[str, float] = _NO_METRICS
    """Numbers to average over episodes, e.g. `f1`, `right`, `calls`; set on the last step only."""
    invalid: InvalidReason | None = None
    """Why the text was no legal action, else None."""


@dataclass(slots=True)
class Budget:
    """Counts what the model has used up."""

    max_calls: int
    max_invalid: int
    """The action that reaches this count ends the episode (3 in the specification)."""
    calls: int = 0
    invalid: int = 0

    @property
    def calls_left(self) -> int:
        """Tool calls that may still be made."""
        return self.max_calls - self.calls

    def count_call(self) -> None:
        """Record one executed tool call."""
        self.calls += 1

    def count_invalid(self) -> bool:
        """Record one invalid action; true when it was the last one allowed."""
        self.invalid += 1
        return self.invalid >= self.max_invalid


class Environment(Protocol[TaskT_contra]):
    """What `rollouts.run_episode` and the adapters drive."""

    def reset(self, task: TaskT_contra, seed: int = 0) -> tuple[Message, ...]:
        """Start the only episode of this object and return the first messages; `done` may already be true (intercepted)."""
        ...

    def step(self, text: str) -> Step:
        """Play one model turn. Never raises on any text; raises `EpisodeError` before `reset` or after the end."""
        ...

    def abort(self, ending: Ending, detail: str = "") -> Step:
        """End the episode from outside (provider error, timeout, cancelled); such an episode is not scored."""
        ...

    def outcome(self) -> dict[str, Any]:
        """What the trajectory keeps beside the conversation once the episode is over; never shown to a model."""
        ...

    @property
    def detail(self) -> str:
        """Why the episode ended so, in words: the model's reason, the intercepting rule, the fault."""
        ...

    @property
    def last_step(self) -> Step | None:
        """The final step once the episode is over, else None."""
        ...
