"""What GpuCases looks up: the workload looked at in column D, and from column E on each card's facts and offers.

The lines are made as those of Lookup, where a column is a workload; here a column is a row of the table GPUs.
"""

from __future__ import annotations

from gpusheet.catalog import Column, Workload, columns
from gpusheet.catalog.derived import Found
from gpusheet.catalog.planning import Scenario
from gpusheet.catalog.price import PRICING_MODELS
from gpusheet.catalog.settings import Settings
from gpusheet.decisions.comparison import HELD, MEASURED
from gpusheet.units import Flag, NewestDay, Number, unit_of
from gpusheet.workbook.fetches import FETCHES
from gpusheet.workbook.layout import FIRST_LINE, NAME_ROW, NUMBER_ROW, STATUS_ROW, Span
from gpusheet.workbook.lookup_flags import FlagMaker
from gpusheet.workbook.lookup_lines import LookupLines, typed_name
from gpusheet.workbook.lookup_parts import FetchLine
from gpusheet.workbook.results.parts import Parts

NUMBER, NAME, STATUS = f"$D${NUMBER_ROW}", f"$D${NAME_ROW}", f"$D${STATUS_ROW}"  # of the workload looked at
OF_OFFERS = ("unit_price", "price_period", "price_available")  # looked up for each pricing model


def of_model(name: str, model: str) -> str:
    """The line of a quantity at a pricing model.

    >>> of_model("monthly_cost", "spot")
    'monthly_cost_spot'
    """
    return f"{name}_{model}"


