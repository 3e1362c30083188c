"""Gymnasium view of the games. Importing this module registers `docgym/Parsing-v0` (gymnasium 1.4 has no entry-point discovery).

    import gymnasium
    import env.adapters.gymnasium

    parsing = gymnasium.make("docgym/Parsing-v0", corpus="synthetic", split="train")
    observation, info = parsing.reset(seed=0)                       # or options={"task": "papers/edo"}
    observation, reward, terminated, truncated, info = parsing.step('{"thought": "…", "action": "call_tool", "tool": "pypdfium2"}')

Holds no logic: each `reset` plays a fresh `ParsingEnvironment`. For vector environments use `shared_memory=False`: text has no fixed size.
"""

from contextlib import ExitStack
from functools import cache
from typing import Any

import gymnasium
import numpy as np

from configs.load import load_config
from env.episode import Step
from env.parsing.config import ParsingConfig, SourceConfig
from env.parsing.environment import ParsingEnvironment, ParsingTask
from env.parsing.open_game import open_game
from env.records import Message

PARSING_ID = "docgym/Parsing-v0"


class Unicode(gymnasium.spaces.Space[str]):
    """All strings up to a length. Gymnasium's `Text` knows a fixed character set only, alphanumeric by default."""

    def __init__(self, max_chars: int, seed: int | np.random.Generator | None = None) -> None:
        self.max_chars = max_chars
        super().__init__(dtype=np.str_, seed=seed)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """A short random string of any Unicode characters that can be encoded."""
        del mask, probability
        points = self.np_random.integers(1, 0xD800, size=int(self.np_random.integers(0, 50)))
        return "".join(map(chr, points))[: self.max_chars]

    def contains(self, x: Any) -> bool:
        """Whether `x` is a string within the length."""
        return isinstance(x, str) and len(x) <= self.max_chars

    @property
    def is_np_flattenable(self) -> bool:
        """Text has no array form."""
        return False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unicode) and self.max_chars == other.max_chars

    def __hash__(self) -> int:
        return hash((Unicode, self.max_chars))

    def __repr__(self) -> str:
        return f"Unicode({self.max_chars})"


class GymnasiumConfig(SourceConfig):
    """Configuration of the registered environment (`configs/gymnasium.toml`)."""

    parsing: ParsingConfig


class ParsingGymnasium(gymnasium.Env[str, str]):
    """One file per episode, drawn with the environment's seed.

    Observation: the text of the next user message; after `reset` the system prompt, a blank line and the task, as models without a system
    role read it. Reward: 0.0 until the last step, there the episode's reward; `info["scored"]` is False where there is none (no reference,
    infrastructure fault), and such an episode must be left out of averages. `terminated`: the policy or a rule ended it; `truncated`: a
    fault outside the policy did.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 - Gymnasium declares it as an instance variable

    def __init__(
        self,
        *,
        corpus: str | None = None,
        split: str | None = None,
        snapshot: str | None = None,
        overrides: tuple[str, ...] = (),
        render_mode: str | None = None,
    ) -> None:
        """Open the tool outputs.

        Args:
            corpus: `synthetic`, or a folder (with or without `manifest.jsonl`).
            split: `train`, `heldout`, … or `all`.
            snapshot: a frozen snapshot to play on instead of live tools.
            overrides: further `key=value` settings of `configs/gymnasium.toml`.
            render_mode: `ansi` or None.
        """
        chosen = {"corpus": corpus, "split": split, "snapshot": snapshot}
        given = [f"{key}={value}" for key, value in chosen.items() if value is not None]
        config = load_config(GymnasiumConfig, [*given, *overrides], default="gymnasium.toml")
        self.render_mode = render_mode
        self.observation_space = Unicode(1_000_000)
        self.action_space = Unicode(1_000_000)
        self._open = ExitStack()
        opened = self._open.enter_context(open_game(config, config.parsing))
        self._game, self._files = opened.game, opened.files
        self._by_id = {file.id: file for file in opened.files}
        self._task = cache(self._make_task)
        self._first_texts: dict[str, str] = {}
        self._environment: ParsingEnvironment | None = None
        self._transcript: list[Message] = []

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Start an episode on a drawn file, or on `options["task"]`."""
        super().reset(seed=seed)
        file = (options or {}).get("task") or self._files[int(self.np_random.random() * len(self._files))].id
        self._environment = environment = self._game.environment()
        messages = environment.reset(self._task(file), seed or 0)
        info: dict[str, Any] = {"task": file, "messages": messages}
        if self.render_mode is not None:
            self._transcript = list(messages)
        if environment.last_step is not None:
            info.update(_info(environment.last_step))
        if file not in self._first_texts:
            self._first_texts[file] = "\n\n".join(message.content for message in messages)
        return self._first_texts[file], info

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Play one model turn; any string is legal. On an intercepted file the first step ends the episode and does nothing."""
        if self._environment is None:
            raise gymnasium.error.ResetNeeded("call reset before step")
        environment = self._environment
        step = environment.last_step or environment.step(action)
        if self.render_mode is not None:
            self._transcript += [Message(role="assistant", content=action), Message(role="user", content=step.observation)]
        if not step.done:
            return step.observation, 0.0, False, False, {"invalid": step.invalid}
        fault_outside = step.ending is None or step.ending.worth_replaying
        return "", step.reward.total or 0.0, not fault_outside, fault_outside, _info(step)

    def render(self) -> str | None:
        """The conversation so far, in render mode `ansi`."""
        if self.render_mode is None:
            return None
        return "\n\n".join(f"[{message.role}]\n{message.content}" for message in self._transcript)

    def close(self) -> None:
        """Stop the worker processes."""
        self._open.close()

    def _make_task(self, file: str) -> ParsingTask:
        return self._game.task(self._by_id[file])


def _info(step: Step) -> dict[str, Any]:
    """Flat, so that Gymnasium's wrappers and vector environments can stack it."""
    total, terms = step.reward.total, step.reward.terms
    return {"invalid": step.invalid, "ending": step.ending, "scored": total is not None, "reward_terms": terms, "metrics": step.metrics}


gymnasium.register(id=PARSING_ID, entry_point="env.adapters.gymnasium:ParsingGymnasium")
