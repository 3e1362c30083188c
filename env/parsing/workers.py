"""Runs tools in long-lived, confined worker processes with limits; whatever a tool does, the parent gets a typed result.

One pebble pool for each family of tools (imports cost up to a second and 140 MB), started when first needed, its processes replaced after
about a hundred calls. One call a core runs at a time, and one more, so that a quick call finds a place while OCR, which waits in a queue of
its own, keeps every core busy.
Processes are forked from multiprocessing's fork server, which has one thread and knows no parser: safe beside threads and asyncio, and
about fifty times faster than starting an interpreter. A janitor process cleans up should the program itself be killed.
Programs that use this must guard their start with `if __name__ == "__main__":`, as every use of multiprocessing.
"""

import itertools
import logging
import multiprocessing
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as CallTimeoutError
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import cloudpickle
from pebble import ProcessExpired, ProcessPool

from env.errors import WorkerError
from env.parsing import worker_call
from env.parsing.config import LimitsConfig
from env.parsing.inspection import Inspection, damaged_inspection, output_version
from env.parsing.sandbox import NONE, available_confinement
from env.parsing.tools.tool import ErrorKind, Tool, ToolInput, ToolResult
from env.parsing.worker_call import ToolCall
from env.parsing.worker_groups import clear_away_after_kill, end_all, end_orphans

logger = logging.getLogger(__name__)

OCR_FAMILY = "ocr"
_INSPECTION_FAMILY = "inspection"
_NO_START = (
    "worker processes cannot be started; see stderr, and guard the start of your program with "
    'if __name__ == "__main__": (it must lie in a file)'
)
_PROCESSES = multiprocessing.get_context("forkserver")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Fault:
    """Why a call gave no answer of its own."""

    kind: ErrorKind
    error: str
    seconds: float


def available_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0))


