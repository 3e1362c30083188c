"""Plain text as it is stored, in its detected charset."""

from env.parsing.tools.dependencies import requires, versions
from env.parsing.tools.tool import Tool, ToolInput, ToolSpec

TEXT_FORMATS = frozenset({"txt", "md", "csv", "json", "xml"})
"""Formats in which the stored characters are the content, or an encoding of it."""


def read_text(source: ToolInput) -> str:
    """Read the file in its detected charset (UTF-8 when unknown); undecodable bytes become U+FFFD, a byte order mark is dropped."""
    return source.path.read_bytes().decode(source.encoding or "utf-8", errors="replace").removeprefix("\ufeff")


PLAIN_TEXT = Tool(
    spec=ToolSpec(
        name="plain-text",
        description="Returns the file's characters as they are in the detected charset; markup and encodings stay.",
        description_zh="按检测到的字符集原样返回文本；标记和编码保持不变。",
        lossless=True,
    ),
    formats=TEXT_FORMATS | {"html", "ipynb", "rtf", "eml", "fb2", "docbook", "unknown"},
    family="text",
    extract=read_text,
    version=versions(1),
    missing=requires(),
)
