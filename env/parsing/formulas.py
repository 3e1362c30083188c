"""Keeps the formulas of a web page out of every parser's and model's hands (specification, parsing §4).

Each `<math>` element is taken out as LaTeX and stands as `⟦F1⟧`, `⟦F2⟧`… in what the tools read; `restore_formulas` puts it back. A
document that holds such brackets itself is not harmed: numbering then starts after its largest one.
"""

import html
import re
from dataclasses import dataclass
from xml.parsers.expat import ExpatError

from lxml import etree
from lxml.html import HtmlElement, fragment_fromstring
from mathml_to_latex.converter import MathMLToLaTeX

_OPENING = re.compile(r"<!--|<(?:math|script|style)\b", re.IGNORECASE)
_MATH_TAG = re.compile(r"<(/?)math\b", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"⟦F(\d{1,9})⟧")
_TEX_ENCODINGS = frozenset({"application/x-tex", "tex", "latex", "application/x-latex"})
_HIDDEN_BEFORE = re.compile(r"<span[^<>]*mwe-math-mathml[^<>]*>\s*$")
"""Wikipedia shows an image and hides the MathML, which tools that drop hidden elements would lose."""
_IMAGE_AFTER = re.compile(r"(\s*</span>\s*)<(?:img|meta|link)\b[^<>]*mwe-math-fallback[^<>]*>")
"""That image, whose `alt` repeats the formula."""
_WIKIPEDIA_WINDOW = 2000


@dataclass(frozen=True, slots=True)
class ProtectedHtml:
    """A page whose formulas have been taken out."""

    html: str
    formulas: tuple[str, ...]
    """LaTeX in the order of the document."""
    first: int
    """Number of the first placeholder."""


def protect_formulas(page: str) -> ProtectedHtml:
    """Replace every `<math>` element by a placeholder. Linear in the size of the page; unclosed elements stay as they are."""
    spans = _math_spans(page)
    if not spans:
        return ProtectedHtml(page, (), 1)
    first = 1 + max((int(match[1]) for match in _PLACEHOLDER.finditer(html.unescape(page))), default=0)
    parts: list[str] = []
    formulas: list[str] = []
    position = 0
    for start, end in spans:
        before = page[position:start]
        if hidden := _HIDDEN_BEFORE.search(before, max(0, len(before) - _WIKIPEDIA_WINDOW)):
            before = before[: hidden.start()] + "<span>"
        parts += [before, f"⟦F{first + len(formulas)}⟧"]
        formulas.append(_to_latex(page[start:end]))
        position = end
        if image := _IMAGE_AFTER.match(page, end, end + _WIKIPEDIA_WINDOW):
            parts.append(image[1])
            position = image.end()
    return ProtectedHtml("".join([*parts, page[position:]]), tuple(formulas), first)


def restore_formulas(text: str, formulas: tuple[str, ...], first: int) -> str:
    """Put the formulas back in place of their placeholders; other brackets stay."""
    if not formulas:
        return text

    def formula(match: re.Match[str]) -> str:
        index = int(match[1]) - first
        return formulas[index] if 0 <= index < len(formulas) else match[0]

    return _PLACEHOLDER.sub(formula, text)


def _math_spans(page: str) -> list[tuple[int, int]]:
    """Start and end of each outermost `<math>` element outside comments, scripts and styles."""
    spans: list[tuple[int, int]] = []
    position = 0
    while opening := _OPENING.search(page, position):
        kind = opening[0].lower()
        if kind == "<math":
            end = _end_of_math(page, opening.start())
            if end is not None:
                spans.append((opening.start(), end))
        else:
            end = _end_of_hidden(page, opening.end(), kind)
        if end is None:
            break
        position = end
    return spans


def _end_of_hidden(page: str, start: int, kind: str) -> int | None:
    closing = "-->" if kind == "<!--" else f"</{kind[1:]}"
    found = re.compile(re.escape(closing), re.IGNORECASE).search(page, start)
    return None if found is None else found.end()


def _end_of_math(page: str, start: int) -> int | None:
    """Behind the matching `</math>`; None when it is never closed."""
    depth = 0
    for tag in _MATH_TAG.finditer(page, start):
        depth += -1 if tag[1] else 1
        if depth == 0:
            close = page.find(">", tag.end())
            return None if close < 0 else close + 1
    return None


def _to_latex(element: str) -> str:
    """TeX annotation, else `alttext`, else the MathML converted; plain text where even that fails."""
    try:
        math: HtmlElement = fragment_fromstring(element)
    except (etree.ParserError, ValueError):
        return " ".join(re.sub(r"<[^<>]*>", " ", element).split())
    for annotation in math.iter("annotation"):
        if (annotation.get("encoding") or "").lower() in _TEX_ENCODINGS and annotation.text:
            return annotation.text.strip()
    if alttext := (math.get("alttext") or "").strip():
        return alttext
    try:
        return str(MathMLToLaTeX().convert(etree.tostring(math, encoding="unicode", with_tail=False))).strip()
    except (ExpatError, KeyError, ValueError, IndexError, AttributeError, TypeError, RecursionError):
        return " ".join("".join(math.itertext()).split())  # the library has no error type of its own for MathML that it does not know
