"""Settings of the hosted-model policies; apart from the policies, whose client libraries take more than a second to import."""

from typing import Literal

from pydantic import Field

from env.records import Record


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
    """Tries of one call: connection faults, 408, 409, 429 and 5xx are retried with growing pauses, as the client library does it."""
    timeout_s: float = Field(gt=0)
    """Of one try."""
    usd_per_million_input: float = Field(ge=0)
    usd_per_million_output: float = Field(ge=0)
    """Thinking tokens are billed as output. Prices change: 0 means not accounted."""

    def cost_usd(self, prompt_tokens: int, output_tokens: int) -> float:
        """Price of one call in US dollars."""
        return (prompt_tokens * self.usd_per_million_input + output_tokens * self.usd_per_million_output) / 1e6


class OpenAIPolicyConfig(ProviderConfig):
    """`configs/policy/openai.toml`. The key comes from OPENAI_API_KEY."""

    name: Literal["openai"]
    base_url: str
    """Any OpenAI-compatible server (vLLM, llama.cpp…); empty: OPENAI_BASE_URL, else api.openai.com."""


class GeminiPolicyConfig(ProviderConfig):
    """`configs/policy/gemini.toml`. The key comes from GEMINI_API_KEY or GOOGLE_API_KEY."""

    name: Literal["gemini"]
    base_url: str
    """Another endpoint; empty: Google's."""
    thinking_budget: int = Field(ge=-1)
    """Thinking tokens allowed; 0 switches thinking off, -1 leaves it to the model."""
