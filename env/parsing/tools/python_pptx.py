"""python-pptx: text of the shapes, tables and notes of each slide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from env.parsing.tools.dependencies import requires, versions
from env.parsing.tools.tool import Tool, ToolInput, ToolSpec

if TYPE_CHECKING:
    from pptx.shapes.base import BaseShape


def extract(source: ToolInput) -> str:
    """Text slide by slide, shapes in stored order, groups opened, then the speaker notes."""
    import pptx

    lines: list[str] = []
    with source.path.open("rb") as stream:  # given a path, its errors would name a folder of this machine
        presentation = pptx.Presentation(stream)
    for slide in presentation.slides:
        lines.extend(_read_shapes(slide.shapes))
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            lines.append(slide.notes_slide.notes_text_frame.text)
    return "\n".join(lines)


def _read_shapes(shapes: Iterable[BaseShape]) -> Iterator[str]:
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _read_shapes(shape.shapes)
        elif getattr(shape, "has_table", False):
            yield from (" | ".join(cell.text for cell in row.cells) for row in shape.table.rows)  # type: ignore[attr-defined]
        elif shape.has_text_frame:
            yield shape.text_frame.text  # type: ignore[attr-defined]


PYTHON_PPTX = Tool(
    spec=ToolSpec(
        name="python-pptx",
        description="Text of shapes, tables, groups and speaker notes slide by slide; leaves out charts, diagrams and comments.",
        description_zh="逐页提取形状、表格、组合和演讲者备注的文本；不含图表、图示和批注。",
        lossless=True,
    ),
    formats=frozenset({"pptx", "pptm"}),
    family="office",
    extract=extract,
    version=versions(1, "python-pptx", "lxml"),
    missing=requires("pptx"),
)
