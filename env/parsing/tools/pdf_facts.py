"""What PDFium can say about a PDF for its card, without reading its text.

PDFium tries the empty password as user password only; a few AES-256 files have an empty owner password, and those pypdf opens.
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class PdfFacts:
    """State of one PDF."""

    pages: int | None = None
    """None when it cannot be opened."""
    encrypted: bool = False
    needs_password: bool = False
    """Neither opens with the empty user password nor with the empty owner password."""
    bad_xref: bool = False
    """The cross-reference table is wrong; PDFium rebuilt it."""


def read_pdf_facts(path: Path) -> PdfFacts:
    """Open a PDF, run in a worker. Never raises on a damaged file: that is a fact too (`pages` None)."""
    from pypdfium2 import PdfDocument, PdfiumError, raw

    try:
        document = PdfDocument(path)
    except PdfiumError as error:
        encrypted = error.err_code == raw.FPDF_ERR_PASSWORD
        return PdfFacts(encrypted=encrypted, needs_password=encrypted and not _opens_as_owner(path))
    with document:
        return PdfFacts(
            pages=len(document),
            encrypted=raw.FPDF_GetSecurityHandlerRevision(document) >= 0,
            bad_xref=not raw.FPDF_DocumentHasValidCrossReferenceTable(document),
        )


def _opens_as_owner(path: Path) -> bool:
    try:
        from pypdf import PasswordType, PdfReader

        with path.open("rb") as file:
            return PdfReader(file).decrypt("") is not PasswordType.NOT_DECRYPTED
    except Exception:  # noqa: BLE001 (worker boundary: a parser may fail in any way on a stranger's file, or not be installed)
        return False
