"""Freeze a finished cache into one read-only file that loads without any parser.

    python -m env.parsing.build_cache corpus=FOLDER
    python -m env.parsing.freeze corpus=FOLDER out=corpus.parquet
    python -m rollouts.evaluate snapshot=corpus.parquet

No tool is run: what the cache lacks is named, with the command that records it.
"""

from collections.abc import Sequence

from configs.load import answer_help
from env.command_line import run_command


def main(argv: Sequence[str]) -> int:
    """Write the snapshot and print what it holds."""
    answer_help(argv, usage=__doc__ or "", default="freeze.toml")
    # imported here, so that --help answers at once
    from configs.load import load_config  # noqa: PLC0415
    from env.parsing.freezing import FreezeConfig, freeze_cache  # noqa: PLC0415

    print(freeze_cache(load_config(FreezeConfig, argv, default="freeze.toml")))  # noqa: T201 - the result of the command
    return 0


if __name__ == "__main__":
    run_command(main)
