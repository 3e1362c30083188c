import json
from pathlib import Path

import pytest

from env.errors import CorpusError
from env.parsing.corpus.manifest import list_files, load_corpus


def write(folder: Path, *rows: object) -> Path:
    (folder / "a.txt").write_text("text")
    (folder / "a.ref").write_text("reference")
    (folder / "manifest.jsonl").write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return folder


def test_a_manifest_gives_files_with_references_sorted_by_id(tmp_path: Path) -> None:
    rows = [
        {"id": "b", "path": "a.txt", "split": "train"},
        "",
        {"id": "a", "path": "a.txt", "ref": "a.ref", "split": "heldout", "licence": "MIT"},
    ]
    corpus = load_corpus(write(tmp_path, *rows))
    assert [file.id for file in corpus.files] == ["a", "b"]
    assert [file.reference() for file in corpus.files] == ["reference", None]
    assert corpus.files[1].doc == "b"
    assert [file.split for file in corpus.files] == ["heldout", "train"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": "a", "path": "gone.txt"}], r"line 1: .*gone\.txt does not exist"),
        ([{"id": "a", "path": "a.txt", "ref": "gone"}], "gone does not exist"),
        ([{"id": "a", "path": "a.txt"}, {"id": "a", "path": "a.txt"}], "line 2: id 'a' occurs twice"),
        (["{broken"], "line 1 is not a corpus file"),
        ([{"path": "a.txt"}], "line 1 is not a corpus file"),
        ([], "lists no files"),
    ],
)
def test_a_bad_manifest_is_named_by_line(tmp_path: Path, rows: list[object], message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        load_corpus(write(tmp_path, *rows))


def test_a_plain_folder_is_a_corpus_without_references(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.txt").write_text("text")
    (tmp_path / ".hidden").write_text("text")
    (file,) = load_corpus(tmp_path).files
    assert (file.id, file.split, file.reference()) == ("deep/b.txt", "all", None)


def test_missing_and_empty_folders_are_clear_errors(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="does not exist"):
        load_corpus(tmp_path / "gone")
    with pytest.raises(CorpusError, match="no files"):
        load_corpus(tmp_path)
    with pytest.raises(CorpusError, match="does not exist"):
        list_files([tmp_path / "gone.pdf"])


def test_files_of_the_same_name_keep_apart(tmp_path: Path) -> None:
    paths = [tmp_path / "a" / "x.pdf", tmp_path / "b" / "x.pdf"]
    for path in paths:
        path.parent.mkdir()
        path.write_text("x")
    assert [file.id for file in list_files(paths)] == ["x.pdf", paths[1].as_posix()]
