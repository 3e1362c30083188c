"""The tool cache: every result of a tool on a file, kept for good (specification, parsing §9).

Key: SHA-256 of the file's bytes, tool name, the tool's version string, attempt. Value: the whole `ToolResult`. One SQLite file, so that a
`kill -9` loses at most the result being written; the parent process is the only writer. Why SQLite: `docs/decisions/0003-cache-store.md`.
"""

import sqlite3
import threading
import zlib
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

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
    sha256 TEXT, tool TEXT, version TEXT, attempt INTEGER, value BLOB NOT NULL, PRIMARY KEY (sha256, tool, version, attempt)
) WITHOUT ROWID
"""


class ResultCache:
    """Results on disk. Thread-safe; use it as a context manager."""

    def __init__(self, path: Path) -> None:
        """Open or create the file.

        Raises:
            SnapshotError: it is no cache, is damaged, or cannot be opened.
        """
        self._path = path
        self._lock = threading.Lock()
        try:
            if str(path) != IN_MEMORY:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=30)
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("PRAGMA synchronous=NORMAL")
            self._database.execute(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise SnapshotError(f"cache {path} cannot be opened ({error}); move it away and it is built again") from error

    def inspection(self, sha256: str, name: str, version: str) -> Inspection | None:
        """The recorded inspection of a file under a name, or None."""
        return self._get(Inspection, sha256, _INSPECTION + name, version, 0)

    def put_inspection(self, sha256: str, name: str, inspection: Inspection) -> None:
        """Record an inspection."""
        self._put(inspection, sha256, _INSPECTION + name, inspection.version, 0)

    def result(self, sha256: str, tool: str, version: str, attempt: int) -> ToolResult | None:
        """The recorded result of a tool on a file, or None."""
        return self._get(ToolResult, sha256, tool, version, attempt)

    def put_result(self, sha256: str, attempt: int, result: ToolResult) -> None:
        """Record a result, on disk when this returns."""
        self._put(result, sha256, result.tool, result.version, attempt)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _get(self, record: type[RecordT], *key: str | int) -> RecordT | None:
        try:
            with self._lock:
                row = self._database.execute(
                    "SELECT value FROM results WHERE sha256=? AND tool=? AND version=? AND attempt=?", key
                ).fetchone()
            return None if row is None else record.model_validate_json(zlib.decompress(row[0]))
        except (sqlite3.Error, zlib.error, ValidationError) as error:
            raise SnapshotError(f"cache {self._path} is damaged ({error}); move it away and it is built again") from error

    def _put(self, record: Record, *key: str | int) -> None:
        value = zlib.compress(record.model_dump_json().encode(), 1)
        try:
            with self._lock:
                self._database.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?)", (*key, value))
        except sqlite3.Error as error:
            raise SnapshotError(f"cannot write to cache {self._path}: {error}; what was recorded before is kept") from error
