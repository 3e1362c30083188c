import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import docx
import openpyxl
import pypdfium2
import pytest
import typst
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from env.parsing.card import EncodingHint, FileCard
from env.parsing.coverage import NO_YARDSTICK, coverage, measure_yardstick
from env.parsing.yardstick import Yardstick
from rewards.token_f1 import count_tokens

PROSE = (
    "The meltwater of the northern glaciers gathers in shallow basins before it reaches the sea, and most of the rivers that begin there "
    "are cold enough to keep their fish for the whole of the summer. It is not known when the first settlers came to this valley. "
) * 4

Measure = Callable[..., Yardstick]


@pytest.fixture
def measure(tmp_path: Path) -> Measure:
    """Measures the yardstick of bytes that are said to be of a format."""

    def measure_bytes(content: bytes, file_format: str, **facts: object) -> Yardstick:
        path = tmp_path / f"file.{file_format}"
        path.write_bytes(content)
        card = FileCard(name=path.name, extension=file_format, format=file_format, mime="", size_bytes=len(content), sha256="", md5="")
        return measure_yardstick(path, card.model_copy(update=facts))

    return measure_bytes


def typeset(source: str) -> bytes:
    return typst.compile(source.encode())


def scan(pdf: bytes) -> bytes:
    """The same pages as pictures."""
    with pypdfium2.PdfDocument(pdf) as document:
        images = [page.render(scale=150 / 72, grayscale=True).to_pil() for page in document]
    out = io.BytesIO()
    images[0].save(out, format="PDF", save_all=True, append_images=images[1:], resolution=150)
    return out.getvalue()


