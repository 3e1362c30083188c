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
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")  # another product of Google's, which would send us elsewhere


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


def test_cached_tokens_have_their_own_price(model_server: Any, answer: Any) -> None:
    body = response()
    body["usageMetadata"]["cachedContentTokenCount"] = 400
    model_server.answers = [answer(body)]
    reply = ask(model_server, "usd_per_million_input=1.0", "usd_per_million_cached_input=0.25")
    assert reply.cost_usd == pytest.approx(0.0007)


@pytest.mark.parametrize("fault", [{"status": 429}, {"status": 500}, {"status": 503}, {"drop": True}, {"delay_s": 1.5}])
def test_a_passing_fault_is_retried_and_not_in_the_time(model_server: Any, answer: Any, fault: dict[str, Any]) -> None:
    model_server.answers = [answer(error(503, "UNAVAILABLE", "later"), **fault), answer(response())]
    reply = ask(model_server, "timeout_s=1.0")
    assert (reply.text, len(model_server.requests)) == ("hello", 2)
    assert reply.seconds < 1.0


@pytest.mark.parametrize(("delay", "tries"), [("0.4s", 2), ("40000s", 1)])
def test_the_pause_that_gemini_asks_for_is_kept_unless_it_is_too_long(model_server: Any, answer: Any, delay: str, tries: int) -> None:
    body = error(429, "RESOURCE_EXHAUSTED", "quota exceeded")
    body["error"]["details"] = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}]
    model_server.answers = [answer(body, status=429)]
    started = time.perf_counter()
    with pytest.raises(ProviderError, match="quota exceeded"):
        ask(model_server, "max_attempts=2")
    assert len(model_server.requests) == tries
    assert time.perf_counter() - started >= 0.4 * (tries - 1)


def test_a_lasting_fault_is_a_provider_error_after_all_tries(model_server: Any, answer: Any) -> None:
    model_server.answers = [answer(error(503, "UNAVAILABLE", "down"), status=503)]
    with pytest.raises(ProviderError, match="503"):
        ask(model_server)
    assert len(model_server.requests) == 3


def test_a_hanging_server_is_given_up_in_time(model_server: Any, answer: Any) -> None:
    model_server.answers = [answer(response(), delay_s=2.0)]
    started = time.perf_counter()
    with pytest.raises(ProviderError, match=r"no answer within 0\.2 s"):
        ask(model_server, "timeout_s=0.2", "max_attempts=1")
    assert time.perf_counter() - started < 1.9


@pytest.mark.parametrize("body", ["{not json", "<html>busy</html>", "[]", {"candidates": 3}, {"candidates": [3]}])
def test_an_answer_that_makes_no_sense_is_asked_for_again(model_server: Any, answer: Any, body: Any) -> None:
    model_server.answers = [answer(body)]
    with pytest.raises(ProviderError, match=r"cannot be read|neither a candidate"):
        ask(model_server)
    assert len(model_server.requests) == 3


@pytest.mark.parametrize(("finish", "stop"), [("MAX_TOKENS", StopReason.LENGTH), ("SAFETY", StopReason.FILTER)])
def test_a_cut_reply_says_why(model_server: Any, answer: Any, finish: str, stop: StopReason) -> None:
    model_server.answers = [answer(response("half a", finish))]
    assert ask(model_server).stop is stop


def test_a_blocked_prompt_is_an_empty_reply_stopped_by_the_filter(model_server: Any, answer: Any) -> None:
    model_server.answers = [answer({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 9}})]
    reply = ask(model_server)
    assert (reply.text, reply.stop, reply.prompt_tokens) == ("", StopReason.FILTER, 9)


@pytest.mark.parametrize("status", [400, 403])
def test_a_refused_key_is_not_retried_and_names_the_variable(model_server: Any, answer: Any, status: int) -> None:
    body = error(status, "PERMISSION_DENIED" if status == 403 else "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.")
    body["error"]["details"] = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
    model_server.answers = [answer(body, status=status)]
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
