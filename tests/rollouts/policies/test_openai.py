import asyncio
import time
from typing import Any

import pytest

from configs.load import load_config
from env.errors import ConfigError, ContextTooLongError, ProviderError
from env.records import Message, Task
from rollouts.policies.openai import OpenAIPolicy
from rollouts.policies.provider_config import OpenAIPolicyConfig
from rollouts.policy import Reply, StopReason

MESSAGES = [
    Message(role="system", content="rules"),
    Message(role="user", content="task"),
    Message(role="assistant", content="{}"),
    Message(role="user", content="observation"),
]
TASK = Task(id="a", game="parsing", category="c", format="pdf", doc="a", split="train")


def completion(text: str = "hello", finish: str = "stop") -> dict[str, Any]:
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}],
        "usage": {
            "prompt_tokens": 1000,
            "completion_tokens": 50,
            "total_tokens": 1050,
            "prompt_tokens_details": {"cached_tokens": 400},
        },
    }


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def ask(server: Any, *overrides: str) -> Reply:
    settings = [f"base_url={server.url}/v1", "model=m", "max_attempts=3", *overrides]
    config = load_config(OpenAIPolicyConfig, settings, default="policy/openai.toml")

    async def once() -> Reply:
        policy = OpenAIPolicy(config)
        try:
            return await policy.reply(MESSAGES, task=TASK, seed=7)
        finally:
            await policy.close()

    return asyncio.run(once())


def test_the_whole_conversation_goes_out_and_the_reply_comes_with_its_accounting(model_server: Any, answer: Any) -> None:
    model_server.answers = [answer(completion())]
    reply = ask(model_server, "usd_per_million_input=1.0", "usd_per_million_output=2.0", "temperature=0.5")
    assert (reply.text, reply.stop, reply.prompt_tokens, reply.output_tokens) == ("hello", StopReason.STOP, 1000, 50)
    assert reply.cost_usd == pytest.approx(0.0011)
    assert reply.seconds > 0
    sent = model_server.requests[0]
    assert [message["role"] for message in sent["messages"]] == ["system", "user", "assistant", "user"]
    assert (sent["model"], sent["temperature"], sent["seed"]) == ("m", 0.5, 7)
    assert "response_format" not in sent
    assert model_server.paths == ["/v1/chat/completions"]


def test_json_mode_is_asked_for_only_when_switched_on(model_server: Any, answer: Any) -> None:
    model_server.answers = [answer(completion())]
    ask(model_server, "json_mode=true")
    assert model_server.requests[0]["response_format"] == {"type": "json_object"}


def test_cached_tokens_have_their_own_price(model_server: Any, answer: Any) -> None:
    model_server.answers = [answer(completion())]
    reply = ask(model_server, "usd_per_million_input=1.0", "usd_per_million_cached_input=0.25")
    assert reply.cost_usd == pytest.approx(0.0007)


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": 3}])
def test_a_server_that_counts_no_tokens_is_no_problem(model_server: Any, answer: Any, usage: Any) -> None:
    model_server.answers = [answer(completion() | {"usage": usage})]
    reply = ask(model_server)
    assert (reply.text, reply.output_tokens) == ("hello", 0)


@pytest.mark.parametrize("fault", [{"status": 429}, {"status": 500}, {"status": 503}, {"drop": True}, {"delay_s": 1.5}])
def test_a_passing_fault_is_retried_and_not_in_the_time(model_server: Any, answer: Any, fault: dict[str, Any]) -> None:
    model_server.answers = [answer({"error": {"message": "later"}}, **fault), answer(completion())]
    reply = ask(model_server, "timeout_s=1.0")
    assert (reply.text, len(model_server.requests)) == ("hello", 2)
    assert reply.seconds < 1.0


def test_the_pause_that_the_server_asks_for_is_kept(model_server: Any, answer: Any) -> None:
    model_server.answers = [answer({"error": {"message": "later"}}, status=429, headers={"Retry-After": "0.4"}), answer(completion())]
    started = time.perf_counter()
    reply = ask(model_server)
    assert time.perf_counter() - started >= 0.4
    assert reply.seconds < 0.4


@pytest.mark.parametrize(
    ("error", "headers"),
    [({"message": "no money left", "code": "insufficient_quota"}, {}), ({"message": "come back tomorrow"}, {"Retry-After": "40000"})],
)
def test_a_used_up_quota_is_not_waited_for(model_server: Any, answer: Any, error: dict[str, str], headers: dict[str, str]) -> None:
    model_server.answers = [answer({"error": error}, status=429, headers=headers)]
    with pytest.raises(ProviderError, match=error["message"]):
        ask(model_server)
    assert len(model_server.requests) == 1


