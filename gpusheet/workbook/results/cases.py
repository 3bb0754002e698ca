"""Cases: the run-rate month again with some inputs changed, live, a block of lines for each case.

A block holds, in the columns of Lookup and Sizing, the inputs that the case changes, the rules that depend on them and
the lines of the month; all else it reads from Lookup and Sizing. Its totals stand in column D.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from gpusheet.calendar import LINES, MONTH_INPUTS
from gpusheet.expr import Symbol
from gpusheet.formula import Facts, cell_formula, nullable, sign
from gpusheet.units import MonthNumber, Ratio, Share, Text, Unit, unit_of
from gpusheet.wiring import facts, quantities, rules_between
from gpusheet.workbook.budget_layout import BLOCKED, COUNTED, SEASON_ROW, TAX
from gpusheet.workbook.grid import fill_right
from gpusheet.workbook.layout import FIRST_COLUMN, FIRST_LINE, NAME_ROW, STATUS_ROW
from gpusheet.workbook.results.months import RUN_RATE
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.sizing_sheet import MONTHLY, Places
from gpusheet.workbook.style import printing, protect
from gpusheet.workbook.workload_columns import finish, frame, label_line

MONTH_CELL, SEASON_CELL = "$D$2", "$D$3"  # of a sheet of cases: the run-rate month, and its season factor
COMPLETE = f'E${STATUS_ROW}="ok"'
TOTALS = ("month_cards", "month_tier", "month_cost")


@dataclass
class Block:
    """Where a case has its lines; totals by line."""

    lookup: dict[str, int] = field(default_factory=dict)  # changed inputs
    rules: dict[str, int] = field(default_factory=dict)
    totals: dict[str, int] = field(default_factory=dict)  # row of the line whose total is in column D


@cache
def affected(changed: frozenset[str]) -> tuple[str, ...]:
    """The rules of Sizing between inputs that change and the lines of the month, in the order of calculation.

    >>> affected(frozenset({"unit_price"}))
    ('card_month_price',)
    """
    wanted = {node.name for line in LINES for node in line.expression.walk() if isinstance(node, Symbol)}
    between = rules_between(changed, tuple(sorted(wanted & set(quantities()))))
    return tuple(name for name in between if name not in MONTHLY)


class Cases:
    """A sheet of cases, written block by block."""

    def __init__(self, parts: Parts, name: str) -> None:
        self.parts, self.name, self.look = parts, name, parts.look
        self.sheet: Any = parts.book[name]
        self.width = frame(self.sheet, self.look, name, parts.span)
        for row in (NAME_ROW, STATUS_ROW):
            fill_right(self.sheet, self.look, row, FIRST_COLUMN, parts.span.count, f"=Lookup!E{row}", unit_of(Text))
        first, last = parts.budget.first, parts.budget.last
        season = f"=INDEX(Budget!${first}${SEASON_ROW}:${last}${SEASON_ROW},{MONTH_CELL})"
        for row, en, zh, unit, formula in (
            (2, "Run-rate month", "稳态月", unit_of(MonthNumber), f"={RUN_RATE}"),
            (3, "Season factor", "季节系数", unit_of(Ratio), season),
        ):
            self.look.text(self.sheet.cell(row, 3, parts.say(en, zh)), color="7F7F7F")
            parts.put(self.sheet, row, 4, formula, unit)
        self.line = FIRST_LINE
        self.blocks: dict[str, Block] = {}

    def block(
        self, key: str, title: str, changes: Mapping[str, str], shock: str | None = None, own: Mapping[str, str] | None = None
    ) -> Block:
        """A case: `changes` holds the formula for the first workload of each input that it changes, written on the rows
        of this sheet; `shock` the formula of the case's own number, which these may name as `{shock}`, and `own` the formula
        of the case's value for an input, which stands in column D and is named as `{own}`.
        """
        parts, at = self.parts, Block()
        self.line += 1
        self.look.group(self.sheet, self.line, title, self.width)
        if shock is not None:
            parts.put(self.sheet, self.line, 4, shock, unit_of(Ratio))
            self.sheet.cell(self.line, 3).value = unit_of(Share).label(parts.lang)
            self.sheet.cell(self.line, 4).number_format = "+0.0%;-0.0%;0.0%"
        moved = f"$D${self.line}"
        for name, formula in changes.items():
            quantity = quantities()[name]
            self.line += 1
            at.lookup[name] = self.line
            written = formula.replace("{shock}", moved).replace("{own}", f"$D{self.line}")
            self._line(f"{name} input {key}", quantity.label(parts.lang), quantity.unit, f"={written}")
            if own and name in own:
                parts.put(self.sheet, self.line, 4, own[name], quantity.unit)
        rules = affected(frozenset(changes))
        for offset, name in enumerate(rules, 1):
            at.rules[name] = self.line + offset
        place = _CasePlaces(parts, at)
        computed = {*parts.sizing, *rules, *(line.name for line in LINES)}
        for name in rules:
            rule = quantities()[name].rule
            assert rule is not None
            self.line += 1
            typed = place.typed(name) if quantities()[name].column is not None else None
            formula = cell_formula(rule.expression, facts(), place, COMPLETE, typed, computed)
            self._line(f"{name} {key}", rule.label(parts.lang), rule.unit, formula)
        self._month(key, at, place, computed)
        self.blocks[key] = at
        return at

    def _line(self, name: str, label: str, unit: Unit, formula: str) -> None:
        label_line(self.sheet, self.look, self.line, name, label, unit)
        fill_right(self.sheet, self.look, self.line, FIRST_COLUMN, self.parts.span.count, formula, unit)

    def _month(self, key: str, at: Block, place: _CasePlaces, computed: Container[str]) -> None:
        """The lines of the calendar in the run-rate month, with totals of cards and cost."""
        parts = self.parts
        known: dict[str, Facts] = {**facts(), "season_factor": Facts("nonnegative", nullable=True)}
        for line in (part for whole in LINES for part in whole.apart):
            known[line.name] = Facts(sign(line.expression, known), nullable(line.expression, known))
            self.line += 1
            formula = cell_formula(line.expression, known, place, COMPLETE, computed=computed)
            self._line(f"{line.name} {key}", line.label(parts.lang), line.rule.unit, formula)
            place.months[line.name] = self.line
            if line.name in TOTALS:
                cells = f"{parts.span.first}{self.line}:{parts.span.last}{self.line}"
                tax = f"*Budget!{TAX}" if line.name == "month_cost" else ""
                total = f"=IF((COUNT({cells})=Budget!{COUNTED}){tax},SUM({cells}),Budget!{BLOCKED})"
                parts.put(self.sheet, self.line, 4, total, line.rule.unit, total=True)
                at.totals[line.name] = self.line

    def total(self, line: str, key: str) -> str:
        """The total of a line in a case, found by its name in column A; `key` is a formula of text."""
        column = f"{self.name}!${{0}}${FIRST_LINE}:${{0}}${self.line}"
        return f'INDEX({column.format("D")},MATCH("{line} "&{key},{column.format("A")},0))'

    def finish(self) -> None:
        finish(self.sheet, self.look, self.parts.span, self.line)
        self.sheet.column_dimensions["D"].width = 16
        printing(self.sheet, self.look.lang, "4:6", f"A1:{self.parts.span.last}{self.line}", "A:D")
        protect(self.sheet)


class _CasePlaces:
    """Where a quantity stands for a block: in it where the case moves it, else on Lookup and Sizing."""

    def __init__(self, parts: Parts, at: Block) -> None:
        self.at, self.months = at, dict[str, int]()
        self.elsewhere = Places(parts.sizing, parts.cells, parts.lookup)

    def __call__(self, name: str) -> str:
        if name in MONTH_INPUTS:
            return MONTH_CELL if name == "month" else SEASON_CELL
        for rows in (self.months, self.at.rules):
            if name in rows:
                return f"E{rows[name]}"
        if name in self.at.lookup and name not in self.elsewhere.rows:
            return f"E{self.at.lookup[name]}"
        place = self.elsewhere(name)
        return f"Sizing!{place}" if name in self.elsewhere.rows else place

    def typed(self, name: str) -> str:
        """The cell of a typed value that replaces a rule."""
        if name in self.at.lookup:
            return f"E{self.at.lookup[name]}"
        return f"Lookup!{self.elsewhere.lookup.at(name)}"


