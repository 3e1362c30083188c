"""python-docx: paragraphs and tables of the main text in document order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from env.parsing.tools.dependencies import requires, versions
from env.parsing.tools.tool import Tool, ToolInput, ToolSpec

if TYPE_CHECKING:
    from docx.blkcntnr import BlockItemContainer
    from docx.document import Document
    from docx.table import Table


def extract(source: ToolInput) -> str:
    """Text of the body; a table row is one line with ` | ` between its cells."""
    import docx

    with source.path.open("rb") as stream:  # given a path, its errors would name a folder of this machine
        return "\n".join(_read_blocks(docx.Document(stream)))


def _read_blocks(container: Document | BlockItemContainer) -> list[str]:
    from docx.text.paragraph import Paragraph

    lines: list[str] = []
    for block in container.iter_inner_content():
        lines.extend([block.text] if isinstance(block, Paragraph) else _read_table(block))
    return lines


def _read_table(table: Table) -> list[str]:
    lines = []
    for row in table.rows:
        cells = {id(cell._tc): cell for cell in row.cells}  # a merged cell is given once per column that it spans
        lines.append(" | ".join("\n".join(_read_blocks(cell)) for cell in cells.values()))
    return lines


PYTHON_DOCX = Tool(
    spec=ToolSpec(
        name="python-docx",
        description="Paragraphs and tables of the main text in order; leaves out headers, footers, notes and text boxes.",
        description_zh="按顺序提取正文段落和表格；不含页眉、页脚、注释和文本框。",
        lossless=True,
    ),
    formats=frozenset({"docx"}),
    family="office",
    extract=extract,
    version=versions(1, "python-docx", "lxml"),
    missing=requires("docx"),
)
