"""Takes from a worker process what a parser does not need: writing outside its scratch folder, and the network.

File writes: Landlock through `sandlock`. Sockets of every kind: seccomp through `pyseccomp`. Both work without root and are inherited by
child processes such as pandoc and tesseract. Why these: `docs/decisions/0002-worker-sandbox.md`.
"""

import errno
import importlib.util
from pathlib import Path

try:
    import pyseccomp
except (ImportError, RuntimeError):  # not installed, or the system has no libseccomp
    pyseccomp = None

NONE = "none"
_DENIED_CALLS = ("socket", "io_uring_setup", "setsid", "setpgid")
"""`io_uring` opens sockets past any filter; a process that leaves its group would outlive the worker that started it."""


def available_confinement() -> str:
    """What this machine can enforce: `files+network`, `files`, `network` or `none`."""
    kinds = [kind for kind, there in (("files", _landlock_available()), ("network", pyseccomp is not None)) if there]
    return "+".join(kinds) or NONE


def confine_process(writable: Path) -> None:
    """Confine the calling process for good, as far as the machine can.

    Args:
        writable: the only folder in which files may be written from now on.
    """
    if _landlock_available():
        import sandlock  # noqa: PLC0415 - loads a native library that only workers need

        sandlock.confine(sandlock.Sandbox(fs_readable=["/"], fs_writable=[str(writable), "/dev/null"]))
    if pyseccomp is not None:
        rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
        for call in _DENIED_CALLS:
            rules.add_rule(pyseccomp.ERRNO(errno.EPERM), call)
        rules.load()


def _landlock_available() -> bool:
    if importlib.util.find_spec("sandlock") is None:
        return False
    import sandlock  # noqa: PLC0415 - as above

    return bool(sandlock.landlock_abi_version() >= sandlock.min_landlock_abi())
