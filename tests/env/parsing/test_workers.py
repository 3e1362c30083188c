import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import ModuleType

import cloudpickle
import psutil
import pytest

from env.errors import WorkerError
from env.parsing.card import FileCard
from env.parsing.config import LimitsConfig, ParsingConfig
from env.parsing.inspection import Inspection, Yardstick
from env.parsing.tools.tool import ErrorKind, ToolResult
from env.parsing.workers import Workers

TEXT = "The model learns the policy from the observations."


def load_hostile_tools() -> ModuleType:
    """Test modules are in no package that a worker could import: their functions travel by value."""
    spec = importlib.util.spec_from_file_location("hostile_tools", Path(__file__).with_name("hostile_tools.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["hostile_tools"] = module
    spec.loader.exec_module(module)
    cloudpickle.register_pickle_by_value(module)
    return module


hostile = load_hostile_tools()


@pytest.fixture(scope="module")
def limits() -> LimitsConfig:
    return LimitsConfig(
        wall_seconds=60.0,
        cpu_seconds=60,
        memory_mb=400,
        output_mb=2,
        ocr_wall_seconds=60.0,
        ocr_cpu_seconds=60,
        calls_per_worker=100,
        workers=2,
    )


@pytest.fixture(scope="module")
def workers(limits: LimitsConfig) -> Iterator[Workers]:
    with Workers(limits) as running:
        yield running


@pytest.fixture
def hasty(limits: LimitsConfig) -> Iterator[Workers]:
    """Workers that give a call two seconds."""
    with Workers(limits.model_copy(update={"wall_seconds": 2.0})) as running:
        yield running


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_text(TEXT)
    return path


def inspection_of(path: Path) -> Inspection:
    card = FileCard(
        name=path.name, extension="txt", format="txt", mime="text/plain", size_bytes=1, sha256="0" * 64, md5="0" * 32, encoding="utf-8"
    )
    return Inspection(version="1", card=card, yardstick=Yardstick(source="text", tokens={"model": 1, "policy": 1}))


@pytest.fixture
def run(workers: Workers, source: Path) -> Callable[[str], ToolResult]:
    """Runs a hostile tool by the name of its function."""

    def run_tool(name: str, family: str = "hostile") -> ToolResult:
        tool = hostile.make_tool(name, getattr(hostile, name), family)
        return workers.submit(tool, source, inspection_of(source)).result(timeout=60)

    return run_tool


def test_a_good_call_gives_text_quality_coverage_and_time(run: Callable[[str], ToolResult]) -> None:
    result = run("read")
    assert (result.ok, result.text) == (True, TEXT)
    assert result.quality is not None
    assert result.quality.coverage == 1.0
    assert result.seconds < 60


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("leave", ErrorKind.EXCEPTION),
        ("give_nothing", ErrorKind.NO_TEXT),
        ("panic", ErrorKind.EXCEPTION),
        ("crash", ErrorKind.CRASHED),
        ("eat_memory", ErrorKind.OUT_OF_MEMORY),
        ("write_much", ErrorKind.EXCEPTION),
        ("say_much", ErrorKind.EXCEPTION),
    ],
)
def test_whatever_a_tool_does_the_parent_gets_a_typed_result(run: Callable[[str], ToolResult], name: str, kind: ErrorKind) -> None:
    result = run(name)
    assert (result.ok, result.error_kind, result.text) == (False, kind, "")
    assert result.error
    assert run("read").ok


def test_a_hang_in_native_code_ends_at_the_wall_limit(hasty: Workers, source: Path) -> None:
    result = hasty.submit(hostile.make_tool("hang", hostile.hang), source, inspection_of(source)).result()
    assert (result.error_kind, result.seconds) == (ErrorKind.TIMEOUT, 2.0)
    assert hasty.submit(hostile.make_tool("read", hostile.read), source, inspection_of(source)).result().ok


def test_a_busy_loop_ends_at_the_cpu_limit(limits: LimitsConfig, source: Path) -> None:
    with Workers(limits.model_copy(update={"cpu_seconds": 1})) as workers:
        result = workers.submit(hostile.make_tool("spin", hostile.spin), source, inspection_of(source)).result()
    assert result.error_kind is ErrorKind.TIMEOUT
    assert "CPU" in result.error


