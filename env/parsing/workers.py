"""Runs tools in long-lived, confined worker processes with limits; whatever a tool does, the parent gets a typed result.

One pebble pool for each family of tools (imports cost up to a second and 140 MB), started when first needed, its processes replaced after
about a hundred calls. At most one call a core runs at a time; OCR waits in a queue of its own, so that it does not hold up the others.
Programs that use this must guard their start with `if __name__ == "__main__":`, as every use of multiprocessing.
"""

import itertools
import logging
import multiprocessing
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as CallTimeoutError
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import cloudpickle
from pebble import ProcessExpired, ProcessPool

from env.parsing import worker_call
from env.parsing.config import LimitsConfig
from env.parsing.inspection import Inspection, damaged_inspection
from env.parsing.sandbox import NONE, available_confinement
from env.parsing.tools.tool import ErrorKind, Tool, ToolInput, ToolResult
from env.parsing.worker_call import ToolCall

logger = logging.getLogger(__name__)

OCR_FAMILY = "ocr"
_INSPECTION_FAMILY = "inspection"
T = TypeVar("T")


class Workers:
    """Worker processes of one program. Thread-safe; use it as a context manager."""

    def __init__(self, limits: LimitsConfig) -> None:
        self._limits = limits
        self._cores = limits.workers or len(os.sched_getaffinity(0))
        self._scratch = Path(tempfile.mkdtemp(prefix="docgym-"))
        self._numbers = itertools.count()
        self._pools: dict[str, ProcessPool] = {}
        self._starting = threading.Lock()
        self._queue = ThreadPoolExecutor(self._cores, thread_name_prefix="tools")
        self._ocr_queue = ThreadPoolExecutor(max(1, self._cores // 2), thread_name_prefix="ocr")
        self.confinement = available_confinement()
        """What workers are kept from: `files+network`, or less where the machine cannot enforce it."""
        if self.confinement == NONE:
            logger.warning("parsers run unconfined: neither sandlock (Landlock) nor pyseccomp (libseccomp) works on this machine")

    def submit_inspection(self, path: Path, name: str) -> "Future[Inspection]":
        """Inspect a file; a crash or a hang gives an inspection that refuses the file."""
        return self._queue.submit(self._inspect, path.resolve(), name)

    def submit(self, tool: Tool, path: Path, inspection: Inspection) -> "Future[ToolResult]":
        """Run a tool on a file. The future never raises for what the tool does."""
        queue = self._ocr_queue if tool.family == OCR_FAMILY else self._queue
        return queue.submit(self._run, tool, path.resolve(), inspection)

    def close(self) -> None:
        """Stop everything; calls that have not begun are dropped."""
        self._queue.shutdown(wait=False, cancel_futures=True)
        self._ocr_queue.shutdown(wait=False, cancel_futures=True)
        for pool in self._pools.values():
            pool.stop()
        for pool in self._pools.values():
            pool.join()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _inspect(self, path: Path, name: str) -> Inspection:
        limits = self._limits
        outcome = self._call(
            _INSPECTION_FAMILY, limits.wall_seconds, lambda scratch: (worker_call.run_inspection, (path, name, scratch, limits.cpu_seconds))
        )
        return damaged_inspection(path, name, f"the file cannot be inspected ({outcome[1]})") if isinstance(outcome, tuple) else outcome

    def _run(self, tool: Tool, path: Path, inspection: Inspection) -> ToolResult:
        limits, card = self._limits, inspection.card
        slow = tool.family == OCR_FAMILY
        version = tool.version()

        def prepare(scratch: Path) -> tuple[Callable[..., ToolResult], tuple[Any, ...]]:
            source = ToolInput(path=path, format=card.format, encoding=card.encoding, scratch=scratch)
            call = ToolCall(
                tool=tool.name,
                version=version,
                extract=cloudpickle.dumps(tool.extract),
                source=source,
                yardstick=inspection.yardstick,
                cpu_seconds=limits.ocr_cpu_seconds if slow else limits.cpu_seconds,
                output_mb=limits.output_mb,
            )
            return worker_call.run_tool, (call,)

        wall = limits.ocr_wall_seconds if slow else limits.wall_seconds
        outcome = self._call(tool.family, wall, prepare)
        if not isinstance(outcome, tuple):
            return outcome
        kind, error = outcome
        seconds = wall if kind is ErrorKind.TIMEOUT else 0.0
        return ToolResult(tool=tool.name, version=version, ok=False, error_kind=kind, error=error, seconds=seconds)

    def _call(
        self, family: str, wall: float, prepare: Callable[[Path], tuple[Callable[..., T], tuple[Any, ...]]]
    ) -> T | tuple[ErrorKind, str]:
        """Run one function in a worker; a kill, a crash or a hang comes back as its kind and a sentence."""
        scratch = self._scratch / str(next(self._numbers))
        scratch.mkdir()
        function, arguments = prepare(scratch)
        try:
            result: T = self._pool(family).schedule(function, args=arguments, timeout=wall).result()
        except CallTimeoutError:
            self._end_children(scratch)
            return ErrorKind.TIMEOUT, f"TimeoutError: no result within {wall:g} s"
        except ProcessExpired as expired:
            self._end_children(scratch)
            if expired.exitcode == -signal.SIGXCPU:
                return ErrorKind.TIMEOUT, "TimeoutError: the CPU time limit was reached"
            return ErrorKind.CRASHED, f"the worker process died (exit code {expired.exitcode})"
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        return result

    def _pool(self, family: str) -> ProcessPool:
        with self._starting:
            if family not in self._pools:
                self._pools[family] = ProcessPool(
                    max_workers=max(1, self._cores // 2) if family == OCR_FAMILY else self._cores,
                    max_tasks=self._limits.calls_per_worker,
                    initializer=worker_call.set_up,
                    initargs=(self._scratch, self._limits.memory_mb, self._limits.output_mb),
                    context=multiprocessing.get_context("spawn"),
                )
            return self._pools[family]

    def _end_children(self, scratch: Path) -> None:
        """Kill what a dead worker left running, e.g. pandoc or tesseract: they are in its process group."""
        try:
            worker = int((scratch / worker_call.WORKER_FILE).read_text())
            os.killpg(worker, signal.SIGKILL)
        except (OSError, ValueError):
            return  # it died before it had begun, or nothing is left of its group
