"""Keeps the formulas of a web page out of every parser's and model's hands (specification, parsing §4).

Each `<math>` element is taken out as LaTeX and stands as `⟦F1⟧`, `⟦F2⟧`… in what the tools read; `restore_formulas` puts it back. A
document that holds such brackets itself is not harmed: numbering then starts after its largest one. The second copy of a formula that
Wikipedia (an image) and KaTeX (drawn letters) put behind the element is taken out as well.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from env.parsing.mathml import convert_mathml

_ATTRIBUTES = r"""(?:[^=>]++|=\s*+(?:"[^"]*+"|'[^']*+')?+)*+"""
"""Attributes of a tag, whose quoted values may hold `>`; each character is looked at once."""
_TAG = re.compile(rf"<!--|<(?P<slash>/?)(?P<name>[a-zA-Z][^\s/>]*)(?P<attributes>{_ATTRIBUTES})>?")
_SELF_CLOSED = (" /", '"/', "'/")
_END_OF_HIDDEN = {"<!--": re.compile(r"--!?>")} | {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in ("script", "style", "textarea", "title", "xmp", "iframe")
}
"""What is text to a browser, although it may look like elements."""
_PLACEHOLDER = re.compile(r"⟦F(\d{1,9})⟧")
_DRAWN_WITH = frozenset({"span", "svg", "path", "line", "img", "a", "br"})
"""Elements that KaTeX draws with; anything else means that its closing tag is missing."""
_LARGE = 10**8
"""Larger numbers in a document are stepped over, not started after, so that ours stay below ten digits."""
_MARKUP = re.compile(r"<[^<>]*>")
_END_OF_ANNOTATION = re.compile(r"</(?:[\w.-]+:)?annotation\s*>", re.IGNORECASE)
_TEX_ANNOTATION = re.compile(
    r"""<(?:[\w.-]+:)?annotation\s[^<>]*?\bencoding\s*=\s*["']?(?:application/x-|text/x-)?(?:la)?tex\b[^>]*>""", re.IGNORECASE
)
_CDATA = re.compile(r"\s*<!\[CDATA\[(.*)\]\]>\s*", re.DOTALL)
_ALTTEXT = re.compile(r"""\salttext\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)


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
    cuts = _find_cuts(page) if "math" in page.lower() else []
    formulas = tuple(_to_latex(page[cut.start : cut.end]) for cut in cuts if cut.is_formula)
    if not formulas:
        return ProtectedHtml(page, (), 1)
    first = _first_number(page, len(formulas))
    parts: list[str] = []
    number, position = first, 0
    for cut in cuts:
        parts += [page[position : cut.start], f"⟦F{number}⟧" if cut.is_formula else cut.replacement]
        number += cut.is_formula
        position = cut.end
    return ProtectedHtml("".join([*parts, page[position:]]), formulas, first)


def restore_formulas(text: str, formulas: tuple[str, ...], first: int) -> str:
    """Put the formulas back in place of their placeholders; other brackets stay."""
    if not formulas:
        return text

    def formula(match: re.Match[str]) -> str:
        index = int(match[1]) - first
        return formulas[index] if 0 <= index < len(formulas) else match[0]

    return _PLACEHOLDER.sub(formula, text)


def _first_number(page: str, count: int) -> int:
    """First of `count` numbers that no bracket of the page has, however a tool may read the page."""
    readings = (html.unescape(page), html.unescape(_MARKUP.sub("", page)))
    taken = {int(match[1]) for reading in readings for match in _PLACEHOLDER.finditer(reading)}
    first = 1 + max((number for number in taken if number < _LARGE), default=0)
    for number in sorted(taken):
        if first <= number < first + count:
            first = number + 1
    return first


class _Cut(NamedTuple):
    """A stretch of the page that is replaced: a formula, its second copy, or the tag that hides it."""

    start: int
    end: int
    is_formula: bool = False
    replacement: str = ""


def _find_cuts(page: str) -> list[_Cut]:
    scan = _Scan()
    for tag in _tags(page):
        name = tag["name"].lower().rpartition(":")[2]
        if name == "math":
            scan.read_math(tag)
        else:
            scan.read_other(tag, name)
    return scan.cuts


def _tags(page: str) -> Iterator[re.Match[str]]:
    """Start and end tags that a browser would see."""
    position = 0
    while tag := _TAG.search(page, position):
        position = tag.end()
        end_of_hidden = _END_OF_HIDDEN.get(tag[0] if tag["name"] is None else tag["name"].lower())
        if end_of_hidden is not None and not tag["slash"]:
            closing = end_of_hidden.search(page, tag.start() + 2)  # `<!-->` is a whole comment
            if closing is None:
                return
            position = closing.end()
        elif tag["name"] is not None:
            yield tag


@dataclass(slots=True)
class _Scan:
    """Collects cuts from the tags of a page, read once from start to end."""

    cuts: list[_Cut] = field(default_factory=list)
    _open: list[int] = field(default_factory=list)
    """Starts of `<math>` elements that are not closed yet; those that never are do not hide the later ones."""
    _behind_formula: bool = False
    """Only end tags have come since the last formula."""
    _copy_start: int = 0
    _copy_depth: int = 0
    """Open `<span>`s of a drawn copy; 0 outside one."""

    def read_math(self, tag: re.Match[str]) -> None:
        self._copy_depth = 0
        if not tag["slash"]:
            self._behind_formula = False
            if not f" {tag['attributes']}".endswith(_SELF_CLOSED):
                self._open.append(tag.start())
        elif self._open:
            start = self._open.pop()
            self._drop_from(start)
            self.cuts.append(_Cut(start, tag.end(), is_formula=True))
            self._behind_formula = True

    def read_other(self, tag: re.Match[str], name: str) -> None:
        if self._copy_depth:
            self._read_copy(tag, name)
        elif not tag["slash"]:
            self._read_start(tag, name)

    def _read_start(self, tag: re.Match[str], name: str) -> None:
        attributes = tag["attributes"]
        if name in ("span", "div") and "mwe-math-mathml" in attributes:
            # Wikipedia shows an image and hides the MathML, which tools that drop hidden elements would lose.
            self.cuts.append(_Cut(tag.start(), tag.end(), replacement=f"<{name}>"))
        elif self._behind_formula and "mwe-math-fallback" in attributes:
            self.cuts.append(_Cut(tag.start(), tag.end()))
        elif self._behind_formula and name == "span" and "katex-html" in attributes:
            self._copy_start, self._copy_depth = tag.start(), 1
        self._behind_formula = False

    def _read_copy(self, tag: re.Match[str], name: str) -> None:
        if name == "span":
            self._copy_depth += -1 if tag["slash"] else 1
            if self._copy_depth == 0:
                self._drop_from(self._copy_start)
                self.cuts.append(_Cut(self._copy_start, tag.end()))
        elif name not in _DRAWN_WITH:
            self._copy_depth = 0

    def _drop_from(self, start: int) -> None:
        """Forget cuts inside a larger one."""
        while self.cuts and self.cuts[-1].start >= start:
            self.cuts.pop()


def _to_latex(element: str) -> str:
    """TeX annotation, else `alttext`, else the MathML converted; plain text where even that fails."""
    latex = _read_annotation(element) or _read_alttext(element) or convert_mathml(element)
    if not latex:
        latex = " ".join(html.unescape(_MARKUP.sub(" ", element)).split())
    return latex.encode("utf-8", "replace").decode("utf-8")


def _read_annotation(element: str) -> str:
    for chunk in _END_OF_ANNOTATION.split(element)[:-1]:
        if opening := _TEX_ANNOTATION.search(chunk):
            content = chunk[opening.end() :]
            cdata = _CDATA.fullmatch(content)
            return (cdata[1] if cdata else html.unescape(content)).strip()
    return ""


def _read_alttext(element: str) -> str:
    tag = _TAG.match(element)
    found = _ALTTEXT.search(tag["attributes"]) if tag else None
    return html.unescape(found[1] or found[2] or "").strip() if found else ""
