import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from env.parsing.formulas import ProtectedHtml, protect_formulas, restore_formulas

X = "<math><mi>x</mi></math>"
WIKIPEDIA = (
    '<{box} class="mwe-math-element"><{box} class="mwe-math-mathml-inline mwe-math-mathml-a11y" style="display: none;">\n'
    '<math xmlns="http://www.w3.org/1998/Math/MathML" alttext="{{\\displaystyle a&gt;b}}"><semantics><mi>a</mi>'
    '<annotation encoding="application/x-tex">{{\\displaystyle a&gt;b}}</annotation></semantics></math>\n'
    '</{box}><img src="f.svg" class="mwe-math-fallback-image-inline" alt="{{\\displaystyle a>b}}" /></{box}>'
)
KATEX = (
    '<span class="katex"><span class="katex-mathml"><math><semantics><mi>E</mi><annotation encoding="application/x-tex">E</annotation>'
    '</semantics></math></span><span class="katex-html" aria-hidden="true"><span class="base"><span>E</span></span></span></span>'
)


def take_out(page: str) -> tuple[str, ...]:
    return protect_formulas(page).formulas


def test_each_formula_is_replaced_by_its_number():
    page = f"<p>a {X} b <MATH display='block'><mn>2</mn></MATH> c</p>"
    assert protect_formulas(page) == ProtectedHtml("<p>a ⟦F1⟧ b ⟦F2⟧ c</p>", ("x", "2"), 1)


def test_a_page_without_formulas_is_left_alone():
    page = "<p>⟦F3⟧ mathematics <math-field>x</math-field> and <math/> or </math></p>"
    assert protect_formulas(page) == ProtectedHtml(page, (), 1)


@pytest.mark.parametrize(
    ("element", "latex"),
    [
        (
            '<math alttext="b"><semantics><mi>c</mi><annotation encoding="application/x-tex"> a_1 &lt; 2 </annotation></semantics></math>',
            "a_1 < 2",
        ),
        (
            '<math><semantics><mi>c</mi><annotation encoding="application/x-tex">a<b \\frac12</annotation></semantics></math>',
            "a<b \\frac12",
        ),
        ('<math><mi>c</mi><annotation encoding="LaTeX"><![CDATA[a&amp;<b]]></annotation></math>', "a&amp;<b"),
        ('<math><mi>c</mi><annotation encoding="StarMath 5.0">A</annotation><annotation encoding="TeX">t</annotation></math>', "t"),
        ('<math><mi>c</mi><annotation encoding="application/x-tex"> </annotation></math>', "c"),
        ('<math alttext="a &gt; b"><mi>c</mi></math>', "a > b"),
        ("<math alttext='x>y'><mi>c</mi></math>", "x>y"),
        ("<math alttext=''><mi>c</mi></math>", "c"),
        ("<math></math>", ""),
    ],
)
def test_the_tex_annotation_wins_over_alttext_and_that_over_conversion(element: str, latex: str):
    assert take_out(element) == (latex,)


def test_a_formula_that_cannot_be_converted_keeps_its_text():
    deep = "<math>" + "<mrow>" * 3000 + "<mi>deep</mi>" + "</mrow>" * 3000 + "</math>"
    assert take_out("<math><mfrac><mi>one</mi></mfrac><mo>&lt;</mo></math>" + deep) == ("one <", "deep")


def test_unclosed_formulas_do_not_hide_the_others():
    page = f"<math><mi>lost</mi><p>prose</p> {X} between {X}<math>"
    assert protect_formulas(page).html == "<math><mi>lost</mi><p>prose</p> ⟦F1⟧ between ⟦F2⟧<math>"


def test_nested_formulas_are_one_formula():
    assert protect_formulas(f"a<math><mrow>{X}</mrow><mn>2</mn></math>b{X}") == ProtectedHtml("a⟦F1⟧b⟦F2⟧", ("x 2", "x"), 1)


@pytest.mark.parametrize(
    "hidden",
    [
        f"<!-- {X} -->",
        f"<script>draw('{X}')</script>",
        f"<style>{X}</style >",
        f"<TITLE>{X}</TITLE>",
        f'<span data-mathml="{X}"></span>',
        f"<img alt = '{X}'>",
    ],
)
def test_formulas_that_a_browser_does_not_see_stay(hidden: str):
    assert protect_formulas(f"{hidden}{X}") == ProtectedHtml(f"{hidden}⟦F1⟧", ("x",), 1)


@pytest.mark.parametrize("opening", ["<!-- ", "<script>"])
def test_what_is_never_closed_hides_the_rest_of_the_page(opening: str):
    assert protect_formulas(f"{X}{opening}{X}").html == f"⟦F1⟧{opening}{X}"


@pytest.mark.parametrize("comment", ["<!-->", "<!--->", "<!-- a --!>"])
def test_odd_comments_end_where_browsers_end_them(comment: str):
    assert protect_formulas(f"{comment}{X}").html == f"{comment}⟦F1⟧"


def test_elements_with_a_namespace_prefix_are_formulas():
    assert take_out('<m:math xmlns:m="http://www.w3.org/1998/Math/MathML"><m:msup><m:mi>x</m:mi><m:mn>2</m:mn></m:msup></m:math>') == (
        "x^{2}",
    )


@pytest.mark.parametrize("box", ["span", "div"])
def test_wikipedia_formulas_are_shown_once_and_not_hidden(box: str):
    page = protect_formulas(f"<p>If {WIKIPEDIA.format(box=box)} then</p>")
    assert page.formulas == ("{\\displaystyle a>b}",)
    assert page.html == f'<p>If <{box} class="mwe-math-element"><{box}>\n⟦F1⟧\n</{box}></{box}> then</p>'


