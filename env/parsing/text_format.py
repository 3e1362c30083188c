"""Which kind of text a text is, by content.

The extension decides only between the plain kinds `txt`, `md` and `csv`, which shade into each other: a text that could be any of them
is what its name says, and `txt` or a clear table or clear Markdown where the name says nothing.
"""

import csv
import json
import re

SAMPLE_CHARS = 65_536
"""Characters looked at, except that JSON is read as a whole."""
_PROLOGUE = re.compile(r"(?:\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*+(?:\[.*?\]\s*)?>)*+", re.DOTALL | re.IGNORECASE)
_DOCTYPE = re.compile(r"<!DOCTYPE\s+([\w:.-]+)([^>\[]*)", re.IGNORECASE)
_ROOT = re.compile(r"<([A-Za-z_][\w.-]*+)(?::([\w.-]+))?([^>]*)")
_HTML_ROOTS = frozenset({"html", "head", "body"})
_HTML_TAG = re.compile(
    r"<(/?(?:p|div|br|span|table|tr|td|ul|ol|li|a|h[1-6]|head|title|meta|body|html|link|script|style|section|article)|!--)\b[^<>]*>", re.I
)
_FRAGMENT_TAGS = frozenset(
    {
        "p",
        "div",
        "span",
        "table",
        "ul",
        "ol",
        "h1",
        "h2",
        "title",
        "meta",
        "link",
        "script",
        "style",
        "section",
        "article",
        "center",
        "font",
        "b",
    }
)
_MIN_FRAGMENT_TAGS = 3
_TAGS_PER_MARK = 3
"""A README may begin with a centred logo: there the marks of Markdown are not outnumbered by tags like this."""
_DOCBOOK_ROOTS = frozenset({"book", "article", "chapter", "section", "set", "part", "refentry"})
_MAIL_FIELD = re.compile(r"^([A-Za-z][A-Za-z0-9-]{1,40}):(?:[ \t]|$)")
_MAIL_FIELDS = frozenset(
    {
        "from",
        "to",
        "subject",
        "date",
        "received",
        "message-id",
        "mime-version",
        "return-path",
        "content-type",
        "reply-to",
        "cc",
        "delivered-to",
        "x-mailer",
    }
)
_MIN_MAIL_FIELDS = 3
_MARKDOWN = (
    re.compile(r"^#{1,6} \S", re.MULTILINE),
    re.compile(r"^(?:```|~~~)", re.MULTILINE),
    re.compile(r"\[[^\]\n]{1,200}\]\([^)\s]{1,500}\)"),
    re.compile(r"^\|?(?: *:?-{3,}:? *\|)+ *(?::?-{3,}:? *)?$", re.MULTILINE),
    re.compile(r"\*\*\S[^*\n]{0,200}\*\*"),
    re.compile(r"^(?:[-*+]|\d{1,3}\.) \S", re.MULTILINE),
    re.compile(r"^(?:=|-){4,}$", re.MULTILINE),
)
_MIN_MARKDOWN_KINDS = 2
_PLAIN_EXTENSIONS = {"txt": "txt", "text": "txt", "md": "md", "markdown": "md", "csv": "csv", "tsv": "csv"}
_TABLE_ROWS = 40
_DELIMITERS = ",;\t|"


def name_text_format(text: str, extension: str, *, whole: bool = True) -> str:
    """Format of a decoded text: rtf, html, xml, fb2, docbook, json, ipynb, eml, csv, md or txt.

    Args:
        text: The text, or its beginning.
        extension: Lower case, without the dot; see the module's docstring.
        whole: False when `text` was cut: then JSON is told by its first characters.
    """
    text = text.lstrip("\ufeff")
    sample = text[:SAMPLE_CHARS]
    start = sample.lstrip()
    kind = None
    if start.startswith("{\\rtf"):
        kind = "rtf"
    elif start.startswith("<"):
        kind = _name_markup(start)
    elif start.startswith(("{", "[")):
        kind = _name_json(text, whole=whole)
    elif _is_mail(start):
        kind = "eml"
    return kind or _name_plain(sample, extension)


def _name_plain(sample: str, extension: str) -> str:
    if extension in _PLAIN_EXTENSIONS:
        return _PLAIN_EXTENSIONS[extension]
    if _is_table(sample):
        return "csv"
    return "md" if sum(1 for pattern in _MARKDOWN if pattern.search(sample)) >= _MIN_MARKDOWN_KINDS else "txt"


def _name_markup(start: str) -> str | None:
    doctype = _DOCTYPE.search(start, 0, 4096)
    if doctype and doctype[1].lower() == "html":
        return "html"
    prologue = _PROLOGUE.match(start)
    root = _ROOT.match(start, prologue.end() if prologue else 0)
    if root is None:
        return "xml" if start.startswith("<?xml") else None
    name = (root[2] or root[1]).lower()
    if name in _HTML_ROOTS:
        return "html"
    if start.startswith("<?xml") or doctype or "xmlns" in root[3]:
        return _name_xml(name, root[3], doctype[2] if doctype else "")
    if _is_fragment(start, name):
        return "html"
    return "xml" if re.search(rf"</{re.escape(root[1])}(?::[\w.-]+)?\s*>\s*\Z", start) and name not in _FRAGMENT_TAGS else None


def _name_xml(root: str, attributes: str, doctype: str) -> str:
    if root == "fictionbook":
        return "fb2"
    if "docbook" in attributes.lower() or "docbook" in doctype.lower():
        return "docbook"
    return "xml"


def _is_fragment(start: str, root: str) -> bool:
    tags = len(_HTML_TAG.findall(start))
    marks = sum(len(pattern.findall(start)) for pattern in _MARKDOWN[:3])
    return root in _FRAGMENT_TAGS and tags >= max(_MIN_FRAGMENT_TAGS, _TAGS_PER_MARK * marks)


def _name_json(text: str, *, whole: bool) -> str | None:
    if not whole:
        begins = re.match(r'\s*(?:\{\s*"|\[\s*(?:\{\s*"|\[|"|-?\d))', text)
        return None if begins is None else ("ipynb" if '"cells"' in text and '"cell_type"' in text else "json")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return "ipynb" if isinstance(value, dict) and "nbformat" in value and ("cells" in value or "worksheets" in value) else "json"


def _is_mail(start: str) -> bool:
    """Begins with header fields of a mail, and with hardly anything else."""
    known = 0
    lines = start.splitlines()[:60]
    for number, line in enumerate(lines):
        if not line.strip():
            break
        if line[0] in " \t" or (number == 0 and line.startswith(("From ", ">From "))):
            continue
        field = _MAIL_FIELD.match(line)
        if field is None:
            break
        known += field[1].lower() in _MAIL_FIELDS or field[1].lower().startswith(("x-", "content-"))
    return known >= _MIN_MAIL_FIELDS


def _is_table(sample: str) -> bool:
    """At least three rows, the same three or more fields in each."""
    lines = [line for line in sample.splitlines()[:_TABLE_ROWS] if line.strip()]
    if len(lines) < 3:
        return False
    for delimiter in _DELIMITERS:
        if delimiter in lines[0]:
            try:
                widths = {len(row) for row in csv.reader(lines, delimiter=delimiter, strict=True)}
            except csv.Error:
                continue
            if len(widths) == 1 and min(widths) >= 3:
                return True
    return False
