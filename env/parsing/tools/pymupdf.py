"""PyMuPDF's page text. AGPL: an optional extra, imported only inside its own worker."""

import contextlib
import io
import sys

from env.parsing.tools.dependencies import requires, versions
from env.parsing.tools.tool import Tool, ToolInput, ToolSpec


def extract(source: ToolInput) -> str:
    """Text of all pages in stored order.

    Raises:
        ValueError: the file needs a password.
    """
    # pymupdf 2.0 loads layout models on import unless these are masked: 138 MB instead of 47 MB.
    sys.modules.setdefault("pymupdf.layout", None)  # type: ignore[arg-type]
    sys.modules.setdefault("pymupdf4llm", None)  # type: ignore[arg-type]
    with contextlib.redirect_stdout(io.StringIO()):
        import pymupdf

        pymupdf.TOOLS.mupdf_display_errors(False)
        with pymupdf.open(stream=source.path.read_bytes(), filetype=source.format) as document:
            if document.needs_pass:
                raise ValueError("encrypted: the file needs a password")
            return "\n".join(page.get_text() for page in document)


PYMUPDF = Tool(
    spec=ToolSpec(
        name="pymupdf",
        description="Fast page text in stored order; tables are flattened into lines, ligatures stay.",
        description_zh="快速按存储顺序提取页面文本；表格被压平成行，连字保留。",
        lossless=True,
    ),
    formats=frozenset({"pdf", "epub", "fb2"}),
    family="pymupdf",
    extract=extract,
    version=versions(1, "pymupdf"),
    missing=requires("pymupdf"),
)
