"""Plans, writes and lists the files of the synthetic corpus."""

import hashlib
import json
import random
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from env.errors import CorpusError
from env.parsing.corpus.manifest import MANIFEST
from env.parsing.corpus.synthetic.config import SyntheticConfig
from env.parsing.corpus.synthetic.documents import write_document
from env.parsing.corpus.synthetic.grammar import Language
from env.parsing.corpus.synthetic.kinds import KINDS, Kind

SPLITS = ("train", "heldout")
_FILES_PER_DOCUMENT = 3
"""A document is rendered as several kinds, as real ones are kept in several formats."""


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """One file to make."""

    kind: Kind
    number: int
    language: Language
    split: str
    doc: str


def plan_files(config: SyntheticConfig) -> Iterator[PlannedFile]:
    """Each kind in each of its languages, `size` times for training and for the held-out split; documents never cross the splits.

    Raises:
        CorpusError: the configuration names an unknown kind.
    """
    unknown = set(config.kinds) - {kind.name for kind in KINDS}
    if unknown:
        raise CorpusError(
            f"unknown kinds of synthetic files: {', '.join(sorted(unknown))}; there are {', '.join(kind.name for kind in KINDS)}"
        )
    used: Counter[str] = Counter()
    for kind in KINDS:
        turns = [(language, split) for language in kind.languages for _ in range(config.size) for split in SPLITS]
        for number, (language, split) in enumerate(turns):
            series = f"{kind.genre}-{language}-{split}"
            doc = f"{series}-{used[series] // _FILES_PER_DOCUMENT}"
            used[series] += 1
            if not config.kinds or kind.name in config.kinds:
                yield PlannedFile(kind, number, language, split, doc)


def build_corpus(folder: Path, config: SyntheticConfig) -> int:
    """Write the corpus; an earlier one in the folder is replaced once the new one is complete.

    Returns:
        The number of files.

    Raises:
        CorpusError: the folder holds something else, or an unknown kind is wanted.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / "refs").is_dir():
        raise CorpusError(f"{folder} holds other files; name a new folder, or one with an earlier synthetic corpus")
    planned = list(plan_files(config))
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".synthetic-") as workplace:
        fresh = Path(workplace) / "corpus"
        (fresh / "files").mkdir(parents=True)
        (fresh / "refs").mkdir()
        rows = [_write_file(fresh, file, config.seed) for file in tqdm(planned, desc="synthetic corpus", unit="file", delay=2)]
        lines = [json.dumps(row, ensure_ascii=False) for row in sorted(rows, key=lambda row: str(row["id"]))]
        (fresh / MANIFEST).write_text("\n".join(lines) + "\n", encoding="utf-8")
        if folder.exists():
            shutil.rmtree(folder)
        fresh.rename(folder)
    return len(planned)


def _write_file(folder: Path, file: PlannedFile, seed: int) -> dict[str, object]:
    kind, identity = file.kind, f"{file.kind.name}-{file.number}"
    document = write_document(file.doc, kind.genre, file.language, random.Random(f"{seed}/{file.doc}"))  # noqa: S311 - not for secrets
    rendered = kind.make(document, random.Random(f"{seed}/{identity}"))  # noqa: S311 - not for secrets
    path = Path("files") / f"{_file_name(document.title, identity, seed)}.{kind.extension or kind.format}"
    (folder / path).write_bytes(rendered.data)
    row: dict[str, object] = {
        "id": identity,
        "path": path.as_posix(),
        "format": kind.format,
        "category": f"{kind.level}/{kind.name}",
        "doc": file.doc,
        "split": file.split,
        "level": kind.level,
        "language": file.language,
        "expect": "fail" if rendered.reference is None else "text",
    }
    if rendered.reference is not None:
        row["ref"] = f"refs/{identity}.txt"
        (folder / "refs" / f"{identity}.txt").write_text(rendered.reference, encoding="utf-8", newline="")
    return row


def _file_name(title: str, identity: str, seed: int) -> str:
    """A name that does not give the kind away, since the card shows it."""
    words = re.findall(r"[a-z]+", title.lower())[:2] or ["wendang"]
    return "-".join([*words, hashlib.sha256(f"{seed}/{identity}".encode()).hexdigest()[:4]])
