"""Quality report of an output without a reference (specification, parsing §5).

Every number is computed on `visible_text`, since length alone lies: mammoth once gave 130 times the normal length through inlined images.
Exceptions: `chars` is the raw length, and the structure counts need the markup that `visible_text` removes. All is linear in the text.
"""

import re
from collections import Counter

from env.parsing.common_words import COMMON_HAN, FUNCTION_WORDS
from env.records import Record
from rewards.token_f1 import count_tokens

QUALITY_VERSION = 1
"""Part of every cached result's key. Raise it when a change here alters a number."""
_DATA_URI = re.compile(r"data:[\w.+-]{1,40}/[\w.+-]{1,60};base64,[A-Za-z0-9+/=]*+(?:\s++[A-Za-z0-9+/=]{40,}+)*+")
"""With its continuation lines. Possessive quantifiers, here and below: no text may make a pattern backtrack."""
_TAG = re.compile(r"</?[a-zA-Z!][^<>]*>")
_TABLE_RULE = re.compile(r"^[ \t]*+\|?(?:[ \t]*+:?-{2,}+:?[ \t]*+\|)++[ \t]*+(?::?-{2,}+:?)?[ \t]*+$", re.MULTILINE)
_TABLE_ROW = re.compile(r"^[ \t]*\|.*\|[ \t]*$", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
_MATH = re.compile(r"⟦F\d+⟧|\\(?:frac|sum|int|sqrt|alpha|beta|gamma|delta|theta|lambda|mathbf|mathrm|left|cdot)\b|[∀-⋿±×÷]")
_BAD = re.compile(r"[\ufffd\ue000-\uf8ff\U000f0000-\U0010ffff\ud800-\udfff\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f]")
_CID = re.compile(r"\(cid:\d{1,6}\)")
_CID_WEIGHT = 5
_WORD = re.compile(r"(?<![^\W_])[^\W\d_]+(?![^\W_])")
"""Letters that no digit touches: in hex or Base64 hardly any run qualifies."""
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")
_VOWEL = re.compile(r"[aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýœ]", re.IGNORECASE)
_LATIN_LETTER_LIMIT = 0x250
_LONGEST_WORD = 20
_LONG_LINE_CHARS = 20
_FULL_FUNCTION_SHARE = 0.3
"""Share of function words in running prose; at or above it the second half of `natural` is complete."""


class QualityReport(Record):
    """The "medical report" of one tool output."""

    chars: int
    """Length of the raw output in characters."""
    content_tokens: int
    """Words of two letters or more + single CJK characters + digit runs."""
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


def quality_report(text: str, coverage: float | None = None) -> QualityReport:
    """Report on a raw tool output; `coverage` is measured elsewhere (`env.parsing.coverage`)."""
    visible = visible_text(text)
    return QualityReport(
        chars=len(text),
        content_tokens=sum(count_tokens(visible).values()),
        natural=round(natural(visible), 3),
        clean=round(clean(visible), 4),
        duplicate=round(duplicate(visible), 3),
        headings=_count(_HEADING, text),
        table_rows=max(0, _count(_TABLE_ROW, text) - _count(_TABLE_RULE, text)),
        math=_count(_MATH, text),
        coverage=None if coverage is None else round(coverage, 3),
    )


def visible_text(text: str) -> str:
    """What a reader would see: without HTML tags, Markdown table rules, `|` and base64 images."""
    text = _DATA_URI.sub(" ", text)
    text = _TAG.sub(" ", text)
    if "|" in text:
        text = _TABLE_RULE.sub("", text).replace("|", " ")
    return text


def clean(visible: str) -> float:
    """1 − bad / total characters; bad: U+FFFD, control and private-use characters, and each `(cid:N)` counts five times. Empty: 0."""
    if not visible:
        return 0.0
    bad = _count(_BAD, visible) + _CID_WEIGHT * _count(_CID, visible)
    return max(0.0, 1.0 - bad / len(visible))


def duplicate(visible: str) -> float:
    """Share of long lines that occurred before."""
    lines = [line for raw in visible.splitlines() if len(line := raw.strip()) >= _LONG_LINE_CHARS]
    return 1.0 - len(set(lines)) / len(lines) if lines else 0.0


def natural(visible: str) -> float:
    """How much the letters look like language, weighted by length. 0 without letters.

    Latin script: half the share of word-like words, half the share of function words (the study's English; ours also German, French and
    Spanish). Chinese: share of common characters. Other scripts have no list and count as natural: wrong decoding gives Latin or Han.
    """
    han = "".join(_HAN.findall(visible))
    words = Counter(_WORD.findall(_HAN.sub(" ", visible) if han else visible))
    latin = {word: count for word, count in words.items() if ord(min(word)) < _LATIN_LETTER_LIMIT}
    latin_letters = sum(len(word) * count for word, count in latin.items())
    other_letters = sum(len(word) * count for word, count in words.items()) - latin_letters
    total = latin_letters + len(han) + other_letters
    if not total:
        return 0.0
    return (latin_letters * _latin_naturalness(latin) + sum(map(COMMON_HAN.__contains__, han)) + other_letters) / total


def _latin_naturalness(words: dict[str, int]) -> float:
    """Single letters are left out: in mathematics they are no sign of garbage."""
    counted = {word: count for word, count in words.items() if len(word) > 1}
    total = sum(counted.values())
    if not total:
        return 0.0
    word_like = sum(count for word, count in counted.items() if _looks_like_word(word))
    function = sum(count for word, count in counted.items() if word.lower() in FUNCTION_WORDS)
    return 0.5 * word_like / total + 0.5 * min(1.0, function / total / _FULL_FUNCTION_SHARE)


def _looks_like_word(word: str) -> bool:
    """Normal length, a vowel, mostly unaccented letters, and no capitals inside, as Base64 has them."""
    if len(word) > _LONGEST_WORD or not _VOWEL.search(word) or not (word.islower() or word.isupper() or word[1:].islower()):
        return False
    return word.isascii() or 2 * sum(map(str.isascii, word)) > len(word)


def _count(pattern: re.Pattern[str], text: str) -> int:
    return sum(1 for _ in pattern.finditer(text))
