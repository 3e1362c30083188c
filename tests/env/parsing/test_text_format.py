"""Kinds of text by content."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from env.parsing.text_format import name_text_format

PROSE = "It rained all day.\nNobody went out, and the shops stayed closed.\n"
FRAGMENT = "<h1>Title</h1>\n<p>First paragraph.</p>\n<p>Second paragraph.</p>\n<pre># a comment\nx = 1</pre>\n"
README = '<p align="center"><img src="a.png"></p>\n\n# Name\n\n## Install\n\n```\npip install name\n```\n\n## Use\n\n[Guide](a.md)\n'
MAIL = "Received: from a by b\nFrom: A <a@example.org>\nTo: b@example.org\nSubject: Hello\n\nText of the mail.\n"
NOTEBOOK = json.dumps({"cells": [{"cell_type": "markdown", "source": ["# A"]}], "nbformat": 4, "nbformat_minor": 5, "metadata": {}})
CASES = [
    ("{\\rtf1\\ansi Hello}", "rtf"),
    ("<!DOCTYPE html>\n<title>a</title><p>b", "html"),
    ("\ufeff\n<!-- saved -->\n<html><body>a</body></html>", "html"),
    (
        '<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd"><html xmlns="http://www.w3.org/1999/xhtml"/>',
        "html",
    ),
    (FRAGMENT, "html"),
    ("<BODY BGCOLOR=white><P>Old page", "html"),
    ('<?xml version="1.0"?><a><b/></a>', "xml"),
    ('<svg xmlns="http://www.w3.org/2000/svg"></svg>', "xml"),
    ("<note><to>A</to></note>\n", "xml"),
    ('<?xml version="1.0"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><body/></FictionBook>', "fb2"),
    ('<?xml version="1.0"?><article xmlns="http://docbook.org/ns/docbook" version="5.0"><title>a</title></article>', "docbook"),
    ('<?xml version="1.0"?><!DOCTYPE book PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "docbookx.dtd"><book/>', "docbook"),
    ('{"a": [1, 2]}', "json"),
    ("[1, 2, 3]", "json"),
    (NOTEBOOK, "ipynb"),
    (MAIL, "eml"),
    ("From a@example.org Mon Jan  1\n" + MAIL, "eml"),
    ("name,size,kind\na,1,x\nb,2,y\nc,3,z\n", "csv"),
    ("name\tsize\tkind\na\t1\tx\nb\t2\ty\n", "csv"),
    ("# Title\n\nSome **bold** text.\n\n- one\n- two\n", "md"),
    (README, "md"),
    (PROSE, "txt"),
    ("{not json}\n" + PROSE, "txt"),
    ("<hello> he said\n" + PROSE, "txt"),
    ("[1] A footnote.\n" + PROSE, "txt"),
    ("Note: this is a text.\nWarning: with colons.\nHint: in its lines.\n", "txt"),
    ("", "txt"),
]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[f"{number}-{kind}" for number, (_, kind) in enumerate(CASES)])
def test_content_names_the_format(text: str, expected: str) -> None:
    assert name_text_format(text, "") == expected


@pytest.mark.parametrize(("text", "expected"), [case for case in CASES if case[1] not in ("txt", "md", "csv")])
@pytest.mark.parametrize("extension", ["txt", "md", "csv", "doc", "pdf"])
def test_no_extension_overrules_a_clear_content(text: str, expected: str, extension: str) -> None:
    assert name_text_format(text, extension) == expected


@pytest.mark.parametrize(("extension", "expected"), [("txt", "txt"), ("md", "md"), ("markdown", "md"), ("csv", "csv"), ("tsv", "csv")])
def test_the_extension_decides_between_plain_kinds(extension: str, expected: str) -> None:
    assert name_text_format(PROSE, extension) == expected


def test_json_that_was_cut_is_told_by_its_beginning() -> None:
    assert name_text_format('{"a": [1, 2', "", whole=False) == "json"
    assert name_text_format('{"a": [1, 2', "") == "txt"
    assert name_text_format(NOTEBOOK[:-5], "", whole=False) == "ipynb"


@given(st.text(max_size=300), st.sampled_from(["", "txt", "html", "json"]))
def test_any_text_has_a_format(text: str, extension: str) -> None:
    assert name_text_format(text, extension) in {"rtf", "html", "xml", "fb2", "docbook", "json", "ipynb", "eml", "csv", "md", "txt"}


@pytest.mark.parametrize(
    "hostile", ["<" * 60_000, "<!--" * 15_000, "<?xml <?" * 8_000, "[" * 60_000, "<!DOCTYPE a [" * 5_000, "<p " * 20_000, "[a](" * 15_000]
)
def test_hostile_text_takes_no_quadratic_time(hostile: str) -> None:
    started = time.process_time()
    name_text_format(hostile, "")
    assert time.process_time() - started < 2
