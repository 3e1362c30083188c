"""Order-free token F1, the scorer of the parsing game (specification, parsing §8).

Tokens of the lower-cased text: words of two letters or more, single CJK characters, digit runs. A hyphen at a line end is joined. The study
says "English words"; since corpora hold German, Hebrew and Arabic files too, a word here is a run of letters of any alphabetic script — for
English text the same thing (our decision). CJK means Han, kana and hangul: scripts written without spaces, or scored per character.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

_CJK_RUN = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+")
_LINE_END_HYPHEN = re.compile(r"[-\u00ad\u2010](?<=[^\W\d_].)\r?\n[ \t]*(?=[^\W\d_])")
"""The hyphen comes first and looks back at its letter: a pattern that begins with the rare character is searched for much faster."""
_RUN = re.compile(r"\w+")
_WORD_OR_NUMBER = re.compile(r"[^\W\d_]{2,}|\d+")


@dataclass(frozen=True, slots=True)
class TokenScore:
    """Multiset overlap of an output with its reference."""

    overlap: int
    output_tokens: int
    reference_tokens: int

    @property
    def recall(self) -> float:
        """Share of the reference that came out, 0..1."""
        return self.overlap / self.reference_tokens if self.reference_tokens else 0.0

    @property
    def precision(self) -> float:
        """Share of the output that belongs to the reference, 0..1."""
        return self.overlap / self.output_tokens if self.output_tokens else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of both, 0..1."""
        return 2 * self.overlap / (self.output_tokens + self.reference_tokens) if self.overlap else 0.0


def count_tokens(text: str) -> Counter[str]:
    """How often each token occurs.

    Counts runs of word characters first and takes only the distinct ones apart, which is faster than finding the tokens one by one.
    """
    lowered = _LINE_END_HYPHEN.sub("", text.lower())
    cjk: list[str] = []
    if not lowered.isascii():
        cjk = _CJK_RUN.findall(lowered)
        lowered = _CJK_RUN.sub(" ", lowered) if cjk else lowered
    runs = Counter(_RUN.findall(lowered))
    counts = Counter({run: count for run, count in runs.items() if run.isalpha() and len(run) > 1})
    for run, count in runs.items():
        if not run.isalpha():
            for token in _WORD_OR_NUMBER.findall(run):  # as in `x86`, `42nd` or `snake_case`
                counts[token] += count
    counts.update("".join(cjk))
    return counts


def token_f1(output: str | Mapping[str, int], reference: str | Mapping[str, int]) -> TokenScore:
    """Compare two texts, or the token counts of either."""
    out = count_tokens(output) if isinstance(output, str) else output
    ref = count_tokens(reference) if isinstance(reference, str) else reference
    fewer, more = (out, ref) if len(out) <= len(ref) else (ref, out)
    overlap = sum(min(count, more.get(token, 0)) for token, count in fewer.items())
    return TokenScore(overlap, sum(out.values()), sum(ref.values()))
