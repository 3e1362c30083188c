"""PDFs whose text layer and visible page tell different stories."""

import io
import random
import re
from collections.abc import Callable

import pypdf
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject, StreamObject

from env.parsing.corpus.synthetic.documents import Document, Paragraph, reference_text, write_document
from env.parsing.corpus.synthetic.render_scan import CLEAN, ROUGH, Scanner, hidden_text, scan_pages, scan_pdf
from env.parsing.corpus.synthetic.typst_pdf import Layout, block_markup, body, page_setup, quote, render_pdf, typeset

_BFCHAR = re.compile(r"<([0-9a-fA-F]+)>\s*<([0-9a-fA-F]{4})>(?=\s*\n)")
_MARKER = "#show: strike.with(stroke: 4pt + luma(60), extent: 2pt)\n"
"""Typst markup of a dark line through every line of text."""
_DIGITS = "0123456789"


def lying_layer(document: Document, rng: random.Random) -> bytes:
    """A scan whose hidden text layer belongs to another document."""
    other = write_document(document.name, "article", document.language, rng)
    return scan_pdf(render_pdf(document), document.language, CLEAN, rng, reference_text(other))


def draft_layer(document: Document, rng: random.Random) -> bytes:
    """A scan whose hidden layer holds an earlier draft: half of the sentences are others."""
    other = write_document(document.name, "article", document.language, rng)
    lines = reference_text(document).splitlines()
    foreign = reference_text(other).splitlines()
    draft = [foreign[i % len(foreign)] if i % 2 else line for i, line in enumerate(lines)]
    return scan_pdf(render_pdf(document), document.language, CLEAN, rng, "\n".join(draft + foreign[-2:]))


def good_layer(document: Document, rng: random.Random) -> bytes:
    """A scan too rough for OCR, whose hidden layer is exact."""
    return scan_pdf(render_pdf(document), document.language, ROUGH, rng, reference_text(document))


def bad_layer(document: Document, rng: random.Random) -> bytes:
    """A clean scan whose hidden layer comes from a poor recognition: letters confused, words cut."""
    return scan_pdf(render_pdf(document), document.language, CLEAN, rng, _misread(reference_text(document), rng))


def hidden_words(document: Document, rng: random.Random) -> bytes:
    """A born-digital file with invisible foreign text on its pages, as search spam and watermarks are."""
    other = write_document(document.name, "article", document.language, rng)
    foreign = reference_text(other).splitlines()
    half = len(foreign) // 2
    first, second = "\n".join(foreign[:half]), "\n".join(foreign[half:])
    source = page_setup(document, Layout()) + hidden_text(first, 5) + body(document) + "\n\n" + hidden_text(second, 5)
    return typeset(source)


def hybrid(document: Document, rng: random.Random) -> bytes:
    """First page as text, the others as scans without a text layer."""
    pdf = render_pdf(document)
    scanned = scan_pdf(pdf, document.language, CLEAN, rng)
    writer = pypdf.PdfWriter()
    writer.append(io.BytesIO(pdf), pages=(0, 1))
    writer.append(io.BytesIO(scanned), pages=(1, len(pypdf.PdfReader(io.BytesIO(scanned)).pages)))
    return _write(writer)


def without_tounicode(document: Document) -> bytes:
    """Fonts that do not say which characters their glyphs are."""
    return _edit_fonts(render_pdf(document), None)


def swapped_characters(document: Document, rng: random.Random) -> bytes:
    """Chinese fonts that map glyphs to other, equally common characters: mojibake that looks clean."""
    return _edit_fonts(render_pdf(document), lambda targets: _derange([char for char in targets if ord(char) >= 0x4E00], rng))


def swapped_digits(document: Document, rng: random.Random) -> bytes:
    """Fonts that map the digits to other digits: every number of a table is wrong, every word is right."""
    return _edit_fonts(render_pdf(document, Layout(font="DejaVu Sans Mono", size_pt=8)), lambda _: _derange(list(_DIGITS), rng))


def sideways(document: Document) -> bytes:
    """Of every two paragraphs one is turned by a quarter and stands beside the other; OCR turns whole pages only."""
    markup = [f"#heading({quote(document.title)})"]
    blocks = list(document.blocks)
    while blocks:
        block = blocks.pop(0)
        if isinstance(block, Paragraph) and blocks and isinstance(blocks[0], Paragraph):
            turned = f"rotate(90deg, reflow: true, block(width: 70mm)[{block_markup(block)}])"
            markup.append(f"#grid(columns: (auto, 1fr), gutter: 4mm, {turned}, [{block_markup(blocks.pop(0))}])")
        else:
            markup.append(block_markup(block))
    return typeset(page_setup(document, Layout()) + "\n\n".join(markup))


def turned_pages(document: Document) -> bytes:
    """Pages stored upright and marked to be shown turned by a quarter."""
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(render_pdf(document)))
    for page in writer.pages:
        page.rotate(90)
    return _write(writer)


def busy_background(document: Document, rng: random.Random) -> bytes:
    """A text layer that is right, on a photo that OCR cannot see through."""
    grain = scan_pages(render_pdf(document), Scanner(dpi=12, noise=0.8), rng)[0]
    return render_pdf(document, Layout(background="photo.jpg"), {"photo.jpg": grain})


def dark_marker(document: Document) -> bytes:
    """A right text layer under a marker that printed dark: the words can be read from the file, hardly from the page."""
    return typeset(page_setup(document, Layout()) + _MARKER + body(document))


def _misread(text: str, rng: random.Random) -> str:
    confused = {
        "e": "c",
        "l": "1",
        "o": "0",
        "n": "u",
        "m": "rn",
        "a": "o",
        "t": "f",
        "i": "j",
        "的": "旳",
        "是": "昰",
        "在": "左",
        "和": "知",
    }
    return "".join(confused.get(char, char) if rng.random() < 0.3 else ("" if rng.random() < 0.01 else char) for char in text)


def _derange(chars: list[str], rng: random.Random) -> dict[str, str]:
    """A random cycle: no character stays."""
    cycle = sorted(set(chars))
    rng.shuffle(cycle)
    return dict(zip(cycle, cycle[1:] + cycle[:1], strict=True))


def _edit_fonts(pdf: bytes, choose: Callable[[list[str]], dict[str, str]] | None) -> bytes:
    """Remove the ToUnicode maps, or replace the characters in them."""
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf))
    fonts = [item for item in writer._objects if isinstance(item, DictionaryObject) and "/ToUnicode" in item]
    maps = [font["/ToUnicode"] for font in fonts]
    texts = [stream.get_data().decode("latin-1") for stream in maps if isinstance(stream, StreamObject)]
    chars = [chr(int(match[2], 16)) for text in texts for match in _BFCHAR.finditer(text)]
    swap = choose(chars) if choose else {}
    for font, text in zip(fonts, texts, strict=True):
        if choose is None:
            del font["/ToUnicode"]
        else:
            stream = DecodedStreamObject()
            stream.set_data(_BFCHAR.sub(lambda m: _swap(m, swap), text).encode("latin-1"))
            font[NameObject("/ToUnicode")] = writer._add_object(stream)
    return _write(writer)


def _swap(match: re.Match[str], swap: dict[str, str]) -> str:
    char = chr(int(match[2], 16))
    return f"<{match[1]}> <{ord(swap.get(char, char)):04X}>"


def _write(writer: pypdf.PdfWriter) -> bytes:
    stream = io.BytesIO()
    writer.write(stream)
    return stream.getvalue()
