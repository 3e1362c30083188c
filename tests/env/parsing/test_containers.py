"""Zip archives and OLE files told apart by what is inside."""

import io
import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from env.parsing.containers import Container, look_into_ole, look_into_zip

OFFICE = "application/vnd.openxmlformats-officedocument."
OOXML = [
    ("docx", "word/document.xml", OFFICE + "wordprocessingml.document.main+xml"),
    ("docx", "word/document.xml", OFFICE + "wordprocessingml.template.main+xml"),
    ("docm", "word/document.xml", "application/vnd.ms-word.document.macroEnabled.main+xml"),
    ("pptx", "ppt/presentation.xml", OFFICE + "presentationml.presentation.main+xml"),
    ("pptx", "ppt/presentation.xml", OFFICE + "presentationml.slideshow.main+xml"),
    ("pptm", "ppt/presentation.xml", "application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml"),
    ("xlsx", "xl/workbook.xml", OFFICE + "spreadsheetml.sheet.main+xml"),
    ("xlsm", "xl/workbook.xml", "application/vnd.ms-excel.sheet.macroEnabled.main+xml"),
]
ODF = "application/vnd.oasis.opendocument."
SECTOR = 512
FREE, END, FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD


def pack(parts: dict[str, bytes | str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def types(part: str, content_type: str) -> str:
    return f'<Types><Override PartName="/{part}" ContentType="{content_type}"/></Types>'


def compound_file(streams: dict[str, bytes]) -> bytes:
    """A small OLE file: header, allocation table, directory of at most three streams, then the streams of eight sectors each ([MS-CFB])."""
    table = [FAT, END]
    entries = [("Root Entry", 5, 1 if streams else FREE, END, 0)]
    body = b""
    for number, (name, content) in enumerate(streams.items(), start=1):
        first = len(table)
        table += [*range(first + 1, first + 8), END]
        entries.append((name, 2, number + 1 if number < len(streams) else FREE, first, 8 * SECTOR))
        body += content.ljust(8 * SECTOR, b"\0")
    directory = b""
    for number, (name, kind, following, start, size) in enumerate(entries):
        encoded = (name + "\0").encode("utf-16-le")
        right, child = (FREE, following) if number == 0 else (following, FREE)
        directory += encoded.ljust(64, b"\0") + struct.pack("<HBB", len(encoded), kind, 1) + struct.pack("<III", FREE, right, child)
        directory += bytes(36) + struct.pack("<IQ", start, size)
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    header += struct.pack("<IIIIIIIII", 0, 1, 1, 0, 4096, END, 0, END, 0) + struct.pack("<109I", 0, *[FREE] * 108)
    allocation = struct.pack(f"<{SECTOR // 4}I", *table, *[FREE] * (SECTOR // 4 - len(table)))
    return header + allocation + directory.ljust(SECTOR, b"\0") + body


def look(tmp_path: Path, data: bytes, extension: str = "") -> Container:
    path = tmp_path / "file"
    path.write_bytes(data)
    return look_into_zip(path, data[:65_536], len(data), extension)


def look_at_streams(tmp_path: Path, streams: dict[str, bytes], extension: str = "") -> Container:
    path = tmp_path / "file"
    path.write_bytes(compound_file(streams))
    return look_into_ole(path, extension)


@pytest.mark.parametrize(("kind", "part", "content_type"), OOXML)
def test_office_files_are_told_apart_by_their_main_part(tmp_path: Path, kind: str, part: str, content_type: str) -> None:
    found = look(tmp_path, pack({"[Content_Types].xml": types(part, content_type), part: "<a/>"}))
    assert (found.format, found.warnings, found.refusal) == (kind, (), None)


def test_office_files_without_content_types_are_told_by_their_folders(tmp_path: Path) -> None:
    assert look(tmp_path, pack({"word/document.xml": "<a/>"})).format == "docx"
    assert look(tmp_path, pack({"xl/workbook.xml": "<a/>"})).format == "xlsx"


def test_slides_and_sheets_are_counted(tmp_path: Path) -> None:
    slides = {f"ppt/slides/slide{number}.xml": "<a/>" for number in range(3)} | {"ppt/slides/_rels/slide1.xml.rels": "<a/>"}
    assert look(tmp_path, pack({"ppt/presentation.xml": "<a/>"} | slides)).slides == 3
    sheets = {"xl/worksheets/sheet1.xml": "<a/>", "xl/chartsheets/sheet1.xml": "<a/>", "xl/workbook.xml": "<a/>"}
    assert look(tmp_path, pack(sheets)).sheets == 2


def test_a_word_file_without_its_document_is_warned_of(tmp_path: Path) -> None:
    found = look(tmp_path, pack({"[Content_Types].xml": types("word/document.xml", OOXML[0][2]), "word/styles.xml": "<a/>"}))
    assert found.warnings == ("docx without word/document.xml",)


def test_a_word_file_may_call_its_document_otherwise(tmp_path: Path) -> None:
    found = look(tmp_path, pack({"[Content_Types].xml": types("word/document2.xml", OOXML[0][2]), "word/document2.xml": "<a/>"}))
    assert (found.format, found.warnings) == ("docx", ())


@pytest.mark.parametrize(
    ("kind", "mimetype"),
    [
        ("odt", ODF + "text"),
        ("odt", ODF + "text-template"),
        ("ods", ODF + "spreadsheet"),
        ("odp", ODF + "presentation"),
        ("epub", "application/epub+zip"),
    ],
)
def test_opendocument_and_epub_are_told_by_their_mimetype(tmp_path: Path, kind: str, mimetype: str) -> None:
    found = look(tmp_path, pack({"mimetype": mimetype, "content.xml": "<a/>"}))
    assert (found.format, found.warnings, found.refusal) == (kind, (), None)


def test_an_encrypted_opendocument_file_is_refused(tmp_path: Path) -> None:
    manifest = '<manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry>'
    found = look(tmp_path, pack({"mimetype": ODF + "text", "content.xml": b"\x01\x02", "META-INF/manifest.xml": manifest}))
    assert found == Container("odt", ("encrypted",), "encrypted: it needs a password")


def test_any_other_archive_is_a_zip(tmp_path: Path) -> None:
    assert look(tmp_path, pack({"a.txt": "a"})) == Container("zip")


def test_an_archive_without_its_directory_is_truncated_but_keeps_its_kind(tmp_path: Path) -> None:
    whole = pack({"[Content_Types].xml": types("word/document.xml", OOXML[0][2]), "word/document.xml": "<a/>"})
    lost = ("truncated or damaged: the zip directory is lost",)
    assert look(tmp_path, whole[:-60]) == Container("docx", lost)
    assert look(tmp_path, whole[:60], "pptx") == Container("pptx", lost)
    assert look(tmp_path, pack({"mimetype": ODF + "text", "a": "a"}).replace(b"PK\5\6", b"PK\5\7"), "").warnings == lost


def test_an_xml_bomb_in_an_office_file_is_refused(tmp_path: Path) -> None:
    found = look(tmp_path, pack({"xl/workbook.xml": '<!DOCTYPE a [<!ENTITY b "b">]><a>&b;</a>'}))
    assert found.refusal == "XML bomb: xl/workbook.xml declares entities"


@pytest.mark.parametrize(
    ("kind", "stream"),
    [("doc", "WordDocument"), ("xls", "Workbook"), ("xls", "Book"), ("ppt", "PowerPoint Document"), ("msg", "__properties_version1.0")],
)
def test_old_office_files_are_told_by_their_streams(tmp_path: Path, kind: str, stream: str) -> None:
    assert look_at_streams(tmp_path, {stream: b"\xec\xa5"}) == Container(kind)


def test_a_word_document_with_the_encryption_flag_is_refused(tmp_path: Path) -> None:
    header = b"\xec\xa5" + bytes(8) + (0x0100).to_bytes(2, "little")
    assert look_at_streams(tmp_path, {"WordDocument": header}).refusal == "encrypted: it needs a password"


@pytest.mark.parametrize(("extension", "kind"), [("xlsx", "xlsx"), ("pptx", "pptx"), ("docx", "docx"), ("", "docx"), ("pdf", "docx")])
def test_an_encrypted_new_office_file_is_refused_and_named_by_its_extension(tmp_path: Path, extension: str, kind: str) -> None:
    found = look_at_streams(tmp_path, {"EncryptedPackage": b"x", "EncryptionInfo": b"y"}, extension)
    assert found == Container(kind, ("encrypted",), "encrypted: it needs a password")


def test_another_ole_file_is_unknown(tmp_path: Path) -> None:
    assert look_at_streams(tmp_path, {"Something": b"x"}) == Container("unknown")


@given(st.binary(max_size=2000), st.integers(0, 3000))
def test_damaged_containers_never_raise(tmp_path_factory: pytest.TempPathFactory, noise: bytes, place: int) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    archive = pack({"[Content_Types].xml": types("word/document.xml", OOXML[0][2]), "word/document.xml": "<a/>" * 500})
    ole = compound_file({"WordDocument": b"\xec\xa5"})
    for whole, look_into in ((archive, look), (ole, None)):
        damaged = whole[:place] + noise + whole[place + len(noise) :]
        if look_into:
            look_into(folder, damaged)
        else:
            path = folder / "ole"
            path.write_bytes(damaged)
            look_into_ole(path, "")
