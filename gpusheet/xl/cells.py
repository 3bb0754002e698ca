"""What cells hold, in the form in which every front end hands it over, and the errors that cells show.

None is a blank cell or an argument left out; a number is an int or float; a text is a str, as is an error ("#N/A");
a range is a list or tuple of rows. A range of one cell is that cell.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from typing import Any

from gpusheet.catalog import schema
from gpusheet.errors import GpusheetError, shown

BAD_ARGUMENT, UNKNOWN, IMPOSSIBLE = "#VALUE!", "#N/A", "#NUM!"
CELL_ERRORS = (
    "#DIV/0!", UNKNOWN, "#NAME?", "#NULL!", IMPOSSIBLE, "#REF!", BAD_ARGUMENT, "#SPILL!", "#CALC!", "#GETTING_DATA",
    "#CONNECT!", "#BLOCKED!", "#UNKNOWN!", "#FIELD!", "#EXTERNAL!", "#BUSY!", "#PYTHON!",
)  # fmt: skip

Rows = Sequence[Sequence[Any]]  # of cells

_RANGES = frozenset({list, tuple})
_LAST_DAY = 2_958_465  # of Excel's calendar: the end of 9999


class CellError(GpusheetError):
    """The error that a cell shows (`code`), and why.

    >>> error = CellError("#N/A", "gpu: 'H300' is not known")
    >>> error.code, str(error)
    ('#N/A', "gpu: 'H300' is not known")
    """

    def __init__(self, code: str, why: str) -> None:
        super().__init__(why)
        self.code = code

    def of(self, name: str) -> CellError:
        """The same error, told of an argument or a function."""
        return CellError(self.code, f"{name}: {self}")


def is_blank(cell: Any) -> bool:
    """Whether a cell holds nothing that can be seen."""
    return schema.is_blank(cell) or (isinstance(cell, float) and math.isnan(cell))


def is_range(cell: Any) -> bool:
    return isinstance(cell, list | tuple)


def scalar(cell: Any) -> Any:
    """The one cell of an argument that takes one; an error in it is passed on.

    >>> scalar([[2.5]]), scalar("x")
    (2.5, 'x')
    """
    while is_range(cell):
        if len(cell) != 1:
            rows, columns = size(cell)
            raise CellError(BAD_ARGUMENT, f"found a range of {rows} x {columns} cells (rows x columns), allowed one cell")
        cell = cell[0]
    if isinstance(cell, str) and cell in CELL_ERRORS:
        raise CellError(cell, f"the cell holds {cell}; mend it there")
    return cell


def size(cells: Any) -> tuple[int, int]:
    """Rows and columns of a range; a list of cells is one row."""
    rows = len(cells)
    if rows and is_range(cells[0]):
        return rows, len(cells[0])
    return 1, rows


def grid(cells: Any) -> Rows:
    """A range as rows, also where it comes as one cell or as the cells of one row.

    >>> grid([["gpu", "cards"], ["L20", 4]]), grid(["gpu", "cards"]), grid(3)
    ([['gpu', 'cards'], ['L20', 4]], [['gpu', 'cards']], [[3]])
    """
    if not is_range(cells):
        return [[cells]]
    if not _RANGES.issuperset(map(type, cells)) and not all(map(is_range, cells)):
        return [list(cells)]
    widths = set(map(len, cells))
    if len(widths) < 2:
        return list(cells)
    widest = max(widths)
    return [[*row, *[None] * (widest - len(row))] for row in cells]


def day(cell: Any) -> datetime.date | None:
    """A date cell: a date, an ISO text, or the serial number that spreadsheets keep dates as; None where it is blank.

    >>> day(46322.0), day("2026-10-27"), day(None)
    (datetime.date(2026, 10, 27), datetime.date(2026, 10, 27), None)
    """
    cell = scalar(cell)
    if is_blank(cell):
        return None
    if isinstance(cell, datetime.datetime):
        return cell.date()
    if isinstance(cell, datetime.date):
        return cell
    if isinstance(cell, str):
        try:
            return datetime.date.fromisoformat(cell.strip())
        except ValueError:
            pass
    elif isinstance(cell, int | float) and not isinstance(cell, bool) and 1 <= cell <= _LAST_DAY:
        return datetime.date(1899, 12, 30) + datetime.timedelta(days=int(cell))
    raise CellError(BAD_ARGUMENT, f"found {shown(cell)}, allowed a date such as 2026-10-27")