def test_a_family_goes_on_when_its_idle_processes_die(limits: LimitsConfig, source: Path) -> None:
    """As when the kernel picks them for lack of memory: pebble gives the whole pool up then."""
    pid, read = hostile.make_tool("pid", hostile.use_process_id), hostile.make_tool("read", hostile.read)
    with Workers(limits.model_copy(update={"workers": 1})) as workers:
        text = workers.submit(pid, source, inspection_of(source)).result().text
        os.kill(int(text.removeprefix("process ")), signal.SIGKILL)
        time.sleep(0.5)
        assert [workers.submit(read, source, inspection_of(source)).result().ok for _ in range(2)] == [True, True]


def test_an_error_names_type_and_message_but_no_folder_and_no_address(run: Callable[[str], ToolResult], source: Path) -> None:
    result = run("raise_with_paths")
    assert result.error.startswith("ValueError: cannot parse a.txt in ")
    assert str(source.parent) not in result.error
    assert "7f00deadbeef" not in result.error
    assert len(result.error) <= 300
    assert run("name_temporary_files").error == "OSError: cannot open …"


def test_temporary_files_of_a_tool_and_its_children_go_to_the_calls_scratch_folder(run: Callable[[str], ToolResult]) -> None:
    assert run("use_temporary_folder").text == "True True"


def test_a_tool_cannot_write_outside_its_scratch_folder(run: Callable[[str], ToolResult], workers: Workers, source: Path) -> None:
    if "files" not in workers.confinement:
        pytest.skip("this kernel cannot confine file writes")
    assert run("write_outside").text == "PermissionError PermissionError PermissionError"
    assert not (source.parent / "planted").exists()


def test_neither_a_tool_nor_its_children_can_open_a_socket(run: Callable[[str], ToolResult], workers: Workers) -> None:
    if "network" not in workers.confinement:
        pytest.skip("this system has no libseccomp")
    assert run("open_sockets").text == "PermissionError, PermissionError, PermissionError, child denied"


def processes_sleeping(seconds: int) -> list[int]:
    command = f"import time; time.sleep({seconds})"
    return [process.pid for process in psutil.process_iter(["cmdline"]) if command in (process.info["cmdline"] or [])]


