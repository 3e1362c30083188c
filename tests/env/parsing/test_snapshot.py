import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from env.errors import CacheMissError, SnapshotError
from env.parsing.corpus.manifest import CorpusFile
from env.parsing.environment import ParsingGame
from env.parsing.inspection import Inspection, Yardstick
from env.parsing.outputs import ToolOutputs
from env.parsing.previews import cut_previews
from env.parsing.snapshot import Snapshot
from env.parsing.snapshot_file import PREVIEW_CHARS, RecordedFile, RecordedResult, ScoredTool, write_snapshot
from env.parsing.tools.tool import ToolResult, ToolSpec

FILE = "doc/a"
CALL = '{{"thought": "t", "action": "call_tool", "tool": "{}"}}'
FINISH = '{{"thought": "t", "action": "finish", "choice": "{}"}}'
EPISODES = (
    [CALL.format("good"), FINISH.format("good")],
    [CALL.format("flaky"), CALL.format("flaky"), FINISH.format("flaky")],
    [CALL.format("broken"), "not JSON", CALL.format("nonsense"), FINISH.format("poor")],
    ['{"thought": "t", "action": "fail", "reason": "no"}'],
)


def record(outputs: ToolOutputs, file: CorpusFile, attempts: Sequence[tuple[str, int]], *, texts: bool = False) -> RecordedFile:
    results = [outputs.result(file.id, tool, attempt) for tool, attempt in attempts]
    return RecordedFile(
        id=file.id,
        format=file.format,
        category=file.category,
        doc=file.doc,
        split=file.split,
        level="hard",
        expect=None,
        inspection=outputs.inspection(file.id),
        tools=tuple(ScoredTool(spec=spec, f1=outputs.f1(file.id, spec.name)) for spec in outputs.tools(file.id)),
        results=tuple(RecordedResult.of(result, attempt) for result, (_, attempt) in zip(results, attempts, strict=True)),
        texts=tuple(result.text for result in results) if texts else None,
    )


def bare_file(inspection: Inspection, *results: RecordedResult) -> RecordedFile:
    """A file without a reference whose usable tools are `good` and `poor`."""
    specs = [ToolSpec(name=name, description=name, description_zh=name, lossless=True) for name in ("good", "poor")]
    return RecordedFile(
        id=FILE,
        format="txt",
        category="",
        doc="doc",
        split="all",
        level=None,
        expect=None,
        inspection=inspection,
        tools=tuple(ScoredTool(spec=spec, f1=None) for spec in specs),
        results=results,
    )


def good(text: str) -> RecordedResult:
    return RecordedResult.of(ToolResult(tool="good", version="1", ok=True, text=text), 0)


@pytest.fixture
def inspection(recorded_outputs: ToolOutputs) -> Inspection:
    return recorded_outputs.inspection(FILE)


@pytest.fixture
def recorded(recorded_outputs: ToolOutputs, corpus_file: CorpusFile) -> Callable[..., RecordedFile]:
    """The hand-written outputs as a row of a snapshot."""
    attempts = [(spec.name, 0) for spec in recorded_outputs.tools(FILE)] + [("flaky", 1)]
    return lambda **options: record(recorded_outputs, corpus_file, attempts, **options)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "snapshot.parquet"


def play(game: ParsingGame, file: CorpusFile, texts: Sequence[str]) -> list[object]:
    environment = game.environment()
    messages = environment.reset(game.task(file))
    return [messages, *[environment.step(text) for text in texts], environment.outcome()]


@pytest.mark.parametrize("texts", [False, True])
@pytest.mark.parametrize("episode", EPISODES)
def test_episodes_replay_exactly_as_on_the_outputs_that_were_frozen(
    episode: list[str], texts: bool, recorded: Callable[..., RecordedFile], make_game: Callable[..., ParsingGame], path: Path
) -> None:
    write_snapshot(path, [recorded(texts=texts)], "extended")
    snapshot = Snapshot.load(path)
    live = make_game()
    assert play(ParsingGame(snapshot, live.config), snapshot.files[0], episode) == play(live, snapshot.files[0], episode)


