"""What a parsed file is handed on as (specification, parsing §10)."""

from env.episode import Ending
from env.parsing.quality import QualityReport
from env.records import Message, Record


class ParsedDocument(Record):
    """Full text of the chosen tool and how it was reached."""

    file: str
    text: str
    """Empty when no tool was chosen."""
    tool: str | None
    quality: QualityReport | None
    warnings: tuple[str, ...]
    """Format warnings of the card."""
    formulas: tuple[str, ...]
    """LaTeX of an HTML file's formulas, already put back into `text`."""
    ending: Ending
    detail: str
    """The model's or the rule's reason when there is no text."""
    trace: tuple[Message, ...] = ()
    """The whole conversation that led to the choice."""
