"""Our functions as the engine calls them, with what they had to say of which cell."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900, to_excel

from gpusheet.workbook.evaluate import ERROR_TEXTS, error_of
from gpusheet.workbook.recalculation import deviations
from gpusheet.workbook.recalculation.spelling import (
    CORRECTING,
    DAYS,
    DIGITS,
    FILL,
    FORMAT,
    JOINED,
    LEFT,
    NUMBER,
    OMITTED,
    ONE,
    OPEN,
    OURS,
    SPILL,
)
from gpusheet.workbook.recalculation.surroundings import Places
from gpusheet.xl.cells import CELL_ERRORS, IMPOSSIBLE, CellError
from gpusheet.xl.functions import Function

_KINDS = {text: kind for kind, text in ERROR_TEXTS.items()} | {"#SPILL!": "Spill", "#CALC!": "Calc"}
_DAY = "\ue001"  # before the number of a day
_COUNTED_DAYS = "the workbook counts days from 1904, which {} does not; change it in Excel: Options, Advanced"
_Cell = float | str | bool | dict[str, str] | None


class Calls:
    """What the engine's calls of our functions came to.

    Cells are known by numbers, which stand in their formulas; `single` are those that show one value, whatever a
    function gives.
    """

    def __init__(self, date_system: str, single: Collection[int], reasons: Sequence[str],
                 dated: Mapping[str, Places]) -> None:  # fmt: skip
        self.why: dict[tuple[int, str], str] = {}  # number of the cell, error -> the first message
        self.first: dict[int, str] = {}  # number of the cell -> the first message of all
        self.open: dict[int, str] = {}  # number of the cell -> the reason for which it has no value
        self.parts: dict[int, str] = {}  # number of the cell -> why cells of a function's table are errors
        self.cut: dict[int, tuple[str, int, int]] = {}  # shows one value of a function's rows and columns
        self.single = single
        self.reasons = reasons
        self.dated = dated
        self.counted_from_1904 = date_system == "1904"
        self.epoch = CALENDAR_MAC_1904 if self.counted_from_1904 else CALENDAR_WINDOWS_1900

    def register(self, engine: Any, functions: Mapping[str, Function]) -> None:
        for name, function in functions.items():
            engine.register_function(OURS + name, self._calling(name, function))
        engine.register_function(OPEN, self._opening)
        engine.register_function(FILL, _filling)
        engine.register_function(SPILL, lambda: _error("#SPILL!"))
        engine.register_function(DIGITS, lambda cells: _each(_digits, cells))
        engine.register_function(JOINED, self._noting(lambda cells: _each(_joined, cells)))
        engine.register_function(NUMBER, self._noting(lambda cells: _each(self._number, cells)))
        engine.register_function(FORMAT, self._noting(lambda cells: _each(deviations.checked_format, cells)))
        engine.register_function(ONE, self._noting(_one))
        engine.register_function(LEFT, lambda *cells: _over(_left, cells))
        engine.register_function(DAYS, self._days)
        for name, known in CORRECTING.items():
            engine.register_function(known, self._noting(self._corrected(name)))

    def _calling(self, name: str, function: Function) -> Callable[..., Any]:
        dated = {at for at, argument in enumerate(function.arguments)
                 if argument.kind == "date" or (function.rule is None and argument.kind == "table")}  # fmt: skip

        def call(number: float, *cells: Any) -> Any:
            foreign = next((cell for cell in cells if type(cell) is dict and error_of(cell).text not in CELL_ERRORS), None)
            if foreign is not None:  # a circle, or what the engine does not calculate
                return foreign
            handed = [self._handed(cell) for cell in cells]
            if self.counted_from_1904 and any(at in dated and cell is not None for at, cell in enumerate(handed)):
                return self._left_open(number, _COUNTED_DAYS.format(name))
            try:
                result = function(*handed)
            except CellError as error:
                self.why.setdefault((int(number), error.code), str(error))
                self.first.setdefault(int(number), str(error))
                return _error(error.code)
            if not isinstance(result, list):
                return self._cell(result)
            if int(number) in self.single:
                if len(result) > 1 or len(result[0]) > 1:
                    self.cut[int(number)] = name, len(result), len(result[0])
                return self._cell(result[0][0])
            if any(cell in CELL_ERRORS for row in result for cell in row if isinstance(cell, str)):
                self.parts.setdefault(int(number), function.reason(*handed))
            return [[self._cell(cell) for cell in row] for row in result]

        return call

    def _opening(self, number: float, reason: float, *_cells: Any) -> dict[str, str]:
        return self._left_open(number, self.reasons[int(reason)])

    def _left_open(self, number: float, reason: str) -> dict[str, str]:
        self.open.setdefault(int(number), reason)
        return _error("#NAME?")

    def _noting(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function whose first argument is the number of the cell, which stays open if it cannot be calculated."""

        def call(number: float, *cells: Any) -> Any:
            try:
                return function(*cells)
            except deviations.NotCalculated as error:
                return self._left_open(number, str(error))

        return call

    def _number(self, cell: Any) -> Any:
        """A cell in a place for numbers."""
        if not isinstance(cell, str):
            return cell
        number = deviations.number_of(cell, self.epoch)
        return cell if number is None else number

    def _corrected(self, name: str) -> Callable[..., Any]:
        if name == "LOOKUP":
            return lambda *cells: _result(deviations.looked_up(*(_plain(cell) for cell in cells)))
        if name in deviations.OF_TEXTS:
            return lambda cells: _each(lambda cell: deviations.OF_TEXTS[name](_shown(cell)), cells)
        function = deviations.OF_NUMBERS[name]

        def of_numbers(*cells: Any) -> Any:
            numbers: list[float | None] = []
            for cell in cells:
                if cell == OMITTED:
                    numbers.append(None)
                elif isinstance(cell, str):
                    number = deviations.number_of(cell, self.epoch)
                    if number is None:
                        return _error("#VALUE!")
                    numbers.append(number)
                else:
                    numbers.append(cell if isinstance(cell, bool) and name == "VALUE" else float(cell or 0))
            return _result(function(*numbers))

        return lambda *cells: _over(of_numbers, cells)

    def _days(self, title: str, top: float, left: float, cells: Any) -> Any:
        """Cells of which some hold days, as a format says: these are handed on as such."""
        dated, first, column = self.dated[title].cells, int(top), int(left)
        if type(cells) is not list:
            return _tagged(cells) if (first, column) in dated else cells
        return [[_tagged(cell) if (first + down, column + right) in dated else cell for right, cell in enumerate(row)]
                for down, row in enumerate(cells)]  # fmt: skip

    def _handed(self, cell: Any) -> Any:
        """An argument as our functions take it."""
        if type(cell) is dict:
            return error_of(cell).text
        if type(cell) is list:
            return [[self._handed(one) for one in row] for row in cell]
        if type(cell) is str and cell.startswith(_DAY):
            return self.epoch + datetime.timedelta(seconds=round(float(cell[1:]) * 86400))
        return None if cell == OMITTED else cell

    def _cell(self, value: Any) -> _Cell:
        if isinstance(value, str):
            return _error(value) if value in CELL_ERRORS else value
        if isinstance(value, datetime.date):
            serial: float = to_excel(value, self.epoch)
            return float(serial)
        return value if isinstance(value, bool) or math.isfinite(value) else _error(IMPOSSIBLE)


