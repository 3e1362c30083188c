"""Run folders in, `report.json` and `report.md` out: the work behind `rollouts.report` and the end of every run."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from env.errors import RunFolderError
from rollouts.comparison import build_report
from rollouts.report_tables import render_overview, render_report
from rollouts.run_folder import RunFolder, write_json
from rollouts.summary import FileScore, score_files
from rollouts.trajectory_file import last_records


@dataclass(frozen=True, slots=True)
class PlayedRun:
    """A run folder, read."""

    folder: Path
    policy: str
    snapshots: frozenset[str]
    files: list[FileScore]


def report_runs(folders: Sequence[Path], out: Path | None = None, base: str | None = None) -> str:
    """Build the report of some runs; returns the overall tables as text.

    Args:
        folders: run folders.
        out: where `report.json` and `report.md` go; None writes nothing.
        base: policy or folder name of the run that the others are compared with; the first one by default.

    Raises:
        RunFolderError: a folder holds no trajectories or damaged ones, no run is called `base`, `out` cannot be written.
    """
    runs = [_read_run(folder) for folder in folders]
    names = _name_runs(runs)
    report = build_report(
        dict(zip(names, [run.files for run in runs], strict=True)),
        base=names[_find_base(runs, names, base)],
        warnings=_doubts(runs, names),
    )
    if out is not None:
        try:
            out.mkdir(parents=True, exist_ok=True)
            write_json(out / "report.json", report.model_dump(mode="json"))
            (out / "report.md").write_text(render_report(report), encoding="utf-8")
        except OSError as error:
            raise RunFolderError(f"cannot write the report into {out}: {error.strerror}") from error
    return render_overview(report)


def _read_run(folder: Path) -> PlayedRun:
    path = RunFolder(folder).trajectories
    if not path.is_file():
        raise RunFolderError(f"{folder} is no run folder: it has no {path.name}")
    records = list(last_records(path).values())
    if not records:
        raise RunFolderError(f"{path} holds no episode yet; run the command that made {folder} again to go on")
    snapshots = frozenset(record.snapshot for record in records)
    return PlayedRun(folder, records[-1].policy, snapshots, score_files(records))


def _name_runs(runs: Sequence[PlayedRun]) -> list[str]:
    """The policy's name, with the folder where two runs share it."""
    shared = Counter(run.policy for run in runs)
    names = [run.policy if shared[run.policy] == 1 else f"{run.policy} ({run.folder.name})" for run in runs]
    return names if len(set(names)) == len(names) else [str(run.folder) for run in runs]


def _find_base(runs: Sequence[PlayedRun], names: Sequence[str], base: str | None) -> int:
    if base is None:
        return 0
    for position, (run, name) in enumerate(zip(runs, names, strict=True)):
        if base in {name, run.policy, run.folder.name}:
            return position
    raise RunFolderError(f"no run is called {base!r}; there are {', '.join(names)}")


def _doubts(runs: Sequence[PlayedRun], names: Sequence[str]) -> tuple[str, ...]:
    """Why comparing these runs may be unfair."""
    found = []
    if len(frozenset().union(*(run.snapshots for run in runs))) > 1:
        found.append("these episodes were not all played on the same snapshot of tool outputs.")
    tasks = [{file.task for file in run.files} for run in runs]
    for name, own in zip(names, tasks, strict=True):
        if missing := len(set().union(*tasks) - own):
            found.append(f"{name} lacks {missing} files that another run has; comparisons use the common ones, averages do not.")
    return tuple(found)
