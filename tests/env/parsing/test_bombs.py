"""Bombs are told from what an archive declares; ordinary archives pass."""

import io
import random
import zipfile
from pathlib import Path

import pytest

from env.parsing.bombs import find_xml_bomb, find_zip_bomb


def pack(parts: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def judge(data: bytes) -> str | None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return find_zip_bomb(archive, len(data))


def judge_xml(data: bytes) -> str | None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return find_xml_bomb(archive)


def test_an_ordinary_archive_passes() -> None:
    text = " ".join(str(random.Random(1).random()) for _ in range(2000)).encode()
    assert judge(pack({"a.txt": text, "b/c.xml": b"<a/>" * 1000, "inner.zip": pack({"d": text})})) is None


def test_a_part_that_shrinks_to_almost_nothing_is_a_bomb() -> None:
    refusal = judge(pack({"word/document.xml": bytes(70 << 20)}))
    assert refusal == "zip bomb: word/document.xml unpacks to 70 MiB"


def test_a_small_part_may_shrink_as_it_likes() -> None:
    assert judge(pack({"zeros": bytes(10 << 20)})) is None


def test_a_bomb_of_archives_within_archives_is_found() -> None:
    layer = pack({"zeros": bytes(60 << 20)})
    for _ in range(2):
        layer = pack({f"{number}.zip": layer for number in range(8)})
    assert judge(layer) == "zip bomb: it unpacks to more than 1 GiB"


def test_an_archive_that_holds_itself_many_layers_deep_ends() -> None:
    layer = pack({"a": b"a"})
    for _ in range(12):
        layer = pack({"inner.zip": layer})
    assert judge(layer) is None


def test_overlapping_entries_are_a_bomb() -> None:
    data = pack({"a": random.Random(2).randbytes(20_000)})
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        archive.infolist().extend(archive.infolist() * 5)
        assert find_zip_bomb(archive, len(data)) == "zip bomb: its entries overlap"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entity_declarations_in_a_part_are_an_attack(encoding: str) -> None:
    part = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bbbbbbbb"><!ENTITY c "&b;&b;&b;">]><a>&c;</a>'.encode(encoding)
    assert judge_xml(pack({"xl/sharedStrings.xml": part})) == "XML bomb: xl/sharedStrings.xml declares entities"


def test_a_doctype_without_entities_is_harmless() -> None:
    assert judge_xml(pack({"META-INF/manifest.xml": b'<!DOCTYPE m PUBLIC "x" "Manifest.dtd"><m/>', "a.txt": b"<!ENTITY in prose"})) is None


def test_a_damaged_part_is_passed_over(tmp_path: Path) -> None:
    data = bytearray(pack({"a.xml": b"<a>" + random.Random(3).randbytes(3000)}))
    data[60:200] = bytes(140)
    assert judge_xml(bytes(data)) is None
