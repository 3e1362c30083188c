import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from env.parsing import pool as pool_module
from env.parsing.card import FileCard
from env.parsing.pool import ADDED, SOURCE17, Pool, load_pool
from env.parsing.tools.plain_text import PLAIN_TEXT

ROOT = Path(__file__).parents[3]
PLUGIN_PACKAGE = ROOT / "tests" / "plugin_package"
SPECIFIED = {
    *("pymupdf", "pymupdf4llm", "pdfplumber", "pypdf", "python-docx", "mammoth", "python-pptx", "openpyxl"),
    *("markitdown", "pandoc", "plain-text", "base64", "hex", "morse", "url", "rot13", "tesseract-ocr"),
}
PARSERS = [
    *("pymupdf", "pymupdf4llm", "pdfplumber", "pdfminer", "pypdf", "pypdfium2", "docx", "mammoth", "pptx", "openpyxl"),
    *("markitdown", "pypandoc", "pytesseract", "trafilatura", "lxml", "PIL", "onnxruntime", "pandas"),
]


def make_card(file_format: str, refusal: str | None = None) -> FileCard:
    return FileCard(name="f", extension="", format=file_format, mime="", size_bytes=1, sha256="", md5="", refusal=refusal)


def run_python(code: str, **environment: str) -> dict:
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ | environment)
    return json.loads(result.stdout)


def test_source17_is_the_study_and_extended_adds_to_it():
    assert {tool.name for tool in SOURCE17} == SPECIFIED
    names = [tool.name for tool in SOURCE17 + ADDED]
    assert len(names) == len(set(names))
    assert {"pypdfium2", "pdfplumber-tight", "ooxml-text", "trafilatura"} <= set(names)


@pytest.mark.parametrize("name", ["source17", "extended"])
def test_tools_are_filtered_by_true_format_with_ocr_last(name):
    pool = load_pool(name)
    for file_format in ("pdf", "docx", "txt", "unknown", "zip"):
        tools = pool.usable(make_card(file_format))
        assert all(file_format in tool.formats for tool in tools)
        assert [tool.spec.lossless for tool in tools] == sorted((tool.spec.lossless for tool in tools), reverse=True)


def test_formats_get_the_tools_that_a_reader_of_the_specification_expects():
    pool = Pool("source17", SOURCE17, {})

    def names(file_format: str) -> str:
        return " ".join(tool.name for tool in pool.usable(make_card(file_format)))

    assert names("pdf") == "pymupdf pymupdf4llm pdfplumber pypdf markitdown tesseract-ocr"
    assert names("docx") == "python-docx mammoth markitdown pandoc"
    assert names("unknown") == "plain-text"
    assert names("zip") == ""


def test_a_refused_file_has_no_tools():
    assert load_pool("extended").usable(make_card("pdf", refusal="expands to 4 GB")) == ()


def test_every_tool_describes_itself_in_one_line_of_each_language():
    for tool in SOURCE17 + ADDED:
        for text in (tool.spec.description, tool.spec.description_zh):
            assert text
            assert "\n" not in text
            assert text[-1] in ".。"


def test_tools_are_found_by_name_and_an_unknown_one_says_why():
    pool = load_pool("source17")
    assert pool.tool("plain-text") is PLAIN_TEXT
    with pytest.raises(KeyError, match="no tool 'shout' in pool 'source17': unknown name"):
        pool.tool("shout")
    with pytest.raises(KeyError, match="no licence"):
        Pool("p", (), {"licensed": "no licence"}).tool("licensed")


def test_a_tool_with_a_missing_dependency_is_dropped_with_the_reason(monkeypatch):
    def missing() -> str:
        return "Python package not installed: docx"

    broken = pool_module.PYTHON_DOCX.__class__(
        spec=pool_module.PYTHON_DOCX.spec,
        formats=frozenset({"docx"}),
        family="office",
        extract=PLAIN_TEXT.extract,
        version=PLAIN_TEXT.version,
        missing=missing,
    )
    monkeypatch.setattr(pool_module, "SOURCE17", (PLAIN_TEXT, broken))
    pool = load_pool("source17")
    assert pool.tools == (PLAIN_TEXT,)
    assert pool.dropped == {"python-docx": missing()}


def test_reading_the_pool_and_all_versions_loads_no_parser():
    loaded = run_python(
        "import json, sys; from env.parsing.pool import load_pool; versions = [tool.version() for tool in load_pool('extended').tools]; "
        f"print(json.dumps([name for name in {PARSERS!r} if name in sys.modules]))"
    )
    assert loaded == []


def test_a_third_party_adds_tools_to_extended_and_a_bad_one_is_dropped_with_its_reason():
    found = run_python(
        "import json; from env.parsing.pool import load_pool; pools = [load_pool(name) for name in ('source17', 'extended')]; "
        "print(json.dumps([[[tool.name for tool in pool.tools], pool.dropped] for pool in pools]))",
        PYTHONPATH=os.pathsep.join([str(PLUGIN_PACKAGE), str(ROOT)]),
    )
    (source17, _), (extended, dropped) = found
    assert "shout" not in source17
    assert "shout" in extended
    assert extended.count("pandoc") == 1
    reasons = " ; ".join(f"{name}: {reason}" for name, reason in dropped.items())
    assert "broken: plugin docgym_shout_missing:TOOL cannot be loaded: ModuleNotFoundError" in reasons
    assert "a tool named 'pandoc' exists already" in reasons
    assert "text: plugin docgym_shout:NOT_A_TOOL is a str, not a Tool" in reasons
    assert dropped["licensed"] == "no licence key"
