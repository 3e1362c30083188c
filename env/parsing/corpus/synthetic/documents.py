"""Format-free documents with their exact reference text.

What the reference holds, and what a perfect reader would give: title, headings, paragraphs, footnotes, list items, captions and every table
cell; of formulas the words, function names and digits. What it leaves out: running heads, page numbers, navigation, comments of reviewers,
deleted and invisible text. Speaker notes, labels of charts and the headers of a mail count where a kind has them; the kind adds them.
"""

import random
from dataclasses import dataclass
from typing import Literal

from env.parsing.corpus.synthetic.grammar import Grammar, Language

Genre = Literal["note", "article", "paper", "report", "slides", "sheet"]


@dataclass(frozen=True, slots=True)
class Heading:
    """Heading of a section, or title of a slide."""

    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text, perhaps with a footnote at its end."""

    text: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table; the first row is its head."""

    caption: str
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Formula:
    """A displayed formula in the notations of the writers. Variables are single letters, which are no tokens."""

    text: str
    typst: str
    latex: str
    mathml: str


Block = Heading | Paragraph | Bullets | Table | Formula


@dataclass(frozen=True, slots=True)
class Document:
    """Content without a format."""

    name: str
    language: Language
    title: str
    running_head: str
    """Printed on every page; not part of the reference."""
    blocks: tuple[Block, ...]

    def prose(self) -> tuple[str, ...]:
        """Its paragraphs only."""
        return tuple(block.text for block in self.blocks if isinstance(block, Paragraph))


def reference_text(document: Document) -> str:
    """Exact reference of a document, one block a line."""
    lines = [document.title]
    for block in document.blocks:
        lines.extend(_block_lines(block))
    return "\n".join(lines) + "\n"


def _block_lines(block: Block) -> list[str]:
    match block:
        case Paragraph(text, note):
            return [text, note] if note else [text]
        case Bullets(items):
            return list(items)
        case Table(caption, rows):
            return [*([caption] if caption else []), *("\t".join(row) for row in rows)]
        case Heading(text) | Formula(text=text):
            return [text]


def write_document(name: str, genre: Genre, language: Language, rng: random.Random) -> Document:
    """Write a document of a genre; the same random numbers give the same document."""
    grammar = Grammar(language, rng)
    title = grammar.title()
    head = f"{grammar.person()}, {grammar.place()}" if language == "en" else f"{grammar.place()}通讯"
    blocks = {"note": _note, "article": _article, "paper": _paper, "report": _report, "slides": _slides, "sheet": _sheet}[genre](grammar)
    return Document(name, language, title, head, tuple(blocks))


def _note(grammar: Grammar) -> list[Block]:
    return [Paragraph(grammar.paragraph(4)), Heading(grammar.section()), Paragraph(grammar.paragraph(4))]


def _article(grammar: Grammar) -> list[Block]:
    blocks: list[Block] = []
    for _ in range(3):
        blocks.append(Heading(grammar.section()))
        blocks.extend(Paragraph(grammar.paragraph(grammar.rng.randint(2, 4))) for _ in range(2))
    return blocks


def _paper(grammar: Grammar) -> list[Block]:
    blocks: list[Block] = [Paragraph(grammar.paragraph(4))]
    for part in range(3):
        blocks += [Heading(grammar.section()), Paragraph(grammar.paragraph(4), grammar.sentence() if part < 2 else "")]
        blocks.append(_table(grammar, 4) if part == 1 else write_formula(grammar.rng))
        blocks.append(Paragraph(grammar.paragraph(3)))
    return blocks


def _report(grammar: Grammar) -> list[Block]:
    blocks: list[Block] = [Paragraph(grammar.paragraph(3))]
    for _ in range(2):
        blocks += [Heading(grammar.section()), Paragraph(grammar.paragraph(3)), _table(grammar, 6)]
        blocks.append(Bullets(tuple(grammar.bullet() for _ in range(4))))
    return blocks


def _slides(grammar: Grammar) -> list[Block]:
    blocks: list[Block] = []
    for number in range(4):
        blocks += [Heading(grammar.section()), Bullets(tuple(grammar.bullet() for _ in range(5)))]
        if number == 2:
            blocks.append(_table(grammar, 4))
    return blocks


def _sheet(grammar: Grammar) -> list[Block]:
    return [_table(grammar, grammar.rng.randint(18, 26)) for _ in range(2)]


def _table(grammar: Grammar, rows: int) -> Table:
    measures = grammar.rng.sample(grammar.field.measures, 3)
    head = ("地点" if grammar.language == "zh" else "place", "项目" if grammar.language == "zh" else "item", *measures)
    body = [(grammar.place(), grammar.phrase(), *(str(grammar.rng.randint(10, 9999)) for _ in measures)) for _ in range(rows)]
    return Table(grammar.caption(), (head, *body))


def write_formula(rng: random.Random) -> Formula:
    """A small formula."""
    a, b = rng.randint(2, 99), rng.randint(2, 99)
    name = rng.choice(("log", "exp", "sin", "max"))
    if rng.random() < 0.5:
        return Formula(
            f"y = {a} + {name}(x) − {b}",
            f"y = {a} + {name}(x) - {b}",
            rf"y = {a} + \{name}(x) - {b}",
            f"<mi>y</mi><mo>=</mo><mn>{a}</mn><mo>+</mo><mi>{name}</mi><mo>(</mo><mi>x</mi><mo>)</mo><mo>-</mo><mn>{b}</mn>",
        )
    return Formula(
        f"p = {a} / {b} + {name}(q)",
        f"p = {a} / {b} + {name}(q)",
        rf"p = \frac{{{a}}}{{{b}}} + \{name}(q)",
        f"<mi>p</mi><mo>=</mo><mfrac><mn>{a}</mn><mn>{b}</mn></mfrac><mo>+</mo><mi>{name}</mi><mo>(</mo><mi>q</mi><mo>)</mo>",
    )
