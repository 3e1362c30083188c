"""Plays with any OpenAI-compatible chat server: api.openai.com, vLLM, llama.cpp and others."""

import os
import time
from collections.abc import Sequence
from typing import Any

import openai

from env.errors import ConfigError, ContextTooLongError, ProviderError
from env.records import Message, Task
from rollouts.policies.provider_config import OpenAIPolicyConfig
from rollouts.policies.request_limit import request_limit
from rollouts.policy import Reply, StopReason

_STOP_REASONS = {"stop": StopReason.STOP, "length": StopReason.LENGTH, "content_filter": StopReason.FILTER}
_TOO_LONG = ("context_length_exceeded", "maximum context length", "context size", "exceed_context_size")
"""How OpenAI, vLLM and llama.cpp say that the conversation is too long; all answer 400."""


class OpenAIPolicy:
    """One conversation turn is one chat completion. Retries with backoff and `Retry-After` are the client library's."""

    def __init__(self, config: OpenAIPolicyConfig) -> None:
        """Make the client.

        Raises:
            ConfigError: OPENAI_API_KEY is not set.
        """
        key = os.environ.get("OPENAI_API_KEY")
        if not key:
            raise ConfigError("policy openai needs the environment variable OPENAI_API_KEY (any word for a server that asks for none)")
        self.name = f"openai:{config.model}"
        self._config = config
        self._limit = request_limit(config.requests_per_minute)
        self._client = openai.AsyncOpenAI(
            api_key=key, base_url=config.base_url or None, timeout=config.timeout_s, max_retries=config.max_attempts - 1
        )

    async def reply(self, messages: Sequence[Message], *, task: Task, seed: int) -> Reply:
        """Ask the server for the next message.

        Raises:
            ContextTooLongError: the conversation does not fit.
            ProviderError: refused, or failed after all tries.
        """
        del task
        config = self._config
        extra: dict[str, Any] = {"response_format": {"type": "json_object"}} if config.json_mode else {}
        async with self._limit:
            started = time.perf_counter()
            try:
                completion = await self._client.chat.completions.create(
                    model=config.model,
                    messages=[{"role": message.role, "content": message.content} for message in messages],  # type: ignore[misc] # one dict type for each role
                    temperature=config.temperature,
                    max_completion_tokens=config.max_output_tokens,
                    seed=seed,
                    **extra,
                )
            except openai.BadRequestError as error:
                raise _refusal(error) from error
            except (openai.AuthenticationError, openai.PermissionDeniedError) as error:
                raise ProviderError(f"the server refuses the key in OPENAI_API_KEY: {error.message}") from error
            except openai.OpenAIError as error:
                raise ProviderError(f"{type(error).__name__} after {config.max_attempts} tries: {error}") from error
            except ValueError as error:
                raise ProviderError(f"the server's answer cannot be read: {error}") from error
            seconds = time.perf_counter() - started
        return _to_reply(completion, config, seconds)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def _refusal(error: openai.BadRequestError) -> ProviderError:
    text = f"{error.code} {error.message}"
    if any(sign in text for sign in _TOO_LONG):
        return ContextTooLongError(error.message)
    return ProviderError(f"the server refuses the request: {error.message}")


def _to_reply(completion: Any, config: OpenAIPolicyConfig, seconds: float) -> Reply:
    """Servers differ in what they leave out; without a choice there is no reply."""
    choices = getattr(completion, "choices", None)
    if not choices:
        raise ProviderError("the server answered without a choice")
    usage = completion.usage
    prompt_tokens = usage.prompt_tokens if usage else 0
    output_tokens = usage.completion_tokens if usage else 0
    return Reply(
        text=choices[0].message.content or "",
        stop=_STOP_REASONS.get(choices[0].finish_reason, StopReason.STOP),
        prompt_tokens=prompt_tokens,
        output_tokens=output_tokens,
        seconds=seconds,
        cost_usd=config.cost_usd(prompt_tokens, output_tokens),
    )
