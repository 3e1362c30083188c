"""Charset of a text file, from its bytes (specification, parsing §3).

Order: byte order mark; zero bytes at one parity (UTF-16 and UTF-32 without mark); strict UTF-8; then legacy charsets. For those
`charset-normalizer` proposes and `_plausibility` disposes, both on the surroundings of the non-ASCII bytes only: in a mostly English text
with little Chinese everything else says nothing, and drowns what matters.
"""

import codecs
import re
from dataclasses import dataclass

from charset_normalizer import from_bytes

from env.parsing.common_words import COMMON_HAN
from env.parsing.quality import natural

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it starts with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WIDE_SAMPLE = 65_536
_WINDOW_BYTES = 20_000
_NON_ASCII_RUN = re.compile(rb"[\x20-\x7e]{0,12}+(?:[\x80-\xff]++[\x20-\x7e]{0,12}+)++")
"""Cut in ASCII text only, never between the bytes of one character."""
_NON_ASCII = re.compile(rb"[\x80-\xff]")
_LEGACY = {
    "gb18030": 0.08,
    "cp932": 0.05,
    "cp1252": 0.05,
    "cp1251": 0.03,
    "big5hkscs": 0.03,
    "euc_jp": 0.0,
    "cp949": 0.0,
    "koi8_r": 0.0,
    "cp1250": 0.0,
    "cp1253": 0.0,
    "cp1255": 0.0,
    "cp1256": 0.0,
    "cp1254": 0.0,
}
"""Always tried, with a bonus for the frequent ones; what else charset-normalizer proposes must be clearly better."""
_RARE = -0.1
_FAMILIES = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "big5": "big5hkscs", "euc_kr": "cp949", "iso8859_1": "cp1252"}
"""Charsets that a larger one contains."""
_ISO_2022_JP = (b"\x1b$B", b"\x1b$@")
"""Shifts to Japanese in a text of seven-bit bytes."""
_DECLARED = re.compile(rb"(?:charset|encoding)\s*=\s*[\"']?([A-Za-z0-9_.:-]{2,30})", re.IGNORECASE)
_DECLARATION_BYTES = 2048
_DECLARED_BONUS = 0.1
_MIXED_SHARE = 0.03
"""Share of the non-ASCII bytes in lines of the rarer charset from which a file counts as mixed."""
_LATIN_PUNCTUATION = frozenset("“”‘’„‚–—…«»·•§°©®€£½²³¿¡×´\u00a0\u00ad")
_COMMON_HANGUL = frozenset("이다는에의을를가고하지은로도한서사인대기시아리자나어그으해있과일정제수부장전만보")
_LAST_KANA, _HALF_WIDTH_KANA = "\u30ff", ("\uff61", "\uff9f")


@dataclass(frozen=True, slots=True)
class Charset:
    """A guess."""

    encoding: str
    """As Python names it; decoding with it drops a byte order mark."""
    confidence: float
    """0..1."""
    mixed: bool = False
    """Some lines are UTF-8, others are not."""


