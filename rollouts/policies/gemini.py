"""Plays with Gemini through the `google-genai` client."""

import os
import time
from collections.abc import Sequence

from google import genai
from google.genai import errors, types

from env.errors import ConfigError, ContextTooLongError, ProviderError
from env.records import Message, Task
from rollouts.policies.provider_config import GeminiPolicyConfig
from rollouts.policies.request_limit import request_limit
from rollouts.policy import Reply, StopReason

_KEYS = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
_RETRIED = [408, 409, 429, 500, 502, 503, 504]
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 60.0
_STOPPED = {types.FinishReason.STOP: StopReason.STOP, types.FinishReason.MAX_TOKENS: StopReason.LENGTH}
"""Every other reason is a filter of some kind."""


class GeminiPolicy:
    """One conversation turn is one `generate_content`. Retries with backoff are the client library's."""

    def __init__(self, config: GeminiPolicyConfig) -> None:
        """Make the client.

        Raises:
            ConfigError: neither GEMINI_API_KEY nor GOOGLE_API_KEY is set.
        """
        key = next((os.environ[name] for name in _KEYS if os.environ.get(name)), None)
        if key is None:
            raise ConfigError(f"policy gemini needs the environment variable {' or '.join(_KEYS)}")
        self.name = f"gemini:{config.model}"
        self._config = config
        self._limit = request_limit(config.requests_per_minute)
        retry = types.HttpRetryOptions(
            attempts=config.max_attempts, initial_delay=_FIRST_PAUSE_S, max_delay=_LONGEST_PAUSE_S, http_status_codes=_RETRIED
        )
        self._client = genai.Client(
            api_key=key,
            http_options=types.HttpOptions(base_url=config.base_url or None, timeout=int(config.timeout_s * 1000), retry_options=retry),
        )

    async def reply(self, messages: Sequence[Message], *, task: Task, seed: int) -> Reply:
        """Ask Gemini for the next message.

        Raises:
            ContextTooLongError: the conversation does not fit.
            ProviderError: refused, or failed after all tries.
        """
        del task
        async with self._limit:
            started = time.perf_counter()
            try:
                response = await self._client.aio.models.generate_content(
                    model=self._config.model, contents=_to_contents(messages), config=self._generation(messages, seed)
                )
            except errors.APIError as error:
                raise _to_error(error, self._config.max_attempts) from error
            except Exception as error:  # the client lets errors of whichever HTTP library it found pass through
                raise ProviderError(f"{type(error).__name__}: {error}") from error
            seconds = time.perf_counter() - started
        return self._to_reply(response, seconds)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aio.aclose()

    def _generation(self, messages: Sequence[Message], seed: int) -> types.GenerateContentConfig:
        config = self._config
        return types.GenerateContentConfig(
            system_instruction="\n\n".join(message.content for message in messages if message.role == "system") or None,
            temperature=config.temperature,
            max_output_tokens=config.max_output_tokens,
            seed=seed & 0x7FFFFFFF,  # the API takes 32 bits with sign
            response_mime_type="application/json" if config.json_mode else None,
            thinking_config=None if config.thinking_budget < 0 else types.ThinkingConfig(thinking_budget=config.thinking_budget),
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        )

    def _to_reply(self, response: types.GenerateContentResponse, seconds: float) -> Reply:
        """Thinking tokens count as output. A blocked prompt has no candidate: an empty reply, stopped by the filter."""
        usage = response.usage_metadata
        prompt_tokens = (usage.prompt_token_count or 0) if usage else 0
        output_tokens = ((usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)) if usage else 0
        candidate = response.candidates[0] if response.candidates else None
        parts = (candidate.content.parts or []) if candidate and candidate.content else []
        reason = candidate.finish_reason if candidate else None
        return Reply(
            text="".join(part.text for part in parts if part.text and not part.thought),
            stop=_STOPPED.get(reason, StopReason.FILTER) if reason else StopReason.FILTER,
            prompt_tokens=prompt_tokens,
            output_tokens=output_tokens,
            seconds=seconds,
            cost_usd=self._config.cost_usd(prompt_tokens, output_tokens),
        )


def _to_contents(messages: Sequence[Message]) -> list[types.ContentUnion]:
    """Gemini calls the assistant `model`; system text travels apart."""
    roles = {"user": "user", "assistant": "model"}
    return [
        types.Content(role=roles[message.role], parts=[types.Part(text=message.content)]) for message in messages if message.role in roles
    ]


def _to_error(error: errors.APIError, attempts: int) -> ProviderError:
    message = error.message or str(error)
    if error.code in {401, 403}:
        return ProviderError(f"Gemini refuses the key in {' or '.join(_KEYS)}: {message}")
    if error.code == 400 and "token count" in message:
        return ContextTooLongError(message)
    return ProviderError(f"Gemini answers {error.code} after up to {attempts} tries: {message}")
