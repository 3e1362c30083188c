"""Text of an e-book, read from the chapters that its package lists."""

from __future__ import annotations

import posixpath
import zipfile
from urllib.parse import unquote

from env.parsing.tools.markup_text import html_text
from env.parsing.tools.tool import ToolInput
from env.parsing.tools.zipped_xml import XmlPackage, local_name


def read_epub(source: ToolInput) -> str:
    """Visible text of the chapters in reading order.

    Raises:
        ValueError: a part is larger than the limits of `XmlPackage`.
        KeyError: a part that the package names is missing.
    """
    with zipfile.ZipFile(source.path) as archive:
        package = XmlPackage(archive)
        container = package.parse("META-INF/container.xml")
        opf = next(element.get("full-path", "") for element in container.iter() if local_name(element) == "rootfile")
        root = package.parse(opf)
        hrefs = {element.get("id"): element.get("href", "") for element in root.iter() if local_name(element) == "item"}
        names = [hrefs[element.get("idref")] for element in root.iter() if local_name(element) == "itemref"]
        folder = posixpath.dirname(opf)
        return "\n".join(html_text(package.read(posixpath.normpath(posixpath.join(folder, unquote(name)))).decode()) for name in names)
