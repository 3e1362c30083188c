"""The kinds of files, by level: difficulty as pressure, not decoration.

easy    the card tells the right tool, or nearly every tool is right;
medium  a shortcut tempts: the tool that is best for most files of the format loses, but the card or a failed first call says so;
hard    only looking at results tells: files that look alike on their cards need different tools, and the numbers of the quality report may
        favour the wrong one.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from env.parsing.corpus.synthetic import docx_traps, html_traps, pdf_traps, render_office, render_text, render_web, text_traps
from env.parsing.corpus.synthetic.documents import Document, Genre, reference_text
from env.parsing.corpus.synthetic.grammar import Language
from env.parsing.corpus.synthetic.render_scan import CLEAN, scan_pdf
from env.parsing.corpus.synthetic.rendered import Rendered
from env.parsing.corpus.synthetic.typst_pdf import Layout, render_pdf

Level = Literal["easy", "medium", "hard"]
Make = Callable[[Document, random.Random], Rendered]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of file."""

    name: str
    level: Level
    format: str
    """True format."""
    genre: Genre
    languages: tuple[Language, ...]
    """Files take them in turn, a training and a held-out file each."""
    make: Make
    extension: str = ""
    """When it differs from the format."""


_EN: tuple[Language, ...] = ("en",)
_ZH: tuple[Language, ...] = ("zh",)
_BOTH: tuple[Language, ...] = ("en", "zh")


def _plain(make: Callable[[Document], Rendered]) -> Make:
    """A kind that needs no random numbers beyond its document."""
    return lambda document, rng: make(document)  # noqa: ARG005 - the common signature


def _pdf(make: Callable[[Document], bytes]) -> Make:
    return lambda document, rng: Rendered(make(document), reference_text(document))  # noqa: ARG005 - the common signature


def _trap(make: Callable[[Document, random.Random], bytes]) -> Make:
    return lambda document, rng: Rendered(make(document, rng), reference_text(document))


EASY = (
    Kind("pdf-article", "easy", "pdf", "article", _ZH, _pdf(render_pdf)),
    Kind("pdf-two-columns", "easy", "pdf", "paper", _EN, _pdf(lambda document: render_pdf(document, Layout(columns=2)))),
    Kind("pdf-report", "easy", "pdf", "report", _EN, _pdf(render_pdf)),
    Kind("pdf-turned", "easy", "pdf", "article", _EN, _pdf(pdf_traps.turned_pages)),
    Kind("docx-report", "easy", "docx", "report", _BOTH, _plain(render_office.render_docx)),
    Kind("pptx-slides", "easy", "pptx", "slides", _EN, _plain(render_office.render_pptx)),
    Kind("xlsx-sheet", "easy", "xlsx", "sheet", _EN, _plain(render_office.render_xlsx)),
    Kind("html-paper", "easy", "html", "paper", _EN, render_web.render_html),
    Kind("md-paper", "easy", "md", "paper", _EN, _plain(render_web.render_md)),
    Kind("csv-sheet", "easy", "csv", "sheet", _EN, _plain(render_text.render_csv)),
    Kind("txt-utf8", "easy", "txt", "article", _EN, _plain(render_text.render_txt)),
    Kind("txt-gb18030", "easy", "txt", "article", _ZH, _plain(lambda document: render_text.render_txt(document, "gb18030"))),
    Kind("txt-utf16", "easy", "txt", "report", _ZH, _plain(lambda document: render_text.render_txt(document, "utf-16"))),
    Kind("docx-named-pdf", "easy", "docx", "article", _EN, _plain(render_office.render_docx), "pdf"),
    Kind("pdf-named-docx", "easy", "pdf", "article", _EN, _pdf(render_pdf), "docx"),
    Kind("digest", "easy", "txt", "article", _EN, render_text.render_digest),
)

