import json
import subprocess
import sys
from pathlib import Path

import pytest

from env.episode import Ending
from rollouts import parse

TEXT = "The model learns the policy from what it has observed, and the teacher is not asked again."


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "in" / "a.txt"
    path.parent.mkdir()
    path.write_text(TEXT)
    return path


def test_the_text_of_one_file_goes_to_stdout(document: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert parse.main([str(document)]) == 0
    assert capsys.readouterr().out == TEXT + "\n"


def test_json_holds_everything_that_is_handed_on(document: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert parse.main([str(document), "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert set(row) == {"file", "text", "tool", "quality", "warnings", "formulas", "ending", "detail", "trace"}
    assert (row["text"], row["ending"]) == (TEXT, "finished")
    assert [message["role"] for message in row["trace"]] == ["system", "user", "assistant", "user", "assistant"]


def test_formulas_of_a_page_come_out_as_latex(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prose = "The distance between the two points is what we have been asked to find in this part of the course. " * 5
    page = f'<html><body><article><p>{prose}</p><p>It is <math alttext="x^2+y^2"><mi>x</mi></math> squared.</p></article></body></html>'
    (tmp_path / "page.html").write_text(page)
    assert parse.main([str(tmp_path / "page.html"), "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert row["formulas"] == ["x^2+y^2"]
    assert "x^2+y^2" in row["text"]
    assert "⟦" not in row["text"]


def test_several_texts_are_told_apart(document: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (document.parent / "b.txt").write_text("Another one of the same kind, so that there are two of them.")
    assert parse.main([str(document.parent)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("==> a.txt <==\n")
    assert "==> b.txt <==\nAnother" in printed


def test_a_folder_is_parsed_into_a_folder_and_finished_files_are_skipped(document: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert parse.main([str(document.parent), "--out", str(out)]) == 0
    assert (out / "a.txt.txt").read_text() == TEXT
    (out / "a.txt.txt").write_text("kept")
    assert parse.main([str(document.parent), "--out", str(out)]) == 0
    assert (out / "a.txt.txt").read_text() == "kept"


def test_a_file_without_text_is_said_on_stderr_and_in_the_exit_code(document: Path, capsys: pytest.CaptureFixture[str]) -> None:
    digest = document.parent / "sum.txt"
    digest.write_text("d41d8cd98f00b204e9800998ecf8427e")
    assert parse.main([str(document), str(digest)]) == 1
    captured = capsys.readouterr()
    assert TEXT in captured.out
    assert "sum.txt: no text: intercepted" in captured.err


def test_exit_codes_tell_faults_of_files_from_faults_outside() -> None:
    assert parse.exit_code([Ending.FINISHED, Ending.RULE_FALLBACK]) == 0
    assert parse.exit_code([Ending.FINISHED, Ending.INTERCEPTED]) == 1
    assert parse.exit_code([Ending.FAILED, Ending.PROVIDER_ERROR]) == 3


def run_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "rollouts.parse", *arguments], capture_output=True, text=True, check=False)


def test_a_missing_file_is_one_sentence_and_exit_code_2(tmp_path: Path) -> None:
    done = run_command(str(tmp_path / "gone.pdf"))
    assert done.returncode == 2
    assert done.stderr == f"error: {tmp_path}/gone.pdf does not exist\n"


HEAVY = {"scipy", "pyarrow", "openai", "pebble", "pymupdf"}
RUN_HELP = """
import runpy, sys
try:
    runpy.run_module(sys.argv[1], run_name="__main__")
except SystemExit as end:
    print("code", end.code)
print(sorted(set(sys.modules) & {heavy}))
"""


@pytest.mark.parametrize(
    "module",
    [
        "rollouts.parse",
        "rollouts.teacher",
        "rollouts.evaluate",
        "rollouts.report",
        "env.play",
        "env.parsing.build_cache",
        "env.parsing.freeze",
    ],
)
def test_help_loads_nothing_heavy(module: str) -> None:
    command = [sys.executable, "-c", RUN_HELP.format(heavy=HEAVY), module, "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "code 0\n[]" in done.stdout
    assert "python -m" in done.stdout
