import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from env.actions import InvalidReason
from env.episode import Ending, Step
from env.errors import EpisodeError
from env.parsing.corpus.manifest import CorpusFile
from env.parsing.environment import ParsingEnvironment, ParsingGame

MakeGame = Callable[..., ParsingGame]


def act(action: str, **argument: str) -> str:
    return json.dumps({"thought": "because", "action": action, **argument})


def play(game: ParsingGame, file: CorpusFile, *texts: str) -> tuple[ParsingEnvironment, list[Step]]:
    environment = game.environment()
    environment.reset(game.task(file))
    return environment, [environment.step(text) for text in texts]


def test_the_first_messages_are_the_rules_and_the_card_with_the_tools(make_game: MakeGame, corpus_file: CorpusFile) -> None:
    game = make_game()
    system, task = game.environment().reset(game.task(corpus_file))
    assert (system.role, task.role) == ("system", "user")
    shown = json.loads(task.content.split("\n", 1)[1])
    assert shown["card"]["pages"] == 2
    assert "sha256" not in shown["card"]
    assert list(shown["tools"]) == ["good", "poor", "broken", "flaky", "tesseract-ocr"]


def test_an_observation_has_the_numbers_and_two_previews_but_never_the_text(make_game: MakeGame, corpus_file: CorpusFile) -> None:
    _, (step,) = play(make_game(), corpus_file, act("call_tool", tool="good"))
    shown = json.loads(step.observation)
    assert list(shown) == ["tool", "ok", "seconds", "quality", "preview_head", "preview_middle"]
    assert list(shown["quality"]) == [
        "chars",
        "content_tokens",
        "natural",
        "clean",
        "duplicate",
        "headings",
        "table_rows",
        "math",
        "coverage",
    ]
    text = "good text " * 300
    assert shown["preview_head"] == text[:600]
    assert shown["preview_middle"] == text[1300:1700]


def test_a_failed_call_shows_only_the_error(make_game: MakeGame, corpus_file: CorpusFile) -> None:
    _, (step,) = play(make_game(), corpus_file, act("call_tool", tool="broken"))
    assert json.loads(step.observation) == {"tool": "broken", "ok": False, "error": "exception: it went wrong"}


def test_switches_take_parts_out_of_the_observation(make_game: MakeGame, corpus_file: CorpusFile) -> None:
    full = make_game().config.observation
    for change, gone in [
        ({"quality": False}, "quality"),
        ({"preview_head_chars": 0}, "preview_head"),
        ({"preview_middle_chars": 0}, "preview_middle"),
    ]:
        _, (step,) = play(make_game(observation=full.model_copy(update=change)), corpus_file, act("call_tool", tool="good"))
        assert gone not in json.loads(step.observation)
    _, (step,) = play(make_game(observation=full.model_copy(update={"coverage": False})), corpus_file, act("call_tool", tool="good"))
    assert "coverage" not in json.loads(step.observation)["quality"]


@pytest.mark.parametrize(
    ("texts", "ending", "reward", "metrics"),
    [
        ([act("call_tool", tool="good"), act("finish", choice="good")], Ending.FINISHED, 1.1, {"f1": 0.95, "right": 1, "calls": 1}),
        (
            [act("call_tool", tool="poor"), act("call_tool", tool="good"), act("finish", choice="good")],
            Ending.FINISHED,
            1.08,
            {"f1": 0.95, "right": 1, "calls": 2, "par": 1, "oracle": 0.95},
        ),
        ([act("call_tool", tool="poor"), act("finish", choice="poor")], Ending.FINISHED, 0.40 / 0.95, {"f1": 0.4, "right": 0}),
        ([act("fail", reason="no")], Ending.FAILED, 0.0, {"f1": 0.0, "right": 0, "calls": 0}),
        (
            ["?", act("call_tool", tool="good"), act("finish", choice="good")],
            Ending.FINISHED,
            1.08,
            {"f1": 0.95, "right": 1, "invalid": 1},
        ),
    ],
)
def test_the_reward_of_a_played_episode(
    make_game: MakeGame, corpus_file: CorpusFile, texts: list[str], ending: Ending, reward: float, metrics: dict[str, float]
) -> None:
    _, steps = play(make_game(), corpus_file, *texts)
    assert steps[-1].ending is ending
    assert steps[-1].reward.total == pytest.approx(reward)
    assert steps[-1].metrics == pytest.approx(steps[-1].metrics | metrics)
    assert not any(step.done for step in steps[:-1])


