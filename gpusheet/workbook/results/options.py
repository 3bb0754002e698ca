"""The sheet Options: the workload looked at, its offers at every pricing model, and what owning its cards costs.

Offers are looked up by the formulas of Lookup, a column for each pricing model in place of each workload.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from gpusheet.calendar import LINES, Line
from gpusheet.catalog import Workload, columns
from gpusheet.catalog.price import PRICING_MODELS
from gpusheet.constants import NAMES
from gpusheet.decisions.rent_or_buy import LABELS, OFFER_LINES, OWNING_LINES
from gpusheet.decisions.traffic import WORKLOAD_FACTS
from gpusheet.expr import Symbol
from gpusheet.formula import Facts, cell_formula
from gpusheet.units import Date, MonthNumber, Number, Text, Unit, unit_of
from gpusheet.wiring import quantities
from gpusheet.workbook.assumptions_sheet import ALL_VALID
from gpusheet.workbook.grid import fill_right
from gpusheet.workbook.layout import DATE_ROW, FIRST_LINE, NAME_ROW, NUMBER_ROW, STATUS_ROW
from gpusheet.workbook.lookup_lines import LookupLines
from gpusheet.workbook.lookup_parts import FetchLine
from gpusheet.workbook.results.months import RUN_RATE
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.style import printing, protect, set_widths
from gpusheet.workbook.workload_columns import WORDS, label_line

NAME = "Options"
FIRST = 5  # column E, as on Lookup
ASKED = ("gpu", "price_list")  # by which offers are looked up, with the listing
MONTHLY = {"month_net_cards": "fleet_cards", "month_cost": "budget_cost"}  # lines of the run-rate month under names of their own
OFFERED = ("unit_price", "price_period", "price_tax")  # what an offer says
TEXT = unit_of(Text)
STATES = (
    ("ok", "完整"), ("no workload of that name: looked_at in Assumptions", "没有该名称的业务：见假设中的 looked_at"),
    ("inputs incomplete: see Lookup", "输入不完整：见取数表"), ("no number of cards: see Budget", "没有卡数：见预算"),
)  # fmt: skip
NO_OFFER = (("", ""), ("no price", "无报价"), ("several prices", "多个报价"), ("no exchange rate", "缺少汇率"))
NOT_OWNED = (
    ("", ""), ("no purchase price", "未填购置成本"), ("no cards in month 1 that it buys", "首月没有可对应的卡数"),
    ("TDP of the card blank", "该卡未填 TDP"), ("electricity, hosting or network blank", "电价、托管费或网络费未填"),
)  # fmt: skip


def chosen(index: str, words: Iterable[tuple[str, str]], parts: Parts) -> str:
    """The formula part that picks a text by its number from 0."""
    texts = ",".join(f'"{parts.say(*word)}"' for word in words)
    return f"CHOOSE(1+{index},{texts})"


@dataclass
class OptionCells:
    """Where the sheet has its lines: facts and owning in column E, offers in E to H."""

    rows: dict[str, int] = field(default_factory=dict)
    offers: set[str] = field(default_factory=set)
    said: dict[str, tuple[str, Unit]] = field(default_factory=dict)  # label and unit of each

    def at(self, name: str, model: str = "") -> str:
        """The cell of a line as other sheets name it; of an offer, that of a pricing model."""
        letter = "EFGH"[PRICING_MODELS.index(model)] if model else "E"
        return f"{NAME}!${letter}${self.rows[name]}"

    def models(self, name: str) -> str:
        """The cells of a line over all pricing models."""
        return f"{NAME}!$E${self.rows[name]}:$H${self.rows[name]}"


class _Offers(LookupLines):
    """Lookup's offer at the chosen pricing model, on the rows of this sheet."""

    def __init__(self, parts: Parts, rows: dict[str, int], start: int) -> None:
        self.cells, self.groups, self._next = parts.cells, [], start
        self.rows = {name: rows[name] for name in ASKED} | {"pricing_model": start + 1, "listing": start + 2}
        self._next += 2
        self._offer("chosen")
        first = self._next
        self.rows |= {name: first + offset for offset, name in enumerate(OFFERED)}
        formulas = (self._price("chosen", None), self._of_offer("chosen", "period"), self._of_offer("chosen", "tax"))
        self.found = [FetchLine(name, quantities()[name].en, quantities()[name].zh, quantities()[name].unit, formula)
                      for name, formula in zip(OFFERED, formulas, strict=True)]  # fmt: skip

    def at(self, name: str) -> str:
        return f"$E${self.rows[name]}" if name in ASKED else super().at(name)


