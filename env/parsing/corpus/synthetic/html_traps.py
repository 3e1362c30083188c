"""Web pages in which content and navigation are hard to tell apart.

In the first, only an extractor of main content is right; in the others such an extractor loses content, or other tools add to it.
"""

import random
import re
from html import escape

from env.parsing.corpus.synthetic.documents import Bullets, Document, Formula, Heading, Paragraph, reference_text, write_document
from env.parsing.corpus.synthetic.grammar import Grammar
from env.parsing.corpus.synthetic.render_web import html_block
from env.parsing.corpus.synthetic.rendered import Rendered

_CARDS = ("sidebar-item", "teaser", "related", "footer-card", "promo", "share-box")
_SENTENCE = re.compile(r"[^.。]+[.。]?")


def portal(document: Document, rng: random.Random) -> Rendered:
    """Menus and teasers that are longer than the article, and no element says which is which."""
    grammar = Grammar(document.language, rng)
    others = [write_document(document.name, "article", document.language, rng) for _ in range(3)]
    menu = "".join(f'<li class="menu-item"><a href="/{number}">{grammar.menu()}</a></li>' for number in range(60))
    teasers = "".join(
        f'<li class="widget"><a href="/t{number}">{escape(other.title)}. {escape(text)}</a></li>'
        for number, other in enumerate(others)
        for text in other.prose()[:4]
    )
    return _page(
        document,
        f'<div id="menu"><ul>{menu}</ul></div><div id="sidebar-left"><ul>{teasers}</ul></div>'
        f'<div id="article-body">{_content(document)}</div><div id="footer"><ul>{menu}</ul></div>',
    )


def card_grid(document: Document) -> Rendered:
    """Content in cards whose class names sound like sidebars, teasers and footers."""
    cards = "".join(
        f'<div class="{_CARDS[number % len(_CARDS)]}"><div>{block}</div></div>' for number, block in enumerate(_blocks(document))
    )
    return _page(document, f'<div class="grid"><div class="header"><h1>{escape(document.title)}</h1></div>{cards}</div>')


def discussion(document: Document, rng: random.Random) -> Rendered:
    """A forum thread: the content is what extractors take for comments."""
    grammar = Grammar(document.language, rng)
    posts = "".join(
        f'<div class="comment" id="comment-{number}"><div class="comment-body">{block}</div></div>'
        for number, block in enumerate(_blocks(document))
    )
    menu = "".join(f'<a href="/{number}">{grammar.menu()}</a> ' for number in range(8))
    thread = f'<section id="comments" class="comments-area">{posts}</section>'
    return _page(document, f"<nav>{menu}</nav><h1>{escape(document.title)}</h1>{thread}")


def link_index(document: Document) -> Rendered:
    """A directory in which every sentence is a link: content that looks like navigation."""
    blocks = [
        "<ul>"
        + "".join(f'<li><a href="/e{number}">{escape(part)}</a></li>' for number, part in enumerate(_SENTENCE.findall(text)))
        + "</ul>"
        for text in _paragraph_texts(document)
    ]
    return _page(document, f'<div class="menu links"><h1>{escape(document.title)}</h1>{"".join(blocks)}</div>', _paragraph_texts(document))


def long_addresses(document: Document) -> Rendered:
    """Every other sentence is linked to an address that repeats its words."""

    def link(number: int, text: str) -> str:
        address = "-".join(re.findall(r"\w+", text))[:90]
        return f'<a href="/read/{address}">{escape(text)}</a>' if number % 2 else escape(text)

    blocks = [
        "<p>" + "".join(link(number, part) for number, part in enumerate(_SENTENCE.findall(text))) + "</p>"
        for text in _paragraph_texts(document)
    ]
    return _page(document, f'<div class="content"><h1>{escape(document.title)}</h1>{"".join(blocks)}</div>', _paragraph_texts(document))


def partial_main(document: Document) -> Rendered:
    """Only the opening stands in the element that is meant for the main content."""
    first, *rest = _blocks(document)
    return _page(document, f"<main><h1>{escape(document.title)}</h1>{first}</main><section>{''.join(rest)}</section>")


def _page(document: Document, body: str, texts: list[str] | None = None) -> Rendered:
    """A page and its reference: the whole document, or its title and these texts."""
    page = (
        f'<!DOCTYPE html>\n<html lang="{document.language}"><head><meta charset="utf-8"><title>{escape(document.title)}</title></head>\n'
        f"<body>{body}</body></html>\n"
    )
    return Rendered(page.encode(), reference_text(document) if texts is None else "\n".join([document.title, *texts]) + "\n")


def _content(document: Document) -> str:
    return f"<h1>{escape(document.title)}</h1>" + "".join(_blocks(document))


def _blocks(document: Document) -> list[str]:
    """Blocks as HTML; a note follows its paragraph."""
    blocks = []
    for block in document.blocks:
        note = f'<p class="note">{escape(block.note)}</p>' if isinstance(block, Paragraph) and block.note else ""
        blocks.append(html_block(block) + note + "\n")
    return blocks


def _paragraph_texts(document: Document) -> list[str]:
    """Headings, paragraphs, list items and formulas as running text."""
    texts: list[str] = []
    for block in document.blocks:
        match block:
            case Bullets(items):
                texts.append(" ".join(f"{item}." for item in items))
            case Paragraph(text, note):
                texts.append(f"{text} {note}".strip())
            case Heading(text) | Formula(text=text):
                texts.append(text)
    return texts
