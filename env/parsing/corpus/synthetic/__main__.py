"""Build the synthetic corpus.

python -m env.parsing.corpus.synthetic FOLDER [--config FILE] [key=value …]
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from configs.load import ConfigError, answer_help, load_config
from env.command_line import run_command

_CONFIG = "synthetic.toml"


def main(argv: Sequence[str]) -> int:
    """Build into the folder named first."""
    answer_help(argv, usage=__doc__ or "", default=_CONFIG)
    if not argv or "=" in argv[0] or argv[0].startswith("-"):
        raise ConfigError("name the folder to build into first; see --help")
    from env.parsing.corpus.synthetic.build import build_corpus  # noqa: PLC0415 - the writers take a second to import
    from env.parsing.corpus.synthetic.config import SyntheticConfig  # noqa: PLC0415

    folder = Path(argv[0])
    files = build_corpus(folder, load_config(SyntheticConfig, argv[1:], default=_CONFIG))
    sys.stdout.write(f"{files} files in {folder}\n")
    return 0


if __name__ == "__main__":
    run_command(main)