def test_an_ocr_result_within_the_margin_is_right(make_game: MakeGame, corpus_file: CorpusFile) -> None:
    _, steps = play(make_game(), corpus_file, act("call_tool", tool="tesseract-ocr"), act("finish", choice="tesseract-ocr"))
    assert steps[-1].metrics["right"] == 1


@pytest.mark.parametrize(
    ("before", "text", "reason"),
    [
        ([], "nonsense", InvalidReason.NOT_JSON),
        ([], act("call_tool", tool="pandoc"), InvalidReason.UNKNOWN_TOOL),
        (["good"], act("call_tool", tool="good"), InvalidReason.REPEATED_TOOL),
        (["broken"], act("call_tool", tool="broken"), InvalidReason.REPEATED_TOOL),
        (["flaky", "flaky"], act("call_tool", tool="flaky"), InvalidReason.REPEATED_TOOL),
        (["broken"], act("finish", choice="broken"), InvalidReason.CHOICE_NOT_SUCCESSFUL),
        ([], act("finish", choice="good"), InvalidReason.CHOICE_NOT_SUCCESSFUL),
    ],
)
def test_an_invalid_action_is_answered_with_its_reason(
    make_game: MakeGame, corpus_file: CorpusFile, before: list[str], text: str, reason: InvalidReason
) -> None:
    _, steps = play(make_game(), corpus_file, *(act("call_tool", tool=tool) for tool in before), text)
    assert steps[-1].invalid is reason
    assert steps[-1].observation.startswith("the last step was invalid: ")
    assert not steps[-1].done


def test_a_transient_failure_may_be_retried_once(make_game: MakeGame, corpus_file: CorpusFile) -> None:
    _, steps = play(make_game(), corpus_file, *[act("call_tool", tool="flaky")] * 2, act("finish", choice="flaky"))
    assert steps[-1].ending is Ending.FINISHED
    assert steps[-1].metrics["calls"] == 2


def test_the_third_invalid_action_delivers_the_rule_baselines_choice(make_game: MakeGame, corpus_file: CorpusFile) -> None:
    environment, steps = play(make_game(), corpus_file, "a", "b", "c")
    assert steps[-1].ending is Ending.RULE_FALLBACK
    assert steps[-1].reward.total == 0
    assert steps[-1].metrics["f1"] == 0.95
    assert environment.document().tool == "good"


def test_a_call_beyond_the_budget_ends_the_episode_with_the_rules_choice(make_game: MakeGame, corpus_file: CorpusFile) -> None:
    environment, steps = play(make_game(max_calls=2), corpus_file, *(act("call_tool", tool=tool) for tool in ("poor", "broken", "good")))
    assert steps[-1].ending is Ending.CALL_LIMIT
    assert steps[-1].metrics["calls"] == 2
    assert environment.outcome()["choice"] == "good"


def test_a_refused_file_is_intercepted_before_the_first_turn(make_game: MakeGame, corpus_file: CorpusFile, recorded_outputs: Any) -> None:
    recorded_outputs.card = recorded_outputs.card.model_copy(update={"refusal": "only a digest"})
    game = make_game()
    environment = game.environment()
    environment.reset(game.task(corpus_file))
    assert environment.last_step is not None
    assert environment.last_step.ending is Ending.INTERCEPTED
    assert environment.last_step.reward.total is None
    assert environment.document().detail == "only a digest"
    with pytest.raises(EpisodeError, match="over"):
        environment.step("x")


def test_a_file_without_usable_tools_is_intercepted(make_game: MakeGame, corpus_file: CorpusFile, recorded_outputs: Any) -> None:
    recorded_outputs.specs = ()
    game = make_game()
    environment = game.environment()
    environment.reset(game.task(corpus_file))
    assert environment.detail == "no usable tool for format pdf"


def test_a_missing_record_ends_the_episode_by_name_and_unscored(
    make_game: MakeGame, corpus_file: CorpusFile, recorded_outputs: Any
) -> None:
    del recorded_outputs.results["good", 0]
    for texts in ([act("call_tool", tool="good")], ["a", "b", "c"]):
        _, steps = play(make_game(), corpus_file, *texts)
        assert steps[-1].ending is Ending.CACHE_MISS
        assert steps[-1].reward.total is None


