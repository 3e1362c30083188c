"""Decoders of encoded text: base64, hex, Morse, URL percent-encoding and ROT13.

They refuse what is not in their alphabet; only ROT13 cannot tell, since every text is in its alphabet.
"""

import base64 as b64
import codecs
import re
from collections.abc import Callable
from urllib.parse import unquote_to_bytes

from env.parsing.tools.dependencies import requires, versions
from env.parsing.tools.plain_text import TEXT_FORMATS, read_text
from env.parsing.tools.tool import Tool, ToolInput, ToolSpec

_SIGNS = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.. "
    "----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----. "
    ".-.-.- --..-- ..--.. .----. -.-.-- -..-. -.--. -.--.- .-... ---... -.-.-. -...- .-.-. -....- ..--.- .-..-. ...-..- .--.-."
)
MORSE = dict(zip(_SIGNS.split(" "), "abcdefghijklmnopqrstuvwxyz0123456789.,?'!/()&:;=+-_\"$@", strict=True))
"""International Morse code, ITU-R M.1677-1, with the usual extra signs `! & ; _ $`."""
_MORSE_SIGNS = str.maketrans("·•∙−–—_|", "...----/")
_BINARY_MAGIC = (b"%PDF-", b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x89PNG", b"\xff\xd8\xff", b"\x1f\x8b")


def decode_bytes(data: bytes) -> str:
    """Text of decoded bytes: UTF-16 with its mark, UTF-8, or GB18030.

    Raises:
        ValueError: the bytes are a binary file or no text in these charsets.
    """
    if data.startswith(_BINARY_MAGIC):
        raise ValueError(f"decodes to a binary file that starts with {data[:8]!r}, not to text")
    charsets = ("utf-16",) if data.startswith((b"\xff\xfe", b"\xfe\xff")) else ("utf-8-sig", "gb18030")
    for charset in charsets:
        try:
            return data.decode(charset)
        except UnicodeDecodeError:
            continue
    raise ValueError("decodes to bytes that are no text in UTF-8, UTF-16 or GB18030")


def decode_base64(text: str) -> str:
    """Decode base64 or base64url with any line breaks, with or without padding or a `data:` prefix.

    Raises:
        ValueError: another character occurs, or the bytes are no text.
    """
    body = re.sub(r"\s+", "", re.sub(r"\A\s*data:[^,]*;base64,", "", text)).rstrip("=").replace("-", "+").replace("_", "/")
    return decode_bytes(b64.b64decode(body + "=" * (-len(body) % 4), validate=True))


def decode_hex(text: str) -> str:
    r"""Decode hexadecimal bytes, also written `0x41`, `\x41` or `41:42`.

    Raises:
        ValueError: another character occurs, or the bytes are no text.
    """
    return decode_bytes(bytes.fromhex(re.sub(r"0[xX]|\\[xX]|[\s:,]", "", text)))


def decode_morse(text: str) -> str:
    """Decode Morse code; letters are parted by a blank, words by `/` or several blanks, an unknown sign becomes U+FFFD.

    Raises:
        ValueError: other characters than signs, blanks and slashes occur.
    """
    signs = text.translate(_MORSE_SIGNS)
    stray = re.search(r"[^.\-/\s]", signs)
    if stray:
        raise ValueError(f"not Morse code: {stray.group()!r} at character {stray.start()}")
    lines = ([word.split() for word in re.split(r"[ \t]*/[ \t]*|[ \t]{2,}", line.strip())] for line in signs.splitlines())
    return "\n".join(" ".join("".join(MORSE.get(sign, "\ufffd") for sign in word) for word in line) for line in lines)


def decode_url(text: str) -> str:
    """Decode percent-encoding; `+` is a blank when the text has no other blanks (form encoding).

    Raises:
        ValueError: there is no `%XX`, or the bytes are no text.
    """
    if not re.search(r"%[0-9A-Fa-f]{2}", text):
        raise ValueError("not URL-encoded: there is no %XX in it")
    return decode_bytes(unquote_to_bytes(text if " " in text.strip() else text.replace("+", " ")))


def decode_rot13(text: str) -> str:
    """Rotate Latin letters by 13; other characters stay."""
    return codecs.decode(text, "rot13")


def _make_decoder(name: str, decode: Callable[[str], str], description: str, description_zh: str) -> Tool:
    def extract(source: ToolInput) -> str:
        return decode(read_text(source))

    return Tool(
        spec=ToolSpec(name=name, description=description, description_zh=description_zh, lossless=True),
        formats=TEXT_FORMATS,
        family="text",
        extract=extract,
        version=versions(1),
        missing=requires(),
    )


BASE64 = _make_decoder("base64", decode_base64, "Decodes text that is Base64 as a whole.", "解码整体为 Base64 的文本。")
HEX = _make_decoder("hex", decode_hex, "Decodes text that is written as hexadecimal bytes.", "解码以十六进制字节书写的文本。")
MORSE_CODE = _make_decoder("morse", decode_morse, "Decodes Morse code; case is lost.", "解码摩尔斯电码；大小写会丢失。")
URL = _make_decoder("url", decode_url, "Decodes URL percent-encoding (%E4%BD%A0).", "解码 URL 百分号编码（%E4%BD%A0）。")
ROT13 = _make_decoder(
    "rot13", decode_rot13, "Rotates Latin letters by 13; ruins a text that is not ROT13.", "将拉丁字母轮换 13 位；非 ROT13 的文本会被弄乱。"
)