class Workers:
    """Worker processes of one program. Thread-safe; use it as a context manager."""

    def __init__(self, limits: LimitsConfig) -> None:
        self._limits = limits
        self._cores = limits.workers or available_cores()
        self._folder = Path(tempfile.mkdtemp(prefix="docgym-"))
        self._scratch, self._groups = self._folder / "scratch", self._folder / "groups"
        self._scratch.mkdir()
        self._groups.mkdir()
        self._numbers = itertools.count()
        self._pools: dict[str, ProcessPool] = {}
        self._janitor: BaseProcess | None = None
        self._starting = threading.Lock()
        self._calls: set[Future[Any]] = set()
        self._closed = False
        self._queue = ThreadPoolExecutor(self._cores, thread_name_prefix="tools")
        self._ocr_queue = ThreadPoolExecutor(self._cores, thread_name_prefix="ocr")
        self._places = threading.Semaphore(self._cores + 1)
        self.confinement = available_confinement()
        """What workers are kept from: `files+network`, or less where the machine cannot enforce it."""
        if self.confinement == NONE:
            logger.warning("parsers run unconfined: neither sandlock (Landlock) nor pyseccomp (libseccomp) works on this machine")

    def submit_inspection(self, path: Path, name: str) -> "Future[Inspection]":
        """Inspect a file; a crash or a hang gives an inspection that refuses the file."""
        return self._queue.submit(self._inspect, path.resolve(), name)

    def submit(self, tool: Tool, path: Path, inspection: Inspection) -> "Future[ToolResult]":
        """Run a tool on a file. The future never raises for what the tool does, but `WorkerError` when no process can be started."""
        queue = self._ocr_queue if tool.family == OCR_FAMILY else self._queue
        return queue.submit(self._run, tool, path.resolve(), inspection)

    def close(self) -> None:
        """Stop everything; calls that have not finished are cancelled."""
        self._queue.shutdown(wait=False, cancel_futures=True)
        self._ocr_queue.shutdown(wait=False, cancel_futures=True)
        with self._starting:
            self._closed = True
            for call in tuple(self._calls):
                call.cancel()  # pebble wakes nobody who waits for a pool that stops
            for pool in self._pools.values():
                pool.stop()
            for pool in self._pools.values():
                pool.join()
            if self._janitor is not None:
                self._janitor.kill()
                self._janitor.join()
        end_all(self._groups)
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _inspect(self, path: Path, name: str) -> Inspection:
        limits = self._limits

        def prepare(scratch: Path) -> tuple[Callable[..., Inspection], tuple[Any, ...]]:
            return worker_call.run_inspection, (path, name, scratch, limits.cpu_seconds)

        outcome = self._call(_INSPECTION_FAMILY, limits.wall_seconds, prepare)
        if isinstance(outcome, _Fault):
            return damaged_inspection(path, name, f"the file cannot be inspected ({outcome.error})")
        return outcome

    def _run(self, tool: Tool, path: Path, inspection: Inspection) -> ToolResult:
        limits, card = self._limits, inspection.card
        slow = tool.family == OCR_FAMILY
        version = output_version(tool)

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
        if isinstance(outcome, _Fault):
            return ToolResult(
                tool=tool.name, version=version, ok=False, error_kind=outcome.kind, error=outcome.error, seconds=outcome.seconds
            )
        return outcome

    def _call(self, family: str, wall: float, prepare: Callable[[Path], tuple[Callable[..., T], tuple[Any, ...]]]) -> T | _Fault:
        """Run one function in a worker; a kill, a crash or a hang comes back as a fault.

        Raises:
            CancelledError: the workers were closed meanwhile.
            WorkerError: no process can be started.
        """
        with self._places:
            if self._closed:
                raise CancelledError
            scratch = self._scratch / str(next(self._numbers))
            scratch.mkdir()
            started = time.perf_counter()
            try:
                return self._try_twice(family, wall, *prepare(scratch))
            except CallTimeoutError:
                return _Fault(ErrorKind.TIMEOUT, f"TimeoutError: no result within {wall:g} s", wall)
            except ProcessExpired as expired:
                kind, sentence = worker_call.explain_exit(expired.exitcode)
                return _Fault(kind, sentence, round(time.perf_counter() - started, 3))
            finally:
                shutil.rmtree(scratch, ignore_errors=True)
                end_orphans(self._groups)

    def _try_twice(self, family: str, wall: float, function: Callable[..., T], arguments: tuple[Any, ...]) -> T:
        """Pebble gives a pool up when one of its processes dies between calls; a fresh pool then takes the call."""
        pool = self._pool(family)
        try:
            return self._wait(pool, function, arguments, wall)
        except RuntimeError:  # pebble's word for it
            self._drop(family, pool)
        try:
            return self._wait(self._pool(family), function, arguments, wall)
        except RuntimeError as error:
            raise WorkerError(_NO_START) from error

    def _wait(self, pool: ProcessPool, function: Callable[..., T], arguments: tuple[Any, ...], wall: float) -> T:
        call = pool.schedule(function, args=arguments, timeout=wall)
        self._calls.add(call)
        try:
            if self._closed:
                call.cancel()
            result: T = call.result()
        finally:
            self._calls.discard(call)
        return result

    def _pool(self, family: str) -> ProcessPool:
        with self._starting:
            if self._closed:
                raise CancelledError
            if self._janitor is None:
                self._janitor = self._start_janitor()
            if family not in self._pools:
                self._pools[family] = ProcessPool(
                    max_workers=self._cores,
                    max_tasks=self._limits.calls_per_worker,
                    initializer=worker_call.set_up,
                    initargs=(self._scratch, self._groups, self._limits.memory_mb, self._limits.output_mb),
                    context=_PROCESSES,
                )
            return self._pools[family]

    def _start_janitor(self) -> BaseProcess:
        _PROCESSES.set_forkserver_preload([worker_call.__name__])
        janitor = _PROCESSES.Process(target=clear_away_after_kill, args=(self._folder, self._groups), daemon=True)
        try:
            janitor.start()
        except (OSError, EOFError) as error:
            raise WorkerError(_NO_START) from error
        return janitor

    def _drop(self, family: str, pool: ProcessPool) -> None:
        with self._starting:
            if self._pools.get(family) is pool:
                del self._pools[family]
                pool.stop()
                pool.join()
