"""Zip packages whose bytes depend on their content only.

The writers of Office files put the time of writing into the zip directory, into `docProps/core.xml`, into comments, and into the workbooks
embedded in charts.
"""

import io
import re
import zipfile

_MOMENT = "2020-01-02T03:04:05Z"
_WRITTEN = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*(</dcterms:)")
_COMMENTED = re.compile(rb'(w:date=")[^"]*(")')


def normalise_zip(data: bytes) -> bytes:
    """Rewrite a package with fixed times, also in the packages inside it; parts keep their order."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            part = old.read(info)
            if part.startswith(b"PK\x03\x04"):
                part = normalise_zip(part)
            elif info.filename == "docProps/core.xml":
                part = _WRITTEN.sub(rb"\g<1>" + _MOMENT.encode() + rb"\g<2>", part)
            elif info.filename == "word/comments.xml":
                part = _COMMENTED.sub(rb"\g<1>" + _MOMENT.encode() + rb"\g<2>", part)
            fixed = zipfile.ZipInfo(info.filename, (1980, 1, 1, 0, 0, 0))
            fixed.compress_type = zipfile.ZIP_STORED if info.filename == "mimetype" else zipfile.ZIP_DEFLATED
            new.writestr(fixed, part)
    return stream.getvalue()
