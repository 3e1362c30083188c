import base64
import io
import subprocess
import zipfile

import docx
import openpyxl
import pptx
import pytest
from docx.oxml import parse_xml
from openpyxl.comments import Comment
from pptx.util import Inches

from env.parsing.tools import zipped_xml
from env.parsing.tools.mammoth import MAMMOTH
from env.parsing.tools.markitdown import MARKITDOWN
from env.parsing.tools.odf import ODF
from env.parsing.tools.ooxml import OOXML
from env.parsing.tools.openpyxl import OPENPYXL
from env.parsing.tools.pandoc import PANDOC, PANDOC_PLAIN, _find_binary
from env.parsing.tools.python_docx import PYTHON_DOCX
from env.parsing.tools.python_pptx import PYTHON_PPTX

PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
TEXT_BOX = (
    '<w:p xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:v="urn:schemas-microsoft-com:vml" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><w:r><mc:AlternateContent>'
    '<mc:Choice Requires="wps"><wps:txbx><w:txbxContent><w:p><w:r><w:t>boxed heron</w:t></w:r></w:p></w:txbxContent></wps:txbx></mc:Choice>'
    "<mc:Fallback><w:pict><v:textbox><w:txbxContent><w:p><w:r><w:t>boxed heron</w:t></w:r></w:p></w:txbxContent></v:textbox></w:pict>"
    "</mc:Fallback></mc:AlternateContent></w:r></w:p>"
)


def write_docx() -> bytes:
    document = docx.Document()
    document.add_heading("Wetlands survey")
    document.add_paragraph("Herons nest in the reeds.")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip([*table.rows[0].cells, *table.rows[1].cells], ["species", "count", "bittern", "17"], strict=True):
        cell.text = text
    table.rows[0].cells[0].merge(table.rows[0].cells[1])
    document.add_picture(io.BytesIO(PIXEL))
    document.sections[0].header.paragraphs[0].text = "confidential draft"
    document.element.body.insert(0, parse_xml(TEXT_BOX))
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def write_pptx() -> bytes:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Quarterly harvest"
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, Inches(2), Inches(1)).text_frame.text = "grouped barley"
    table = slide.shapes.add_table(1, 2, 0, 0, Inches(3), Inches(1)).table
    table.cell(0, 0).text, table.cell(0, 1).text = "oats", "52"
    slide.notes_slide.notes_text_frame.text = "mention the drought"
    stream = io.BytesIO()
    deck.save(stream)
    return stream.getvalue()


def write_xlsx() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Prices"
    sheet.append(["grain", "price"])
    sheet.append(["rye", 3.25])
    sheet["A2"].comment = Comment("organic only", "editor")
    book.create_sheet("Empty")
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def write_with_pandoc(writer: str) -> bytes:
    markdown = b"# Orchard log\n\nPears ripen late[^1].\n\n| tree | age |\n|---|---|\n| quince | 23 |\n\n[^1]: frost damage\n"
    command = [_find_binary(), "-f", "markdown", "-t", writer, "-o", "-"]
    return subprocess.run(command, input=markdown, capture_output=True, check=True).stdout


@pytest.mark.parametrize("tool", [PYTHON_DOCX, MAMMOTH, MARKITDOWN, PANDOC, PANDOC_PLAIN, OOXML], ids=lambda tool: tool.name)
def test_word_tools_read_paragraphs_and_tables(tool, make_input):
    text = tool.extract(make_input(write_docx(), "docx"))
    for words in ("Wetlands survey", "Herons nest in the reeds", "bittern", "17"):
        assert words in text


def test_python_docx_gives_a_merged_cell_once(make_input):
    assert PYTHON_DOCX.extract(make_input(write_docx(), "docx")).count("species") == 1


def test_only_the_ooxml_reader_sees_headers_and_gives_text_boxes_once(make_input):
    source = make_input(write_docx(), "docx")
    text = OOXML.extract(source)
    assert "confidential draft" in text
    assert text.count("boxed heron") == 1
    assert "boxed heron" not in PYTHON_DOCX.extract(source)
    assert "confidential draft" not in PYTHON_DOCX.extract(source)


def test_mammoth_inlines_images_as_a_plain_user_gets_them(make_input):
    assert "data:image/png;base64," in MAMMOTH.extract(make_input(write_docx(), "docx"))


@pytest.mark.parametrize("tool", [PYTHON_PPTX, MARKITDOWN, OOXML], ids=lambda tool: tool.name)
def test_slide_tools_read_titles_tables_and_notes(tool, make_input):
    text = tool.extract(make_input(write_pptx(), "pptx"))
    for words in ("Quarterly harvest", "oats", "52", "mention the drought"):
        assert words in text


