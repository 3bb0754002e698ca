"""The columns of a sheet that hold units."""

from __future__ import annotations

import re

from gpusheet.audit.cells import Sheet

_HEAD = re.compile(r"^(units?|uom|单位|计量单位)$", re.IGNORECASE)


def unit_columns(sheet: Sheet) -> dict[int, int]:
    """The columns under a header that says unit, with the row of the header; those of tables left out."""
    found: dict[int, int] = {}
    for (row, column), cell in sheet.cells.items():
        if (
            cell.kind == "s"
            and not cell.shape
            and _HEAD.match(str(cell.value).strip())
            and not sheet.in_table(row, column)
        ):
            found[column] = min(row, found.get(column, row))
    return found
