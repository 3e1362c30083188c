"""What a PDF holds, seen without any of the tools' settings: the text layer, and the ink that no stored text covers.

The second part is an estimate for scans and for text drawn as curves or pictures: a few pages are rendered, glyph-like connected components
outside the boxes of the text layer are counted where they stand in lines, and the count is scaled up to all pages. Photographs and plots
hardly count, since their specks stand in no line.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SAMPLED_PAGES = 8
"""Pages that are rendered, evenly spread."""
MAX_PAGES = 2000
"""Pages whose text layer is read, from the start."""
GLYPHS_PER_TOKEN = 4.3
"""Connected components per token of printed text: 3.7 to 4.8 on the scanned papers of the training split, 8.7 on one full of formulas."""
_DPI = 120
_MAX_PIXELS = 2_500_000
_INK_CONTRAST = 70
"""Grey levels between the paper and a pixel that counts as ink."""
_GLYPH_HEIGHT = (0.03, 0.35)
"""Smallest and largest glyph, in inches."""
_GLYPH_WIDTH = (0.01, 0.5)
_MIN_CURVES = 50
"""Vector drawings below this number on a page are rules and frames, not text: then nothing is rendered."""
_HIDDEN_PROBES = 20
_INVISIBLE = 3
"""Text render mode of an OCR layer under a scan (ISO 32000-1, table 106)."""


@dataclass(frozen=True, slots=True)
class PdfLook:
    """What was seen."""

    text: str
    unread_tokens: int
    """Estimated tokens in ink without stored text, all pages."""
    hidden: bool
    """Most of the stored text is invisible, i.e. somebody's OCR result under a scan: nobody knows what it is worth."""


def look_at_pdf(path: Path) -> PdfLook:
    """Read the text layer of all pages and look at the ink of some.

    Raises:
        pypdfium2.PdfiumError: the file is no PDF, is damaged or needs a password.
    """
    import pypdfium2

    with pypdfium2.PdfDocument(path) as document:
        count = min(len(document), MAX_PAGES)
        sampled = set(_spread(count))
        texts, unread, hidden = [], 0.0, []
        for number in range(count):
            page = document[number]
            textpage = page.get_textpage()
            texts.append(textpage.get_text_bounded())
            if number in sampled:
                unread += _count_unread_glyphs(page, textpage) / GLYPHS_PER_TOKEN
                hidden += _probe_hidden(textpage)
            textpage.close()
            page.close()
    text = "\n".join(texts).replace("\ufffe", "-").replace("\x02", "-")
    return PdfLook(text, round(unread * count / max(1, len(sampled))), 2 * sum(hidden) > len(hidden))


def _spread(count: int) -> list[int]:
    """Numbers of the sampled pages, the middles of equal stretches."""
    samples = min(count, SAMPLED_PAGES)
    return [(2 * i + 1) * count // (2 * samples) for i in range(samples)]


def _probe_hidden(textpage: Any) -> list[bool]:
    """Whether some characters, evenly spread over the page, are drawn invisibly."""
    from pypdfium2 import PdfiumError, raw

    probes = []
    count = textpage.count_chars()
    for index in range(0, count, max(1, count // _HIDDEN_PROBES)):
        try:
            probes.append(raw.FPDFTextObj_GetTextRenderMode(textpage.get_textobj(index)) == _INVISIBLE)
        except PdfiumError:  # a space or line end that PDFium made up
            continue
    return probes


def _count_unread_glyphs(page: Any, textpage: Any) -> int:
    import numpy as np

    if not _may_hold_pictured_text(page):
        return 0
    width, height = page.get_size()
    scale = min(_DPI / 72, math.sqrt(_MAX_PIXELS / max(1.0, width * height)))
    bitmap = page.render(scale=scale, grayscale=True, may_draw_forms=False)
    pixels = bitmap.to_numpy().reshape(bitmap.height, bitmap.width)
    ink = np.abs(pixels.astype(np.int16) - int(np.median(pixels))) > _INK_CONTRAST
    places = bitmap.get_posconv(page)  # knows rotated and cropped pages
    for index in range(textpage.count_rects()):
        left, bottom, right, top = textpage.get_rect(index)
        _blank(ink, places.to_bitmap(left, bottom), places.to_bitmap(right, top))
    return count_glyphs(ink, scale * 72)


def _may_hold_pictured_text(page: Any) -> bool:
    from pypdfium2 import raw

    items = page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_SHADING), max_depth=5)
    kinds = [item.type for item in islice(items, _MIN_CURVES)]
    return raw.FPDF_PAGEOBJ_IMAGE in kinds or len(kinds) == _MIN_CURVES


def _blank(ink: npt.NDArray[np.bool_], corner: tuple[int, int], opposite: tuple[int, int]) -> None:
    """Remove the ink of a box of text and of one pixel around it; corners are columns and rows, in any order."""
    (left, right), (top, bottom) = (sorted((max(0, a), max(0, b))) for a, b in zip(corner, opposite, strict=True))
    ink[max(0, top - 1) : bottom + 2, max(0, left - 1) : right + 2] = False


def count_glyphs(ink: npt.NDArray[np.bool_], dpi: float) -> int:
    """Connected components of the size of letters that stand in a line with at least two of their like."""
    import numpy as np
    from scipy import ndimage
    from scipy.spatial import cKDTree

    labels, count = ndimage.label(ink, structure=np.ones((3, 3)))
    if not count:
        return 0
    boxes = np.array([(rows.start, rows.stop, columns.start, columns.stop) for rows, columns in ndimage.find_objects(labels)])
    heights, widths = boxes[:, 1] - boxes[:, 0], boxes[:, 3] - boxes[:, 2]
    sized = (heights >= _GLYPH_HEIGHT[0] * dpi) & (heights <= _GLYPH_HEIGHT[1] * dpi)
    sized &= (widths >= _GLYPH_WIDTH[0] * dpi) & (widths <= _GLYPH_WIDTH[1] * dpi)
    if sized.sum() < 3:
        return 0
    boxes, heights = boxes[sized], heights[sized]
    typical = float(np.median(heights))
    # One unit of distance: three letter heights sideways, a third of one up or down, a factor of two in height.
    places = np.column_stack([(boxes[:, 2] + boxes[:, 3]) / (6 * typical), boxes[:, 1] / (typical / 3), np.log2(heights)])
    neighbours = cKDTree(places).query_ball_point(places, 1.0, return_length=True)
    return int((neighbours >= 3).sum())
