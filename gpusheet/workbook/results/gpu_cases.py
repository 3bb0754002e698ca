"""The sheet GpuCases: the workload looked at on each card of the table GPUs, a column per card.

Column D holds what is the workload's, read once from Lookup and Sizing; the columns from E on what depends on the card.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from gpusheet.catalog import Generation, Gpu, Workload, columns
from gpusheet.catalog.price import PRICING_MODELS
from gpusheet.decisions.comparison import FIGURES, HELD, MEASURED, RESULTS
from gpusheet.formula import Facts, cell_formula, nullable
from gpusheet.registry import Rule, find_rule
from gpusheet.rules import SUBJECTS
from gpusheet.units import Date, Flag, Number, Text, Unit, unit_of
from gpusheet.wiring import TABLES, facts, order, quantities, rules_between
from gpusheet.workbook.grid import fill_right
from gpusheet.workbook.layout import DATE_ROW, FIRST_COLUMN, FIRST_LINE, NAME_ROW, NUMBER_ROW, STATUS_ROW, Span
from gpusheet.workbook.results.gpu_lines import NAME, NUMBER, STATUS, GpuLines, of_model
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.workload_columns import TEXT, finish, frame, label_line

SHEET = "GpuCases"
REPLICA = ("min_cards_for_weights", "link_domain")  # by which the cards of a replica are chosen
COSTS = ("card_month_price", "monthly_cost", "cost_per_million_output_tokens")
MARGINS = ("free_cards", "tier_margin")
COMPLETE = f'E${STATUS_ROW}="ok"'
TITLES = {
    "replica": ("Cards of a replica", "单副本卡数"),
    "costs": ("Cost by pricing model", "各计费方式的费用"),
    "results": ("Result: the first line that is 1", "结果：首个为 1 的行"),
    "workload": ("The same for all cards: read from Lookup, Sizing and Assumptions", "各卡相同：取自 Lookup、Sizing 与假设"),
}
WORDS = {
    "en": ("Card no. (column D: the workload's)", "Card (column D: the workload)", "Status", "Prices as of", "Workload, limit"),
    "zh": ("卡型序号（D 列为业务）", "卡型（D 列为业务）", "状态", "价格基准日", "业务取值或上限"),
}


FACTS = frozenset(c.name for row_type in (Gpu, Generation) for c in columns(row_type))


@cache
def rules_of_card() -> tuple[str, ...]:
    """The rules of Sizing that each card computes anew, in reading order, those behind the cards of a replica first."""
    first = rules_between(FACTS, REPLICA)
    wanted = tuple(sorted({*FIGURES} - {"cards", *COSTS}))
    then = rules_between(FACTS | {"cards", *MEASURED, *HELD}, wanted)
    return (*first, *(name for name in then if name not in first))


@cache
def rules_of_price() -> tuple[str, ...]:
    """Those that each offer of a card computes anew."""
    return rules_between(frozenset({"unit_price", "price_period"}), COSTS)


@dataclass(frozen=True)
class Line:
    """A row below what is looked up: its formula for the first card, and that of column D."""

    name: str
    label: str
    unit: Unit
    formula: Callable[[], str] | None = None  # called once the rows of all lines are known
    own: str = ""


class GpuCases:
    """The lines of the sheet, and where they are."""

    def __init__(self, parts: Parts) -> None:
        self.parts, self.span, self.lines = parts, Span(parts.cards), GpuLines(parts)
        self.rows: dict[str, int] = {}  # of the lines below what is looked up
        self.typed: dict[str, int] = {}  # of column D: what is typed in place of a rule that each card computes
        self.of_workload: set[str] = set()  # lines of column D alone
        self.chosen_by = rules_between(FACTS, REPLICA)
        # lines that are blank where the status is not ok, or there is no number of cards
        self.computed = {*rules_of_card(), *rules_of_price(), "replica_cards", *MARGINS}
        self.known = _facts()
        self.groups: list[tuple[str, list[tuple[int, Line]]]] = []
        row = self.lines.next_row
        for title, lines in self._lines():
            row += 1
            self.groups.append((title, []))
            for line in lines:
                places = self.typed if line.name in self.rows else self.rows
                places[line.name] = row
                self.groups[-1][1].append((row, line))
                row += 1
        self.last = row - 1

    # --- where things are ---

    def at(self, name: str) -> str:
        """The cell of a quantity for the first card."""
        if name in self.rows:
            return f"$D${self.rows[name]}" if name in self.of_workload else f"E{self.rows[name]}"
        if name in self.lines.rows:
            return self.lines.at(name)
        return name  # a table or a constant

    def line(self, name: str) -> int:
        return self.rows[name] if name in self.rows else self.lines.rows[name]

    def row(self, name: str) -> str:
        """A line over all cards, as other sheets name it."""
        return self.span.row(SHEET, self.line(name))

    def by_model(self, name: str) -> str:
        """The lines of a quantity of offers, one for each pricing model, as other sheets name them."""
        first, last = (self.line(of_model(name, PRICING_MODELS[end])) for end in (0, -1))
        return f"{SHEET}!${self.span.first}${first}:${self.span.last}${last}"

    def cell(self, name: str) -> str:
        """The workload's own value in a line, as other sheets name it."""
        return f"{SHEET}!$D${self.line(name)}"

    @property
    def word(self) -> str:
        """The cell with the word for an offer that fits, as other sheets name it."""
        return f"{SHEET}!$B${self.rows['is_fits']}"

    @property
    def alike(self) -> tuple[int, int]:
        """The first and the last of the lines that on the workload's own card are those of Sizing."""
        return self.rows["cards"], self.rows[MARGINS[0]] - 2

    # --- lines ---

    def _lines(self) -> Iterator[tuple[str, list[Line]]]:
        lang = self.parts.lang == "zh"
        yield TITLES["replica"][lang], [*(self._rule(find_rule(name)) for name in self.chosen_by), *self._replica()]
        subjects: dict[str, list[Line]] = {}
        for name in rules_of_card():
            if name not in self.chosen_by:
                rule = find_rule(name)
                subjects.setdefault(rule.subject, []).append(self._rule(rule))
        for subject, lines in subjects.items():
            yield SUBJECTS[subject][lang], lines
        yield SUBJECTS["comparison"][lang], [self._rule(find_rule(name)) for name in MARGINS]
        offers = [self._rule(find_rule(name), model) for name in rules_of_price() for model in PRICING_MODELS]
        yield TITLES["costs"][lang], offers
        yield TITLES["results"][lang], list(self._results())
        yield TITLES["workload"][lang], list(self._from_workload())

    def _rule(self, rule: Rule, model: str = "") -> Line:
        """The line of a rule, for each card or for one of its offers."""

        def place(quantity: str) -> str:
            offered = of_model(quantity, model)
            return self.at(offered if offered in self.rows or offered in self.lines.rows else quantity)

        def formula() -> str:
            typed = None
            if rule.name in self.typed:
                typed = f"$D${self.typed[rule.name]}"
            elif rule.name in MEASURED:
                typed = self.lines.at(rule.name)
            complete = COMPLETE if rule.name in self.chosen_by else f'E${self.rows["cards"]}<>""'
            return cell_formula(rule.expression, self.known, place, complete, typed, self.computed)

        sizing, label = self.parts.sizing, rule.label(self.parts.lang)
        if model:
            label += self.parts.say(f", {model}", f"：{model}")
            return Line(of_model(rule.name, model), label, rule.unit, formula)
        own = f"=INDEX({self.parts.span.row('Sizing', sizing[rule.name])},{NUMBER})" if rule.name in sizing else ""
        return Line(rule.name, label, rule.unit, formula, own)

    def _replica(self) -> Iterator[Line]:
        """How many cards make a replica: on the workload's own card as it says, on others what holds the weights."""
        rule, cards = find_rule("replica_cards"), next(c for c in columns(Workload) if c.name == "cards")

        def own() -> str:
            return f"$D${self.rows[cards.name]}"

        def place(name: str) -> str:
            return own() if name == cards.name else self.at(name)

        def elsewhere() -> str:
            return cell_formula(rule.expression, self.known, place, COMPLETE, computed=self.computed)

        def chosen() -> str:
            return f'=IF({COMPLETE},CHOOSE(1+{self.lines.at("own_card")},{self.at(rule.name)},{own()}),"")'

        yield Line(rule.name, rule.label(self.parts.lang), rule.unit, elsewhere)
        yield Line(cards.name, cards.label(self.parts.lang), cards.unit, chosen, f"={self.lines.lookup(cards.name)}")

    def _results(self) -> Iterator[Line]:
        """Flags of what is wrong, of which the first that is 1 names the result; then the result of each offer."""
        lang = self.parts.lang == "zh"
        at = self.at
        tests: dict[str, Callable[[], str]] = {
            "no_inputs": lambda: f'{STATUS}<>"ok"',
            "no_facts": lambda: f'E${STATUS_ROW}<>"ok"',
            "too_few": lambda: f"(COUNT({at('cards')},{at('fits')})=2)*(N({at('fits')})=0)"
                               f"*(N({at('min_cards_for_weights')})>N({at('cards')}))=1",
            "no_fit": lambda: f"N({at('fits')})<1",
            "no_figure": lambda: f"COUNT({at('replica_capacity')})=0",
            "no_request": lambda: f"N({at('replica_capacity')})<=0",
            "no_demand": lambda: f"COUNT({at('cards_needed')})=0",
            "development": lambda: f'({at("usage")}="development")*({self.lines.at("own_card")}=0)=1',
            "fits": lambda: f'E${NAME_ROW}<>""',
        }  # fmt: skip
        blank = f'(E${NAME_ROW}="")+({NAME}="")>0'

        def flag(test: Callable[[], str]) -> Callable[[], str]:
            return lambda: f'=IF({blank},"",1*({test()}))'

        for key, test in tests.items():
            yield Line(f"is_{key}", RESULTS[key][lang], unit_of(Flag), flag(test))

        def first() -> str:
            top, end = self.rows[f"is_{next(iter(tests))}"], self.rows["is_fits"]
            return f'=IF({blank},"",INDEX($B${top}:$B${end},MATCH(1,E{top}:E{end},0)))'

        def offered(model: str) -> Callable[[], str]:
            words = ",".join(f'"{RESULTS[key][lang]}"' for key in ("no_price", "no_rate", "several"))

            def formula() -> str:
                card, offers, cost = at("result"), f"N({at(f'{model}_offers')})", at(of_model("monthly_cost", model))
                open_ = f"({card}=$B${self.rows['is_fits']})*(COUNT({cost})=0)"
                return f"=IF({open_},CHOOSE(1+({offers}>0)+({offers}>1),{words}),{card})"

            return formula

        yield Line("result", self.parts.say("Result of the card", "该卡的结果"), unit_of(Text), first)
        for model in PRICING_MODELS:
            label = self.parts.say(f"Result of the offer, {model}", f"报价的结果：{model}")
            yield Line(of_model("result", model), label, unit_of(Text), offered(model))

    def _from_workload(self) -> Iterator[Line]:
        """What the rules above need that is the same for all cards."""
        lookup, sizing, span = self.parts.lookup.rows, self.parts.sizing, self.parts.span
        computed = (*rules_of_card(), *rules_of_price())
        rules = [find_rule(name) for name in (*computed, "replica_cards", *MARGINS)]
        needed = {need for rule in rules for need in rule.needs.values()}
        needed -= {*computed, *self.lines.rows, "cards", "unit_price", "price_period", *TABLES}
        typed = {name for name in computed if quantities()[name].column is not None and name not in MEASURED}
        self.of_workload |= needed
        for name, quantity in quantities().items():
            if name in typed:
                source = f"INDEX({span.row('Lookup', lookup[name])},{NUMBER})"
            elif name not in needed:
                continue
            elif name in sizing:
                source = f"INDEX({span.row('Sizing', sizing[name])},{NUMBER})"
            else:
                source = self.lines.lookup(name) if name in lookup else self.parts.cells.value(name)
            yield Line(name, quantity.label(self.parts.lang), quantity.unit, None, f"={source}")

    # --- the sheet ---

    def put(self) -> None:
        parts, look, sheet, span = self.parts, self.parts.look, self.parts.book[SHEET], self.span
        width = frame(sheet, look, SHEET, span)
        number, card, status, date, own = WORDS[look.lang]
        look.header(sheet.cell(FIRST_LINE - 1, 4, own))
        for row, label, unit in ((NUMBER_ROW, number, unit_of(Number)), (NAME_ROW, card, TEXT), (STATUS_ROW, status, TEXT)):
            label_line(sheet, look, row, "", label, unit)
        label_line(sheet, look, DATE_ROW, "price_date", date, unit_of(Date))
        parts.put(sheet, DATE_ROW, FIRST_COLUMN, f"=Lookup!$E${DATE_ROW}", unit_of(Date))
        self._workload(sheet)
        name = f"INDEX(GPUs[gpu],E${NUMBER_ROW})"
        there = f'=IF(E${NUMBER_ROW}>ROWS(GPUs[gpu]),"",{name}&"")'
        fill_right(sheet, look, NAME_ROW, FIRST_COLUMN, span.count, there, TEXT)
        status = f'=IF(E${NAME_ROW}="","",CHOOSE(1+({STATUS}="ok")*({self.lines.all_hold}),"incomplete","ok"))'
        fill_right(sheet, look, STATUS_ROW, FIRST_COLUMN, span.count, status, TEXT)
        self._looked_up(sheet, width)
        for title, lines in self.groups:
            look.group(sheet, lines[0][0] - 1, title, width)
            for row, line in lines:
                self._line(sheet, row, line.name, line.label, line.unit, line.formula() if line.formula else "", line.own)
        finish(sheet, look, span, self.last)
        sheet.column_dimensions["D"].width = 20
        detail = self.groups[-1][1]
        sheet.row_dimensions.group(detail[0][0], detail[-1][0], outline_level=1, hidden=False)

    def _line(self, sheet: Any, row: int, name: str, label: str, unit: Unit, formula: str, own: str = "") -> None:
        label_line(sheet, self.parts.look, row, name, label, unit)
        if own:
            self.parts.put(sheet, row, 4, own, unit)
        if formula:
            fill_right(sheet, self.parts.look, row, FIRST_COLUMN, self.span.count, formula, unit)

    def _workload(self, sheet: Any) -> None:
        """Number, name and status of the workload looked at, in column D."""
        setting = self.parts.cells.value("looked_at")
        numbers, names, states = (self.parts.span.row("Lookup", row) for row in (NUMBER_ROW, NAME_ROW, STATUS_ROW))
        place = f"SUMPRODUCT(MAX(({names}={setting})*{numbers}))"
        for row, formula, unit in (
            (NUMBER_ROW, f'=CHOOSE(1+({setting}=""),MAX(1,{place}),1)', unit_of(Number)),
            (NAME_ROW, f'=IF({self.lines.at("looked_at_known")}=1,INDEX({names},{NUMBER}),"")', TEXT),
            (STATUS_ROW, f'=IF({NAME}="","",INDEX({states},{NUMBER}))', TEXT),
        ):
            self.parts.put(sheet, row, 4, formula, unit)
            self.parts.look.header(sheet.cell(row, 4), wrap=row == NAME_ROW)

    def _looked_up(self, sheet: Any, width: int) -> None:
        lines, lang = self.lines, self.parts.lang
        for group in lines.groups:
            look = self.parts.look
            look.group(sheet, lines.rows[group.lines[0].name] - 1, group.zh if lang == "zh" else group.en, width)
            for line in group.lines:
                mine = line.name in lines.of_workload
                own = line.formula if mine else lines.own_values.get(line.name, "")
                formula = "" if mine else line.formula
                self._line(sheet, lines.rows[line.name], line.name, line.label(lang), line.unit, formula, own)


def _facts() -> dict[str, Facts]:
    """What is known of the quantities here: what a card lacks may be missing, but not the number of cards that the lines ask for."""
    known = dict(facts())
    for rule in order():
        if rule.name in rules_of_card() or rule.name in rules_of_price():
            missing = known[rule.name].nullable or nullable(rule.expression, known)
            known[rule.name] = replace(known[rule.name], nullable=missing)
    return known