def _tagged(cell: Any) -> Any:
    return f"{_DAY}{cell!r}" if type(cell) is float else cell


def _plain(cell: Any) -> Any:
    return None if cell == OMITTED else cell


def _shown(cell: Any) -> str:
    """A cell as a text."""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float):
        number = deviations.written(cell)
        return f"{number:.15g}" if abs(number) >= 1 or not number else f"{number:.20f}".rstrip("0").rstrip(".")
    return cell or ""


def _digits(cell: Any) -> Any:
    return deviations.digits(cell) if type(cell) is float and math.isfinite(cell) else cell


def _joined(cell: Any) -> Any:
    return deviations.written(cell) if type(cell) is float else cell


def _left(one: Any, other: Any) -> Any:
    """A sum, which is 0 if its numbers are equal but for rounding."""
    if isinstance(one, str) or isinstance(other, str):
        return _error("#VALUE!")
    one, other = float(one or 0), float(other or 0)
    return 0.0 if deviations.digits(one) == deviations.digits(-other) else one + other


def _one(known: float, cells: Any) -> Any:
    """What @ picks of a value: `known` if an array is sure to be no range, of which it is the first cell."""
    if type(cells) is not list:
        return cells
    if known or (len(cells) == 1 and len(cells[0]) == 1):
        return cells[0][0]
    raise deviations.NotCalculated("its @ picks one cell of a range that is not written there")


def _each(function: Callable[[Any], Any], cells: Any) -> Any:
    """A function of every cell; errors stay."""
    if type(cells) is list:
        return [[one if type(one) is dict else function(one) for one in row] for row in cells]
    return cells if type(cells) is dict else function(cells)


def _over(function: Callable[..., Any], cells: Sequence[Any]) -> Any:
    """A function of several cells, for each row and column if there are ranges among them; the first error is passed on."""
    ranges = [cell for cell in cells if type(cell) is list]
    if not ranges:
        return next((cell for cell in cells if type(cell) is dict), None) or function(*cells)
    high, wide = max(map(len, ranges)), max(len(rows[0]) for rows in ranges)

    def at(cell: Any, row: int, column: int) -> Any:
        if type(cell) is not list:
            return cell
        row, column = 0 if len(cell) == 1 else row, 0 if len(cell[0]) == 1 else column
        return cell[row][column] if row < len(cell) and column < len(cell[0]) else _error("#N/A")

    return [[_over(function, [at(cell, row, column) for cell in cells]) for column in range(wide)] for row in range(high)]


def _result(found: Any) -> Any:
    if isinstance(found, str) and found in CELL_ERRORS:
        return _error(found)
    return found


def _error(text: str) -> dict[str, str]:
    return {"type": "Error", "kind": _KINDS.get(text, "Value")}


def _filling(rows: float, columns: float, result: Any) -> Any:
    """An array formula's result in the cells that it was entered in: one row, column or value is repeated, what does
    not fit is left out, and what is lacking is #N/A."""
    values = result if isinstance(result, list) else [[result]]
    high, wide = len(values), len(values[0])

    def at(row: int, column: int) -> Any:
        row, column = 0 if high == 1 else row, 0 if wide == 1 else column
        if row >= high or column >= wide:
            return _error("#N/A")
        return 0.0 if values[row][column] is None else values[row][column]

    if rows == columns == 1:
        return at(0, 0)
    return [[at(row, column) for column in range(int(columns))] for row in range(int(rows))]
