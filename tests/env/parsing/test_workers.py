import importlib.util
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import cloudpickle
import psutil
import pytest

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
        wall_seconds=4.0,
        cpu_seconds=2,
        memory_mb=400,
        output_mb=2,
        ocr_wall_seconds=4.0,
        ocr_cpu_seconds=2,
        calls_per_worker=100,
        workers=2,
    )


@pytest.fixture(scope="module")
def workers(limits: LimitsConfig) -> Iterator[Workers]:
    with Workers(limits) as running:
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
    assert result.seconds < 4


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("leave", ErrorKind.EXCEPTION),
        ("give_nothing", ErrorKind.NO_TEXT),
        ("crash", ErrorKind.CRASHED),
        ("hang", ErrorKind.TIMEOUT),
        ("spin", ErrorKind.TIMEOUT),
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


def test_an_error_names_type_and_message_but_no_folder_and_no_address(run: Callable[[str], ToolResult], source: Path) -> None:
    result = run("raise_with_paths")
    assert result.error.startswith("ValueError: cannot parse a.txt in ")
    assert str(source.parent) not in result.error
    assert "7f00deadbeef" not in result.error
    assert len(result.error) <= 300


def test_a_tool_cannot_write_outside_its_scratch_folder(run: Callable[[str], ToolResult], workers: Workers, source: Path) -> None:
    if "files" not in workers.confinement:
        pytest.skip("this kernel cannot confine file writes")
    assert run("write_outside").text == "PermissionError PermissionError PermissionError"
    assert not (source.parent / "planted").exists()


def test_neither_a_tool_nor_its_children_can_open_a_socket(run: Callable[[str], ToolResult], workers: Workers) -> None:
    if "network" not in workers.confinement:
        pytest.skip("this system has no libseccomp")
    assert run("open_sockets").text == "PermissionError, PermissionError, PermissionError, child denied"


def test_children_of_a_hung_tool_are_killed_with_it(run: Callable[[str], ToolResult], workers: Workers) -> None:
    assert run("hang_with_child").error_kind is ErrorKind.TIMEOUT
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and any(
        "time.sleep(60)" in " ".join(p.info["cmdline"] or []) for p in psutil.process_iter(["cmdline"])
    ):
        time.sleep(0.1)
    assert not any("time.sleep(60)" in " ".join(p.info["cmdline"] or []) for p in psutil.process_iter(["cmdline"]))


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
        scratch = workers._scratch
        assert scratch.exists()
    assert not scratch.exists()
    left = {child.pid for child in psutil.Process().children(recursive=True)} - before
    assert not [pid for pid in left if "resource_tracker" not in " ".join(psutil.Process(pid).cmdline())]


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
