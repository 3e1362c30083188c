"""A user's own files in, text out.

    python -m rollouts.parse report.pdf                       text to stdout
    python -m rollouts.parse FOLDER --out texts/ --json       every file of a folder, one text and one JSON file each; resumes
    python -m rollouts.parse letter.docx --policy openai --set policy.model=NAME

Exit code 0: every file gave text. 1: some file gave none (unreadable, encrypted, digest only…), see stderr. 2: bad arguments. 3: a fault
outside the file (model server, timeout); run again. 130: interrupted.
"""

import argparse
import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path

from env.command_line import run_command
from env.episode import Ending

EXIT_NO_TEXT = 1
EXIT_FAULT = 3


def main(argv: Sequence[str]) -> int:
    """Parse the files of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m rollouts.parse", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="file, or folder of files")
    parser.add_argument(
        "--policy", default="heuristic", help="who chooses the tools: heuristic, rule, openai, gemini… (default: heuristic)"
    )
    parser.add_argument(
        "--json", action="store_true", help="everything known of each file instead of its text alone: one JSON object a line"
    )
    parser.add_argument(
        "--out", type=Path, help="folder for NAME.txt (and NAME.json with --json) instead of stdout; finished files are skipped"
    )
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], dest="overrides", help="setting of configs/parse.toml")
    arguments = parser.parse_args(argv)

    # imported here, so that --help answers at once
    from configs.load import load_config  # noqa: PLC0415
    from rollouts.parse_files import Output, ParseConfig, parse_files  # noqa: PLC0415

    config = load_config(ParseConfig, [f"policy={arguments.policy}", *arguments.overrides], default="parse.toml")
    output = Output(arguments.out, as_json=arguments.json, several=len(arguments.files) > 1 or arguments.files[0].is_dir())
    return exit_code(asyncio.run(parse_files(arguments.files, config, output)))


def exit_code(endings: Iterable[Ending]) -> int:
    """The worst thing that happened decides, faults outside the files first, since running again may help."""
    code = 0
    for ending in endings:
        if ending.worth_replaying:
            return EXIT_FAULT
        if ending in {Ending.FAILED, Ending.INTERCEPTED, Ending.TRUNCATED}:
            code = EXIT_NO_TEXT
    return code


if __name__ == "__main__":
    run_command(main)
