"""Data that passes between the environment core, the games and the rollouts."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Role = Literal["system", "user", "assistant"]


class Record(BaseModel):
    """Base of all persisted data: immutable, and a field that nobody declared is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Message(Record):
    """One chat message. Observations are sent back in the user role (specification, parsing §6)."""

    role: Role
    content: str


class Task(Record):
    """One thing to play: a file to parse, later a question to answer.

    Games subclass it with what they need; the runner, the reports and the trajectory files use these fields only.
    """

    id: str
    """Unique within a corpus; with the sample index it is the resume key of a run."""
    game: str
    """`parsing` or `fast_ask`."""
    category: str
    """Reporting group, e.g. `papers`, `scan`, `hard/text_boxes`."""
    format: str
    """True format of the file, e.g. `pdf`; reports group by it."""
    doc: str
    """Source document: all formats of one document share it, so that splits and bootstrap clusters can keep them together."""
    split: str
    """`train`, `heldout`, or what the corpus calls it."""
