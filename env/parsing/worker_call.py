"""What runs inside a worker process: set-up once, then one tool call or one inspection at a time."""

import os
import pickle
import re
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from env.parsing.coverage import coverage
from env.parsing.formulas import protect_formulas
from env.parsing.inspection import Inspection, damaged_inspection, inspect_file
from env.parsing.quality import quality_report
from env.parsing.sandbox import confine_process
from env.parsing.tools.tool import MAX_ERROR_CHARS, ErrorKind, ToolInput, ToolResult
from env.parsing.worker_groups import lead_group
from env.parsing.yardstick import Yardstick

_MEGABYTE = 1 << 20
_RANDOM = re.compile(r"0x[0-9a-fA-F]{4,}|\b(?:tmp|tess_)[a-z0-9_]{8}\b")
"""Addresses, and names that `tempfile` and pytesseract make up."""
_OUT_OF_MEMORY_EXIT = 77
"""Exit code of a worker that gave up for lack of memory."""
_OUT_OF_MEMORY = "MemoryError: the tool needs more memory than it may use"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """Everything a worker needs for one call."""

    tool: str
    version: str
    extract: bytes
    """The tool's function, pickled by value, so that closures and plugins travel too."""
    source: ToolInput
    yardstick: Yardstick
    cpu_seconds: int
    output_mb: int


def set_up(scratch_root: Path, groups: Path, memory_mb: int, output_mb: int) -> None:
    """Prepare a fresh worker: limits, confinement, silence.

    SIGTERM ends it at once: pebble's handler is Python code, which a parser that hangs in C never reaches.
    """
    lead_group(groups)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, sys.__stdout__.fileno() if sys.__stdout__ else 1)
    os.dup2(quiet, sys.__stderr__.fileno() if sys.__stderr__ else 2)
    os.environ |= {"OMP_THREAD_LIMIT": "1", "OMP_NUM_THREADS": "1"}
    resource.setrlimit(resource.RLIMIT_DATA, (memory_mb * _MEGABYTE,) * 2)
    resource.setrlimit(resource.RLIMIT_FSIZE, (output_mb * _MEGABYTE,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    confine_process(scratch_root)


def run_inspection(path: Path, name: str, scratch: Path, cpu_seconds: int) -> Inspection:
    """Inspect one file; whatever goes wrong refuses the file."""
    _begin_call(scratch, cpu_seconds)
    try:
        return inspect_file(path, name)
    except MemoryError:
        os._exit(_OUT_OF_MEMORY_EXIT)
    except BaseException as error:  # noqa: BLE001 - a stranger's file may upset the libraries that look at it in any way
        return damaged_inspection(path, name, f"the file cannot be inspected ({_describe(error, scratch, path)})")


def run_tool(call: ToolCall) -> ToolResult:
    """Run one tool and report on its output; a tool's fault is a result, not an exception."""
    started, cpu_before = time.perf_counter(), _cpu_seconds()
    _begin_call(call.source.scratch, call.cpu_seconds)
    try:
        text = _extract(call)
        if not text.strip():
            outcome = _failure(call, ErrorKind.NO_TEXT, "the tool gave no text")
        else:
            report = quality_report(text, coverage(text, call.yardstick))
            outcome = ToolResult(tool=call.tool, version=call.version, ok=True, text=text, quality=report)
    except MemoryError:
        os._exit(_OUT_OF_MEMORY_EXIT)  # libraries may be left half-way, which the next call would feel
    except BaseException as error:  # noqa: BLE001 - a parser may fail in any way on a stranger's file; panics of Rust are no `Exception`
        outcome = _failure(call, ErrorKind.EXCEPTION, _describe(error, call.source.scratch, call.source.path))
    seconds, cpu = time.perf_counter() - started, _cpu_seconds() - cpu_before
    return outcome.model_copy(update={"seconds": round(seconds, 3), "cpu_seconds": round(cpu, 3)})


def explain_exit(code: int | None) -> tuple[ErrorKind, str]:
    """Kind and sentence for a worker that ended without an answer."""
    if code == _OUT_OF_MEMORY_EXIT:
        return ErrorKind.OUT_OF_MEMORY, _OUT_OF_MEMORY
    if code == -signal.SIGXCPU:
        return ErrorKind.TIMEOUT, "TimeoutError: the CPU time limit was reached"
    return ErrorKind.CRASHED, f"the worker process died (exit code {code})"


def _begin_call(scratch: Path, cpu_seconds: int) -> None:
    tempfile.tempdir = os.environ["TMPDIR"] = str(scratch)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    used = resource.getrusage(resource.RUSAGE_SELF)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + 1 + cpu_seconds, hard))


def _extract(call: ToolCall) -> str:
    extract: Callable[[ToolInput], str] = pickle.loads(call.extract)  # noqa: S301 - comes from the parent
    text = extract(_protected(call.source) if call.source.format == "html" else call.source)
    if len(text) > call.output_mb * _MEGABYTE:
        raise ValueError(f"the output is longer than {call.output_mb} million characters")
    return text.encode("utf-8", "replace").decode("utf-8")


def _protected(source: ToolInput) -> ToolInput:
    """The page in UTF-8 with placeholders for its formulas."""
    page = source.path.read_bytes().decode(source.encoding or "utf-8", "replace")
    copy = source.scratch / "page.html"
    copy.write_text(protect_formulas(page).html, encoding="utf-8")
    return replace(source, path=copy, encoding="utf-8")


def _failure(call: ToolCall, kind: ErrorKind, error: str) -> ToolResult:
    return ToolResult(tool=call.tool, version=call.version, ok=False, error_kind=kind, error=error)


def _describe(error: BaseException, scratch: Path, path: Path) -> str:
    """Type and message without what differs from run to run: folders, addresses, names of temporary files."""
    message = f"{type(error).__name__}: {error}".encode("utf-8", "replace").decode("utf-8")
    for folder in (scratch, path.parent):
        message = message.replace(f"{folder}/", "").replace(str(folder), "")
    return _RANDOM.sub("…", message)[:MAX_ERROR_CHARS]


def _cpu_seconds() -> float:
    usages = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
