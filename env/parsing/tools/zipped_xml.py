"""Bounded, offline reading of XML parts inside a zip package (OOXML, OpenDocument)."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element

MAX_PART_BYTES = 64 * 1024 * 1024
"""Largest XML part that is expanded; real ones are far smaller, bombs far larger."""
MAX_TOTAL_BYTES = 256 * 1024 * 1024
"""Most bytes expanded from one package."""


class XmlPackage:
    """A zip file whose XML parts are parsed one by one, within limits on what they expand to."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._left = MAX_TOTAL_BYTES
        self.names = tuple(dict.fromkeys(info.filename for info in archive.infolist()))
        """Part names in stored order."""

    def read(self, name: str) -> bytes:
        """Bytes of a part.

        Raises:
            ValueError: the part, or the package so far, expands to more than the limits.
            KeyError: there is no such part.
            zipfile.BadZipFile: the part is damaged.
        """
        limit = min(MAX_PART_BYTES, self._left)
        with self._archive.open(name) as stream:
            data = stream.read(limit + 1)  # the declared size may be a lie
        if len(data) > limit:
            raise ValueError(f"{name} expands to more than {limit} bytes")
        self._left -= len(data)
        return data

    def parse(self, name: str) -> _Element:
        """Root element of a part; entities are not expanded and nothing is fetched. Raises as `read` does.

        Raises:
            lxml.etree.XMLSyntaxError: the part is no well-formed XML.
        """
        from lxml import etree

        parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
        return etree.fromstring(self.read(name), parser)


def local_name(element: _Element) -> str:
    """Tag without its namespace, so that the transitional and the strict dialect read alike."""
    return str(element.tag).rpartition("}")[2]
