import io
import os
import shutil
import tempfile

import pytest
import typst
from PIL import Image

from env.parsing.tools import tesseract
from env.parsing.tools.tesseract import TESSERACT_OCR

pytestmark = pytest.mark.skipif(shutil.which("tesseract") is None, reason="the program tesseract is not installed")

LINES = "The lighthouse keeper counted seventeen ships before the evening fog rolled over the harbour and hid the northern rocks. "


@pytest.fixture(scope="module")
def scan() -> Image.Image:
    png = typst.compile(f"#set page(width: 15cm, height: 11cm)\n{LINES * 4}".encode(), format="png", ppi=150)
    return Image.open(io.BytesIO(png)).convert("L")


def save(image: Image.Image, file_format: str) -> bytes:
    stream = io.BytesIO()
    image.save(stream, file_format, resolution=150) if file_format == "pdf" else image.save(stream, file_format)
    return stream.getvalue()


@pytest.mark.parametrize("file_format", ["pdf", "png", "tiff"])
def test_scans_and_images_are_read(file_format, scan, make_input):
    text = TESSERACT_OCR.extract(make_input(save(scan, file_format), file_format))
    assert "lighthouse keeper counted seventeen ships" in text


def test_a_sideways_scan_is_turned_upright(scan, make_input):
    text = TESSERACT_OCR.extract(make_input(save(scan.rotate(90, expand=True, fillcolor=255), "png"), "png"))
    assert "lighthouse keeper counted seventeen ships" in text


def test_a_blank_page_gives_no_text_and_no_error(make_input):
    assert TESSERACT_OCR.extract(make_input(save(Image.new("L", (600, 400), 255), "png"), "png")) == ""


def test_a_broken_image_is_refused_without_naming_the_folder(make_input):
    with pytest.raises(ValueError, match=r"^not an image that can be read$"):
        TESSERACT_OCR.extract(make_input(b"no image", "png"))


def test_a_giant_image_is_refused_before_it_is_decoded(make_input, monkeypatch):
    monkeypatch.setattr(tesseract, "MAX_IMAGE_PIXELS", 100)
    with pytest.raises(ValueError, match="20 x 10 pixels"):
        TESSERACT_OCR.extract(make_input(save(Image.new("L", (20, 10)), "png"), "png"))


def test_a_page_of_any_declared_size_is_rendered_within_the_limit(make_input, monkeypatch):
    monkeypatch.setattr(tesseract, "MAX_PIXELS", 50_000)
    source = make_input(typst.compile(b"#set page(width: 300cm, height: 300cm)\n#text(size: 400pt)[reef]"), "pdf")
    (page,) = tesseract._render_pdf(source.path)
    assert page.width * page.height <= 50_000 * 1.02


def test_the_environment_is_as_before(scan, make_input, monkeypatch):
    monkeypatch.setenv("OMP_THREAD_LIMIT", "7")
    folder = tempfile.tempdir
    source = make_input(save(scan.resize((60, 40)), "png"), "png")
    TESSERACT_OCR.extract(source)
    assert os.environ["OMP_THREAD_LIMIT"] == "7"
    assert tempfile.tempdir == folder
    assert list(source.scratch.iterdir()) == []


def test_the_version_names_the_program_and_its_language_data():
    version = TESSERACT_OCR.version()
    assert "tesseract " in version
    assert "eng:" in version
