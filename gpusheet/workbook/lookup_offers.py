"""Lines of a sheet that fetch facts, and those of offers: which price of a list is in force, and what it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gpusheet.catalog import columns
from gpusheet.catalog.derived import Found
from gpusheet.units import NewestDay, Number, Rate, Text, unit_of
from gpusheet.workbook.assumptions_sheet import AssumptionCells
from gpusheet.workbook.layout import DATE_ROW, NAME_ROW, OLD_DAY
from gpusheet.workbook.lookup_flags import FlagMaker
from gpusheet.workbook.lookup_parts import FetchLine, Group

OFFERS = ("on_demand", "monthly", "chosen", "old")
OFFER_TITLES = {
    "on_demand": ("On-demand offer", "按量报价"),
    "monthly": ("Monthly offer", "包月报价"),
    "reserved": ("Reserved offer", "预留报价"),
    "spot": ("Spot offer", "竞价报价"),
    "old": ("The same offer at the old prices", "旧报价日的同一报价"),
    "chosen": ("Offer at the workload's pricing model", "所选计费方式的报价"),
}
OFFER_PARTS = ("key", "date", "blocking", "offers", "line", "currency", "rates", "quoted_rate", "rate")


class OfferLines:
    """Groups of lines one under the other, and where each line is."""

    cells: AssumptionCells
    rows: dict[str, int]
    groups: list[Group]
    _next: int
    _flags: FlagMaker

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

    def _put_flags(self) -> None:
        """The flags, as lines."""
        flags = self._flags.flags
        self._group(("Complete: 1 where it holds", "完整性：1 表示符合"), lambda: flags, [flag.name for flag in flags])

    @property
    def all_hold(self) -> str:
        """Whether all flags of the first column are 1; one that is blank counts as none."""
        names = [flag.name for flag in self._flags.flags]
        cells = f"{self.at(names[0])}:{self.at(names[-1])}"
        return f"SUM({cells})=ROWS({cells})"

    def _offer(self, offer: str) -> None:
        names = [f"{offer}_{part}" for part in OFFER_PARTS]

        def make() -> list[FetchLine]:
            key, date, blocking, offers, line, currency, rates, quoted, _ = (self.at(name) for name in names)
            model = f'|"&{self.at("pricing_model")}&"|' if offer in ("chosen", "old") else f"|{offer}|"
            as_of = OLD_DAY if offer == "old" else f"$E${DATE_ROW}"
            listing = f"E${self.rows['listing']}"
            # all offers on these terms, or the one of the listing: what begins so
            alike, same = f'Prices[offer],{key}&"*"', f"((Prices[terms]={key})+(Prices[offer]={key}))"
            pair = f"FX[currency],{currency},FX[budget_currency],{self.currency}"
            blank = f'E${NAME_ROW}=""'
            formulas = (
                (("Price list | GPU | model | listing", "价目表|GPU|计费方式|报价项"), Text, "Workloads",
                 f'=IF({blank},"",{self.at("price_list")}&"|"&{self.at("gpu")}&"{model}"&{listing}&REPT("|",1*({listing}<>"")))'),
                (("Newest day at or before the as-of date", "基准日及以前的最新日期"), NewestDay, "Prices",
                 f'=IF({blank},"",SUMPRODUCT(MAX({same}*(Prices[price_day]<={as_of})*Prices[price_day])))'),
                # where a row that cannot be used would be the newest, an older price must not take its place
                (("Rows since then without a usable price (0 is wanted)", "此后无可用价格的行数(应为0)"), Number, "Prices",
                 f'=IF({blank},"",COUNTIFS({alike},Prices[unusable_day],">="&MAX(1,{date}),Prices[unusable_day],"<="&{as_of}))'),
                (("Offers of that day (1 is wanted)", "当日报价数(应为1)"), Number, "Prices",
                 f'=IF({blank},"",({blocking}=0)*({date}>0)*COUNTIFS({alike},Prices[price_day],{date}))'),
                (("Row of the offer", "报价所在行"), Number, "Prices",
                 f'=IF({offers}=1,SUMIFS(Prices[line],{alike},Prices[price_day],{date}),"")'),
                (("Currency quoted", "报价币种"), Text, "Prices", f'=IF({line}="","",INDEX(Prices[currency],{line})&"")'),
                (("Rates of that currency (1 is wanted)", "该币种汇率数(应为1)"), Number, "FX",
                 f'=IF({currency}="","",COUNTIFS({pair}))'),
                (("Rate of that currency", "该币种汇率"), Rate, "FX", f'=IF(N({rates})=1,SUMIFS(FX[rate],{pair}),"")'),
                (("Exchange rate", "汇率"), Rate, "",
                 f'=CHOOSE(1+({currency}={self.currency})+2*({currency}<>{self.currency})*(N({quoted})>0),"",1,{quoted})'),
            )  # fmt: skip
            return [FetchLine(name, *title, unit_of(unit), formula, source)
                    for name, (title, unit, source, formula) in zip(names, formulas, strict=True)]  # fmt: skip

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
        return f'=IF(COUNT({line},{rate})=2,CHOOSE(1+(INDEX(Prices[period],{line})="{period}"),"",{price}),"")'

    def _of_offer(self, offer: str, column: str) -> str:
        line = self.at(f"{offer}_line")
        return f'=IF({line}="","",INDEX(Prices[{column}],{line})&"")'


