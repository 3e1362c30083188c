"""Fixtures of the whole test suite."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from configs.load import load_config
from env.errors import CacheMissError
from env.parsing.card import FileCard
from env.parsing.config import ParsingConfig
from env.parsing.corpus.manifest import CorpusFile
from env.parsing.environment import ParsingGame
from env.parsing.inspection import Inspection, Yardstick
from env.parsing.previews import cut_previews
from env.parsing.quality import QualityReport
from env.parsing.tools.tool import ErrorKind, ToolResult, ToolSpec
from env.records import Record


class ParsingOnly(Record):
    """Schema for reading `configs/parsing.toml` alone."""

    parsing: ParsingConfig


@dataclass
class RecordedOutputs:
    """Tool outputs written down by hand: the smallest `ToolOutputs`, so that episodes can be tested without running a parser."""

    card: FileCard
    specs: tuple[ToolSpec, ...]
    results: dict[tuple[str, int], ToolResult]
    f1s: dict[str, float] | None
    digest: str = "recorded"
    asked: list[tuple[str, int]] = field(default_factory=list)

    def inspection(self, file: str) -> Inspection:
        return Inspection(version="1", card=self.card, yardstick=Yardstick(source="none", tokens={}))

    def tools(self, file: str) -> tuple[ToolSpec, ...]:
        return self.specs

    def result(self, file: str, tool: str, attempt: int = 0) -> ToolResult:
        self.asked.append((tool, attempt))
        if (tool, attempt) not in self.results:
            raise CacheMissError(f"no recorded output of {tool} for file {file}")
        return self.results[tool, attempt]

    def preview(self, file: str, tool: str, attempt: int, head_chars: int, middle_chars: int) -> tuple[str, str]:
        return cut_previews(self.results[tool, attempt].text, head_chars, middle_chars)

    def complete(self, file: str) -> bool:
        return all((spec.name, 0) in self.results for spec in self.specs)

    def f1(self, file: str, tool: str) -> float | None:
        return None if self.f1s is None else self.f1s[tool]


def make_card(**changes: object) -> FileCard:
    card = FileCard(
        name="a.pdf", extension="pdf", format="pdf", mime="application/pdf", size_bytes=1000, sha256="0" * 64, md5="0" * 32, pages=2
    )
    return card.model_copy(update=changes)


def make_result(tool: str, text: str = "", error: ErrorKind | None = None, **quality: float) -> ToolResult:
    if error is not None:
        return ToolResult(tool=tool, version="1", ok=False, error_kind=error, error=f"{error}: it went wrong", seconds=0.5)
    numbers = {
        "chars": len(text),
        "content_tokens": 100,
        "natural": 0.9,
        "clean": 1.0,
        "duplicate": 0.0,
        "headings": 0,
        "table_rows": 0,
        "math": 0,
    }
    return ToolResult(tool=tool, version="1", ok=True, text=text, quality=QualityReport.model_validate(numbers | quality), seconds=0.25)


@pytest.fixture
def parsing_config() -> ParsingConfig:
    """The shipped configuration of the parsing game."""
    return load_config(ParsingOnly, [], default="parsing.toml").parsing


@pytest.fixture
def recorded_outputs() -> RecordedOutputs:
    """A PDF on which `good` is right, `poor` gives less, `ocr` is close, `broken` always fails and `flaky` works at the second try."""
    results = {
        ("good", 0): make_result("good", "good text " * 300, coverage=0.99),
        ("poor", 0): make_result("poor", "poor", content_tokens=40, natural=0.5),
        ("broken", 0): make_result("broken", error=ErrorKind.EXCEPTION),
        ("flaky", 0): make_result("flaky", error=ErrorKind.TIMEOUT),
        ("flaky", 1): make_result("flaky", "flaky text", content_tokens=80),
        ("tesseract-ocr", 0): make_result("tesseract-ocr", "ocr text", content_tokens=95, natural=0.8),
    }
    f1s = {"good": 0.95, "poor": 0.40, "broken": 0.0, "flaky": 0.80, "tesseract-ocr": 0.945}
    specs = tuple(
        ToolSpec(name=name, description=f"{name} in English", description_zh=f"{name} 中文", lossless="ocr" not in name) for name in f1s
    )
    return RecordedOutputs(card=make_card(), specs=specs, results=results, f1s=f1s)


@pytest.fixture
def corpus_file() -> CorpusFile:
    """The file behind `recorded_outputs`."""
    return CorpusFile(id="doc/a", path=Path("a.pdf"), format="pdf", category="papers", doc="doc", split="train")


@pytest.fixture
def make_game(parsing_config: ParsingConfig, recorded_outputs: RecordedOutputs) -> Callable[..., ParsingGame]:
    """Builds a game on the recorded outputs, with changes to its configuration."""

    def make(**changes: object) -> ParsingGame:
        return ParsingGame(recorded_outputs, parsing_config.model_copy(update=changes))

    return make
