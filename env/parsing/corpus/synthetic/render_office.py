"""Word, PowerPoint and Excel files by python-docx, python-pptx and openpyxl."""

import io
import random
from collections.abc import Sequence
from typing import Any

import docx
import openpyxl
import pptx
from openpyxl.comments import Comment
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.presentation import Presentation
from pptx.slide import Slide
from pptx.util import Cm

from env.parsing.corpus.synthetic.documents import Bullets, Document, Formula, Heading, Paragraph, Table, reference_text, write_document
from env.parsing.corpus.synthetic.grammar import Grammar
from env.parsing.corpus.synthetic.rendered import Rendered
from env.parsing.corpus.synthetic.zips import normalise_zip

_TITLE_LAYOUT, _BULLET_LAYOUT, _TITLE_ONLY_LAYOUT, _EMPTY_LAYOUT = 0, 1, 5, 6
"""Positions in python-pptx's default template."""


def render_docx(document: Document) -> Rendered:
    """A plain Word file: styles, lists, tables, a short running head; footnotes follow their paragraph in brackets."""
    word = docx.Document()
    word.sections[0].header.paragraphs[0].text = document.running_head
    word.add_heading(document.title, 0)
    for block in document.blocks:
        match block:
            case Heading(text):
                word.add_heading(text, 1)
            case Paragraph(text, note):
                word.add_paragraph(f"{text} ({note})" if note else text)
            case Bullets(items):
                for item in items:
                    word.add_paragraph(item, style="List Bullet")
            case Formula(text=text):
                word.add_paragraph(text)
            case Table(caption, rows):
                word.add_paragraph(caption, style="Caption")
                table = word.add_table(rows=0, cols=len(rows[0]))
                for row in rows:
                    for cell, text in zip(table.add_row().cells, row, strict=True):
                        cell.text = text
    stream = io.BytesIO()
    word.save(stream)
    return Rendered(normalise_zip(stream.getvalue()), reference_text(document))


def render_pptx(document: Document) -> Rendered:
    """Slides: a title slide, then one slide per heading with its list or table."""
    return Rendered(_slides(document), reference_text(document))


def render_notes_pptx(document: Document, rng: random.Random) -> Rendered:
    """Slides whose story stands in the speaker notes; these count as content."""
    grammar = Grammar(document.language, rng)
    headings = sum(isinstance(block, Heading) for block in document.blocks)
    notes = [grammar.paragraph(4) for _ in range(headings)]
    return Rendered(_slides(document, notes=notes), reference_text(document) + "\n".join(notes))


def render_chart_pptx(document: Document, rng: random.Random) -> Rendered:
    """Slides with charts: the names of categories and series and the values are content."""
    grammar = Grammar(document.language, rng)
    charts: list[Chart] = []
    for _ in range(4):
        names = tuple(f"{grammar.place()} {grammar.phrase()}" for _ in range(6))
        charts.append((grammar.caption(), names, tuple(rng.randint(10, 999) for _ in names)))
    lines = [f"{caption} {' '.join(names)} {' '.join(map(str, values))}" for caption, names, values in charts]
    return Rendered(_slides(document, charts=charts), reference_text(document) + "\n".join(lines) + "\n")


Chart = tuple[str, tuple[str, ...], tuple[int, ...]]
"""Name of the series, names of the categories, values."""


def _slides(document: Document, notes: Sequence[str] = (), charts: Sequence[Chart] = ()) -> bytes:
    deck = pptx.Presentation()
    _add_slide(deck, _TITLE_LAYOUT, document.title)
    slide, remaining = None, list(notes)
    for block in document.blocks:
        match block:
            case Heading(text):
                slide = _add_slide(deck, _BULLET_LAYOUT, text)
                if remaining and (frame := slide.notes_slide.notes_text_frame) is not None:
                    frame.text = remaining.pop(0)
            case Bullets(items) if slide is not None:
                slide.placeholders[1].text = "\n".join(items)
            case Table(caption, rows):
                _fill_table(_add_slide(deck, _TITLE_ONLY_LAYOUT, caption), rows)
    for chart in charts:
        _draw_chart(deck.slides.add_slide(deck.slide_layouts[_EMPTY_LAYOUT]), chart)
    stream = io.BytesIO()
    deck.save(stream)
    return normalise_zip(stream.getvalue())


def _add_slide(deck: Presentation, layout: int, title: str) -> Slide:
    slide: Slide = deck.slides.add_slide(deck.slide_layouts[layout])
    if slide.shapes.title is not None:
        slide.shapes.title.text = title
    return slide


def _fill_table(slide: Slide, rows: Sequence[Sequence[str]]) -> None:
    table = slide.shapes.add_table(len(rows), len(rows[0]), Cm(1), Cm(5), Cm(22), Cm(8)).table
    for r, row in enumerate(rows):
        for c, cell in enumerate(row):
            table.cell(r, c).text = cell


def _draw_chart(slide: Slide, chart: Chart) -> None:
    caption, names, values = chart
    data: Any = CategoryChartData()  # type: ignore[no-untyped-call]  # half typed in python-pptx
    data.categories = names
    data.add_series(caption, values)
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Cm(1), Cm(4), Cm(22), Cm(12), data)


def render_xlsx(document: Document) -> Rendered:
    """A workbook with one sheet per table; the sheets' names count as captions, and so does the title as a first row."""
    return Rendered(_workbook(document, {}), _sheet_reference(document))


def render_commented_xlsx(document: Document, rng: random.Random) -> Rendered:
    """A workbook with long comments of reviewers at its cells; they are not content."""
    remarks = write_document(document.name, "article", document.language, rng).prose()
    cells = {(number * 3 + 3, 2): remarks[number % len(remarks)] for number in range(6)}
    return Rendered(_workbook(document, cells), _sheet_reference(document))


def render_sparse_xlsx(document: Document) -> Rendered:
    """A form: labels and values scattered over a wide sheet with many empty cells."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Form" if document.language == "en" else "表格"
    lines = [sheet.title, document.title]
    sheet.cell(1, 1, document.title)
    row_number = 3
    for block in document.blocks:
        if isinstance(block, Table):
            for row in block.rows[1:14]:
                for number, cell in enumerate(row):
                    sheet.cell(row_number, 1 + 3 * number + row_number % 3, _value(cell))
                lines.extend(row)
                row_number += 2
    return Rendered(_save(book), "\n".join(lines))


def _workbook(document: Document, comments: dict[tuple[int, int], str]) -> bytes:
    book = openpyxl.Workbook()
    sheets = [block for block in document.blocks if isinstance(block, Table)]
    for number, table in enumerate(sheets):
        sheet = book.active if number == 0 else book.create_sheet()
        sheet.title = f"{number + 1} {table.caption}"[:31]
        if number == 0:
            sheet.append([document.title])
        for row in table.rows:
            sheet.append([_value(cell) for cell in row])
        for (row_number, column), text in comments.items():
            sheet.cell(row_number, column).comment = Comment(text, "Reviewer")
    return _save(book)


def _sheet_reference(document: Document) -> str:
    lines = [document.title]
    for number, table in enumerate(block for block in document.blocks if isinstance(block, Table)):
        lines += [f"{number + 1} {table.caption}"[:31], *("\t".join(row) for row in table.rows)]
    return "\n".join(lines) + "\n"


def _value(cell: str) -> str | int:
    return int(cell) if cell.isdigit() else cell


def _save(book: openpyxl.Workbook) -> bytes:
    stream = io.BytesIO()
    book.save(stream)
    return normalise_zip(stream.getvalue())
