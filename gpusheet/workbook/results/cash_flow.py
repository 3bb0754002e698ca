"""The sheet CashFlow: cash of every way to pay, a row for each month from 0 to the longest horizon.

Months run down the page, as in a schedule of depreciation: sixty of them print on two pages. What a column needs stands
once, in the row of drivers at the top.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from openpyxl.styles import Alignment
from openpyxl.utils import get_column_letter

from gpusheet.calendar import Line
from gpusheet.catalog.price import PRICING_MODELS
from gpusheet.decisions.rent_or_buy import (
    BUY,
    LABELS,
    LONGEST,
    OPTIONS,
    OWNED_LINES,
    RENT_LINE,
    TERM_LINES,
    TIMING_LINES,
)
from gpusheet.expr import Place, Symbol
from gpusheet.formula import Facts, cell_formula
from gpusheet.registry import find_rule
from gpusheet.units import Flag, Money, MonthNumber, Months, Unit, unit_of
from gpusheet.wiring import inputs
from gpusheet.workbook.checks_sheet import Check
from gpusheet.workbook.grid import fill_block, fill_right
from gpusheet.workbook.results.options import NAME as OPTIONS_SHEET
from gpusheet.workbook.results.options import OptionCells
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.style import printing, protect

NAME = "CashFlow"
DRIVER = 6  # row of the drivers; labels and units stand above
HEAD, TOTAL, FIRST = 9, 11, 12  # rows: heads and units, totals, month 0
LAST = FIRST + LONGEST
NEVER = ("never within the horizon", "比较期内不回本")
ASSUMED = ("horizon_months", "useful_life_months", "profit_tax_rate")
OWNED = ("monthly_discount_rate", "fleet_capex", "monthly_depreciation", "owned_running_cost")
TERM = ("run_rate_month", "contract_from", "contract_to", "outside_contract", "run_rate_factor")
MONEY, NARROW = unit_of(Money), (unit_of(Flag), unit_of(Months), unit_of(MonthNumber))


@dataclass
class CashCells:
    """The columns of the sheet by what they hold, and the cells of the drivers."""

    columns: dict[str, int] = field(default_factory=dict)
    drivers: dict[str, str] = field(default_factory=dict)

    def cell(self, key: str, row: int) -> str:
        return f"{NAME}!${get_column_letter(self.columns[key])}${row}"

    def months(self, key: str, first: int = FIRST) -> str:
        """The cells of a column over the months."""
        letter = get_column_letter(self.columns[key])
        return f"{NAME}!${letter}${first}:${letter}${LAST}"


class _Writer:
    def __init__(self, parts: Parts) -> None:
        self.parts, self.look, self.at = parts, parts.look, CashCells()
        self.options: OptionCells = parts.rows[OPTIONS_SHEET]
        timing = ["cash_month", *(line.name for line in (*TIMING_LINES, *TERM_LINES))]
        keys = [*timing, *(f"rent_{model}" for model in PRICING_MODELS), *(line.name for line in OWNED_LINES)]
        keys += [f"so_far_{option}" for option in OPTIONS] + [f"cheaper_{model}" for model in PRICING_MODELS]
        self.at.columns = {key: column for column, key in enumerate(keys, 1)}
        drawn = ["drawn_month", *(f"drawn_{option}" for option in OPTIONS)]
        self.at.columns |= {key: column for column, key in enumerate(drawn, len(keys) + 2)}
        self.width = len(keys)
        self.sheet: Any = parts.sheet(NAME, self.width)
        self.units: dict[int, Unit] = {}  # of the drivers, by column

    def put(self) -> CashCells:
        sheet, parts = self.sheet, self.parts
        self._drivers()
        for column in range(1, self.width + 1):
            self.look.header(sheet.cell(HEAD, column))
        self._column("cash_month", parts.say("Month", "第几月"), unit_of(MonthNumber), f"=ROWS(A${FIRST - 1}:A{FIRST - 1})-1")
        for line in (*TIMING_LINES, *TERM_LINES):
            self._line(line.name, line)
        for model in PRICING_MODELS:
            title = parts.say(f"Rent: {LABELS[model][0].lower()}", f"租金：{LABELS[model][1]}")
            at = {"card_month_price": self.at.drivers[model], "month": self._own("cash_month"),
                  "contract_factor": self._own("rent_factor")}
            self._line(f"rent_{model}", RENT_LINE, at, title, total=True)
        for line in OWNED_LINES:
            self._line(line.name, line, total=True)
        for option in OPTIONS:
            title = parts.say(f"So far: {LABELS[option][0].lower()}", f"累计：{LABELS[option][1]}")
            cash, column = self._own(self.cash(option)), self.at.columns[f"so_far_{option}"]
            before = f"{get_column_letter(column)}{FIRST - 1}"
            self._column(f"so_far_{option}", title, MONEY, f'=IF(COUNT({cash})=1,N({before})+{cash},"")')
        rule = find_rule("cheaper_so_far")
        for model in PRICING_MODELS:
            at = {"cash_so_far": self._own(f"so_far_{BUY}"), "other_so_far": self._own(f"so_far_{model}")}
            formula = cell_formula(rule.plain_expression, dict.fromkeys(at, Facts()), _place(at))
            title = parts.say(f"Buying below {LABELS[model][0].lower()}", f"购买累计低于{LABELS[model][1]}")
            self._column(f"cheaper_{model}", title, rule.unit, formula)
            letter = get_column_letter(self.at.columns[f"cheaper_{model}"])  # above the flags: the first month with one
            flags = f"{letter}{FIRST}:{letter}{LAST}"
            first = f'CHOOSE(1+(SUM({flags})>0),"{parts.say(*NEVER)}",INDEX($A{FIRST}:$A{LAST},MATCH(1,{flags},0)))'
            column, found = self.at.columns[f"cheaper_{model}"], f'=IF(COUNT({flags})>0,{first},"")'
            parts.put(sheet, TOTAL, column, found, unit_of(MonthNumber), total=True)
            sheet.cell(TOTAL, column).alignment = Alignment(horizontal="right", vertical="center", shrink_to_fit=True)
        self._drawn()
        self._finish()
        self._checks()
        return self.at

    @staticmethod
    def cash(option: str) -> str:
        return "month_owning" if option == BUY else f"rent_{option}"

    def _own(self, key: str) -> str:
        """The cell of a column in the first month, to be filled down."""
        return f"${get_column_letter(self.at.columns[key])}{FIRST}"

    def _drivers(self) -> None:
        """What the columns need, each once."""
        parts = self.parts
        cells: list[tuple[str, str, Unit, str]] = []
        for name in (*ASSUMED, "price_drift", *OWNED, *TERM):
            label, unit = self.options.said[name] if name in self.options.said else _said(name, parts.lang)
            cells.append((name, label, unit, self.options.at(name) if name in self.options.rows else parts.cells.value(name)))
        for model in PRICING_MODELS:
            title = parts.say(f"Rent of month 1: {LABELS[model][0].lower()}", f"首月租金：{LABELS[model][1]}")
            cells.append((model, title, find_rule("after_profit_tax").unit, self.options.at("net_rent", model)))
        for column, (name, label, unit, source) in enumerate(cells, 1):
            self.look.header(self.sheet.cell(DRIVER - 2, column, label))
            self._unit(DRIVER - 1, column, unit)
            self.units[column] = unit
            fill_right(self.sheet, self.look, DRIVER, column, 1, f"={source}", unit)
            self.at.drivers[name] = f"${get_column_letter(column)}${DRIVER}"

    def _unit(self, row: int, column: int, unit: Unit) -> None:
        cell = self.sheet.cell(row, column, unit.label(self.parts.lang))
        self.look.text(cell, color="7F7F7F")
        cell.alignment = Alignment(horizontal="center", vertical="center", shrink_to_fit=True)

    def _line(self, key: str, line: Line, more: Mapping[str, str] | None = None, title: str = "", total: bool = False) -> None:
        at = {**self.at.drivers, **(more or {})}

        def place(name: str) -> str:
            return at[name] if name in at else self._own(name) if name in self.at.columns else name

        names = {node.name for node in line.expression.walk() if isinstance(node, Symbol)}
        formula = cell_formula(line.expression, dict.fromkeys(names, Facts()), place)
        self._column(key, title or line.label(self.parts.lang), line.rule.unit, formula, total)

    def _column(self, key: str, title: str, unit: Unit, formula: str, total: bool = False) -> None:
        column = self.at.columns[key]
        self.look.header(self.sheet.cell(HEAD, column, title))
        self._unit(HEAD + 1, column, unit)
        wide = 15 if MONEY in (unit, self.units.get(column)) else 9 if unit in NARROW else 12
        self.sheet.column_dimensions[get_column_letter(column)].width = wide
        fill_block(self.sheet, self.look, FIRST, LONGEST + 1, column, 1, formula, unit)
        if total:
            letter = get_column_letter(column)
            cells = f"{letter}{FIRST}:{letter}{LAST}"
            self.parts.put(self.sheet, TOTAL, column, f'=IF(COUNT({cells})=ROWS({cells}),SUM({cells}),"")', unit, total=True)

    def _drawn(self) -> None:
        """What the chart draws: months stop at the horizon, and a way without a price lies below the axis, out of sight."""
        parts = self.parts
        month, horizon = self._own("cash_month"), self.at.drivers["horizon_months"]
        self._column("drawn_month", parts.say("Drawn: month", "绘图：月份"), unit_of(MonthNumber), f"=MIN({month},{horizon})")
        first, last = (get_column_letter(self.at.columns[f"so_far_{option}"]) for option in (OPTIONS[0], OPTIONS[-1]))
        below = f"-1-MAX(${first}${FIRST}:${last}${LAST})"
        for option in OPTIONS:
            cell = self._own(f"so_far_{option}")
            title = parts.say(f"Drawn: {LABELS[option][0].lower()}", f"绘图：{LABELS[option][1]}")
            self._column(f"drawn_{option}", title, MONEY, f"=IF(COUNT({cell})=1,{cell},{below})")

    def _finish(self) -> None:
        sheet = self.sheet
        self.look.text(sheet.cell(TOTAL, 1, self.parts.say("Total", "合计")), bold=True)
        sheet.row_dimensions[DRIVER - 2].height = sheet.row_dimensions[HEAD].height = 42
        sheet.freeze_panes = f"B{FIRST}"
        printing(sheet, self.parts.lang, f"{HEAD}:{TOTAL}", f"A1:{get_column_letter(self.width)}{LAST}", "A:A")
        protect(sheet)

    def _checks(self) -> None:
        """Cash of owning over the horizon is depreciation and running cost less tax: sales at book value undo the rest."""
        spent, written, running, saved = (
            self.at.cell(key, TOTAL) for key in ("month_owning", "month_depreciation", "month_running", "month_tax_saved"))
        self.parts.checks.append(Check(
            "Cash of owning against depreciation and running cost", "自有现金支出与折旧及运行支出一致", NAME,
            f"=IF(COUNT({spent})=1,{spent}-{written}-{running}+{saved},0)",
            "Over the horizon both are the same: a formula of the schedule was changed.",
            "比较期内两者应一致：逐月现金流的公式被改动。", tolerance="0.01"))  # fmt: skip


def _place(cells: Mapping[str, str]) -> Place:
    """The cell of each quantity; constants are named."""
    return lambda name: cells.get(name, name)


def _said(name: str, lang: str) -> tuple[str, Unit]:
    column = inputs()[name][1]
    return column.label(lang), column.unit


def put_cash_flow(parts: Parts) -> None:
    parts.rows[NAME] = _Writer(parts).put()