def test_without_a_reference_the_episode_is_played_but_not_scored(
    make_game: MakeGame, corpus_file: CorpusFile, recorded_outputs: Any
) -> None:
    recorded_outputs.f1s = None
    _, steps = play(make_game(), corpus_file, act("call_tool", tool="good"), act("finish", choice="good"))
    assert steps[-1].ending is Ending.FINISHED
    assert steps[-1].reward.total is None
    assert "f1" not in steps[-1].metrics


@pytest.mark.parametrize(
    ("texts", "reward"), [([act("fail", reason="random bytes")], 1.0), ([act("call_tool", tool="good"), act("finish", choice="good")], 0.0)]
)
def test_on_a_file_that_no_tool_can_read_saying_so_is_right(
    make_game: MakeGame, corpus_file: CorpusFile, recorded_outputs: Any, texts: list[str], reward: float
) -> None:
    recorded_outputs.f1s = None
    _, steps = play(make_game(), corpus_file.model_copy(update={"expect": "fail"}), *texts)
    assert steps[-1].reward.total == reward
    assert steps[-1].metrics["right"] == reward
    assert steps[-1].metrics["readable"] == 0


def test_an_environment_is_single_use(make_game: MakeGame, corpus_file: CorpusFile) -> None:
    game = make_game()
    environment = game.environment()
    with pytest.raises(EpisodeError, match="reset before step"):
        environment.step("x")
    environment.reset(game.task(corpus_file))
    with pytest.raises(EpisodeError, match="single-use"):
        environment.reset(game.task(corpus_file))
    with pytest.raises(EpisodeError, match="when the episode is over"):
        environment.document()


def test_an_aborted_episode_is_not_scored(make_game: MakeGame, corpus_file: CorpusFile) -> None:
    environment, _ = play(make_game(), corpus_file, act("call_tool", tool="good"))
    step = environment.abort(Ending.PROVIDER_ERROR, "the server is gone")
    assert (step.reward.total, environment.detail) == (None, "the server is gone")


def test_chinese_prompts_and_no_thought_reach_every_text(make_game: MakeGame, corpus_file: CorpusFile) -> None:
    game = make_game(language="zh", thought=False)
    environment = game.environment()
    system, task = environment.reset(game.task(corpus_file))
    assert "thought" not in system.content
    assert "good 中文" in task.content
    assert environment.step("?").observation.startswith("上一步无效：")
    assert environment.step('{"action": "call_tool", "tool": "good"}').invalid is None


def test_neither_the_oracle_nor_any_f1_reaches_the_model(make_game: MakeGame, corpus_file: CorpusFile, recorded_outputs: Any) -> None:
    sentinel = 0.876543
    recorded_outputs.f1s = {tool: sentinel for tool in recorded_outputs.f1s}
    game = make_game()
    environment = game.environment()
    seen = [message.content for message in environment.reset(game.task(corpus_file))]
    texts = [
        act("call_tool", tool="good"),
        "?",
        act("call_tool", tool="broken"),
        act("finish", choice="poor"),
        act("finish", choice="good"),
    ]
    seen += [environment.step(text).observation for text in texts]
    assert environment.last_step is not None
    assert environment.last_step.metrics["oracle"] == sentinel
    assert not any("876543" in text or "f1" in text.lower() or "oracle" in text.lower() for text in seen)


tools = st.sampled_from(["good", "poor", "broken", "flaky", "tesseract-ocr", "pandoc"])
texts = st.one_of(
    st.text(st.characters(exclude_categories=())),
    st.just("x" * 1_000_000),
    tools.map(lambda tool: act("call_tool", tool=tool)),
    tools.map(lambda tool: act("finish", choice=tool)),
    st.just(act("fail", reason="no")),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(texts, min_size=1, max_size=14))
def test_any_texts_lead_to_a_named_end_within_bounds(make_game: MakeGame, corpus_file: CorpusFile, script: list[str]) -> None:
    game = make_game()
    environment = game.environment()
    environment.reset(game.task(corpus_file))
    for text in script:
        step = environment.step(text)
        if step.done:
            assert step.ending is not None
            assert step.reward.total is not None
            assert 0 <= step.reward.total <= 1.1
            assert step.metrics["calls"] <= 6
            assert environment.document().ending is step.ending
            return
        assert step.observation
