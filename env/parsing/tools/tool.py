"""What a parsing tool is, and what running one gives."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from env.parsing.quality import QualityReport
from env.records import Record

MAX_ERROR_CHARS = 300
"""Length of an error shown to the model (specification, parsing §3)."""


class ErrorKind(StrEnum):
    """Why a tool gave no text."""

    EXCEPTION = "exception"
    NO_TEXT = "no_text"
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out_of_memory"
    CRASHED = "crashed"
    UNSUPPORTED = "unsupported"

    @property
    def transient(self) -> bool:
        """Whether one retry makes sense; a bad format or a missing text layer will not change."""
        return self in _TRANSIENT


_TRANSIENT = frozenset({ErrorKind.TIMEOUT, ErrorKind.OUT_OF_MEMORY, ErrorKind.CRASHED})


class ToolSpec(Record):
    """What the model and a snapshot know of a tool; no code."""

    name: str
    description: str
    """One English sentence shown to the model."""
    description_zh: str
    """The same in Chinese."""
    lossless: bool
    """Reads the stored text, as OCR does not. Lossless tools are listed first."""


@dataclass(frozen=True, slots=True)
class ToolInput:
    """What a tool gets inside its worker."""

    path: Path
    """The file to read. For HTML its formulas have been replaced by placeholders already."""
    format: str
    """True format from the card, e.g. `docx`; never the extension."""
    encoding: str | None
    """Detected charset of text formats, as Python names it; None for binary formats."""
    scratch: Path
    """The only folder the tool may write to; emptied after the call."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A parser: its description and the function that runs in a worker.

    The module that defines a tool must not import its parser library at the top: the parent process reads every tool's
    description and must not load any parser. Third parties add tools through the entry point group `docgym.parsing_tools`,
    each entry naming one `Tool`.
    """

    spec: ToolSpec
    formats: frozenset[str]
    """True formats it takes."""
    family: str
    """Worker family: tools of one family share long-lived processes (`pymupdf`, `pdfminer`, `office`, `html`, `text`, `ocr`…)."""
    extract: Callable[[ToolInput], str]
    """Runs in the worker; returns the whole text, or raises. An empty answer counts as `no_text`."""
    version: Callable[[], str]
    """Everything that decides the output: library, binary, language data and adapter version. Must be cheap and import no parser."""
    missing: Callable[[], str | None]
    """Why it cannot run on this machine (dependency to install), or None. Must be cheap and import no parser."""

    @property
    def name(self) -> str:
        """The name the model writes."""
        return self.spec.name


class ToolResult(Record):
    """Outcome of one tool on one file, as cached and replayed."""

    tool: str
    version: str
    ok: bool
    text: str = ""
    """Raw output with formula placeholders; empty when not ok."""
    quality: QualityReport | None = None
    error_kind: ErrorKind | None = None
    error: str = ""
    """Type and message, at most `MAX_ERROR_CHARS`."""
    seconds: float = 0.0
    """Wall clock of the first run; replayed as recorded."""
    cpu_seconds: float = 0.0
    """CPU time of the worker and its children in that run."""

    @property
    def transient(self) -> bool:
        """Whether the one retry is allowed."""
        return self.error_kind is not None and self.error_kind.transient
