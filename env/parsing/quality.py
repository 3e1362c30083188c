"""Quality report of an output without a reference (specification, parsing §5)."""

from env.records import Record


class QualityReport(Record):
    """The "medical report" of one tool output. Computed on `visible_text`, except `chars`."""

    chars: int
    """Length of the raw output in characters."""
    content_tokens: int
    """English words of two letters or more + single CJK characters + digit runs."""
    natural: float
    """0..1: looks like human language; catches undecoded Base64 or ROT13."""
    clean: float
    """0..1: one minus the share of bad characters."""
    duplicate: float
    """0..1: share of repeated long lines."""
    headings: int
    table_rows: int
    math: int
    coverage: float | None = None
    """0..1: share of the content seen by an independent cheap look that came out; None where no such look is possible."""
