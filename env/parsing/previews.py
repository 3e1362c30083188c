"""Cuts the two previews of an observation out of a raw tool output (specification, parsing §6)."""


def cut_previews(text: str, head_chars: int, middle_chars: int) -> tuple[str, str]:
    """The first `head_chars` characters and `middle_chars` from the exact middle; the whole text where it is shorter."""
    return text[:head_chars], cut_middle(text, middle_chars)


def cut_middle(text: str, chars: int, total_chars: int | None = None) -> str:
    """`chars` characters around the exact middle of a text.

    Args:
        text: the text, or a stretch that `cut_middle` took out of it and that is at least `chars` long.
        chars: how many characters to take.
        total_chars: length of the original when `text` is such a stretch. It decides to which side an odd character falls,
            so that cutting twice gives exactly what cutting once would.
    """
    total = len(text) if total_chars is None else total_chars
    offset = max(0, (total - len(text)) // 2)
    start = max(0, (total - chars) // 2) - offset
    return text[start : start + chars]
