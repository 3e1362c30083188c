"""What plays: anything that turns the conversation so far into the next text."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from env.records import Message, Task


class StopReason(StrEnum):
    """Why a model stopped writing."""

    STOP = "stop"
    LENGTH = "length"
    """Cut at the reply limit; the text goes to the environment as it is and is usually invalid there."""
    FILTER = "filter"


@dataclass(frozen=True, slots=True)
class Reply:
    """One model turn."""

    text: str
    stop: StopReason = StopReason.STOP
    prompt_tokens: int = 0
    output_tokens: int = 0
    """Tokens billed as output, thinking included."""
    seconds: float = 0.0
    """Wall clock of the call, waiting for rate limits excluded; 0 for scripted policies, so that their runs are byte-identical."""
    cost_usd: float = 0.0
    token_ids: tuple[int, ...] | None = None
    """Sampled ids, where the policy knows them; what RL trains on."""
    logprobs: tuple[float, ...] | None = None
    """One per sampled id."""


class Policy(Protocol):
    """A player. Safe to call for many episodes at once."""

    @property
    def name(self) -> str:
        """Shown in reports, e.g. `heuristic` or `openai:gpt-x`."""
        ...

    async def reply(self, messages: Sequence[Message], *, task: Task, seed: int) -> Reply:
        """Write the next assistant message.

        Args:
            messages: the conversation so far; the last one has the user role.
            task: what is played; honest policies read the messages only, reference policies such as `oracle` look it up.
            seed: seed of this episode; the same conversation and seed give the same reply where the policy can promise it.

        Raises:
            ProviderError: the model server failed after its retries.
        """
        ...

    async def close(self) -> None:
        """Release connections."""
        ...
