import sys
from collections.abc import Callable, Sequence

import pytest

from env.command_line import run_command
from env.errors import ConfigError, CorpusError


def run(main: Callable[[Sequence[str]], int], monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", ["program", "argument"])
    with pytest.raises(SystemExit) as end:
        run_command(main)
    assert isinstance(end.value.code, int)
    return end.value.code


def raising(error: BaseException) -> Callable[[Sequence[str]], int]:
    def main(argv: Sequence[str]) -> int:
        raise error

    return main


def test_the_code_of_the_command_is_the_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(lambda argv: len(argv) + 4, monkeypatch) == 5


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (CorpusError("no such corpus"), 2, "error: no such corpus\n"),
        (ConfigError("unknown key x"), 2, "error: unknown key x\n"),
        (KeyboardInterrupt(), 130, "run the same command again"),
        (BrokenPipeError(), 0, ""),
    ],
)
def test_what_a_user_can_mend_is_one_sentence(
    error: BaseException, code: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(raising(error), monkeypatch) == code
    assert said in capsys.readouterr().err


def test_a_bug_shows_where_it_happened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["program"])
    with pytest.raises(ZeroDivisionError):
        run_command(lambda argv: 1 // 0)