MEDIUM = (
    Kind("pdf-scan", "medium", "pdf", "article", _BOTH, _trap(lambda d, rng: scan_pdf(render_pdf(d), d.language, CLEAN, rng))),
    Kind("pdf-scan-bad-layer", "medium", "pdf", "article", _EN, _trap(pdf_traps.bad_layer)),
    Kind("pptx-notes", "medium", "pptx", "slides", _EN, render_office.render_notes_pptx),
    Kind("xlsx-form", "medium", "xlsx", "sheet", _EN, _plain(render_office.render_sparse_xlsx)),
    Kind("html-gb18030", "medium", "html", "article", _ZH, render_web.render_legacy_html),
    Kind("md-html", "medium", "md", "report", _EN, render_web.render_html_in_md),
    Kind("eml-html", "medium", "eml", "article", _EN, render_web.render_eml),
    Kind("docx-tracked-changes", "medium", "docx", "report", _EN, docx_traps.tracked_changes),
    Kind("html-long-addresses", "medium", "html", "article", _ZH, _plain(html_traps.long_addresses)),
    Kind("txt-number-series", "medium", "txt", "article", _EN, text_traps.number_series),
    Kind("txt-base64", "medium", "txt", "article", _BOTH, _plain(render_text.render_base64)),
    Kind("txt-hex", "medium", "txt", "article", _EN, _plain(render_text.render_hex)),
    Kind("txt-morse", "medium", "txt", "article", _EN, _plain(render_text.render_morse)),
    Kind("txt-url", "medium", "txt", "article", _ZH, _plain(render_text.render_url)),
    Kind("txt-rot13", "medium", "txt", "article", _EN, _plain(render_text.render_rot13)),
    Kind("random-bytes", "medium", "unknown", "article", _EN, render_text.render_random_bytes, "bin"),
)

HARD = (
    Kind("pdf-lying-layer", "hard", "pdf", "article", _EN, _trap(pdf_traps.lying_layer)),
    Kind("pdf-draft-layer", "hard", "pdf", "report", _EN, _trap(pdf_traps.draft_layer)),
    Kind("pdf-exact-layer", "hard", "pdf", "note", _BOTH, _trap(pdf_traps.good_layer)),
    Kind("pdf-hidden-words", "hard", "pdf", "article", _EN, _trap(pdf_traps.hidden_words)),
    Kind("pdf-hybrid", "hard", "pdf", "paper", _EN, _trap(pdf_traps.hybrid)),
    Kind("pdf-no-tounicode", "hard", "pdf", "article", _EN, _pdf(pdf_traps.without_tounicode)),
    Kind("pdf-clean-mojibake", "hard", "pdf", "article", _ZH, _trap(pdf_traps.swapped_characters)),
    Kind("pdf-wrong-digits", "hard", "pdf", "sheet", _EN, _trap(pdf_traps.swapped_digits)),
    Kind("pdf-sideways", "hard", "pdf", "article", _EN, _pdf(pdf_traps.sideways)),
    Kind("pdf-busy-page", "hard", "pdf", "note", _BOTH, _trap(pdf_traps.busy_background)),
    Kind("pdf-dark-marker", "hard", "pdf", "note", _EN, _pdf(pdf_traps.dark_marker)),
    Kind("pdf-tiny-print", "hard", "pdf", "note", _ZH, _pdf(lambda d: render_pdf(d, Layout(size_pt=2.5)))),
    Kind("docx-text-boxes", "hard", "docx", "article", _EN, _plain(docx_traps.text_boxes)),
    Kind("docx-merge-fields", "hard", "docx", "article", _ZH, _plain(docx_traps.merge_fields)),
    Kind("docx-contents-list", "hard", "docx", "article", _BOTH, _plain(docx_traps.contents_list)),
    Kind("docx-review-comments", "hard", "docx", "article", _BOTH, docx_traps.review_comments),
    Kind("docx-pictures", "hard", "docx", "report", _EN, docx_traps.pictures),
    Kind("html-portal", "hard", "html", "article", _EN, html_traps.portal),
    Kind("html-card-grid", "hard", "html", "report", _EN, _plain(html_traps.card_grid)),
    Kind("html-discussion", "hard", "html", "article", _BOTH, html_traps.discussion),
    Kind("html-link-index", "hard", "html", "report", _EN, _plain(html_traps.link_index)),
    Kind("html-partial-main", "hard", "html", "article", _EN, _plain(html_traps.partial_main)),
    Kind("pptx-charts", "hard", "pptx", "slides", _EN, render_office.render_chart_pptx),
    Kind("xlsx-comments", "hard", "xlsx", "sheet", _EN, render_office.render_commented_xlsx),
    Kind("md-brackets", "hard", "md", "article", _EN, render_web.render_bracket_md),
    Kind("md-pictures", "hard", "md", "article", _EN, render_web.render_picture_md),
    Kind("txt-partly-escaped", "hard", "txt", "article", _EN, _plain(text_traps.partly_escaped)),
    Kind("txt-escapes-as-content", "hard", "txt", "article", _EN, text_traps.escapes_as_content),
    Kind("txt-turned-list", "hard", "txt", "report", _EN, _plain(text_traps.turned_list)),
    Kind("txt-base64-markdown", "hard", "txt", "report", _EN, _plain(render_text.render_base64_markdown)),
)

KINDS = (*EASY, *MEDIUM, *HARD)
