import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from env.errors import CorpusError, SnapshotError
from env.parsing.cache import IN_MEMORY, ResultCache
from env.parsing.config import ParsingConfig
from env.parsing.corpus.manifest import CorpusFile
from env.parsing.fill_cache import fill_cache
from env.parsing.inspection import Inspection, output_version
from env.parsing.pool import Pool, load_pool
from env.parsing.toolbox import Toolbox
from env.parsing.tools.tool import ErrorKind, Tool, ToolResult
from env.parsing.workers import Workers

TEXT = "The model learns the policy from what it has observed so far."


@pytest.fixture(scope="module")
def pool() -> Pool:
    """The two tools of plain text that cost nothing to run."""
    pool = load_pool("source17")
    return replace(pool, tools=tuple(tool for tool in pool.tools if tool.name in {"plain-text", "rot13"}))


class CountingWorkers(Workers):
    """Real workers that remember what they were asked to run."""

    def __init__(self, limits: object) -> None:
        super().__init__(limits)  # type: ignore[arg-type]
        self.asked: list[str] = []
        self.fail_first = False

    def submit(self, tool: Tool, path: Path, inspection: Inspection) -> "Future[ToolResult]":
        self.asked.append(tool.name)
        if self.fail_first and self.asked.count(tool.name) == 1:
            future: Future[ToolResult] = Future()
            future.set_result(
                ToolResult(tool=tool.name, version=output_version(tool), ok=False, error_kind=ErrorKind.TIMEOUT, error="late")
            )
            return future
        return super().submit(tool, path, inspection)


@pytest.fixture
def workers(parsing_config: ParsingConfig) -> Iterator[CountingWorkers]:
    with CountingWorkers(parsing_config.limits) as running:
        yield running


@pytest.fixture
def files(tmp_path: Path) -> list[CorpusFile]:
    (tmp_path / "a.txt").write_text(TEXT)
    (tmp_path / "ref.txt").write_text(TEXT)
    return [CorpusFile(id="a", path=tmp_path / "a.txt", ref=tmp_path / "ref.txt"), CorpusFile(id="b", path=tmp_path / "a.txt")]


def test_outputs_are_run_once_and_then_come_from_the_cache(
    pool: Pool, workers: CountingWorkers, files: list[CorpusFile], tmp_path: Path
) -> None:
    for _ in range(2):
        with ResultCache(tmp_path / "cache.sqlite") as cache:
            toolbox = Toolbox(files, pool, workers, cache)
            assert [tool.name for tool in toolbox.tools("a")] == ["plain-text", "rot13"]
            assert toolbox.result("a", "plain-text").text == TEXT
            assert toolbox.preview("a", "plain-text", 0, 9, 0) == (TEXT[:9], "")
            assert toolbox.f1("a", "plain-text") == 1.0
            assert (toolbox.f1("a", "rot13") or 0) < 0.5
            assert toolbox.f1("b", "plain-text") is None
    assert workers.asked == ["plain-text", "rot13"]


def test_requests_at_the_same_time_run_a_pair_once(pool: Pool, workers: CountingWorkers, files: list[CorpusFile]) -> None:
    with ResultCache(Path(IN_MEMORY)) as cache, ThreadPoolExecutor(8) as threads:
        toolbox = Toolbox(files, pool, workers, cache)
        barrier = threading.Barrier(8)

        def ask(number: int) -> ToolResult:
            barrier.wait()
            return toolbox.result("ab"[number % 2], "rot13")

        assert len(set(threads.map(ask, range(8)))) == 1
    assert workers.asked == ["rot13"]


def test_a_transient_failure_is_scored_by_its_retry(pool: Pool, workers: CountingWorkers, files: list[CorpusFile]) -> None:
    workers.fail_first = True
    with ResultCache(Path(IN_MEMORY)) as cache:
        toolbox = Toolbox(files, pool, workers, cache)
        assert toolbox.f1("a", "plain-text") == 1.0
        assert toolbox.result("a", "plain-text").error_kind is ErrorKind.TIMEOUT
        assert toolbox.result("a", "plain-text", 1).ok


def test_filling_the_cache_runs_every_pair_once_and_a_transient_failure_twice(
    pool: Pool, workers: CountingWorkers, files: list[CorpusFile], tmp_path: Path
) -> None:
    workers.fail_first = True
    with ResultCache(tmp_path / "cache.sqlite") as cache:
        summary = fill_cache(Toolbox(files[:1], pool, workers, cache), files[:1])
        assert (summary.run, summary.cached, summary.retried, dict(summary.failures)) == (4, 0, 2, {"timeout": 2})
        again = fill_cache(Toolbox(files[:1], pool, workers, cache), files[:1])
    assert (again.run, again.cached) == (0, 2)
    assert "2 cached" in str(again)


def test_a_retry_that_a_killed_build_did_not_reach_is_run(
    pool: Pool, workers: CountingWorkers, files: list[CorpusFile], tmp_path: Path
) -> None:
    workers.fail_first = True
    with ResultCache(tmp_path / "cache.sqlite") as cache:
        toolbox = Toolbox(files[:1], pool, workers, cache)
        assert toolbox.result("a", "plain-text").transient
        assert toolbox.result("a", "rot13").transient
        summary = fill_cache(toolbox, files[:1])
        assert (summary.run, summary.retried) == (2, 2)
        assert toolbox.result("a", "plain-text", 1).ok


def test_files_with_the_same_bytes_are_run_once(pool: Pool, workers: CountingWorkers, files: list[CorpusFile]) -> None:
    with ResultCache(Path(IN_MEMORY)) as cache:
        assert fill_cache(Toolbox(files, pool, workers, cache), files).run == 2
    assert sorted(workers.asked) == ["plain-text", "rot13"]


def test_a_result_that_cannot_be_kept_raises_instead_of_being_lost_silently(
    pool: Pool, workers: CountingWorkers, files: list[CorpusFile], tmp_path: Path
) -> None:
    with ResultCache(tmp_path / "cache.sqlite") as cache:
        toolbox = Toolbox(files, pool, workers, cache)
        toolbox.inspection("a")
        cache._database.execute("PRAGMA query_only = 1")
        with pytest.raises(SnapshotError, match="cannot write"):
            toolbox.result("a", "plain-text")


def test_unknown_and_unreadable_files_are_clear_errors(
    pool: Pool, workers: CountingWorkers, files: list[CorpusFile], tmp_path: Path
) -> None:
    with ResultCache(Path(IN_MEMORY)) as cache:
        toolbox = Toolbox([CorpusFile(id="gone", path=tmp_path / "gone.txt")], pool, workers, cache)
        with pytest.raises(CorpusError, match="no file 'x'"):
            toolbox.inspection("x")
        with pytest.raises(CorpusError, match="cannot read"):
            toolbox.inspection("gone")
