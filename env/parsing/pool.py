"""The tools to choose from: two named pools, and plugins of third parties (specification, parsing §3).

A third party adds a tool to `extended` with an entry point of the group `docgym.parsing_tools` whose value names one `Tool`, e.g.
`my-tool = "my_package.tools:MY_TOOL"` under `[project.entry-points."docgym.parsing_tools"]`. Reading the pool imports no parser.
"""

from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Literal

from env.parsing.card import FileCard
from env.parsing.tools import decoders, markup_text, pandoc, pdfplumber
from env.parsing.tools.mammoth import MAMMOTH
from env.parsing.tools.markitdown import MARKITDOWN
from env.parsing.tools.odf import ODF
from env.parsing.tools.ooxml import OOXML
from env.parsing.tools.openpyxl import OPENPYXL
from env.parsing.tools.plain_text import PLAIN_TEXT
from env.parsing.tools.pymupdf import PYMUPDF
from env.parsing.tools.pymupdf4llm import PYMUPDF4LLM
from env.parsing.tools.pypdf import PYPDF
from env.parsing.tools.pypdfium2 import PYPDFIUM2
from env.parsing.tools.python_docx import PYTHON_DOCX
from env.parsing.tools.python_pptx import PYTHON_PPTX
from env.parsing.tools.tesseract import TESSERACT_OCR
from env.parsing.tools.tool import Tool
from env.parsing.tools.trafilatura import TRAFILATURA

PLUGIN_GROUP = "docgym.parsing_tools"

SOURCE17 = (
    PYMUPDF,
    PYMUPDF4LLM,
    pdfplumber.PDFPLUMBER,
    PYPDF,
    PYTHON_DOCX,
    MAMMOTH,
    PYTHON_PPTX,
    OPENPYXL,
    MARKITDOWN,
    pandoc.PANDOC,
    PLAIN_TEXT,
    decoders.BASE64,
    decoders.HEX,
    decoders.MORSE_CODE,
    decoders.URL,
    decoders.ROT13,
    TESSERACT_OCR,
)
"""The study's tools with the settings a plain user gets."""

ADDED = (
    PYPDFIUM2,
    pdfplumber.PDFPLUMBER_TIGHT,
    OOXML,
    ODF,
    TRAFILATURA,
    markup_text.MARKUP_TEXT,
    markup_text.EMAIL,
    pandoc.PANDOC_PLAIN,
)
"""What `extended` has beyond them."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The tools that can run on this machine, lossless ones first."""

    name: str
    tools: tuple[Tool, ...]
    dropped: dict[str, str]
    """Tools and plugins that cannot run here, each with its reason; the run report shows them."""

    def usable(self, card: FileCard) -> tuple[Tool, ...]:
        """Tools that take the file's true format, in the order they are listed to the model; none when the card refuses the file."""
        return () if card.refusal else tuple(tool for tool in self.tools if card.format in tool.formats)

    def tool(self, name: str) -> Tool:
        """The tool of this name.

        Raises:
            KeyError: no such tool in this pool, or it was dropped; the message says which.
        """
        for tool in self.tools:
            if tool.name == name:
                return tool
        raise KeyError(f"no tool {name!r} in pool {self.name!r}: {self.dropped.get(name, 'unknown name')}")


def load_pool(name: Literal["source17", "extended"]) -> Pool:
    """Build a pool; a tool with a missing dependency and a broken plugin are dropped with their reason."""
    dropped: dict[str, str] = {}
    candidates = list(SOURCE17)
    if name == "extended":
        candidates.extend(ADDED)
        for entry in sorted(entry_points(group=PLUGIN_GROUP), key=lambda entry: (entry.name, entry.value)):
            _add_plugin(entry, candidates, dropped)
    usable = []
    for tool in candidates:
        reason = tool.missing()
        if reason:
            dropped[tool.name] = reason
        else:
            usable.append(tool)
    return Pool(name, tuple(sorted(usable, key=lambda tool: not tool.spec.lossless)), dropped)


def _add_plugin(entry: EntryPoint, candidates: list[Tool], dropped: dict[str, str]) -> None:
    try:
        tool = entry.load()
    except Exception as error:  # noqa: BLE001 (a third party's module may fail in any way; it must not take the pool down)
        dropped[entry.name] = f"plugin {entry.value} cannot be loaded: {type(error).__name__}: {error}"
        return
    if not isinstance(tool, Tool):
        dropped[entry.name] = f"plugin {entry.value} is a {type(tool).__name__}, not a Tool"
    elif any(tool.name == other.name for other in candidates):
        dropped[f"{entry.name} ({entry.value})"] = f"plugin refused: a tool named {tool.name!r} exists already"
    else:
        candidates.append(tool)
