"""Collect teacher rollouts.

    python -m rollouts.teacher                                         the embedded heuristic on the synthetic training files
    python -m rollouts.teacher policy=gemini corpus=FOLDER samples=4 policy.temperature=0.8
    python -m rollouts.teacher --config my.toml

Runs are resumed by giving the same command again. Provider keys come from the environment: OPENAI_API_KEY (and OPENAI_BASE_URL),
GEMINI_API_KEY.
"""

from collections.abc import Sequence

from configs.load import answer_help
from env.command_line import run_command


def main(argv: Sequence[str]) -> int:
    """Play the training files."""
    answer_help(argv, usage=__doc__ or "", default="teacher.toml")
    from rollouts.launch import launch  # noqa: PLC0415 - --help must not wait for it

    return launch("teacher", argv)


if __name__ == "__main__":
    run_command(main)
