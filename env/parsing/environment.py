"""The parsing episode: card and tool list in, JSON actions, observations, one reward at the end (specification, parsing §6 and §8).

`ParsingGame` belongs to a whole run and holds what episodes share; `ParsingEnvironment` is one single-use episode.
"""

from functools import lru_cache
from typing import Any, NamedTuple

from env.actions import Action, InvalidAction, InvalidReason, parse_action
from env.episode import Budget, Ending, Step
from env.errors import CacheMissError, EpisodeError
from env.parsing import prompt
from env.parsing.baselines import Candidate, rule_choice
from env.parsing.config import ParsingConfig
from env.parsing.corpus.manifest import CorpusFile
from env.parsing.document import ParsedDocument
from env.parsing.formulas import restore_formulas
from env.parsing.outputs import ToolOutputs
from env.parsing.tools.tool import ToolResult, ToolSpec
from env.records import Message, Task
from rewards.breakdown import NOT_SCORED, RewardBreakdown
from rewards.oracle import fewest_calls, is_right, oracle_f1
from rewards.parsing_reward import parsing_reward

_SHARED_EPISODES = 4096
"""Files whose prompts and observations are kept rendered; a group of rollouts plays the same file many times."""


class ParsingTask(Task):
    """One file to parse."""

    expect: str | None = None
    """`fail` when no tool can give this file's text and saying so is right; see `CorpusFile.expect`."""


class Opening(NamedTuple):
    """How every episode on one file begins."""

    messages: tuple[Message, ...]
    tools: dict[str, ToolSpec]
    """Usable tools by name, in their listed order."""
    format: str
    refusal: str | None
    """Why the episode is intercepted, or None."""


class Scores(NamedTuple):
    """What an episode on one file is scored with; hidden from models."""

    f1: dict[str, float]
    """Token F1 of every usable tool."""
    oracle: float | None
    """The best of them; None without usable tools."""
    par: int
    """Fewest calls that reach a right choice."""


class ParsingGame:
    """Everything the episodes of a run share: tool outputs, configuration, rendered texts."""

    def __init__(self, outputs: ToolOutputs, config: ParsingConfig) -> None:
        self.outputs = outputs
        self.config = config
        self.opening = lru_cache(_SHARED_EPISODES)(self._opening)
        self.observe = lru_cache(_SHARED_EPISODES * 4)(self._observe)
        self.scores = lru_cache(_SHARED_EPISODES)(self._scores)

    def task(self, file: CorpusFile) -> ParsingTask:
        """The task of one corpus file; its format comes from the card when the manifest does not say."""
        return ParsingTask(
            id=file.id,
            game="parsing",
            category=file.category or "uncategorised",
            format=file.format or self.outputs.inspection(file.id).card.format,
            doc=file.doc or file.id,
            split=file.split,
            expect=file.expect,
        )

    def environment(self) -> "ParsingEnvironment":
        """A fresh episode."""
        return ParsingEnvironment(self)

    def _opening(self, file: str) -> Opening:
        card, tools = self.outputs.inspection(file).card, self.outputs.tools(file)
        refusal = card.refusal if tools or card.refusal else f"no usable tool for format {card.format}"
        return Opening(prompt.first_messages(card, tools, self.config), {tool.name: tool for tool in tools}, card.format, refusal)

    def _observe(self, file: str, tool: str, attempt: int) -> tuple[ToolResult, Step]:
        shown = self.config.observation
        result = self.outputs.result(file, tool, attempt)
        previews = ("", "")
        if result.ok:
            previews = self.outputs.preview(file, tool, attempt, shown.preview_head_chars, shown.preview_middle_chars)
        return result, Step(prompt.observation(result, previews, shown))

    def _scores(self, file: str) -> Scores | None:
        """None when the file has no reference."""
        table = {tool.name: self.outputs.f1(file, tool.name) for tool in self.outputs.tools(file)}
        f1 = {tool: score for tool, score in table.items() if score is not None}
        if len(f1) < len(table):
            return None
        return Scores(f1, oracle_f1(f1), fewest_calls(f1, self.config.scoring.right_margin))


