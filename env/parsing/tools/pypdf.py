"""pypdf's page text."""

from env.parsing.tools.dependencies import requires, versions
from env.parsing.tools.tool import Tool, ToolInput, ToolSpec


def extract(source: ToolInput) -> str:
    """Text of all pages with the library's defaults; an encrypted file opens when its user password is empty."""
    import pypdf

    with pypdf.PdfReader(source.path) as reader:
        return "\n".join(page.extract_text() for page in reader.pages)


PYPDF = Tool(
    spec=ToolSpec(
        name="pypdf",
        description="Pure-Python page text in stored order; spacing depends on how the PDF was made.",
        description_zh="纯 Python 按存储顺序提取页面文本；空格取决于 PDF 的制作方式。",
        lossless=True,
    ),
    formats=frozenset({"pdf"}),
    family="pypdf",
    extract=extract,
    version=versions(1, "pypdf", "cryptography"),
    missing=requires("pypdf"),
)
