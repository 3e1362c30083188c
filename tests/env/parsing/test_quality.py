import base64
import codecs
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from env.parsing.quality import quality_report, visible_text

ENGLISH = (
    "The meltwater of the northern glaciers gathers in shallow basins before it reaches the sea, and most of the rivers that begin there "
    "are cold enough to keep their fish for the whole of the summer. It is not known when the first settlers came to this valley. "
) * 5
CHINESE = "这个城市的历史可以追溯到公元前三百年，当时有许多人在这里建立了自己的家园。随着时间的发展，它成为了国家重要的政治和文化中心。" * 5
GERMAN = "Die Stadt liegt an einem Fluss und ist seit dem Mittelalter ein wichtiger Ort für den Handel mit Salz. " * 5
RUSSIAN = "Москва является столицей и крупнейшим городом страны. " * 10


@pytest.mark.parametrize("text", [ENGLISH, CHINESE, GERMAN, RUSSIAN, ENGLISH + CHINESE])
def test_language_looks_natural_and_clean(text: str) -> None:
    report = quality_report(text)
    assert report.natural > 0.9
    assert report.clean == 1.0


@pytest.mark.parametrize(
    "text",
    [
        codecs.encode(ENGLISH, "rot13"),
        base64.b64encode(ENGLISH.encode()).decode(),
        ENGLISH.encode().hex(),
        ".... . .-.. .-.. --- / " * 50,
        "".join(f"%{byte:02X}" for byte in ENGLISH.encode()),
        CHINESE.encode("gb18030").decode("latin-1"),
        CHINESE.encode().decode("latin-1"),
        CHINESE.encode().decode("gb18030", errors="replace"),
        CHINESE.encode("gb18030").decode("big5", errors="replace"),
        ENGLISH.replace(" ", ""),
        "",
    ],
    ids=["rot13", "base64", "hex", "morse", "url", "gbk as latin-1", "utf-8 as latin-1", "utf-8 as gbk", "gbk as big5", "glued", "empty"],
)
def test_encoded_wrongly_decoded_and_glued_text_does_not_look_natural(text: str) -> None:
    assert quality_report(text).natural < 0.4


def test_natural_weighs_scripts_by_their_length() -> None:
    mostly_garbage = quality_report(ENGLISH + "丂丄丅丆" * 2000).natural
    hardly_any = quality_report(ENGLISH * 20 + "丂丄丅丆").natural
    assert mostly_garbage < 0.2 < 0.9 < hardly_any


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("abcdefghi\ufffd", 0.9),
        ("abcdefghi\x02", 0.9),
        ("abcdefghi\ue123", 0.9),
        ("line\tof\r\ntext", 1.0),
        ("x" * 42 + "(cid:12)", 0.9),
        ("", 0.0),
    ],
)
def test_bad_characters_lower_clean_and_a_cid_counts_five_times(text: str, clean: float) -> None:
    assert quality_report(text).clean == pytest.approx(clean)


def test_repeated_long_lines_are_duplicates_and_short_ones_are_not() -> None:
    line = "This running head stands on every page of it.\n"
    assert quality_report(line * 4).duplicate == 0.75
    assert quality_report("short\n" * 50).duplicate == 0


def test_structure_is_counted_on_the_raw_text() -> None:
    report = quality_report("# One\n## Two\n| a | b |\n|---|:---:|\n| 1 | 2 |\n⟦F1⟧ and \\frac{1}{2} ≤ 3\n#no heading\n")
    assert (report.headings, report.table_rows, report.math) == (2, 2, 3)


def test_an_inlined_image_counts_as_length_only() -> None:
    image = "![chart](data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUg" * 4000 + "==)"
    with_image, without = quality_report(ENGLISH + image + ENGLISH), quality_report(ENGLISH + "![chart]()" + ENGLISH)
    assert with_image.model_copy(update={"chars": 0}) == without.model_copy(update={"chars": 0})
    assert with_image.chars > 80_000


def test_text_after_an_image_stays_and_its_continuation_lines_go() -> None:
    data = "\n".join(["iVBORw0KGgo" * 6] * 3)
    assert visible_text(f"data:image/png;base64,{data} the words after it").split() == ["the", "words", "after", "it"]


def test_tags_rules_and_bars_are_not_visible() -> None:
    assert visible_text('<p class="x">one</p> | two |\n| --- | --- |\n5 < 6 and 7 > 6').split() == [
        "one",
        "two",
        "5",
        "<",
        "6",
        "and",
        "7",
        ">",
        "6",
    ]


def test_numbers_are_rounded_so_that_observations_stay_short() -> None:
    report = quality_report(ENGLISH + "\ufffd", coverage=0.123456789)
    assert report.coverage == 0.123
    assert all(len(str(number)) <= 6 for number in (report.natural, report.clean, report.duplicate))


@given(st.text(alphabet=st.characters(exclude_categories=[]) | st.sampled_from("<>|-(cid:)# \n\ud800中")))
def test_every_text_gets_a_report_in_range(text: str) -> None:
    report = quality_report(text)
    assert report.chars == len(text)
    assert all(0 <= number <= 1 for number in (report.natural, report.clean, report.duplicate))
    assert min(report.content_tokens, report.headings, report.table_rows, report.math) >= 0


@pytest.mark.parametrize(
    "piece", ["<", "<a", "|", "| ", " |", "(cid:", "data:", "data:a/b;base64,", " ", "-", "-|", "-\n", "x", "中", "# "]
)
def test_no_text_makes_a_pattern_backtrack(piece: str) -> None:
    text = "|\n" + piece * (500_000 // len(piece))
    start = time.process_time()
    quality_report(text)
    assert time.process_time() - start < 10  # under a second; a quadratic pattern would need hours
