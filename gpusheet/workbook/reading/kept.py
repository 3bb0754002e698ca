"""Formulas in input cells: kept where the new workbook has all they refer to, else a line says why only the value is."""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from openpyxl.formula import Tokenizer
from openpyxl.formula.tokenizer import Token
from openpyxl.utils import column_index_from_string
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from gpusheet.catalog import columns
from gpusheet.workbook.assumptions_sheet import NAME as ASSUMPTIONS
from gpusheet.workbook.carried_formulas import CarriedFormula, Reference, Spot
from gpusheet.workbook.catalog_sheets import PRICE_COLUMNS
from gpusheet.workbook.reading.areas import COMPUTED, FORMER, ROW_TYPES
from gpusheet.workbook.reading.cells import Cells, Unreadable, blocks, formula_of, shown
from gpusheet.workbook.reading.edited import Edited
from gpusheet.workbook.reading.rows import CARRIED, Table

INSTEAD = "type it anew in the new book if you need it"
VOLATILE = ("TODAY", "NOW", "RAND", "RANDBETWEEN", "RANDARRAY", "INDIRECT", "OFFSET", "CELL", "INFO")
_CORNER = re.compile(r"(\$?)([A-Z]{1,3})(\$?)([0-9]{1,7})", re.IGNORECASE)
_TABLE = re.compile(r"([^\W\d][\w.]*)\[.*\]", re.DOTALL)
_INSIDE = re.compile(r"\[((?:'.|[^\[\]'])+)\]")
_PREFIX = re.compile(r"(?:_xlfn\.|_xlws\.)+", re.IGNORECASE)


class Gone(Exception):
    """Why a formula cannot be kept, in words that follow "as"."""


@dataclass
class Kept:
    """The formulas that go along, and lines about those that do not."""

    formulas: list[CarriedFormula] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


def kept_formulas(edited: Edited, cells: Cells, carried: Collection[str]) -> Kept:
    """What becomes of the formulas that were read by their values; `carried` are the sheets that go along."""
    reading = _Formulas(edited, carried)
    kept, lost = Kept(), {}
    for cell, value in cells.formulas:
        at = (cell.parent.title, cell.row, cell.column)
        target = edited.inputs.get(at)
        own = target is not None and target[0] in edited.tables and target[2] in edited.tables[target[0]].own
        if isinstance(value, Unreadable) and not own:
            continue  # said where it was read
        try:
            kept.formulas.append(reading.carried(cell, value, target))
        except Gone as gone:
            if not isinstance(value, Unreadable):
                lost[at] = (cell, value, f", as {gone}" if str(gone) else "")
    for sheet in dict.fromkeys(title for title, _, _ in lost):
        for where, members in blocks((row, column) for title, row, column in lost if title == sheet):
            cell, value, why = lost[sheet, *members[0]]
            what = f"the formula {shown(formula_of(cell))} becomes its value, {'blank' if value is None else shown(value)}{why}"
            if len(members) > 1:
                what = f"{len(members)} formulas become their values (first: {shown(formula_of(cell))}{why})"
            kept.lost.append(f"{sheet}!{where}: {what}; {INSTEAD}")
    return kept


