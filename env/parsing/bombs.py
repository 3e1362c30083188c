"""Zip and XML bombs, told from what an archive declares, before anything is unpacked.

Reads the central directory, the first bytes of XML parts, and small archives inside the archive; nothing is read without a bound.
"""

import io
import zipfile
import zlib
from collections.abc import Iterator

_MAX_TOTAL_BYTES = 1 << 30
"""Declared size of everything together; archives inside count with what they hold."""
_MAX_PART_BYTES = 64 << 20
_MAX_PART_RATIO = 200
"""A large part that shrinks more than this is no text: prose and XML of real Office files shrink 5 to 40 times."""
_MAX_NESTED_BYTES = 4 << 20
"""Larger archives inside are not opened."""
_MAX_DEPTH = 4
_MAX_NESTED = 200
"""Archives inside that are opened."""
_MAX_ENTRIES = 50_000
_XML_HEAD_BYTES = 16_384
_MAX_XML_PARTS = 500
_PACKAGED_XML = (".xml", ".rels", ".vml")
READ_ERRORS = (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError, zlib.error)
"""What `zipfile` raises on a damaged, encrypted or oddly compressed member."""


def find_zip_bomb(archive: zipfile.ZipFile, size: int) -> str | None:
    """Why an archive of `size` bytes must not be unpacked, or None."""
    entries = archive.infolist()
    if len(entries) > _MAX_ENTRIES:
        return f"zip bomb: {len(entries)} entries"
    if sum(entry.compress_size for entry in entries) > 2 * size + 1024:
        return "zip bomb: its entries overlap"
    for entry in entries:
        if entry.file_size > _MAX_PART_BYTES and entry.file_size > _MAX_PART_RATIO * max(1, entry.compress_size):
            return f"zip bomb: {_shorten(entry.filename)} unpacks to {entry.file_size >> 20} MiB"
    total = 0
    for declared in _declared_sizes(archive):
        total += declared
        if total > _MAX_TOTAL_BYTES:
            return f"zip bomb: it unpacks to more than {_MAX_TOTAL_BYTES >> 30} GiB"
    return None


def find_xml_bomb(archive: zipfile.ZipFile) -> str | None:
    """Why the XML parts of an Office or OpenDocument file must not be parsed, or None.

    Neither format uses entity declarations, so any is taken for an attack.
    """
    parts = [entry for entry in archive.infolist() if entry.filename.lower().endswith(_PACKAGED_XML)]
    for entry in parts[:_MAX_XML_PARTS]:
        try:
            with archive.open(entry) as part:
                head = part.read(_XML_HEAD_BYTES)
        except READ_ERRORS:
            continue
        if b"<!ENTITY" in head.replace(b"\0", b""):
            return f"XML bomb: {_shorten(entry.filename)} declares entities"
    return None


def _declared_sizes(archive: zipfile.ZipFile) -> Iterator[int]:
    """Sizes of all entries, and of the entries of archives inside, those of deep archives first."""
    waiting = [(archive, 0)]
    opened = 0
    while waiting:
        current, depth = waiting.pop()
        for entry in current.infolist()[:_MAX_ENTRIES]:
            yield entry.file_size
            inside = _open_nested(current, entry) if depth < _MAX_DEPTH and opened < _MAX_NESTED else None
            if inside is not None:
                opened += 1
                waiting.append((inside, depth + 1))


def _open_nested(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> zipfile.ZipFile | None:
    if not 22 <= entry.file_size <= _MAX_NESTED_BYTES:
        return None
    try:
        with archive.open(entry) as member:
            if not member.read(4).startswith(b"PK"):
                return None
            member.seek(0)
            return zipfile.ZipFile(io.BytesIO(member.read(_MAX_NESTED_BYTES)))
    except READ_ERRORS:
        return None


def _shorten(name: str) -> str:
    return name if len(name) <= 60 else f"{name[:57]}…"
