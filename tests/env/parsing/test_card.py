"""Identity cards of files made on the spot."""

import hashlib
import io
import json
import random
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from env.parsing.card import FileCard, make_card
from env.parsing.encoding_hints import EncodingHint
from env.parsing.tools.pdf_facts import PdfFacts

CHINESE = "深度学习是机器学习的一个分支，它使用多层神经网络来学习数据的表示。近年来，这种方法在图像识别等领域取得了很大的进展。\n"
ENGLISH = "The committee met on Tuesday and agreed that the report should be published in the autumn.\n"
PDF = b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\nstartxref\n9\n%%EOF\n"


def card_of(tmp_path: Path, content: bytes, name: str = "file.txt", pdf: PdfFacts | None = None) -> FileCard:
    path = tmp_path / "stored"
    path.write_bytes(content)
    return make_card(path, name=name, pdf=pdf)


def pack(parts: dict[str, bytes | str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def test_a_plain_text_is_described_in_full(tmp_path: Path) -> None:
    content = (ENGLISH * 10).encode()
    assert card_of(tmp_path, content, "Notes.TXT") == FileCard(
        name="Notes.TXT",
        extension="txt",
        format="txt",
        mime="text/plain",
        size_bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        md5=hashlib.md5(content).hexdigest(),
        encoding="utf-8",
        encoding_confidence=1.0,
        head=(ENGLISH * 10)[:300],
    )


def test_the_name_is_the_files_own_unless_told_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(ENGLISH)
    assert make_card(path).name == "a.md"
    assert make_card(path).format == "md"


def test_a_pdf_has_pages_and_no_head(tmp_path: Path) -> None:
    card = card_of(tmp_path, PDF, "a.pdf", PdfFacts(pages=7))
    assert (card.format, card.mime, card.pages, card.head, card.encoding, card.warnings) == ("pdf", "application/pdf", 7, "", None, ())


def test_a_pdf_stays_a_pdf_whatever_it_is_called_and_whatever_surrounds_it(tmp_path: Path) -> None:
    archive = pack({"word/document.xml": "<a/>"})
    for content, name in ((PDF, "a.txt"), (PDF, "a.docx"), (b"junk\n" + PDF, "a.pdf"), (PDF + archive, "a.pdf")):
        card = card_of(tmp_path, content, name, PdfFacts(pages=1))
        assert card.format == "pdf"
        assert card.warnings


def test_a_web_page_called_doc_is_a_web_page(tmp_path: Path) -> None:
    card = card_of(tmp_path, b"<html><body><p>Text</p></body></html>", "report.doc")
    assert (card.format, card.warnings, card.head) == ("html", ("the extension says doc, the content is html",), "")


def test_slides_are_counted(tmp_path: Path) -> None:
    card = card_of(
        tmp_path, pack({"ppt/presentation.xml": "<a/>", "ppt/slides/slide1.xml": "<a/>", "ppt/slides/slide2.xml": "<a/>"}), "a.pptx"
    )
    assert (card.format, card.slides, card.sheets, card.warnings) == ("pptx", 2, None, ())


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    card = card_of(tmp_path, b"", "a.pdf")
    assert (card.format, card.refusal) == ("unknown", "the file is empty")


@pytest.mark.parametrize("name", ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"])
def test_a_file_that_is_one_digest_is_refused(tmp_path: Path, name: str) -> None:
    digest = hashlib.new(name, b"x").hexdigest()
    for text in (digest, f"  {digest.upper()}\r\n", f"\ufeff{digest}\n"):
        refusal = card_of(tmp_path, text.encode()).refusal
        assert refusal is not None
        assert refusal.startswith("the whole content is one ")


@pytest.mark.parametrize(
    "text",
    [
        "d41d8cd98f00b204e9800998ecf8427e\n" * 2,
        "d41d8cd98f00b204e9800998ecf8427e  empty.txt\n",
        "d41d8cd98f00b204e9800998ecf8427",
        "12345678901234567890123456789012",
        "g41d8cd98f00b204e9800998ecf8427e",
    ],
)
def test_what_is_more_or_less_than_one_digest_is_a_text(tmp_path: Path, text: str) -> None:
    card = card_of(tmp_path, text.encode())
    assert (card.format, card.refusal) == ("txt", None)


def test_a_chinese_text_in_gb18030_is_read(tmp_path: Path) -> None:
    card = card_of(tmp_path, (CHINESE * 5).encode("gb18030"))
    assert (card.format, card.encoding, card.head) == ("txt", "gb18030", (CHINESE * 5)[:300])
    assert card.encoding_confidence is not None
    assert card.encoding_confidence > 0.6


def test_an_encoded_text_gets_a_hint_and_stays_as_it_is(tmp_path: Path) -> None:
    content = ENGLISH.encode().hex()
    card = card_of(tmp_path, content.encode())
    assert (card.hints, card.head, card.refusal) == ((EncodingHint.HEX,), content[:300], None)


def test_random_bytes_are_unknown_and_left_to_the_model(tmp_path: Path) -> None:
    card = card_of(tmp_path, random.Random(5).randbytes(3000), "a.bin")
    assert (card.format, card.refusal, card.encoding, card.head) == ("unknown", None, None, "")


def test_zero_bytes_in_a_text_are_warned_of_and_not_shown(tmp_path: Path) -> None:
    card = card_of(tmp_path, (ENGLISH + "\0\0" + ENGLISH * 5).encode())
    assert (card.format, card.warnings) == ("txt", ("zero bytes in the text",))
    assert "\0" not in card.head


def test_white_space_alone_is_warned_of(tmp_path: Path) -> None:
    assert card_of(tmp_path, b" \n\t\n  ").warnings == ("only white space",)


def test_two_charsets_in_one_file_are_warned_of(tmp_path: Path) -> None:
    content = (CHINESE * 3).encode() + (CHINESE * 2).encode("gb18030")
    assert card_of(tmp_path, content).warnings == ("mixed encodings: some lines are UTF-8, others are not",)


@pytest.mark.parametrize("misread", ["latin-1", "cp1252"])
def test_mojibake_is_suspected(tmp_path: Path, misread: str) -> None:
    text = "Café, naïve, déjà vu, Müller, façade, größer als früher.\n" * 3
    assert card_of(tmp_path, text.encode()).warnings == ()
    (warning,) = card_of(tmp_path, text.encode().decode(misread).encode()).warnings
    assert warning.startswith("suspected mojibake")


def test_characters_lost_earlier_are_warned_of(tmp_path: Path) -> None:
    (warning,) = card_of(tmp_path, ("Caf\ufffd and na\ufffdve and d\ufffdj\ufffd vu.\n" + ENGLISH).encode()).warnings
    assert warning.startswith("lost characters")


def test_an_encrypted_mail_is_refused_and_a_signed_one_is_not(tmp_path: Path) -> None:
    header = (
        "From: a@example.org\nTo: b@example.org\nSubject: Hello\nContent-Type: application/pkcs7-mime;\n smime-type={}\n\nMIAGCSqGSIb3DQ\n"
    )
    assert card_of(tmp_path, header.format("enveloped-data").encode(), "a.eml").refusal == "encrypted: the mail needs a key"
    assert card_of(tmp_path, header.format("signed-data").encode(), "a.eml").refusal is None


def test_surrogates_in_a_name_do_not_break_the_record(tmp_path: Path) -> None:
    card = card_of(tmp_path, b"Hello there", "a\udcff.txt")
    assert json.loads(card.model_dump_json())["name"] == "a\ufffd.txt"


def test_a_large_text_is_judged_by_its_beginning(tmp_path: Path) -> None:
    card = card_of(tmp_path, ("界" * 2_000_000).encode())
    assert (card.format, card.encoding, card.size_bytes) == ("txt", "utf-8", 6_000_000)


@given(
    st.binary(max_size=400),
    st.sampled_from([b"", b"%PDF-1.4\n", b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"<?xml ", b"{", b"BM", b"\xff\xfe"]),
)
def test_any_content_gets_a_card_that_travels_as_json(tmp_path_factory: pytest.TempPathFactory, content: bytes, start: bytes) -> None:
    card = card_of(tmp_path_factory.mktemp("any"), start + content, "a.pdf")
    assert FileCard.model_validate_json(card.model_dump_json()) == card
    assert len(card.head) <= 300
