from hypothesis import given
from hypothesis import strategies as st

from env.parsing.previews import cut_middle, cut_previews


def test_the_middle_is_the_exact_middle() -> None:
    assert cut_previews("abcdefghij", 3, 4) == ("abc", "defg")
    assert cut_previews("abcdefghi", 0, 3) == ("", "def")


def test_a_short_text_is_shown_whole() -> None:
    assert cut_previews("abc", 600, 400) == ("abc", "abc")
    assert cut_previews("", 600, 400) == ("", "")


@given(st.text(alphabet="abcdefgh中é", max_size=60), st.integers(0, 30), st.integers(0, 30))
def test_a_preview_cut_from_a_longer_preview_equals_one_cut_from_the_text(text: str, longer: int, chars: int) -> None:
    shorter = min(longer, chars)
    assert cut_middle(cut_middle(text, longer), shorter, len(text)) == cut_middle(text, shorter)
