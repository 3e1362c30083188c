"""A corpus is a folder of files, with references where `manifest.jsonl` names them (one JSON object a line)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from env.errors import CorpusError

MANIFEST = "manifest.jsonl"


class CorpusFile(BaseModel):
    """One file of a corpus. Manifest keys that docgym does not use (source, licence, notes…) are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    path: Path
    """Absolute once loaded; relative to the corpus folder in the manifest."""
    format: str = ""
    """True format, for reports; empty when the manifest does not say (the card will)."""
    category: str = ""
    doc: str = ""
    """Source document; all formats of one document share it."""
    split: str = ""
    ref: Path | None = None
    """Reference text (UTF-8); absolute once loaded."""
    expect: Literal["text", "fail", "text-or-fail", "warning", "ocr"] | None = None
    """`fail`: no tool can give this file's text, and saying so is the right answer."""
    level: Literal["easy", "medium", "hard"] | None = None
    """Difficulty, in the synthetic corpus."""

    def reference(self) -> str | None:
        """Text of the reference, or None when the file has none."""
        return None if self.ref is None else self.ref.read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Corpus:
    """A loaded corpus, files sorted by id."""

    root: Path
    files: tuple[CorpusFile, ...]


def load_corpus(root: Path) -> Corpus:
    """Read a folder with `manifest.jsonl`, or any folder of files (then without references, split `all`).

    Raises:
        CorpusError: no such folder, no file in it, a manifest line that cannot be read, an id used twice, a listed file that is missing.
    """
    if not root.is_dir():
        raise CorpusError(f"corpus folder {root} does not exist")
    manifest = root / MANIFEST
    files = _read_manifest(manifest, root) if manifest.is_file() else list_files([root])
    if not files:
        raise CorpusError(f"{manifest} lists no files")
    return Corpus(root, tuple(sorted(files, key=lambda file: file.id)))


def list_files(paths: Sequence[Path]) -> list[CorpusFile]:
    """A user's own files as a corpus without references; those of a folder are named by their path inside it.

    Raises:
        CorpusError: a path does not exist, or there is no file at all.
    """
    named: dict[str, Path] = {}
    for path in paths:
        if path.is_dir():
            inside = {inner.relative_to(path).as_posix(): inner for inner in sorted(path.rglob("*")) if inner.is_file()}
            named |= {name: inner for name, inner in inside.items() if not name.startswith(".") and "/." not in name}
        elif path.is_file():
            named[path.name if path.name not in named else path.as_posix()] = path
        else:
            raise CorpusError(f"{path} does not exist")
    if not named:
        raise CorpusError("no files given")
    return [CorpusFile(id=name, path=path, doc=name, split="all") for name, path in named.items()]


def _read_manifest(manifest: Path, root: Path) -> list[CorpusFile]:
    files: dict[str, CorpusFile] = {}
    for number, line in enumerate(manifest.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row: dict[str, Any] = json.loads(line)
            file = CorpusFile.model_validate(row)
        except (ValueError, ValidationError) as error:
            raise CorpusError(f"{manifest} line {number} is not a corpus file: {error}") from error
        if file.id in files:
            raise CorpusError(f"{manifest} line {number}: id {file.id!r} occurs twice")
        files[file.id] = _resolve(file, root, f"{manifest} line {number}")
    return list(files.values())


def _resolve(file: CorpusFile, root: Path, where: str) -> CorpusFile:
    path = root / file.path
    ref = None if file.ref is None else root / file.ref
    for needed in (path, ref):
        if needed is not None and not needed.is_file():
            raise CorpusError(f"{where}: {needed} does not exist")
    return file.model_copy(update={"path": path, "ref": ref, "doc": file.doc or file.id})
