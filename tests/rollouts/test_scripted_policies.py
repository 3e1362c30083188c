import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from configs.load import load_config
from env.episode import Ending
from env.parsing.corpus.manifest import CorpusFile
from env.parsing.environment import ParsingGame
from env.parsing.tools.tool import ErrorKind
from env.records import Record
from rollouts.policies.conversation import read_conversation
from rollouts.policies.heuristic import HeuristicPolicy, HeuristicThresholds
from rollouts.policies.references import FirstPolicy, FixedPolicy, OraclePolicy, RandomPolicy, RulePolicy, best_tools
from rollouts.policy import Policy
from rollouts.run_episode import EpisodeSettings, run_episode
from rollouts.trajectory import Trajectory

MakeGame = Callable[..., ParsingGame]
THRESHOLDS = HeuristicThresholds(
    min_natural=0.6,
    min_clean=0.95,
    min_coverage=0.9,
    min_letters=0.2,
    ocr_tolerance=0.15,
    min_ocr_share=0.4,
    order={"pdf": ("poor", "good")},
)


@pytest.fixture
def play(make_game: MakeGame, corpus_file: CorpusFile) -> Callable[..., Trajectory]:
    """Plays one episode of the recorded file."""

    def play_with(policy: Policy, seed: int = 0, **changes: object) -> Trajectory:
        game = make_game(**changes)
        return asyncio.run(run_episode(game.environment(), game.task(corpus_file), policy, EpisodeSettings(timeout_s=5), seed=seed))

    return play_with


def called(trajectory: Trajectory) -> list[str]:
    return list(trajectory.outcome["tools"])


def test_a_conversation_is_taken_apart_from_the_messages_alone(play: Callable[..., Trajectory], make_game: MakeGame) -> None:
    trajectory = play(RulePolicy(make_game().config.rule), max_calls=10)
    seen = read_conversation(trajectory.messages)
    assert seen.format == "pdf"
    assert list(seen.tools) == ["good", "poor", "broken", "flaky", "tesseract-ocr"]
    assert list(seen.successes) == ["good", "poor", "tesseract-ocr"]
    assert seen.untried() == []


def test_rule_calls_every_tool_and_takes_the_best_score(play: Callable[..., Trajectory], make_game: MakeGame) -> None:
    trajectory = play(RulePolicy(make_game().config.rule), max_calls=10)
    assert called(trajectory) == ["good", "poor", "broken", "flaky", "tesseract-ocr"]
    assert (trajectory.outcome["choice"], trajectory.metrics["right"]) == ("good", 1)


def test_heuristic_moves_on_from_a_poor_result_and_stops_at_a_good_one(play: Callable[..., Trajectory], make_game: MakeGame) -> None:
    trajectory = play(HeuristicPolicy(THRESHOLDS, make_game().config.rule, 4))
    assert called(trajectory)[0] == "poor"
    assert trajectory.ending is Ending.FINISHED
    assert trajectory.metrics["right"] == 1
    thoughts = [json.loads(trajectory.messages[turn.message].content)["thought"] for turn in trajectory.turns]
    assert "natural 0.5 is low" in thoughts[1]


def test_heuristic_believes_ocr_over_a_text_layer_that_misses_ink(
    play: Callable[..., Trajectory], make_game: MakeGame, recorded_outputs: Any
) -> None:
    layer = recorded_outputs.results["good", 0]
    lying = layer.model_copy(update={"tool": "poor", "quality": layer.quality.model_copy(update={"coverage": 0.5})})
    recorded_outputs.results["poor", 0] = lying
    read = recorded_outputs.results["tesseract-ocr", 0]
    recorded_outputs.results["tesseract-ocr", 0] = read.model_copy(update={"quality": read.quality.model_copy(update={"coverage": 0.4})})
    trajectory = play(HeuristicPolicy(THRESHOLDS, make_game().config.rule, 4))
    assert called(trajectory) == ["poor", "tesseract-ocr"]
    assert trajectory.outcome["choice"] == "tesseract-ocr"


def test_heuristic_fails_when_every_tool_fails(play: Callable[..., Trajectory], make_game: MakeGame, recorded_outputs: Any) -> None:
    broken = recorded_outputs.results["broken", 0]
    recorded_outputs.results = {(tool.name, 0): broken.model_copy(update={"tool": tool.name}) for tool in recorded_outputs.specs}
    trajectory = play(HeuristicPolicy(THRESHOLDS, make_game().config.rule, 5))
    assert trajectory.ending is Ending.FAILED
    assert recorded_outputs.results["good", 0].error_kind is ErrorKind.EXCEPTION


def test_first_takes_no_second_look(play: Callable[..., Trajectory], make_game: MakeGame) -> None:
    trajectory = play(FirstPolicy(HeuristicPolicy(THRESHOLDS, make_game().config.rule, 4)))
    assert (called(trajectory), trajectory.outcome["choice"], trajectory.metrics["f1"]) == (["poor"], "poor", 0.4)


def test_fixed_takes_the_formats_tool_and_fails_with_it(play: Callable[..., Trajectory]) -> None:
    assert play(FixedPolicy({"pdf": "tesseract-ocr"})).outcome["choice"] == "tesseract-ocr"
    assert play(FixedPolicy({"pdf": "broken"})).ending is Ending.FAILED
    assert play(FixedPolicy({"docx": "pandoc"})).outcome["choice"] == "good"


def test_the_table_of_fixed_is_the_best_mean_over_files_with_reference(recorded_outputs: Any, corpus_file: CorpusFile) -> None:
    assert best_tools(recorded_outputs, [corpus_file]) == {"pdf": "good"}
    recorded_outputs.f1s = None
    assert best_tools(recorded_outputs, [corpus_file]) == {}


def test_fixed_learns_from_recorded_files_only_and_runs_nothing(recorded_outputs: Any, corpus_file: CorpusFile) -> None:
    del recorded_outputs.results["poor", 0]
    assert best_tools(recorded_outputs, [corpus_file]) == {}
    assert recorded_outputs.asked == []


def test_random_is_a_function_of_the_seed_and_goes_on_after_failures(play: Callable[..., Trajectory]) -> None:
    runs = [play(RandomPolicy(), seed=seed) for seed in range(20)]
    assert runs[3] == play(RandomPolicy(), seed=3)
    assert len({run.outcome["choice"] for run in runs}) > 1
    assert all(run.ending is Ending.FINISHED for run in runs)
    assert any(len(called(run)) > 1 for run in runs)


def test_oracle_calls_the_best_tool_once(play: Callable[..., Trajectory], recorded_outputs: Any) -> None:
    trajectory = play(OraclePolicy(recorded_outputs))
    assert (called(trajectory), trajectory.reward) == (["good"], pytest.approx(1.1))


def test_oracle_says_so_when_no_tool_can_read_the_file(play: Callable[..., Trajectory], recorded_outputs: Any) -> None:
    recorded_outputs.f1s = dict.fromkeys(recorded_outputs.f1s, 0.0)
    assert play(OraclePolicy(recorded_outputs)).reward == 1.0


class PolicyOnly(Record):
    """Just the thresholds of the shipped preset."""

    name: str
    max_looks: int
    thresholds: HeuristicThresholds


@pytest.mark.parametrize("preset", ["heuristic", "first"])
def test_the_shipped_presets_fit_their_schema(preset: str) -> None:
    assert load_config(PolicyOnly, [], default=f"policy/{preset}.toml").name == preset
