import pypdf
import pytest

from env.parsing.tools.markitdown import MARKITDOWN
from env.parsing.tools.pdfplumber import PDFPLUMBER, PDFPLUMBER_TIGHT
from env.parsing.tools.pypdf import PYPDF
from env.parsing.tools.pypdfium2 import PYPDFIUM2

IN_PROCESS = [PDFPLUMBER, PDFPLUMBER_TIGHT, PYPDF, PYPDFIUM2, MARKITDOWN]
ALONE = [("pymupdf", "PYMUPDF"), ("pymupdf4llm", "PYMUPDF4LLM")]


def encrypt(pdf: bytes, path) -> bytes:
    writer = pypdf.PdfWriter()
    for page in pypdf.PdfReader(path).pages:
        writer.add_page(page)
    writer.encrypt("secret", algorithm="AES-256")
    writer.write(path)
    return path.read_bytes()


@pytest.mark.parametrize("tool", IN_PROCESS, ids=lambda tool: tool.name)
def test_pdf_tools_read_the_words_of_all_pages(tool, make_input, pdf_bytes):
    text = tool.extract(make_input(pdf_bytes, "pdf"))
    for words in ("meltwater gathers in shallow basins", "Borealis", "387", "moraines remain behind"):
        assert words in text


@pytest.mark.parametrize(("module", "constant"), ALONE)
def test_mupdf_tools_read_the_words_of_all_pages_and_print_nothing(module, constant, extract_alone, make_input, pdf_bytes):
    text = extract_alone(module, constant, make_input(pdf_bytes, "pdf"))
    for words in ("meltwater gathers in shallow basins", "Borealis", "387", "moraines remain behind"):
        assert words in text


def test_pymupdf4llm_writes_tables_as_markdown(extract_alone, make_input, pdf_bytes):
    text = extract_alone("pymupdf4llm", "PYMUPDF4LLM", make_input(pdf_bytes, "pdf"))
    assert "|" in text
    assert "|---|" in text.replace(" ", "")


@pytest.mark.parametrize("tool", IN_PROCESS, ids=lambda tool: tool.name)
def test_pdf_tools_raise_on_something_else_than_a_pdf(tool, make_input):
    with pytest.raises(Exception):  # noqa: B017 (each library has its own error; the worker catches them all)
        tool.extract(make_input(b"this is no PDF at all", "pdf"))


@pytest.mark.parametrize("tool", IN_PROCESS, ids=lambda tool: tool.name)
def test_pdf_tools_raise_on_a_file_that_needs_a_password(tool, make_input, pdf_bytes):
    source = make_input(pdf_bytes, "pdf")
    encrypt(pdf_bytes, source.path)
    with pytest.raises(Exception):  # noqa: B017 (as above)
        tool.extract(source)


@pytest.mark.parametrize(("module", "constant"), ALONE)
def test_mupdf_tools_raise_on_a_file_that_needs_a_password(module, constant, extract_alone, make_input, pdf_bytes):
    source = make_input(pdf_bytes, "pdf")
    encrypt(pdf_bytes, source.path)
    with pytest.raises(RuntimeError, match="password"):
        extract_alone(module, constant, source)
