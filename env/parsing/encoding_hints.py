"""Signs that a plain text is encoded: Base64, hex, Morse, URL-encoding, ROT13 (specification, parsing §2).

Hints only. Nothing is decoded for anybody here, because a rule that decodes wrongly ruins normal English; the model decides.
"""

import base64
import binascii
import codecs
import re
from enum import StrEnum
from urllib.parse import unquote

from env.parsing.quality import natural

SAMPLE_CHARS = 20_000
"""Characters looked at, from the start."""
_MIN_CHARS = 16
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX = re.compile(r"(?:0x|\\x)?[0-9A-Fa-f]{2}(?:(?:[\s:,;-]|0x|\\x)*[0-9A-Fa-f]{2})*")
_HEX_MARKS = re.compile(r"0x|\\x|[\s:,;-]")
_MORSE = re.compile(r"[.\-−–·•_/|\s]+")
_MORSE_LETTER = re.compile(r"[.\-−–·•_]+")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_MIN_ESCAPES = 3
_ESCAPES_PER_CHAR = 0.02
_LONG_MORSE_LETTER = 7
"""Longest sign of International Morse in ordinary use, rounded up."""
_READABLE_BYTES = 0.85
_NATURAL_GAIN = 0.3


class EncodingHint(StrEnum):
    """What a plain text looks like; a hint only, nothing is decoded."""

    BASE64 = "base64"
    HEX = "hex"
    MORSE = "morse"
    URL = "url"
    ROT13 = "rot13"


def find_hints(text: str) -> tuple[EncodingHint, ...]:
    """Encodings that the start of a text looks like, most certain first; empty for ordinary text."""
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
    return tuple(hint for hint, looks in checks if looks(sample))


def _looks_like_morse(sample: str) -> bool:
    """Nothing but dots, dashes and separators, in letters of Morse length; a ruler of dashes is no Morse."""
    if not _MORSE.fullmatch(sample):
        return False
    letters = _MORSE_LETTER.findall(sample)
    lengths = [len(letter) for letter in letters]
    return len(letters) >= 5 and len(set(letters)) >= 3 and sorted(lengths)[len(lengths) * 9 // 10] <= _LONG_MORSE_LETTER


def _looks_like_hex(sample: str) -> bool:
    """Hex digits in pairs whose bytes are mostly text; checksum lists are hex too, but their bytes are noise."""
    digits = _HEX_MARKS.sub("", sample)
    if len(digits) < _MIN_CHARS or not re.fullmatch(r"[0-9A-Fa-f]+", digits):
        return False
    decoded = bytes.fromhex(digits[: len(digits) // 2 * 2])
    return _is_readable(decoded)


def _looks_like_base64(sample: str) -> bool:
    """One alphabet, hardly any white space, and bytes inside that are text."""
    if any(not _BASE64.fullmatch(line.strip()) for line in sample.splitlines()[:-1] if line.strip()):
        return False
    compact = "".join(sample.split())
    if not re.fullmatch(r"[A-Za-z0-9+/_-]+={0,2}", compact) or re.fullmatch(r"[0-9A-Fa-f]+", compact):
        return False
    body = compact.rstrip("=")
    body = body[: len(body) // 4 * 4].replace("-", "+").replace("_", "/")
    try:
        decoded = base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError):
        return False
    return _is_readable(decoded)


def _looks_like_url(sample: str) -> bool:
    """Many escapes and no white space to speak of: prose that quotes a link has spaces."""
    escapes = len(_ESCAPE.findall(sample))
    spaces = sum(map(str.isspace, sample))
    if escapes < _MIN_ESCAPES or escapes < _ESCAPES_PER_CHAR * len(sample) or spaces > escapes:
        return False
    return unquote(sample, errors="replace").count("\ufffd") * 5 <= escapes


def _looks_like_rot13(sample: str) -> bool:
    """Reads clearly more like a language when it is turned round."""
    return natural(codecs.encode(sample, "rot13")) > natural(sample) + _NATURAL_GAIN


def _is_readable(decoded: bytes) -> bool:
    """Mostly characters of a text: printable ASCII, or UTF-8, or a legacy double-byte charset."""
    if not decoded:
        return False
    try:
        text = decoded.decode("utf-8")
    except UnicodeDecodeError as error:
        text = decoded[: error.start].decode("utf-8") if error.start >= len(decoded) - 3 else ""
    if text:
        return sum(char.isprintable() or char.isspace() for char in text) >= _READABLE_BYTES * len(text)
    printable = sum(32 <= byte < 127 or byte in b"\t\r\n" for byte in decoded)
    high = sum(byte >= 0x80 for byte in decoded)
    return printable + high >= 0.99 * len(decoded)