@pytest.mark.parametrize("tool", [PYTHON_PPTX, MARKITDOWN, OOXML], ids=lambda tool: tool.name)
def test_slide_tools_open_groups(tool, make_input):
    assert "grouped barley" in tool.extract(make_input(write_pptx(), "pptx"))


@pytest.mark.parametrize("tool", [OPENPYXL, MARKITDOWN, OOXML], ids=lambda tool: tool.name)
def test_sheet_tools_read_cell_values(tool, make_input):
    text = tool.extract(make_input(write_xlsx(), "xlsx"))
    for words in ("grain", "price", "rye", "3.25"):
        assert words in text


def test_pandoc_reads_slides_without_notes_and_raises_on_the_absolute_part_names_of_openpyxl(make_input):
    text = PANDOC.extract(make_input(write_pptx(), "pptx"))
    assert "Quarterly harvest" in text
    assert "drought" not in text
    with pytest.raises(RuntimeError, match="Failed to parse XLSX"):
        PANDOC.extract(make_input(write_xlsx(), "xlsx"))


def test_openpyxl_writes_a_line_per_row_below_the_name_of_the_sheet(make_input):
    assert OPENPYXL.extract(make_input(write_xlsx(), "xlsx")) == "Prices\ngrain\tprice\nrye\t3.25\nEmpty"


def test_the_extension_does_not_matter(make_input, tmp_path):
    path = tmp_path / "prices.bin"
    path.write_bytes(write_xlsx())
    assert "rye" in OPENPYXL.extract(make_input(path, "xlsx"))


@pytest.mark.parametrize("tool", [PYTHON_DOCX, MAMMOTH, MARKITDOWN, PANDOC, OOXML], ids=lambda tool: tool.name)
def test_errors_do_not_name_the_folder_of_the_file(tool, make_input, tmp_path):
    with pytest.raises(Exception) as caught:
        tool.extract(make_input(b"PK\x03\x04 damaged", "docx"))
    assert str(tmp_path) not in str(caught.value)


def test_the_ooxml_reader_sees_comments_of_a_sheet(make_input):
    text = OOXML.extract(make_input(write_xlsx(), "xlsx"))
    assert text.startswith("grain\tprice\nrye\t3.25\n")
    assert "organic only" in text


@pytest.mark.parametrize("tool", [ODF, PANDOC, PANDOC_PLAIN], ids=lambda tool: tool.name)
def test_opendocument_tools_read_paragraphs_tables_and_notes(tool, make_input):
    text = tool.extract(make_input(write_with_pandoc("odt"), "odt"))
    for words in ("Orchard log", "Pears ripen late", "quince", "frost damage"):
        assert words in text


@pytest.mark.parametrize("tool", [PANDOC, PANDOC_PLAIN, MARKITDOWN], ids=lambda tool: tool.name)
def test_epub_tools_read_the_book(tool, make_input):
    text = tool.extract(make_input(write_with_pandoc("epub"), "epub"))
    for words in ("Orchard log", "Pears ripen late", "quince", "frost damage"):
        assert words in text


def test_pymupdf_reads_books_too(extract_alone, make_input):
    assert "frost damage" in extract_alone("pymupdf", "PYMUPDF", make_input(write_with_pandoc("epub"), "epub"))


@pytest.mark.parametrize(
    ("tool", "file_format"),
    [
        *((tool, "docx") for tool in (PYTHON_DOCX, MAMMOTH, MARKITDOWN, PANDOC, OOXML)),
        *((MARKITDOWN, file_format) for file_format in ("xlsx", "xls", "msg")),
        *((ODF, "odt"), (PYTHON_PPTX, "pptx"), (OPENPYXL, "xlsx")),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_office_tools_raise_on_a_damaged_file(tool, file_format, make_input):
    with pytest.raises(Exception):  # noqa: B017 (each library has its own error; the worker catches them all)
        tool.extract(make_input(write_docx()[:900], file_format))


def test_a_part_that_expands_beyond_the_limit_is_refused(make_input, monkeypatch):
    monkeypatch.setattr(zipped_xml, "MAX_PART_BYTES", 1000)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", "<a>" + " " * 100_000 + "</a>")
    with pytest.raises(ValueError, match=r"word/document\.xml expands to more than 1000 bytes"):
        OOXML.extract(make_input(stream.getvalue(), "docx"))


def test_entities_of_a_part_are_not_expanded(make_input, tmp_path):
    (tmp_path / "secret.txt").write_text("launch code")
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        doctype = f'<!DOCTYPE a [<!ENTITY f SYSTEM "file://{tmp_path}/secret.txt"><!ENTITY b "bomb">]>'
        archive.writestr("word/document.xml", doctype + "<a><p><t>seen &f; &b;</t></p></a>")
    text = OOXML.extract(make_input(stream.getvalue(), "docx"))
    assert "seen" in text
    assert "launch" not in text
    assert "bomb" not in text
