"""Main content of a web page by its own structure: what a reader came for, without navigation."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from env.parsing.tools.plain_text import read_text
from env.parsing.tools.tool import ToolInput

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_NO_CONTENT = frozenset(
    {"script", "style", "noscript", "template", "head", "nav", "footer", "aside", "form", "button", "select", "iframe", "svg", "math"}
)
_NO_CONTENT_ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "complementary", "menu", "toolbar", "note"})
_BLOCKS = frozenset({"div", "section", "ul", "ol", "dl", "table", "p", "li", "td", "header"})
_NO_CONTENT_CLASSES = frozenset({"infobox", "navbox", "sidebar", "hatnote", "metadata", "noprint"})
"""Boxes beside the text, as MediaWiki and its relatives mark them, and what a page would not print."""
_MAX_LINK_SHARE = 0.6
"""Blocks with more of their text in links than this are navigation."""


def read_main_content(source: ToolInput) -> str:
    """Visible text of the page's `main` or only `article` (else its body), without navigation, footers, asides and link lists."""
    from lxml import html

    parser = html.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    root = html.document_fromstring(read_text(source).encode("utf-8", errors="replace"), parser=parser)
    content = _find_content(root)
    chars, links = _measure_text(content)
    pieces: list[str] = []
    stack: list[HtmlElement | str] = [content]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            pieces.append(item)
        elif not _is_furniture(item, chars[item], links[item]):
            edge = " " if item.tag in _BLOCKS or item.tag == "br" else ""
            pieces.append(edge + (item.text or ""))
            stack.append(edge)
            for child in reversed(item):
                stack.extend((child.tail or "", child))
    return "".join(pieces)


def _find_content(root: HtmlElement) -> HtmlElement:
    for path in ("//main | //*[@role='main']", "//article"):
        found: list[HtmlElement] = root.xpath(path)
        if len(found) == 1:
            return found[0]
    return root


def _measure_text(root: HtmlElement) -> tuple[Counter[HtmlElement], Counter[HtmlElement]]:
    """Characters of text below each element, and those of them in links."""
    chars: Counter[HtmlElement] = Counter()
    links: Counter[HtmlElement] = Counter()
    for element in reversed(list(root.iter())):  # children before their parents
        chars[element] += len((element.text or "").strip())
        if element.tag == "a":
            links[element] = chars[element]
        parent = element.getparent()
        if parent is not None:
            chars[parent] += chars[element] + len((element.tail or "").strip())
            links[parent] += links[element]
    return chars, links


def _is_furniture(element: HtmlElement, chars: int, link_chars: int) -> bool:
    if not isinstance(element.tag, str) or element.tag in _NO_CONTENT or element.get("role") in _NO_CONTENT_ROLES:
        return True
    if not _NO_CONTENT_CLASSES.isdisjoint(element.get("class", "").split()):
        return True
    if "hidden" in element.attrib or "display:none" in element.get("style", "").replace(" ", ""):
        return True
    return element.tag in _BLOCKS and link_chars > _MAX_LINK_SHARE * chars
