import base64
import codecs
import quopri
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from env.parsing.tools import decoders
from env.parsing.tools.markitdown import MARKITDOWN
from env.parsing.tools.markup_text import EMAIL, MARKUP_TEXT
from env.parsing.tools.pandoc import PANDOC, PANDOC_PLAIN
from env.parsing.tools.plain_text import PLAIN_TEXT
from env.parsing.tools.trafilatura import TRAFILATURA

CHINESE = "湖面结冰之前，候鸟已经离开。"
# Plain text whose bytes are not those of another charset or file type: UTF-8 comes first, so any of it survives.
texts = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff"), min_size=1).filter(lambda text: text.strip())
PAGE = (
    "<html><head><title>Reeds</title><style>p {color: red}</style><script>track()</script></head>"
    "<body><nav><a href='/x'>Home</a></nav><article><h1>Reeds</h1>"
    + "<p>The reeds along the <b>river</b> bank grow taller every year, and ⟦F1⟧ says how fast.</p>" * 3
    + "</article></body></html>"
)
NOTEBOOK = b'{"cells":[{"cell_type":"markdown","metadata":{},"source":["Willow bark soup"]}],"metadata":{},"nbformat":4,"nbformat_minor":5}'


@given(texts)
def test_base64_in_any_spelling_gives_the_text_back(text):
    data = text.encode()
    assert decoders.decode_base64(base64.encodebytes(data).decode()) == text
    assert decoders.decode_base64(base64.urlsafe_b64encode(data).decode().rstrip("=")) == text


@given(texts)
def test_hex_in_any_spelling_gives_the_text_back(text):
    data = text.encode()
    assert decoders.decode_hex(data.hex()) == text
    assert decoders.decode_hex(data.hex(":").upper()) == text
    assert decoders.decode_hex("".join(f"\\x{byte:02x}" for byte in data)) == text


@given(texts)
def test_percent_encoding_of_any_text_gives_it_back(text):
    for encoded in (quote(text, safe="") + "%20", quote_plus(text) + "%20"):
        assert decoders.decode_url(encoded) == text + " "


@given(st.text())
def test_rot13_twice_changes_nothing(text):
    assert decoders.decode_rot13(decoders.decode_rot13(text)) == text


@given(st.lists(st.lists(st.sampled_from(sorted(decoders.MORSE.values())), min_size=1), min_size=1))
def test_morse_signs_give_the_words_back(words):
    signs = {letter: sign for sign, letter in decoders.MORSE.items()}
    coded = " / ".join(" ".join(signs[letter] for letter in word) for word in words)
    assert decoders.decode_morse(coded) == " ".join("".join(word) for word in words)


def test_decoded_bytes_may_be_gb18030_or_utf16():
    assert decoders.decode_base64(base64.b64encode(CHINESE.encode("gb18030")).decode()) == CHINESE
    assert decoders.decode_hex(CHINESE.encode("utf-16").hex()) == CHINESE


@pytest.mark.parametrize("decode", [decoders.decode_base64, decoders.decode_hex, decoders.decode_morse, decoders.decode_url])
def test_decoders_refuse_ordinary_english(decode):
    with pytest.raises(ValueError, match=r"."):
        decode("The quick brown fox, and 3 hens.")


def test_a_decoded_binary_file_is_refused_by_name():
    with pytest.raises(ValueError, match="binary file"):
        decoders.decode_base64(base64.b64encode(b"%PDF-1.7 ...").decode())


def test_an_unknown_morse_sign_becomes_a_replacement_character():
    assert decoders.decode_morse("... ........ ...") == "s\ufffds"


def test_decoder_tools_read_the_file_in_its_charset(make_input):
    encoded = codecs.encode("Storm at sea", "rot13")
    assert decoders.ROT13.extract(make_input(encoded.encode("utf-16"), "txt", "utf-16")) == "Storm at sea"


def test_plain_text_honours_the_charset_and_drops_the_byte_order_mark(make_input):
    assert PLAIN_TEXT.extract(make_input(CHINESE.encode("gb18030"), "txt", "gb18030")) == CHINESE
    assert PLAIN_TEXT.extract(make_input(CHINESE.encode("utf-8-sig"), "txt", "utf-8")) == CHINESE
    assert PLAIN_TEXT.extract(make_input(b"\x00\xff\xfe", "unknown")) == "\x00\ufffd\ufffd"


