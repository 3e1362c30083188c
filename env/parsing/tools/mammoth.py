"""mammoth: Word to Markdown by style names."""

from env.parsing.tools.dependencies import requires, versions
from env.parsing.tools.tool import Tool, ToolInput, ToolSpec


def extract(source: ToolInput) -> str:
    """Markdown of the main text and notes with the library's defaults; images come inlined as Base64."""
    import mammoth

    with source.path.open("rb") as stream:
        return str(mammoth.convert_to_markdown(stream).value)


MAMMOTH = Tool(
    spec=ToolSpec(
        name="mammoth",
        description="Markdown with headings, lists and notes; table cells become paragraphs, images are inlined as Base64.",
        description_zh="输出带标题、列表和脚注的 Markdown；表格单元变成段落，图片以 Base64 内联。",
        lossless=True,
    ),
    formats=frozenset({"docx", "docm"}),
    family="office",
    extract=extract,
    version=versions(1, "mammoth"),
    missing=requires("mammoth"),
)
