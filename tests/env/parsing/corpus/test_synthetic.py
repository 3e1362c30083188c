"""The synthetic corpus: complete, repeatable, with exact references, split by document."""

import random
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from env.errors import CorpusError
from env.parsing.corpus.manifest import Corpus, CorpusFile, load_corpus
from env.parsing.corpus.synthetic.build import build_corpus, plan_files
from env.parsing.corpus.synthetic.config import SyntheticConfig
from env.parsing.corpus.synthetic.documents import reference_text, write_document
from env.parsing.corpus.synthetic.kinds import KINDS
from env.parsing.pool import load_pool
from env.parsing.tools.tool import ToolInput
from rewards.token_f1 import count_tokens, token_f1

BEST = {
    "pdf-article": "pypdfium2",
    "pdf-two-columns": "pypdfium2",
    "pdf-turned": "pypdfium2",
    "pdf-sideways": "pypdfium2",
    "pdf-exact-layer": "pypdfium2",
    "pdf-busy-page": "pypdfium2",
    "docx-report": "python-docx",
    "docx-named-pdf": "python-docx",
    "pptx-slides": "python-pptx",
    "pptx-notes": "python-pptx",
    "pptx-charts": "ooxml-text",
    "xlsx-sheet": "openpyxl",
    "xlsx-comments": "openpyxl",
    "xlsx-form": "openpyxl",
    "html-paper": "markup-text",
    "html-gb18030": "trafilatura",
    "md-paper": "plain-text",
    "md-html": "pandoc-plain",
    "md-pictures": "pandoc-plain",
    "md-brackets": "plain-text",
    "pdf-dark-marker": "pypdfium2",
    "pdf-tiny-print": "pypdfium2",
    "docx-text-boxes": "ooxml-text",
    "docx-merge-fields": "ooxml-text",
    "docx-tracked-changes": "mammoth",
    "docx-contents-list": "python-docx",
    "docx-review-comments": "python-docx",
    "docx-pictures": "python-docx",
    "html-portal": "trafilatura",
    "html-card-grid": "pandoc-plain",
    "html-discussion": "pandoc-plain",
    "html-link-index": "pandoc-plain",
    "html-long-addresses": "pandoc-plain",
    "html-partial-main": "markitdown",
    "txt-partly-escaped": "url",
    "txt-turned-list": "rot13",
    "txt-number-series": "plain-text",
    "txt-escapes-as-content": "plain-text",
    "eml-html": "email",
    "csv-sheet": "plain-text",
    "txt-utf8": "plain-text",
    "txt-gb18030": "plain-text",
    "txt-utf16": "plain-text",
    "txt-base64": "base64",
    "txt-hex": "hex",
    "txt-morse": "morse",
    "txt-url": "url",
    "txt-rot13": "rot13",
    "txt-base64-markdown": "base64",
}
"""Kinds that a tool without OCR reads almost perfectly, which shows that their references are exact."""
CHARSETS = {"txt-gb18030": "gb18030", "txt-utf16": "utf-16", "html-gb18030": "gb18030"}
ONE_PER_WRITER = (
    "pdf-scan",
    "pdf-wrong-digits",
    "docx-review-comments",
    "pptx-charts",
    "xlsx-comments",
    "html-paper",
    "eml-html",
    "random-bytes",
)


def config(seed: int = 7, kinds: tuple[str, ...] = ()) -> SyntheticConfig:
    return SyntheticConfig(seed=seed, size=1, kinds=kinds)


def kind_of(file: CorpusFile) -> str:
    return file.category.partition("/")[2]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("synthetic") / "corpus"
    build_corpus(folder, config())
    return load_corpus(folder)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_same_seed_gives_the_same_bytes_and_another_seed_other_files(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        build_corpus(tmp_path / name, config(seed, ONE_PER_WRITER))
    first, again, other = (contents(tmp_path / name) for name in "abc")
    assert first == again
    assert not {path for path in first if path.startswith("files/")} & set(other)


@pytest.mark.parametrize("kind", sorted(BEST))
def test_the_reference_is_what_the_best_tool_reads(corpus: Corpus, kind: str, tmp_path: Path) -> None:
    tool = load_pool("extended").tool(BEST[kind])
    for file in corpus.files:
        if kind_of(file) == kind:
            encoding = CHARSETS.get(kind, "utf-8")
            text = tool.extract(ToolInput(file.path, file.format, encoding, tmp_path))
            assert token_f1(text, file.reference() or "").f1 >= 0.95, file.id


def test_every_kind_has_training_and_held_out_files(corpus: Corpus) -> None:
    splits = defaultdict(set)
    for file in corpus.files:
        splits[kind_of(file)].add(file.split)
    assert splits == {kind.name: {"train", "heldout"} for kind in KINDS}


def test_every_level_has_enough_files_for_an_interval(corpus: Corpus) -> None:
    levels = Counter(file.level for file in corpus.files)
    assert levels["easy"] >= 30
    assert levels["medium"] >= 25
    assert levels["hard"] >= 25


def test_documents_never_cross_the_splits_and_serve_several_files(corpus: Corpus) -> None:
    splits = defaultdict(set)
    for file in corpus.files:
        splits[file.doc].add(file.split)
    assert all(len(found) == 1 for found in splits.values())
    held_out = [doc for doc, found in splits.items() if found == {"heldout"}]
    assert len(held_out) >= 0.4 * len(splits)
    assert len(splits) < len(corpus.files)


def test_files_without_a_reference_are_those_that_no_tool_can_read(corpus: Corpus) -> None:
    unreadable = {kind_of(file) for file in corpus.files if file.expect == "fail"}
    assert unreadable >= {"digest", "random-bytes"}
    assert all((file.ref is None) == (file.expect == "fail") for file in corpus.files)


def test_file_names_do_not_give_the_kind_away(corpus: Corpus) -> None:
    for file in corpus.files:
        assert not set(kind_of(file).split("-")[1:]) & set(file.path.stem.split("-"))


def test_a_larger_size_makes_more_files_of_every_kind() -> None:
    small, large = (Counter(file.kind.name for file in plan_files(SyntheticConfig(seed=1, size=size))) for size in (1, 3))
    assert {kind: 3 * count for kind, count in small.items()} == large


def test_an_unknown_kind_is_refused_with_the_known_ones() -> None:
    with pytest.raises(CorpusError, match=r"unknown kinds of synthetic files: pdf-scam; there are .*pdf-scan"):
        list(plan_files(config(kinds=("pdf-scam",))))


def test_a_folder_with_other_files_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "thesis.docx").write_bytes(b"years of work")
    with pytest.raises(CorpusError, match="holds other files"):
        build_corpus(tmp_path, config(kinds=("txt-utf8",)))
    assert (tmp_path / "thesis.docx").read_bytes() == b"years of work"


def test_an_earlier_corpus_is_replaced_as_a_whole(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    build_corpus(folder, config(kinds=("txt-utf8",)))
    build_corpus(folder, config(kinds=("md-paper",)))
    assert {kind_of(file) for file in load_corpus(folder).files} == {"md-paper"}
    assert [path.name for path in tmp_path.iterdir()] == ["corpus"]


@pytest.mark.parametrize("genre", ["note", "article", "paper", "report", "slides", "sheet"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_documents_repeat_by_seed_and_differ_between_seeds(genre: str, language: str) -> None:
    one, same, other = (reference_text(write_document("d", genre, language, random.Random(seed))) for seed in (1, 1, 2))
    assert one == same
    assert token_f1(one, other).f1 < 0.9
    assert 80 < sum(count_tokens(one).values()) < 1500