def test_pandoc_is_fed_transcoded_text(make_input):
    html = f"<html><head><meta charset='gb2312'></head><body><p>{CHINESE}</p></body></html>"
    assert CHINESE in PANDOC.extract(make_input(html.encode("gb18030"), "html", "gb18030"))


def test_markitdown_reads_gb18030_whose_first_sign_comes_late(make_input):
    text = "a,b\n" * 20_000 + CHINESE
    assert MARKITDOWN.extract(make_input(text.encode("gb18030"), "txt", "gb18030")).endswith(CHINESE)


@pytest.mark.parametrize("tool", [MARKITDOWN, PANDOC, PANDOC_PLAIN, TRAFILATURA, MARKUP_TEXT], ids=lambda tool: tool.name)
def test_web_tools_read_the_article_and_keep_formula_placeholders(tool, make_input):
    text = tool.extract(make_input(PAGE.encode(), "html", "utf-8"))
    assert "grow taller every year" in text
    assert "⟦F1⟧" in text
    assert "track()" not in text


def test_only_trafilatura_leaves_out_navigation(make_input):
    source = make_input(PAGE.encode(), "html", "utf-8")
    assert "Home" not in TRAFILATURA.extract(source)
    assert "Home" in MARKUP_TEXT.extract(source)


def test_markup_text_keeps_words_whole_and_blocks_apart(make_input):
    html = "<p>mono<b>chrome</b></p><ul><li>one</li><li>two</li></ul>"
    assert MARKUP_TEXT.extract(make_input(html.encode(), "html", "utf-8")) == "monochrome\none\ntwo"


def test_markup_text_reads_no_other_file_and_expands_no_entity(make_input, tmp_path):
    (tmp_path / "secret.txt").write_text("launch code")
    xml = (
        f'<?xml version="1.0" encoding="gb2312"?><!DOCTYPE a [<!ENTITY f SYSTEM "file://{tmp_path}/secret.txt">]><a><b>{CHINESE}</b>&f;</a>'
    )
    assert MARKUP_TEXT.extract(make_input(xml.encode("gb18030"), "xml", "gb18030")) == CHINESE


@pytest.mark.parametrize(
    ("file_format", "content"),
    [
        ("rtf", rb"{\rtf1\ansi Willow {\b bark} soup}"),
        ("md", b"Willow *bark* soup"),
        ("csv", b"dish,price\nWillow bark soup,3\n"),
        ("docbook", b"<article><para>Willow <emphasis>bark</emphasis> soup</para></article>"),
        ("fb2", b"<FictionBook><body><section><p>Willow bark soup</p></section></body></FictionBook>"),
        ("ipynb", NOTEBOOK),
    ],
)
def test_pandoc_plain_reads_its_text_formats(file_format, content, make_input):
    text = PANDOC_PLAIN.extract(make_input(content, file_format, "utf-8"))
    assert "willow bark soup" in text.lower().replace("_", "").replace("*", "")


def test_pandoc_raises_with_its_own_words(make_input):
    with pytest.raises(RuntimeError, match="pandoc exit status"):
        PANDOC.extract(make_input(b"not json", "ipynb", "utf-8"))


def test_mail_gives_header_lines_decoded_body_and_attached_text(make_input):
    mail = (
        "From: Ada <ada@example.org>\nSubject: =?utf-8?b?" + base64.b64encode("Fähre".encode()).decode() + "?=\nMIME-Version: 1.0\n"
        'Content-Type: multipart/mixed; boundary="x"\n\n--x\nContent-Type: text/html; charset=utf-8\n'
        "Content-Transfer-Encoding: quoted-printable\n\n"
        + quopri.encodestring("<p>Die Fähre <i>legt</i> ab.</p>".encode()).decode()
        + "\n--x\nContent-Type: text/plain\nContent-Disposition: attachment; filename=a.txt\n\ntimetable\n--x--\n"
    )
    text = EMAIL.extract(make_input(mail.encode(), "eml", "utf-8"))
    assert text.splitlines() == ["From: Ada <ada@example.org>", "Subject: Fähre", "Die Fähre legt ab.", "timetable"]
