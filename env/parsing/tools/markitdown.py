"""markitdown: one converter per format to Markdown.

Its converters are called directly with the card's format. The front class guesses the format with a model (magika), loads plugins and
has converters that go to the network.
"""

from env.parsing.tools.dependencies import requires, versions
from env.parsing.tools.tool import Tool, ToolInput, ToolSpec

_PLAIN_FORMATS = frozenset({"txt", "md", "json", "xml"})


def extract(source: ToolInput) -> str:
    """Markdown of the file; the detected charset is handed on, since its own guess looks at the first 64 KiB only."""
    from markitdown import StreamInfo, converters

    classes = {
        "pdf": converters.PdfConverter,
        "docx": converters.DocxConverter,
        "pptx": converters.PptxConverter,
        "xlsx": converters.XlsxConverter,
        "xls": converters.XlsConverter,
        "msg": converters.OutlookMsgConverter,
        "epub": converters.EpubConverter,
        "html": converters.HtmlConverter,
        "csv": converters.CsvConverter,
        "ipynb": converters.IpynbConverter,
    }
    converter = classes.get(source.format, converters.PlainTextConverter)()
    info = StreamInfo(extension=f".{source.format}", charset=source.encoding)
    with source.path.open("rb") as stream:
        return str(converter.convert(stream, info).markdown)


MARKITDOWN = Tool(
    spec=ToolSpec(
        name="markitdown",
        description="Converts many formats to Markdown with headings, lists and tables; navigation of web pages stays.",
        description_zh="把多种格式转换为带标题、列表和表格的 Markdown；网页导航会保留。",
        lossless=True,
    ),
    formats=_PLAIN_FORMATS | {"pdf", "docx", "pptx", "xlsx", "xls", "msg", "epub", "html", "csv", "ipynb"},
    family="html",
    extract=extract,
    version=versions(
        1,
        "markitdown",
        "beautifulsoup4",
        "markdownify",
        "mammoth",
        "pdfminer.six",
        "pdfplumber",
        "python-pptx",
        "openpyxl",
        "pandas",
        "xlrd",
        "olefile",
    ),
    missing=requires("markitdown"),
)
