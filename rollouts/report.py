"""The comparison table of one or more runs, with intervals and tests.

    python -m rollouts.report runs/heuristic runs/rule --base rule --out runs/comparison

Reads run folders, prints the overall tables, and writes `report.json` (everything) and `report.md` (all tables) into the run folder, or
into `--out` when there are several. What is averaged how: `rollouts.summary`; intervals and tests: `rollouts.statistics`.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from env.command_line import run_command


def main(argv: Sequence[str]) -> int:
    """Print the tables and write the report."""
    parser = argparse.ArgumentParser(
        prog="python -m rollouts.report", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="run folder of rollouts.teacher or rollouts.evaluate")
    parser.add_argument("--base", metavar="NAME", help="policy or folder that the others are compared with (default: the first)")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where report.json and report.md go (default: the run folder, if one)")
    arguments = parser.parse_args(argv)
    from rollouts.run_report import report_runs  # noqa: PLC0415 - --help must not wait for it

    out = arguments.out or (arguments.runs[0] if len(arguments.runs) == 1 else None)
    print(report_runs(arguments.runs, out, arguments.base), end="")  # noqa: T201 - the result of the command
    if out is None:
        sys.stderr.write("nothing written: name a folder with --out to keep this report\n")
    else:
        print(f"\nreport: {out / 'report.md'}")  # noqa: T201
    return 0


if __name__ == "__main__":
    run_command(main)
