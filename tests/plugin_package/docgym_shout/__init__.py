"""A third party's package: one good tool, and what a pool must refuse."""

from dataclasses import replace

from env.parsing.tools.tool import Tool, ToolInput, ToolSpec

NOT_A_TOOL = "shout"


def _extract(source: ToolInput) -> str:
    return source.path.read_text(encoding=source.encoding).upper()


SHOUT = Tool(
    spec=ToolSpec(name="shout", description="Writes the text in capitals.", description_zh="以大写输出文本。", lossless=True),
    formats=frozenset({"txt"}),
    family="text",
    extract=_extract,
    version=lambda: "1.0",
    missing=lambda: None,
)

TAKEN_NAME = replace(SHOUT, spec=SHOUT.spec.model_copy(update={"name": "pandoc"}))

NEEDS_LICENCE = replace(SHOUT, spec=SHOUT.spec.model_copy(update={"name": "licensed"}), missing=lambda: "no licence key")
