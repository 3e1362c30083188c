"""What hostile files can do: `named_ends` (1 is right), `parent_deaths` and `over_limit` (0 is right).

    make bench-nasty NASTY=folder

Every file goes through inspection, every usable tool and an episode of the `heuristic` policy. This happens in a program of its own whose
home, temporary and working folders are empty, so that its death, a file written there or beside the corpus, and a process left behind show.
A folder may have a manifest, or lie in a corpus that has one (then its files of split `nasty` are taken), or be any folder of files.
"""

import asyncio
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil

from configs.load import load_config
from env.parsing.corpus.manifest import MANIFEST, CorpusFile, load_corpus
from env.parsing.environment import ParsingGame
from env.parsing.open_game import open_files
from env.parsing.toolbox import Toolbox
from env.parsing.tools.tool import Tool
from env.parsing.workers import OCR_FAMILY, available_cores
from rollouts.parse_files import ParseConfig
from rollouts.policies.choose import make_policy
from rollouts.run_episode import EpisodeSettings, run_episode

GRACE_S = 10.0
"""A call may end so much after its wall limit: starting and ending processes on a busy machine."""
_INSIDE = "--inside"
_PR_SET_CHILD_SUBREAPER = 36


def main(argv: Sequence[str]) -> None:
    """Run the program apart and print what it did."""
    if argv[:1] == [_INSIDE]:
        run_inside(Path(argv[1]), argv[2:])
        return
    if not argv:
        raise SystemExit("usage: make bench-nasty NASTY=folder")
    folder = Path(argv[0]).resolve()
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)  # what the program leaves behind becomes our child
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as private:
        places = {name: Path(private, name) for name in ("HOME", "TMPDIR", "PWD")}
        for place in places.values():
            place.mkdir()
        before = list_files(folder) | list_files(Path(private))
        root = str(Path(__file__).resolve().parent.parent)
        surroundings = (
            os.environ | {name: str(place) for name, place in places.items()} | {"PYTHONPATH": root, "PYTHONDONTWRITEBYTECODE": "1"}
        )
        command = [sys.executable, "-m", "benchmarks.nasty", _INSIDE, str(folder), *argv[1:]]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, env=surroundings, cwd=places["PWD"])  # noqa: S603
        written = sorted((list_files(folder) | list_files(Path(private))).items() ^ before.items())
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    print("\n".join(report(rows, len(choose_files(folder)), done.returncode)))
    print(f"written_outside {len(written)}")
    print(f"processes_left {len(end_leftovers())}")
    print(f"seconds {time.perf_counter() - started:.0f}")
    for path, _ in written:
        print(f"written: {path}", file=sys.stderr)


def report(rows: Sequence[dict[str, Any]], files: int, exit_code: int) -> list[str]:
    """Lines `name value`; a file of which nothing was heard has no named end."""
    return [
        f"named_ends {sum(bool(row['ending']) for row in rows) / files:.3f}",
        f"parent_deaths {int(exit_code != 0)}",
        f"over_limit {sum(row['over_limit'] for row in rows)}",
        f"files {files}",
        f"calls {sum(len(row['calls']) for row in rows)}",
        *(f"ended_{name} {count}" for name, count in count_values(row["ending"] for row in rows)),
        *(f"calls_{name} {count}" for name, count in count_values(kind for row in rows for kind in row["calls"].values())),
        f"largest_worker_mb {max((row['largest_worker_mb'] for row in rows), default=0)}",
    ]


def count_values(values: Any) -> list[tuple[str, int]]:
    """How often each value occurs, sorted by value."""
    listed = list(values)
    return [(value, listed.count(value)) for value in sorted(set(listed))]


def list_files(folder: Path) -> dict[str, tuple[int, int]]:
    """Size and time of every file below a folder."""
    return {str(path): (path.lstat().st_size, path.lstat().st_mtime_ns) for path in folder.rglob("*") if not path.is_dir()}


def end_leftovers() -> list[int]:
    """Processes that outlived the program by two seconds; they are killed."""
    time.sleep(2)
    left = [process for process in psutil.Process().children(recursive=True) if process.status() != psutil.STATUS_ZOMBIE]
    for process in left:
        process.kill()
    return [process.pid for process in left]


def choose_files(folder: Path) -> list[CorpusFile]:
    """The files to run; see the top of this file."""
    root = folder if (folder / MANIFEST).is_file() or not (folder.parent / MANIFEST).is_file() else folder.parent
    files = [file for file in load_corpus(root).files if file.path.is_relative_to(folder)]
    return [file for file in files if file.split == "nasty"] or files


def run_inside(folder: Path, settings: Sequence[str]) -> None:
    """Run everything and print one JSON line a file."""
    config = load_config(ParseConfig, ["policy=heuristic", *settings], default="parse.toml")
    limits, files, cores = config.parsing.limits, choose_files(folder), config.parsing.limits.workers or available_cores()
    seconds: dict[str, dict[str, float]] = {file.id: {} for file in files}
    limit = {file.id: {"(inspection)": limits.wall_seconds} for file in files}
    calls: dict[str, dict[str, str]] = {file.id: {} for file in files}
    with open_files(files, config.cache, config.parsing) as opened, ThreadPoolExecutor(cores) as threads:
        toolbox = opened.game.outputs
        assert isinstance(toolbox, Toolbox)  # noqa: S101 - without a snapshot the outputs are live
        largest = watch_memory()

        def inspect(file: CorpusFile) -> None:
            seconds[file.id]["(inspection)"] = stopwatch(lambda: toolbox.inspection(file.id))

        def run(pair: tuple[CorpusFile, Tool]) -> None:
            file, tool = pair
            limit[file.id][tool.name] = limits.ocr_wall_seconds if tool.family == OCR_FAMILY else limits.wall_seconds
            seconds[file.id][tool.name] = stopwatch(lambda: toolbox.result(file.id, tool.name))
            calls[file.id][tool.name] = toolbox.result(file.id, tool.name).error_kind or "ok"

        list(threads.map(inspect, files))
        pairs = [(file, tool) for file in files for tool in toolbox.usable(file.id)]
        for ocr in (False, True):  # apart, so that no call waits for a place and its time is its own
            list(threads.map(run, [pair for pair in pairs if (pair[1].family == OCR_FAMILY) is ocr]))
        for file in files:
            row = {
                "id": file.id,
                "ending": asyncio.run(play(opened.game, file, config)),
                "calls": calls[file.id],
                "over_limit": sum(taken > limit[file.id][name] + GRACE_S for name, taken in seconds[file.id].items()),
                "largest_worker_mb": largest(),
            }
            print(json.dumps(row), flush=True)


async def play(game: ParsingGame, file: CorpusFile, config: ParseConfig) -> str:
    """How an episode of the scripted policy ends."""
    policy = make_policy(config.policy, config.parsing, game.outputs, [file])
    settings = EpisodeSettings(timeout_s=config.episode_timeout_s, live=True)
    return (await run_episode(game.environment(), game.task(file), policy, settings)).ending


def stopwatch(action: Callable[[], object]) -> float:
    """Seconds that an action takes."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def watch_memory() -> Callable[[], int]:
    """Look at all child processes twice a second; the answer gives the largest resident size so far in MB."""
    largest = [0]

    def watch() -> None:
        while True:
            for process in psutil.Process().children(recursive=True):
                try:
                    largest[0] = max(largest[0], process.memory_info().rss >> 20)
                except psutil.NoSuchProcess:
                    continue
            time.sleep(0.5)

    threading.Thread(target=watch, daemon=True).start()
    return lambda: largest[0]


if __name__ == "__main__":
    main(sys.argv[1:])
