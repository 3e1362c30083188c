"""`trajectories.jsonl`: one episode a line, only ever appended to, readable after any crash.

A record counts once its line is complete. What a killed process left half-written is dropped with a warning when the file is next opened
for writing, and skipped by readers; its episode is simply played again.
"""

import fcntl
import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import BaseModel, ValidationError

from env.errors import RunFolderError
from rollouts.trajectory import VERSION, Trajectory

logger = logging.getLogger(__name__)

_TAIL_BLOCK_BYTES = 1 << 16


class _AnyVersion(BaseModel):
    """Just enough of a record to tell a foreign version from a damaged line."""

    version: int


class TrajectoryFile:
    """A trajectory file open for appending by this process alone.

    Use it as a context manager, or call `close`.
    """

    def __init__(self, path: Path, *, fsync: bool = False) -> None:
        """Open or create the file, take its lock and drop a torn last line.

        Args:
            path: the file; its folder must exist.
            fsync: force every record onto the disk, so that even a power cut loses nothing; costs milliseconds a record.

        Raises:
            RunFolderError: another process writes to it, or it cannot be opened.
        """
        self.path = path
        self._fsync = fsync
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise RunFolderError(f"cannot open {path} for writing: {error.strerror}") from error
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._end = _mend_tail(self._descriptor, path)
        except BlockingIOError as error:
            os.close(self._descriptor)
            raise RunFolderError(f"another process is writing {path}; wait for it or choose another folder with out=…") from error
        except OSError as error:
            os.close(self._descriptor)
            raise RunFolderError(f"cannot use {path}: {error.strerror}") from error

    def append(self, trajectory: Trajectory) -> None:
        """Write one record, whole or not at all.

        Raises:
            RunFolderError: the disk is full or the file cannot be written; all earlier records are intact.
        """
        line = _to_line(trajectory)
        try:
            written = 0
            while written < len(line):
                written += os.write(self._descriptor, line[written:])
            if self._fsync:
                os.fsync(self._descriptor)
        except OSError as error:
            os.ftruncate(self._descriptor, self._end)
            raise RunFolderError(
                f"cannot write to {self.path}: {error.strerror}; free some space and run the same command again"
            ) from error
        self._end += len(line)

    def finished_keys(self) -> set[tuple[str, int]]:
        """Resume keys of the episodes that need not be played again (see `Ending.worth_replaying`); the last record of a key decides."""
        return {key for key, record in last_records(self.path).items() if not record.ending.worth_replaying}

    def close(self) -> None:
        """Release the file and its lock."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def read_trajectories(path: Path) -> Iterator[Trajectory]:
    """Records in the order they were written; a torn last line is skipped. Safe while another process appends.

    Raises:
        RunFolderError: no such file, a damaged line other than the last, or a record of another version.
    """
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                record = _parse(line, f"{path} line {number}")
                if record is not None:
                    yield record
    except OSError as error:
        raise RunFolderError(f"cannot read {path}: {error.strerror}") from error


def last_records(path: Path) -> dict[tuple[str, int], Trajectory]:
    """The record that counts for each resume key: the last one, since an episode is replayed after a fault outside the policy."""
    return {record.key: record for record in read_trajectories(path)}


def _to_line(trajectory: Trajectory) -> bytes:
    # Not model_dump_json: it raises on a lone surrogate, and no text may cost a finished episode.
    return json.dumps(trajectory.model_dump(mode="json"), ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _parse(line: bytes, where: str) -> Trajectory | None:
    """The record of a line, None for an incomplete last one."""
    try:
        return Trajectory.model_validate_json(line)
    except ValidationError as error:
        if not line.endswith(b"\n"):
            return None
        version = _version(line)
        if version not in (None, VERSION):
            raise RunFolderError(f"{where} is a record of version {version}; this program reads version {VERSION}") from error
        raise RunFolderError(f"{where} is damaged: {error}") from error


def _version(line: bytes) -> int | None:
    try:
        return _AnyVersion.model_validate_json(line).version
    except ValidationError:
        return None


def _mend_tail(descriptor: int, path: Path) -> int:
    """Cut off a torn last line, or end a complete one with its newline; returns the size in bytes."""
    size = os.fstat(descriptor).st_size
    start, tail = size, b""
    while start > 0 and b"\n" not in tail:
        step = min(_TAIL_BLOCK_BYTES, start)
        start -= step
        tail = os.pread(descriptor, step, start) + tail
    torn = tail[tail.rfind(b"\n") + 1 :]
    if not torn:
        return size
    if _parse(torn, str(path)) is not None:
        os.write(descriptor, b"\n")
        return size + 1
    logger.warning("%s ended in the middle of a record (%d bytes); dropped, that episode will be played again", path, len(torn))
    os.ftruncate(descriptor, size - len(torn))
    return size - len(torn)
