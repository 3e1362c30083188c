"""Live tools: runs what is asked for, once, and remembers it in the cache.

with ResultCache(Path("results.sqlite")) as cache, Workers(limits) as workers:
    toolbox = Toolbox([CorpusFile(id="a", path=Path("a.pdf"))], load_pool("extended"), workers, cache)
    print(toolbox.result("a", "pypdfium2").text)
"""

import hashlib
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from env.errors import CorpusError
from env.parsing.cache import ResultCache
from env.parsing.corpus.manifest import CorpusFile
from env.parsing.formulas import restore_formulas
from env.parsing.inspection import Inspection, inspection_version, output_version
from env.parsing.pool import Pool
from env.parsing.previews import cut_previews
from env.parsing.tools.tool import ErrorKind, Tool, ToolResult, ToolSpec
from env.parsing.workers import Workers
from rewards.token_f1 import count_tokens, token_f1

T = TypeVar("T")

_RECENT_REFERENCES = 64
_RECENT_HASHES = 1 << 16


class Toolbox:
    """Tool outputs of a set of files, computed on demand; see `env.parsing.outputs.ToolOutputs`. Thread-safe."""

    digest = ""

    def __init__(self, files: Sequence[CorpusFile], pool: Pool, workers: Workers, cache: ResultCache) -> None:
        self._files = {file.id: file for file in files}
        self._pool = pool
        self._workers = workers
        self._cache = cache
        self._inspecting: dict[tuple[str, str], Future[Inspection]] = {}
        self._running: dict[tuple[str, str, int], Future[ToolResult]] = {}
        self._lock = threading.Lock()
        self._f1: dict[tuple[str, str], float] = {}
        self._hash = lru_cache(_RECENT_HASHES)(sha256_of)
        self._reference_counts = lru_cache(_RECENT_REFERENCES)(lambda file: count_tokens(self._files[file].reference() or ""))

    def inspection(self, file: str) -> Inspection:
        """Card, formulas and yardstick of the file."""
        return self.start_inspection(file).result()

    def tools(self, file: str) -> tuple[ToolSpec, ...]:
        """Usable tools in the order they are listed to the model."""
        return tuple(tool.spec for tool in self.usable(file))

    def usable(self, file: str) -> tuple[Tool, ...]:
        """The same with their code."""
        return self._pool.usable(self.inspection(file).card)

    def result(self, file: str, tool: str, attempt: int = 0) -> ToolResult:
        """Output of a usable tool; runs it when the cache has none."""
        return self.start(file, self._pool.tool(tool), attempt).result()

    def preview(self, file: str, tool: str, attempt: int, head_chars: int, middle_chars: int) -> tuple[str, str]:
        """Start and exact middle of the raw output."""
        return cut_previews(self.result(file, tool, attempt).text, head_chars, middle_chars)

    def f1(self, file: str, tool: str) -> float | None:
        """Token F1 with formulas restored, 0.0 when the tool failed, None when the file has no reference."""
        if self._files[file].ref is None:
            return None
        if (file, tool) not in self._f1:
            self._f1[file, tool] = self._score(file, tool)
        return self._f1[file, tool]

    def start_inspection(self, file: str) -> "Future[Inspection]":
        """The inspection as a future: running already, from the cache, or begun now."""
        path = self._path(file)
        sha256 = self._hash(path)
        key = (sha256, path.name)
        with self._lock:
            if key in self._inspecting:
                return self._inspecting[key]
            recorded = self._cache.inspection(sha256, path.name, inspection_version())
            if recorded is not None:
                return _done(recorded)
            begun = self._workers.submit_inspection(path, path.name)
            self._inspecting[key] = kept = _when_done(begun, lambda value: self._cache.put_inspection(sha256, path.name, value))
        kept.add_done_callback(lambda _: self._inspecting.pop(key, None))
        return kept

    def start(self, file: str, tool: Tool, attempt: int = 0) -> "Future[ToolResult]":
        """The output as a future: running already, from the cache, or begun now."""
        path = self._path(file)
        sha256 = self._hash(path)
        key = (sha256, tool.name, attempt)
        with self._lock:
            known = self._running.get(key) or self._recorded(sha256, tool, attempt)
        if known is not None:
            return known
        inspection = self.inspection(file)
        with self._lock:
            known = self._running.get(key) or self._recorded(sha256, tool, attempt)
            if known is not None:
                return known
            begun = self._workers.submit(tool, path, inspection)
            self._running[key] = kept = _when_done(begun, lambda value: self._cache.put_result(sha256, attempt, value))
        kept.add_done_callback(lambda _: self._running.pop(key, None))
        return kept

    def ending(self, file: str, tool: Tool, attempt: int = 0) -> str | None:
        """`ok` or the error kind of an output in the cache, None when it has to be run."""
        return self._cache.ending(self.sha256(file), tool.name, output_version(tool), attempt)

    def recorded(self, file: str, tool: Tool, attempt: int = 0) -> bool:
        """Whether the cache holds this output already."""
        return self.ending(file, tool, attempt) is not None

    def missing_attempt(self, file: str, tool: Tool) -> int | None:
        """The attempt that the cache lacks: 0, or 1 where the retry of a transient failure was never run; None when nothing is missing."""
        for attempt in (0, 1):
            ending = self.ending(file, tool, attempt)
            if ending is None:
                return attempt
            if ending == "ok" or not ErrorKind(ending).transient:
                break
        return None

    def complete(self, file: str) -> bool:
        """Whether the cache holds the outputs of all usable tools, retries included."""
        return all(self.missing_attempt(file, tool) is None for tool in self.usable(file))

    def sha256(self, file: str) -> str:
        """Digest of the file's bytes; files that share it share their outputs."""
        return self._hash(self._path(file))

    def _recorded(self, sha256: str, tool: Tool, attempt: int) -> "Future[ToolResult] | None":
        result = self._cache.result(sha256, tool.name, output_version(tool), attempt)
        return None if result is None else _done(result)

    def _path(self, file: str) -> Path:
        if file not in self._files:
            raise CorpusError(f"no file {file!r} in this toolbox")
        return self._files[file].path

    def _score(self, file: str, tool: str) -> float:
        result = self.result(file, tool)
        if result.transient:
            result = self.result(file, tool, 1)
        if not result.ok:
            return 0.0
        inspection = self.inspection(file)
        text = restore_formulas(result.text, inspection.formulas, inspection.first_formula)
        return round(token_f1(text, self._reference_counts(file)).f1, 6)


def sha256_of(path: Path) -> str:
    """Hex digest of a file's bytes.

    Raises:
        CorpusError: the file cannot be read.
    """
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise CorpusError(f"cannot read {path}: {error.strerror}") from error


def _done(value: T) -> "Future[T]":
    future: Future[T] = Future()
    future.set_result(value)
    return future


def _when_done(begun: "Future[T]", keep: Callable[[T], None]) -> "Future[T]":
    """A future that is done once the value is also kept; when keeping fails (disk full), it raises that."""
    kept: Future[T] = Future()

    def finish(done: "Future[T]") -> None:
        try:
            value = done.result()
            keep(value)
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits for the future
            kept.set_exception(error)
        else:
            kept.set_result(value)

    begun.add_done_callback(finish)
    return kept
