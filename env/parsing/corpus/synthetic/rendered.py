"""What a kind of file is made into."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rendered:
    """A file's bytes with its exact reference."""

    data: bytes
    reference: str | None
    """None: no tool can give this file's text, and to say so is the right answer."""
