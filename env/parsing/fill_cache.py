"""Fills the cache with every (file, tool) pair of a set of files; the work behind `env.parsing.build_cache`."""

import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field

from tqdm import tqdm

from env.parsing.config import ParsingConfig, SourceConfig
from env.parsing.corpus.manifest import CorpusFile
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

    def add(self, result: ToolResult) -> None:
        """Count one new result."""
        self.run += 1
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
    pairs = [(file, tool) for file in files for tool in toolbox.usable(file.id)]
    missing = [pair for pair in pairs if not toolbox.recorded(pair[0].id, pair[1])]
    summary.cached = len(pairs) - len(missing)
    missing.sort(key=lambda pair: pair[0].path.stat().st_size)
    lanes = [[pair for pair in missing if (pair[1].family == OCR_FAMILY) is ocr] for ocr in (True, False)]
    running: dict[Future[ToolResult], tuple[CorpusFile, Tool, int]] = {}
    with tqdm(total=len(missing), unit="call", desc="tools", delay=2, dynamic_ncols=True) as bar:
        while any(lanes) or running:
            for lane in lanes:
                in_flight = sum((tool.family == OCR_FAMILY) is (lane is lanes[0]) for _, tool, _ in running.values())
                for file, tool in [lane.pop() for _ in range(min(_IN_FLIGHT - in_flight, len(lane)))]:
                    running[toolbox.start(file.id, tool)] = (file, tool, 0)
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                file, tool, attempt = running.pop(future)
                summary.add(future.result())
                if future.result().transient and attempt == 0:
                    summary.retried += 1
                    running[toolbox.start(file.id, tool, 1)] = (file, tool, 1)
                else:
                    bar.update()
    summary.wall_seconds = time.perf_counter() - started
    return summary


def _inspect_all(toolbox: Toolbox, files: Sequence[CorpusFile]) -> None:
    begun = [toolbox.start_inspection(file.id) for file in files]
    for future in tqdm(begun, unit="file", desc="inspection", delay=2, dynamic_ncols=True):
        future.result()
