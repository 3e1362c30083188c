"""Play one parsing episode by hand: see what a model sees, write what a model writes.

    python -m env.play FILE [--set key=value …]

Each line is one turn: a JSON action, or in short `call TOOL`, `finish TOOL`, `fail REASON`. End of input stops the episode.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from env.command_line import run_command

_SHORT = {"call": ("call_tool", "tool"), "finish": ("finish", "choice"), "fail": ("fail", "reason")}


def main(argv: Sequence[str]) -> int:
    """Run one episode on the terminal; the exit code is 0 when it came to an end."""
    parser = argparse.ArgumentParser(prog="python -m env.play", description="Play one parsing episode by hand.", epilog="Turns: " + __doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], dest="overrides", help="setting of configs/play.toml")
    arguments = parser.parse_args(argv)

    from env.parsing.open_game import open_paths  # noqa: PLC0415 - --help must not wait for it

    with open_paths([arguments.file], *arguments.overrides) as opened:
        environment = opened.game.environment()
        for message in environment.reset(opened.game.task(opened.files[0])):
            print(f"[{message.role}]\n{message.content}\n")  # noqa: T201 - the terminal is the interface
        while environment.last_step is None and (line := sys.stdin.readline()):
            step = environment.step(expand(line.strip()))
            print(step.observation)  # noqa: T201
        last = environment.last_step
        if last is None:
            return 1
        print(f"\nended: {last.ending} {environment.detail}\nreward: {last.reward.total}\nmetrics: {last.metrics}")  # noqa: T201
        return 0


def expand(line: str) -> str:
    """Write the short form of an action out as JSON; anything else is passed on as it is."""
    word, _, rest = line.partition(" ")
    if word not in _SHORT:
        return line
    action, key = _SHORT[word]
    return json.dumps({"thought": "played by hand", "action": action, key: rest.strip()}, ensure_ascii=False)


if __name__ == "__main__":
    run_command(main)
