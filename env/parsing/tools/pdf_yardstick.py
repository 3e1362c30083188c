"""What a PDF holds, seen without any of the tools' settings: the text layer, and the ink that no stored text covers.

The second part is an estimate for scans and for text drawn as curves or pictures: a few pages are rendered, glyph-like connected components
outside the boxes of the text layer are joined to words where they stand in lines, and the count is scaled up to all pages. Photographs and
plots hardly count, since their specks stand in no line. On eleven scanned or rendered documents of the training split, one of them Chinese,
the estimate was 0.83 to 1.05 of the true number; counting glyphs instead was off by up to 47 %.
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
_DPI = 120
_MAX_PIXELS = 2_500_000
_INK_CONTRAST = 70
"""Grey levels between the paper and a pixel that counts as ink."""
_SMALLEST_GLYPH = 0.01
_LARGEST_GLYPH = 0.4
"""Inches, both ways."""
_STROKE_GAP = 3
"""Strokes this many pixels apart, one above the other, belong to one glyph: dots of letters, parts of Chinese characters."""
_WORD_GAP = 0.3
"""Widest gap within a word, in typical glyph heights."""
_MIN_WORD_WIDTH = 0.8
"""Narrower ones are single letters and signs, which are no tokens; in typical glyph heights."""
_LINE_ASPECT = 6.0
"""Words this many times as wide as high are lines of a script without spaces; where they prevail, each square is a token."""
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
                unread += _count_unread_words(page, textpage)
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


def _count_unread_words(page: Any, textpage: Any) -> int:
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
    return count_words(ink, scale * 72)


def _may_hold_pictured_text(page: Any) -> bool:
    from pypdfium2 import raw

    items = page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_SHADING), max_depth=5)
    kinds = [item.type for item in islice(items, _MIN_CURVES)]
    return raw.FPDF_PAGEOBJ_IMAGE in kinds or len(kinds) == _MIN_CURVES


def _blank(ink: npt.NDArray[np.bool_], corner: tuple[int, int], opposite: tuple[int, int]) -> None:
    """Remove the ink of a box of text and of one pixel around it; corners are columns and rows, in any order."""
    (left, right), (top, bottom) = (sorted((max(0, a), max(0, b))) for a, b in zip(corner, opposite, strict=True))
    ink[max(0, top - 1) : bottom + 2, max(0, left - 1) : right + 2] = False


def count_words(ink: npt.NDArray[np.bool_], dpi: float) -> int:
    """Words, or characters of a script without spaces, in a picture of ink."""
    import numpy as np
    from scipy import ndimage

    thick = ndimage.maximum_filter1d(ink.view(np.uint8), size=_STROKE_GAP, axis=0, mode="constant")
    labels, count = ndimage.label(thick, structure=np.ones((3, 3)))
    boxes = _measure_boxes(ndimage.find_objects(labels))
    sized = ((boxes[:, :2] >= _SMALLEST_GLYPH * dpi) & (boxes[:, :2] <= _LARGEST_GLYPH * dpi)).all(axis=1)
    if not sized.any():
        return 0
    typical = float(np.median(boxes[sized, 0]))
    glyphs = np.zeros(count + 1, dtype=np.uint8)
    glyphs[1:][sized] = _stand_in_line(boxes[sized], typical)
    reach = round(_WORD_GAP * typical)
    joined, _ = ndimage.label(ndimage.maximum_filter1d(glyphs[labels], size=reach + 1, axis=1, mode="constant"))
    heights, widths, _, _ = _measure_boxes(ndimage.find_objects(joined)).T
    widths -= reach
    long = widths > _LINE_ASPECT * heights
    if 2 * widths[long].sum() > widths.sum():
        return int((widths / heights).sum())
    return int((widths > _MIN_WORD_WIDTH * typical).sum())


def _measure_boxes(boxes: list[Any]) -> npt.NDArray[np.float64]:
    """Height, width, bottom and horizontal middle of each."""
    import numpy as np

    rows = [(y.stop - y.start, x.stop - x.start, y.stop, (x.start + x.stop) / 2) for y, x in boxes]
    return np.array(rows, dtype=np.float64).reshape(-1, 4)


def _stand_in_line(boxes: npt.NDArray[np.float64], typical: float) -> npt.NDArray[np.bool_]:
    """Which have two of their like nearby: three glyph heights sideways, a third of one up or down, a factor of two in height."""
    import numpy as np
    from scipy.spatial import cKDTree

    heights, _, bottoms, middles = boxes.T
    places = np.column_stack([middles / (3 * typical), bottoms / (typical / 3), np.log2(heights)])
    return np.asarray(cKDTree(places).query_ball_point(places, 1.0, return_length=True)) >= 3
