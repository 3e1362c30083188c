"""Embedded synthetic corpus: seeded documents, rendered by real writers, with exact references.

    python -m env.parsing.corpus.synthetic FOLDER [seed=1] [size=2]

The same seed and library versions give the same bytes. What a reference holds: `documents.py`; which kinds there are: `kinds.py`.
"""

from pathlib import Path


def build_default(folder: Path) -> int:
    """Build the corpus of `configs/synthetic.toml` into a folder; returns the number of files."""
    # The writers take a second to import and are an optional extra of the package.
    from configs.load import load_config  # noqa: PLC0415
    from env.parsing.corpus.synthetic.build import build_corpus  # noqa: PLC0415
    from env.parsing.corpus.synthetic.config import SyntheticConfig  # noqa: PLC0415

    return build_corpus(folder, load_config(SyntheticConfig, [], default="synthetic.toml"))
