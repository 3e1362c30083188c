"""PDFium's page text, the engine of Chromium."""

from env.parsing.tools.dependencies import requires, versions
from env.parsing.tools.tool import Tool, ToolInput, ToolSpec


def extract(source: ToolInput) -> str:
    """Text of all pages; PDFium's mark for a hyphen at a line end is written as a hyphen again."""
    import pypdfium2

    texts: list[str] = []
    with pypdfium2.PdfDocument(source.path) as document:
        for page in document:
            textpage = page.get_textpage()
            texts.append(textpage.get_text_bounded())
            textpage.close()
            page.close()
    return "\n".join(texts).replace("\r\n", "\n").replace("\ufffe", "-").replace("\x02", "-")


PYPDFIUM2 = Tool(
    spec=ToolSpec(
        name="pypdfium2",
        description="Chromium's PDF engine: page text with reliable spaces and reading order; no table or heading marks.",
        description_zh="Chromium 的 PDF 引擎：空格和阅读顺序可靠的页面文本；不标记表格和标题。",
        lossless=True,
    ),
    formats=frozenset({"pdf"}),
    family="pdfium",
    extract=extract,
    version=versions(1, "pypdfium2"),
    missing=requires("pypdfium2"),
)
