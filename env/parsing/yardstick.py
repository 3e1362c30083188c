"""The yardstick that coverage is measured against."""

from env.records import Record


class Yardstick(Record):
    """Content that an independent look can see, to compare a tool's output with."""

    source: str
    """What was looked at: `pdf_text_layer`, `ooxml_parts`, `odf_content`, `dom`, `text`, `none`."""
    tokens: dict[str, int]
    """Token counts of that content (tokens as in `rewards.token_f1`)."""
    unread_tokens: int = 0
    """Estimated tokens in ink that no stored text covers (scanned pages, text drawn as curves)."""
    reliable: bool = True
    """False when that content is itself garbage, e.g. a font without ToUnicode; coverage is then unknown."""
