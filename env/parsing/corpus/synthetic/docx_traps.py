"""Word files with text in places that some readers skip and others take although it is no content."""

import io
import random
from collections.abc import Callable
from xml.sax.saxutils import escape

import docx
from docx.document import Document as WordDocument
from docx.oxml import parse_xml
from PIL import Image

from env.parsing.corpus.synthetic.documents import Bullets, Document, Formula, Heading, Paragraph, Table, reference_text, write_document
from env.parsing.corpus.synthetic.rendered import Rendered
from env.parsing.corpus.synthetic.zips import normalise_zip

_NAMESPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
)
_SHAPE = "http://schemas.microsoft.com/office/word/2010/wordprocessingShape"
_BY = 'w:author="Editor" w:date="2020-01-02T03:04:05Z"'
_CONTENTS = '<w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/><w:docPartUnique/></w:docPartObj></w:sdtPr>'
_ENTRY_CHARS = 90

AddParagraph = Callable[[WordDocument, str, int], object]
"""Adds the text of the paragraph with this number."""


def text_boxes(document: Document) -> Rendered:
    """Most paragraphs stand in text boxes, without the copy that Word adds for old programs."""

    def add(word: WordDocument, text: str, number: int) -> None:
        _add_xml(word, _text_box(text, number) if number % 4 else _paragraph(_run(text)))

    return _save(_write(document, add), document)


def merge_fields(document: Document) -> Rendered:
    """A form letter: most of every paragraph is the result of a field."""

    def add(word: WordDocument, text: str, number: int) -> None:
        third = len(text) // 3
        field = f'<w:fldSimple w:instr=" MERGEFIELD Part{number} ">{_run(text[third:])}</w:fldSimple>'
        _add_xml(word, _paragraph(_run(text[:third]) + field))

    return _save(_write(document, add), document)


def tracked_changes(document: Document, rng: random.Random) -> Rendered:
    """A draft under review: most of every paragraph is a tracked insertion, and a foreign paragraph is a tracked deletion."""
    foreign = _foreign(document, rng)

    def add(word: WordDocument, text: str, number: int) -> None:
        third = len(text) // 3
        inserted = f'<w:ins w:id="{2 * number}" {_BY}>{_run(text[third:])}</w:ins>'
        gone = escape(foreign[number % len(foreign)])
        deleted = f'<w:del w:id="{2 * number + 1}" {_BY}><w:r><w:delText>{gone}</w:delText></w:r></w:del>'
        _add_xml(word, _paragraph(_run(text[:third]) + inserted + deleted))

    return _save(_write(document, add), document)


def contents_list(document: Document) -> Rendered:
    """A generated list before the text repeats every heading and the start of every paragraph; navigation, not content."""
    word = _write(document, _add_plain)
    texts = [block.text for block in document.blocks if isinstance(block, Heading | Paragraph)]
    entries = "".join(_paragraph(_run(f"{text[:_ENTRY_CHARS]} ...... {number}")) for number, text in enumerate(texts, start=1))
    word.element.body.insert(1, parse_xml(f"<w:sdt {_NAMESPACES}>{_CONTENTS}<w:sdtContent>{entries}</w:sdtContent></w:sdt>"))
    return _save(word, document)


def review_comments(document: Document, rng: random.Random) -> Rendered:
    """Long comments of reviewers beside the text, and a disclaimer in head and foot; neither is content."""
    foreign = _foreign(document, rng)
    word = _write(document, _add_plain)
    section = word.sections[0]
    section.header.paragraphs[0].text = section.footer.paragraphs[0].text = foreign[-1]
    paragraphs = [paragraph for paragraph in word.paragraphs if paragraph.runs]
    for number, paragraph in enumerate(paragraphs[:: max(1, len(paragraphs) // 5)]):
        word.add_comment(paragraph.runs, text=foreign[number % len(foreign)], author="Reviewer", initials="R")
    return _save(word, document)


def pictures(document: Document, rng: random.Random) -> Rendered:
    """A picture after every paragraph, which one converter inlines as thousands of letters."""
    width, height = 60, 40

    def add(word: WordDocument, text: str, number: int) -> None:
        _add_plain(word, text, number)
        stream = io.BytesIO()
        Image.frombytes("RGB", (width, height), rng.randbytes(3 * width * height)).save(stream, "PNG")
        word.add_picture(stream)

    return _save(_write(document, add), document)


def _write(document: Document, add_paragraph: AddParagraph) -> WordDocument:
    """A Word file whose paragraphs the kind adds; notes follow them as paragraphs of their own."""
    word = docx.Document()
    word.add_heading(document.title, 0)
    for number, block in enumerate(document.blocks):
        match block:
            case Heading(text):
                word.add_heading(text, 1)
            case Paragraph(text, note):
                add_paragraph(word, text, number)
                if note:
                    word.add_paragraph(note)
            case Bullets(items):
                for item in items:
                    word.add_paragraph(item, style="List Bullet")
            case Formula(text=text):
                word.add_paragraph(text)
            case Table(caption, rows):
                _add_table(word, caption, rows)
    return word


def _add_table(word: WordDocument, caption: str, rows: tuple[tuple[str, ...], ...]) -> None:
    word.add_paragraph(caption, style="Caption")
    table = word.add_table(rows=0, cols=len(rows[0]))
    for row in rows:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text


def _add_plain(word: WordDocument, text: str, number: int) -> None:  # noqa: ARG001 - the common signature
    word.add_paragraph(text)


def _foreign(document: Document, rng: random.Random) -> tuple[str, ...]:
    """Paragraphs of another document."""
    return write_document(document.name, "article", document.language, rng).prose()


def _save(word: WordDocument, document: Document) -> Rendered:
    stream = io.BytesIO()
    word.save(stream)
    return Rendered(normalise_zip(stream.getvalue()), reference_text(document))


def _add_xml(word: WordDocument, paragraph: str) -> None:
    body = word.element.body
    body.insert(len(body) - 1, parse_xml(paragraph.replace("<w:p>", f"<w:p {_NAMESPACES}>", 1)))  # the last element holds the page setup


def _paragraph(inside: str) -> str:
    return f"<w:p>{inside}</w:p>"


def _run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def _text_box(text: str, number: int) -> str:
    content = f"<w:txbxContent>{_paragraph(_run(text))}</w:txbxContent>"
    shape = f'<wps:wsp><wps:cNvSpPr txBox="1"/><wps:spPr/><wps:txbx>{content}</wps:txbx><wps:bodyPr/></wps:wsp>'
    name = f'<wp:docPr id="{number + 1}" name="Text Box {number + 1}"/>'
    graphic = f'<a:graphic><a:graphicData uri="{_SHAPE}">{shape}</a:graphicData></a:graphic>'
    return _paragraph(f'<w:r><w:drawing><wp:inline><wp:extent cx="4000000" cy="900000"/>{name}{graphic}</wp:inline></w:drawing></w:r>')
