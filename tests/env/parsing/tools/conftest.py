import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typst

from env.parsing.tools.tool import ToolInput

PDF_SOURCE = """
= Glaciers of the north
The meltwater gathers in shallow basins before it reaches the sea.
#table(columns: 2, [station], [thickness], [Aurora], [412], [Borealis], [387])
#pagebreak()
Second page: moraines remain behind.
"""

MakeInput = Callable[..., ToolInput]


@pytest.fixture
def make_input(tmp_path: Path) -> MakeInput:
    """Builds what a worker hands to a tool, from bytes or an existing file."""

    def make(content: bytes | Path, file_format: str, encoding: str | None = None) -> ToolInput:
        path = content if isinstance(content, Path) else tmp_path / f"file.{file_format}"
        if isinstance(content, bytes):
            path.write_bytes(content)
        scratch = tmp_path / "scratch"
        scratch.mkdir(exist_ok=True)
        return ToolInput(path=path, format=file_format, encoding=encoding, scratch=scratch)

    return make


@pytest.fixture(scope="session")
def pdf_bytes() -> bytes:
    return typst.compile(PDF_SOURCE.encode())


@pytest.fixture
def extract_alone() -> Callable[[str, str, ToolInput], str]:
    """Runs a tool in a process of its own, as its worker does: pymupdf masks modules that pymupdf4llm needs."""

    def extract(module: str, constant: str, source: ToolInput) -> str:
        code = (
            "import sys; from pathlib import Path; from env.parsing.tools.tool import ToolInput\n"
            f"from env.parsing.tools.{module} import {constant} as tool\n"
            "text = tool.extract(ToolInput(Path(sys.argv[1]), sys.argv[2], None, Path(sys.argv[3])))\n"
            "sys.stdout.buffer.write(text.encode())"
        )
        command = [sys.executable, "-c", code, str(source.path), source.format, str(source.scratch)]
        result = subprocess.run(command, capture_output=True, check=False)
        if result.returncode:
            raise RuntimeError(result.stderr.decode())
        return result.stdout.decode()

    return extract
