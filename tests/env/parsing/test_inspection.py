"""Inspections: card, formulas and yardstick of one file."""

import hashlib
from pathlib import Path

from pypdf import PdfWriter

from env.parsing.inspection import Inspection, damaged_inspection, inspect_file, inspection_version

PAGE = (
    "<html><head><title>Größen</title></head><body><p>Die Größe <math><annotation encoding='application/x-tex'>x^2</annotation></math> "
    "wächst.</p><p>Dazu ⟦F3⟧ und <math alttext='y_1'><mi>y</mi></math> für später, natürlich.</p></body></html>"
)


def test_a_web_page_gives_its_formulas_in_its_own_charset(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_bytes(PAGE.encode("cp1252", "xmlcharrefreplace"))
    inspection = inspect_file(path, "a.html")
    assert (inspection.card.format, inspection.card.encoding) == ("html", "cp1252")
    assert (inspection.formulas, inspection.first_formula) == (("x^2", "y_1"), 4)
    assert inspection.yardstick.source == "dom"
    assert "größe" in inspection.yardstick.tokens


def test_a_pdf_gives_its_pages(tmp_path: Path) -> None:
    writer = PdfWriter()
    for _ in range(3):
        writer.add_blank_page(200, 200)
    path = tmp_path / "stored"
    writer.write(path)
    card = inspect_file(path, "a.pdf").card
    assert (card.format, card.pages, card.warnings) == ("pdf", 3, ())


def test_a_locked_pdf_is_refused(tmp_path: Path) -> None:
    writer = PdfWriter()
    writer.add_blank_page(200, 200)
    writer.encrypt("secret", "more", algorithm="AES-256")
    path = tmp_path / "a.pdf"
    writer.write(path)
    inspection = inspect_file(path, "a.pdf")
    assert inspection.card.refusal == "encrypted: it needs a password"
    assert inspection.yardstick.source == "none"


def test_a_damaged_file_is_inspected_without_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF-1.4\n" + bytes(range(256)) * 20)
    inspection = inspect_file(path, "a.pdf")
    assert "damaged: PDFium cannot open it" in inspection.card.warnings
    assert Inspection.model_validate_json(inspection.model_dump_json()) == inspection


def test_a_file_that_killed_its_inspector_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "stored"
    path.write_bytes(b"whatever")
    inspection = damaged_inspection(path, "Evil\udcff.PDF", "the file cannot be inspected (crashed)")
    card = inspection.card
    assert (card.name, card.extension, card.format, card.size_bytes) == ("Evil\ufffd.PDF", "pdf", "unknown", 8)
    assert (card.sha256, card.md5) == (hashlib.sha256(b"whatever").hexdigest(), hashlib.md5(b"whatever").hexdigest())
    assert card.refusal == "the file cannot be inspected (crashed)"
    assert inspection.yardstick.source == "none"


def test_the_version_names_every_library_that_decides(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Hello there, this is a text.")
    version = inspection_version()
    assert inspect_file(path, "a.txt").version == version
    for library in ("charset-normalizer", "olefile", "puremagic", "pypdfium2", "lxml"):
        assert f"{library} " in version
