"""What a zip archive or an OLE compound file is: Office, OpenDocument, EPUB, Outlook, or an archive. By content, not by extension."""

import re
import struct
import zipfile
from dataclasses import dataclass
from pathlib import Path

from olefile import OleFileIO

from env.parsing.bombs import READ_ERRORS, find_xml_bomb, find_zip_bomb

_MAX_SMALL_PART = 1 << 20
_OOXML_MAIN = re.compile(
    rb'PartName="/([^"]{1,200})"[^>]{0,20}ContentType="([^"]{1,200})"|ContentType="([^"]{1,200})"[^>]{0,20}PartName="/([^"]{1,200})"'
)
_OOXML_TYPES = (
    ("docx", re.compile(r"wordprocessingml\.(?:document|template)\.main")),
    ("docm", re.compile(r"ms-word\.(?:document|template)\.macroEnabled")),
    ("pptx", re.compile(r"presentationml\.(?:presentation|slideshow|template)\.main")),
    ("pptm", re.compile(r"ms-powerpoint\.(?:presentation|slideshow|template)\.macroEnabled")),
    ("xlsx", re.compile(r"spreadsheetml\.(?:sheet|template)\.main")),
    ("xlsm", re.compile(r"ms-excel\.(?:sheet|template)\.macroEnabled")),
)
_FOLDERS = {"word/": "docx", "ppt/": "pptx", "xl/": "xlsx"}
_MIMETYPES = {
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/epub+zip": "epub",
}
_SLIDE = re.compile(r"ppt/slides/[^/]+\.xml", re.IGNORECASE)
_SHEET = re.compile(r"xl/(?:work|chart|dialog)sheets/[^/]+\.xml", re.IGNORECASE)
_OOXML_EXTENSIONS = frozenset({"docx", "docm", "pptx", "pptm", "xlsx", "xlsm"})
_ENCRYPTED = "encrypted: it needs a password"
_FIB_ENCRYPTED = 0x0100
"""Bit `fEncrypted` of the flags at offset 10 of a Word file information block ([MS-DOC] 2.5.2)."""


@dataclass(frozen=True, slots=True)
class Container:
    """A container seen from outside."""

    format: str
    warnings: tuple[str, ...] = ()
    refusal: str | None = None
    slides: int | None = None
    sheets: int | None = None


def look_into_zip(path: Path, head: bytes, size: int, extension: str) -> Container:
    """Look at the directory of a zip archive, and at small parts of it."""
    try:
        archive = zipfile.ZipFile(path)
    except READ_ERRORS:
        return Container(_guess_from_local_headers(head, extension), ("truncated or damaged: the zip directory is lost",))
    with archive:
        names = set(archive.namelist())
        if "[Content_Types].xml" in names or any(name.startswith(tuple(_FOLDERS)) for name in names):
            found = _look_into_ooxml(archive, names)
        else:
            found = _look_into_odf(archive, names)
        refusal = find_zip_bomb(archive, size)
        if refusal is None and found.format not in ("zip", "epub"):
            refusal = find_xml_bomb(archive)
        locked = any(entry.flag_bits & 1 for entry in archive.infolist())
    warnings = (*found.warnings, "encrypted: entries of the archive need a password") if locked else found.warnings
    return Container(found.format, warnings, refusal or found.refusal, found.slides, found.sheets)


def _look_into_ooxml(archive: zipfile.ZipFile, names: set[str]) -> Container:
    parts = _main_parts(_read_small(archive, "[Content_Types].xml"))
    kinds = [(kind, part) for part, content_type in parts for kind, pattern in _OOXML_TYPES if pattern.search(content_type)]
    kind, main = kinds[0] if kinds else (_kind_from_folders(names), "")
    warnings: tuple[str, ...] = ()
    if kind in ("docx", "docm") and main not in names and "word/document.xml" not in names:
        warnings = (f"{kind} without word/document.xml",)
    slides = sum(1 for name in names if _SLIDE.fullmatch(name)) if kind in ("pptx", "pptm") else None
    sheets = sum(1 for name in names if _SHEET.fullmatch(name)) if kind in ("xlsx", "xlsm") else None
    return Container(kind, warnings, None, slides, sheets)


def _main_parts(content_types: bytes) -> list[tuple[str, str]]:
    parts = []
    for match in _OOXML_MAIN.finditer(content_types):
        name, kind = (match[1], match[2]) if match[1] else (match[4], match[3])
        parts.append((name.decode("utf-8", "replace"), kind.decode("ascii", "replace")))
    return parts


def _kind_from_folders(names: set[str]) -> str:
    for folder, kind in _FOLDERS.items():
        if any(name.startswith(folder) for name in names):
            return kind
    return "zip"


def _look_into_odf(archive: zipfile.ZipFile, names: set[str]) -> Container:
    mimetype = _read_small(archive, "mimetype").decode("ascii", "replace").strip().removesuffix("-template")
    kind = _MIMETYPES.get(mimetype) or ("epub" if "META-INF/container.xml" in names else "zip")
    if kind in ("odt", "ods", "odp"):
        if b"encryption-data" in _read_small(archive, "META-INF/manifest.xml"):
            return Container(kind, ("encrypted",), _ENCRYPTED)
        if "content.xml" not in names:
            return Container(kind, (f"{kind} without content.xml",))
    if kind == "epub" and b"aes" in _read_small(archive, "META-INF/encryption.xml"):
        return Container(kind, ("encrypted: parts of the book are protected (DRM)",))
    return Container(kind)


def _read_small(archive: zipfile.ZipFile, name: str) -> bytes:
    """A part of the archive, cut at 1 MiB; empty when it is missing or damaged."""
    try:
        with archive.open(name) as part:
            return part.read(_MAX_SMALL_PART)
    except (KeyError, *READ_ERRORS):
        return b""


def _guess_from_local_headers(head: bytes, extension: str) -> str:
    for mimetype, kind in _MIMETYPES.items():
        if mimetype.encode() in head[:200]:
            return kind
    for folder, kind in _FOLDERS.items():
        if folder.encode() in head:
            return kind
    return extension if extension in _OOXML_EXTENSIONS and b"[Content_Types].xml" in head else "zip"


def look_into_ole(path: Path, extension: str) -> Container:
    """Look at the streams of an OLE compound file: old Office, Outlook, or an encrypted new Office file."""
    try:
        with OleFileIO(str(path)) as ole:
            names = {stream[0] for stream in ole.listdir() if stream}
            flags = ole.openstream("WordDocument").read(12) if "WordDocument" in names else b""
    except (OSError, ValueError, IndexError, TypeError, struct.error, MemoryError, RecursionError):
        return Container("unknown", ("damaged: the OLE directory cannot be read",))
    if "EncryptedPackage" in names:  # the real kind is encrypted too, so the extension is all there is
        return Container(extension if extension in _OOXML_EXTENSIONS else "docx", ("encrypted",), _ENCRYPTED)
    if "WordDocument" in names:
        locked = len(flags) == 12 and int.from_bytes(flags[10:12], "little") & _FIB_ENCRYPTED
        return Container("doc", ("encrypted",), _ENCRYPTED) if locked else Container("doc")
    if names & {"Workbook", "Book"}:
        return Container("xls")
    if "PowerPoint Document" in names:
        return Container("ppt", ("encrypted",), _ENCRYPTED) if "EncryptedSummary" in names else Container("ppt")
    return Container("msg" if "__properties_version1.0" in names else "unknown")
