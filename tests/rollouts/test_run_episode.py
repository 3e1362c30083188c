import asyncio
import json
from collections.abc import Callable, Sequence

import pytest

from env.actions import InvalidReason
from env.episode import Ending
from env.errors import ContextTooLongError, ProviderError
from env.parsing.corpus.manifest import CorpusFile
from env.parsing.environment import ParsingGame
from env.records import Message, Task
from rollouts.policy import Reply
from rollouts.run_episode import EpisodeSettings, run_episode
from rollouts.trajectory import Trajectory

CALL = '{"thought": "t", "action": "call_tool", "tool": "good"}'
FINISH = '{"thought": "t", "action": "finish", "choice": "good"}'


class Script:
    """Says what it is told to say; an exception in the list is raised, a number is waited for."""

    name = "script"

    def __init__(self, *replies: str | Exception | float) -> None:
        self.replies = list(replies)

    async def reply(self, messages: Sequence[Message], *, task: Task, seed: int) -> Reply:
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, float):
            await asyncio.sleep(reply)
            return Reply("late")
        return Reply(reply, prompt_tokens=10 * len(messages), output_tokens=5, seconds=0.5, token_ids=(1, 2))

    async def close(self) -> None:
        pass


@pytest.fixture
def play(make_game: Callable[..., ParsingGame], corpus_file: CorpusFile) -> Callable[..., Trajectory]:
    """Plays a script to its end."""

    def play_script(*replies: str | Exception | float, live: bool = False, timeout_s: float = 5.0) -> Trajectory:
        game = make_game()
        settings = EpisodeSettings(timeout_s=timeout_s, snapshot="recorded", live=live)
        return asyncio.run(run_episode(game.environment(), game.task(corpus_file), Script(*replies), settings, sample=2, seed=7))

    return play_script


def test_the_conversation_is_stored_once_and_each_prompt_is_a_prefix(play: Callable[..., Trajectory]) -> None:
    trajectory = play(CALL, FINISH)
    assert [message.role for message in trajectory.messages] == ["system", "user", "assistant", "user", "assistant"]
    assert [turn.message for turn in trajectory.turns] == [2, 4]
    assert [trajectory.messages[turn.message].content for turn in trajectory.turns] == [CALL, FINISH]
    assert [turn.prompt_tokens for turn in trajectory.turns] == [20, 40]
    assert trajectory.turns[0].token_ids == (1, 2)


def test_the_record_names_task_end_reward_and_time(play: Callable[..., Trajectory]) -> None:
    trajectory = play(CALL, FINISH)
    assert (trajectory.key, trajectory.seed, trajectory.snapshot, trajectory.policy) == (("doc/a", 2), 7, "recorded", "script")
    assert (trajectory.ending, trajectory.reward) == (Ending.FINISHED, pytest.approx(1.1))
    assert trajectory.outcome["choice"] == "good"
    assert trajectory.seconds == pytest.approx(0.5 + 0.5 + 0.25)
    assert Trajectory.model_validate_json(trajectory.model_dump_json()) == trajectory


def test_live_and_recorded_play_give_the_same_record(play: Callable[..., Trajectory]) -> None:
    assert play(CALL, "?", FINISH, live=True) == play(CALL, "?", FINISH)


def test_invalid_turns_are_marked(play: Callable[..., Trajectory]) -> None:
    trajectory = play("?", CALL, FINISH)
    assert [turn.invalid for turn in trajectory.turns] == [InvalidReason.NOT_JSON, None, None]


@pytest.mark.parametrize(
    ("fault", "ending"),
    [
        (ProviderError("the server is gone"), Ending.PROVIDER_ERROR),
        (ContextTooLongError("9000 tokens, the limit is 8192"), Ending.TRUNCATED),
        (10.0, Ending.TIMEOUT),
    ],
)
def test_a_fault_of_the_provider_is_an_ending_and_keeps_what_was_played(
    play: Callable[..., Trajectory], fault: Exception | float, ending: Ending
) -> None:
    trajectory = play(CALL, fault, timeout_s=0.2)
    assert (trajectory.ending, trajectory.reward, len(trajectory.turns)) == (ending, None, 1)
    assert trajectory.detail


def test_a_cancelled_episode_is_recorded_with_what_was_played(make_game: Callable[..., ParsingGame], corpus_file: CorpusFile) -> None:
    async def cancel_in_the_middle() -> Trajectory:
        game = make_game()
        episode = asyncio.create_task(
            run_episode(game.environment(), game.task(corpus_file), Script(CALL, 10.0), EpisodeSettings(timeout_s=5))
        )
        await asyncio.sleep(0.1)
        episode.cancel()
        return await episode

    trajectory = asyncio.run(cancel_in_the_middle())
    assert (trajectory.ending, len(trajectory.turns), trajectory.reward) == (Ending.CANCELLED, 1, None)


def test_lone_surrogates_of_a_model_do_not_stop_the_record(play: Callable[..., Trajectory]) -> None:
    trajectory = play("\ud800", CALL, FINISH)
    assert json.loads(trajectory.model_dump_json())["messages"][2]["content"] == "?"
