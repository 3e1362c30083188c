"""Recorded tool outputs to play on where no parser is installed; made by `python -m env.parsing.freeze`.

snapshot = Snapshot.load(Path("corpus.parquet"))
game = ParsingGame(snapshot, config)
"""

from functools import lru_cache
from pathlib import Path

from env.errors import CacheMissError, SnapshotError
from env.parsing.corpus.manifest import CorpusFile
from env.parsing.inspection import Inspection
from env.parsing.previews import cut_middle, cut_previews
from env.parsing.snapshot_file import PREVIEW_CHARS, RecordedFile, RecordedResult, hash_text, locate_texts, read_snapshot, read_texts
from env.parsing.tools.tool import ToolResult, ToolSpec

_TEXT_GROUPS_KEPT = 4


class Snapshot:
    """A frozen snapshot; see `env.parsing.outputs.ToolOutputs`. Read-only and thread-safe; a miss is an error, never a live call."""

    def __init__(self, path: Path, files: list[RecordedFile], pool: str, digest: str) -> None:
        """Index what `read_snapshot` gave; callers use `load`."""
        self.path = path
        self.pool = pool
        """Name of the pool whose tools were recorded."""
        self.digest = digest
        self.files = tuple(_to_corpus_file(file) for file in files)
        """The recorded files, sorted by id; their paths are names only."""
        self._inspections = {file.id: file.inspection for file in files}
        self._tools = {file.id: tuple(tool.spec for tool in file.tools) for file in files}
        self._f1 = {(file.id, tool.spec.name): tool.f1 for file in files for tool in file.tools}
        self._results: dict[tuple[str, str, int], RecordedResult] = {}
        self._places: dict[tuple[str, str, int], tuple[int, int]] = {}
        for position, file in enumerate(files):
            for place, recorded in enumerate(file.results):
                key = (file.id, recorded.result.tool, recorded.attempt)
                self._results[key] = recorded
                self._places[key] = (position, place)
        self._group = lru_cache(_TEXT_GROUPS_KEPT)(lambda group: read_texts(path, group))
        self.has_texts = bool(files) and self._group(0)[0] is not None
        """Whether whole texts were kept; without them `result` answers with an empty text."""

    @classmethod
    def load(cls, path: Path) -> "Snapshot":
        """Read a snapshot.

        Raises:
            SnapshotError: no such file, not a snapshot, of another version, or damaged.
        """
        files, pool, digest = read_snapshot(path)
        return cls(path, files, pool, digest)

    def inspection(self, file: str) -> Inspection:
        """Card and formulas of the file; its yardstick has no tokens."""
        if file not in self._inspections:
            raise CacheMissError(f"snapshot {self.path} holds no file {file!r}; {self._remedy()}")
        return self._inspections[file]

    def tools(self, file: str) -> tuple[ToolSpec, ...]:
        """Usable tools in the order they are listed to the model."""
        self.inspection(file)
        return self._tools[file]

    def result(self, file: str, tool: str, attempt: int = 0) -> ToolResult:
        """The recorded result, with its text when the snapshot keeps texts."""
        recorded = self._recorded(file, tool, attempt)
        if not (self.has_texts and recorded.chars):
            return recorded.result
        return recorded.result.model_copy(update={"text": self._text(file, tool, attempt, recorded)})

    def preview(self, file: str, tool: str, attempt: int, head_chars: int, middle_chars: int) -> tuple[str, str]:
        """Start and exact middle of the raw output."""
        recorded = self._recorded(file, tool, attempt)
        longest = max(head_chars, middle_chars)
        if min(longest, recorded.chars) <= PREVIEW_CHARS:
            return recorded.head[:head_chars], cut_middle(recorded.middle, middle_chars, recorded.chars)
        if not self.has_texts:
            raise CacheMissError(
                f"snapshot {self.path} keeps previews of {PREVIEW_CHARS} characters, not of {longest}; freeze it again with texts=true"
            )
        return cut_previews(self._text(file, tool, attempt, recorded), head_chars, middle_chars)

    def f1(self, file: str, tool: str) -> float | None:
        """Token F1 as recorded; None when the file has no reference."""
        if (file, tool) not in self._f1:
            raise self._miss(file, tool, 0)
        f1 = self._f1[file, tool]
        if f1 is None:
            self._recorded(file, tool, 0)  # a missing output has no F1 either, and that is not the same as no reference
        return f1

    def complete(self, file: str) -> bool:
        """Whether the outputs of all usable tools were frozen."""
        return all((file, tool.name, 0) in self._results for tool in self.tools(file))

    def _recorded(self, file: str, tool: str, attempt: int) -> RecordedResult:
        recorded = self._results.get((file, tool, attempt))
        if recorded is None:
            raise self._miss(file, tool, attempt)
        return recorded

    def _miss(self, file: str, tool: str, attempt: int) -> CacheMissError:
        what = f"output of {tool}" if attempt == 0 else f"retry of {tool}"
        return CacheMissError(f"snapshot {self.path} holds no recorded {what} for file {file!r}; {self._remedy()}")

    def _remedy(self) -> str:
        return (
            f'run "python -m env.parsing.build_cache corpus=FOLDER parsing.pool={self.pool}", '
            f'then "python -m env.parsing.freeze corpus=FOLDER parsing.pool={self.pool} out={self.path}"'
        )

    def _text(self, file: str, tool: str, attempt: int, recorded: RecordedResult) -> str:
        position, place = self._places[file, tool, attempt]
        group, within = locate_texts(position)
        texts = self._group(group)[within]
        text = texts[place] if texts else ""
        if hash_text(text) != recorded.text_sha256:
            raise SnapshotError(f"snapshot {self.path} is damaged: text of {tool} for file {file!r} has changed; copy or freeze it again")
        return text


def _to_corpus_file(file: RecordedFile) -> CorpusFile:
    row = file.model_dump(include={"id", "format", "category", "doc", "split", "level", "expect"})
    return CorpusFile.model_validate(row | {"path": file.inspection.card.name})
