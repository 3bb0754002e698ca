"""The Lookup sheet: each workload's inputs, fetched once. One column per workload, one row per fact.

Numbers stand in zones of the same sign, so that one flag tells of each whether all are there. The flags stand together
at the end; a workload of which one is not 1 is not computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from gpusheet.catalog import INHERITED, OVERRIDES, Column, Workload, columns
from gpusheet.catalog.derived import Found
from gpusheet.units import Flag, NewestDay, Number, Rate, Text, Unit, unit_of
from gpusheet.wiring import inputs as input_fields
from gpusheet.wiring import quantities
from gpusheet.workbook.assumptions_sheet import AssumptionCells
from gpusheet.workbook.fetches import FETCHES, Fetch
from gpusheet.workbook.layout import FIRST_LINE, NAME_ROW, NUMBER_ROW
from gpusheet.workbook.lookup_flags import FlagMaker, Zones

NAME = "Lookup"
DATE_ROW = 3  # holds the day as of which prices are asked for
OFFERS = ("on_demand", "monthly", "chosen")


@dataclass(frozen=True)
class FetchLine:
    """A row of Lookup: what it is called and its formula for column E, to be filled right."""

    name: str
    en: str
    zh: str
    unit: Unit
    formula: str
    source: str = ""  # the sheet that it comes from

    def label(self, lang: str) -> str:
        return self.zh if lang == "zh" else self.en


@dataclass(frozen=True)
class Group:
    en: str
    zh: str
    lines: tuple[FetchLine, ...]


class LookupLines:
    """The rows of Lookup, in order, and where each is."""

    def __init__(self, cells: AssumptionCells) -> None:
        self.cells = cells
        self.rows: dict[str, int] = {}
        self.groups: list[Group] = []
        self._next = FIRST_LINE
        self._flags = FlagMaker(cells, self.at)
        self._workload()
        for fetch in FETCHES:
            self._facts(fetch)
        for offer in OFFERS:
            self._offer(offer)
        self._found()
        self._completeness()

    def at(self, name: str) -> str:
        """The cell of a line in the first workload's column."""
        return f"E{self.rows[name]}"

    @property
    def flags(self) -> str:
        """The flags of the first workload, all of which are 1 where it can be computed."""
        names = [flag.name for flag in self._flags.flags]
        return f"{self.at(names[0])}:{self.at(names[-1])}"

    # --- building blocks ---

    def _group(self, title: tuple[str, str], make: Callable[[], list[FetchLine]], names: list[str]) -> None:
        """Reserves the rows of a group, so that its formulas can name each other, then makes them."""
        self._next += 1  # the group's own row
        for name in names:
            self.rows[name] = self._next
            self._next += 1
        lines = make()
        assert [line.name for line in lines] == names
        self.groups.append(Group(*title, tuple(lines)))

    # --- groups ---

    def _workload(self) -> None:
        used = quantities()
        by_name = {c.name: c for c in columns(Workload)}
        defaults = {name: column for name, (_, column) in input_fields().items()}
        bounded = [defaults[c.name] if c.name in INHERITED else c for c in by_name.values()
                   if c.name in used and c.name not in ("gpu", "model") and c.kind == "number"]  # fmt: skip
        zones = Zones.of(bounded)
        texts = [c.name for c in by_name.values() if c.kind != "number" and c.name in (
            "gpu", "model", "weight_precision", "kv_precision", "length_distribution", "engine", "length_basis",
            "sizing_method", "price_list", "listing", "pricing_model", "override_reason")]  # fmt: skip
        names = [*texts, *(c.name for c in zones.ordered), "overrides_typed"]

        def make() -> list[FetchLine]:
            lines = [self._typed(by_name[name], optional=name in ("listing", "override_reason", "price_list"))
                     for name in texts]
            for column in zones.ordered:
                optional = not column.required and column.default is None
                lines.append(self._typed(column, optional))
            users = ",".join(map(self.at, ("requests_per_day", "daily_active_users", "requests_per_user_per_day")))
            typed = ",".join(self.at(name) for name in OVERRIDES if name != "requests_per_day")
            overrides = next(c for c in columns(Found) if c.name == "overrides_typed")
            count = f"=COUNT({typed})+(COUNT({users})=3)"
            lines.append(FetchLine(overrides.name, overrides.en, overrides.zh, overrides.unit, count))
            return lines

        self._group(("Inputs of the workload (blank: the assumption)", "业务输入(留空取假设)"), make, names)
        self._flags.numbers("workload", ("Workload", "业务"), zones)
        self._flags.choices(("Workload", "业务"), [by_name[name] for name in ("length_basis", "sizing_method", "pricing_model")])
        self._about_workload = zones

    def _completeness(self) -> None:
        """The flags, as lines; what they ask of each other is settled by then."""
        flags = self._flags.flags
        names = [flag.name for flag in flags]
        self.rows["workload_numbers"] = self._next + 1 + names.index("workload_numbers")
        self._flags.workload(self._about_workload)

        def make() -> list[FetchLine]:
            return [FetchLine(flag.name, flag.en, flag.zh, unit_of(Flag), flag.formula) for flag in flags]

        self._group(("Complete: 1 where it holds", "完整性：1 表示符合"), make, [flag.name for flag in flags])

    def _typed(self, column: Column, optional: bool) -> FetchLine:
        """A field of the workload's row; where it is blank, the assumption of the same name."""
        cell = f"INDEX(Workloads[{column.name}],E${NUMBER_ROW})"
        if column.name in INHERITED:
            assumption = self.cells.value(column.name)
            if optional:  # the assumption may be blank too
                assumption = f'{assumption}&""'
            formula = f'=IF(E${NAME_ROW}="","",CHOOSE(1+({cell}=""),{cell},{assumption}))'
        elif column.kind != "number":
            formula = f'=IF(E${NAME_ROW}="","",{cell}&"")'
        else:
            formula = f'=IF(E${NAME_ROW}="","",CHOOSE(1+({cell}=""),{cell},""))'
        return FetchLine(column.name, column.en, column.zh, column.unit, formula, "Workloads")

    def _facts(self, fetch: Fetch) -> None:
        used = quantities()
        names = {c.name: fetch.renamed.get(c.name, c.name) for c in columns(fetch.row_type) if c.name != "confidence"}
        own = [replace(c, name=names[c.name]) for c in columns(fetch.row_type)
               if c.name in names and names[c.name] in used and (not fetch.renamed or c.name in fetch.renamed)]  # fmt: skip
        if fetch.leads:  # what another table is looked up by
            own += [c for c in columns(fetch.row_type) if c.name in fetch.leads]
        zones = Zones.of([c for c in own if c.kind == "number"])
        texts = [c for c in own if c.kind != "number"]
        ordered = [*texts, *zones.ordered]
        row = f"{fetch.prefix}_row"
        confidence = [c for c in columns(fetch.row_type) if c.name == "confidence"]
        fields = {names[c.name]: c for c in columns(fetch.row_type) if c.name in names}

        def make() -> list[FetchLine]:
            name = self.at(fetch.asked)
            keys = f"{fetch.table}[{fetch.key}]"
            found = f'=IF((E${NAME_ROW}<>"")*COUNTIF({keys},{name})=1,MATCH({name},{keys},0),"")'
            lines = [FetchLine(row, f"Row in {fetch.table}", f"{fetch.table} 表内行号", unit_of(Number), found, fetch.table)]
            for column in ordered:
                source = fields[column.name]
                formula = self._fact(fetch.table, source, row, not source.required and source.default is None)
                lines.append(FetchLine(column.name, source.en, source.zh, source.unit, formula, fetch.table))
            for column in confidence:
                formula = self._fact(fetch.table, column, row, optional=False)
                name = f"{fetch.prefix}_confidence"
                lines.append(FetchLine(name, column.en, column.zh, column.unit, formula, fetch.table))
            return lines

        reserved = [row, *(c.name for c in ordered), *(f"{fetch.prefix}_confidence" for _ in confidence)]
        self._group(fetch.title, make, reserved)
        self._flags.numbers(fetch.prefix, fetch.title, zones)
        self._flags.at_most_1(fetch.prefix, fetch.title, zones)
        self._flags.choices(fetch.title, texts)
        self._flags.agree(fetch.title, fetch.row_type)

    def _fact(self, table: str, column: Column, row: str, optional: bool) -> str:
        at = f"E${self.rows[row]}"
        cell = f"INDEX({table}[{column.name}],{at})"
        if column.kind != "number" and column.default is None:
            return f'=IF({at}="","",{cell}&"")'
        if column.required and column.positive:
            return f'=IF({at}="","",{cell})'  # a blank is 0, which its flag refuses
        if column.required or optional:
            default = '""'  # a blank is not 0: it stays a blank
        else:
            default = f"{column.default:g}" if column.kind == "number" else f'"{column.default}"'
        return f'=IF({at}="","",CHOOSE(1+({cell}=""),{cell},{default}))'

    def _offer(self, offer: str) -> None:
        titles = {
            "on_demand": ("On-demand offer", "按量报价"),
            "monthly": ("Monthly offer", "包月报价"),
            "chosen": ("Offer at the workload's pricing model", "所选计费方式的报价"),
        }
        parts = ("key", "broken", "date", "offers", "line", "currency", "rates", "quoted_rate", "rate")
        names = [f"{offer}_{part}" for part in parts]

        def make() -> list[FetchLine]:
            key, broken, date, offers, line, currency, rates, quoted, _ = (self.at(name) for name in names)
            model = f"|{offer}|" if offer != "chosen" else f'|"&{self.at("pricing_model")}&"|'
            listing = f"E${self.rows['listing']}"
            # all offers on these terms, or the one of the listing: what begins so
            alike = f'Prices[offer],{key}&"*",Prices[price_day]'
            same = f"((Prices[terms]={key})+(Prices[offer]={key}))"
            newest = f"{same}*(Prices[price_day]<=$E${DATE_ROW})*Prices[price_day]"
            own = self.cells.value("currency")
            pair = f"FX[currency],{currency},FX[budget_currency],{own}"
            blank = f'E${NAME_ROW}=""'
            formulas = (
                (("Price list | GPU | model | listing", "价目表|GPU|计费方式|报价项"), unit_of(Text), "Workloads",
                 f'=IF({blank},"",{self.at("price_list")}&"|"&{self.at("gpu")}&"{model}"&{listing}&REPT("|",1*({listing}<>"")))'),
                # the newest may be one that cannot be used: an older price must not take its place
                (("Offers of it that cannot be used", "其中不可用的报价数"), unit_of(Number), "Prices",
                 f'=IF({blank},"",COUNTIFS({alike},0))'),
                (("Newest day at or before the as-of date", "基准日及以前的最新日期"), unit_of(NewestDay), "Prices",
                 f'=IF({blank},"",SUMPRODUCT(MAX({newest})))'),
                (("Offers of that day (1 is wanted)", "当日报价数(应为1)"), unit_of(Number), "Prices",
                 f'=IF({blank},"",({broken}=0)*({date}>0)*COUNTIFS({alike},{date}))'),
                (("Row of the offer", "报价所在行"), unit_of(Number), "Prices",
                 f'=IF({offers}=1,SUMIFS(Prices[line],{alike},{date}),"")'),
                (("Currency quoted", "报价币种"), unit_of(Text), "Prices",
                 f'=IF({line}="","",INDEX(Prices[currency],{line})&"")'),
                (("Rates of that currency (1 is wanted)", "该币种汇率数(应为1)"), unit_of(Number), "FX",
                 f'=IF({currency}="","",COUNTIFS({pair}))'),
                (("Rate of that currency", "该币种汇率"), unit_of(Rate), "FX",
                 f'=IF(N({rates})=1,SUMIFS(FX[rate],{pair}),"")'),
                (("Exchange rate", "汇率"), unit_of(Rate), "",
                 f'=CHOOSE(1+({currency}={own})+2*({currency}<>{own})*(N({quoted})>0),"",1,{quoted})'),
            )  # fmt: skip
            return [FetchLine(name, *title, unit, formula, source)
                    for name, (title, unit, source, formula) in zip(names, formulas, strict=True)]  # fmt: skip

        self._group(titles[offer], make, names)

    def _found(self) -> None:
        wanted = [c for c in columns(Found) if c.name.startswith(("price_", "unit_"))]

        def make() -> list[FetchLine]:
            prepared = self.cells.value("prepared_on")
            formulas: Mapping[str, str] = {
                "price_hour": self._price("on_demand", "hour"),
                "price_month": self._price("monthly", "month"),
                "unit_price": self._price("chosen", None),
                "price_period": self._of_offer("period"),
                "price_tax": self._of_offer("tax"),
                "price_available": self._of_offer("available"),
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

    def _of_offer(self, column: str) -> str:
        line = self.at("chosen_line")
        return f'=IF({line}="","",INDEX(Prices[{column}],{line})&"")'
