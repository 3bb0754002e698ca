"""Random inputs of every rule within its domain, a workbook of its formulas, and the comparison of both.

Nothing here knows a rule by name: what a parameter may be comes from its column, its unit and what is known of it.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

from openpyxl.utils import get_column_letter
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.workbook.workbook import Workbook
from values import same

from gpusheet.constants import NAMED, TIERS
from gpusheet.expr import Expr, render
from gpusheet.formula import Facts, cell_formula, guard
from gpusheet.registry import Rule, all_rules
from gpusheet.wiring import TABLES, facts, inputs, quantities

ROWS = 60
MISSING = 0.06
# whole numbers, halves, and numbers that miss them by rounding error only
TIES = (0.0, 0.1, 0.1 * 3, 0.3, 0.5, 1.0, 1.1 * 3, 2.0, 0.1 * 3 * 10, 3.0, 0.7 * 10, 7.0, 8.0, 16.0)

Inputs = dict[str, Any]  # by symbol; None is missing


@dataclass(frozen=True)
class Case:
    """A rule with one of its two formulas: on its own parameters, or on the quantities that the solver passes."""

    sheet: str
    rule: Rule
    sources: Mapping[str, str]  # parameter -> symbol
    expression: Expr
    facts: Mapping[str, Facts]

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.sources.values()))

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """What has a cell of its own: all but the tables, which are named."""
        return tuple(symbol for symbol in self.symbols if symbol not in TABLES)

    @cached_property
    def rows(self) -> list[Inputs]:
        """The same random inputs in every run."""
        chance = random.Random(self.sheet)
        return [self._row(chance, tied=number % 3 == 0) for number in range(ROWS)]

    def _row(self, chance: random.Random, tied: bool) -> Inputs:
        return {symbol: self._draw(symbol, chance, tied) for symbol in self.symbols}

    def _draw(self, symbol: str, chance: random.Random, tied: bool) -> Any:
        known = self.facts[symbol]
        if symbol in TABLES:
            return TIERS
        if not known.number:
            return chance.choice(self._texts(symbol))
        if known.nullable and chance.random() < MISSING:
            return None
        unit = next(p.unit.symbol for p in self.rule.parameters if self.sources.get(p.name) == symbol)
        low, high = bounds(symbol, unit)
        if tied:
            return chance.choice([value for value in TIES if low <= value <= high])
        if low < 0:
            return chance.choice([-1, 1, 1]) * 10 ** chance.uniform(-2, math.log10(high))
        if low == 0 and chance.random() < 0.1:
            return 0.0
        exponent = chance.uniform(math.log10(max(low, 1e-3)), math.log10(high))
        drawn = chance.uniform(low, high) if unit == "%" else 10**exponent
        column = inputs()[symbol][1] if symbol in inputs() else None
        counted = column.whole if column else chance.random() < 0.5
        return float(max(math.ceil(low), round(drawn))) if counted and high >= 1 else drawn

    def _texts(self, symbol: str) -> tuple[str, ...]:
        """What a text may be: the choices of its field, else the names that the formula asks for, or another."""
        column = inputs()[symbol][1] if symbol in inputs() else None
        if column and column.choices:
            return column.choices
        named = tuple(re.findall(r'"(\w*)"', render(self.expression, str)))
        return (*named, "load test of 12 May") if column else named

    def formula(self, row: int) -> str:
        """The formula of a row of the sheet, on the cells to its left."""
        def place(name: str) -> str:
            return f"{get_column_letter(self.cells.index(name) + 1)}{row}" if name in self.cells else name

        return cell_formula(self.expression, self.facts, place, complete="TRUE")

    @cached_property
    def results(self) -> list[float | str]:
        """What the rule gives for each row, called with plain numbers."""
        return [self.rule(**{name: row[symbol] for name, symbol in self.sources.items()}) for row in self.rows]

    def columns(self) -> dict[str, Any]:
        """The arguments of all rows as numpy columns."""
        import numpy

        found: dict[str, Any] = {}
        for name, symbol in self.sources.items():
            values = [row[symbol] for row in self.rows]
            kind = float if self.facts[symbol].number else str
            found[name] = TIERS if symbol in TABLES else numpy.array(values, dtype=kind)
        return found

    @property
    def address(self) -> str:
        """The column of the formulas."""
        return get_column_letter(len(self.cells) + 1)


def bounds(symbol: str, unit: str) -> tuple[float, float]:
    """Smallest and largest number to try: those of the field, else by sign and unit."""
    quantity = quantities().get(symbol)
    column = quantity.column if quantity and quantity.rule is None else None
    sign = facts()[symbol].sign if symbol in facts() else "nonnegative"
    low = {"positive": 1e-3, "nonnegative": 0.0, "any": -1.0}[sign]
    high = {"%": 1.0, "month no.": 120.0, "months": 120.0}.get(unit, 1e4)
    if column is None:
        return low, high
    if column.ge is not None or column.gt is not None:
        low = column.ge if column.ge is not None else column.gt + 1e-3
    if column.le is not None or column.lt is not None:
        high = column.le if column.le is not None else column.lt - 1e-3
    return low, high


def loosest_facts(rule: Rule) -> Mapping[str, Facts]:
    """The least that is known of the parameters: any sign; missing where the quantity of that name can be.

    Where the rule divides by a sum, which no formula can test for zero, the signs are those of the quantities.
    """
    unknown = {p.name: Facts(number=p.unit.symbol != "text" and p.name not in TABLES) for p in rule.parameters}
    known = {name: facts().get(name, fact) for name, fact in unknown.items()}
    loose = {name: replace(fact, sign="any") for name, fact in known.items()}
    try:
        guard(rule.plain_expression, loose)
    except TypeError:
        return known
    return loose


@cache
def cases() -> tuple[Case, ...]:
    """Every rule on its parameters, and every line of the solver as it is wired."""
    return tuple(_cases())


def _cases() -> Iterator[Case]:
    for rule in all_rules().values():
        plain = {p.name: p.name for p in rule.parameters}
        yield Case(rule.name, rule, plain, rule.plain_expression, loosest_facts(rule))
        if rule.line:
            yield Case(f"~{rule.name}", rule, rule.needs, rule.expression, facts())


def book_of(chosen: tuple[Case, ...], change: Callable[[Case, str], str] = lambda _, formula: formula) -> Workbook:
    """A sheet for each case: inputs to the left, the formula at the right. `change` may spoil a formula."""
    book = Workbook()
    names = book.active
    assert names is not None
    names.title = "Names"
    for row, (name, value) in enumerate([(constant.name, float(constant)) for constant in NAMED], 1):
        names.append([name, value])
        book.defined_names[name] = DefinedName(name, attr_text=f"Names!$B${row}")
    for row, tier in enumerate(TIERS, 1):
        names.cell(row, 4, tier)
    book.defined_names["tiers"] = DefinedName("tiers", attr_text=f"Names!$D$1:$D${len(TIERS)}")
    for case in chosen:
        sheet = book.create_sheet(case.sheet)
        sheet.append([*case.cells, case.rule.name])
        for row, values in enumerate(case.rows, 2):
            # a missing number is the empty text that a look-up answers: a reference to a blank cell would be 0
            cells = ['=""' if value in (None, "") else value for value in values.values() if value is not TIERS]
            sheet.append([*cells, change(case, case.formula(row))])
    return book


def differences(chosen: tuple[Case, ...], value_at: Callable[[str, str], Any]) -> list[str]:
    """Every cell whose value is not the rule's, as a line that says where and from what."""
    found = []
    for case in chosen:
        for row, (given, ours) in enumerate(zip(case.rows, case.results, strict=True), 2):
            theirs = value_at(case.sheet, f"{case.address}{row}")
            if not same(ours, theirs):
                where = f"{case.sheet}!{case.address}{row}"
                found.append(f"{where} {case.formula(row)} of {given}: {ours!r}, sheet {theirs!r}")
    return found
