"""Run every usable tool on every file of a corpus into the cache.

    python -m env.parsing.build_cache corpus=FOLDER cache=results.sqlite parsing.pool=source17

Parallel over cores; each result is on disk as soon as it is there, so a killed build goes on where it was and never runs a pair twice. A
transient failure (timeout, memory, crash) is run once more, as a model may do.
"""

from collections.abc import Sequence

from configs.load import answer_help
from env.command_line import run_command


def main(argv: Sequence[str]) -> int:
    """Build the cache and print what was done."""
    answer_help(argv, usage=__doc__ or "", default="build_cache.toml")
    # imported here, so that --help answers at once
    from configs.load import load_config  # noqa: PLC0415
    from env.parsing.fill_cache import BuildConfig, build_cache  # noqa: PLC0415

    print(build_cache(load_config(BuildConfig, argv, default="build_cache.toml")))  # noqa: T201 - the result of the command
    return 0


if __name__ == "__main__":
    run_command(main)
