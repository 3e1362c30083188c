"""pymupdf4llm's Markdown. AGPL: an optional extra, imported only inside its own worker.

Its family is not `pymupdf`'s, whose processes mask the layout models that this tool needs.
"""

import contextlib
import io

from env.parsing.tools.dependencies import requires, versions
from env.parsing.tools.tool import Tool, ToolInput, ToolSpec


def extract(source: ToolInput) -> str:
    """Markdown of all pages; its own OCR is off, since it would depend on what the machine has.

    Raises:
        ValueError: the file needs a password.
    """
    with contextlib.redirect_stdout(io.StringIO()):
        import pymupdf
        import pymupdf4llm

        pymupdf.TOOLS.mupdf_display_errors(False)
        with pymupdf.open(stream=source.path.read_bytes(), filetype=source.format) as document:
            if document.needs_pass:
                raise ValueError("encrypted: the file needs a password")
            return str(pymupdf4llm.to_markdown(document, use_ocr=False, show_progress=False))


PYMUPDF4LLM = Tool(
    spec=ToolSpec(
        name="pymupdf4llm",
        description="Markdown by a layout model: tables become Markdown tables, headings are marked; slow on long files.",
        description_zh="用版面模型输出 Markdown：表格变成 Markdown 表格，标题有标记；长文件较慢。",
        lossless=True,
    ),
    formats=frozenset({"pdf"}),
    family="pymupdf4llm",
    extract=extract,
    version=versions(1, "pymupdf", "pymupdf4llm", "pymupdf_layout", "onnxruntime"),
    missing=requires("pymupdf", "pymupdf4llm"),
)
