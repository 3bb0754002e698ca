"""What a cell holds, as a row type may read it: formulas by their saved value, errors and text as they are shown."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from openpyxl.utils import get_column_letter
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.formula import ArrayFormula, DataTableFormula

from gpusheet.workbook.reading.areas import cell_at
from gpusheet.workbook.reading.opening import Package

_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")  # how a file spells what XML cannot hold


class Unreadable:
    """A cell without a value that could be read; a message shows it in these words."""

    def __init__(self, words: str) -> None:
        self.words = words

    def __repr__(self) -> str:
        return self.words


@dataclass
class Cells:
    """The values of a workbook's cells. The file is read a second time if a formula is met, for its saved value."""

    package: Package
    formulas: list[tuple[Any, Any]] = field(default_factory=list)  # cells read by value, with the value
    _saved: Workbook | None = None

    def value(self, cell: Any, kind: str = "") -> Any:
        """What a column of a kind (number, text, date, choice; '' is any) gets to read."""
        if cell is None:
            return None
        value, form = cell.value, cell.data_type
        if form == "f":
            value, form = self._saved_value(cell)
            self.formulas.append((cell, value))
            if form == "e":
                return Unreadable(f"the error {value} of the formula {shown(formula_of(cell))}")
        return readable(value, form, kind)

    def _saved_value(self, cell: Any) -> tuple[Any, str]:
        if self._saved is None:
            self._saved = self.package.load(values=True)
        saved = cell_at(self._saved[cell.parent.title], cell.row, cell.column)
        if saved is None or (saved.value is None and saved.data_type != "str"):  # an empty text is a value
            return Unreadable("a formula without a value: open the book in Excel and save it once"), "n"
        return saved.value, saved.data_type


def readable(value: Any, form: str, kind: str) -> Any:
    """A cell's value as text where the column is of text, and a date as people write it where it is of numbers."""
    if form == "e":
        return Unreadable(f"the error {value}")
    if form == "s" and value is not None:
        value = text_of(value)
    if kind == "date" or value is None or isinstance(value, str | Unreadable):
        return value
    if isinstance(value, datetime.datetime) and kind:
        return f"{value:%Y-%m-%d}" if value.time() == datetime.time() else f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta) and kind:
        return str(value)
    if kind in ("text", "choice"):
        return str(value).upper() if isinstance(value, bool) else f"{value:.15g}"
    return value


def text_of(value: Any) -> str:
    """The text of a cell, without the formats of its parts.

    >>> text_of("first_x000D_\\nsecond")
    'first\\nsecond'
    """
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), str(value)).replace("\r", "")


def formula_of(cell: Any) -> str:
    """The formula of a cell as it is typed; '' where there is none."""
    if cell is None or cell.data_type != "f":
        return ""
    if isinstance(cell.value, ArrayFormula):
        return str(cell.value.text)
    return "=TABLE()" if isinstance(cell.value, DataTableFormula) else str(cell.value)


def shown(value: Any) -> str:
    """A value in a message, cut where it is long.

    >>> shown(5), shown("a" * 60)
    ('5', "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...'")
    """
    if isinstance(value, float | int) and not isinstance(value, bool):
        return f"{value:.15g}"
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta | Unreadable):
        return str(value)
    text = " ".join(text_of(value).split())
    return repr(text if len(text) <= 40 else text[:40] + "...")


def blocks(cells: Iterable[tuple[int, int]]) -> list[tuple[str, list[tuple[int, int]]]]:
    """Cells (row, column) gathered into ranges, each with its cells; runs along a row, then equal runs downward.

    >>> [where for where, _ in blocks([(1, 1), (1, 2), (2, 1), (2, 2), (4, 3)])]
    ['A1:B2', 'C4']
    """
    made: list[list[int]] = []  # first row, last row, first column, last column
    for row, column in sorted(set(cells)):
        if made and made[-1][0] == made[-1][1] == row and made[-1][3] == column - 1:
            made[-1][3] = column
        else:
            made.append([row, row, column, column])
    joined: list[list[int]] = []
    lowest: dict[tuple[int, int], list[int]] = {}  # the last range of each width
    for run in made:
        above = lowest.get((run[2], run[3]))
        if above and above[1] == run[0] - 1:
            above[1] = run[1]
        else:
            lowest[run[2], run[3]] = run
            joined.append(run)
    found = []
    for top, bottom, left, right in joined:
        first, last = f"{get_column_letter(left)}{top}", f"{get_column_letter(right)}{bottom}"
        members = [(row, column) for row in range(top, bottom + 1) for column in range(left, right + 1)]
        found.append((first if first == last else f"{first}:{last}", members))
    return found
