"""All text between the tags of HTML and XML, and the readable part of an e-mail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from env.parsing.tools.dependencies import requires, versions
from env.parsing.tools.plain_text import read_text
from env.parsing.tools.tool import Tool, ToolInput, ToolSpec

if TYPE_CHECKING:
    from email.message import MIMEPart

    from lxml.etree import _Element

_HIDDEN = frozenset({"script", "style", "noscript", "template", "binary"})
_INLINE = frozenset(
    {"a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "dfn", "em", "emphasis", "font", "i", "kbd", "mark", "q", "s"}
    | {"samp", "small", "span", "strong", "sub", "sup", "time", "tt", "u", "var"}
)
"""Elements that do not end a line."""


def extract_markup(source: ToolInput) -> str:
    """Text of all elements, one block per line; scripts, styles and embedded binaries are left out.

    Raises:
        lxml.etree.XMLSyntaxError: XML that cannot be repaired.
    """
    text = read_text(source)
    return html_text(text) if source.format == "html" else _xml_text(text)


def extract_mail(source: ToolInput) -> str:
    """Subject, sender, recipients and date, then the plain text of the message (its HTML when there is none) and attached texts."""
    import email
    import email.policy

    message = email.message_from_bytes(source.path.read_bytes(), policy=email.policy.default)
    lines = [f"{name}: {message[name]}" for name in ("From", "To", "Cc", "Date", "Subject") if message[name]]
    body = message.get_body(("plain", "html"))
    lines.extend(_mail_text(part) for part in ([body] if body else []))
    lines.extend(_mail_text(part) for part in message.iter_attachments() if part.get_content_maintype() == "text")
    return "\n".join(lines)


def _mail_text(part: MIMEPart) -> str:
    content = str(part.get_content())
    return html_text(content) if part.get_content_subtype() == "html" else content


def html_text(html: str) -> str:
    """Text of an HTML document or fragment; nothing is fetched."""
    from lxml import html as lxml_html

    # Without the declaration lxml would refuse a string that names its charset.
    parser = lxml_html.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    root = lxml_html.document_fromstring(html.encode("utf-8", errors="replace"), parser=parser)
    return _collect_text(root)


def _xml_text(xml: str) -> str:
    from lxml import etree

    parser = etree.XMLParser(encoding="utf-8", resolve_entities=False, no_network=True, recover=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(xml.encode("utf-8", errors="replace"), parser)
    return _collect_text(root)


def _collect_text(root: _Element) -> str:
    pieces: list[str] = []
    stack: list[_Element | str] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        if not isinstance(item.tag, str):  # an entity that is not expanded
            continue
        name = str(item.tag).rpartition("}")[2].lower()
        if name in _HIDDEN:
            continue
        edge = "" if name in _INLINE else "\n"
        pieces.append(edge + (item.text or ""))
        stack.append(edge)
        for child in reversed(item):
            stack.append(child.tail or "")
            stack.append(child)
    lines = (" ".join(line.split()) for line in "".join(pieces).split("\n"))
    return "\n".join(line for line in lines if line)


MARKUP_TEXT = Tool(
    spec=ToolSpec(
        name="markup-text",
        description="All text between the tags of HTML or XML, navigation and footers of a page included; no markup is left.",
        description_zh="提取 HTML 或 XML 标签之间的全部文本，包括网页导航和页脚；不留标记。",
        lossless=True,
    ),
    formats=frozenset({"html", "xml", "fb2", "docbook"}),
    family="html",
    extract=extract_markup,
    version=versions(1, "lxml"),
    missing=requires("lxml"),
)

EMAIL = Tool(
    spec=ToolSpec(
        name="email",
        description="Header lines, decoded body and attached texts of an e-mail file.",
        description_zh="提取邮件文件的信头、解码后的正文和文本附件。",
        lossless=True,
    ),
    formats=frozenset({"eml"}),
    family="html",
    extract=extract_mail,
    version=versions(1, "lxml"),
    missing=requires("lxml"),
)
