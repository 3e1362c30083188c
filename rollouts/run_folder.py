"""A run folder explains itself: `config.json`, `meta.json`, `trajectories.jsonl`, `report.json`, `report.md`, `run.log`.

Same configuration → the run is resumed; another one → refused with the difference named.
"""

import importlib.metadata
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from env.errors import RunFolderError

Json = dict[str, Any]

DOES_NOT_CHANGE_RESULTS = frozenset({"out", "concurrency", "give_up_after"})
"""Keys of a run's configuration that may differ when it is resumed."""
_PACKAGES = ("docgym", "pydantic", "gymnasium", "openai", "google-genai")


class RunFolder:
    """One run on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def trajectories(self) -> Path:
        """The append-only trajectory file."""
        return self.path / "trajectories.jsonl"

    @property
    def log(self) -> Path:
        """Log of the run."""
        return self.path / "run.log"

    def open(self, config: Json, meta: Json) -> None:
        """Create the folder, or check that it belongs to this configuration.

        Raises:
            RunFolderError: it holds a run of another configuration, or cannot be written.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            recorded = self.path / "config.json"
            if recorded.exists():
                self._check(json.loads(recorded.read_text(encoding="utf-8")), config)
            else:
                write_json(recorded, config)
            write_json(self.path / "meta.json", meta)
        except (OSError, ValueError) as error:
            raise RunFolderError(f"run folder {self.path} cannot be used: {error}") from error

    def _check(self, recorded: Json, config: Json) -> None:
        differences = [
            f"{key}: {old!r} there, {new!r} now"
            for key, old, new in _compare(recorded, config)
            if key.split(".")[0] not in DOES_NOT_CHANGE_RESULTS
        ]
        if differences:
            raise RunFolderError(
                f"run folder {self.path} belongs to another configuration ({'; '.join(differences)}); choose another folder with out=…"
            )


def write_json(path: Path, content: Json) -> None:
    """Write a JSON file whole or not at all."""
    temporary = path.with_suffix(path.suffix + ".tmp")
    temporary.write_text(json.dumps(content, indent=2, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    temporary.replace(path)


def describe_program() -> Json:
    """Commit and package versions for `meta.json`."""
    return {"commit": _commit(), "packages": {name: importlib.metadata.version(name) for name in _PACKAGES}}


def _commit() -> str | None:
    """Commit of the checkout that the program runs from; None when installed without one."""
    source = Path(__file__).parent.parent
    if not (source / ".git").exists():
        return None
    command = ["git", "-C", os.fspath(source), "describe", "--always", "--dirty", "--abbrev=40"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603 - fixed command
    except (OSError, subprocess.CalledProcessError):
        return None


def _compare(old: Json, new: Json, prefix: str = "") -> Iterator[tuple[str, Any, Any]]:
    for key in sorted(old.keys() | new.keys()):
        before, after = old.get(key), new.get(key)
        if isinstance(before, dict) and isinstance(after, dict):
            yield from _compare(before, after, f"{prefix}{key}.")
        elif before != after:
            yield f"{prefix}{key}", before, after
