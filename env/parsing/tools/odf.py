"""OpenDocument text, presentation and spreadsheet files, read from their content part."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING

from env.parsing.tools.dependencies import requires, versions
from env.parsing.tools.tool import Tool, ToolInput, ToolSpec
from env.parsing.tools.zipped_xml import XmlPackage, local_name

if TYPE_CHECKING:
    from lxml.etree import _Element

_SKIPPED = frozenset({"tracked-changes", "automatic-styles", "font-face-decls", "scripts", "annotation-end"})
_SPACES = {"s": " ", "tab": "\t", "line-break": "\n"}
_ENDS = {"p": "\n", "h": "\n", "table-row": "\n", "note-citation": " "}


def extract(source: ToolInput) -> str:
    """Paragraphs, headings, table cells and notes in stored order.

    Raises:
        ValueError: the content is encrypted or larger than the limits of `XmlPackage`.
        KeyError: there is no content part.
    """
    from lxml import etree

    with zipfile.ZipFile(source.path) as archive:
        try:
            root = XmlPackage(archive).parse("content.xml")
        except etree.XMLSyntaxError as error:
            raise ValueError(f"content.xml is encrypted or damaged: {error}") from error
    lines = (line.rstrip() for line in "".join(_collect_text(root)).split("\n"))
    return "\n".join(line for line in lines if line)


def _collect_text(root: _Element) -> Iterator[str]:
    stack: list[_Element | str] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
            continue
        name = local_name(item)
        if name in _SKIPPED or not isinstance(item.tag, str):  # the latter is an entity that is not expanded
            continue
        yield item.text or ""
        yield _SPACES.get(name, "")
        stack.append(_ENDS.get(name, ""))
        for child in reversed(item):
            stack.append(child.tail or "")
            stack.append(child)


ODF = Tool(
    spec=ToolSpec(
        name="odf-text",
        description="Text of OpenDocument files with notes and all sheets or slides; tables become lines.",
        description_zh="提取 OpenDocument 文件的文本，含注释和全部工作表或幻灯片；表格变成行。",
        lossless=True,
    ),
    formats=frozenset({"odt", "ods", "odp"}),
    family="office",
    extract=extract,
    version=versions(1, "lxml"),
    missing=requires("lxml"),
)
