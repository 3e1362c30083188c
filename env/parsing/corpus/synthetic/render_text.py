"""Plain text in many charsets and encodings."""

import base64
import codecs
import hashlib
import random
from urllib.parse import quote

from env.parsing.corpus.synthetic.documents import Document, Table, reference_text
from env.parsing.corpus.synthetic.render_web import markdown
from env.parsing.corpus.synthetic.rendered import Rendered

_SIGNS = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.. "
    "----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----. .-.-.- --..-- ---... -.--. -.--.-"
)
_MORSE = dict(zip("abcdefghijklmnopqrstuvwxyz0123456789.,:()", _SIGNS.split(" "), strict=True))
"""International Morse code, ITU-R M.1677-1."""


def render_txt(document: Document, charset: str = "utf-8") -> Rendered:
    """Plain text in a charset."""
    text = reference_text(document)
    return Rendered(text.encode(charset), text)


def render_csv(document: Document) -> Rendered:
    """The tables as comma-separated values."""
    rows = [row for block in document.blocks if isinstance(block, Table) for row in block.rows]
    text = "\n".join(",".join(row) for row in rows) + "\n"
    return Rendered(text.encode(), text)


def render_base64(document: Document) -> Rendered:
    """Base64 in lines of 76 characters."""
    text = reference_text(document)
    return Rendered(base64.encodebytes(text.encode()), text)


def render_hex(document: Document) -> Rendered:
    """Hexadecimal bytes in lines of 64 characters."""
    text = reference_text(document)
    digits = text.encode().hex()
    return Rendered("\n".join(digits[start : start + 64] for start in range(0, len(digits), 64)).encode(), text)


def render_url(document: Document) -> Rendered:
    """Percent-encoding."""
    text = reference_text(document)
    return Rendered(quote(text).encode(), text)


def render_morse(document: Document) -> Rendered:
    """Morse code of an English text; signs without a code are left out."""
    text = reference_text(document)
    known = "".join(char for char in text.lower() if char in _MORSE or char.isspace())
    lines = [" / ".join(" ".join(_MORSE[char] for char in word) for word in line.split()) for line in known.splitlines()]
    return Rendered("\n".join(lines).encode(), known)


def render_rot13(document: Document) -> Rendered:
    """Letters turned by 13."""
    text = reference_text(document)
    return Rendered(codecs.encode(text, "rot13").encode(), text)


def render_base64_markdown(document: Document) -> Rendered:
    """Base64 of a Markdown file."""
    return Rendered(base64.encodebytes(markdown(document).encode()), reference_text(document))


def render_digest(document: Document, rng: random.Random) -> Rendered:
    """A file that holds only a checksum: the text itself is not there."""
    digest = hashlib.new(rng.choice(("md5", "sha1", "sha256")), reference_text(document).encode())  # as found beside downloads
    return Rendered(f"{digest.hexdigest()}\n".encode(), None)


def render_random_bytes(document: Document, rng: random.Random) -> Rendered:  # noqa: ARG001 - the common signature
    """Random bytes without any format."""
    return Rendered(rng.randbytes(4000), None)
