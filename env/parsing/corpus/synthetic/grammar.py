"""Prose by grammar: seeded sentences and paragraphs about a field of work, in English and Chinese."""

import random
import re
from typing import Literal

from env.parsing.corpus.synthetic import vocabulary as words
from env.parsing.corpus.synthetic.vocabulary import Field

Language = Literal["en", "zh"]

_ENGLISH_SENTENCES = (
    "The {q} {t} of the {t2} was {p} by {person} in {year}.",
    "In the {t} near {place}, each {q} {t2} {v} the {t3} for about {n} days.",
    "It was {p} that the {t} {v} the {t2}, but not the {q} {t3} at {place}.",
    "When the {m} of the {t} is above {n}, the {t2} must be {p} before the {t3} can be used.",
    "Most of the {q} {t2} from {place} had been {p} with a {t}, and {n} of them were {p2} again.",
    "This {t} {v} a {q} {t2}, which is why the {m} has been {p} since {year}.",
    "According to {person}, there is no {q} {t} that {v} the {t2} as well as the {t3}.",
    "The {m} and the {m2} of the {t} are shown for {place}, where they were {p} in {year}.",
    "If the {q} {t} is {p} too late, then the {t2} {v} only the {t3}.",
    "A {t} with a {q} {t2} would be more {q2} than the one that {person} {v2} in {place}.",
    "From {year} to {year2} the {t} at {place} was {p} {n} times, and the {t2} was then {p2}.",
    "All that is known of the {t} has been {p} in the {t2} by {person} and the team of {place}.",
)
_VOWEL_AFTER_A = re.compile(r"(?<=\b[Aa])(?= [aeiou])")
_ENGLISH_PAST = ("had described", "had seen", "had built", "had found", "had expected")
_CHINESE_SENTENCES = (
    "{year}年，{person}在{place}对{q}的{t}进行了观察。",
    "我们发现{q}的{t}可以{v}{t2}，但是不能{v2}{t3}。",
    "当{t}的{m}高于{n}时，{t2}的{m2}也会有所变化。",
    "根据{person}的报告，{place}的{t}是一个{q}的例子。",
    "这些{t}和{t2}在{year}年以后由{place}的工人重新建设。",
    "如果{t}不能{v}{t2}，那么{t3}就会成为主要问题。",
    "在{place}，{q}的{t}一共有{n}个，其中大部分与{t2}有关。",
    "因此，{t}的{m}不仅{v}{t2}，而且{v2}{q}的{t3}。",
    "从{year}年到{year2}年，{t}的{m}平均提高了{n}。",
    "{person}认为，{t}与{t2}之间的关系还没有得到完全的说明。",
)


class Grammar:
    """Writes about one field of work in one language, from its own random numbers."""

    def __init__(self, language: Language, rng: random.Random) -> None:
        self.language = language
        self.rng = rng
        self.field: Field = rng.choice(words.ENGLISH_FIELDS if language == "en" else words.CHINESE_FIELDS)

    def sentence(self) -> str:
        """One sentence."""
        pattern = self.rng.choice(_ENGLISH_SENTENCES if self.language == "en" else _CHINESE_SENTENCES)
        return _VOWEL_AFTER_A.sub("n", pattern.format(**self._choices()))

    def paragraph(self, sentences: int) -> str:
        """Several sentences; no line breaks."""
        return (" " if self.language == "en" else "").join(self.sentence() for _ in range(sentences))

    def title(self) -> str:
        """Title of a document."""
        one, two = self.rng.sample(self.field.things, 2)
        place, quality = self._pick("PLACES"), self.rng.choice(self.field.qualities)
        if self.language == "zh":
            return f"{place}{quality}{one}与{two}的研究"
        return f"{quality.capitalize()} {one} and {two}: a study from {place}"

    def section(self) -> str:
        """Heading of a section."""
        thing = self.rng.choice(self.field.things)
        name = self._pick("SECTIONS")
        return f"{thing}的{name}" if self.language == "zh" else f"{name} of the {thing}"

    def phrase(self) -> str:
        """A few words, for table cells and list items."""
        quality, thing = self.rng.choice(self.field.qualities), self.rng.choice(self.field.things)
        return f"{quality}{thing}" if self.language == "zh" else f"{quality} {thing}"

    def bullet(self) -> str:
        """A short line of a list or slide."""
        one, two = self.rng.sample(self.field.things, 2)
        if self.language == "zh":
            return f"{one}{self._pick('VERBS')}{two}，{self._pick('PLACES')}"
        return f"the {one} {self._pick('VERBS')} the {two} at {self._pick('PLACES')}"

    def caption(self) -> str:
        """Caption of a table."""
        measure, thing = self.rng.choice(self.field.measures), self.rng.choice(self.field.things)
        return f"各地{thing}的{measure}" if self.language == "zh" else f"The {measure} of each {thing} by place"

    def place(self) -> str:
        """Name of a place."""
        return self._pick("PLACES")

    def person(self) -> str:
        """Name of a person."""
        return self._pick("PEOPLE")

    def menu(self) -> str:
        """Entry of a navigation menu."""
        return self._pick("MENU")

    def _choices(self) -> dict[str, object]:
        rng, field = self.rng, self.field
        things, qualities = rng.sample(field.things, 3), rng.sample(field.qualities, 2)
        measures, year = rng.sample(field.measures, 2), rng.randint(1890, 2010)
        common: dict[str, object] = {
            **dict(zip(("t", "t2", "t3"), things, strict=True)),
            **dict(zip(("q", "q2"), qualities, strict=True)),
            **dict(zip(("m", "m2"), measures, strict=True)),
            "place": self._pick("PLACES"),
            "person": self._pick("PEOPLE"),
            "year": year,
            "year2": year + rng.randint(2, 14),
            "n": rng.randint(11, 980),
        }
        if self.language == "zh":
            return common | dict(zip(("v", "v2"), rng.sample(words.CHINESE_VERBS, 2), strict=True))
        participles = rng.sample(words.ENGLISH_PARTICIPLES, 2)
        return common | {"v": self._pick("VERBS"), "v2": rng.choice(_ENGLISH_PAST), "p": participles[0], "p2": participles[1]}

    def _pick(self, name: Literal["PLACES", "PEOPLE", "SECTIONS", "MENU", "VERBS"]) -> str:
        english, chinese = _LISTS[name]
        return self.rng.choice(english if self.language == "en" else chinese)


_LISTS = {
    "PLACES": (words.ENGLISH_PLACES, words.CHINESE_PLACES),
    "PEOPLE": (words.ENGLISH_PEOPLE, words.CHINESE_PEOPLE),
    "SECTIONS": (words.ENGLISH_SECTIONS, words.CHINESE_SECTIONS),
    "MENU": (words.ENGLISH_MENU, words.CHINESE_MENU),
    "VERBS": (words.ENGLISH_VERBS, words.CHINESE_VERBS),
}
