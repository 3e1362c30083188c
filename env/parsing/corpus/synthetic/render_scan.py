"""Scans: pages drawn, made noisy and skewed, and put back as images, with or without a hidden text layer.

A hidden layer is text of full transparency over the image, as scanning programs write it: every text tool reads it, no eye and no OCR does.
"""

import io
import random
from collections.abc import Sequence
from dataclasses import dataclass

import pypdfium2
from PIL import Image

from env.parsing.corpus.synthetic.typst_pdf import quote, typeset

_CHINESE_FONT = "Noto Sans CJK JP"


@dataclass(frozen=True, slots=True)
class Scanner:
    """How badly pages are scanned."""

    dpi: int = 170
    noise: float = 0.12
    """Share of random grey mixed into every pixel."""
    skew_degrees: float = 0.5
    quality: int = 60
    """JPEG quality, 1..95."""
    shrink: float = 1.0
    """Pages are reduced to this share and enlarged again: a coarse sensor."""


CLEAN = Scanner()
ROUGH = Scanner(dpi=110, noise=0.05, skew_degrees=3, quality=20, shrink=0.33)
"""So coarse that OCR makes many errors. Little noise: OCR spends half a minute on every noisy page."""


def scan_pages(pdf: bytes, scanner: Scanner, rng: random.Random) -> list[bytes]:
    """Every page as a JPEG."""
    pages = []
    with pypdfium2.PdfDocument(pdf) as document:
        for page in document:
            bitmap = page.render(scale=scanner.dpi / 72, grayscale=True)
            pages.append(_scan(bitmap.to_pil(), scanner, rng))
            bitmap.close()
            page.close()
    return pages


def _scan(page: Image.Image, scanner: Scanner, rng: random.Random) -> bytes:
    size = page.size
    if scanner.shrink < 1:
        page = page.resize((int(size[0] * scanner.shrink), int(size[1] * scanner.shrink))).resize(size)
    page = page.rotate(rng.uniform(-1, 1) * scanner.skew_degrees, resample=Image.Resampling.BICUBIC, fillcolor=255)
    grain = Image.frombytes("L", size, rng.randbytes(size[0] * size[1]))
    page = Image.blend(page, grain, scanner.noise)
    stream = io.BytesIO()
    page.save(stream, "JPEG", quality=scanner.quality)
    return stream.getvalue()


def bind_scans(pages: Sequence[bytes], language: str, layers: Sequence[str] = ()) -> bytes:
    """A PDF of page images; `layers` are the hidden texts of the pages."""
    images = {f"page{number}.jpg": data for number, data in enumerate(pages)}
    leaves = []
    for number, name in enumerate(images):
        layer = hidden_text(layers[number]) if number < len(layers) else ""
        leaves.append(f'#image("{name}", width: 100%, height: 99.9%){layer}')
    setup = f'#set page(width: 148mm, height: 210mm, margin: 0pt)\n#set text(lang: "{language}")\n'
    return typeset(setup + "\n#pagebreak()\n".join(leaves), images)


def hidden_text(text: str, size_pt: float = 6) -> str:
    """Typst markup of invisible text over the page."""
    lines = "\\ ".join(f"#{quote(line)}" for line in text.splitlines() if line.strip())
    style = f'size: {size_pt}pt, fill: rgb(0, 0, 0, 0), font: ("Libertinus Serif", "{_CHINESE_FONT}"), hyphenate: false'
    return f"#place(top + left, dx: 14mm, dy: 14mm, block(width: 118mm)[#set par(leading: 2pt)\n#text({style})[{lines}]])"


def scan_pdf(pdf: bytes, language: str, scanner: Scanner, rng: random.Random, layer: str = "") -> bytes:
    """Scan a PDF; the lines of `layer` are spread evenly over its pages as hidden text."""
    pages = scan_pages(pdf, scanner, rng)
    lines = layer.splitlines()
    share = -(-len(lines) // len(pages))
    layers = ["\n".join(lines[number * share : (number + 1) * share]) for number in range(len(pages))] if layer else []
    return bind_scans(pages, language, layers)
