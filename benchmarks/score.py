"""Speed of the scorer: `score_vs_counter`, our token counting over the plain `re` + `Counter` version of the same definition.

    make bench-score

English, Chinese and mixed text by turns in one process; the best round of each counts. `score_equal` is 1 when both give the same counts.
"""

import random
import re
import time
from collections import Counter
from collections.abc import Callable

from rewards.token_f1 import count_tokens

ROUNDS = 15
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\r?\n[ \t]*(?=[^\W\d_])")
_TOKEN = re.compile(rf"[{_CJK}]|[^\W\d_{_CJK}]{{2,}}|\d+")


def plain(text: str) -> Counter[str]:
    """The definition, written down as one would at first."""
    return Counter(_TOKEN.findall(_HYPHEN.sub("", text.lower())))


def sample_text(kind: str, size: int, seed: int = 0) -> str:
    """Text with the word lengths, line ends and punctuation of prose."""
    rng = random.Random(f"{kind}/{seed}")  # noqa: S311 - test data
    words = ["".join(rng.choices("etaoinshrdlucmfwypvbgkq", k=rng.randint(1, 11))) for _ in range(4000)]
    characters = [chr(code) for code in rng.sample(range(0x4E00, 0x9FA5), 2000)]
    parts: list[str] = []
    length = 0
    while length < size:
        chinese = kind == "chinese" or (kind == "mixed" and rng.random() < 0.3)
        part = (
            "".join(rng.choices(characters, k=rng.randint(3, 20))) + "，"
            if chinese
            else rng.choice(words) + rng.choice([" "] * 8 + [", ", "-\n", ".\n"])
        )
        parts.append(part)
        length += len(part)
    return "".join(parts)


def best_seconds(function: Callable[[str], object], text: str) -> float:
    """Time of one call."""
    start = time.perf_counter()
    function(text)
    return time.perf_counter() - start


def main() -> None:
    """Print the ratio, the throughput and whether both agree."""
    texts = {kind: sample_text(kind, 300_000) for kind in ("english", "chinese", "mixed")}
    ours, theirs = dict.fromkeys(texts, float("inf")), dict.fromkeys(texts, float("inf"))
    for _ in range(ROUNDS):
        for kind, text in texts.items():
            ours[kind] = min(ours[kind], best_seconds(count_tokens, text))
            theirs[kind] = min(theirs[kind], best_seconds(plain, text))
    megabytes = sum(len(text.encode()) for text in texts.values()) / 1e6
    print(f"score_vs_counter {sum(theirs.values()) / sum(ours.values()):.3f}")
    for kind in texts:
        print(f"score_vs_counter_{kind} {theirs[kind] / ours[kind]:.3f}")
    print(f"score_mb_per_s {megabytes / sum(ours.values()):.2f}")
    print(f"score_equal {int(all(count_tokens(text) == plain(text) for text in texts.values()))}")


if __name__ == "__main__":
    main()
