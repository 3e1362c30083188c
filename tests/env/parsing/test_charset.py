"""Charsets from bytes: real sentences in many languages, encoded and guessed again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from env.parsing.charset import guess_charset

CHINESE = (
    "深度学习是机器学习的一个分支，它使用多层神经网络来学习数据的表示。近年来，这种方法在图像识别和自然语言处理等领域取得了很大的进展。"
)
TRADITIONAL = "臺灣位於亞洲東部，是世界上人口密度最高的國家與地區之一。首都臺北市是政治、經濟與文化的中心，每年都有許多人前來參觀。"
JAPANESE = (
    "東京は日本の首都であり、世界でも有数の大都市である。毎年、多くの観光客が浅草や渋谷を訪れ、買い物や食事を楽しんでいる。カメラも人気だ。"
)
KOREAN = "서울은 대한민국의 수도이며 가장 큰 도시이다. 한강을 끼고 있으며 역사와 문화의 중심지로서 많은 사람들이 이 도시를 찾고 있다."
RUSSIAN = "Москва является столицей России и крупнейшим городом страны. Население города составляет более двенадцати миллионов человек."
GERMAN = "Die Universität München wurde im fünfzehnten Jahrhundert gegründet; später gehörten über tausend dazu – größer als früher."
FRENCH = "L’été dernier, les élèves ont visité la forêt où naît la rivière ; ça leur a beaucoup plu, même à la fin de la journée."
SAMPLES = [
    (CHINESE, "gb18030"),
    (CHINESE, "gbk"),
    (TRADITIONAL, "big5"),
    (JAPANESE, "cp932"),
    (JAPANESE, "euc_jp"),
    (JAPANESE, "iso2022_jp"),
    (KOREAN, "cp949"),
    (RUSSIAN, "cp1251"),
    (RUSSIAN, "koi8_r"),
    (GERMAN, "cp1252"),
    (FRENCH, "cp1252"),
]
ENGLISH = "The plain English text goes on and on, and nothing in it says anything about its charset.\n"


@pytest.mark.parametrize(("text", "encoding"), SAMPLES, ids=lambda value: value if value.isascii() else "")
def test_a_legacy_charset_is_recognised_by_what_it_makes_of_the_bytes(text: str, encoding: str) -> None:
    data = text.encode(encoding)
    guess = guess_charset(data)
    assert data.decode(guess.encoding) == text
    assert not guess.mixed


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("text", [CHINESE + "\n" + CHINESE, ENGLISH * 3, RUSSIAN], ids=["chinese", "english", "russian"])
def test_unicode_without_a_mark_is_recognised(text: str, encoding: str) -> None:
    data = text.encode(encoding)
    assert data.decode(guess_charset(data).encoding) == text


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_is_certain_and_not_part_of_the_text(encoding: str) -> None:
    data = CHINESE.encode(encoding)
    guess = guess_charset(data)
    assert (data.decode(guess.encoding), guess.confidence) == (CHINESE, 1.0)


def test_big_endian_marks_are_read() -> None:
    data = b"\xfe\xff" + CHINESE.encode("utf-16-be")
    assert data.decode(guess_charset(data).encoding) == CHINESE


@pytest.mark.parametrize("length", [10, 20, 50])
def test_a_little_chinese_deep_in_a_long_english_text_is_found(length: int) -> None:
    data = (ENGLISH * 1500 + CHINESE[:length] + "\n" + ENGLISH * 100).encode("gb18030")
    assert guess_charset(data).encoding == "gb18030"


def test_plain_ascii_is_utf8_for_certain() -> None:
    guess = guess_charset(ENGLISH.encode())
    assert (guess.encoding, guess.confidence) == ("utf-8", 1.0)


def test_a_declaration_tips_the_balance_between_charsets_that_fit() -> None:
    page = '<html><head><meta charset="iso-8859-2"></head><body>{}</body></html>'.format(
        "Łódź leży w środkowej Polsce, źródło wody jest czyste"
    )
    data = page.encode("iso8859_2")
    assert data.decode(guess_charset(data).encoding) == page


def test_a_false_declaration_does_not_win_against_the_bytes() -> None:
    page = f'<html><head><meta charset="iso-8859-1"></head><body>{CHINESE}</body></html>'
    assert guess_charset(page.encode("gb18030")).encoding == "gb18030"


def test_an_unknown_declaration_is_ignored() -> None:
    page = f'<html><head><meta charset="x-no-such-thing"></head><body>{CHINESE}</body></html>'
    assert guess_charset(page.encode("gb18030")).encoding == "gb18030"


def test_lines_in_two_charsets_are_noticed() -> None:
    data = (CHINESE + "\n").encode() * 3 + (CHINESE + "\n").encode("gb18030") * 2
    guess = guess_charset(data)
    assert guess.mixed
    assert guess.encoding == "utf-8"
    assert guess.confidence < 0.9


def test_utf8_cut_within_a_character_is_still_utf8() -> None:
    data = CHINESE.encode()[:-1]
    assert guess_charset(data, whole=False).confidence == 1.0
    assert guess_charset(data, whole=False).encoding == "utf-8"


@given(st.binary(max_size=300), st.booleans())
def test_any_bytes_get_a_charset_that_python_knows(data: bytes, whole: bool) -> None:
    guess = guess_charset(data, whole=whole)
    data.decode(guess.encoding, "replace")
    assert 0 <= guess.confidence <= 1


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=200))
def test_utf8_is_never_taken_for_anything_else(text: str) -> None:
    data = text.encode()
    assert data.decode(guess_charset(data).encoding).lstrip("\ufeff") == text.lstrip("\ufeff")
