"""One cheap look at a file before any tool runs: its card, its formulas, and the yardstick that coverage is measured against.

Runs in an isolated worker like a tool (it opens an attacker's file), is cached like a tool result, and travels in the snapshot.
"""

from pathlib import Path

from env.parsing.card import FileCard, make_bare_card, make_card
from env.parsing.coverage import NO_YARDSTICK, measure_yardstick, yardstick_version
from env.parsing.file_format import HEAD_BYTES, name_magic
from env.parsing.formulas import protect_formulas
from env.parsing.quality import QUALITY_VERSION
from env.parsing.tools.dependencies import versions
from env.parsing.tools.pdf_facts import read_pdf_facts
from env.parsing.tools.tool import Tool
from env.parsing.yardstick import Yardstick
from env.records import Record

_rules_version = versions(1, "charset-normalizer", "lxml", "mathml-to-latex", "olefile", "puremagic", "pypdf", "pypdfium2")
"""Our own rules; raise it whenever a card or a formula may come out differently."""


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


def inspection_version() -> str:
    """Our own rules, the yardstick's, and the libraries that decide an inspection; part of its cache key."""
    return f"{_rules_version()}; yardstick {yardstick_version()}"


def output_version(tool: Tool) -> str:
    """Everything that decides a tool's recorded result: the tool, what it is handed (formulas), what it is measured with."""
    return f"{tool.version()}; inspection {inspection_version()}; quality {QUALITY_VERSION}"


def inspect_file(path: Path, name: str) -> Inspection:
    """Inspect a file that is called `name`. Runs in an isolated worker; whatever the file holds, it gives a card.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        is_pdf = name_magic(file.read(HEAD_BYTES)) == "pdf"
    card = make_card(path, name=name, pdf=read_pdf_facts(path) if is_pdf else None)
    formulas: tuple[str, ...] = ()
    first = 1
    if card.format == "html" and card.refusal is None:
        page = protect_formulas(path.read_bytes().decode(card.encoding or "utf-8", "replace"))
        formulas, first = page.formulas, page.first
    return Inspection(
        version=inspection_version(), card=card, formulas=formulas, first_formula=first, yardstick=measure_yardstick(path, card)
    )


def damaged_inspection(path: Path, name: str, reason: str) -> Inspection:
    """Inspection of a file on which the inspecting worker died: what can be said without looking inside.

    Raises:
        OSError: the file cannot be read.
    """
    card = make_bare_card(path, name, reason)
    return Inspection(version=inspection_version(), card=card, yardstick=NO_YARDSTICK)
