import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewards.token_f1 import count_tokens, token_f1

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"


def count_plainly(text: str) -> Counter[str]:
    """The definition of the specification, written down as one would at first."""
    joined = re.sub(r"(?<=[^\W\d_])[-\u00ad\u2010]\r?\n[ \t]*(?=[^\W\d_])", "", text.lower())
    return Counter(re.findall(rf"[{CJK}]|[^\W\d_{CJK}]{{2,}}|\d+", joined))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The model LEARNS", "the model learns"),
        ("a b I x", ""),
        ("optimiza-\ntion", "optimization"),
        ("optimiza-\r\n   tion", "optimization"),
        ("optimiza\u2010\ntion", "optimization"),
        ("well-known", "well known"),
        ("pages 3-\n4", "pages 3 4"),
        ("end -\nnext", "end next"),
        ("in 1998, 3.14", "in 1998 3 14"),
        ("x86 and 42nd", "86 and 42 nd"),
        ("snake_case", "snake case"),
        ("don't", "don"),
        ("学习策略2次", "学 习 策 略 2 次"),
        ("模型model模", "模 型 model 模"),
        ("かな カナ", "か な カ ナ"),
        ("한국", "한 국"),
        ("naïve Größe", "naïve größe"),
        ("Москва город", "москва город"),
        ("תל אביב", "תל אביב"),
        ("𠀋", "𠀋"),
        ("", ""),
    ],
)
def test_tokens_are_words_single_cjk_characters_and_digit_runs(text: str, tokens: str) -> None:
    assert count_tokens(text) == Counter(tokens.split())


def test_the_worked_example_of_the_specification() -> None:
    score = token_f1("the the model policy page 3", "the model learns the policy")
    assert (score.overlap, score.reference_tokens, score.output_tokens) == (4, 5, 6)
    assert score.recall == 4 / 5
    assert score.precision == 4 / 6
    assert score.f1 == pytest.approx(0.7273, abs=5e-5)


@pytest.mark.parametrize(("output", "reference"), [("", ""), ("", "some words"), ("some words", ""), ("some words", "quite other")])
def test_nothing_in_common_scores_zero(output: str, reference: str) -> None:
    score = token_f1(output, reference)
    assert (score.f1, score.recall, score.precision) == (0, 0, 0)


TEXTS = st.text(alphabet=st.sampled_from("abzAZéß 中文字かカ한12_-\n\r\t\u2010\u00adאبЯ|.") | st.characters(), max_size=60)


@given(TEXTS)
def test_counting_runs_first_gives_what_the_plain_definition_gives(text: str) -> None:
    assert count_tokens(text) == count_plainly(text)


@given(TEXTS, TEXTS)
def test_scores_lie_in_range_and_counts_can_stand_for_texts(output: str, reference: str) -> None:
    score = token_f1(output, reference)
    assert 0 <= score.f1 <= 1
    assert min(score.recall, score.precision) <= score.f1 + 1e-9
    assert score.f1 <= max(score.recall, score.precision) + 1e-9
    assert token_f1(count_tokens(output), count_tokens(reference)) == score
    assert token_f1(reference, output).f1 == score.f1


@given(TEXTS)
def test_a_text_with_tokens_matches_itself_perfectly(text: str) -> None:
    assert token_f1(text, text).f1 == (1.0 if count_tokens(text) else 0.0)
