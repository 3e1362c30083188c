"""Plays with Gemini through the `google-genai` client."""

import os
import re
from collections.abc import Sequence

import httpx2
from google import genai
from google.genai import errors, types

from env.errors import ConfigError, ContextTooLongError, ProviderError
from env.records import Message, Task
from rollouts.policies.provider_call import PASSING_STATUSES, PassingFaultError, ProviderCaller
from rollouts.policies.provider_config import GeminiPolicyConfig
from rollouts.policy import Reply, StopReason

_KEYS = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
_STOPPED = {types.FinishReason.STOP: StopReason.STOP, types.FinishReason.MAX_TOKENS: StopReason.LENGTH}
"""Every other reason is a filter of some kind."""
_RETRY_DELAY = re.compile(r"'retryDelay': '(\d+(?:\.\d+)?)s'")
"""Of google.rpc.RetryInfo among the error's details, in the text of the error."""


class GeminiPolicy:
    """One turn is one `generate_content`."""

    def __init__(self, config: GeminiPolicyConfig) -> None:
        """Make the client.

        Raises:
            ConfigError: neither GEMINI_API_KEY nor GOOGLE_API_KEY is set.
        """
        key = next((os.environ[name] for name in _KEYS if os.environ.get(name, "").strip()), None)
        if key is None:
            raise ConfigError(f"policy gemini needs the environment variable {' or '.join(_KEYS)}")
        self.name = f"gemini:{config.model}"
        self._config = config
        self._caller = ProviderCaller(config)  # limits the time and retries
        # Our own, since google-genai else takes whichever HTTP library is installed, each with its own errors.
        self._http = httpx2.AsyncClient(timeout=None)
        options = types.HttpOptions(base_url=config.base_url or None, httpx_async_client=self._http)
        self._client = genai.Client(api_key=key, enterprise=False, http_options=options)

    async def reply(self, messages: Sequence[Message], *, task: Task, seed: int) -> Reply:
        """Ask Gemini for the next message.

        Raises:
            ContextTooLongError: the conversation does not fit.
            ProviderError: refused, or failed in every try.
        """
        del task
        response, seconds = await self._caller.call(lambda: self._generate(messages, seed))
        return self._to_reply(response, seconds)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()
        self._client.close()

    async def _generate(self, messages: Sequence[Message], seed: int) -> types.GenerateContentResponse:
        try:
            response = await self._client.aio.models.generate_content(
                model=self._config.model, contents=_to_contents(messages), config=self._generation(messages, seed)
            )
        except errors.APIError as error:
            raise _to_error(error) from error
        except httpx2.HTTPError as error:
            raise PassingFaultError(f"no connection to Gemini: {type(error).__name__} {error}") from error
        except (ValueError, TypeError, AttributeError) as error:  # no JSON, or of another shape, which the client does not check
            raise PassingFaultError(f"Gemini's answer cannot be read: {str(error)[:200]}") from error
        if not (response.candidates or response.prompt_feedback):
            raise PassingFaultError("Gemini answers with neither a candidate nor a reason for there being none")
        return response

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
        usage = response.usage_metadata or types.GenerateContentResponseUsageMetadata()
        prompt_tokens = usage.prompt_token_count or 0
        output_tokens = (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)
        candidate = response.candidates[0] if response.candidates else types.Candidate()
        parts = (candidate.content.parts or []) if candidate.content else []
        return Reply(
            text="".join(part.text for part in parts if part.text and not part.thought),
            stop=_STOPPED.get(candidate.finish_reason, StopReason.FILTER) if candidate.finish_reason else StopReason.FILTER,
            prompt_tokens=prompt_tokens,
            output_tokens=output_tokens,
            seconds=seconds,
            cost_usd=self._config.cost_usd(prompt_tokens, usage.cached_content_token_count or 0, output_tokens),
        )


def _to_contents(messages: Sequence[Message]) -> list[types.ContentUnion]:
    """Gemini calls the assistant `model`; system text travels apart."""
    roles = {"user": "user", "assistant": "model"}
    return [
        types.Content(role=roles[message.role], parts=[types.Part(text=message.content)]) for message in messages if message.role in roles
    ]


def _to_error(error: errors.APIError) -> ProviderError:
    message = error.message or str(error)
    if error.code in {401, 403} or "API_KEY_INVALID" in str(error):  # the latter comes with 400
        return ProviderError(f"Gemini refuses the key in {' or '.join(_KEYS)}: {message}")
    if error.code == 400 and "token count" in message:
        return ContextTooLongError(message)
    if error.code in PASSING_STATUSES:
        asked = _RETRY_DELAY.search(str(error))
        return PassingFaultError(f"Gemini answers {error.code}: {message}", float(asked[1]) if asked else None)
    return ProviderError(f"Gemini refuses the request ({error.code}): {message}")
