"""Process groups of workers, so that pandoc or tesseract never outlives the worker that started it.

A worker leads a session of its own and leaves its number in a folder before it is confined; no parser can write there. Who finds the number
of a worker that is gone ends the rest of its group.
"""

import ctypes
import multiprocessing
import os
import shutil
import signal
from contextlib import suppress
from multiprocessing.connection import wait
from pathlib import Path

_PR_SET_PDEATHSIG = 1


def lead_group(groups: Path) -> None:
    """Make the calling worker the leader of a group that dies with the program."""
    os.setsid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    (groups / str(os.getpid())).touch()


def end_orphans(groups: Path) -> None:
    """End what workers that are gone left running."""
    for file in _files(groups):
        try:
            os.kill(int(file.name), 0)
        except ProcessLookupError:
            _end_group(file)


def end_all(groups: Path) -> None:
    """End every worker with its children."""
    for file in _files(groups):
        _end_group(file)


def clear_away_after_kill(folder: Path, groups: Path) -> None:
    """Work of the janitor process: should the program be killed, end its workers and remove its folder."""
    os.setsid()  # Ctrl-C in a terminal is for the program
    program = multiprocessing.parent_process()
    if program is not None:
        wait([program.sentinel])
    end_all(groups)
    shutil.rmtree(folder, ignore_errors=True)


def _files(groups: Path) -> list[Path]:
    """One for each worker; none once another thread has removed the folder."""
    return list(groups.iterdir()) if groups.exists() else []


def _end_group(file: Path) -> None:
    with suppress(ProcessLookupError):  # nothing is left of it
        os.killpg(int(file.name), signal.SIGKILL)
    file.unlink(missing_ok=True)
