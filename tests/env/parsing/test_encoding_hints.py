"""Hints at encoded texts: found on every encoding, never on ordinary text."""

import base64
import codecs
import hashlib
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from env.parsing.encoding_hints import EncodingHint, find_hints

ENGLISH = (
    "The committee met on Tuesday and agreed that the report should be published in the autumn. It was written by three people who "
    "had worked in the field for many years, and most of what they say is based on visits to the places they describe."
)
CHINESE = "深度学习是机器学习的一个分支，它使用多层神经网络来学习数据的表示。近年来，这种方法在图像识别等领域取得了很大的进展。"
MORSE = dict(zip("etaoinshrdlu", [".", "-", ".-", "---", "..", "-.", "...", "....", ".-.", "-..", ".-..", "..-"], strict=True))


def to_morse(text: str) -> str:
    return " / ".join(" ".join(MORSE[char] for char in word if char in MORSE) for word in text.lower().split())


ENCODED = [
    (EncodingHint.BASE64, base64.b64encode(ENGLISH.encode()).decode()),
    (EncodingHint.BASE64, base64.encodebytes(ENGLISH.encode()).decode()),
    (EncodingHint.BASE64, base64.urlsafe_b64encode(CHINESE.encode()).decode()),
    (EncodingHint.BASE64, base64.b64encode(CHINESE.encode("gb18030")).decode()),
    (EncodingHint.BASE64, base64.b64encode(ENGLISH.encode("utf-16")).decode()),
    (EncodingHint.HEX, ENGLISH.encode().hex()),
    (EncodingHint.HEX, CHINESE.encode().hex(" ").upper()),
    (EncodingHint.HEX, "".join(f"\\x{byte:02x}" for byte in ENGLISH.encode())),
    (EncodingHint.HEX, ", ".join(f"0x{byte:02x}" for byte in ENGLISH.encode())),
    (EncodingHint.MORSE, to_morse(ENGLISH)),
    (EncodingHint.MORSE, to_morse(ENGLISH).replace(" / ", "\n")),
    (EncodingHint.URL, quote(ENGLISH)),
    (EncodingHint.URL, quote_plus(ENGLISH)),
    (EncodingHint.URL, quote(CHINESE)),
    (EncodingHint.URL, quote(CHINESE.encode("gb18030"))),
    (EncodingHint.ROT13, codecs.encode(ENGLISH, "rot13")),
]
ORDINARY = [
    ENGLISH,
    CHINESE,
    "",
    "ok",
    "-" * 400,
    "- - - - - - - - - - - - - - - -\n" * 10,
    "....................\n" * 5,
    "\n".join(hashlib.sha256(bytes([number])).hexdigest() for number in range(20)),
    "\n".join(hashlib.md5(bytes([number])).hexdigest() for number in range(20)),
    "0123456789" * 20,
    "a,b,c\n" * 50,
    "45,46,47\n48,49,50\n" * 20,
    "lorem " * 2000,
    "Donaudampfschifffahrtsgesellschaftskapitänswitwe " * 5,
    "https://example.org/a%20b%20c?q=%E4%BD%A0%E5%A5%BD",
    "See https://example.org/a%20b%20c and https://example.org/d%20e for more, then read the rest of the page as it stands there.",
    "name,size\nalpha,12\nbeta,13\n" * 5,
    "def add(a, b):\n    return a + b\n" * 10,
    base64.b64encode(hashlib.sha512(b"key").digest() * 4).decode(),
]


@pytest.mark.parametrize(("hint", "text"), ENCODED, ids=[f"{hint}-{number}" for number, (hint, _) in enumerate(ENCODED)])
def test_an_encoded_text_gets_its_hint_and_no_other(hint: EncodingHint, text: str) -> None:
    assert find_hints(text) == (hint,)


@pytest.mark.parametrize("text", ORDINARY, ids=range(len(ORDINARY)))
def test_ordinary_text_gets_no_hint(text: str) -> None:
    assert find_hints(text) == ()


@given(st.text(st.characters(exclude_categories=["Cs"], max_codepoint=0x2FFF), min_size=30, max_size=300))
def test_hex_of_any_printable_text_is_recognised(text: str) -> None:
    printable = "".join(char for char in text if char.isprintable()) + ENGLISH
    assert find_hints(printable.encode().hex()) == (EncodingHint.HEX,)


@given(st.text(max_size=200))
def test_any_text_at_all_is_looked_at_without_an_error(text: str) -> None:
    assert len(find_hints(text)) <= 1
