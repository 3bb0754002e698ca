"""Our functions as the engine calls them, with what they had to say of which cell."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Collection, Mapping
from typing import Any

from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900, to_excel

from gpusheet.workbook.evaluate import ERROR_TEXTS, error_of
from gpusheet.workbook.recalculation.formulas import FILL, OMITTED, OPEN, OURS
from gpusheet.xl.cells import CELL_ERRORS, IMPOSSIBLE, CellError
from gpusheet.xl.functions import Function

_KINDS = {text: kind for kind, text in ERROR_TEXTS.items()} | {"#SPILL!": "Spill", "#CALC!": "Calc"}
_Cell = float | str | bool | dict[str, str] | None


class Calls:
    """What the engine's calls of our functions came to.

    Cells are known by numbers, which stand in their formulas; `single` are those that show one value, whatever a
    function gives.
    """

    def __init__(self, date_system: str, single: Collection[int]) -> None:
        self.why: dict[tuple[int, str], str] = {}  # number of the cell, error -> the first message
        self.open: dict[int, int] = {}  # number of the cell -> number of the reason for which it has no value
        self.parts: dict[int, str] = {}  # number of the cell -> why cells of a function's table are errors
        self.cut: dict[int, tuple[str, int, int]] = {}  # shows one value of a function's rows and columns
        self.single = single
        self.epoch = CALENDAR_MAC_1904 if date_system == "1904" else CALENDAR_WINDOWS_1900

    def register(self, engine: Any, functions: Mapping[str, Function]) -> None:
        for name, function in functions.items():
            engine.register_function(OURS + name, self._calling(name, function))
        engine.register_function(OPEN, self._opening)
        engine.register_function(FILL, _filling)

    def _calling(self, name: str, function: Function) -> Callable[..., Any]:
        def call(number: float, *cells: Any) -> Any:
            foreign = next((cell for cell in cells if type(cell) is dict and error_of(cell).text not in CELL_ERRORS), None)
            if foreign is not None:  # a circle, or what the engine does not calculate
                return foreign
            handed = [_handed(cell) for cell in cells]
            try:
                result = function(*handed)
            except CellError as error:
                self.why.setdefault((int(number), error.code), str(error))
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
        self.open.setdefault(int(number), int(reason))
        return _error("#NAME?")

    def _cell(self, value: Any) -> _Cell:
        if isinstance(value, str):
            return _error(value) if value in CELL_ERRORS else value
        if isinstance(value, datetime.date):
            serial: float = to_excel(value, self.epoch)
            return float(serial)
        return value if isinstance(value, bool) or math.isfinite(value) else _error(IMPOSSIBLE)


def _handed(cell: Any) -> Any:
    """An argument as our functions take it."""
    if type(cell) is dict:
        return error_of(cell).text
    if type(cell) is list:
        return [[error_of(one).text if type(one) is dict else one for one in row] for row in cell]
    return None if cell == OMITTED else cell


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