def test_files_keep_what_the_manifest_says_of_them(recorded: Callable[..., RecordedFile], path: Path) -> None:
    write_snapshot(path, [recorded()], "source17")
    snapshot = Snapshot.load(path)
    (file,) = snapshot.files
    assert (file.id, file.format, file.category, file.doc, file.split, file.level, file.expect) == (
        *(FILE, "pdf", "papers", "doc", "train"),
        *("hard", None),
    )
    assert snapshot.pool == "source17"


def test_whole_texts_are_kept_only_on_demand(recorded: Callable[..., RecordedFile], tmp_path: Path) -> None:
    write_snapshot(tmp_path / "lean", [recorded()], "extended")
    write_snapshot(tmp_path / "whole", [recorded(texts=True)], "extended")
    lean, whole = Snapshot.load(tmp_path / "lean"), Snapshot.load(tmp_path / "whole")
    assert (lean.has_texts, lean.result(FILE, "good").text) == (False, "")
    assert (whole.has_texts, whole.result(FILE, "good").text) == (True, "good text " * 300)
    assert whole.result(FILE, "broken").text == ""
    assert lean.digest == whole.digest, "the digest identifies the game, not the packing"


def test_texts_of_files_in_later_groups_are_found(recorded: Callable[..., RecordedFile], path: Path) -> None:
    base = recorded(texts=True)
    texts = base.texts or ()
    files = []
    for number in range(70):
        changed = (good(f"text of {number}"), *base.results[1:])
        files.append(base.model_copy(update={"id": f"f{number:02}", "results": changed, "texts": (f"text of {number}", *texts[1:])}))
    write_snapshot(path, files, "extended")
    snapshot = Snapshot.load(path)
    assert [snapshot.result(f"f{number:02}", "good").text for number in (0, 31, 32, 69)] == [f"text of {n}" for n in (0, 31, 32, 69)]


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), st.integers(0, 400), st.integers(0, 2000), st.integers(0, 2000))
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_previews_equal_those_cut_from_the_whole_text(
    inspection: Inspection, path: Path, piece: str, times: int, head: int, middle: int
) -> None:
    text = piece * times
    write_snapshot(path, [bare_file(inspection, good(text))], "extended")
    snapshot = Snapshot.load(path)
    assert snapshot.preview(FILE, "good", 0, head, middle) == cut_previews(text, head, middle)


def test_longer_previews_need_the_whole_text(recorded: Callable[..., RecordedFile], tmp_path: Path) -> None:
    write_snapshot(tmp_path / "lean", [recorded()], "extended")
    write_snapshot(tmp_path / "whole", [recorded(texts=True)], "extended")
    asked = (FILE, "good", 0, PREVIEW_CHARS + 1, 0)
    assert Snapshot.load(tmp_path / "whole").preview(*asked) == (("good text " * 300)[: PREVIEW_CHARS + 1], "")
    with pytest.raises(CacheMissError, match="texts=true"):
        Snapshot.load(tmp_path / "lean").preview(*asked)


def test_a_miss_names_file_tool_and_the_commands_to_run(recorded: Callable[..., RecordedFile], path: Path) -> None:
    write_snapshot(path, [recorded()], "extended")
    snapshot = Snapshot.load(path)
    for miss in (
        lambda: snapshot.result(FILE, "pandoc"),
        lambda: snapshot.f1(FILE, "pandoc"),
        lambda: snapshot.preview(FILE, "pandoc", 0, 1, 1),
    ):
        with pytest.raises(CacheMissError, match=r"output of pandoc for file 'doc/a'.*env\.parsing\.build_cache.*env\.parsing\.freeze"):
            miss()
    with pytest.raises(CacheMissError, match="retry of good"):
        snapshot.result(FILE, "good", 1)
    with pytest.raises(CacheMissError, match="no file 'other'"):
        snapshot.tools("other")


def test_no_reference_is_told_apart_from_a_missing_output(inspection: Inspection, path: Path) -> None:
    write_snapshot(path, [bare_file(inspection, good("text"))], "extended")
    snapshot = Snapshot.load(path)
    assert snapshot.f1(FILE, "good") is None
    with pytest.raises(CacheMissError):
        snapshot.f1(FILE, "poor")


