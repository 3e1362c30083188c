"""Signs that a plain text is encoded: Base64, hex, Morse, URL-encoding, ROT13 (specification, parsing §2).

Hints only. Nothing is decoded for anybody here, because a rule that decodes wrongly ruins normal English; the model decides.
"""

import base64
import binascii
import codecs
import re
from enum import StrEnum
from urllib.parse import unquote_to_bytes

from env.parsing.charset import guess_charset
from env.parsing.quality import natural

SAMPLE_CHARS = 20_000
"""Characters looked at, from the start."""
_MIN_CHARS = 16
_MIXED_CASE = re.compile(r"[A-Z].*[a-z]|[a-z].*[A-Z]")
_LEAST_ALPHABET = 8
"""Different characters of Base64; a ruler has one or two."""
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
_SHORTEST_LINE = 16
"""Of Base64, its last line aside."""
_HEX = re.compile(r"(?:(?:0x|\\x|[\s:,;-])*+[0-9A-Fa-f]{2})++[0-9A-Fa-f]?[\s:,;-]*+")
_HEX_MARKS = re.compile(r"0x|\\x|[\s:,;-]")
_MORSE = re.compile(r"[.\-−–·•_/|\s]+")
_MORSE_LETTER = re.compile(r"[.\-−–·•_]+")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_MIN_ESCAPES = 2
"""Without white space; a `+` that stands for a space counts too."""
_ESCAPES_PER_CHAR = 0.02
_LONG_MORSE_LETTER = 7
"""Longest sign of International Morse in ordinary use, rounded up."""
_READABLE_SAMPLE = 600
_MAX_ODD_SHARE = 0.02
"""Bytes of a digest, a key or a picture are odd characters in every charset: one in ten at least."""
_NATURAL_GAIN = 0.3
"""On the prose of the training split the largest gain of plain text is 0.06, the smallest of turned text 0.45 (from 4000 characters)."""
_ROT13_CHARS = 4_000
_WEB_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]{1,10}://", re.IGNORECASE)


class EncodingHint(StrEnum):
    """What a plain text looks like; a hint only, nothing is decoded."""

    BASE64 = "base64"
    HEX = "hex"
    MORSE = "morse"
    URL = "url"
    ROT13 = "rot13"


def find_hints(text: str) -> tuple[EncodingHint, ...]:
    """What the start of a text looks like; empty for ordinary text. One at most: in an encoded text other signs mean nothing."""
    sample = text[:SAMPLE_CHARS].strip().lstrip("\ufeff")
    if len(sample) < _MIN_CHARS:
        return ()
    checks = (
        (EncodingHint.MORSE, _looks_like_morse),
        (EncodingHint.HEX, _looks_like_hex),
        (EncodingHint.BASE64, _looks_like_base64),
        (EncodingHint.URL, _looks_like_url),
        (EncodingHint.ROT13, _looks_like_rot13),
    )
    return next(((hint,) for hint, looks in checks if looks(sample)), ())


def _looks_like_morse(sample: str) -> bool:
    """Nothing but dots, dashes and separators, in letters of Morse length; a ruler of dashes is no Morse."""
    if not _MORSE.fullmatch(sample):
        return False
    letters = _MORSE_LETTER.findall(sample)
    lengths = [len(letter) for letter in letters]
    return len(letters) >= 5 and len(set(letters)) >= 3 and sorted(lengths)[len(lengths) * 9 // 10] <= _LONG_MORSE_LETTER


def _looks_like_hex(sample: str) -> bool:
    """Digits in pairs whose bytes are text. Bytes of checksums are noise; without a letter it is a series of numbers."""
    if not _HEX.fullmatch(sample):
        return False
    digits = _HEX_MARKS.sub("", sample)
    if len(digits) < _MIN_CHARS or digits.isdigit():
        return False
    decoded = bytes.fromhex(digits[: len(digits) // 2 * 2])
    return _is_readable(decoded)


def _looks_like_base64(sample: str) -> bool:
    """One alphabet, hardly any white space, and bytes inside that are text."""
    lines = sample.split()
    compact = "".join(lines)
    if any(len(line) < _SHORTEST_LINE for line in lines[:-1]):
        return False
    if not _BASE64.fullmatch(compact) or not _MIXED_CASE.search(compact) or len(set(compact)) < _LEAST_ALPHABET:
        return False
    body = compact.rstrip("=")
    body = body[: len(body) // 4 * 4].replace("-", "+").replace("_", "/")
    try:
        decoded = base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError):
        return False
    return _is_readable(decoded)


def _looks_like_url(sample: str) -> bool:
    """Escapes and no white space to speak of, as prose that quotes a link has it; a link by itself is no encoded text."""
    escapes = len(_ESCAPE.findall(sample))
    spaces = sum(map(str.isspace, sample))
    if not escapes or spaces > escapes or _WEB_ADDRESS.match(sample):
        return False
    if escapes < (_ESCAPES_PER_CHAR * len(sample) if spaces else _MIN_ESCAPES - sample.count("+")):
        return False
    return _is_readable(unquote_to_bytes(sample))


def _looks_like_rot13(sample: str) -> bool:
    """Reads clearly more like a language when it is turned round."""
    sample = sample[:_ROT13_CHARS]
    return natural(codecs.encode(sample, "rot13")) > natural(sample) + _NATURAL_GAIN


def _is_readable(decoded: bytes) -> bool:
    """Mostly characters of a text, in UTF-8, UTF-16 or a legacy charset."""
    head = decoded[:_READABLE_SAMPLE]
    charset = guess_charset(head, whole=False)
    text = head.decode(charset.encoding, "replace")
    odd = sum(not (char.isprintable() or char.isspace()) or char == "\ufffd" for char in text)
    return bool(text) and odd <= max(1, _MAX_ODD_SHARE * len(text))  # the last character may be cut
