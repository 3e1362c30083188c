import re
import subprocess
import sys
from pathlib import Path

import docx
import pytest

README = Path(__file__).parent.parent / "README.md"
TEXT = "The model learns the policy from what it has observed, and the teacher is not asked again."


@pytest.fixture
def examples() -> list[str]:
    """The Python blocks of the README, in order."""
    return re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def test_the_ten_lines_of_the_readme_run_as_they_stand(examples: list[str], tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph(TEXT)
    document.save(str(tmp_path / "report.docx"))
    (tmp_path / "example.py").write_text(examples[0])
    done = subprocess.run([sys.executable, "example.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "format='docx'" in done.stdout
    assert "content_tokens=" in done.stdout
    assert '"tool": "python-docx", "ok": true' in done.stdout
    assert done.stdout.rstrip().endswith(TEXT)


def test_the_gymnasium_example_names_the_registered_id(examples: list[str]) -> None:
    code = re.sub(r"\nparsing = .*", "\nprint('docgym/Parsing-v0' in gymnasium.registry)\n", examples[1], flags=re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_every_command_of_the_readme_exists(examples: list[str]) -> None:
    modules = set(re.findall(r"python -m ((?:env|rollouts)[\w.]*)", README.read_text(encoding="utf-8")))
    assert {"rollouts.parse", "rollouts.teacher", "env.play"} <= modules
    for module in modules:
        assert subprocess.run([sys.executable, "-m", module, "--help"], capture_output=True, check=False).returncode == 0, module