class ParsingEnvironment:
    """One episode on one file; see `env.episode.Environment` for the protocol."""

    def __init__(self, game: ParsingGame) -> None:
        self._game = game
        self._budget = Budget(game.config.max_calls, game.config.max_invalid)
        self._task: ParsingTask | None = None
        self._tools: dict[str, ToolSpec] = {}
        self._format = ""
        self._results: dict[str, ToolResult] = {}
        self._attempts: dict[str, int] = {}
        self._tool_seconds = 0.0
        self._choice: str | None = None
        self._detail = ""
        self._last_step: Step | None = None

    @property
    def last_step(self) -> Step | None:
        """The final step once the episode is over, else None."""
        return self._last_step

    @property
    def detail(self) -> str:
        """Why the episode ended so: the model's reason, the intercepting rule, the fault."""
        return self._detail

    def reset(self, task: ParsingTask, seed: int = 0) -> tuple[Message, ...]:
        """Start the episode. The game has no randomness of its own, so `seed` changes nothing.

        Raises:
            EpisodeError: this object has been used before.
        """
        del seed
        if self._task is not None:
            raise EpisodeError("an environment is single-use: make a new one for each episode")
        self._task = task
        try:
            messages, self._tools, self._format, refusal = self._game.opening(task.id)
        except CacheMissError as error:
            self.abort(Ending.CACHE_MISS, str(error))
            return ()
        if refusal is not None:
            self.abort(Ending.INTERCEPTED, refusal)
        return messages

    def step(self, text: str) -> Step:
        """Play one model turn; any text is legal.

        Raises:
            EpisodeError: before `reset` or after the end.
        """
        if self._task is None:
            raise EpisodeError("call reset before step")
        if self._last_step is not None:
            raise EpisodeError(f"the episode is over ({self._last_step.ending}); make a new environment")
        action = parse_action(text, prompt.ACTIONS, thought_required=self._game.config.thought)
        if isinstance(action, InvalidAction):
            return self._answer_invalid(action)
        try:
            return self._play(action, self._task)
        except CacheMissError as error:
            return self.abort(Ending.CACHE_MISS, str(error))

    def abort(self, ending: Ending, detail: str = "") -> Step:
        """End the episode from outside or before it began; it is not scored."""
        self._detail = detail
        self._last_step = Step("", done=True, ending=ending, reward=NOT_SCORED, metrics=self._counts())
        return self._last_step

    def outcome(self) -> dict[str, Any]:
        """What the trajectory keeps beside the conversation; hidden from models, since it names every tool's F1."""
        scores = (
            None if self._task is None or self._last_step is None or not self._last_step.reward.scored else self._game.scores(self._task.id)
        )
        return {"choice": self._choice, "tools": list(self._attempts), "f1_by_tool": {} if scores is None else scores.f1}

    def document(self) -> ParsedDocument:
        """What is handed on (specification, parsing §10): full text of the choice with formulas restored.

        Raises:
            EpisodeError: the episode is not over.
        """
        if self._task is None or self._last_step is None or self._last_step.ending is None:
            raise EpisodeError("the document is ready when the episode is over")
        inspection = self._game.outputs.inspection(self._task.id)
        result = None if self._choice is None else self._results[self._choice]
        return ParsedDocument(
            file=self._task.id,
            text="" if result is None else restore_formulas(result.text, inspection.formulas, inspection.first_formula),
            tool=self._choice,
            quality=None if result is None else result.quality,
            warnings=inspection.card.warnings,
            formulas=inspection.formulas,
            ending=self._last_step.ending,
            detail=self._detail,
        )

    def _play(self, action: Action, task: ParsingTask) -> Step:
        if action.name == "call_tool":
            return self._call(action.argument, task)
        if action.name == "finish":
            result = self._results.get(action.argument)
            if result is None or not result.ok:
                return self._refuse(InvalidReason.CHOICE_NOT_SUCCESSFUL, f'"{_short(action.argument)}" has given no text in this episode')
            return self._end(Ending.FINISHED, task, choice=action.argument)
        return self._end(Ending.FAILED, task, detail=action.argument)

    def _call(self, tool: str, task: ParsingTask) -> Step:
        if tool not in self._tools:
            return self._refuse(InvalidReason.UNKNOWN_TOOL, f'there is no tool "{_short(tool)}" for this file')
        attempt = self._attempts.get(tool, -1) + 1
        if attempt > 1 or (attempt == 1 and not self._results[tool].transient):
            return self._refuse(InvalidReason.REPEATED_TOOL, f'"{tool}" was called already; its result would be the same')
        if self._budget.calls_left <= 0:
            return self._end(Ending.CALL_LIMIT, task, choice=self._rule_choice(task))
        result, step = self._game.observe(task.id, tool, attempt)
        self._budget.count_call()
        self._attempts[tool] = attempt
        self._results[tool] = result
        self._tool_seconds += result.seconds
        return step

    def _refuse(self, reason: InvalidReason, detail: str) -> Step:
        return self._answer_invalid(InvalidAction(reason, detail))

    def _answer_invalid(self, invalid: InvalidAction) -> Step:
        if self._budget.count_invalid() and self._task is not None:
            try:
                return self._end(Ending.RULE_FALLBACK, self._task, choice=self._rule_choice(self._task), invalid=invalid.reason)
            except CacheMissError as error:
                return self.abort(Ending.CACHE_MISS, str(error))
        return Step(prompt.invalid_message(invalid, self._game.config), invalid=invalid.reason)

    def _rule_choice(self, task: ParsingTask) -> str | None:
        """Run what has not been run yet and let the rule choose; these calls are not the model's."""
        for tool in self._tools:
            if tool not in self._results:
                self._results[tool], _ = self._game.observe(task.id, tool, 0)
                self._tool_seconds += self._results[tool].seconds
        candidates = {
            tool: Candidate(result.quality, self._tools[tool].lossless)
            for tool in self._tools
            if (result := self._results[tool]).ok and result.quality is not None
        }
        return rule_choice(candidates, self._format, self._game.config.rule)

    def _end(
        self, ending: Ending, task: ParsingTask, *, choice: str | None = None, detail: str = "", invalid: InvalidReason | None = None
    ) -> Step:
        self._choice, self._detail = choice, detail
        reward, metrics = self._score(ending, task)
        self._last_step = Step("", done=True, ending=ending, reward=reward, metrics=metrics, invalid=invalid)
        return self._last_step

    def _score(self, ending: Ending, task: ParsingTask) -> tuple[RewardBreakdown, dict[str, float]]:
        """Reward and metrics; without a reference (and no known right answer) the episode is not scored."""
        scores = self._game.scores(task.id)
        if scores is None and task.expect != "fail":
            return NOT_SCORED, self._counts()
        oracle = None if scores is None else scores.oracle
        chosen = scores.f1[self._choice] if scores is not None and oracle and self._choice is not None else None
        scoring, budget = self._game.config.scoring, self._budget
        reward = parsing_reward(
            ending=ending,
            chosen_f1=chosen,
            oracle=oracle,
            calls=budget.calls,
            max_calls=budget.max_calls,
            invalid=budget.invalid,
            right_margin=scoring.right_margin,
            efficiency_bonus=scoring.efficiency_bonus,
            invalid_penalty=scoring.invalid_penalty,
        )
        if scores is None or not oracle:
            return reward, self._counts() | {"readable": 0.0, "right": float(ending is Ending.FAILED)}
        right = chosen is not None and is_right(chosen, oracle, scoring.right_margin)
        metrics = {"readable": 1.0, "f1": chosen or 0.0, "oracle": oracle, "right": float(right), "par": float(scores.par)}
        return reward, self._counts() | metrics

    def _counts(self) -> dict[str, float]:
        return {"calls": float(self._budget.calls), "invalid": float(self._budget.invalid), "tool_seconds": round(self._tool_seconds, 6)}


def _short(text: str) -> str:
    """A model's own words, quoted back without flooding the conversation."""
    return text[:60]
