"""Evaluate one policy on held-out files.

    python -m rollouts.evaluate policy=heuristic                       on the synthetic held-out files
    python -m rollouts.evaluate policy=openai policy.model=NAME corpus=FOLDER
    python -m rollouts.evaluate policy=rule snapshot=corpus.parquet

Reference policies: rule, first, fixed, random, oracle. Compare runs with `python -m rollouts.report RUN…`.
"""

from collections.abc import Sequence

from configs.load import answer_help
from env.command_line import run_command


def main(argv: Sequence[str]) -> int:
    """Play the held-out files."""
    answer_help(argv, usage=__doc__ or "", default="evaluate.toml")
    from rollouts.launch import launch  # noqa: PLC0415 - --help must not wait for it

    return launch("evaluate", argv)


if __name__ == "__main__":
    run_command(main)
