"""Web pages, Markdown, and mail."""

import base64
import io
import random
from dataclasses import replace
from email import policy
from email.message import EmailMessage
from html import escape

from PIL import Image

from env.parsing.corpus.synthetic.documents import Block, Bullets, Document, Formula, Heading, Paragraph, Table, reference_text
from env.parsing.corpus.synthetic.grammar import Grammar
from env.parsing.corpus.synthetic.rendered import Rendered


def render_html(document: Document, rng: random.Random) -> Rendered:
    """An article page with a short menu and foot; formulas in MathML, tables, footnotes beneath."""
    return Rendered(html_page(document, rng).encode(), reference_text(document))


def render_legacy_html(document: Document, rng: random.Random) -> Rendered:
    """The same in GB18030, declared in the page."""
    return Rendered(html_page(document, rng, "gb18030").encode("gb18030"), reference_text(document))


def html_page(document: Document, rng: random.Random, charset: str = "utf-8") -> str:
    """Source of an article page."""
    grammar = Grammar(document.language, rng)
    menu = "".join(f'<li><a href="/m{number}">{grammar.menu()}</a></li>' for number in range(6))
    notes = "".join(f"<li>{escape(block.note)}</li>" for block in document.blocks if isinstance(block, Paragraph) and block.note)
    content = "\n".join(map(html_block, document.blocks)) + (f"<ol>{notes}</ol>" if notes else "")
    return (
        f'<!DOCTYPE html>\n<html lang="{document.language}"><head><meta charset="{charset}"><title>{escape(document.title)}</title>'
        f"<style>body {{ margin: 2em }}</style></head>\n<body><nav><ul>{menu}</ul></nav>\n"
        f"<main><article><h1>{escape(document.title)}</h1>\n{content}</article></main>\n"
        f"<footer><p>{escape(document.running_head)}</p></footer></body></html>\n"
    )


def html_block(block: Block) -> str:
    """One block; notes are left to the page."""
    match block:
        case Heading(text):
            return f"<h2>{escape(text)}</h2>"
        case Paragraph(text):
            return f"<p>{escape(text)}</p>"
        case Bullets(items):
            return "<ul>" + "".join(f"<li>{escape(item)}</li>" for item in items) + "</ul>"
        case Formula(mathml=mathml):
            return f'<p><math xmlns="http://www.w3.org/1998/Math/MathML" display="block">{mathml}</math></p>'
        case Table(caption, rows):
            head = "".join(f"<th>{escape(cell)}</th>" for cell in rows[0])
            body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows[1:])
            return f"<table><caption>{escape(caption)}</caption><tr>{head}</tr>{body}</table>"


def render_md(document: Document) -> Rendered:
    """Markdown with headings, lists, pipe tables, TeX formulas and notes in brackets."""
    return Rendered(markdown(document).encode(), reference_text(document))


def markdown(document: Document) -> str:
    """Markdown source."""
    return "\n\n".join([f"# {document.title}", *map(markdown_block, document.blocks)]) + "\n"


def markdown_block(block: Block) -> str:
    """One block."""
    match block:
        case Heading(text):
            return f"## {text}"
        case Paragraph(text, note):
            return f"{text} ({note})" if note else text
        case Bullets(items):
            return "\n".join(f"- {item}" for item in items)
        case Formula(latex=latex):
            return f"$$ {latex} $$"
        case Table(caption, rows):
            lines = ["| " + " | ".join(row) + " |" for row in rows]
            return f"{caption}\n\n" + "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def render_picture_md(document: Document, rng: random.Random) -> Rendered:
    """Markdown with pictures inlined as Base64, as note-taking programs export."""
    blocks = [f"# {document.title}"]
    for number, block in enumerate(document.blocks):
        blocks.append(markdown_block(block))
        if number % 3 == 0:
            blocks.append(f"![](data:image/png;base64,{base64.b64encode(_picture(rng)).decode()})")
    return Rendered("\n\n".join(blocks).encode(), reference_text(document))


def render_bracket_md(document: Document, rng: random.Random) -> Rendered:
    """Markdown whose author wrote names in angle brackets, as manuals do; a converter takes them for tags and drops them."""

    def bracket(text: str) -> str:
        words = text.split(" ")
        return " ".join(f"<{word}>" if word.isalpha() and word.islower() and rng.random() < share else word for word in words)

    share = 0.12
    blocks = [replace(block, text=bracket(block.text)) if isinstance(block, Paragraph) else block for block in document.blocks]
    return Rendered(markdown(replace(document, blocks=tuple(blocks))).encode(), reference_text(document))


def _picture(rng: random.Random) -> bytes:
    side = 20
    stream = io.BytesIO()
    Image.frombytes("RGB", (side, side), rng.randbytes(3 * side * side)).save(stream, "PNG")
    return stream.getvalue()


def render_html_in_md(document: Document, rng: random.Random) -> Rendered:
    """A Markdown file that is HTML inside, with styles and links at every word group, as exports of web editors are."""
    lines = [f"# {document.title}"]
    for block in document.blocks:
        html = html_block(block) if not isinstance(block, Formula) else f"<p>{escape(block.text)}</p>"
        style = (
            f'<div class="block wide-{rng.randint(1, 99)}" style="font-family: Georgia; margin-left: {rng.randint(1, 9)}px; color: black">'
        )
        lines.append(f"{style}{html}</div>")
    return Rendered("\n\n".join(lines).encode(), reference_text(document))


def render_eml(document: Document, rng: random.Random) -> Rendered:
    """A mail whose body is HTML in Base64; subject and addresses count as its title."""
    grammar = Grammar(document.language, rng)
    message = EmailMessage(policy=policy.SMTP)
    message["From"], message["To"] = "office@example.org", "archive@example.org"
    message["Date"], message["Subject"] = "Thu, 02 Jan 2020 03:04:05 +0000", document.title
    body = "".join(html_block(block) if not isinstance(block, Formula) else f"<p>{escape(block.text)}</p>" for block in document.blocks)
    message.set_content(f"<html><body>{body}<p>{grammar.person()}</p></body></html>", subtype="html", cte="base64")
    message.set_boundary("synthetic")
    header = "office@example.org archive@example.org Thu, 02 Jan 2020 03:04:05 +0000"
    return Rendered(message.as_bytes(), f"{header}\n{reference_text(document)}")
