"""Tools that misbehave in every way a parser can, for the tests of the workers. Imported by name inside worker processes."""

import ctypes
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from env.parsing.tools.tool import Tool, ToolInput, ToolSpec


def read(source: ToolInput) -> str:
    return source.path.read_text()


def raise_with_paths(source: ToolInput) -> str:
    raise ValueError(f"cannot parse {source.path} in {source.scratch} at 0x7f00deadbeef " + "x" * 1000)


def leave(source: ToolInput) -> str:
    sys.exit(3)


def give_nothing(source: ToolInput) -> str:
    return " \n"


def panic(source: ToolInput) -> str:
    class PanicException(BaseException):
        pass

    raise PanicException("as Rust libraries raise it")


def leave_child_behind(source: ToolInput) -> str:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(61)"])
    child.returncode = 0  # nobody waits for it
    return "done"


def escape_group(source: ToolInput) -> str:
    try:
        subprocess.run(["/bin/true"], start_new_session=True, check=False)
    except PermissionError:
        return "denied"
    return "escaped"


def name_temporary_files(source: ToolInput) -> str:
    raise OSError(f"cannot open {tempfile.mkdtemp()}")


def use_temporary_folder(source: ToolInput) -> str:
    inside = Path(tempfile.mkdtemp()).is_relative_to(source.scratch)
    child = subprocess.run(["/bin/sh", "-c", "echo $TMPDIR"], capture_output=True, text=True, check=True).stdout.strip()
    return f"{inside} {child == str(source.scratch)}"


def crash(source: ToolInput) -> str:
    os.abort()


def hang(source: ToolInput) -> str:
    ctypes.CDLL(None).sleep(60)
    return "late"


def hang_with_child(source: ToolInput) -> str:
    subprocess.run([sys.executable, "-c", "import time; time.sleep(60)"], check=False)
    return "late"


def spin(source: ToolInput) -> str:
    while True:
        pass


def eat_memory(source: ToolInput) -> str:
    blocks = []
    while True:
        blocks.append(bytearray(50_000_000))


def write_outside(source: ToolInput) -> str:
    outcomes = []
    for path in (source.path.parent / "planted", Path("/dev/shm/docgym-planted"), Path.home() / ".docgym-planted"):
        try:
            path.write_text("x")
            outcomes.append("written")
        except OSError as error:
            outcomes.append(type(error).__name__)
    (source.scratch / "inside").write_text("x")
    return " ".join(outcomes)


def open_sockets(source: ToolInput) -> str:
    outcomes = []
    for family, kind in [(socket.AF_INET, socket.SOCK_STREAM), (socket.AF_INET, socket.SOCK_DGRAM), (socket.AF_UNIX, socket.SOCK_STREAM)]:
        try:
            socket.socket(family, kind)
            outcomes.append("opened")
        except OSError as error:
            outcomes.append(type(error).__name__)
    command = [sys.executable, "-c", "import socket; socket.socket()"]
    outcomes.append("child opened" if subprocess.run(command, capture_output=True, check=False).returncode == 0 else "child denied")
    return ", ".join(outcomes)


def write_much(source: ToolInput) -> str:
    with (source.scratch / "big").open("wb") as stream:
        for _ in range(100):
            stream.write(b"x" * 1_000_000)
    return "written"


def say_much(source: ToolInput) -> str:
    return "word " * 1_000_000


def print_and_return_surrogate(source: ToolInput) -> str:
    print("noise")  # noqa: T201
    return "text \ud800 end"


def use_process_id(source: ToolInput) -> str:
    return f"process {os.getpid()}"


def make_tool(name: str, extract: Callable[[ToolInput], str], family: str = "hostile") -> Tool:
    spec = ToolSpec(name=name, description=name, description_zh=name, lossless=True)
    return Tool(spec, frozenset({"txt"}), family, extract, version=lambda: "1", missing=lambda: None)