def test_a_lasting_fault_is_a_provider_error_after_all_tries(model_server: Any, answer: Any) -> None:
    model_server.answers = [answer({"error": {"message": "down"}}, status=503)]
    with pytest.raises(ProviderError, match=r"503.*down"):
        ask(model_server)
    assert len(model_server.requests) == 3


def test_a_hanging_server_is_given_up_in_time(model_server: Any, answer: Any) -> None:
    model_server.answers = [answer(completion(), delay_s=2.0)]
    started = time.perf_counter()
    with pytest.raises(ProviderError, match=r"no answer within 0\.2 s"):
        ask(model_server, "timeout_s=0.2", "max_attempts=1")
    assert time.perf_counter() - started < 1.9


def test_a_dead_server_is_named(model_server: Any) -> None:
    model_server.close()
    with pytest.raises(ProviderError, match=model_server.url):
        ask(model_server)


@pytest.mark.parametrize(
    "body",
    [
        "{not json",
        "<html>busy</html>",
        "",
        "[]",
        {"choices": []},
        {"id": "1"},
        {"choices": [{}]},
        {"choices": [{"message": {"content": 3}}]},
    ],
)
def test_an_answer_that_makes_no_sense_is_asked_for_again(model_server: Any, answer: Any, body: Any) -> None:
    model_server.answers = [answer(body)]
    with pytest.raises(ProviderError, match="no chat completion"):
        ask(model_server)
    assert len(model_server.requests) == 3


@pytest.mark.parametrize(("finish", "stop"), [("length", StopReason.LENGTH), ("content_filter", StopReason.FILTER)])
def test_a_cut_reply_says_why(model_server: Any, answer: Any, finish: str, stop: StopReason) -> None:
    model_server.answers = [answer(completion("half a", finish))]
    assert ask(model_server).stop is stop


def test_a_refused_key_is_not_retried_and_names_the_variable(model_server: Any, answer: Any) -> None:
    model_server.answers = [answer({"error": {"message": "bad key", "code": "invalid_api_key"}}, status=401)]
    with pytest.raises(ProviderError, match="OPENAI_API_KEY"):
        ask(model_server)
    assert len(model_server.requests) == 1


@pytest.mark.parametrize(
    "error",
    [
        {"message": "Your messages resulted in 4097 tokens.", "code": "context_length_exceeded"},
        {"message": "This model's maximum context length is 4096 tokens and your request has 4097 input tokens.", "code": 400},
        {"message": "the request exceeds the available context size (4096 tokens)", "type": "exceed_context_size_error", "code": 400},
    ],
)
def test_a_conversation_that_is_too_long_has_its_own_error(model_server: Any, answer: Any, error: dict[str, Any]) -> None:
    model_server.answers = [answer({"error": error}, status=400)]
    with pytest.raises(ContextTooLongError, match="409"):
        ask(model_server)
    assert len(model_server.requests) == 1


def test_another_refusal_is_not_retried_and_says_what_the_server_said(model_server: Any, answer: Any) -> None:
    model_server.answers = [answer({"error": {"message": "model m does not exist"}}, status=404)]
    with pytest.raises(ProviderError, match="model m does not exist"):
        ask(model_server)
    assert len(model_server.requests) == 1


def test_without_a_key_nothing_is_begun(monkeypatch: pytest.MonkeyPatch, model_server: Any) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        ask(model_server)


def test_an_address_without_a_scheme_is_a_config_error(model_server: Any) -> None:
    with pytest.raises(ConfigError, match="base_url"):
        ask(model_server, "base_url=localhost:8000/v1")


def test_the_own_rate_limit_spaces_calls(model_server: Any, answer: Any) -> None:
    model_server.answers = [answer(completion())]
    settings = [f"base_url={model_server.url}", "model=m", "requests_per_minute=600"]
    config = load_config(OpenAIPolicyConfig, settings, default="policy/openai.toml")

    async def four() -> list[Reply]:
        policy = OpenAIPolicy(config)
        try:
            return await asyncio.gather(*(policy.reply(MESSAGES, task=TASK, seed=0) for _ in range(4)))
        finally:
            await policy.close()

    started = time.perf_counter()
    replies = asyncio.run(four())
    assert time.perf_counter() - started >= 0.29
    assert all(reply.seconds < 0.29 for reply in replies)
