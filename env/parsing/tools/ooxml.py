"""Every text node of every part of a Word, PowerPoint or Excel file, read from its XML.

The usual libraries leave out headers, footers, notes, text boxes, comments, charts or diagrams; this reader leaves out only style
information, deleted text and the fallback copies of drawings.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from env.parsing.tools.dependencies import requires, versions
from env.parsing.tools.tool import Tool, ToolInput, ToolSpec
from env.parsing.tools.zipped_xml import XmlPackage, local_name

if TYPE_CHECKING:
    from lxml.etree import _Element

_CONTENT_PARTS = (
    r"word/document\d*\.xml",
    r"word/(footnotes|endnotes|comments)\d*\.xml",
    r"word/(header|footer)\d*\.xml",
    r"ppt/slides/slide\d+\.xml",
    r"ppt/notesSlides/notesSlide\d+\.xml",
    r"ppt/comments/[^/]+\.xml",
    r"xl/worksheets/sheet\d+\.xml",
    r"xl/(comments\d*|comments/[^/]+|threadedComments/[^/]+)\.xml",
    r"(word|ppt|xl)/diagrams/data\d*\.xml",
    r"(word|ppt|xl)/charts/chart\d*\.xml",
    r"xl/drawings/drawing\d+\.xml",
)
"""Parts with content, in reading order."""
_PARAGRAPHS = frozenset({"p", "pt", "si", "is", "c", "comment", "cm", "text", "oddHeader", "oddFooter"})
"""Elements that end a line of text: paragraphs, chart points, shared strings, cells, comments."""
_TEXTS = frozenset({"t", "v", "oddHeader", "oddFooter"})
"""Elements whose own text is content."""
_SKIPPED = frozenset({"Fallback", "del", "moveFrom", "rPh", "f"})
"""Second copies for old programs, deleted text, Japanese reading aids, formulas and cell ranges."""


def extract(source: ToolInput) -> str:
    """Text part by part in reading order, one paragraph, cell row or chart point per line.

    Raises:
        ValueError: a part is larger than the limits of `XmlPackage`, or the file has no part with content.
    """
    lines: list[str] = []
    with zipfile.ZipFile(source.path) as archive:
        package = XmlPackage(archive)
        parts = _order_parts(package.names)
        if not parts:
            raise ValueError("no part with content: not a Word, PowerPoint or Excel package")
        strings = _read_shared_strings(package)
        for name in parts:
            root = package.parse(name)
            lines.extend(_read_rows(root, strings) if "/worksheets/" in name else _read_paragraphs(root))
    return "\n".join(line for line in lines if line.strip())


def _order_parts(names: Iterable[str]) -> list[str]:
    """Content parts by kind, then by the number in their name."""
    ranked = []
    for name in names:
        rank = next((i for i, pattern in enumerate(_CONTENT_PARTS) if re.fullmatch(pattern, name)), None)
        if rank is not None:
            number = re.search(r"(\d+)\.xml$", name)
            ranked.append((rank, int(number.group(1)) if number else 0, name))
    return [name for _, _, name in sorted(ranked)]


def _read_shared_strings(package: XmlPackage) -> list[str]:
    if "xl/sharedStrings.xml" not in package.names:
        return []
    return ["".join(_collect_text(item)) for item in package.parse("xl/sharedStrings.xml") if local_name(item) == "si"]


def _read_paragraphs(root: _Element) -> list[str]:
    return "".join(_collect_text(root)).split("\n")


def _read_rows(sheet: _Element, strings: list[str]) -> Iterator[str]:
    """Rows of a worksheet with tabs between the cells, then its printed header and footer."""
    for element in sheet.iter():
        if local_name(element) == "row":
            yield "\t".join(filter(None, (_read_cell(cell, strings) for cell in element)))
        elif local_name(element) in {"oddHeader", "oddFooter"}:
            yield re.sub(r"&(\"[^\"]*\"|\d+|[A-Z])", " ", element.text or "")  # &L, &P, &"font": layout codes


def _read_cell(cell: _Element, strings: list[str]) -> str:
    text = "".join(_collect_text(cell)).strip()
    if cell.get("t") != "s":
        return text
    return strings[int(text)].strip() if text.isdigit() and int(text) < len(strings) else ""


def _collect_text(root: _Element) -> Iterator[str]:
    """Text nodes below an element in document order; a line feed after each paragraph. Iterative, since nesting may be deep."""
    stack: list[_Element | str] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
            continue
        name = local_name(item)
        if name in _SKIPPED and item is not root:
            continue
        if name in _TEXTS and item.text:
            yield item.text
        elif name in {"tab", "br", "cr"}:
            yield "\t" if name == "tab" else "\n"
        if name in _PARAGRAPHS:
            stack.append("\n")
        stack.extend(reversed(item))


OOXML = Tool(
    spec=ToolSpec(
        name="ooxml-text",
        description="Every text of an Office file, also headers, footers, notes, text boxes, comments and charts; tables become lines.",
        description_zh="提取 Office 文件的全部文本，含页眉页脚、注释、文本框、批注和图表；表格变成行。",
        lossless=True,
    ),
    formats=frozenset({"docx", "docm", "pptx", "pptm", "xlsx", "xlsm"}),
    family="office",
    extract=extract,
    version=versions(1, "lxml"),
    missing=requires("lxml"),
)
