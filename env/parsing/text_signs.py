"""What bytes and characters give away: whether this is text at all, wrong decoding in its past, encryption."""

import re

from env.parsing.charset import Charset

_MAX_CONTROL_SHARE = 0.02
_MAX_UNDECODED_SHARE = 0.1
_SAMPLE_CHARS = 65_536
_CONTROL = re.compile(r"[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_CONTROL_BYTES = bytes([*range(1, 9), *range(14, 27), *range(28, 32), 127])
_MIN_LEGACY_CONFIDENCE = 0.35
_FOREIGN_RUN = re.compile(
    r"[\u00c2-\u00f4][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]{1,3}"
)
"""A UTF-8 character whose bytes were read as Latin-1 or Windows-1252."""
_NON_ASCII = re.compile(r"[^\x00-\x7f]")
_MIN_FOREIGN_RUNS = 3
_FOREIGN_SHARE = 0.5
_LOST = re.compile(r"锟斤拷|ï¿½|\ufffd")
_MIN_LOST = 3
_MAIL_HEADER_CHARS = 16_384


def is_binary(start: bytes) -> bool:
    """Whether control characters alone rule a text out, in any charset without zero bytes; a quick look before the charset is guessed."""
    sample = start[:_SAMPLE_CHARS]
    return b"\0" not in sample and len(sample.translate(None, _CONTROL_BYTES)) < (1 - _MAX_CONTROL_SHARE) * len(sample)


def is_text(start: bytes, charset: Charset) -> bool:
    """Whether bytes that no format claims are a text in that charset; a few stray zero bytes do no harm."""
    if charset.mixed:
        return True
    if charset.confidence < _MIN_LEGACY_CONFIDENCE:
        return False
    sample = start[:_SAMPLE_CHARS].decode(charset.encoding, "replace")
    if not sample:
        return False
    controls = sum(1 for _ in _CONTROL.finditer(sample)) + max(0, sample.count("\0") - len(sample) // 20)
    return controls <= _MAX_CONTROL_SHARE * len(sample) and sample.count("\ufffd") <= _MAX_UNDECODED_SHARE * len(sample)


def find_text_warnings(text: str, charset: Charset) -> tuple[str, ...]:
    """Warnings about the characters of a text."""
    sample = text[:_SAMPLE_CHARS]
    warnings = []
    if not sample.strip():
        warnings.append("only white space")
    if charset.mixed:
        warnings.append("mixed encodings: some lines are UTF-8, others are not")
    if _is_mojibake(sample):
        warnings.append("suspected mojibake: UTF-8 that was read in another charset and saved again")
    elif sum(1 for _ in _LOST.finditer(sample)) >= _MIN_LOST and not charset.mixed:
        warnings.append("lost characters: some were replaced when the text was decoded before")
    if "\0" in sample:
        warnings.append("zero bytes in the text")
    return tuple(warnings)


def _is_mojibake(sample: str) -> bool:
    """Most non-ASCII characters stand in runs that are valid UTF-8 once turned back into bytes."""
    foreign, runs = 0, 0
    for match in _FOREIGN_RUN.finditer(sample):
        for charset in ("cp1252", "latin-1"):
            try:
                match[0].encode(charset).decode("utf-8")
            except UnicodeError:
                continue
            foreign += len(match[0])
            runs += 1
            break
    return runs >= _MIN_FOREIGN_RUNS and foreign >= _FOREIGN_SHARE * sum(1 for _ in _NON_ASCII.finditer(sample))


def is_encrypted_mail(text: str) -> bool:
    """S/MIME or PGP/MIME as the type of the whole mail; signed mails can be read."""
    header = re.split(r"\r?\n\r?\n", text[:_MAIL_HEADER_CHARS], maxsplit=1)[0]
    field = re.search(r"^content-type:[ \t]*(.*(?:\r?\n[ \t].*)*)", header, re.IGNORECASE | re.MULTILINE)
    kind = field[1].lower() if field else ""
    return kind.startswith("multipart/encrypted") or (
        re.match(r"application/(?:x-)?pkcs7-mime", kind) is not None and "signed-data" not in kind
    )
