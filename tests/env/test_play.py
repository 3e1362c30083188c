import io
import json
from pathlib import Path

import pytest

from env import play


def test_short_forms_are_written_out() -> None:
    assert json.loads(play.expand("call pandoc")) == {"thought": "played by hand", "action": "call_tool", "tool": "pandoc"}
    assert json.loads(play.expand("fail no text at all"))["reason"] == "no text at all"
    assert play.expand('{"thought": "t"}') == '{"thought": "t"}'


def test_an_episode_can_be_played_on_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text("The model learns the policy from what it has observed so far.")
    monkeypatch.setattr("sys.stdin", io.StringIO("nonsense\ncall plain-text\nfinish plain-text\n"))
    assert play.main([str(tmp_path / "a.txt")]) == 0
    printed = capsys.readouterr().out
    assert "[system]" in printed
    assert "the last step was invalid" in printed
    assert '"tool": "plain-text", "ok": true' in printed
    assert "ended: finished" in printed


def test_the_end_of_input_stops_the_episode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("The model learns the policy.")
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert play.main([str(tmp_path / "a.txt")]) == 1
