"""The embedded teacher: a scripted ReAct policy that looks at results and stops early. No model, no key, no network.

It reads the same messages as a model. Which tools it tries first per format, and when a result is good enough, stands in
`configs/policy/heuristic.toml`; both were learned on training files only.
"""

from collections.abc import Sequence

from env.parsing.baselines import SPREADSHEETS, rule_choice
from env.parsing.config import RuleConfig
from env.records import Message, Record, Task
from rollouts.policies.conversation import Conversation, Json, call_tool, fail, finish, read_conversation
from rollouts.policies.references import OCR_TOOLS, candidates
from rollouts.policy import Reply


class HeuristicThresholds(Record):
    """When the heuristic is content, and in which order it tries tools."""

    min_natural: float
    """A result below this does not read like language; not asked of spreadsheets."""
    min_clean: float
    min_coverage: float
    """A result below this misses content that the independent look saw."""
    min_letters: float
    """A preview with a smaller share of letters is figures, not prose: its `natural` is not asked for."""
    ocr_tolerance: float
    """OCR is believed over a text layer that misses ink although its `natural` is lower by so much."""
    min_ocr_share: float
    """Share of the text layer's tokens below which OCR has not read the page."""
    order: dict[str, tuple[str, ...]]
    """Tools to try first, per true format; then those listed, OCR last."""


class HeuristicPolicy:
    """Try the format's best tool, accept a good result, else look on; deliver the best of what was seen."""

    name = "heuristic"

    def __init__(self, thresholds: HeuristicThresholds, rule: RuleConfig, max_looks: int) -> None:
        self._thresholds = thresholds
        self._rule = rule
        self._max_looks = max_looks

    async def reply(self, messages: Sequence[Message], *, task: Task, seed: int) -> Reply:
        """Decide from the conversation alone."""
        del task, seed
        seen = read_conversation(messages)
        if not seen.observations:
            return self._first_call(seen)
        tool, last = list(seen.observations.items())[-1]
        complaint = self._complaint(last, seen.format)
        if complaint is None or (tool in OCR_TOOLS and self._believe_ocr(seen)):
            return Reply(finish(tool, f"{tool}: {_numbers(last)}, the preview reads like the document"))
        following = self._next_tool(seen, last)
        if following is None or len(seen.observations) >= self._max_looks:
            return self._settle(seen, complaint)
        return Reply(call_tool(following, f"{tool}: {complaint}; try {following}"))

    async def close(self) -> None:
        """Nothing to release."""

    def _first_call(self, seen: Conversation) -> Reply:
        tool = self._preference(seen)[0]
        hints = seen.card.get("hints")
        why = f"the text looks like {', '.join(hints)}" if hints else f"true format {seen.format}"
        return Reply(call_tool(tool, f"{why}: start with {tool}"))

    def _preference(self, seen: Conversation) -> list[str]:
        hinted = [str(hint) for hint in seen.card.get("hints", [])]
        return list(dict.fromkeys(seen.untried([*hinted, *self._thresholds.order.get(seen.format, ())]) + seen.untried()))

    def _next_tool(self, seen: Conversation, last: Json) -> str | None:
        """A text layer that is missing, garbled or too short sends a PDF to OCR at once; otherwise down the order."""
        preference = self._preference(seen)
        ocr = [tool for tool in preference if tool in OCR_TOOLS]
        if seen.format == "pdf" and ocr and (not last["ok"] or self._complaint(last, seen.format) is not None):
            return ocr[0]
        return next(iter(preference), None)

    def _complaint(self, observation: Json, file_format: str) -> str | None:
        """What is wrong with a result, quoting its numbers; None when it is good."""
        if not observation["ok"]:
            return f"no text ({observation['error']})"
        quality, limits = observation["quality"], self._thresholds
        if quality["content_tokens"] == 0:
            return "content_tokens 0"
        if quality["natural"] < limits.min_natural and file_format not in SPREADSHEETS and self._is_prose(observation):
            return f"natural {quality['natural']} is low"
        if quality["clean"] < limits.min_clean:
            return f"clean {quality['clean']} is low"
        coverage = quality.get("coverage")
        if coverage is not None and coverage < limits.min_coverage:
            return f"coverage {coverage} says that content is missing"
        return None

    def _is_prose(self, observation: Json) -> bool:
        preview = str(observation.get("preview_head", ""))
        return not preview or sum(map(str.isalpha, preview)) >= self._thresholds.min_letters * len(preview)

    def _settle(self, seen: Conversation, complaint: str) -> Reply:
        choice = self._believe_ocr(seen) or rule_choice(candidates(seen), seen.format, self._rule)
        if choice is None:
            return Reply(fail("none of the tools that fit can read this file", complaint))
        quality, limits = seen.successes[choice]["quality"], self._thresholds
        if seen.format not in SPREADSHEETS and quality["natural"] < limits.min_natural and quality["clean"] < limits.min_clean:
            return Reply(fail("what the tools give is not readable text", f"best is {choice}: {_numbers(seen.successes[choice])}"))
        return Reply(finish(choice, f"nothing better left; {choice}: {_numbers(seen.successes[choice])}"))

    def _believe_ocr(self, seen: Conversation) -> str | None:
        """Where the text layer leaves ink uncovered, what OCR reads from the page counts, even if the layer contradicts it."""
        ocr = next((tool for tool in seen.successes if tool in OCR_TOOLS), None)
        layer = next((tool for tool in seen.successes if tool not in OCR_TOOLS), None)
        if seen.format != "pdf" or ocr is None or layer is None:
            return ocr if seen.format == "pdf" else None
        read, stored, limits = seen.successes[ocr]["quality"], seen.successes[layer]["quality"], self._thresholds
        misses_ink = stored.get("coverage", 1.0) < limits.min_coverage or stored["clean"] < limits.min_clean
        natural_enough = read["natural"] >= stored["natural"] - limits.ocr_tolerance
        long_enough = read["content_tokens"] >= limits.min_ocr_share * stored["content_tokens"]
        return ocr if misses_ink and natural_enough and long_enough else None


def _numbers(observation: Json) -> str:
    quality = observation["quality"]
    shown = [name for name in ("content_tokens", "natural", "clean", "coverage") if name in quality]
    return ", ".join(f"{name} {quality[name]}" for name in shown)
