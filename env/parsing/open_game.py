"""From settings to a game that can be played: on live tools with a cache, or on a frozen snapshot."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from configs.load import load_config
from env.errors import CorpusError, SnapshotError
from env.parsing.config import ParsingConfig, SourceConfig
from env.parsing.corpus.manifest import CorpusFile, list_files, load_corpus
from env.parsing.environment import ParsingGame
from env.records import Record

SYNTHETIC = "synthetic"
"""Name of the embedded corpus."""
SYNTHETIC_FOLDER = Path(".cache/synthetic")


@dataclass(frozen=True, slots=True)
class OpenGame:
    """A game with the files to play."""

    game: ParsingGame
    files: tuple[CorpusFile, ...]
    """The chosen files: one split, perhaps limited."""
    corpus_files: tuple[CorpusFile, ...]
    """Every file of the corpus; `fixed` learns on its training split."""
    live: bool
    """Whether tools may have to run."""
    meta: dict[str, Any]
    """For a run's `meta.json`: snapshot digest, tool versions, tools that are missing here."""


class PlayConfig(Record):
    """Configuration of live tools on given files (`configs/play.toml`)."""

    parsing: ParsingConfig
    cache: str
    """SQLite file of tool results, or `:memory:`."""


@contextmanager
def open_game(source: SourceConfig, config: ParsingConfig) -> Iterator[OpenGame]:
    """Open the corpus or snapshot that the settings name; live tools stop when the context ends.

    Raises:
        CorpusError: no such corpus, or nothing in the chosen split.
        SnapshotError: a damaged snapshot, or one of another pool.
    """
    if source.snapshot:
        from env.parsing.snapshot import Snapshot  # noqa: PLC0415 - its Parquet reader takes half a second, which live tools need not wait for

        snapshot = Snapshot.load(Path(source.snapshot))
        if snapshot.pool != config.pool:
            raise SnapshotError(f"snapshot {source.snapshot} was made with parsing.pool={snapshot.pool}, not with {config.pool}")
        meta = {"snapshot": snapshot.digest}
        yield OpenGame(ParsingGame(snapshot, config), _choose(snapshot.files, source), snapshot.files, live=False, meta=meta)
        return
    corpus = load_corpus(corpus_folder(source.corpus))
    with open_files(corpus.files, source.cache, config) as opened:
        yield OpenGame(opened.game, _choose(corpus.files, source), corpus.files, live=True, meta=opened.meta)


@contextmanager
def open_files(files: Sequence[CorpusFile], cache: str, config: ParsingConfig) -> Iterator[OpenGame]:
    """Open live tools on any files.

    Args:
        files: what may be played.
        cache: SQLite file of tool results; `:memory:` keeps nothing.
        config: the game's configuration.
    """
    # The parts that run tools need parser libraries around; a snapshot must load without them.
    from env.parsing.cache import ResultCache  # noqa: PLC0415
    from env.parsing.pool import load_pool  # noqa: PLC0415
    from env.parsing.toolbox import Toolbox  # noqa: PLC0415
    from env.parsing.workers import Workers  # noqa: PLC0415

    pool = load_pool(config.pool)
    with ResultCache(Path(cache)) as results, Workers(config.limits) as workers:
        toolbox = Toolbox(files, pool, workers, results)
        meta = {
            "snapshot": "",
            "tools": {tool.name: tool.version() for tool in pool.tools},
            "missing_tools": pool.dropped,
            "confinement": workers.confinement,
        }
        yield OpenGame(ParsingGame(toolbox, config), tuple(files), tuple(files), live=True, meta=meta)


@contextmanager
def open_paths(paths: Sequence[Path | str], *overrides: str) -> Iterator[OpenGame]:
    """Open live tools on a user's own files and folders.

    Args:
        paths: files, or folders of files.
        overrides: settings of `configs/play.toml` as `key=value`.

    Raises:
        CorpusError: a path does not exist, or there is no file at all.
    """
    config = load_config(PlayConfig, overrides, default="play.toml")
    with open_files(list_files([Path(path) for path in paths]), config.cache, config.parsing) as opened:
        yield opened


def corpus_folder(name: str) -> Path:
    """Folder of a corpus; the synthetic one is built on first use."""
    if name != SYNTHETIC:
        return Path(name)
    if not SYNTHETIC_FOLDER.exists():
        from env.parsing.corpus.synthetic import build_default  # noqa: PLC0415 - its writers are an optional extra

        build_default(SYNTHETIC_FOLDER)
    return SYNTHETIC_FOLDER


def _choose(files: Sequence[CorpusFile], source: SourceConfig) -> tuple[CorpusFile, ...]:
    chosen = tuple(file for file in files if source.split in {"all", file.split} or file.split == "all")
    if not chosen:
        splits = ", ".join(sorted({file.split for file in files}))
        raise CorpusError(f"corpus {source.corpus} has no file in split {source.split!r}; there are: {splits}, all")
    return chosen[: source.limit or None]