def test_katex_formulas_are_shown_once():
    page = protect_formulas(f"<p>If {KATEX} then</p>")
    assert page.html == '<p>If <span class="katex"><span class="katex-mathml">⟦F1⟧</span></span> then</p>'


@pytest.mark.parametrize("behind", ["<p>prose</p></span></span>", f"{X}</span></span>"])
def test_a_drawn_copy_without_its_end_takes_nothing_away(behind: str):
    page = f'<span>{X}</span><span class="katex-html"><span>x</span><span>{behind}'
    assert "katex-html" in protect_formulas(page).html
    assert len(take_out(page)) == page.count("<math>")
    assert ("prose" in page) == ("prose" in protect_formulas(page).html)


def test_an_image_that_is_the_only_copy_of_a_formula_stays():
    image = '<img class="mwe-math-fallback-image-inline" alt="c">'
    assert protect_formulas(f"{X}<p>other</p>{image}").html == f"⟦F1⟧<p>other</p>{image}"


@pytest.mark.parametrize(
    ("brackets", "first"),
    [
        ("⟦F1⟧", 2),
        ("⟦F7⟧ ⟦F2⟧", 8),
        ("⟦F007⟧", 8),
        ("&#x27E6;F3&#10215;", 4),
        ("⟦F<b>5</b>⟧", 6),
        ('<math alttext="⟦F2⟧"></math>', 3),
        ("⟦F99999999⟧ ⟦F100000000⟧", 100000001),
        ("⟦F999999999⟧ ⟦F12345678901⟧ ⟦F⟧ ⟦Fx⟧", 1),
    ],
)
def test_brackets_of_the_document_are_not_taken_for_ours(brackets: str, first: int):
    page = protect_formulas(f"{brackets} {X}")
    assert page.first == first
    assert restore_formulas(page.html, page.formulas, page.first) == f"{brackets} x".replace('<math alttext="⟦F2⟧"></math>', "⟦F2⟧")


def test_restoring_leaves_numbers_of_nobody():
    assert restore_formulas("⟦F1⟧ ⟦F2⟧ ⟦F3⟧ ⟦F4⟧", ("a", "⟦F2⟧"), 2) == "⟦F1⟧ a ⟦F2⟧ ⟦F4⟧"
    assert restore_formulas("⟦F1⟧", (), 1) == "⟦F1⟧"


def test_half_characters_do_not_reach_the_result():
    assert take_out("<math alttext='\ud800'></math><math><mi>\udfff</mi></math>") == ("?", "?")


TAGS = ["<math>", "</math>", "<math/>", "<script>", "</script>", "<span class='mwe-math-mathml'>", "<span class='katex-html'>", "</span>"]
PIECES = [
    *TAGS,
    X,
    KATEX,
    "<img class='mwe-math-fallback' alt='x'>",
    "<!--",
    "-->",
    "<",
    ">",
    '"',
    "'",
    "=",
    "&#x27E6;",
    "⟦F1⟧",
    "⟦F",
    "⟧",
    "2",
]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=25).map("".join))
def test_no_page_is_too_broken_and_every_placeholder_is_new_and_in_order(page: str):
    protected = protect_formulas(page)
    numbers = [int(number) for number in re.findall(r"⟦F(\d{1,9})⟧", protected.html)]
    ours = range(protected.first, protected.first + len(protected.formulas))
    assert [number for number in numbers if number in ours] == list(ours)
    assert protect_formulas(page) == protected


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(exclude_characters="<>&", exclude_categories=["Cs"])),
            st.from_regex(r"[a-z0-9_^{}\\ ⟦F⟧]*", fullmatch=True),
        )
    ),
)
def test_restoring_is_the_inverse_of_protecting(parts: list[tuple[str, str]]):
    page = "".join(f'{text}<math alttext="{latex} ."><mi>x</mi></math>' for text, latex in parts)
    protected = protect_formulas(page)
    restored = restore_formulas(protected.html, protected.formulas, protected.first)
    assert restored == "".join(text + f"{latex} .".strip() for text, latex in parts)
    assert len(protected.formulas) == len(parts)


def seconds(page: str) -> float:
    best = float("inf")
    for _ in range(2):
        start = time.process_time()
        protect_formulas(page)
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize(
    "unit",
    [
        "<p>w <math alttext='x'></math></p>",
        "<math>",
        "</math>",
        "<!-- ",
        "<a ",
        "<a b=\"'",
        "<script>",
        "<span class='katex-html'>",
        "<annotation encoding='TeX'>",
        "⟦F1⟧ ",
        "&#x27E6;F",
    ],
)
def test_time_grows_with_the_page_and_not_with_its_square(unit: str):
    def page(count: int) -> str:
        return f"<math alttext='x'></math>{unit * count}<math>{unit * 3}</math>"

    assert seconds(page(16_000)) < 8 * 4 * seconds(page(2_000)) + 0.05


@pytest.mark.parametrize("unit", ["<annotation ", "<annotation encoding='TeX'>", "</annotation>", "<m:", "<![CDATA[", "]]> ", "&"])
def test_time_grows_with_a_formula_and_not_with_its_square(unit: str):
    def page(count: int) -> str:
        return f"<math>{unit * count}></math>"

    assert seconds(page(16_000)) < 8 * 4 * seconds(page(2_000)) + 0.05
