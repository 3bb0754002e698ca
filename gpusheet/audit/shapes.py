"""Formulas in relative form: what is equal for all cells of a line, and parsed once for all of them.

A regular expression only decides which formulas are the same one, filled along: where it errs, a formula is parsed once
more than needed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

from openpyxl.utils import column_index_from_string, get_column_letter

LAST_ROW, LAST_COLUMN = 1_048_576, 16_384

# texts, quoted sheets and brackets are stepped over; then a cell's address that is no part of a name or a function
_ADDRESS = re.compile(
    r"\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*'|\[[^\]]*\]"
    r"|(?<![\w.$\[])(\$?)([A-Z]{1,3})(\$?)([0-9]{1,7})(?![\w.(!\[])"
)

column_number = cache(column_index_from_string)
column_letter = cache(get_column_letter)


class Area(NamedTuple):
    """A range of cells; `sheet` as it is titled."""

    sheet: str
    top: int
    left: int
    bottom: int
    right: int

    @property
    def rows(self) -> int:
        return self.bottom - self.top + 1

    @property
    def columns(self) -> int:
        return self.right - self.left + 1

    @property
    def is_cell(self) -> bool:
        return self.rows == 1 and self.columns == 1

    def covers(self, row: int, column: int) -> bool:
        return self.top <= row <= self.bottom and self.left <= column <= self.right


class Step(NamedTuple):
    """A call around a part of a formula: which one of its formula, the function, and the number of the argument."""

    call: int
    function: str
    argument: int


class Corner(NamedTuple):
    """A row and a column: numbers, or distances from the formula's cell where they move along."""

    row_fixed: bool
    row: int
    column_fixed: bool
    column: int

    def at(self, row: int, column: int) -> tuple[int, int]:
        return (
            self.row if self.row_fixed else row + self.row,
            self.column if self.column_fixed else column + self.column,
        )


@dataclass(frozen=True)
class Ref:
    """A reference in a formula. `alone` says that it is a whole argument (or the whole formula)."""

    text: str
    sheet: str | None  # None: the formula's own
    first: Corner
    last: Corner
    within: tuple[Step, ...]  # the calls around it, the innermost last
    alone: bool
    whole: bool = False  # whole rows or columns

    def at(self, sheet: str, row: int, column: int) -> Area:
        """The cells that it means in a formula of a cell."""
        (top, left), (bottom, right) = self.first.at(row, column), self.last.at(row, column)
        return Area(self.sheet or sheet, min(top, bottom), min(left, right), max(top, bottom), max(left, right))

    @cached_property
    def is_cell(self) -> bool:
        return self.first == self.last

    @cached_property
    def is_own(self) -> bool:
        """Whether it means the formula's own cell."""
        return self.sheet is None and self.first == self.last == Corner(False, 0, False, 0)

    @property
    def function(self) -> Step:
        return self.within[-1] if self.within else Step(-1, "", 0)


class Number(NamedTuple):
    """A number typed in a formula, with the calls around it."""

    text: str
    within: tuple[Step, ...]
    before: str  # the operator before it


@dataclass(eq=False)
class Shape:
    """One formula, in whatever cells it is filled."""

    key: str
    text: str  # as it stands in the first cell, with "="
    place: tuple[str, int, int]  # of the first cell: sheet, row, column
    filled: bool = False  # by an array formula of another cell
    refs: tuple[Ref, ...] = ()
    numbers: tuple[Number, ...] = ()
    functions: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  # defined names, lower case
    problems: tuple[str, ...] = ()  # operands that lead nowhere
    external: bool = False
    depth: int = 0  # of IF within IF

    @cached_property
    def ranges(self) -> tuple[Ref, ...]:
        """The references to more than one cell."""
        return tuple(ref for ref in self.refs if not ref.is_cell)

    @property
    def is_link(self) -> bool:
        """Nothing but a reference to one cell."""
        return len(self.refs) == 1 and not self.functions and not self.operators and not self.numbers


def relative(formula: str, row: int, column: int) -> str:
    """What a formula is called that is filled along.

    >>> relative("=B2*$C$1", 2, 4) == relative("=B3*$C$1", 3, 4)
    True
    """

    def replaced(match: re.Match[str]) -> str:
        letters = match[2]
        if letters is None:
            return match[0]
        across = column_number(letters)
        c = f"C{across}" if match[1] else f"C[{across - column}]"
        return f"R{match[4]}{c}" if match[3] else f"R[{int(match[4]) - row}]{c}"

    return _ADDRESS.sub(replaced, formula)


class Run:
    """A formula that is filled to the right: what it would read in the columns after its own.

    >>> Run('=B$2*$C$1&"B2"', 4).at(6)
    '=D$2*$C$1&"B2"'
    """

    def __init__(self, formula: str, column: int) -> None:
        self.pieces: list[str | int] = []  # texts, and how far columns are from the formula's own
        start = 0
        for match in _ADDRESS.finditer(formula):
            if match[2] is not None and not match[1]:
                self.pieces += [formula[start : match.start(2)], column_number(match[2]) - column]
                start = match.end(2)
        self.pieces.append(formula[start:])

    def at(self, column: int) -> str:
        """The formula in a column; empty where it cannot be there."""
        try:
            return "".join([piece if type(piece) is str else column_letter(piece + column) for piece in self.pieces])  # type: ignore[operator]
        except ValueError:
            return ""