@dataclass
class _Formulas:
    edited: Edited
    carried_sheets: Collection[str]

    def carried(self, cell: Any, value: Any, target: tuple[str, int, str] | None) -> CarriedFormula:
        if target is None or not isinstance(cell.value, str):
            raise Gone("it fills several cells" if target is not None else "")
        spot = Spot(*target)
        read = self._read(spot)
        if isinstance(value, Unreadable):
            value = read = None
        elif not _alike(value, read):
            raise Gone("" if read is None else f"it is read as {shown(read)}")
        elif isinstance(read, datetime.date) and self.edited.book.epoch == CALENDAR_MAC_1904:
            raise Gone("the book counts days from 1904")
        parts = self._parts(cell.value, cell.parent.title)
        row = self.edited.tables[spot.table].numbers[spot.row] if spot.table in self.edited.tables else 0
        place = self.edited.tables[spot.table].area.place(spot.column, row) if row else self.edited.factors.place(spot.column)
        return CarriedFormula(spot, read, parts, place)

    def _read(self, spot: Spot) -> Any:
        """What was read of an input."""
        if spot.table == ASSUMPTIONS:
            factors = self.edited.factors
            return next(getattr(one, spot.column) for one in (factors.settings, factors.assumptions)
                        if one is not None and spot.column in type(one).model_fields)  # fmt: skip
        table = self.edited.tables[spot.table]
        own = table.own.get(spot.column)
        return own[spot.row] if own is not None else getattr(table.rows[spot.row], spot.column)

    def _parts(self, formula: str, sheet: str) -> tuple[str | Reference, ...]:
        parts: list[str | Reference] = ["="]
        try:
            tokens = Tokenizer(formula).items
        except IndexError:  # the Tokenizer's way of refusing what is no formula
            raise Gone("it cannot be read") from None
        for token in tokens:
            if token.type == Token.FUNC and token.subtype == Token.OPEN:
                name = _PREFIX.sub("", token.value[:-1]).upper()
                if name in VOLATILE:
                    raise Gone(f"{name} gives something else each time")
            operand = token.type == Token.OPERAND and token.subtype in (Token.RANGE, Token.ERROR)
            parts.append(self._operand(token.value, sheet) if operand else token.value)
        return tuple(parts)

    def _operand(self, text: str, sheet: str) -> str | Reference:
        if "#REF!" in text.upper():
            raise Gone("it refers to something that was deleted")
        if found := _TABLE.fullmatch(text):
            return self._structured(text, found[1])
        title, _, cells = text.rpartition("!")
        named = bool(title)
        if title:
            wanted = title.strip("'").replace("''", "'").casefold()
            known = next((name for name in self.edited.book.sheetnames if name.casefold() == wanted), None)
            if known is None:
                raise Gone(f"the new book has no {text}")
            if known in self.carried_sheets:
                return text
            sheet = known
        corners = [_CORNER.fullmatch(part) for part in cells.split(":")]
        if not all(corners) or len(corners) > 2:
            if not named and text in self.edited.made.defined_names:
                return text
            raise Gone(f"the new book has no {text}")
        found_ = [one for one in corners if one is not None]
        spots = [self._spot(sheet, int(one[4]), column_index_from_string(one[2].upper()), text) for one in found_]
        fixed = tuple((bool(one[1]), bool(one[3])) for one in (found_[0], found_[-1]))
        if len(spots) == 2:
            self._whole(spots[0], spots[1], sheet, found_, text)
        return Reference(spots[0], spots[-1], (fixed[0], fixed[1]), named)

    def _structured(self, text: str, name: str) -> str:
        """A reference by table and column; both have to be in the new book."""
        table = next((one for key, one in self.edited.tables.items() if key.casefold() == name.casefold()), None)
        inside = text[len(name) + 1 : -1]
        named = [] if inside.startswith("#") else _INSIDE.findall(text) or [inside]
        wanted = [column.lstrip("@").strip() for column in named if not column.startswith("#")]
        known = {column.casefold() for column in (_order(table) if table else ())}
        if table is None or "#totals" in text.casefold() or not all(column.casefold() in known for column in wanted):
            raise Gone(f"the new book has no {text}")
        return text

    def _spot(self, sheet: str, row: int, column: int, text: str) -> Spot:
        found = self._spots.get((sheet, row, column))
        if found is None:
            raise Gone(f"{text} is no input of the new book")
        return found

    @cached_property
    def _spots(self) -> Mapping[tuple[str, int, int], Spot]:
        """All cells of the old book that the new one has: inputs, and what tables compute."""
        found = {at: Spot(*target) for at, target in self.edited.inputs.items()}
        for name, table in self.edited.tables.items():
            computed = {column: table.area.at[column] for column in COMPUTED.get(name, set()) - FORMER if column in table.area.at}
            for index, number in enumerate(table.numbers):
                for column, at in computed.items():
                    found[table.area.sheet.title, number, at] = Spot(name, index, column)
        return found

    def _whole(self, first: Spot, last: Spot, sheet: str, corners: list[re.Match[str]], text: str) -> None:
        """Refuses a range that would have other cells in the new book."""
        rows = int(corners[1][4]) - int(corners[0][4])
        left, right = (column_index_from_string(one[2].upper()) for one in corners)
        gone = Gone(f"the new book has not all of {text}")
        if first.table != last.table or first.table == ASSUMPTIONS or last.row - first.row != rows:
            raise gone
        table = self.edited.tables[first.table]
        order = _order(table)
        at = {position: name for name, position in table.area.positions.items()}
        old = [at.get(position, "") for position in range(left, right + 1)]
        start = order.index(first.column)
        if old != order[start : start + len(old)]:
            raise gone


def _order(table: Table) -> list[str]:
    """The columns of a table in the new book."""
    name = table.area.name
    computed = [column.name for column in PRICE_COLUMNS] if name == "Prices" else []
    own = list(table.own) if name in CARRIED else []
    return [*(column.name for column in columns(ROW_TYPES[name])), *computed, *own]


def _alike(saved: Any, read: Any) -> bool:
    """Whether a value was taken as it was saved."""
    if isinstance(saved, datetime.datetime) and not isinstance(read, datetime.datetime):
        return bool(saved.time() == datetime.time() and saved.date() == read)
    if isinstance(saved, bool) or isinstance(read, bool):
        return saved is read
    return read is not None and read != "" and bool(saved == read)
