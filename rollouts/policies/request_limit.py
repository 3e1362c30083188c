"""Keeps calls under a provider's requests per minute."""

from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

from aiolimiter import AsyncLimiter

_SECONDS_PER_REQUEST_UNIT = 60.0


def request_limit(requests_per_minute: int) -> AbstractAsyncContextManager[Any]:
    """A limiter to enter before every call; it spaces calls evenly, so that the first minute brings no burst. 0: no limit."""
    if not requests_per_minute:
        return nullcontext()
    return AsyncLimiter(1, _SECONDS_PER_REQUEST_UNIT / requests_per_minute)
