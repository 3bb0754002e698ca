"""Row types as Excel tables: labels and units above, stable field names as headers, inputs blue, every cell validated.

A table grows when something is typed in the row under it; `Placed` says where it is, so that formulas, checks and
the reader need no addresses of their own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from openpyxl.styles import Alignment
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table, TableFormula, TableStyleInfo
from openpyxl.worksheet.worksheet import Worksheet

from gpusheet.catalog import Column, Row, columns
from gpusheet.intake.guard import like_a_formula
from gpusheet.units import Unit
from gpusheet.workbook.style import Look, width_of

GAP = 2  # blank rows between two tables of a sheet
GROWTH = 2000  # rows under the last table of a sheet
LONG_TEXT = {"source", "notes", "aliases", "description", "override_reason"}  # wrapped
LONG_WIDTH, LINE_HEIGHT = 90, 13.5


@dataclass(frozen=True)
class Calculated:
    """A column that a table computes."""

    name: str
    en: str
    zh: str
    unit: Unit
    formula: str  # with Table[[#This Row],[column]] references

    def label(self, lang: str) -> str:
        return self.zh if lang == "zh" else self.en


@dataclass(frozen=True)
class Placed:
    """A table on a sheet."""

    name: str
    sheet: str
    header: int
    first: int
    last: int
    letters: Mapping[str, str] = field(default_factory=dict)
    typed: tuple[str, str] = ("", "")  # the first and the last column that a person fills in
    room: int = GROWTH  # rows under it that validation and the checks also watch

    def ref(self, column: str) -> str:
        """A column as formulas of other sheets name it."""
        return f"{self.name}[{column}]"

    def area(self, column: str, extra: int = 0) -> str:
        """A column's cells as an absolute range, with `extra` rows under the table."""
        letter = self.letters[column]
        return f"{self.sheet}!${letter}${self.first}:${letter}${self.last + extra}"


def put_table(
    sheet: Worksheet,
    look: Look,
    name: str,
    row_type: type[Row],
    rows: Sequence[Row],
    header: int,
    *,
    spare: int = 0,
    room: int = GROWTH,
    calculated: Sequence[Calculated] = (),
    lists: Mapping[str, str] | None = None,
    extra: Mapping[str, Sequence[Any]] | None = None,
) -> Placed:
    """Writes a table with its header in row `header`. `lists` names the range from which a column's values come,
    `extra` holds columns of the user's own, which are carried along, `room` is how many rows under it are its own.
    """
    fields = columns(row_type)
    own = dict(extra or {})
    names = [*(c.name for c in fields), *(c.name for c in calculated), *own]
    letters = {column: get_column_letter(i) for i, column in enumerate(names, 1)}
    count = max(len(rows) + spare, 1)
    placed = Placed(name, sheet.title, header, header + 1, header + count, letters, (names[0], fields[-1].name), room)
    heads: list[Column | Calculated] = [*fields, *calculated]
    for position, head in enumerate(heads, 1):
        _head(sheet, look, header, position, head)
    for position, title in enumerate(own, len(fields) + len(calculated) + 1):
        named: Any = sheet.cell(header, position, title)
        look.header(named)
        named.data_type, named.quotePrefix = "s", like_a_formula(title)
    for offset in range(count):
        row = rows[offset] if offset < len(rows) else None
        line = placed.first + offset
        for position, column in enumerate(fields, 1):
            value = getattr(row, column.name) if row is not None else None
            _put_input(sheet, look, line, position, column, value)
        for position, computed in enumerate(calculated, len(fields) + 1):
            cell = sheet.cell(line, position, computed.formula)
            look.formula(cell, computed.unit)
        for position, values in enumerate(own.values(), len(fields) + len(calculated) + 1):
            cell = sheet.cell(line, position, values[offset] if offset < len(values) else None)
            look.input(cell, None)
    _add_table(sheet, placed, names, calculated)
    _validate(sheet, look, placed, fields, dict(lists or {}))
    _fit(sheet, look, placed, fields, calculated)
    return placed


def _head(sheet: Worksheet, look: Look, header: int, position: int, column: Column | Calculated) -> None:
    label = sheet.cell(header - 2, position, column.label(look.lang))
    look.header(label)
    unit: Any = sheet.cell(header - 1, position, column.unit.label(look.lang))
    look.text(unit, color="7F7F7F", italic=True)
    unit.alignment = Alignment(horizontal="center", wrap_text=True, vertical="center")
    look.header(sheet.cell(header, position, column.name), wrap=False)


def _put_input(sheet: Worksheet, look: Look, line: int, position: int, column: Column, value: Any) -> None:
    cell: Any = sheet.cell(line, position)
    cell.value = value
    # what a person typed is never a formula, whatever it begins with
    quoted = like_a_formula(value)
    if isinstance(value, str):
        cell.data_type = "s"
    # a cell formatted as text would keep a typed number as text
    plain = "General" if column.kind in ("text", "choice") else None
    cell._style = look.input_style(sheet, column.unit, plain, quoted, wrap=column.name in LONG_TEXT)


