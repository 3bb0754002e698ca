"""A file as a table whose first row is its header, as other programs write it."""

from __future__ import annotations

from pathlib import Path

from gpusheet.errors import UnknownName
from gpusheet.intake.importers.lines import Lines
from gpusheet.intake.sheets import open_file


def lines_of(path: Path, sheet: str | None) -> Lines:
    """All rows of a CSV file, or of a workbook's sheet: the one named, else the first."""
    opened = open_file(path)
    if sheet is not None and sheet not in opened.names:
        raise UnknownName(f"{opened.file}: --sheet", sheet, opened.names)
    if not opened.names:
        return Lines(opened.file, "", (), ())
    found = opened.read(sheet if sheet is not None else opened.names[0])
    if not found.lines:
        return Lines(opened.file, found.name, (), ())
    header = ["" if cell is None else str(cell).strip() for cell in found.lines[0]]
    while header and not header[-1]:
        header.pop()
    return Lines(opened.file, found.name, header, list(zip(found.numbers[1:], found.lines[1:], strict=True)))
