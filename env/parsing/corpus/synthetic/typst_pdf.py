"""PDF by typst, a real typesetter. Bytes depend only on the source, the fonts and the typst version."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import noto_cjk_sans_jp_regular
import typst

from env.parsing.corpus.synthetic.documents import Block, Bullets, Document, Formula, Heading, Paragraph, Table

_CHINESE_FONT = "Noto Sans CJK JP"
_TIMESTAMP = 1_600_000_000
"""Creation date of every PDF, so that bytes repeat."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a document is set."""

    columns: int = 1
    landscape: bool = False
    font: str = "Libertinus Serif"
    background: str = ""
    """Image file drawn behind every page."""
    size_pt: float = 10


def typeset(source: str, images: Mapping[str, bytes] | None = None) -> bytes:
    """Compile typst source; `images` are files that it may name."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in (images or {}).items():
            (Path(folder) / name).write_bytes(data)
        path = Path(folder) / "main.typ"
        path.write_text(source, encoding="utf-8")
        fonts = Path(noto_cjk_sans_jp_regular.__file__).parent
        pdf = typst.compile(
            str(path), root=folder, font_paths=[str(fonts)], ignore_system_fonts=True, format="pdf", timestamp=_TIMESTAMP, pdf_tags=False
        )
    return bytes(pdf)


def page_setup(document: Document, layout: Layout) -> str:
    """Page, fonts and running head: A5, since recognising an A4 page takes twice the time."""
    width, height = ("210mm", "148mm") if layout.landscape else ("148mm", "210mm")
    background = f'background: image("{layout.background}", width: 100%, height: 100%),' if layout.background else ""
    return f"""
#set document(title: {quote(document.title)})
#set page(width: {width}, height: {height}, margin: 16mm, columns: {layout.columns}, numbering: "1", {background}
  header: text(size: 0.7em, {quote(document.running_head)}))
#set text(font: ("{layout.font}", "{_CHINESE_FONT}"), size: {layout.size_pt}pt, lang: "{document.language}")
#set par(justify: true)
#set table(inset: 3pt, stroke: 0.4pt)
#show table: set text(size: 0.8em)
"""


def body(document: Document) -> str:
    """Title and blocks as typst markup."""
    title = f"#align(center, text(size: 1.4em, weight: 700, {quote(document.title)}))"
    return "\n\n".join([title, *(block_markup(block) for block in document.blocks)])


def block_markup(block: Block) -> str:
    """One block as typst markup."""
    match block:
        case Heading(text):
            return f"#heading({quote(text)})"
        case Paragraph(text, note):
            return f"#{quote(text)}" + (f"#footnote({quote(note)})" if note else "")
        case Bullets(items):
            return f"#list({', '.join(map(quote, items))})"
        case Formula(typst=formula):
            return f"$ {formula} $"
        case Table(caption, rows):
            cells = ", ".join(quote(cell) for row in rows for cell in row)
            return f"#block(breakable: false)[#{quote(caption)}\n#table(columns: {len(rows[0])}, {cells})]"


def quote(text: str) -> str:
    """A typst string literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def render_pdf(document: Document, layout: Layout = Layout(), images: Mapping[str, bytes] | None = None) -> bytes:
    """The document as a born-digital PDF."""
    return typeset(page_setup(document, layout) + body(document), images)
