import asyncio
import logging
import time
from collections.abc import Callable

import pytest

from configs.load import load_config
from env.errors import ProviderError
from rollouts.policies.provider_call import PassingFaultError, ProviderCaller
from rollouts.policies.provider_config import OpenAIPolicyConfig


def caller(*overrides: str) -> ProviderCaller:
    return ProviderCaller(load_config(OpenAIPolicyConfig, ["max_attempts=3", *overrides], default="policy/openai.toml"))


class Attempt:
    """Raises the faults one after the other, then gives "text"."""

    def __init__(self, *faults: Exception, seconds: float = 0.0) -> None:
        self.faults = list(faults)
        self.seconds = seconds
        self.started_at: list[float] = []

    async def __call__(self) -> str:
        self.started_at.append(time.perf_counter())
        await asyncio.sleep(self.seconds)
        if self.faults:
            raise self.faults.pop(0)
        return "text"


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollouts.policies.provider_call._FIRST_PAUSE_S", 0.05)


async def test_pauses_double_and_neither_they_nor_failed_tries_are_in_the_time() -> None:
    attempt = Attempt(PassingFaultError("a"), PassingFaultError("b"), seconds=0.02)
    text, seconds = await caller().call(attempt)
    first, second, third = attempt.started_at
    assert text == "text"
    assert second - first >= 0.05
    assert third - second >= 0.1
    assert 0.02 <= seconds < third - first


async def test_every_retry_is_logged_with_its_reason(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="rollouts.policies.provider_call"):
        await caller("usd_per_million_input=1.0").call(Attempt(PassingFaultError("too many requests")))
    assert [record.name for record in caplog.records] == ["rollouts.policies.provider_call"]
    assert "gpt-4.1-mini, try 1 of 3: too many requests; next in" in caplog.text


async def test_a_refusal_is_not_tried_again() -> None:
    attempt = Attempt(ProviderError("no such model"))
    with pytest.raises(ProviderError, match="no such model"):
        await caller().call(attempt)
    assert len(attempt.started_at) == 1


@pytest.mark.parametrize("make", [lambda: Attempt(seconds=30.0), lambda: Attempt(PassingFaultError("busy", asked_pause_s=30.0))])
async def test_a_cancellation_ends_a_call_and_a_pause_at_once(make: Callable[[], Attempt]) -> None:
    attempt = make()
    call = asyncio.create_task(caller().call(attempt))
    await asyncio.sleep(0.05)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(call, 1.0)
    assert len(attempt.started_at) == 1


async def test_the_time_limit_of_an_episode_is_not_taken_for_that_of_a_try() -> None:
    attempt = Attempt(seconds=30.0)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await caller().call(attempt)
    assert len(attempt.started_at) == 1


async def test_retries_keep_the_own_rate_limit_too() -> None:
    attempt = Attempt(PassingFaultError("a"), PassingFaultError("b"))
    await caller("requests_per_minute=200").call(attempt)
    first, *_, last = attempt.started_at
    assert last - first >= 0.6 - 0.05  # two spaces of 0.3 s, less the granularity of timers


@pytest.mark.parametrize(("price", "warned"), [("0.0", True), ("1.5", False)])
def test_a_missing_price_is_said_once(caplog: pytest.LogCaptureFixture, price: str, warned: bool) -> None:
    caller(f"usd_per_million_output={price}")
    assert [("no prices are set for gpt-4.1-mini" in record.getMessage()) for record in caplog.records] == [True] * warned
