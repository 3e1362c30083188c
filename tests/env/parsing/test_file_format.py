"""Formats by magic bytes, and warnings about names."""

from pathlib import Path

import pytest

from env.parsing.file_format import MIME, look_at_pdf_bytes, look_into_binary, name_magic, warn_of_extension
from env.parsing.tools.pdf_facts import PdfFacts

PDF = b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\nstartxref\n9\n%%EOF\n"
MAGIC = [
    (PDF, "pdf"),
    (b"\x00\x01junk\n" + PDF, "pdf"),
    (b"PK\x03\x04 %PDF-1.4 1 0 obj", "zip"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest", "ole"),
    (b"{\\rtf1}", "rtf"),
    (b"\x89PNG\r\n\x1a\nrest", "png"),
    (b"\xff\xd8\xff\xe0", "jpeg"),
    (b"II*\x00", "tiff"),
    (b"MM\x00*", "tiff"),
    (b"GIF89a", "gif"),
    (b"BM" + bytes(12) + b"\x28\0\0\0", "bmp"),
    (b"\x1f\x8b\x08\x00", "gzip"),
    (b"BMW is a maker of cars, and this is a text", None),
    (b"A text about %PDF-1.4 headers.", None),
    (b"", None),
]


@pytest.mark.parametrize(("head", "kind"), MAGIC)
def test_magic_bytes_name_the_format(head: bytes, kind: str | None) -> None:
    assert name_magic(head) == kind


def test_a_sound_pdf_has_no_warnings() -> None:
    assert look_at_pdf_bytes(PDF, PDF, PdfFacts(pages=1)).warnings == ()


@pytest.mark.parametrize(
    ("head", "tail", "facts", "warning"),
    [
        (b"junk\n" + PDF, PDF, PdfFacts(pages=1), "data in front of the PDF header"),
        (PDF, b"cut", PdfFacts(pages=1), "truncated: the end of the PDF is missing"),
        (PDF, PDF + b"PK\x05\x06", PdfFacts(pages=1), "a zip archive is appended to the PDF"),
        (PDF, PDF, PdfFacts(pages=1, bad_xref=True), "bad xref: the cross-reference table had to be rebuilt"),
        (PDF, PDF, PdfFacts(), "damaged: PDFium cannot open it"),
        (PDF, PDF, PdfFacts(pages=1, encrypted=True), "encrypted, but opens without a password"),
        (PDF, PDF, PdfFacts(encrypted=True), "encrypted: opens only as its owner"),
    ],
)
def test_what_is_odd_about_a_pdf_is_said(head: bytes, tail: bytes, facts: PdfFacts, warning: str) -> None:
    found = look_at_pdf_bytes(head, tail, facts)
    assert (found.warnings, found.refusal) == ((warning,), None)


def test_a_pdf_that_needs_a_password_is_refused() -> None:
    found = look_at_pdf_bytes(PDF, PDF, PdfFacts(encrypted=True, needs_password=True))
    assert (found.warnings, found.refusal) == (("encrypted",), "encrypted: it needs a password")


def test_text_is_no_binary(tmp_path: Path) -> None:
    assert look_into_binary(tmp_path / "unused", b"Hello", b"Hello", 5, "pdf", None) is None


@pytest.mark.parametrize(
    ("extension", "file_format"),
    [
        ("pdf", "pdf"),
        ("htm", "html"),
        ("xhtml", "html"),
        ("jpg", "jpeg"),
        ("tif", "tiff"),
        ("txt", "md"),
        ("md", "txt"),
        ("xml", "docbook"),
        ("tsv", "csv"),
    ],
)
def test_names_that_fit_bring_no_warning(extension: str, file_format: str) -> None:
    assert warn_of_extension(extension, file_format) is None


@pytest.mark.parametrize(
    ("extension", "file_format"), [("txt", "pdf"), ("doc", "html"), ("pdf", "gzip"), ("docx", "doc"), ("txt", "html"), ("ppt", "pptx")]
)
def test_names_that_lie_bring_a_warning(extension: str, file_format: str) -> None:
    assert warn_of_extension(extension, file_format) == f"the extension says {extension}, the content is {file_format}"


def test_names_that_say_nothing_bring_no_warning() -> None:
    assert warn_of_extension("", "pdf") is None
    assert warn_of_extension("xyz", "pdf") is None


def test_unknown_content_is_said_in_words() -> None:
    assert warn_of_extension("pdf", "unknown") == "the extension says pdf, the content is no known format"


def test_every_format_agrees_with_its_own_extension() -> None:
    assert not [name for name in MIME if warn_of_extension(name, name)]