def guess_charset(data: bytes, *, whole: bool = True) -> Charset:
    """Charset of the bytes of a text.

    Args:
        data: The text, or its beginning.
        whole: False when `data` was cut, so that the last character may be incomplete.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return Charset(encoding, 1.0)
    if wide := _guess_wide(data):
        return wide
    if any(shift in data for shift in _ISO_2022_JP) and data.isascii() and decodes(data, "iso2022_jp", whole=whole):
        return Charset("iso2022_jp", 0.95)
    if decodes(data, "utf-8", whole=whole):
        return Charset("utf-8", 1.0)
    return _guess_without_mark(data)


def decodes(data: bytes, encoding: str, *, whole: bool) -> bool:
    """Whether the bytes are valid; an incomplete last character is allowed unless the text is whole."""
    try:
        codecs.getincrementaldecoder(encoding)("strict").decode(data, final=whole)
    except (UnicodeDecodeError, LookupError):
        return False
    return True


def _guess_wide(data: bytes) -> Charset | None:
    """UTF-32 or UTF-16 without a mark: the zero bytes of its ASCII characters stand in fixed places."""
    sample = data[:_WIDE_SAMPLE]
    sample = sample[: len(sample) // 4 * 4]
    zeros = [sample[place::4].count(0) for place in range(4)]
    quarter, total = len(sample) // 4, sum(zeros)
    if not total:
        return None
    if zeros[2] == zeros[3] == quarter:
        return _confirm_wide(sample, "utf-32-le")
    if zeros[0] == zeros[1] == quarter:
        return _confirm_wide(sample, "utf-32-be")
    guesses = [guess for encoding in ("utf-16-le", "utf-16-be") if (guess := _confirm_wide(sample, encoding))]
    return max(guesses, key=lambda guess: natural(sample.decode(guess.encoding, "ignore")), default=None)


def _confirm_wide(sample: bytes, encoding: str) -> Charset | None:
    if not decodes(sample, encoding, whole=False):
        return None
    text = sample.decode(encoding, "ignore")
    odd = sum(char < " " and char not in "\t\r\n\f" for char in text)
    return Charset(encoding, 0.95) if odd * 50 <= len(text) and (natural(text) > 0.3 or sample.count(0) * 4 > len(sample)) else None


def _guess_without_mark(data: bytes) -> Charset:
    """Neither pure UTF-8 nor wide: a legacy charset, or a mixture."""
    utf8, other = _split_lines(data)
    weights = [len(_NON_ASCII.findall(part)) for part in (utf8, other)]
    share = weights[0] / max(1, sum(weights))
    mixed = _MIXED_SHARE < share < 1 - _MIXED_SHARE and len(utf8.decode("utf-8", "ignore")) < len(utf8) - 8
    if share > 0.5:
        return Charset("utf-8", round(share, 2), mixed)
    guess = _guess_legacy(other, data)
    return Charset(guess.encoding, round(guess.confidence * (1 - share if mixed else 1), 2), mixed)


def _split_lines(data: bytes) -> tuple[bytes, bytes]:
    """The non-ASCII lines that are valid UTF-8, and the rest."""
    valid: list[bytes] = []
    invalid: list[bytes] = []
    for line in data.split(b"\n"):
        if _NON_ASCII.search(line):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                invalid.append(line)
            else:
                valid.append(line)
    return b"\n".join(valid), b"\n".join(invalid)


def _guess_legacy(lines: bytes, data: bytes) -> Charset:
    window = b"\n".join(_NON_ASCII_RUN.findall(lines))[:_WINDOW_BYTES]
    declared = _canonical(match[1].decode("ascii")) if (match := _DECLARED.search(data[:_DECLARATION_BYTES])) else None
    proposed = [_canonical(match.encoding) for match in from_bytes(window)][:3]
    scores: dict[str, float] = {}
    for encoding in [*_LEGACY, *proposed, declared]:
        if encoding is not None and encoding not in scores:
            bonus = _DECLARED_BONUS if encoding == declared else _LEGACY.get(encoding, _RARE)
            scores[encoding] = _plausibility(window, encoding) + bonus
    best = max(scores, key=lambda name: scores[name])
    second = max((score for name, score in scores.items() if name != best), default=0.0)
    confidence = 0.5 + min(0.45, max(0.0, scores[best] - second)) if scores[best] > 0.5 else max(0.1, scores[best])
    return Charset(best, round(confidence, 2))


def _canonical(name: str) -> str | None:
    """Python's name of a charset, or of the larger one that contains it; None for unknown ones and for Unicode ones, already excluded."""
    try:
        name = codecs.lookup(name).name.replace("-", "_")
        " ".encode(name)
    except (LookupError, UnicodeError):
        return None
    name = _FAMILIES.get(name, name)
    return None if name.startswith(("utf", "iso2022", "hz")) else name


def _plausibility(data: bytes, encoding: str) -> float:
    """Mean sense of the non-ASCII characters, about 0..1; less for each byte that cannot be decoded."""
    text = data.decode(encoding, "replace")
    total, sense = 0, 0.0
    previous = " "
    for char in text:
        if char > "\x7f":
            total += 1
            sense += _sense(char, previous)
        previous = char
    return sense / total if total else 0.0


def _sense(char: str, previous: str) -> float:
    """How likely a character is in a text, after the one before it."""
    if char.isalpha() and not _HALF_WIDTH_KANA[0] <= char <= _HALF_WIDTH_KANA[1]:
        return _sense_of_east_asian(char) if char >= "\u3040" else _sense_of_letter(char, previous)
    if "\u3000" <= char <= "\u303f" or "\uff00" <= char <= "\uff60" or char in _LATIN_PUNCTUATION:
        return 0.8
    if char == "\ufffd" or "\ue000" <= char <= "\uf8ff" or "\x80" <= char <= "\x9f":
        return -1.0
    return 0.0


def _sense_of_east_asian(char: str) -> float:
    if "\uac00" <= char <= "\ud7a3":
        return 1.0 if char in _COMMON_HANGUL else 0.4
    if char <= _LAST_KANA:
        return 1.0
    return 1.0 if char in COMMON_HAN else 0.45


def _sense_of_letter(char: str, previous: str) -> float:
    """A small letter follows any letter of its script, a capital stands first: `naïve`, not `naÏve`.

    Accented Latin letters seldom stand side by side: a row of them is Cyrillic or Greek, read wrongly.
    """
    if not previous.isalpha():
        return 0.7 if char.isupper() else 0.6
    same_script = (ord(char) < 0x250) == (ord(previous) < 0x250)
    if char.isupper():
        return 0.5 if previous.isupper() and same_script else 0.0
    if not same_script:
        return 0.0
    return 0.3 if char < "\u0250" and not previous.isascii() else 0.9