def test_the_same_content_gives_the_same_bytes_whatever_the_order(recorded: Callable[..., RecordedFile], tmp_path: Path) -> None:
    first, second = recorded(), recorded().model_copy(update={"id": "doc/b"})
    digests = {
        write_snapshot(tmp_path / "one", [first, second], "extended"),
        write_snapshot(tmp_path / "two", [second, first], "extended"),
    }
    assert len(digests) == 1
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_the_digest_changes_with_anything_an_episode_can_show(recorded: Callable[..., RecordedFile], path: Path) -> None:
    base = recorded()
    first = base.results[0]
    slower = first.model_copy(update={"result": first.result.model_copy(update={"seconds": 9.0})})
    changed = [
        base,
        base.model_copy(update={"split": "heldout"}),
        base.model_copy(update={"tools": base.tools[::-1]}),
        base.model_copy(update={"results": (slower, *base.results[1:])}),
        base.model_copy(update={"results": base.results[1:]}),
    ]
    digests = [write_snapshot(path, [file], pool) for file in changed for pool in ("extended", "source17")]
    assert len(set(digests)) == len(digests)


def test_the_yardstick_travels_without_its_tokens(inspection: Inspection, path: Path) -> None:
    counted = inspection.model_copy(update={"yardstick": Yardstick(source="text", tokens={"secret": 3}, unread_tokens=7)})
    write_snapshot(path, [bare_file(counted)], "extended")
    assert Snapshot.load(path).inspection(FILE).yardstick == Yardstick(source="text", tokens={}, unread_tokens=7)


def test_a_snapshot_is_read_only_and_leaves_no_temporary_file(recorded: Callable[..., RecordedFile], path: Path) -> None:
    write_snapshot(path, [recorded()], "extended")
    write_snapshot(path, [recorded()], "extended")
    assert path.stat().st_mode & 0o777 == 0o444
    assert list(path.parent.iterdir()) == [path]


def test_a_snapshot_that_cannot_be_written_is_a_clear_error(recorded: Callable[..., RecordedFile], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(SnapshotError, match="cannot write snapshot"):
        write_snapshot(tmp_path / "file" / "snapshot.parquet", [recorded()], "extended")


def _damage_digest(path: Path) -> None:
    table = pq.read_table(path)
    column = table.schema.get_field_index("split")
    changed = table.set_column(column, "split", [["elsewhere"]])
    pq.write_table(changed.replace_schema_metadata(table.schema.metadata), path)


def _damage_version(path: Path) -> None:
    table = pq.read_table(path)
    pq.write_table(table.replace_schema_metadata(table.schema.metadata | {b"docgym.version": b"9"}), path)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        pytest.param(lambda path: path.write_bytes(path.read_bytes()[:-100]), "damaged", id="cut off"),
        pytest.param(lambda path: path.write_bytes(b"hello"), "damaged", id="no Parquet"),
        pytest.param(lambda path: path.write_bytes(b""), "damaged", id="empty"),
        pytest.param(lambda path: path.unlink(), "does not exist", id="missing"),
        pytest.param(lambda path: pq.write_table(pq.read_table(path).replace_schema_metadata(None), path), "is no snapshot", id="foreign"),
        pytest.param(_damage_version, "version 9; version 1 is needed", id="another version"),
        pytest.param(_damage_digest, "does not match its digest", id="changed content"),
    ],
)
def test_a_bad_file_is_a_snapshot_error(
    damage: Callable[[Path], object], message: str, recorded: Callable[..., RecordedFile], path: Path
) -> None:
    write_snapshot(path, [recorded()], "extended")
    path.chmod(0o644)
    damage(path)
    with pytest.raises(SnapshotError, match=message):
        Snapshot.load(path)


def test_a_changed_text_is_noticed_when_it_is_read(recorded: Callable[..., RecordedFile], path: Path) -> None:
    file = recorded(texts=True)
    texts = file.texts or ()
    write_snapshot(path, [file.model_copy(update={"texts": ("forged", *texts[1:])})], "extended")
    with pytest.raises(SnapshotError, match="text of good"):
        Snapshot.load(path).result(FILE, "good")


def test_three_hundred_files_load_within_a_second(recorded: Callable[..., RecordedFile], path: Path) -> None:
    base = recorded()
    write_snapshot(path, [base.model_copy(update={"id": f"f{number}"}) for number in range(300)], "extended")
    started = time.process_time()
    assert len(Snapshot.load(path).files) == 300
    assert time.process_time() - started < 1
