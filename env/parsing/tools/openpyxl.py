"""openpyxl: cell values row by row."""

from env.parsing.tools.dependencies import requires, versions
from env.parsing.tools.tool import Tool, ToolInput, ToolSpec


def extract(source: ToolInput) -> str:
    """Stored values of every sheet: the sheet's name, then one line per row that holds anything, tabs between its cells."""
    import openpyxl

    lines: list[str] = []
    with source.path.open("rb") as stream:  # given a path, it would refuse a file by its extension
        book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
        for sheet in book.worksheets:
            lines.append(sheet.title)
            sheet.reset_dimensions()  # the declared size may be a lie; a million empty columns would be made from it
            for row in sheet.iter_rows(values_only=True):
                values = ["" if value is None else str(value) for value in row]
                if any(values):
                    lines.append("\t".join(values).rstrip("\t"))
    return "\n".join(lines)


OPENPYXL = Tool(
    spec=ToolSpec(
        name="openpyxl",
        description="Stored cell values sheet by sheet, tabs between cells; leaves out comments, text boxes and charts.",
        description_zh="逐表输出单元格的存储值，以制表符分隔；不含批注、文本框和图表。",
        lossless=True,
    ),
    formats=frozenset({"xlsx", "xlsm"}),
    family="office",
    extract=extract,
    version=versions(1, "openpyxl"),
    missing=requires("openpyxl"),
)