def wait_until(done: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 20
    while not done() and time.monotonic() < deadline:
        time.sleep(0.05)
    return done()


def test_children_of_a_hung_tool_are_killed_with_it(hasty: Workers, source: Path) -> None:
    tool = hostile.make_tool("hang_with_child", hostile.hang_with_child)
    assert hasty.submit(tool, source, inspection_of(source)).result().error_kind is ErrorKind.TIMEOUT
    assert wait_until(lambda: not processes_sleeping(60))


def test_what_a_tool_left_running_ends_with_its_worker(limits: LimitsConfig, source: Path) -> None:
    with Workers(limits) as workers:
        tool = hostile.make_tool("leave_child_behind", hostile.leave_child_behind)
        assert workers.submit(tool, source, inspection_of(source)).result().ok
        assert processes_sleeping(61)
    assert wait_until(lambda: not processes_sleeping(61))


def test_a_child_cannot_leave_the_group_it_is_killed_with(run: Callable[[str], ToolResult], workers: Workers) -> None:
    if "network" not in workers.confinement:
        pytest.skip("this system has no libseccomp")
    assert run("escape_group").text == "denied"


def test_closing_cancels_what_is_running_at_once(limits: LimitsConfig, source: Path) -> None:
    with Workers(limits) as workers:
        call = workers.submit(hostile.make_tool("hang_with_child", hostile.hang_with_child), source, inspection_of(source))
        assert wait_until(lambda: bool(processes_sleeping(60)))
        started = time.monotonic()
    assert time.monotonic() - started < 10
    with pytest.raises(CancelledError):
        call.result(timeout=10)
    assert wait_until(lambda: not processes_sleeping(60))


PROGRAM = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import test_workers as t
if __name__ == "__main__":
    workers = t.Workers(t.LimitsConfig.model_validate_json(sys.argv[2]))
    print(workers._folder, flush=True)
    source = Path(sys.argv[3])
    workers.submit(t.hostile.make_tool("hang", t.hostile.hang_with_child), source, t.inspection_of(source)).result()
"""


def test_a_killed_program_leaves_neither_processes_nor_files(limits: LimitsConfig, source: Path, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, tmp_path / "program.py", Path(__file__).parent, limits.model_dump_json(), source]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        folder = Path(program.stdout.readline().strip())
        assert wait_until(lambda: bool(processes_sleeping(60)))
        assert folder.exists()
        program.kill()
    assert wait_until(lambda: not processes_sleeping(60) and not folder.exists())


def test_noise_of_a_tool_stays_away_and_lone_surrogates_are_replaced(
    run: Callable[[str], ToolResult], capfd: pytest.CaptureFixture[str]
) -> None:
    assert run("print_and_return_surrogate").text == "text ? end"
    assert "noise" not in capfd.readouterr().out


def test_one_process_serves_many_calls(run: Callable[[str], ToolResult]) -> None:
    assert len({run("use_process_id", "alone").text for _ in range(6)}) <= 2  # type: ignore[call-arg]


def test_a_worker_is_replaced_after_its_calls(limits: LimitsConfig, source: Path) -> None:
    tool = hostile.make_tool("pid", hostile.use_process_id)
    with Workers(limits.model_copy(update={"calls_per_worker": 1, "workers": 1})) as workers:
        texts = {workers.submit(tool, source, inspection_of(source)).result().text for _ in range(3)}
    assert len(texts) == 3


def test_nothing_is_left_behind_after_closing(limits: LimitsConfig, source: Path) -> None:
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    with Workers(limits) as workers:
        workers.submit(hostile.make_tool("read", hostile.read), source, inspection_of(source)).result()
        folder = workers._folder
        assert list(workers._scratch.iterdir()) == []
    assert not folder.exists()
    left = [child for child in psutil.Process().children(recursive=True) if child.pid not in before]
    # multiprocessing's own two processes stay until the program ends
    assert [
        child for child in left if not {"resource_tracker", "forkserver"} & set(" ".join(child.cmdline()).replace(".", " ").split())
    ] == []


def test_an_inspection_that_is_cut_off_refuses_the_file(limits: LimitsConfig, source: Path) -> None:
    with Workers(limits.model_copy(update={"wall_seconds": 0.000001})) as workers:
        source.write_text(TEXT * 100_000)
        inspection = workers.submit_inspection(source, "a.txt").result()
    assert inspection.card.refusal is not None
    assert "no result within" in inspection.card.refusal
    assert inspection.card.size_bytes == source.stat().st_size


def test_workers_that_cannot_start_are_an_error_and_no_property_of_the_file(limits: LimitsConfig, source: Path) -> None:
    with Workers(limits) as workers:
        workers._groups.rmdir()  # where a starting worker has to sign in
        with pytest.raises(WorkerError, match="cannot be started"):
            workers.submit_inspection(source, "a.txt").result(timeout=60)


def test_closing_removes_everything_even_when_nothing_could_be_started(
    limits: LimitsConfig, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(process: BaseProcess) -> None:
        raise ConnectionResetError("the fork server is gone")

    monkeypatch.setattr("env.parsing.workers._PROCESSES.Process.start", refuse)
    with Workers(limits) as workers:
        with pytest.raises(WorkerError, match="cannot be started"):
            workers.submit_inspection(source, "a.txt").result(timeout=60)
        folder = workers._folder
    assert not folder.exists()


def test_a_file_can_be_inspected_in_a_worker(workers: Workers, source: Path) -> None:
    inspection = workers.submit_inspection(source, "a.txt").result()
    assert (inspection.card.format, inspection.card.size_bytes) == ("txt", len(TEXT))
    assert inspection.yardstick.tokens["model"] == 1


def test_html_reaches_the_tool_in_utf8_with_placeholders(workers: Workers, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_bytes('<p>Größe <math alttext="x^2"><mi>x</mi></math></p>'.encode("latin-1"))
    inspection = inspection_of(page)
    card = inspection.card.model_copy(update={"format": "html", "encoding": "latin-1"})
    tool = hostile.make_tool("read", hostile.read)
    result = workers.submit(tool, page, inspection.model_copy(update={"card": card})).result()
    assert result.text == "<p>Größe ⟦F1⟧</p>"


def test_a_missing_file_is_the_calls_fault_not_the_programs(workers: Workers, tmp_path: Path) -> None:
    result = workers.submit(hostile.make_tool("read", hostile.read), tmp_path / "gone", inspection_of(tmp_path / "gone")).result()
    assert result.error_kind is ErrorKind.EXCEPTION
    assert os.fspath(tmp_path) not in result.error


def test_the_shipped_limits_are_sane(parsing_config: ParsingConfig) -> None:
    assert parsing_config.limits.ocr_wall_seconds > parsing_config.limits.wall_seconds
