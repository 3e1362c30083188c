"""The file format of a frozen snapshot: one read-only Parquet file, one row per corpus file (specification, parsing §9).

A row holds what the manifest says of the file, its inspection, the usable tools in their order with their F1, and every recorded result
with the previews that observations are cut from. Whole texts are optional and read on demand. The digest is taken over the content, not
over Parquet's bytes: it stays the same with or without texts, whatever the compression, and changes with anything an episode can show.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from env.errors import SnapshotError
from env.parsing.inspection import Inspection
from env.parsing.previews import cut_previews
from env.parsing.tools.tool import ToolResult, ToolSpec
from env.records import Record

VERSION = 1
PREVIEW_CHARS = 2000
"""Start and middle of every output that are kept when whole texts are not; no preview can be longer."""

_FILES_PER_GROUP = 32
"""Texts are read from the disk in groups of so many files."""
_STRINGS = ("id", "format", "category", "doc", "split", "level", "expect", "inspection")
_TOOL = pa.struct([("spec", pa.string()), ("f1", pa.float64())])
_RESULT = pa.struct(
    [(name, pa.string()) for name in ("result", "head", "middle", "text_sha256")] + [("attempt", pa.int8()), ("chars", pa.int64())]
)
_SCHEMA = pa.schema(
    [(name, pa.string()) for name in _STRINGS]
    + [("tools", pa.list_(_TOOL)), ("results", pa.list_(_RESULT)), ("texts", pa.list_(pa.large_string()))]
)
_CONTENT = [name for name in _SCHEMA.names if name != "texts"]

Row = dict[str, Any]


class ScoredTool(Record):
    """A usable tool of one file."""

    spec: ToolSpec
    f1: float | None
    """None without a reference, or when the output is missing."""


class RecordedResult(Record):
    """One recorded output."""

    attempt: int
    result: ToolResult
    """Without its text."""
    head: str
    middle: str
    chars: int
    """Length of the whole text."""
    text_sha256: str

    @classmethod
    def of(cls, result: ToolResult, attempt: int) -> "RecordedResult":
        """Cut the previews out of a full result."""
        head, middle = cut_previews(result.text, PREVIEW_CHARS, PREVIEW_CHARS)
        return cls(
            attempt=attempt,
            result=result.model_copy(update={"text": ""}),
            head=head,
            middle=middle,
            chars=len(result.text),
            text_sha256=hash_text(result.text),
        )


class RecordedFile(Record):
    """One row."""

    id: str
    format: str
    category: str
    doc: str
    split: str
    level: str | None
    expect: str | None
    inspection: Inspection
    """Without the tokens of the yardstick: recorded quality has what they were needed for."""
    tools: tuple[ScoredTool, ...]
    """In the order they are listed to the model."""
    results: tuple[RecordedResult, ...]
    texts: tuple[str, ...] | None = None
    """Whole texts in the order of `results`, where they are kept; `read_snapshot` leaves them on the disk."""


def write_snapshot(path: Path, files: Iterable[RecordedFile], pool: str) -> str:
    """Write a snapshot whole or not at all, read-only; returns its digest. The same content gives the same bytes.

    Args:
        path: the file to write or replace.
        files: what to record.
        pool: name of the pool whose tools were run.

    Raises:
        SnapshotError: it cannot be written.
    """
    rows = [_to_row(file) for file in sorted(files, key=lambda file: file.id)]
    digest = _digest(rows, pool)
    metadata = {"docgym.version": str(VERSION), "docgym.digest": digest, "docgym.pool": pool}
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    table = pa.Table.from_pylist(rows, schema=_SCHEMA.with_metadata(metadata))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            pq.write_table(table, temporary, compression="zstd", row_group_size=_FILES_PER_GROUP)
            temporary.chmod(0o444)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise SnapshotError(f"cannot write snapshot {path}: {error}") from error
    return digest


def read_snapshot(path: Path) -> tuple[list[RecordedFile], str, str]:
    """Read everything but the texts and check it against the digest; returns the files, the pool and the digest.

    Raises:
        SnapshotError: no such file, not a snapshot, of another version, or damaged.
    """
    try:
        metadata = pq.read_schema(path).metadata or {}
        version = metadata.get(b"docgym.version", b"").decode()
        if version != str(VERSION):
            what = f"a snapshot of version {version}" if version else "no snapshot"
            raise SnapshotError(f"{path} is {what}; version {VERSION} is needed")
        rows = pq.read_table(path, columns=_CONTENT).to_pylist()
        pool, digest = metadata[b"docgym.pool"].decode(), metadata[b"docgym.digest"].decode()
        if _digest(rows, pool) != digest:
            raise SnapshotError(f"snapshot {path} is damaged: its content does not match its digest; copy or freeze it again")
        return [_from_row(row) for row in rows], pool, digest
    except FileNotFoundError as error:
        raise SnapshotError(f"snapshot {path} does not exist; python -m env.parsing.freeze makes one") from error
    except (OSError, pa.ArrowException, ValueError, KeyError) as error:
        raise SnapshotError(f"snapshot {path} is damaged ({error}); copy or freeze it again") from error


def read_texts(path: Path, group: int) -> list[list[str] | None]:
    """Whole texts of one group of files, in the order of their results; None per file where they were not kept.

    Raises:
        SnapshotError: damaged.
    """
    try:
        texts: list[list[str] | None] = pq.ParquetFile(path).read_row_group(group, columns=["texts"]).column("texts").to_pylist()
    except (OSError, pa.ArrowException, ValueError) as error:
        raise SnapshotError(f"snapshot {path} is damaged ({error}); copy or freeze it again") from error
    return texts


def locate_texts(position: int) -> tuple[int, int]:
    """Group and place within it of the file at a position of the snapshot."""
    return divmod(position, _FILES_PER_GROUP)


def hash_text(text: str) -> str:
    """SHA-256 of a text's UTF-8 bytes, in hex."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _to_row(file: RecordedFile) -> Row:
    row = file.model_dump(mode="json", include={"id", "format", "category", "doc", "split", "level", "expect", "texts"})
    yardstick = file.inspection.yardstick.model_copy(update={"tokens": {}})
    row["inspection"] = file.inspection.model_copy(update={"yardstick": yardstick}).model_dump_json()
    row["tools"] = [{"spec": tool.spec.model_dump_json(), "f1": tool.f1} for tool in file.tools]
    row["results"] = [
        recorded.model_dump(mode="json", exclude={"result"}) | {"result": recorded.result.model_dump_json()} for recorded in file.results
    ]
    return row


def _from_row(row: Row) -> RecordedFile:
    return RecordedFile.model_validate(
        row
        | {
            "inspection": Inspection.model_validate_json(row["inspection"]),
            "tools": [tool | {"spec": ToolSpec.model_validate_json(tool["spec"])} for tool in row["tools"]],
            "results": [recorded | {"result": ToolResult.model_validate_json(recorded["result"])} for recorded in row["results"]],
        }
    )


def _digest(rows: Sequence[Row], pool: str) -> str:
    digest = hashlib.sha256(f"docgym snapshot {VERSION} {pool}\n".encode())
    for row in rows:
        content = {name: row[name] for name in _CONTENT}
        digest.update(json.dumps(content, ensure_ascii=False, sort_keys=True).encode() + b"\n")
    return digest.hexdigest()