def _add_table(sheet: Worksheet, placed: Placed, names: list[str], calculated: Sequence[Calculated]) -> None:
    last = get_column_letter(len(names))
    table: Any = Table(displayName=placed.name, name=placed.name, ref=f"A{placed.header}:{last}{placed.last}")
    table.tableStyleInfo = TableStyleInfo(name="TableStyleLight1", showRowStripes=False)
    table._initialise_columns()
    formulas = {c.name: c.formula.removeprefix("=") for c in calculated}
    for column, name in zip(table.tableColumns, names, strict=True):
        column.name = name
        if name in formulas:
            column.calculatedColumnFormula = TableFormula(attr_text=formulas[name])
    sheet.add_table(table)


def validation(column: Column, lang: str, listed: str | None = None) -> DataValidation | None:
    """What Excel lets a person type into a column, with the reason in words; None where anything goes."""
    rule: dict[str, Any]
    if listed is not None:
        rule = {"type": "list", "formula1": f"={listed}"}
    elif column.choices:
        rule = {"type": "list", "formula1": f'"{",".join(column.choices)}"'}
    elif column.kind == "number":
        rule = _number_rule(column)
    elif column.kind == "date":
        rule = {"type": "date", "operator": "greaterThanOrEqual", "formula1": "36526"}  # 2000-01-01
    elif column.is_name:
        rule = {"type": "textLength", "operator": "between", "formula1": "1", "formula2": "255"}
    else:
        return None
    made = DataValidation(allow_blank=not column.required, showErrorMessage=True, **rule)
    made.errorTitle = column.label(lang)[:32]
    allowed = f"允许:{column.allowed(lang)}" if lang == "zh" else f"Allowed: {column.allowed(lang)}"
    if listed is not None:
        where = listed.partition("!")[0].strip("'")
        allowed = f"请从列表中选择(工作表 {where})" if lang == "zh" else f"Choose from the list (sheet {where})"
    made.error = allowed[:225]
    return made


def _number_rule(column: Column) -> dict[str, Any]:
    kind = "whole" if column.whole else "decimal"
    smallest = 1 if column.whole else 1e-9
    low = column.ge if column.ge is not None else None if column.gt is None else column.gt + smallest
    high = column.le if column.le is not None else None if column.lt is None else column.lt - smallest
    if low is not None and high is not None:
        return {"type": kind, "operator": "between", "formula1": f"{low:.15g}", "formula2": f"{high:.15g}"}
    if low is not None:
        return {"type": kind, "operator": "greaterThanOrEqual", "formula1": f"{low:.15g}"}
    if high is not None:
        return {"type": kind, "operator": "lessThanOrEqual", "formula1": f"{high:.15g}"}
    return {"type": kind, "operator": "between", "formula1": "-1E+15", "formula2": "1E+15"}


def _validate(
    sheet: Worksheet, look: Look, placed: Placed, fields: Sequence[Column], lists: dict[str, str]
) -> None:
    last = placed.last + placed.room
    for column in fields:
        made = validation(column, look.lang, lists.get(column.name))
        if made is not None:
            letter = placed.letters[column.name]
            made.add(f"{letter}{placed.first}:{letter}{last}")
            sheet.add_data_validation(made)


def _fit(
    sheet: Worksheet, look: Look, placed: Placed, fields: Sequence[Column], calculated: Sequence[Calculated]
) -> None:
    """Widths by content, long texts wrapped in rows as tall as they need; label rows for two or three lines."""
    shown: list[Column | Calculated] = [*fields, *calculated]
    for column in shown:
        letter = placed.letters[column.name]
        label = width_of(column.label(look.lang))
        wanted = max(width_of(column.name) + 3, min(label, 14) + 2, 9)
        if isinstance(column, Column) and column.kind != "number":
            lines = (sheet[f"{letter}{row}"].value for row in range(placed.first, placed.last + 1))
            longest = max((width_of(value) for value in lines if value is not None), default=0)
            wanted = max(wanted, min(longest + 3, LONG_WIDTH if column.name in LONG_TEXT else 40))
        elif isinstance(column, Calculated) and column.unit.symbol == "text":
            wanted = 40
        current = sheet.column_dimensions[letter].width if letter in sheet.column_dimensions else 0
        sheet.column_dimensions[letter].width = max(wanted, current if current != 13 else 0)
    long = [placed.letters[column.name] for column in fields if column.name in LONG_TEXT]
    for row in range(placed.first, placed.last + 1):
        widths = ((sheet[f"{letter}{row}"].value, sheet.column_dimensions[letter].width) for letter in long)
        most = max((math.ceil(width_of(text) / (width - 4)) for text, width in widths if text), default=1)
        if most > 1:
            sheet.row_dimensions[row].height = most * LINE_HEIGHT
    sheet.row_dimensions[placed.header - 2].height = 44
    sheet.row_dimensions[placed.header - 1].height = 26
