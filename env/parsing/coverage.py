"""Coverage: what share of the content that an independent cheap look can see came out (specification, parsing §5, beyond the source).

The other quality numbers cannot see that a part is quietly missing. The yardstick is the token multiset of that look: the text layer of a
PDF plus an estimate for ink without text, the text nodes of Office parts, the main content of a web page, the characters of a text file.
Recall against it drops when content is missing, whatever the output looks like. `benchmarks/coverage.py` is the proof.
"""

import unicodedata
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from env.parsing.card import FileCard
from env.parsing.quality import clean, natural, visible_text
from env.parsing.tools import markup_text, odf, ooxml, plain_text
from env.parsing.tools.dependencies import versions
from env.parsing.tools.epub_yardstick import read_epub
from env.parsing.tools.html_yardstick import read_main_content
from env.parsing.tools.pdf_yardstick import look_at_pdf
from env.parsing.tools.tool import ToolInput
from env.parsing.yardstick import Yardstick
from rewards.token_f1 import count_tokens

yardstick_version = versions(2, "lxml", "pypdfium2", "scipy")
"""Tells what decides a yardstick; part of the inspection's version. Raise its number when a change here alters what is measured."""
NO_YARDSTICK = Yardstick(source="none", tokens={}, reliable=False)
_MIN_NATURAL = 0.4
"""Below it a text layer is garbage (fonts without ToUnicode, a bad OCR layer); pages full of formulas stay above."""
_MIN_CLEAN = 0.9


def measure_yardstick(path: Path, card: FileCard) -> Yardstick:
    """Look at a file; runs in an isolated worker, since it opens an attacker's file. Never raises on a damaged one: source `none`."""
    look = _LOOKS.get(card.format)
    if look is None or card.refusal or card.hints:  # a hinted text is decoded by its tool, so its own characters are no yardstick
        return NO_YARDSTICK
    try:
        return look(ToolInput(path=path, format=card.format, encoding=card.encoding, scratch=path.parent))
    except Exception:  # noqa: BLE001 (worker boundary: a damaged file may make any parser fail in any way, and then there is no yardstick)
        return NO_YARDSTICK


def coverage(text: str, yardstick: Yardstick) -> float | None:
    """Share of the yardstick's content that came out, 0..1; None without a reliable yardstick.

    Output tokens beyond the overlap count as content read from ink, up to the tokens estimated there.
    """
    expected = sum(yardstick.tokens.values()) + yardstick.unread_tokens
    if not yardstick.reliable or not expected:
        return None
    output = count_content(text)
    overlap = sum(min(count, output.get(token, 0)) for token, count in yardstick.tokens.items())
    extra = sum(output.values()) - overlap
    return (overlap + min(extra, yardstick.unread_tokens)) / expected


def count_content(text: str) -> Counter[str]:
    """Tokens of the visible text after NFKC, since tools differ in whether they expand ligatures."""
    return count_tokens(unicodedata.normalize("NFKC", visible_text(text)))


def _look_at_pdf(source: ToolInput) -> Yardstick:
    seen = look_at_pdf(source.path)
    visible = visible_text(seen.text)
    garbage = bool(visible.strip()) and (natural(visible) < _MIN_NATURAL or clean(visible) < _MIN_CLEAN)
    return Yardstick(
        source="pdf_text_layer",
        tokens=dict(count_content(seen.text)),
        unread_tokens=seen.unread_tokens,
        reliable=not (garbage or seen.hidden),
    )


def _reading(source_name: str, read: Callable[[ToolInput], str]) -> Callable[[ToolInput], Yardstick]:
    """A look that is one text."""

    def look(source: ToolInput) -> Yardstick:
        return Yardstick(source=source_name, tokens=dict(count_content(read(source))))

    return look


_LOOKS: dict[str, Callable[[ToolInput], Yardstick]] = {
    "pdf": _look_at_pdf,
    **dict.fromkeys(("docx", "docm", "pptx", "pptm", "xlsx", "xlsm"), _reading("ooxml_parts", ooxml.extract)),
    **dict.fromkeys(("odt", "ods", "odp"), _reading("odf_content", odf.extract)),
    "html": _reading("dom", read_main_content),
    "epub": _reading("dom", read_epub),
    **dict.fromkeys(("xml", "fb2", "docbook"), _reading("dom", markup_text.extract_markup)),
    "eml": _reading("text", markup_text.extract_mail),
    **dict.fromkeys(("txt", "md", "csv"), _reading("text", plain_text.read_text)),
}