class _Writer:
    def __init__(self, parts: Parts) -> None:
        self.parts, self.look, self.at = parts, parts.look, OptionCells()
        self.sheet: Any = parts.sheet(NAME, FIRST + len(PRICING_MODELS) - 1)
        self.line = FIRST_LINE
        self.facts = {name: Facts(number=False) for name in ("price_period", "price_tax")}

    def put(self) -> OptionCells:
        parts, sheet, span = self.parts, self.sheet, self.parts.span
        heads = WORDS[parts.lang]["heads"][:3]
        for position, head in enumerate((*heads, "", parts.say("Value", "取值")), 1):
            self.look.header(sheet.cell(FIRST_LINE - 1, position, head))
        self._row(DATE_ROW, "price_date", str(WORDS[parts.lang]["date"]), unit_of(Date), f"=Lookup!$E${DATE_ROW}")
        names, asked = span.row("Lookup", NAME_ROW), parts.cells.value("looked_at")
        number = f'=CHOOSE(1+({asked}<>""),1,IF(SUMPRODUCT(1*({names}={asked}))=1,MATCH({asked},{names},0),""))'
        # not a row of numbers side by side: each of the four columns is the same workload
        words = WORDS[parts.lang]
        self._row(NUMBER_ROW, "workload_number", str(words["number"]), unit_of(Number), number)
        self._row(STATUS_ROW, "status", str(words["status"]), TEXT, self._status())
        count = len(PRICING_MODELS)
        name = f'=IF($E${STATUS_ROW}="ok",INDEX({names},$E${NUMBER_ROW}),"")'
        self._row(NAME_ROW, "workload", str(words["name"]), TEXT, name, count)
        self._workload()
        self._offers(count)
        self._owning()
        set_widths(sheet, (26, 44, 22, 3, *[18] * count))
        sheet.freeze_panes = f"E{FIRST_LINE}"
        printing(sheet, parts.lang, f"{NAME_ROW}:{FIRST_LINE - 1}", f"A1:H{self.line}")
        protect(sheet)
        return self.at

    def _status(self) -> str:
        """That of the workload in Lookup, if what decisions are made with is valid as well."""
        found = f"INDEX({self.parts.span.row('Lookup', STATUS_ROW)},$E${NUMBER_ROW})"
        return f'=IF($E${NUMBER_ROW}="","",CHOOSE(1+{self.parts.cells.decisions_valid},"incomplete",{found}))'

    def _row(self, row: int, name: str, label: str, unit: Unit, formula: str, count: int = 1) -> None:
        self.at.rows.setdefault(name, row)
        self.at.said[name] = (label, unit)
        label_line(self.sheet, self.look, row, name, label, unit)
        fill_right(self.sheet, self.look, row, FIRST, count, formula, unit)

    def _next(self, name: str, label: str, unit: Unit, formula: str, count: int = 1) -> None:
        self._row(self.line, name, label, unit, formula, count)
        self.line += 1

    def _group(self, en: str, zh: str) -> None:
        self.line += 1
        self.look.group(self.sheet, self.line, self.parts.say(en, zh), FIRST + len(PRICING_MODELS) - 1)
        self.line += 1

    def _of(self, sheet: str, row: int, condition: str = "") -> str:
        """A line of Lookup or Sizing, of this workload."""
        condition = condition or f'$E${STATUS_ROW}="ok"'
        return f'=IF({condition},INDEX({self.parts.span.row(sheet, row)},$E${NUMBER_ROW}),"")'

    def _said(self, name: str) -> tuple[str, Unit]:
        """Label and unit of a quantity or of a field of a workload."""
        one = quantities()[name] if name in quantities() else next(c for c in columns(Workload) if c.name == name)
        return one.label(self.parts.lang), one.unit

    def _workload(self) -> None:
        """What the lines need of the workload: its facts and sizing, and the lines of the run-rate month."""
        parts, budget = self.parts, self.parts.budget
        self._group("The workload looked at", "分析对象")
        month = parts.say("Run-rate month", "稳态月")
        self._next("run_rate_month", month, unit_of(MonthNumber), f"={RUN_RATE}")
        known = {"run_rate_month", "fleet_cards", *OFFERED}
        wanted = dict.fromkeys([*ASKED, *_inputs(OFFER_LINES, known), *_inputs(OWNING_LINES, known), *WORKLOAD_FACTS])
        lines = {line.name: line for line in LINES}
        for name in wanted:
            if name in parts.sizing or name in parts.lookup.rows:
                row = parts.sizing.get(name) or parts.lookup.rows[name]
                source = self._of("Sizing" if name in parts.sizing else "Lookup", row)
                self._next(name, *self._said(name), source)
        pricing = self._of("Lookup", parts.lookup.rows["pricing_model"])
        self._next("own_model", *self._said("pricing_model"), pricing)
        for name in (*MONTHLY, *(fact for fact in WORKLOAD_FACTS if fact in lines)):
            top = budget.blocks[name]
            area = f"Budget!${budget.first}${top}:${budget.last}${top + parts.span.count - 1}"
            source = f'=IF($E${STATUS_ROW}="ok",INDEX({area},$E${NUMBER_ROW},$E${self.at.rows["run_rate_month"]}),"")'
            self._next(MONTHLY.get(name, name), lines[name].label(parts.lang), lines[name].rule.unit, source)
        cards = f"COUNT($E${self.at.rows['fleet_cards']})"
        number, status = f"$E${NUMBER_ROW}", f"$E${STATUS_ROW}"
        code = f'({number}="")+2*({number}<>"")*({status}<>"ok")+3*({status}="ok")*({cards}=0)'
        self._next("state", parts.say("State", "状态"), TEXT, f"={chosen(code, STATES, parts)}")

    def _offers(self, count: int) -> None:
        parts = self.parts
        self._group("Offers: Lookup's way, for every pricing model", "报价：取数表的查找方式，逐计费方式")
        for offset, model in enumerate(PRICING_MODELS):
            self.look.header(self.sheet.cell(self.line - 1, FIRST + offset, parts.say(*LABELS[model])))
        found = _Offers(parts, self.at.rows, self.line - 1)
        label_line(self.sheet, self.look, self.line, "pricing_model", *self._said("pricing_model"))
        self.at.rows["pricing_model"] = self.line
        for offset, model in enumerate(PRICING_MODELS):
            self.look.text(self.sheet.cell(self.line, FIRST + offset, model), indent=True)
        self.line += 1
        listing = self._of("Lookup", parts.lookup.rows["listing"])
        self._next("listing", *self._said("listing"), listing, count)
        for line in [*found.groups[0].lines, *found.found]:
            self._row(found.rows[line.name], line.name, line.label(parts.lang), line.unit, line.formula, count)
        self.line = max(found.rows.values()) + 1
        self.at.offers |= set(found.rows) - set(ASKED)
        self._lines(OFFER_LINES, count)
        offers, rate = (f"E{self.at.rows[f'chosen_{part}']}" for part in ("offers", "rate"))
        code = f"({offers}=0)+2*({offers}>1)+3*({offers}=1)*(COUNT({rate})=0)"
        reason = f'=IF(COUNT({offers})=1,{chosen(code, NO_OFFER, parts)},"")'
        self._next("no_offer", parts.say("What is missing", "缺少内容"), TEXT, reason, count)

    def _owning(self) -> None:
        parts = self.parts
        self._group("Owning the cards", "自有")
        self._lines(OWNING_LINES, 1)
        needed = ("capex", "card_capex", "power_kw", "owned_running_cost")
        capex, card, power, running = (f"COUNT($E${self.at.rows[name]})" for name in needed)
        code = f"({capex}=0)+2*({capex}>{card})+3*({card}>{power})+4*({card}*{power}>{running})"
        reason = f'=IF($E${STATUS_ROW}="ok",{chosen(code, NOT_OWNED, parts)},"")'
        self._next("not_owned", parts.say("What is missing", "缺少内容"), TEXT, reason)

    def _lines(self, lines: Iterable[Line], count: int) -> None:
        if count > 1:
            self.at.offers |= {line.name for line in lines}
        for line in lines:
            names = {node.name for node in line.expression.walk() if isinstance(node, Symbol)}
            # what rests on assumptions alone asks whether they are within their bounds
            complete = f"{ALL_VALID}*{self.parts.cells.decisions_valid}=1" if names <= self.parts.cells.rows.keys() | NAMES else ""
            formula = cell_formula(line.expression, _Known(self.facts), self._place, complete)
            self._next(line.name, line.label(self.parts.lang), line.rule.unit, formula, count)

    def _place(self, name: str) -> str:
        if name in self.at.rows:
            return f"E{self.at.rows[name]}" if name in self.at.offers else f"$E${self.at.rows[name]}"
        return self.parts.cells.value(name) if name in self.parts.cells.rows else name


class _Known(dict[str, Facts]):
    """Nothing is known of a quantity before its value is: all may be missing."""

    def __missing__(self, name: str) -> Facts:
        return Facts()


def _inputs(lines: Iterable[Line], known: Iterable[str]) -> list[str]:
    """The quantities that lines need and that are neither lines before them nor known."""
    there = set(known)
    found: dict[str, None] = {}
    for line in lines:
        for node in line.expression.walk():
            if isinstance(node, Symbol) and node.name not in there:
                found[node.name] = None
        there.add(line.name)
    return list(found)


def put_options(parts: Parts) -> None:
    parts.rows[NAME] = _Writer(parts).put()
