"""Lists of results: a column for each quantity, a row for each thing, formulas by the names of the columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from openpyxl.styles import Alignment
from openpyxl.utils import get_column_letter

from gpusheet.constants import NAMED
from gpusheet.formula import Facts, cell_formula
from gpusheet.registry import find_rule
from gpusheet.units import Unit
from gpusheet.workbook.grid import fill_block
from gpusheet.workbook.results.parts import Parts

_NAMED = re.compile(r"\{(\w+)(?::(\w+))?\}")


@dataclass(frozen=True)
class Item:
    """A column of a list. In its formula `{name}` is the cell of another column in the same row, `{name:all}` that whole
    column, `{name:so_far}` it down to the row.
    """

    name: str
    en: str
    zh: str
    unit: Unit
    formula: str

    def label(self, lang: str) -> str:
        return self.zh if lang == "zh" else self.en


@dataclass(frozen=True)
class Listed:
    """Where a list stands."""

    sheet: str
    first: int
    last: int
    letters: Mapping[str, str] = field(default_factory=dict)

    def column(self, name: str) -> str:
        """A column as other sheets name it."""
        return f"{self.sheet}!{self.own(name)}"

    def own(self, name: str) -> str:
        """A column as its own sheet names it."""
        return f"${self.letters[name]}${self.first}:${self.letters[name]}${self.last}"

    def formula(self, text: str) -> str:
        """The formula of the first row."""
        def place(found: re.Match[str]) -> str:
            letter = self.letters[found[1]]
            cell = f"${letter}{self.first}"
            ways = {None: cell, "all": self.own(found[1]), "so_far": f"${letter}${self.first}:{cell}"}
            return ways[found[2]]

        return _NAMED.sub(place, text)


def ruled(rule_name: str, *sure: str, complete: str = "", **at: str) -> str:
    """The formula of a rule on the cells of its parameters, without '='; `sure` are those that are never missing, and
    `complete` is a condition under which it holds.
    """
    rule = find_rule(rule_name)
    known = {parameter.name: Facts(number=parameter.name not in sure and parameter.unit.symbol != "text")
             for parameter in rule.parameters}  # fmt: skip
    place = {constant.name: constant.name for constant in NAMED} | at
    return cell_formula(rule.plain_expression, known, place.__getitem__, complete).removeprefix("=")


def put_list(parts: Parts, sheet: Any, top: int, count: int, items: Sequence[Item], *, keys: bool = False) -> Listed:
    """Writes a list of `count` rows from row `top` on, with labels and units above, and stable names where `keys`."""
    letters = {item.name: get_column_letter(position) for position, item in enumerate(items, 1)}
    made = Listed(sheet.title, top, top + count - 1, letters)
    for position, item in enumerate(items, 1):
        put_head(parts, sheet, top - 2 - keys, position, item.label(parts.lang), item.unit)
        if keys:
            parts.look.header(sheet.cell(top - 1, position, item.name), wrap=False, shrink=True)
        fill_block(sheet, parts.look, top, count, position, 1, made.formula(item.formula), item.unit)
    sheet.row_dimensions[top - 2 - keys].height = 44
    return made


def put_head(parts: Parts, sheet: Any, row: int, column: int, label: str, unit: Unit) -> None:
    """A label, and its unit under it."""
    parts.look.header(sheet.cell(row, column, label))
    under: Any = sheet.cell(row + 1, column, unit.label(parts.lang))
    parts.look.text(under, color="7F7F7F", italic=True)
    under.alignment = Alignment(horizontal="center", vertical="center", shrink_to_fit=True)
