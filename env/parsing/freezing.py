"""Cache → snapshot: the work behind `env.parsing.freeze`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from env.errors import CacheMissError
from env.parsing.config import ParsingConfig, SourceConfig
from env.parsing.corpus.manifest import CorpusFile
from env.parsing.open_game import open_game
from env.parsing.snapshot_file import RecordedFile, RecordedResult, ScoredTool, write_snapshot
from env.parsing.toolbox import Toolbox
from env.parsing.tools.tool import Tool, ToolResult

_NAMED = 3
"""Missing outputs that an error lists one by one."""


class FreezeConfig(SourceConfig):
    """Configuration of `env.parsing.freeze`."""

    parsing: ParsingConfig
    out: str
    """The snapshot to write."""
    texts: bool
    """Keep whole texts."""
    allow_missing: bool
    """Leave out what the cache lacks instead of refusing."""


@dataclass(frozen=True, slots=True)
class FreezeSummary:
    """What was frozen."""

    path: Path
    digest: str
    files: int
    results: int
    missing: int

    def __str__(self) -> str:
        size = self.path.stat().st_size / 1e6
        missing = f", {self.missing} missing" if self.missing else ""
        return f"{self.path}: {self.files} files, {self.results} results{missing}, {size:.1f} MB, digest {self.digest}"


def freeze_cache(config: FreezeConfig) -> FreezeSummary:
    """Open the corpus and the cache that the configuration names, and freeze them.

    Raises:
        CacheMissError: the cache lacks an output of a usable tool.
        SnapshotError: the snapshot cannot be written.
    """
    with open_game(config.model_copy(update={"snapshot": ""}), config.parsing) as opened:
        toolbox = opened.game.outputs
        assert isinstance(toolbox, Toolbox)  # noqa: S101 - without a snapshot the outputs are live
        missing = find_missing(toolbox, opened.files)
        if missing and not config.allow_missing:
            named = ", ".join(f"{tool} for {file!r}" for file, tool in missing[:_NAMED])
            more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
            raise CacheMissError(
                f'cache {config.cache} lacks {named}{more}; run "python -m env.parsing.build_cache corpus={config.corpus} '
                f'cache={config.cache} parsing.pool={config.parsing.pool}" first, or freeze with allow_missing=true'
            )
        progress = tqdm(opened.files, unit="file", desc="freeze", delay=2, dynamic_ncols=True)
        files = [record_file(toolbox, file, texts=config.texts) for file in progress]
    digest = write_snapshot(Path(config.out), files, config.parsing.pool)
    return FreezeSummary(Path(config.out), digest, len(files), sum(len(file.results) for file in files), len(missing))


def find_missing(toolbox: Toolbox, files: Sequence[CorpusFile]) -> list[tuple[str, str]]:
    """(file, tool) of every output that the cache lacks, counting the retry of a transient failure."""
    return [
        (file.id, tool.name) for file in files for tool in toolbox.usable(file.id) if toolbox.missing_attempt(file.id, tool) is not None
    ]


def record_file(toolbox: Toolbox, file: CorpusFile, *, texts: bool) -> RecordedFile:
    """Everything the cache holds about one file; whole texts on demand."""
    tools = [(tool, toolbox.missing_attempt(file.id, tool) is None) for tool in toolbox.usable(file.id)]
    results = [recorded for tool, _ in tools for recorded in _recorded_results(toolbox, file.id, tool)]
    return RecordedFile(
        id=file.id,
        format=file.format,
        category=file.category,
        doc=file.doc,
        split=file.split,
        level=file.level,
        expect=file.expect,
        inspection=toolbox.inspection(file.id),
        tools=tuple(ScoredTool(spec=tool.spec, f1=toolbox.f1(file.id, tool.name) if complete else None) for tool, complete in tools),
        results=tuple(RecordedResult.of(result, attempt) for result, attempt in results),
        texts=tuple(result.text for result, _ in results) if texts else None,
    )


def _recorded_results(toolbox: Toolbox, file: str, tool: Tool) -> Iterator[tuple[ToolResult, int]]:
    for attempt in (0, 1):
        if toolbox.recorded(file, tool, attempt):
            yield toolbox.result(file, tool.name, attempt), attempt
