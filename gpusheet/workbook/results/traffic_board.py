"""The grid of the sheet Traffic: where its hours, its layers and its single values stand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from openpyxl.styles import Alignment
from openpyxl.utils import get_column_letter

from gpusheet.calendar import Line
from gpusheet.catalog.planning import HOURS
from gpusheet.decisions.traffic import HOUR_LINES, REACH_LINES, RENT_LINES, WAYS
from gpusheet.expr import Symbol
from gpusheet.formula import Facts, cell_formula
from gpusheet.units import Cards, Flag, MoneyPerMonth, Number, Text, Unit, unit_of
from gpusheet.wiring import TABLES
from gpusheet.workbook.grid import fill_block
from gpusheet.workbook.results.options import NAME as OPTIONS
from gpusheet.workbook.results.options import OptionCells
from gpusheet.workbook.results.parts import Parts

NAME = "Traffic"
WIDTH = 10
TEXT, CARDS, MONEY, NUMBER, FLAG = (unit_of(one) for one in (Text, Cards, MoneyPerMonth, Number, Flag))
BILLED = (*WAYS, "rented", "mixed")
ABOUT, BILLS, CHART, DAY, LAYERS, OWNING, CHOICE = 3, 20, 30, 50, 79, 108, 137  # where the parts of the sheet begin
FIRST, BOTTOM, OWNED, CHOSEN = (part + 3 for part in (DAY, LAYERS, OWNING, CHOICE))  # first hour; lowest layer of three blocks
MADE = next(n for n, line in enumerate(REACH_LINES) if line.rule_name == "owned_cash_cost")  # lines of REACH_LINES in the first block
COLUMNS = {  # first row of a block -> what its columns hold
    FIRST: ("hour", "hour_weight", *(line.name for line in HOUR_LINES), "base"),
    BOTTOM: ("layer", "reach", "layer_cards", "layer_hours", *(line.name for line in RENT_LINES), "rent", "layer_purchase", "way",
             "cost"),
    OWNED: ("", "", *(line.name for line in REACH_LINES[:MADE])),
    CHOSEN: ("", "", *(line.name for line in REACH_LINES[MADE:]), "rent_above", "reach_total", "least"),
}  # fmt: skip


class Board:
    """The sheet, and the places of what is on it."""

    def __init__(self, parts: Parts) -> None:
        self.parts, self.look = parts, parts.look
        self.options: OptionCells = parts.rows[OPTIONS]
        self.sheet: Any = parts.sheet(NAME, WIDTH)
        self.cells = {f"bill_{key}": f"$F${row}" for row, key in enumerate(BILLED, BILLS + 3)}  # single values by name
        self.places = {key: (top, column) for top, keys in COLUMNS.items() for column, key in enumerate(keys, 1) if key}

    def all(self, key: str) -> str:
        """The cells of a column over the hours or the layers."""
        first, column = self.places[key]
        letter = get_column_letter(column)
        return f"${letter}${first}:${letter}${first + len(HOURS) - 1}"

    def below(self, key: str) -> str:
        """The cells under the first, to be filled down; a row further than the column, since under the last there is none."""
        first, column = self.places[key]
        letter = get_column_letter(column)
        return f"${letter}{first + 1}:${letter}${first + len(HOURS)}"

    def one(self, key: str, above: int = 0) -> str:
        """The first of them, or the cell above, to be filled down."""
        top, column = self.places[key]
        return f"${get_column_letter(column)}{top - above}"

    def formula(self, line: Line) -> str:
        def place(name: str) -> str:
            if name in self.places:
                return self.one(name)
            if name in self.cells:
                return self.cells[name]
            if name in self.options.rows:
                return self.options.at(name)
            return self.parts.cells.value(name) if name in self.parts.cells.rows else name

        names = {node.name for node in line.expression.walk() if isinstance(node, Symbol)}
        return cell_formula(line.expression, {name: Facts(number=name not in TABLES) for name in names}, place)

    def column(self, key: str, formula: str, unit: Unit) -> None:
        top, column = self.places[key]
        fill_block(self.sheet, self.look, top, len(HOURS), column, 1, formula, unit)

    def heads(self, row: int, en: str, zh: str, heads: Iterable[tuple[str, Unit | None]]) -> None:
        self.look.group(self.sheet, row, self.parts.say(en, zh), WIDTH)
        for column, (head, unit) in enumerate(heads, 1):
            self.look.header(self.sheet.cell(row + 1, column, head))
            cell = self.sheet.cell(row + 2, column, unit.label(self.parts.lang) if unit else None)
            self.look.text(cell, color="7F7F7F")
            cell.alignment = Alignment(horizontal="center", shrink_to_fit=True)
        self.sheet.row_dimensions[row + 1].height = 30
