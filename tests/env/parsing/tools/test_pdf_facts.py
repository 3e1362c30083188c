"""Facts about PDFs that pypdf wrote."""

from pathlib import Path

import pytest
from pypdf import PdfWriter

from env.parsing.tools.pdf_facts import PdfFacts, read_pdf_facts

SOFT_HYPHEN = "\u00ad"
"""As a password the same as none: its normal form (SASLprep) is empty, and the writer does not take it for a missing one."""


def write_pdf(path: Path, pages: int = 2, **encryption: str) -> Path:
    writer = PdfWriter()
    for _ in range(pages):
        writer.add_blank_page(200, 200)
    if encryption:
        writer.encrypt(**encryption)  # type: ignore[arg-type]
    writer.write(path)
    return path


def test_pages_are_counted(tmp_path: Path) -> None:
    assert read_pdf_facts(write_pdf(tmp_path / "a.pdf", pages=3)) == PdfFacts(pages=3)


def test_a_wrong_cross_reference_table_is_noticed(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "a.pdf")
    path.write_bytes(path.read_bytes().replace(b"%PDF-1.3\n", b"%PDF-1.3\n%" + b"x" * 50 + b"\n"))
    assert read_pdf_facts(path) == PdfFacts(pages=2, bad_xref=True)


@pytest.mark.parametrize("algorithm", ["AES-128", "AES-256"])
def test_a_file_that_needs_a_password_is_known(tmp_path: Path, algorithm: str) -> None:
    path = write_pdf(tmp_path / "a.pdf", user_password="secret", owner_password="more", algorithm=algorithm)
    assert read_pdf_facts(path) == PdfFacts(encrypted=True, needs_password=True)


def test_a_file_with_restrictions_only_opens(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "a.pdf", user_password="", owner_password="more", algorithm="AES-256")
    assert read_pdf_facts(path) == PdfFacts(pages=2, encrypted=True)


def test_a_file_that_opens_with_an_empty_owner_password_is_not_locked(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "a.pdf", user_password="secret", owner_password=SOFT_HYPHEN, algorithm="AES-256")
    facts = read_pdf_facts(path)
    assert facts.encrypted
    assert not facts.needs_password


@pytest.mark.parametrize("content", [b"", b"%PDF-1.4\n", b"no pdf at all", b"%PDF-1.7\n" + bytes(range(256)) * 8])
def test_a_file_that_cannot_be_opened_is_a_fact_too(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(content)
    assert read_pdf_facts(path) == PdfFacts()
