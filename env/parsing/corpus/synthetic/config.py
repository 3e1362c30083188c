"""Settings of the synthetic corpus; values live in `configs/synthetic.toml`."""

from pydantic import Field

from env.records import Record


class SyntheticConfig(Record):
    """What is built."""

    seed: int
    """Another seed, other documents."""
    size: int = Field(ge=1)
    """Multiplies the number of files of every kind."""
    kinds: tuple[str, ...] = ()
    """Build only these kinds (`env.parsing.corpus.synthetic.kinds`); empty builds all."""
