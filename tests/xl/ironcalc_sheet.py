"""What names of LAMBDA formulas give in ironcalc, an engine that reads them from a file as Excel writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ironcalc
from openpyxl.utils import get_column_letter
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.workbook.workbook import Workbook


@dataclass(frozen=True)
class Written:
    """An argument that stands in the call itself, and the cells that it stands for."""

    words: str
    cells: Any = None


OMITTED = Written("")  # an empty place between commas
WHOLE_COLUMN = Written("XFD:XFD", [[None], [None]])  # a million blank cells, of which two tell as much

# the function, and what each argument's cell holds: None for blank, an error as its text, rows for a range
Call = tuple[str, Sequence[Any]]


def cells_of(call: Call) -> list[Any]:
    """The arguments as every other front end hands them over."""
    return [cell.cells if isinstance(cell, Written) else cell for cell in call[1]]


def calculate(calls: Sequence[Call], names: Mapping[str, str]) -> list[Any]:
    """What the cell of each call shows: a number, a text, or an error as its text."""
    book = Workbook()
    sheet: Any = book.active
    for name, formula in names.items():
        book.defined_names[name] = DefinedName(name, attr_text=formula)
    places, row = [], 1
    for function, arguments in calls:
        words, column, height = [], 1, 1
        for argument in arguments:
            if isinstance(argument, Written):
                words.append(argument.words)
                continue
            rows = argument if isinstance(argument, list) else [[argument]]
            first, last = (row, column), (row + len(rows) - 1, column + len(rows[0]) - 1)
            words.append(_address(*first) if first == last else f"{_address(*first)}:{_address(*last)}")
            for down, values in enumerate(rows):
                for right, value in enumerate(values):
                    _put(sheet.cell(row + down, column + right), value)
            column, height = column + len(rows[0]), max(height, len(rows))
        sheet.cell(row, column, f"={function}({','.join(words)})")
        places.append((row, column))
        row += height
    with TemporaryDirectory(prefix="gpusheet-ironcalc-") as folder:
        path = Path(folder, "names.xlsx")
        book.save(path)
        return values_at(path, 0, places)


def values_at(path: Path, sheet: int, places: Sequence[tuple[int, int]]) -> list[Any]:
    """The recalculated values of cells (row, column) of a file."""
    model = ironcalc.load_from_xlsx(str(path), "en", "UTC", "en")
    model.evaluate()
    return [model.get_cell_value(sheet, row, column) for row, column in places]


def _address(row: int, column: int) -> str:
    return f"{get_column_letter(column)}{row}"


def _put(cell: Any, value: Any) -> None:
    """A value into a cell; an error or a text that looks blank as the formula that gives it."""
    cell.value = value
    if isinstance(value, str):
        cell.value = f"={value}" if value.startswith("#") else value if value.strip() else f'="{value}"'
        cell.data_type = "f" if cell.value.startswith("=") else "s"
