"""Plain texts whose signs mislead: encodings without a sign, and signs without an encoding."""

import codecs
import random
import re

from env.parsing.corpus.synthetic.documents import Document, reference_text
from env.parsing.corpus.synthetic.rendered import Rendered

_PUNCTUATION = re.compile(r"[^\w\s]")


def partly_escaped(document: Document) -> Rendered:
    """Prose in which only the punctuation is percent-encoded: words read well either way, but every escape leaves a stray number."""
    text = reference_text(document)
    return Rendered(_PUNCTUATION.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), text).encode(), text)


def escapes_as_content(document: Document, rng: random.Random) -> Rendered:
    """A manual that speaks of percent escapes, so that they are its content: decoding loses them."""
    lines = [document.title]
    for paragraph in document.prose():
        code = rng.randint(0x30, 0x39)
        lines.append(f"{paragraph} (%{code}%{rng.randint(10, 20)}%{code} %{rng.randint(21, 29)} %{rng.randint(40, 49)})")
    text = "\n".join(lines) + "\n"
    return Rendered(text.encode(), text)


def number_series(document: Document, rng: random.Random) -> Rendered:
    """Readings of a gauge, two digits each: they can be taken for hexadecimal bytes of letters, but the numbers are the content."""
    hours = 20 + len(document.blocks)
    text = "".join(" ".join(str(rng.choice((rng.randint(61, 79), 20))) for _ in range(24)) + "\n" for _ in range(hours))
    return Rendered(text.encode(), text)


def turned_list(document: Document) -> Rendered:
    """A list of names and numbers in ROT13: too few function words for a sign."""
    lines = [
        " ".join(word for word in line.split() if word[0].isupper() or word[0].isdigit()) for line in reference_text(document).splitlines()
    ]
    text = "\n".join(line for line in lines if line) + "\n"
    return Rendered(codecs.encode(text, "rot13").encode(), text)
