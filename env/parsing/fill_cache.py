"""Fills the cache with every (file, tool) pair of a set of files; the work behind `env.parsing.build_cache`."""

import time
from collections import Counter, deque
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace

from tqdm import tqdm

from env.parsing.config import ParsingConfig, SourceConfig
from env.parsing.corpus.manifest import CorpusFile
from env.parsing.inspection import Inspection
from env.parsing.open_game import open_game
from env.parsing.toolbox import Toolbox
from env.parsing.tools.tool import Tool, ToolResult
from env.parsing.workers import OCR_FAMILY

_IN_FLIGHT = 32
"""Calls handed to each queue at once: enough to keep every core busy, few enough to keep the parent small."""


class BuildConfig(SourceConfig):
    """Configuration of `env.parsing.build_cache`."""

    parsing: ParsingConfig


@dataclass(slots=True)
class BuildSummary:
    """What a build did."""

    files: int = 0
    cached: int = 0
    """Pairs that the cache held already."""
    run: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    """New results without text, by kind."""
    retried: int = 0
    tool_cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    missing_tools: dict[str, str] = field(default_factory=dict)

    def add(self, result: ToolResult, attempt: int) -> None:
        """Count one new result."""
        self.run += 1
        self.retried += attempt
        self.tool_cpu_seconds += result.cpu_seconds
        if result.error_kind is not None:
            self.failures[result.error_kind] += 1

    def __str__(self) -> str:
        failed = ", ".join(f"{count} {kind}" for kind, count in sorted(self.failures.items())) or "none"
        lines = [
            f"{self.files} files: {self.run} pairs run, {self.cached} cached, {self.retried} retried; without text: {failed}",
            f"{self.wall_seconds:.1f} s wall, {self.tool_cpu_seconds:.1f} s of tool CPU time",
        ]
        return "\n".join([*lines, *(f"missing tool {name}: {reason}" for name, reason in sorted(self.missing_tools.items()))])


def build_cache(config: BuildConfig) -> BuildSummary:
    """Open the corpus and the cache that the configuration names, and fill the cache."""
    with open_game(config.model_copy(update={"snapshot": ""}), config.parsing) as opened:
        toolbox = opened.game.outputs
        assert isinstance(toolbox, Toolbox)  # noqa: S101 - without a snapshot the outputs are live
        summary = fill_cache(toolbox, opened.files)
        summary.missing_tools = opened.meta["missing_tools"]
        return summary


def fill_cache(toolbox: Toolbox, files: Sequence[CorpusFile]) -> BuildSummary:
    """Run what is missing: first every inspection, then the tools, big files first, so that no core idles at the end."""
    started = time.perf_counter()
    summary = BuildSummary(files=len(files))
    _inspect_all(toolbox, files)
    calls = _missing_calls(toolbox, files, summary)
    lanes = [[call for call in calls if (call.tool.family == OCR_FAMILY) is ocr] for ocr in (True, False)]
    running: dict[Future[ToolResult], tuple[_Call, list[_Call]]] = {}
    with tqdm(total=len(calls), unit="call", desc="tools", delay=2, dynamic_ncols=True) as bar:
        while any(lanes) or running:
            for lane in lanes:
                while lane and sum(home is lane for _, home in running.values()) < _IN_FLIGHT:
                    call = lane.pop()
                    running[toolbox.start(call.file.id, call.tool, call.attempt)] = call, lane
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                call, lane = running.pop(future)
                summary.add(future.result(), call.attempt)
                if future.result().transient and call.attempt == 0:
                    lane.append(replace(call, attempt=1))
                else:
                    bar.update()
    summary.wall_seconds = time.perf_counter() - started
    return summary


@dataclass(frozen=True, slots=True)
class _Call:
    file: CorpusFile
    tool: Tool
    attempt: int


def _inspect_all(toolbox: Toolbox, files: Sequence[CorpusFile]) -> None:
    """A few at a time: the inspections of a large corpus would not fit into memory together."""
    waiting: deque[Future[Inspection]] = deque()
    for file in tqdm(files, unit="file", desc="inspection", delay=2, dynamic_ncols=True):
        waiting.append(toolbox.start_inspection(file.id))
        if len(waiting) >= _IN_FLIGHT:
            waiting.popleft().result()
    for begun in waiting:
        begun.result()


def _missing_calls(toolbox: Toolbox, files: Sequence[CorpusFile], summary: BuildSummary) -> list[_Call]:
    """Calls that the cache lacks, small files first; the retry alone where a build was killed before it."""
    calls: dict[tuple[str, str], _Call] = {}
    for file in sorted(files, key=lambda file: file.path.stat().st_size):
        for tool in toolbox.usable(file.id):
            attempt = toolbox.missing_attempt(file.id, tool)
            if attempt is None:
                summary.cached += 1
            else:
                calls.setdefault((toolbox.sha256(file.id), tool.name), _Call(file, tool, attempt))
    return list(calls.values())
