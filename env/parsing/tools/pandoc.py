"""pandoc as a child process, to Markdown and to plain text."""

import functools
import importlib.util
import shutil
import subprocess
from pathlib import Path

from env.parsing.tools.plain_text import read_text
from env.parsing.tools.tool import Tool, ToolInput, ToolSpec

_ADAPTER = 1
_TEXT_READERS = {"html": "html", "md": "markdown", "csv": "csv", "rtf": "rtf", "ipynb": "ipynb", "fb2": "fb2", "docbook": "docbook"}
_BINARY_READERS = {
    "docx": "docx",
    "docm": "docx",
    "pptx": "pptx",
    "pptm": "pptx",
    "xlsx": "xlsx",
    "xlsm": "xlsx",
    "odt": "odt",
    "epub": "epub",
}
_HEAP = "1200m"
"""Heap limit of the Haskell runtime, below the worker's own limit so that pandoc says itself that memory ran out."""
_HEAP_EXHAUSTED = 251


def extract_markdown(source: ToolInput) -> str:
    """Pandoc's Markdown with long lines left whole."""
    return _convert(source, "markdown")


def extract_plain(source: ToolInput) -> str:
    """Pandoc's plain text with long lines left whole."""
    return _convert(source, "plain")


def _convert(source: ToolInput, writer: str) -> str:
    reader = _TEXT_READERS.get(source.format)
    # pandoc takes every input that is not UTF-8 for Latin-1, so text is transcoded.
    content = read_text(source).encode("utf-8", errors="replace") if reader else source.path.read_bytes()
    arguments = ["--sandbox", "--wrap=none", "--from", reader or _BINARY_READERS[source.format], "--to", writer]
    command = [str(_find_binary()), "+RTS", f"-M{_HEAP}", "-RTS", *arguments]
    result = subprocess.run(command, input=content, capture_output=True, check=False, cwd=source.scratch)  # noqa: S603 (no shell, own arguments)
    if result.returncode == _HEAP_EXHAUSTED:
        raise MemoryError(f"pandoc needs more than {_HEAP} of heap")
    if result.returncode:
        raise RuntimeError(f"pandoc exit status {result.returncode}: {result.stderr.decode('utf-8', errors='replace').strip()[:300]}")
    return result.stdout.decode("utf-8", errors="replace")


@functools.cache
def _find_binary() -> Path | None:
    """The binary inside the pypandoc_binary wheel, else the one on PATH."""
    spec = importlib.util.find_spec("pypandoc")
    bundled = Path(spec.origin).parent / "files" / "pandoc" if spec and spec.origin else None
    if bundled and bundled.is_file():
        return bundled
    found = shutil.which("pandoc")
    return Path(found) if found else None


@functools.cache
def _version() -> str:
    output = subprocess.run([str(_find_binary()), "--version"], capture_output=True, text=True, check=True).stdout  # noqa: S603 (own arguments)
    return f"adapter {_ADAPTER}, {output.splitlines()[0]}"


def _missing() -> str | None:
    return None if _find_binary() else "pandoc not found: install the Python package pypandoc_binary or pandoc itself"


PANDOC = Tool(
    spec=ToolSpec(
        name="pandoc",
        description="Converts to pandoc's Markdown with headings, tables and TeX math; on web pages attributes and markup stay.",
        description_zh="转换为 pandoc Markdown，含标题、表格和 TeX 公式；网页的属性和标记会残留。",
        lossless=True,
    ),
    formats=frozenset(_TEXT_READERS | _BINARY_READERS),
    family="text",
    extract=extract_markdown,
    version=_version,
    missing=_missing,
)

PANDOC_PLAIN = Tool(
    spec=ToolSpec(
        name="pandoc-plain",
        description="Converts to plain text by pandoc: no markup, links and attributes left, tables drawn with spaces.",
        description_zh="用 pandoc 转换为纯文本：不留标记、链接和属性，表格用空格排版。",
        lossless=True,
    ),
    formats=PANDOC.formats,
    family="text",
    extract=extract_plain,
    version=_version,
    missing=_missing,
)
