import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from env.errors import SnapshotError
from env.parsing.cache import IN_MEMORY, ResultCache
from env.parsing.card import FileCard
from env.parsing.inspection import Inspection, Yardstick
from env.parsing.tools.tool import ErrorKind, ToolResult

RESULT = ToolResult(tool="pandoc", version="3", ok=True, text="Größe 中文 \x00", seconds=0.42)
FAILURE = ToolResult(tool="pandoc", version="3", ok=False, error_kind=ErrorKind.TIMEOUT, error="TimeoutError: late")


def test_a_result_comes_back_as_it_was_put(tmp_path: Path) -> None:
    with ResultCache(tmp_path / "deep" / "cache.sqlite") as cache:
        cache.put_result("aa", 0, RESULT)
        assert cache.result("aa", "pandoc", "3", 0) == RESULT
    with ResultCache(tmp_path / "deep" / "cache.sqlite") as cache:
        assert cache.result("aa", "pandoc", "3", 0) == RESULT


def test_file_tool_version_and_attempt_are_the_key() -> None:
    with ResultCache(Path(IN_MEMORY)) as cache:
        cache.put_result("aa", 0, FAILURE)
        cache.put_result("aa", 1, RESULT)
        assert cache.result("aa", "pandoc", "3", 0) == FAILURE
        assert cache.result("aa", "pandoc", "3", 1) == RESULT
        assert cache.result("bb", "pandoc", "3", 0) is None
        assert cache.result("aa", "pypdf", "3", 0) is None
        assert cache.result("aa", "pandoc", "4", 0) is None


def test_an_inspection_belongs_to_the_files_name_too() -> None:
    card = FileCard(name="a.pdf", extension="pdf", format="pdf", mime="x", size_bytes=1, sha256="aa", md5="b")
    inspection = Inspection(version="1", card=card, yardstick=Yardstick(source="none", tokens={}))
    with ResultCache(Path(IN_MEMORY)) as cache:
        cache.put_inspection("aa", "a.pdf", inspection)
        assert cache.inspection("aa", "a.pdf", "1") == inspection
        assert cache.inspection("aa", "a.txt", "1") is None
        assert cache.inspection("aa", "a.pdf", "2") is None


def test_a_file_that_is_no_cache_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "cache.sqlite").write_bytes(b"this is no database" * 100)
    with pytest.raises(SnapshotError, match="move it away"):
        ResultCache(tmp_path / "cache.sqlite")


def test_how_a_result_ended_is_known_without_reading_it() -> None:
    with ResultCache(Path(IN_MEMORY)) as cache:
        cache.put_result("aa", 0, FAILURE)
        cache.put_result("aa", 1, RESULT)
        assert [cache.ending("aa", "pandoc", "3", attempt) for attempt in (0, 1, 2)] == ["timeout", "ok", None]


def test_a_cache_of_another_format_version_is_a_clear_error(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "cache.sqlite")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(SnapshotError, match="format version 99"):
        ResultCache(tmp_path / "cache.sqlite")


def test_a_damaged_value_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    with ResultCache(path) as cache:
        cache.put_result("aa", 0, RESULT)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE results SET value = x'00'")
    connection.commit()
    connection.close()
    with ResultCache(path) as cache, pytest.raises(SnapshotError, match="damaged"):
        cache.result("aa", "pandoc", "3", 0)


def test_a_full_disk_is_a_clear_error_and_keeps_what_was_there(tmp_path: Path) -> None:
    with ResultCache(tmp_path / "cache.sqlite") as cache:
        cache.put_result("aa", 0, RESULT)
        cache._database.execute("PRAGMA max_page_count = 4")
        with pytest.raises(SnapshotError, match="what was recorded before is kept"):
            for number in range(100):
                cache.put_result(f"big{number}", 0, RESULT.model_copy(update={"text": str(list(range(number, number + 3000)))}))
        assert cache.result("aa", "pandoc", "3", 0) == RESULT


WRITER = """
import sys
from pathlib import Path
from env.parsing.cache import ResultCache
from env.parsing.tools.tool import ToolResult
cache = ResultCache(Path(sys.argv[1]))
number = 0
while True:
    cache.put_result(str(number), 0, ToolResult(tool="t", version="1", ok=True, text="x" * 1000))
    print(number, flush=True)
    number += 1
"""


def test_everything_reported_as_put_survives_kill_9(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(0.3)
        writer.kill()
        reported = writer.stdout.read().split()
    with ResultCache(path) as cache:
        assert all(cache.result(number, "t", "1", 0) is not None for number in reported[:-1])
