"""One patient way to call a model server: own rate limit, time limit of each try, retries that wait as long as the server asks.

The client libraries' own retries are switched off: google-genai's ignores how long the server asks to wait and gives up on dropped
connections, and neither library leaves the pauses out of the measured time (`docs/decisions/0005-provider-retries.md`).
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, TypeVar

import tenacity
from aiolimiter import AsyncLimiter

from env.errors import ProviderError
from rollouts.policies.provider_config import ProviderConfig

logger = logging.getLogger(__name__)
T = TypeVar("T")

PASSING_STATUSES = frozenset({408, 409, 429, *range(500, 600)})
"""HTTP statuses of faults that a later try may not meet: time-outs, conflicts, overload, server errors."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 60.0
_LONGEST_ASKED_PAUSE_S = 120.0
"""A server that asks for more will not answer soon, e.g. a quota of the day is used up."""


class PassingFaultError(ProviderError):
    """A try failed in a way that may pass."""

    def __init__(self, message: str, asked_pause_s: float | None = None) -> None:
        super().__init__(message)
        self.asked_pause_s = asked_pause_s
        """How long the server asks to wait, where it says so."""


class ProviderCaller:
    """Makes the calls of one policy, for all its episodes."""

    def __init__(self, config: ProviderConfig) -> None:
        self._model = config.model
        self._limit = _request_limit(config.requests_per_minute)
        self._timeout_s = config.timeout_s
        self._max_attempts = config.max_attempts
        if not (config.usd_per_million_input or config.usd_per_million_output):
            logger.warning("no prices are set for %s: its calls count as $0 (policy.usd_per_million_input, …_output)", config.model)

    async def call(self, attempt: Callable[[], Awaitable[T]]) -> tuple[T, float]:
        """Try until an attempt gives a result.

        Args:
            attempt: one request; raises `PassingFaultError` where a retry may help, another `ProviderError` where not.

        Returns:
            The result, and the seconds of the try that gave it: neither failed tries nor any waiting are in them.

        Raises:
            ProviderError: refused, or failed in every try.
        """
        retrying = tenacity.AsyncRetrying(
            stop=tenacity.stop_after_attempt(self._max_attempts),
            retry=tenacity.retry_if_exception(_is_worth_retrying),
            wait=_pause_s,
            before_sleep=self._log_fault,
            reraise=True,
        )
        return await retrying(self._try_once, attempt)

    async def _try_once(self, attempt: Callable[[], Awaitable[T]]) -> tuple[T, float]:
        async with self._limit:
            started = time.perf_counter()
            try:
                async with asyncio.timeout(self._timeout_s):
                    result = await attempt()
            except TimeoutError as error:
                raise PassingFaultError(f"no answer within {self._timeout_s:g} s") from error
            return result, time.perf_counter() - started

    def _log_fault(self, state: tenacity.RetryCallState) -> None:
        fault = state.outcome.exception() if state.outcome else None
        logger.warning(
            "%s, try %d of %d: %s; next in %.1f s", self._model, state.attempt_number, self._max_attempts, fault, state.upcoming_sleep
        )


def _request_limit(requests_per_minute: int) -> AbstractAsyncContextManager[Any]:
    """Spaces requests evenly, so that the first minute brings no burst; retries wait for it, too."""
    return AsyncLimiter(1, 60 / requests_per_minute) if requests_per_minute else nullcontext()


def _is_worth_retrying(error: BaseException) -> bool:
    return isinstance(error, PassingFaultError) and (error.asked_pause_s or 0.0) <= _LONGEST_ASKED_PAUSE_S


def _pause_s(state: tenacity.RetryCallState) -> float:
    """What the server asks for, else doubling pauses; both with jitter, so that episodes which failed together do not return together."""
    fault = state.outcome.exception() if state.outcome else None
    asked = fault.asked_pause_s if isinstance(fault, PassingFaultError) else None
    if asked is None:
        return tenacity.wait_exponential_jitter(_FIRST_PAUSE_S, _LONGEST_PAUSE_S, jitter=_FIRST_PAUSE_S)(state)
    return asked + tenacity.wait_random(0, _FIRST_PAUSE_S)(state)
