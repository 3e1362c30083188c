"""True format of a file by content: magic bytes, then the directory of a container, then the text itself (specification, parsing §2).

`puremagic` is asked only about binaries that none of our own rules knows, and only for the wording of the MIME type: to no tool does such a
file become readable by it.
"""

import re
from pathlib import Path

import puremagic

from env.parsing.containers import Container, look_into_ole, look_into_zip
from env.parsing.tools.pdf_facts import PdfFacts

HEAD_BYTES = 65_536
_PDF_HEADER_BYTES = 1024
"""Junk allowed in front of `%PDF-` (ISO 32000-1, annex H, implementation note 13)."""
_PDF_HEADER = re.compile(rb"%PDF-\d")
_MAGIC = (
    (b"%PDF-", "pdf"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"PK\x07\x08PK", "zip"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "ole"),
    (b"{\\rtf", "rtf"),
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"II*\x00", "tiff"),
    (b"MM\x00*", "tiff"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
    (b"\x1f\x8b\x08", "gzip"),
)
_BITMAP_HEADERS = (12, 40, 52, 56, 64, 108, 124)
"""Sizes of the header that follows the 14 bytes of a BMP file header."""
MIME = {
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "docm": "application/vnd.ms-word.document.macroEnabled.12",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "pptm": "application/vnd.ms-powerpoint.presentation.macroEnabled.12",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "xlsm": "application/vnd.ms-excel.sheet.macroEnabled.12",
    "xls": "application/vnd.ms-excel",
    "doc": "application/msword",
    "ppt": "application/vnd.ms-powerpoint",
    "msg": "application/vnd.ms-outlook",
    "odt": "application/vnd.oasis.opendocument.text",
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
    "odp": "application/vnd.oasis.opendocument.presentation",
    "epub": "application/epub+zip",
    "rtf": "application/rtf",
    "html": "text/html",
    "md": "text/markdown",
    "txt": "text/plain",
    "csv": "text/csv",
    "xml": "application/xml",
    "json": "application/json",
    "ipynb": "application/x-ipynb+json",
    "eml": "message/rfc822",
    "fb2": "application/x-fictionbook+xml",
    "docbook": "application/docbook+xml",
    "png": "image/png",
    "jpeg": "image/jpeg",
    "tiff": "image/tiff",
    "gif": "image/gif",
    "bmp": "image/bmp",
    "zip": "application/zip",
    "gzip": "application/gzip",
    "unknown": "application/octet-stream",
}
_EXTENSIONS: dict[str, frozenset[str]] = {
    **{name: frozenset({name}) for name in MIME if name != "unknown"},
    **dict.fromkeys(("txt", "text", "md", "markdown"), frozenset({"txt", "md", "csv"})),
    **dict.fromkeys(("htm", "xhtml", "shtml"), frozenset({"html"})),
    **dict.fromkeys(("jpg", "jpe"), frozenset({"jpeg"})),
    "tif": frozenset({"tiff"}),
    "tsv": frozenset({"csv"}),
    "gz": frozenset({"gzip"}),
    "xml": frozenset({"xml", "fb2", "docbook", "html"}),
    "dbk": frozenset({"docbook"}),
    "dotx": frozenset({"docx"}),
    "potx": frozenset({"pptx"}),
    "ppsx": frozenset({"pptx"}),
    "xltx": frozenset({"xlsx"}),
    "dot": frozenset({"doc"}),
}


def look_into_binary(path: Path, head: bytes, tail: bytes, size: int, extension: str, pdf: PdfFacts | None) -> Container | None:
    """The format of a binary file, or of RTF; None when the bytes could be text or are unknown.

    Args:
        path: The file.
        head: Its first `HEAD_BYTES`.
        tail: Its last bytes, up to as many.
        size: In bytes.
        extension: Lower case, without the dot; only an encrypted Office file needs it.
        pdf: What PDFium says, when it was asked.
    """
    kind = name_magic(head)
    if kind == "pdf":
        return look_at_pdf_bytes(head, tail, pdf)
    if kind == "zip":
        return look_into_zip(path, head, size, extension)
    if kind == "ole":
        return look_into_ole(path, extension)
    return None if kind is None else Container(kind)


def name_magic(head: bytes) -> str | None:
    """Format by magic bytes; `zip` and `ole` are containers still to be told apart."""
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    if head.startswith(b"BM") and int.from_bytes(head[14:18], "little") in _BITMAP_HEADERS and head[6:10] == b"\0\0\0\0":
        return "bmp"
    if _PDF_HEADER.search(head, 0, _PDF_HEADER_BYTES) and b" obj" in head:
        return "pdf"
    return None


def look_at_pdf_bytes(head: bytes, tail: bytes, pdf: PdfFacts | None) -> Container:
    """Warnings about a PDF, from its ends and from what PDFium says."""
    warnings = []
    if not head.startswith(b"%PDF-"):
        warnings.append("data in front of the PDF header")
    if b"%%EOF" not in tail or b"startxref" not in tail:
        warnings.append("truncated: the end of the PDF is missing")
    if b"PK\x05\x06" in tail:
        warnings.append("a zip archive is appended to the PDF")
    if pdf is None:
        return Container("pdf", tuple(warnings))
    if pdf.needs_password:
        return Container("pdf", (*warnings, "encrypted"), "encrypted: it needs a password")
    if pdf.encrypted:
        warnings.append("encrypted, but opens without a password" if pdf.pages is not None else "encrypted: opens only as its owner")
    elif pdf.pages is None:
        warnings.append("damaged: PDFium cannot open it")
    if pdf.bad_xref:
        warnings.append("bad xref: the cross-reference table had to be rebuilt")
    return Container("pdf", tuple(warnings))


def name_unknown_mime(path: Path) -> str:
    """MIME type of a binary that we do not know, as a second opinion."""
    try:
        return str(puremagic.from_file(path, mime=True)) or MIME["unknown"]
    except (puremagic.PureError, ValueError, OSError):
        return MIME["unknown"]


def warn_of_extension(extension: str, file_format: str) -> str | None:
    """A warning when a well-known extension is not that of the content."""
    expected = _EXTENSIONS.get(extension)
    if expected is None or file_format in expected:
        return None
    content = "no known format" if file_format == "unknown" else file_format
    return f"the extension says {extension}, the content is {content}"
