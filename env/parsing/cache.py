"""The tool cache: every result of a tool on a file, kept for good (specification, parsing §9).

Key: SHA-256 of the file's bytes, tool name, the tool's version string, attempt. Value: the whole `ToolResult`. One SQLite file, so that a
`kill -9` loses at most the result being written; the parent process is the only writer. Why SQLite: `docs/decisions/0003-cache-store.md`.
"""

import sqlite3
import threading
import zlib
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from pydantic import ValidationError

from env.errors import SnapshotError
from env.parsing.inspection import Inspection
from env.parsing.tools.tool import ToolResult
from env.records import Record

RecordT = TypeVar("RecordT", bound=Record)

IN_MEMORY = ":memory:"
"""Path that keeps nothing after the program ends."""
_INSPECTION = "(inspection) "
"""Stands in the tool column for a file's inspection, before the file's name: the card warns of a wrong extension."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS results (
    sha256 TEXT, tool TEXT, version TEXT, attempt INTEGER, ending TEXT NOT NULL, value BLOB NOT NULL,
    PRIMARY KEY (sha256, tool, version, attempt)
)
"""
_FORMAT = 1
"""Version of the schema, kept in SQLite's `user_version`."""
_KEY = "sha256=? AND tool=? AND version=? AND attempt=?"


class ResultCache:
    """Results on disk. Thread-safe; use it as a context manager."""

    def __init__(self, path: Path) -> None:
        """Open or create the file.

        Raises:
            SnapshotError: it is no cache, is damaged, of another format version, or cannot be opened.
        """
        self._path = path
        self._lock = threading.Lock()
        try:
            if str(path) != IN_MEMORY:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=30)
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("PRAGMA synchronous=NORMAL")
            found = self._database.execute("PRAGMA user_version").fetchone()[0]
            if found not in {0, _FORMAT}:
                raise SnapshotError(
                    f"cache {path} has format version {found}, this docgym reads {_FORMAT}; move it away and it is built again"
                )
            self._database.execute(_SCHEMA)
            self._database.execute(f"PRAGMA user_version={_FORMAT}")
        except (OSError, sqlite3.Error) as error:
            raise SnapshotError(f"cache {path} cannot be opened ({error}); move it away and it is built again") from error

    def inspection(self, sha256: str, name: str, version: str) -> Inspection | None:
        """The recorded inspection of a file under a name, or None."""
        return self._get(Inspection, sha256, _INSPECTION + name, version, 0)

    def put_inspection(self, sha256: str, name: str, inspection: Inspection) -> None:
        """Record an inspection."""
        self._put(inspection, "ok", sha256, _INSPECTION + name, inspection.version, 0)

    def result(self, sha256: str, tool: str, version: str, attempt: int) -> ToolResult | None:
        """The recorded result of a tool on a file, or None."""
        return self._get(ToolResult, sha256, tool, version, attempt)

    def put_result(self, sha256: str, attempt: int, result: ToolResult) -> None:
        """Record a result, on disk when this returns."""
        self._put(result, result.error_kind or "ok", sha256, result.tool, result.version, attempt)

    def ending(self, sha256: str, tool: str, version: str, attempt: int) -> str | None:
        """`ok` or the error kind of a recorded result, without reading its text; None when there is none."""
        row = self._fetch("ending", sha256, tool, version, attempt)
        return None if row is None else str(row[0])

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _get(self, record: type[RecordT], *key: str | int) -> RecordT | None:
        row = self._fetch("value", *key)
        try:
            return None if row is None else record.model_validate_json(zlib.decompress(row[0]))
        except (zlib.error, ValidationError) as error:
            raise self._damaged(error) from error

    def _fetch(self, column: str, *key: str | int) -> tuple[Any, ...] | None:
        try:
            with self._lock:
                row: tuple[Any, ...] | None = self._database.execute(f"SELECT {column} FROM results WHERE {_KEY}", key).fetchone()  # noqa: S608 - no text of a user
        except sqlite3.Error as error:
            raise self._damaged(error) from error
        return row

    def _damaged(self, error: Exception) -> SnapshotError:
        return SnapshotError(f"cache {self._path} is damaged ({error}); move it away and it is built again")

    def _put(self, record: Record, ending: str, *key: str | int) -> None:
        value = zlib.compress(record.model_dump_json().encode(), 1)
        try:
            with self._lock:
                self._database.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?)", (*key, ending, value))
        except sqlite3.Error as error:
            raise SnapshotError(f"cannot write to cache {self._path}: {error}; what was recorded before is kept") from error
