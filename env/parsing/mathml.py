r"""MathML to LaTeX by `mathml-to-latex`, whose input is made ready first (docs/decisions/0004-mathml-to-latex.md).

The library is fast and covers all elements of presentation MathML, but prints invisible operators, tables without an environment, unknown
accents and `\left{` without its backslash.
"""

import re
import unicodedata
from xml.parsers.expat import ExpatError

from lxml import etree
from lxml.html import HtmlElement, fragment_fromstring
from mathml_to_latex.converter import MathMLToLaTeX
from mathml_to_latex.el_to_tex.protocols import InvalidNumberOfChildrenError

_TOKENS = frozenset({"mi", "mn", "mo", "mtext", "ms"})
_KEPT_ATTRIBUTES = frozenset({"mathvariant", "open", "close", "separators", "notation"})
"""Those that the library reads; others may carry prefixes that its XML parser does not know."""
_INVISIBLE = {code: None for code in range(0x2061, 0x2065)}
_NAMESPACE = re.compile(r"(</?)[A-Za-z][\w.-]*:(?=[A-Za-z])")
_FUNCTIONS = re.compile(
    "arccos|arcsin|arctan|arg|cosh?|coth?|csc|deg|det|dim|exp|gcd|hom|inf|ker|lg|lim|liminf|limsup|ln|log|max|min|Pr|sec|sinh?|sup|tanh?"
)
_ACCENTS = {
    mark: name
    for name, marks in {
        "hat": "^\u02c6\u0302",
        "tilde": "~\u02dc\u0303",
        "bar": "\u00af\u203e\u0304\u0305",
        "dot": "\u02d9\u0307",
        "ddot": "\u00a8\u0308",
        "vec": "\u2192\u20d7",
        "check": "\u02c7\u030c",
        "breve": "\u02d8\u0306",
    }.items()
    for mark in marks
}
_SET_ACCENT = re.compile(r"\\(?:over|under)set\{\\(tilde|dot|ddot|vec|check|breve|overline|underline)\}")
_LONE_FENCE = re.compile(r"\\left(?:\.\\right(?P<close>\W)|(?P<open>[^.\\\w])\\right\.)")
"""The library's way to write a bracket that may stand without its partner."""


def convert_mathml(element: str) -> str:
    """LaTeX of one `<math>` element; empty when the element cannot be converted."""
    try:
        math: HtmlElement = fragment_fromstring(_NAMESPACE.sub(r"\1", element))
        _prepare(math)
        latex = MathMLToLaTeX().convert(etree.tostring(math, encoding="unicode", with_tail=False))
    except (etree.LxmlError, ExpatError, InvalidNumberOfChildrenError, ValueError, RecursionError):
        return ""
    return " ".join(_SET_ACCENT.sub(r"\\\1", _LONE_FENCE.sub(_write_fence, latex)).split())


def _write_fence(match: re.Match[str]) -> str:
    fence = match["open"] or match["close"]
    return f"\\{fence}" if fence in "{}" else fence


def _prepare(math: HtmlElement) -> None:
    etree.strip_elements(math, etree.Comment, etree.ProcessingInstruction, "annotation", "annotation-xml", with_tail=False)
    for node in list(math.iterdescendants()):
        if node.tag in _TOKENS:
            _prepare_token(node)
        elif node.tag == "math":
            node.tag = "mrow"
        elif node.tag == "mfrac" and (node.get("linethickness") or "").rstrip("emptx") == "0":
            _stack_rows(node)
        elif node.tag == "mover" and len(node) == 2:
            _name_accent(node[1])
    for node in math.iter():
        _keep_attributes(node)
    for operator in list(math.iter("mo")):
        parent = operator.getparent()
        if not operator.text and parent is not None and parent.tag in ("mrow", "math"):
            parent.remove(operator)


def _prepare_token(node: HtmlElement) -> None:
    text = "".join(node.itertext()).translate(_INVISIBLE)
    for child in list(node):
        node.remove(child)
    if node.get("mathvariant"):
        text = unicodedata.normalize("NFKC", text)  # ℝ marked as double-struck would be wrapped twice
    if node.tag == "mi" and _FUNCTIONS.fullmatch(text.strip()):
        text = f"\\{text.strip()}"
    node.text = "-" if text.strip() == "\u2212" else text


def _stack_rows(fraction: HtmlElement) -> None:
    """A fraction without a line is a binomial coefficient or a stacked condition."""
    fraction.tag = "mtable"
    for part in list(fraction):
        row = etree.SubElement(fraction, "mtr")
        etree.SubElement(row, "mtd").append(part)


def _name_accent(mark: HtmlElement) -> None:
    name = _ACCENTS.get((mark.text or "").strip())
    if name is not None and len(mark) == 0:
        mark.text = f"\\{name}"


def _keep_attributes(node: HtmlElement) -> None:
    for name in list(node.attrib):
        if name not in _KEPT_ATTRIBUTES:
            del node.attrib[name]
    if node.tag == "mtable" and next(node.iterancestors("mfenced"), None) is None:
        node.set("innerTable", "yes")  # the library's own mark for tables that need an environment