class GpuLines(LookupLines):
    """The rows of GpuCases that are looked up, in order, and where each is."""

    def __init__(self, parts: Parts) -> None:
        self.cells, self.parts = parts.cells, parts
        self.rows: dict[str, int] = {"gpu": NAME_ROW}
        self.of_workload: set[str] = set()  # lines of column D alone
        self.groups = []
        self._next = FIRST_LINE
        self._flags = FlagMaker(self.cells, self.at)
        self._looked_at()
        for fetch in FETCHES:
            if fetch.table in ("GPUs", "Generations"):
                self._facts(fetch)
        self._own_card()
        for model in PRICING_MODELS:
            self._offer(model)
        self._prices()
        self._put_flags()

    @property
    def next_row(self) -> int:
        return self._next

    def at(self, name: str) -> str:
        """The cell of a line for the first card; one of the workload's is the same for all."""
        return f"$D${self.rows[name]}" if name in self.of_workload else super().at(name)

    @property
    def currency(self) -> str:
        return self.at("budget_currency")

    def own(self, name: str) -> str:
        """The workload's own value of a line."""
        return f"$D${self.rows[name]}"

    def lookup(self, name: str) -> str:
        """What Lookup has for the workload looked at."""
        return f"INDEX({self.parts.span.row('Lookup', self.parts.lookup.rows[name])},{NUMBER})"

    @property
    def own_values(self) -> dict[str, str]:
        """The formulas of column D in lines that are a card's as well."""
        return {name: f"={self.lookup(name)}" for name in (*MEASURED, *HELD, "listing")}

    def _looked_at(self) -> None:
        setting, wanted = self.cells.value("looked_at"), self.cells.value("compared_list")
        names = self.parts.span.row("Lookup", NAME_ROW)
        workload = {c.name: c for c in columns(Workload)}
        change = next(c for c in columns(Scenario) if c.name == "discount_change")
        currency = next(c for c in columns(Settings) if c.name == "currency")
        typed = typed_name("discount")
        ordered = ["looked_at_known", "own_gpu", "own_number", "pricing_model", "price_list", "own_list", "budget_currency",
                   "agreed_discount", typed, change.name, "discount"]
        self.of_workload |= set(ordered)

        def make() -> list[FetchLine]:
            def line(name: str, column: Column, formula: str) -> FetchLine:
                return FetchLine(name, column.en, column.zh, column.unit, formula)

            def in_column_d(made: FetchLine) -> FetchLine:
                formula = made.formula.replace(f"E${NAME_ROW}", NAME).replace(f"E${NUMBER_ROW}", NUMBER)
                return FetchLine(made.name, made.en, made.zh, made.unit, formula)

            known = f'=CHOOSE(1+({setting}=""),1*(SUMPRODUCT(1*({names}={setting}))>0),1)'
            chosen = f'=IF({wanted}="",{self.lookup("price_list")}&"",{wanted}&"")'
            same = f'=1*({self.at("price_list")}={self.lookup("price_list")}&"")'
            own = self.at("own_gpu")
            cards, numbers = (Span(self.parts.cards).row("GpuCases", row).partition("!")[2] for row in (NAME_ROW, NUMBER_ROW))
            place = f'=IF({own}="",0,SUMPRODUCT(({cards}={own})*{numbers}))'
            return [
                FetchLine("looked_at_known", "Workload looked at is there", "分析对象存在", unit_of(Flag), known),
                line("own_gpu", workload["gpu"], f"={self.lookup('gpu')}"),
                FetchLine("own_number", "No. of that card", "该卡序号", unit_of(Number), place),
                line("pricing_model", workload["pricing_model"], f"={self.lookup('pricing_model')}"),
                line("price_list", workload["price_list"], chosen),
                FetchLine("own_list", "Price list is the workload's", "价目表与业务相同", unit_of(Flag), same),
                FetchLine("budget_currency", currency.en, currency.zh, currency.unit, f"={self.cells.value(currency.name)}"),
                in_column_d(self._agreed_discount()),
                in_column_d(self._typed(workload["discount"], optional=False)),
                line(change.name, change, f"={self.lookup(change.name)}"),
                line("discount", workload["discount"], f"={self.varied('discount', self.at)}"),
            ]

        self._group(("The workload looked at, and what its offers take", "分析对象及其报价口径"), make, ordered)

    def _own_card(self) -> None:
        """What was measured on the workload's own card, decided for it or is there already: no other card has it."""
        workload = {c.name: c for c in columns(Workload)}
        names = ["own_card", *MEASURED, *HELD, "listing"]

        def make() -> list[FetchLine]:
            there = f'(E${NAME_ROW}<>"")*({NAME}<>"")'
            own = f'=IF({there}=1,1*(E${NAME_ROW}={self.at("own_gpu")}),"")'
            lines = [FetchLine("own_card", "Workload's own card", "业务当前的卡", unit_of(Flag), own)]
            flag = f"N({self.at('own_card')})"
            for name in (*MEASURED, *HELD):
                column = workload[name]
                otherwise = '""' if name in MEASURED else "0"
                formula = f"=IF({flag}=1,{self.own(name)},{otherwise})"
                lines.append(FetchLine(name, column.en, column.zh, column.unit, formula))
            column, same = workload["listing"], self.at("own_list")
            formula = f'=IF({flag}*N({same})=1,{self.own("listing")},"")'
            return [*lines, FetchLine("listing", column.en, column.zh, column.unit, formula)]

        self._group(("Measured on, decided for or owned of this card", "该卡的实测、指定与自有"), make, names)

    def _prices(self) -> None:
        found = {c.name: c for c in columns(Found)}
        names = [of_model(name, model) for name in (*OF_OFFERS, "price_date") for model in PRICING_MODELS]

        def make() -> list[FetchLine]:
            lines = []
            for name in OF_OFFERS:
                for model in PRICING_MODELS:
                    formula = {
                        "unit_price": self._price(model, None), "price_period": self._of_offer(model, "period"),
                        "price_available": self._of_offer(model, "available"),
                    }[name]  # fmt: skip
                    lines.append(self._line_of_model(found[name], name, model, formula))
            for model in PRICING_MODELS:
                date = f'=IF(COUNT({self.at(f"{model}_line")})=1,{self.at(f"{model}_date")},"")'
                lines.append(FetchLine(of_model("price_date", model), f"Day of the price, {model}", f"报价日期：{model}",
                                       unit_of(NewestDay), date))
            return lines

        self._group(("Prices of a card by pricing model, in the budget currency", "各计费方式的单卡价格（预算币种）"), make, names)

    def _line_of_model(self, column: Column, name: str, model: str, formula: str) -> FetchLine:
        return FetchLine(of_model(name, model), f"{column.en}, {model}", f"{column.zh}：{model}", column.unit, formula)

