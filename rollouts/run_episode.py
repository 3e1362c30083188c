"""The one episode loop. Teacher, evaluation, ablations, GRPO and `parse` all call it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from env.episode import Ending, Environment, Step
from env.errors import ContextTooLongError, ProviderError
from env.records import Message, Task
from rollouts.policy import Policy, Reply
from rollouts.trajectory import Trajectory, Turn

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EpisodeSettings:
    """How to play, apart from what and by whom."""

    timeout_s: float
    """Wall-clock limit of the whole episode."""
    snapshot: str = ""
    """Digest of the snapshot that is played on."""
    live: bool = False
    """Tool outputs may have to be computed: keep `step` off the event loop."""


async def run_episode(
    environment: Environment[Any], task: Task, policy: Policy, settings: EpisodeSettings, *, sample: int = 0, seed: int = 0
) -> Trajectory:
    """Play one episode to a named end.

    A dead provider, a timeout and a cancellation are endings, not exceptions: what was played so far is in the trajectory. After a
    cancellation the caller records it and stops.
    """
    messages: list[Message] = []
    turns: list[Turn] = []
    try:
        async with asyncio.timeout(settings.timeout_s):
            messages += await _call(settings.live, environment.reset, task, seed)
            while environment.last_step is None:
                reply = await policy.reply(messages, task=task, seed=seed)
                await _play_turn(environment, reply, messages, turns, settings.live)
    except ContextTooLongError as error:
        environment.abort(Ending.TRUNCATED, str(error))
    except ProviderError as error:
        environment.abort(Ending.PROVIDER_ERROR, str(error))
    except TimeoutError:
        environment.abort(Ending.TIMEOUT, f"no end after {settings.timeout_s:g} s")
    except asyncio.CancelledError:
        environment.abort(Ending.CANCELLED, "stopped from outside")
    last = environment.last_step
    if last is None or last.ending is None:
        raise RuntimeError("an environment that stops asking must have ended")
    return Trajectory(
        task=task.id,
        sample=sample,
        game=task.game,
        category=task.category,
        format=task.format,
        doc=task.doc,
        split=task.split,
        policy=policy.name,
        seed=seed,
        snapshot=settings.snapshot,
        messages=tuple(messages),
        turns=tuple(turns),
        ending=last.ending,
        detail=environment.detail,
        reward=last.reward.total,
        reward_terms=last.reward.terms,
        metrics=dict(last.metrics),
        outcome=environment.outcome(),
    )


async def _play_turn(environment: Environment[Any], reply: Reply, messages: list[Message], turns: list[Turn], live: bool) -> None:
    text = _encodable(reply.text)
    turn = len(messages)
    messages.append(Message(role="assistant", content=text))
    step: Step = await _call(live, environment.step, text)
    turns.append(
        Turn(
            message=turn,
            invalid=step.invalid,
            stop=reply.stop,
            prompt_tokens=reply.prompt_tokens,
            output_tokens=reply.output_tokens,
            seconds=reply.seconds,
            cost_usd=reply.cost_usd,
            token_ids=reply.token_ids,
            logprobs=reply.logprobs,
        )
    )
    if not step.done:
        messages.append(Message(role="user", content=step.observation))


async def _call(live: bool, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Recorded outputs answer in microseconds, so a thread is only worth it when tools may run."""
    return await asyncio.to_thread(function, *args, **kwargs) if live else function(*args, **kwargs)


def _encodable(text: str) -> str:
    """Models may emit lone surrogates, which no UTF-8 file can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")
