"""Identity card of a file: rules only, no model, no parser library (specification, parsing §2)."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path, PurePath

from env.parsing.charset import Charset, guess_charset
from env.parsing.containers import Container
from env.parsing.encoding_hints import EncodingHint, find_hints
from env.parsing.file_format import HEAD_BYTES, MIME, look_into_binary, name_unknown_mime, warn_of_extension
from env.parsing.text_format import name_text_format
from env.parsing.text_signs import find_text_warnings, is_binary, is_encrypted_mail, is_text
from env.parsing.tools.pdf_facts import PdfFacts
from env.records import Record

HEAD_CHARS = 300
"""Characters of a plain text that the model sees (specification, parsing §6)."""
_TEXT_BYTES = 4 << 20
"""Bytes of a text that decide on its charset and format."""
_BLOCK_BYTES = 1 << 20
_DIGESTS = {32: "MD5", 40: "SHA-1", 56: "SHA-224", 64: "SHA-256", 96: "SHA-384", 128: "SHA-512"}
_HEADED = frozenset({"txt", "md", "csv", "json", "xml"})
"""Formats that count as plain text."""
_HINTED = frozenset({"txt", "md", "csv"})
_UNSHOWN = re.compile(r"[\x00\ud800-\udfff]")


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


@dataclass(frozen=True, slots=True)
class _Bytes:
    """The ends of a file, and its digests."""

    start: bytes
    tail: bytes
    size: int
    sha256: str
    md5: str

    @property
    def whole(self) -> bool:
        return self.size == len(self.start)


def make_card(path: Path, *, name: str | None = None, pdf: PdfFacts | None = None) -> FileCard:
    """Look at a file by rules alone. Bounded: apart from the digests it reads a few megabytes at most, and it unpacks nothing.

    Args:
        path: The file.
        name: What the file is called; by default its own name. Its extension is compared with the content.
        pdf: What PDFium says about it (`read_pdf_facts`); without it the card has no page count and cannot tell a locked PDF.

    Raises:
        OSError: the file cannot be read.
    """
    name = path.name if name is None else name
    content = _read(path)
    card = _begin_card(name, content)
    if not content.size:
        return card.model_copy(update={"refusal": "the file is empty"})
    found = look_into_binary(path, content.start[:HEAD_BYTES], content.tail, content.size, card.extension, pdf)
    if found is not None and found.format not in ("rtf", "unknown"):
        card = _describe_binary(card, found, pdf)
    elif (found is None or found.format == "rtf") and (charset := _find_charset(content)):
        card = _describe_text(card, content, charset)
    else:
        card = card.model_copy(update={"mime": name_unknown_mime(path), "warnings": () if found is None else found.warnings})
    mismatch = warn_of_extension(card.extension, card.format)
    return card if mismatch is None else card.model_copy(update={"warnings": (mismatch, *card.warnings)})


def make_bare_card(path: Path, name: str, refusal: str) -> FileCard:
    """Card of a file that must not be looked into: its name, its size, its digests.

    Raises:
        OSError: the file cannot be read.
    """
    return _begin_card(name, _read(path)).model_copy(update={"refusal": refusal})


def _begin_card(name: str, content: _Bytes) -> FileCard:
    return FileCard(
        name=_show(name),
        extension=_show(PurePath(name).suffix[1:].lower()),
        format="unknown",
        mime=MIME["unknown"],
        size_bytes=content.size,
        sha256=content.sha256,
        md5=content.md5,
    )


def _find_charset(content: _Bytes) -> Charset | None:
    """None for what is no text."""
    if is_binary(content.start):
        return None
    charset = guess_charset(content.start, whole=content.whole)
    return charset if is_text(content.start, charset) else None


def _describe_binary(card: FileCard, found: Container, pdf: PdfFacts | None) -> FileCard:
    return card.model_copy(
        update={
            "format": found.format,
            "mime": MIME[found.format],
            "pages": pdf.pages if pdf is not None and found.format == "pdf" else None,
            "slides": found.slides,
            "sheets": found.sheets,
            "warnings": found.warnings,
            "refusal": found.refusal,
        }
    )


def _describe_text(card: FileCard, content: _Bytes, charset: Charset) -> FileCard:
    text = content.start.decode(charset.encoding, "replace")
    kind = name_text_format(text, card.extension, whole=content.whole)
    warnings = find_text_warnings(text, charset)
    refusal = None
    if content.whole and (digest := _name_digest(text)):
        refusal = f"the whole content is one {digest} digest"
    elif kind == "eml" and is_encrypted_mail(text):
        warnings, refusal = (*warnings, "encrypted"), "encrypted: the mail needs a key"
    return card.model_copy(
        update={
            "format": kind,
            "mime": MIME[kind],
            "encoding": charset.encoding,
            "encoding_confidence": charset.confidence,
            "hints": find_hints(text) if kind in _HINTED and refusal is None else (),
            "warnings": warnings,
            "head": _show(text[:HEAD_CHARS]) if kind in _HEADED else "",
            "refusal": refusal,
        }
    )


def _name_digest(text: str) -> str | None:
    """Which digest the text is, white space around it aside; a list of them is a text, and digits alone are a number."""
    word = text.strip().lower()
    kind = _DIGESTS.get(len(word))
    return kind if kind and re.fullmatch(r"[0-9a-f]+", word) and not word.isdigit() else None


def _show(text: str) -> str:
    """Characters that JSON or a terminal cannot carry become U+FFFD."""
    return _UNSHOWN.sub("\ufffd", text)


def _read(path: Path) -> _Bytes:
    sha256, md5 = hashlib.sha256(), hashlib.md5(usedforsecurity=False)
    start, tail, size = b"", b"", 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            sha256.update(block)
            md5.update(block)
            size += len(block)
            if len(start) < _TEXT_BYTES:
                start += block
            tail = (tail + block)[-HEAD_BYTES:]
    return _Bytes(start, tail, size, sha256.hexdigest(), md5.hexdigest())
