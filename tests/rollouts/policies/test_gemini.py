import asyncio
import time
from typing import Any

import pytest

from configs.load import load_config
from env.errors import ConfigError, ContextTooLongError, ProviderError
from env.records import Message, Task
from rollouts.policies.gemini import GeminiPolicy
from rollouts.policies.provider_config import GeminiPolicyConfig
from rollouts.policy import Reply, StopReason

MESSAGES = [
    Message(role="system", content="rules"),
    Message(role="user", content="task"),
    Message(role="assistant", content="{}"),
    Message(role="user", content="observation"),
]
TASK = Task(id="a", game="parsing", category="c", format="pdf", doc="a", split="train")


def response(text: str = "hello", finish: str = "STOP", thoughts: int = 20) -> dict[str, Any]:
    return {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "hm", "thought": True}, {"text": text}]}, "finishReason": finish}],
        "usageMetadata": {"promptTokenCount": 1000, "candidatesTokenCount": 30, "thoughtsTokenCount": thoughts, "totalTokenCount": 1050},
        "modelVersion": "m",
    }


def error(code: int, status: str, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "status": status}}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "test")
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    monkeypatch.setattr("rollouts.policies.gemini._FIRST_PAUSE_S", 0.01)


def ask(server: Any, *overrides: str) -> Reply:
    settings = [f"base_url={server.url}", "model=m", "max_attempts=3", *overrides]
    config = load_config(GeminiPolicyConfig, settings, default="policy/gemini.toml")

    async def once() -> Reply:
        policy = GeminiPolicy(config)
        try:
            return await policy.reply(MESSAGES, task=TASK, seed=2**32 - 1)
        finally:
            await policy.close()

    return asyncio.run(once())


def test_the_conversation_is_put_in_geminis_terms_and_thinking_is_billed_as_output(model_server: Any, answer: Any) -> None:
    model_server.answers = [answer(response())]
    reply = ask(model_server, "usd_per_million_input=1.0", "usd_per_million_output=2.0", "thinking_budget=128")
    assert (reply.text, reply.stop, reply.prompt_tokens, reply.output_tokens) == ("hello", StopReason.STOP, 1000, 50)
    assert reply.cost_usd == pytest.approx(0.0011)
    sent = model_server.requests[0]
    assert [content["role"] for content in sent["contents"]] == ["user", "model", "user"]
    assert sent["systemInstruction"]["parts"][0]["text"] == "rules"
    assert sent["generationConfig"]["temperature"] == 0.0
    assert list(sent["generationConfig"]["thinkingConfig"].values()) == [128]
    assert 0 <= sent["generationConfig"]["seed"] < 2**31


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_fault_is_retried(model_server: Any, answer: Any, status: int) -> None:
    model_server.answers = [answer(error(status, "UNAVAILABLE", "later"), status=status), answer(response())]
    assert ask(model_server).text == "hello"
    assert len(model_server.requests) == 2


def test_a_lasting_fault_is_a_provider_error_after_all_tries(model_server: Any, answer: Any) -> None:
    model_server.answers = [answer(error(503, "UNAVAILABLE", "down"), status=503)]
    with pytest.raises(ProviderError, match="503"):
        ask(model_server)
    assert len(model_server.requests) == 3


@pytest.mark.parametrize("fault", [{"drop": True}, {"delay_s": 1.5}])
def test_a_dropped_or_hanging_connection_is_a_provider_error(model_server: Any, answer: Any, fault: dict[str, Any]) -> None:
    model_server.answers = [answer(response(), **fault)]
    started = time.perf_counter()
    with pytest.raises(ProviderError):
        ask(model_server, "timeout_s=0.3", "max_attempts=1")
    assert time.perf_counter() - started < 1.4


def test_an_answer_that_is_no_json_is_a_provider_error(model_server: Any, answer: Any) -> None:
    model_server.answers = [answer("{not json")]
    with pytest.raises(ProviderError):
        ask(model_server, "max_attempts=1")


@pytest.mark.parametrize(("finish", "stop"), [("MAX_TOKENS", StopReason.LENGTH), ("SAFETY", StopReason.FILTER)])
def test_a_cut_reply_says_why(model_server: Any, answer: Any, finish: str, stop: StopReason) -> None:
    model_server.answers = [answer(response("half a", finish))]
    assert ask(model_server).stop is stop


def test_a_blocked_prompt_is_an_empty_reply_stopped_by_the_filter(model_server: Any, answer: Any) -> None:
    model_server.answers = [answer({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 9}})]
    reply = ask(model_server)
    assert (reply.text, reply.stop, reply.prompt_tokens) == ("", StopReason.FILTER, 9)


def test_a_refused_key_is_not_retried_and_names_the_variable(model_server: Any, answer: Any) -> None:
    model_server.answers = [answer(error(403, "PERMISSION_DENIED", "bad key"), status=403)]
    with pytest.raises(ProviderError, match="GEMINI_API_KEY"):
        ask(model_server)
    assert len(model_server.requests) == 1


def test_a_conversation_that_is_too_long_has_its_own_error(model_server: Any, answer: Any) -> None:
    message = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
    model_server.answers = [answer(error(400, "INVALID_ARGUMENT", message), status=400)]
    with pytest.raises(ContextTooLongError, match="1048576"):
        ask(model_server)


def test_without_a_key_nothing_is_begun(monkeypatch: pytest.MonkeyPatch, model_server: Any) -> None:
    monkeypatch.delenv("GEMINI_API_KEY")
    with pytest.raises(ConfigError, match="GEMINI_API_KEY or GOOGLE_API_KEY"):
        ask(model_server)
