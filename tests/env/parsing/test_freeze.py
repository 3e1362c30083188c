import json
import subprocess
import sys
from pathlib import Path

import pytest

from configs.load import load_config
from env.errors import CacheMissError, SnapshotError
from env.parsing.environment import ParsingGame
from env.parsing.fill_cache import BuildConfig, build_cache
from env.parsing.freeze import main
from env.parsing.freezing import FreezeConfig, freeze_cache
from env.parsing.open_game import open_game
from env.parsing.snapshot import Snapshot

TEXT = "The model learns the policy of the house.\n" * 100
RTF = rf"{{\rtf1\ansi {TEXT}}}"
"""A format whose tools start fast."""
# All that the extras `tools` and `pymupdf` bring; lxml and olefile belong to docgym itself.
PARSERS = (
    *("pymupdf", "fitz", "pymupdf4llm", "pdfplumber", "pdfminer", "pypdf", "pypdfium2", "pypdfium2_raw", "docx", "mammoth", "pptx"),
    *("openpyxl", "markitdown", "pypandoc", "pytesseract", "trafilatura", "PIL", "bs4"),
)
REPLAY = """
import importlib.abc, sys

class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in PARSERS:
            raise ModuleNotFoundError(f"{name} is not installed here")
        return None

PARSERS = set(sys.argv[3].split())
sys.meta_path.insert(0, Absent())
import json
from pathlib import Path
from configs.load import load_config
from env.parsing.config import ParsingConfig, SourceConfig
from env.parsing.open_game import open_game

class Config(SourceConfig):
    parsing: ParsingConfig

config = load_config(Config, [f"snapshot={sys.argv[1]}"], default="build_cache.toml")
with open_game(config, config.parsing) as opened:
    sys.stdout.write(json.dumps(eval(sys.argv[2])(opened.game, opened.files), ensure_ascii=False))
assert not PARSERS & set(sys.modules)
"""
PLAY = """lambda game, files: [
    [
        [message.content for message in episode.reset(game.task(file))],
        [
            [step.observation, step.done, step.reward.total, dict(step.metrics)]
            for tool in [tool.name for tool in game.outputs.tools(file.id)]
            for action in ({"action": "call_tool", "tool": tool}, {"action": "finish", "choice": tool})
            if episode.last_step is None
            for step in [episode.step(json.dumps({"thought": "t"} | action))]
        ],
        episode.outcome(),
    ]
    for file in files
    for episode in [game.environment()]
]"""


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small corpus and its finished cache."""
    folder = tmp_path_factory.mktemp("freeze")
    corpus = folder / "corpus"
    corpus.mkdir()
    (corpus / "a.rtf").write_text(RTF)
    (corpus / "b.rtf").write_text(RTF.replace("house", "garden"))
    (corpus / "ref.txt").write_text(TEXT)
    rows = [
        {"id": "with-reference", "path": "a.rtf", "category": "prose", "doc": "one", "split": "train", "ref": "ref.txt"},
        {"id": "without", "path": "b.rtf", "category": "prose", "doc": "two", "split": "heldout", "expect": "text"},
    ]
    (corpus / "manifest.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    build_cache(load_config(BuildConfig, arguments(folder), default="build_cache.toml"))
    return folder


def arguments(work: Path, **changes: str) -> list[str]:
    values = {"corpus": work / "corpus", "cache": work / "results.sqlite"} | changes
    return [f"{key}={value}" for key, value in values.items()]


def freeze(work: Path, **changes: str) -> str:
    config = load_config(FreezeConfig, arguments(work, **changes), default="freeze.toml")
    return freeze_cache(config).digest


def test_a_frozen_game_replays_byte_for_byte_where_no_parser_can_be_imported(work: Path) -> None:
    freeze(work, out=str(work / "replay.parquet"))
    config = load_config(BuildConfig, arguments(work), default="build_cache.toml")
    with open_game(config, config.parsing) as opened:
        played = eval(PLAY, {"json": json})(opened.game, opened.files)  # the very text that the other interpreter runs
    command = [sys.executable, "-c", REPLAY, str(work / "replay.parquet"), PLAY, " ".join(PARSERS)]
    replayed = subprocess.run(command, check=False, capture_output=True, text=True)
    assert replayed.returncode == 0, replayed.stderr
    assert replayed.stdout == json.dumps(played, ensure_ascii=False)
    assert all(len(steps) >= 2 for _, steps, _ in played), "each file was really played"


def test_a_frozen_snapshot_holds_every_usable_tool_of_every_file(work: Path) -> None:
    digest = freeze(work, out=str(work / "all.parquet"))
    snapshot = Snapshot.load(work / "all.parquet")
    assert snapshot.digest == digest
    assert [(file.id, file.split, file.expect) for file in snapshot.files] == [
        ("with-reference", "train", None),
        ("without", "heldout", "text"),
    ]
    assert all(snapshot.result(file.id, tool.name).ok for file in snapshot.files for tool in snapshot.tools(file.id))
    assert snapshot.f1("with-reference", "pandoc-plain") == 1.0
    assert snapshot.f1("without", "pandoc-plain") is None


def test_freezing_twice_gives_the_same_bytes(work: Path) -> None:
    digests = {freeze(work, out=str(work / "one.parquet")), freeze(work, out=str(work / "two.parquet"))}
    assert len(digests) == 1
    assert (work / "one.parquet").read_bytes() == (work / "two.parquet").read_bytes()


def test_documents_can_be_delivered_from_a_snapshot_with_texts(work: Path) -> None:
    freeze(work, out=str(work / "texts.parquet"), texts="true")
    config = load_config(FreezeConfig, [], default="freeze.toml")
    game = ParsingGame(Snapshot.load(work / "texts.parquet"), config.parsing)
    environment = game.environment()
    environment.reset(game.task(game.outputs.files[0]))  # type: ignore[attr-defined]
    environment.step('{"thought": "t", "action": "call_tool", "tool": "plain-text"}')
    environment.step('{"thought": "t", "action": "finish", "choice": "plain-text"}')
    assert environment.document().text == RTF


def test_an_unfinished_cache_is_refused_with_the_command_that_finishes_it(work: Path) -> None:
    with pytest.raises(CacheMissError, match=r"lacks .* for 'with-reference'.* more; run \"python -m env\.parsing\.build_cache corpus=.*"):
        freeze(work, cache=str(work / "empty.sqlite"), out=str(work / "refused.parquet"))
    assert not (work / "refused.parquet").exists()


def test_an_unfinished_cache_can_be_frozen_on_demand_and_its_gaps_are_misses(work: Path) -> None:
    freeze(work, cache=str(work / "gaps.sqlite"), out=str(work / "gaps.parquet"), allow_missing="true")
    snapshot = Snapshot.load(work / "gaps.parquet")
    assert "plain-text" in [tool.name for tool in snapshot.tools("without")]
    for ask in (snapshot.result, snapshot.f1):
        with pytest.raises(CacheMissError, match="plain-text for file 'without'"):
            ask("without", "plain-text")


def test_a_snapshot_of_another_pool_is_not_played(work: Path) -> None:
    freeze(work, out=str(work / "pool.parquet"))
    config = load_config(BuildConfig, [f"snapshot={work / 'pool.parquet'}", "parsing.pool=source17"], default="build_cache.toml")
    with pytest.raises(SnapshotError, match="pool=extended, not with source17"), open_game(config, config.parsing):
        pass


def test_the_command_prints_where_and_what(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments(work, out=str(work / "command.parquet"))) == 0
    assert f"{work / 'command.parquet'}: 2 files, " in capsys.readouterr().out
