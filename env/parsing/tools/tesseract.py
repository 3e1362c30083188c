"""Tesseract on rendered pages and images: the fallback when there is no text to read.

One page at a time: it is rendered, its script and orientation are detected, it is turned upright and read with the language of its
script. Pages of unsure script are read with all languages.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from env.parsing.tools.dependencies import requires, versions
from env.parsing.tools.tool import Tool, ToolInput, ToolSpec

if TYPE_CHECKING:
    from PIL.Image import Image

_ADAPTER = 1
DPI = 250
"""Resolution at which pages are rendered. On six pages of training papers token F1 was 0.983, 0.986 and 0.985 at 200, 250 and 300 dpi,
in 3.4, 3.4 and 4.4 seconds a page."""
MAX_PIXELS = 16_000_000
"""Most pixels of one page: A3 at 250 dpi is 12 million. A page that declares more is rendered coarser, never allocated in full."""
MAX_IMAGE_PIXELS = 60_000_000
"""Largest image file that is decoded at all; beyond `MAX_PIXELS` it is then reduced."""
_SURE_ORIENTATION = 10.0
"""Confidence above which tesseract's orientation is taken as it is; clear pages have 20 to 30. Below, a turn must prove itself."""
_LANGUAGES = ("eng", "chi_sim")
_SCRIPT_LANGUAGES = {"Latin": ("eng",), "Han": ("chi_sim", "eng")}


def extract(source: ToolInput) -> str:
    """Recognised text, a blank line between pages.

    Raises:
        ValueError: an image is larger than `MAX_IMAGE_PIXELS`, or no image that can be read.
    """
    pages = _render_pdf(source.path) if source.format == "pdf" else _open_image(source.path)
    with _tesseract_environment(source.scratch):
        return "\n\n".join(_read_page(page) for page in pages)


def _render_pdf(path: Path) -> Iterator[Image]:
    import pypdfium2

    with pypdfium2.PdfDocument(path) as document:
        for page in document:
            width, height = (max(1.0, side) for side in page.get_size())
            scale = min(DPI / 72, (MAX_PIXELS / (width * height)) ** 0.5)
            bitmap = page.render(scale=scale, grayscale=True)
            yield bitmap.to_pil()
            bitmap.close()
            page.close()


def _open_image(path: Path) -> Iterator[Image]:
    from PIL import Image, ImageSequence, UnidentifiedImageError

    try:
        image = Image.open(path)
    except UnidentifiedImageError as error:
        raise ValueError("not an image that can be read") from error  # the library's message names a folder of this machine
    with image:
        for frame in ImageSequence.Iterator(image):
            if frame.width * frame.height > MAX_IMAGE_PIXELS:
                raise ValueError(f"image of {frame.width} x {frame.height} pixels; at most {MAX_IMAGE_PIXELS} are decoded")
            flat = Image.new("RGB", frame.size, "white")
            layer = frame.convert("RGBA")
            flat.paste(layer, mask=layer)  # transparent parts would turn black and hide the text
            page = flat.convert("L")
            ratio = (MAX_PIXELS / (page.width * page.height)) ** 0.5
            yield page if ratio >= 1 else page.resize((int(page.width * ratio) or 1, int(page.height * ratio) or 1))


def _read_page(page: Image) -> str:
    import pytesseract

    turn, sure, language = _detect_orientation(page)
    if turn:
        turned = page.rotate(-turn, expand=True, fillcolor=255)
        if sure or _measure_confidence(turned, language) > _measure_confidence(page, language):
            page = turned
    return str(pytesseract.image_to_string(page, lang=language)).strip()


def _measure_confidence(page: Image, language: str) -> float:
    """Mean confidence of the words read, 0..100; words on a page that lies wrong are read as unsure gibberish."""
    import pytesseract

    words = pytesseract.image_to_data(page, lang=language, output_type=pytesseract.Output.DICT)["conf"]
    known = [float(confidence) for confidence in words if confidence >= 0]  # -1 stands at lines and blocks
    return sum(known) / len(known) if known else 0.0


def _detect_orientation(page: Image) -> tuple[int, bool, str]:
    """Degrees to turn the page clockwise, whether that is sure, and the languages to read it with."""
    import pytesseract

    installed = _installed_languages()
    everything = tuple(language for language in _LANGUAGES if language in installed) or ("eng",)
    if "osd" not in installed:
        return 0, True, "+".join(everything)
    try:
        found = pytesseract.image_to_osd(page, output_type=pytesseract.Output.DICT)
    except pytesseract.TesseractError:  # too few characters on the page to tell
        return 0, True, "+".join(everything)
    wanted = _SCRIPT_LANGUAGES.get(found["script"], everything) if found["script_conf"] > 0 else everything
    languages = tuple(language for language in wanted if language in installed) or everything
    return int(found["rotate"]), found["orientation_conf"] >= _SURE_ORIENTATION, "+".join(languages)


@contextmanager
def _tesseract_environment(scratch: Path) -> Iterator[None]:
    """One thread, so that the result and the CPU limit do not depend on the machine; exchange files in the scratch folder."""
    threads, folder = os.environ.get("OMP_THREAD_LIMIT"), tempfile.tempdir
    os.environ["OMP_THREAD_LIMIT"], tempfile.tempdir = "1", str(scratch)
    try:
        yield
    finally:
        tempfile.tempdir = folder
        if threads is None:
            del os.environ["OMP_THREAD_LIMIT"]
        else:
            os.environ["OMP_THREAD_LIMIT"] = threads


@functools.cache
def _list_languages() -> str:
    return _ask("--list-langs")


def _installed_languages() -> frozenset[str]:
    return frozenset(_list_languages().splitlines()[1:])


def _ask(option: str) -> str:
    command = [shutil.which("tesseract") or "tesseract", option]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603 (own arguments)


@functools.cache
def _version() -> str:
    folder = re.search(r'"(.+)"', _list_languages())
    sizes = [
        f"{language}:{(Path(folder.group(1)) / f'{language}.traineddata').stat().st_size}"  # tells the fast, best and legacy models apart
        for language in sorted(_installed_languages() & {*_LANGUAGES, "osd"})
        if folder
    ]
    libraries = versions(_ADAPTER, "pytesseract", "pypdfium2", "pillow")()
    return ", ".join([libraries, _ask("--version").splitlines()[0], *sizes])


@functools.cache
def _missing() -> str | None:
    if shutil.which("tesseract") is None:
        return "the program tesseract is not installed (Debian: tesseract-ocr)"
    if not _installed_languages() & set(_LANGUAGES):
        return f"tesseract has none of the languages {', '.join(_LANGUAGES)} (Debian: tesseract-ocr-eng)"
    return requires("pytesseract", "pypdfium2", "PIL")()


TESSERACT_OCR = Tool(
    spec=ToolSpec(
        name="tesseract-ocr",
        description="Recognises the text of rendered pages and images; slow, makes reading errors, needs no text layer.",
        description_zh="对渲染后的页面和图片做文字识别；较慢且会认错字，不需要文本层。",
        lossless=False,
    ),
    formats=frozenset({"pdf", "png", "jpeg", "tiff", "gif", "bmp"}),
    family="ocr",
    extract=extract,
    version=_version,
    missing=_missing,
)
