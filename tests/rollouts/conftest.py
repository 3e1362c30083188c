"""Fixtures for reports."""

from collections.abc import Callable

import pytest

from env.episode import Ending
from env.records import Message
from rollouts.trajectory import Trajectory, Turn


@pytest.fixture
def make_episode() -> Callable[..., Trajectory]:
    """Builds an episode of one turn; keywords other than the record's own are metrics."""

    def make(
        task: str,
        sample: int = 0,
        *,
        ending: Ending = Ending.FINISHED,
        category: str = "papers",
        format: str = "pdf",
        doc: str = "",
        policy: str = "heuristic",
        snapshot: str = "",
        **metrics: float,
    ) -> Trajectory:
        return Trajectory(
            task=task,
            sample=sample,
            game="parsing",
            category=category,
            format=format,
            doc=doc or task,
            split="train",
            policy=policy,
            seed=0,
            snapshot=snapshot,
            messages=(Message(role="user", content="go"), Message(role="assistant", content="gone")),
            turns=(Turn(message=1, prompt_tokens=100, output_tokens=10, seconds=0.5, cost_usd=0.25),),
            ending=ending,
            reward=metrics.get("right"),
            metrics=metrics,
        )

    return make
