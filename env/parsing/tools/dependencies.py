"""Cheap facts about what a tool depends on; nothing here imports a parser."""

import functools
import importlib.util
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version


def versions(adapter: int, *distributions: str) -> Callable[[], str]:
    """Make the version function of a tool: its adapter's own number and every distribution that decides its output.

    Args:
        adapter: Number to raise by hand when the adapter's code changes what comes out.
        distributions: Names as on PyPI. With none the standard library decides, so the Python version is named instead.
    """

    @functools.cache
    def describe() -> str:
        parts = [f"{name} {_installed(name)}" for name in distributions] or [f"python {sys.version_info[0]}.{sys.version_info[1]}"]
        return ", ".join([f"adapter {adapter}", *parts])

    return describe


def requires(*modules: str) -> Callable[[], str | None]:
    """Make the `missing` function of a tool that needs these top-level modules."""

    @functools.cache
    def find_missing() -> str | None:
        absent = [module for module in modules if importlib.util.find_spec(module) is None]
        return f"Python package not installed: {', '.join(absent)}" if absent else None

    return find_missing


def _installed(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "absent"