def test_a_pdf_is_measured_by_its_text_layer(measure: Measure) -> None:
    yardstick = measure(typeset(PROSE), "pdf")
    assert yardstick.source == "pdf_text_layer"
    assert (yardstick.reliable, yardstick.unread_tokens) == (True, 0)
    assert coverage(PROSE, yardstick) == pytest.approx(1.0, abs=0.01)
    assert coverage(PROSE[: len(PROSE) // 2], yardstick) == pytest.approx(0.5, abs=0.03)
    assert coverage("", yardstick) == 0


def test_ink_of_a_scan_counts_as_unread_tokens(measure: Measure) -> None:
    yardstick = measure(scan(typeset(PROSE)), "pdf")
    expected = sum(count_tokens(PROSE).values())
    assert yardstick.tokens == {}
    assert 0.6 * expected < yardstick.unread_tokens < 1.4 * expected
    assert coverage("", yardstick) == 0
    assert coverage(PROSE[:100], yardstick) == pytest.approx(0.1, abs=0.05)
    assert (coverage(PROSE, yardstick) or 0) > 0.7


def test_a_scanned_page_among_text_pages_lowers_the_coverage_of_the_text_layer(measure: Measure) -> None:
    with pypdfium2.PdfDocument(typeset(PROSE)) as hybrid, pypdfium2.PdfDocument(scan(typeset(PROSE))) as scanned:
        hybrid.import_pages(scanned)
        out = io.BytesIO()
        hybrid.save(out)
    yardstick = measure(out.getvalue(), "pdf")
    assert coverage(PROSE, yardstick) == pytest.approx(0.5, abs=0.1)
    assert (coverage(PROSE * 2, yardstick) or 0) > 0.85


def test_text_of_a_rotated_page_with_pictures_is_not_taken_for_unread_ink(measure: Measure, tmp_path: Path) -> None:
    Image.effect_noise((300, 200), 80).save(tmp_path / "photo.png")
    pdf = typst.compile(f'#image("photo.png", width: 5cm)\n{PROSE}'.encode(), root=str(tmp_path))
    with pypdfium2.PdfDocument(pdf) as document:
        document[0].set_rotation(90)
        out = io.BytesIO()
        document.save(out)
    assert measure(out.getvalue(), "pdf").unread_tokens < 20


def test_a_garbled_text_layer_is_not_reliable(measure: Measure) -> None:
    garbage = "qxz vbnk wrtp lkjh gfds zxcv bnmq wrtk plkj hgfd szxc vbnm " * 20
    assert coverage(garbage, measure(typeset(garbage), "pdf")) is None


def test_office_parts_are_measured_with_text_that_readers_overlook(measure: Measure) -> None:
    document = docx.Document()
    document.add_paragraph("Paragraph in the body")
    document.add_table(rows=1, cols=1).cell(0, 0).text = "cell words"
    word = io.BytesIO()
    document.save(word)
    book = openpyxl.Workbook()
    book.active.append(["thickness", 412])
    excel = io.BytesIO()
    book.save(excel)
    assert set(measure(word.getvalue(), "docx").tokens) == {"paragraph", "in", "the", "body", "cell", "words"}
    assert set(measure(excel.getvalue(), "xlsx").tokens) == {"thickness", "412"}


def test_navigation_hidden_text_and_formulas_of_a_page_are_no_content(measure: Measure) -> None:
    page = (
        "<html><head><title>title</title></head><body><nav>home</nav><ul><li><a>link one</a></li><li><a>link two</a></li></ul>"
        "<h1>Heading</h1><p>words with a <a>link</a> inside them and <math><mi>ab</mi></math> more</p><p hidden>secret</p>"
        '<table class="wikitable infobox"><tr><td>beside</td></tr></table><div style="display: none">secret</div>'
        "<aside>beside</aside><footer>imprint</footer><script>code()</script></body></html>"
    )
    tokens = set(measure(page.encode(), "html", encoding="utf-8").tokens)
    assert tokens == {"heading", "words", "with", "link", "inside", "them", "and", "more"}


def test_the_main_element_of_a_page_is_its_content(measure: Measure) -> None:
    page = "<body><div>outside of it</div><main><p>inside of it</p></main></body>"
    assert "outside" not in measure(page.encode(), "html", encoding="utf-8").tokens


def test_an_ebook_is_measured_by_its_chapters(measure: Measure) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("META-INF/container.xml", '<container><rootfiles><rootfile full-path="O/b.opf"/></rootfiles></container>')
        archive.writestr(
            "O/b.opf",
            '<package><manifest><item id="a" href="one%20a.xhtml"/><item id="n" href="nav.xhtml"/></manifest>'
            '<spine><itemref idref="a"/></spine></package>',
        )
        archive.writestr("O/one a.xhtml", "<html><body><p>Größe matters</p></body></html>")
        archive.writestr("O/nav.xhtml", "<html><body>contents</body></html>")
    assert measure(out.getvalue(), "epub").tokens == {"größe": 1, "matters": 1}


def test_text_files_are_measured_in_their_charset(measure: Measure) -> None:
    assert measure("策略 policy".encode("gb18030"), "txt", encoding="gb18030").tokens == {"策": 1, "略": 1, "policy": 1}


def test_encoded_refused_and_unknown_files_have_no_yardstick(measure: Measure) -> None:
    assert measure(b"dGhlIG1vZGVs", "txt", encoding="utf-8", hints=(EncodingHint.BASE64,)) == NO_YARDSTICK
    assert measure(b"the model", "txt", encoding="utf-8", refusal="digest only") == NO_YARDSTICK
    assert measure(b"\x00\x01", "unknown") == NO_YARDSTICK
    assert coverage("anything", NO_YARDSTICK) is None


@pytest.mark.parametrize("file_format", ["pdf", "docx", "xlsx", "odt", "epub", "html", "xml", "eml", "csv"])
@pytest.mark.parametrize("content", [b"", b"\x00\xff" * 50, b"PK\x03\x04broken", b"%PDF-1.7\nbroken"])
def test_a_damaged_file_never_raises(measure: Measure, file_format: str, content: bytes) -> None:
    yardstick = measure(content, file_format)
    assert coverage("", yardstick) in {None, 0.0}


def test_an_expansion_bomb_has_no_yardstick(measure: Measure) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"<w>" + b" " * (80 << 20) + b"</w>")
    assert measure(out.getvalue(), "docx") == NO_YARDSTICK


def test_tools_that_keep_ligatures_are_not_punished() -> None:
    yardstick = Yardstick(source="text", tokens={"first": 1, "efficient": 1})
    assert coverage("ﬁrst eﬃcient", yardstick) == 1.0


COUNTS = st.dictionaries(st.sampled_from(["ice", "sea", "412", "水"]), st.integers(1, 5))


@given(COUNTS, st.integers(0, 10), st.lists(st.sampled_from(["ice", "sea", "412", "水", "other"])), st.integers(0, 20))
def test_coverage_lies_in_range_and_never_grows_when_text_is_cut(tokens: dict[str, int], unread: int, words: list[str], kept: int) -> None:
    yardstick = Yardstick(source="text", tokens=tokens, unread_tokens=unread)
    whole, part = coverage(" ".join(words), yardstick), coverage(" ".join(words[:kept]), yardstick)
    if not tokens and not unread:
        assert whole is None
        return
    assert whole is not None
    assert part is not None
    assert 0 <= part <= whole <= 1
