"""One cheap look at a file before any tool runs: its card, its formulas, and the yardstick that coverage is measured against.

Runs in an isolated worker like a tool (it opens an attacker's file), is cached like a tool result, and travels in the snapshot.
"""

from env.parsing.card import FileCard
from env.records import Record


class Yardstick(Record):
    """Content that an independent look can see, to compare a tool's output with."""

    source: str
    """What was looked at: `pdf_text_layer`, `ooxml_parts`, `odf_content`, `dom`, `text`, `none`."""
    tokens: dict[str, int]
    """Token counts of that content (tokens as in `rewards.token_f1`)."""
    unread_tokens: int = 0
    """Estimated tokens in ink that no stored text covers (scanned pages, text drawn as curves)."""
    reliable: bool = True
    """False when that content is itself garbage, e.g. a font without ToUnicode; coverage is then unknown."""


class Inspection(Record):
    """Card, formulas and yardstick of one file."""

    version: str
    """Everything that decides the inspection; part of its cache key."""
    card: FileCard
    formulas: tuple[str, ...] = ()
    """LaTeX of the formulas of an HTML file: `⟦F{first_formula}⟧` stands for the first, and so on."""
    first_formula: int = 1
    """Number of the first placeholder; above 1 when the document itself contains such brackets."""
    yardstick: Yardstick
