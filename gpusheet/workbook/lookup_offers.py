"""Lines of a sheet that fetch facts, and those of offers: which price of a list is in force, and what it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gpusheet.catalog import columns
from gpusheet.catalog.derived import Found
from gpusheet.units import NewestDay, Number, Rate, Text, Unit, unit_of
from gpusheet.workbook.assumptions_sheet import AssumptionCells
from gpusheet.workbook.layout import DATE_ROW, NAME_ROW, OLD_DAY

OFFERS = ("on_demand", "monthly", "chosen", "old")
OFFER_TITLES = {
    "on_demand": ("On-demand offer", "按量报价"),
    "monthly": ("Monthly offer", "包月报价"),
    "reserved": ("Reserved offer", "预留报价"),
    "spot": ("Spot offer", "竞价报价"),
    "old": ("The same offer at the old prices", "旧报价日的同一报价"),
    "chosen": ("Offer at the workload's pricing model", "所选计费方式的报价"),
}


@dataclass(frozen=True)
class FetchLine:
    """A row of Lookup: what it is called and its formula for column E, to be filled right."""

    name: str
    en: str
    zh: str
    unit: Unit
    formula: str
    most: str = ""  # the cell with the largest value allowed

    def label(self, lang: str) -> str:
        return self.zh if lang == "zh" else self.en


@dataclass(frozen=True)
class Group:
    en: str
    zh: str
    lines: tuple[FetchLine, ...]


class OfferLines:
    """Groups of lines one under the other, and where each line is."""

    cells: AssumptionCells
    rows: dict[str, int]
    groups: list[Group]
    _next: int

    def at(self, name: str) -> str:
        """The cell of a line in the first workload's column."""
        return f"E{self.rows[name]}"

    @property
    def currency(self) -> str:
        """The cell with the currency of the budget."""
        return self.cells.value("currency")

    def _group(self, title: tuple[str, str], make: Callable[[], list[FetchLine]], names: list[str]) -> None:
        """Reserves the rows of a group, so that its formulas can name each other, then makes them."""
        self._next += 1  # the group's own row
        for name in names:
            self.rows[name] = self._next
            self._next += 1
        lines = make()
        assert [line.name for line in lines] == names
        self.groups.append(Group(*title, tuple(lines)))

    def _offer(self, offer: str) -> None:
        names = [f"{offer}_{part}" for part in ("key", "date", "blocking", "offers", "line", "currency", "rate")]

        def make() -> list[FetchLine]:
            key, date, blocking, offers, line, currency, _ = (self.at(name) for name in names)
            model = self.at("pricing_model") if offer in ("chosen", "old") else f'"{offer}"'
            as_of = OLD_DAY if offer == "old" else f"$E${DATE_ROW}"
            listing = f"E${self.rows['listing']}"
            match = f'(Prices[price_key]={key})*(({listing}="")+(Prices[listing]={listing})>0)'
            same = f"Prices[price_key],{key},Prices[price_day],{date}"
            named = f"{same},Prices[listing],{listing}"
            # where a row that cannot be used would be the newest, an older price must not take its place
            unusable = f"(Prices[unusable_day]>={date}+({date}=0))*(Prices[unusable_day]<={as_of})"
            own = self.currency
            pair = f"FX[currency],{currency},FX[budget_currency],{own}"
            blank = f'E${NAME_ROW}=""'
            return [
                FetchLine(names[0], "Price list | GPU | model", "价目表|GPU|计费方式", unit_of(Text),
                          f'=IF({blank},"",{self.at("price_list")}&"|"&{self.at("gpu")}&"|"&{model})'),
                FetchLine(names[1], "Newest day at or before the as-of date", "基准日及以前的最新日期", unit_of(NewestDay),
                          f'=IF({blank},"",SUMPRODUCT(MAX({match}*(Prices[price_day]<={as_of})*Prices[price_day])))'),
                FetchLine(names[2], "Row of the table that states no usable price (0 is wanted)", "无可用价格的表内行(应为0)",
                          unit_of(Number), f'=IF({blank},"",SUMPRODUCT(MAX({match}*{unusable}*Prices[line])))'),
                FetchLine(names[3], "Offers of that day (1 is wanted)", "当日报价数(应为1)", unit_of(Number),
                          f'=IF({blank},"",({date}>0)*({blocking}=0)*IF({listing}="",COUNTIFS({same}),COUNTIFS({named})))'),
                FetchLine(names[4], "Row of the offer", "报价所在行", unit_of(Number),
                          f'=IF({offers}=1,IF({listing}="",SUMIFS(Prices[line],{same}),SUMIFS(Prices[line],{named})),"")'),
                FetchLine(names[5], "Currency quoted", "报价币种", unit_of(Text),
                          f'=IF({line}="","",INDEX(Prices[currency],{line}))'),
                FetchLine(names[6], "Exchange rate", "汇率", unit_of(Rate),
                          f'=CHOOSE(1+({currency}={own})+2*(COUNTIFS({pair})=1)*(COUNTIFS({pair},FX[rate],">0")=1)*({currency}<>{own}),"",1,'
                          f'SUMIFS(FX[rate],{pair}))'),
            ]  # fmt: skip

        self._group(OFFER_TITLES[offer], make, names)

    def _found(self) -> None:
        wanted = [c for c in columns(Found) if c.name.startswith(("price_", "unit_")) and c.name not in self.rows]

        def make() -> list[FetchLine]:
            prepared = self.cells.value("prepared_on")
            formulas: Mapping[str, str] = {
                "price_hour": self._price("on_demand", "hour"),
                "price_month": self._price("monthly", "month"),
                "unit_price": self._price("chosen", None),
                "price_period": self._of_offer("chosen", "period"),
                "price_tax": self._of_offer("chosen", "tax"),
                "price_available": self._of_offer("chosen", "available"),
                "price_age_days": f'=IF(COUNT({prepared},{self.at("chosen_line")})=2,{prepared}-{self.at("chosen_date")},"")',
            }
            return [FetchLine(c.name, c.en, c.zh, c.unit, formulas[c.name]) for c in wanted]

        self._group(("Prices of a card, in the budget currency", "单卡价格(预算币种)"), make, [c.name for c in wanted])

    def _price(self, offer: str, period: str | None) -> str:
        line, rate = self.at(f"{offer}_line"), self.at(f"{offer}_rate")
        price = f"INDEX(Prices[price_per_card],{line})*{rate}"
        if period is None:
            return f'=IF(COUNT({line},{rate})=2,{price},"")'
        return f'=IF(COUNT({line},{rate})=2,IF(INDEX(Prices[period],{line})="{period}",{price},""),"")'

    def _of_offer(self, offer: str, column: str) -> str:
        line = self.at(f"{offer}_line")
        return f'=IF({line}="","",IF(INDEX(Prices[{column}],{line})="","",INDEX(Prices[{column}],{line})))'


