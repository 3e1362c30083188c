"""Settings of the hosted-model policies; apart from the policies, whose client libraries take more than a second to import."""

from typing import Literal

from pydantic import Field

from env.records import Record

_URL_OR_EMPTY = r"^(https?://.+)?$"


class ProviderConfig(Record):
    """What every hosted model needs."""

    model: str
    temperature: float = Field(ge=0)
    max_output_tokens: int = Field(ge=1)
    """Longest reply, thinking included where the provider counts it so."""
    json_mode: bool
    """Ask the server for JSON output; off, the model writes plain text and learns the format from the prompt."""
    requests_per_minute: int = Field(ge=0)
    """Own limit, 0 for none; the server's 429 answers are retried besides."""
    max_attempts: int = Field(ge=1)
    """Tries of one call: no connection, no answer in time, an unreadable answer, 408, 409, 429 and 5xx are tried again."""
    timeout_s: float = Field(gt=0)
    """Of one try, from the first byte sent to the last one read."""
    usd_per_million_input: float = Field(ge=0)
    """Prices change, so none is shipped; 0 means not accounted."""
    usd_per_million_cached_input: float = Field(ge=0)
    """Of prompt tokens that the provider had in its cache; 0: the same as other input."""
    usd_per_million_output: float = Field(ge=0)
    """Thinking tokens are billed as output."""

    def cost_usd(self, prompt_tokens: int, cached_tokens: int, output_tokens: int) -> float:
        """Price of one call in US dollars; `cached_tokens` are among `prompt_tokens`."""
        cached_price = self.usd_per_million_cached_input or self.usd_per_million_input
        input_usd = (prompt_tokens - cached_tokens) * self.usd_per_million_input + cached_tokens * cached_price
        return (input_usd + output_tokens * self.usd_per_million_output) / 1e6


class OpenAIPolicyConfig(ProviderConfig):
    """`configs/policy/openai.toml`. The key comes from OPENAI_API_KEY."""

    name: Literal["openai"]
    base_url: str = Field(pattern=_URL_OR_EMPTY)
    """Any OpenAI-compatible server (vLLM, llama.cpp…); empty: OPENAI_BASE_URL, else api.openai.com."""


class GeminiPolicyConfig(ProviderConfig):
    """`configs/policy/gemini.toml`. The key comes from GEMINI_API_KEY or GOOGLE_API_KEY."""

    name: Literal["gemini"]
    base_url: str = Field(pattern=_URL_OR_EMPTY)
    """Another endpoint; empty: Google's."""
    thinking_budget: int = Field(ge=-1)
    """Thinking tokens allowed; 0 switches thinking off, -1 leaves it to the model."""
