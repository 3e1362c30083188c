"""Plays with any OpenAI-compatible chat server: api.openai.com, vLLM, llama.cpp and others."""

import os
from collections.abc import Sequence
from typing import Any

import openai
from pydantic import BaseModel, Field, ValidationError

from env.errors import ConfigError, ContextTooLongError, ProviderError
from env.records import Message, Task
from rollouts.policies.provider_call import PASSING_STATUSES, PassingFaultError, ProviderCaller
from rollouts.policies.provider_config import OpenAIPolicyConfig
from rollouts.policy import Reply, StopReason

_KEY = "OPENAI_API_KEY"
_STOP_REASONS = {"length": StopReason.LENGTH, "content_filter": StopReason.FILTER}
_TOO_LONG = ("context_length", "context length", "context size", "maximum model length")
"""How OpenAI, vLLM, SGLang and llama.cpp say that the conversation is too long; all answer 400."""


class _Details(BaseModel):
    cached_tokens: int | None = None


class _Usage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: _Details | None = None


class _ChatMessage(BaseModel):
    content: str | None = None


class _Choice(BaseModel):
    message: _ChatMessage
    finish_reason: str | None = None


class _Completion(BaseModel):
    """What we need of a chat completion. The client library checks no types, and servers differ in what they leave out."""

    choices: list[_Choice] = Field(min_length=1)
    usage: _Usage | None = None


class OpenAIPolicy:
    """One turn is one chat completion."""

    def __init__(self, config: OpenAIPolicyConfig) -> None:
        """Make the client.

        Raises:
            ConfigError: OPENAI_API_KEY is not set.
        """
        key = os.environ.get(_KEY, "").strip()
        if not key:
            raise ConfigError(f"policy openai needs the environment variable {_KEY} (any word for a server that asks for none)")
        self.name = f"openai:{config.model}"
        self._config = config
        self._caller = ProviderCaller(config)
        # ProviderCaller limits the time and retries.
        self._client = openai.AsyncOpenAI(api_key=key, base_url=config.base_url or None, timeout=None, max_retries=0)

    async def reply(self, messages: Sequence[Message], *, task: Task, seed: int) -> Reply:
        """Ask the server for the next message.

        Raises:
            ContextTooLongError: the conversation does not fit.
            ProviderError: refused, or failed in every try.
        """
        del task
        completion, seconds = await self._caller.call(lambda: self._complete(messages, seed))
        usage = completion.usage or _Usage()
        cached_tokens = (usage.prompt_tokens_details or _Details()).cached_tokens or 0
        choice = completion.choices[0]
        return Reply(
            text=choice.message.content or "",
            stop=_STOP_REASONS.get(choice.finish_reason or "", StopReason.STOP),
            prompt_tokens=usage.prompt_tokens,
            output_tokens=usage.completion_tokens,
            seconds=seconds,
            cost_usd=self._config.cost_usd(usage.prompt_tokens, cached_tokens, usage.completion_tokens),
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _complete(self, messages: Sequence[Message], seed: int) -> _Completion:
        config = self._config
        extra: dict[str, Any] = {"response_format": {"type": "json_object"}} if config.json_mode else {}
        try:
            response = await self._client.chat.completions.with_raw_response.create(
                model=config.model,
                messages=[{"role": message.role, "content": message.content} for message in messages],  # type: ignore[misc] # one dict type for each role
                temperature=config.temperature,
                max_completion_tokens=config.max_output_tokens,
                seed=seed,
                **extra,
            )
        except openai.APIStatusError as error:
            raise _status_error(error) from error
        except openai.APIConnectionError as error:
            raise PassingFaultError(f"no connection to {self._client.base_url}: {error.__cause__ or error}") from error
        try:
            return _Completion.model_validate_json(response.content)
        except ValidationError as error:
            raise PassingFaultError(f"{self._client.base_url} answers with no chat completion: {response.text[:200]!r}") from error


def _status_error(error: openai.APIStatusError) -> ProviderError:
    status, message = error.status_code, error.message
    if status == 400 and any(sign in f"{error.code} {message}".lower() for sign in _TOO_LONG):
        return ContextTooLongError(message)
    if status in {401, 403}:
        return ProviderError(f"the server refuses the key in {_KEY}: {message}")
    if status in PASSING_STATUSES and error.code != "insufficient_quota":  # no money left, which OpenAI says with a 429
        return PassingFaultError(message, _asked_pause_s(error.response.headers.get("Retry-After")))
    return ProviderError(f"the server refuses the request: {message}")


def _asked_pause_s(retry_after: str | None) -> float | None:
    """The header holds seconds from these servers; the other legal form, a date, is left to our own pauses."""
    try:
        return max(0.0, float(retry_after)) if retry_after else None
    except ValueError:
        return None
