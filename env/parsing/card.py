"""Identity card of a file: rules only, no model, no parser library (specification, parsing §2)."""

from enum import StrEnum

from env.records import Record


class EncodingHint(StrEnum):
    """What a plain text looks like; a hint only, nothing is decoded."""

    BASE64 = "base64"
    HEX = "hex"
    MORSE = "morse"
    URL = "url"
    ROT13 = "rot13"


class FileCard(Record):
    """What the model is told about a file before any tool has run."""

    name: str
    extension: str
    """Lower case without the dot; empty when there is none."""
    format: str
    """True format by content, e.g. `pdf`, `docx`, `txt`, `unknown`; never the extension."""
    mime: str
    size_bytes: int
    sha256: str
    md5: str
    pages: int | None = None
    """PDF pages."""
    slides: int | None = None
    sheets: int | None = None
    encoding: str | None = None
    """Charset guess of text formats, as Python names it."""
    encoding_confidence: float | None = None
    """0..1."""
    hints: tuple[EncodingHint, ...] = ()
    warnings: tuple[str, ...] = ()
    """Format warnings: extension differs from content, encrypted, truncated, bad xref, mixed encodings…"""
    head: str = ""
    """First 300 characters of plain text; empty for other formats."""
    refusal: str | None = None
    """Why no tool may open the file (digest only, bomb, empty…); the episode is intercepted with it."""
