"""Reference policies of the comparison table: rule, first, fixed, random, oracle (specification, parsing §7).

All play through the ordinary episode loop. `fixed` and `oracle` are handed tables that an honest policy cannot know.
"""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean

from env.parsing.baselines import Candidate, rule_choice
from env.parsing.config import RuleConfig
from env.parsing.corpus.manifest import CorpusFile
from env.parsing.outputs import ToolOutputs
from env.parsing.quality import QualityReport
from env.records import Message, Task
from rollouts.policies.conversation import Conversation, call_tool, fail, finish, read_conversation
from rollouts.policy import Policy, Reply

OCR_TOOLS = frozenset({"tesseract-ocr"})
"""Tools the rule holds against: what they give is read from an image, not stored text."""


class RulePolicy:
    """Calls every usable tool, then finishes on the best score of the rule baseline."""

    name = "rule"

    def __init__(self, rule: RuleConfig) -> None:
        self._rule = rule

    async def reply(self, messages: Sequence[Message], *, task: Task, seed: int) -> Reply:
        """Call the next untried tool, or choose."""
        del task, seed
        seen = read_conversation(messages)
        if untried := seen.untried():
            return Reply(call_tool(untried[0], "the rule looks at every tool"))
        choice = rule_choice(candidates(seen), seen.format, self._rule)
        return Reply(fail("no tool gives text", "nothing to score") if choice is None else finish(choice, "highest score"))

    async def close(self) -> None:
        """Nothing to release."""


class FirstPolicy:
    """The first tool of another policy's trajectory and no second look: single-shot routing."""

    def __init__(self, inner: Policy) -> None:
        self._inner = inner
        self.name = f"first({inner.name})"

    async def reply(self, messages: Sequence[Message], *, task: Task, seed: int) -> Reply:
        """Take the inner policy's first turn, then finish on that tool whatever came out."""
        seen = read_conversation(messages)
        if not seen.observations:
            return await self._inner.reply(messages, task=task, seed=seed)
        return deliver_only_call(seen)

    async def close(self) -> None:
        """Release the inner policy."""
        await self._inner.close()


class FixedPolicy:
    """Per format the tool with the best mean F1 on the training split: the best possible if/else."""

    name = "fixed"

    def __init__(self, best_tool: Mapping[str, str]) -> None:
        self._best_tool = best_tool

    async def reply(self, messages: Sequence[Message], *, task: Task, seed: int) -> Reply:
        """Call the format's tool (the first listed one where the table has none), then finish on it."""
        del task, seed
        seen = read_conversation(messages)
        if seen.observations:
            return deliver_only_call(seen)
        known = self._best_tool.get(seen.format)
        return Reply(call_tool(known if known in seen.tools else next(iter(seen.tools)), f"the tool for every {seen.format}"))

    async def close(self) -> None:
        """Nothing to release."""


class RandomPolicy:
    """A random usable tool; another one while they fail."""

    name = "random"

    async def reply(self, messages: Sequence[Message], *, task: Task, seed: int) -> Reply:
        """Finish on the first success, else draw among the untried tools with the episode's seed."""
        del task
        seen = read_conversation(messages)
        if seen.successes:
            return Reply(finish(next(iter(seen.successes)), "it gave text"))
        untried = seen.untried()
        if not untried:
            return Reply(fail("no tool gives text", "every tool failed"))
        return Reply(call_tool(random.Random(f"{seed}/{len(untried)}").choice(untried), "drawn at random"))  # noqa: S311 - not for secrets

    async def close(self) -> None:
        """Nothing to release."""


class OraclePolicy:
    """Knows every tool's F1: one call of the best tool, or `fail` where none can read the file. The ceiling, not a player."""

    name = "oracle"

    def __init__(self, outputs: ToolOutputs) -> None:
        self._outputs = outputs

    async def reply(self, messages: Sequence[Message], *, task: Task, seed: int) -> Reply:
        """Look the answer up."""
        del seed
        seen = read_conversation(messages)
        if seen.observations:
            return deliver_only_call(seen)
        scores = {tool: self._outputs.f1(task.id, tool) or 0.0 for tool in seen.tools}
        best = max(scores, key=scores.__getitem__)
        return Reply(call_tool(best, "known to be best") if scores[best] else fail("no tool can read it", "known to be unreadable"))

    async def close(self) -> None:
        """Nothing to release."""


def deliver_only_call(seen: Conversation) -> Reply:
    """Finish on the one tool that was called, or fail when it gave nothing."""
    tool = next(iter(seen.observations))
    return Reply(finish(tool, "no second look") if seen.successes else fail("the tool gives no text", "no second look"))


def candidates(seen: Conversation) -> dict[str, Candidate]:
    """The observed outputs as the rule sees them."""
    return {
        tool: Candidate(QualityReport.model_validate(observation["quality"]), tool not in OCR_TOOLS)
        for tool, observation in seen.successes.items()
    }


def best_tools(outputs: ToolOutputs, files: Sequence[CorpusFile]) -> dict[str, str]:
    """Per true format the tool with the best mean F1 over those `files` that have a reference and whose outputs are recorded.

    Nothing is run in order to learn. A tool that is not usable on a file counts 0 there.
    """
    scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    counts: dict[str, int] = defaultdict(int)
    for file in filter(lambda file: outputs.complete(file.id), files):
        file_format = outputs.inspection(file.id).card.format
        of_file = {tool.name: outputs.f1(file.id, tool.name) for tool in outputs.tools(file.id)}
        if not of_file or None in of_file.values():
            continue
        counts[file_format] += 1
        for tool, f1 in of_file.items():
            scores[file_format][tool].append(f1 or 0.0)
    return {
        file_format: max(sorted(tools), key=lambda name: fmean([*tools[name], *[0.0] * (counts[file_format] - len(tools[name]))]))
        for file_format, tools in sorted(scores.items())
    }
