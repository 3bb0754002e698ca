"""The Lookup sheet: each workload's inputs, fetched once. One column per workload, one row per fact.

Numbers stand in zones of the same sign, so that one flag tells of each whether all are there. The flags stand together
at the end; a workload of which one is not 1 is not computed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gpusheet.catalog import INHERITED, OVERRIDES, Column, Workload, columns
from gpusheet.catalog.derived import Found
from gpusheet.catalog.planning import Scenario
from gpusheet.formula import Facts, cell_formula
from gpusheet.scenario import METHOD, VARIED
from gpusheet.units import Date, Number, Share, unit_of
from gpusheet.wiring import inputs as input_fields
from gpusheet.wiring import quantities
from gpusheet.workbook.assumptions_sheet import AssumptionCells
from gpusheet.workbook.fetches import FETCHES, Fetch
from gpusheet.workbook.layout import FIRST_LINE, NAME_ROW, NUMBER_ROW, SCENARIO
from gpusheet.workbook.lookup_flags import FlagMaker, Zones
from gpusheet.workbook.lookup_offers import OFFERS, OfferLines
from gpusheet.workbook.lookup_parts import FetchLine

NAME = "Lookup"
TYPED = "typed_"
TERM = ("contract_start", "contract_from", "contract_to", "ending_discount")


def typed_name(name: str) -> str:
    """The line of what a person typed, of which a scenario makes the line `name`."""
    return TYPED + name if name in VARIED or name == METHOD else name


class LookupLines(OfferLines):
    """The rows of Lookup, in order, and where each is."""

    def __init__(self, cells: AssumptionCells) -> None:
        self.cells = cells
        self.rows: dict[str, int] = {}
        self.groups = []
        self._next = FIRST_LINE
        self._flags = FlagMaker(cells, self.typed_at)
        self._workload()
        for fetch in FETCHES:
            self._facts(fetch)
        self._in_scenario()
        for offer in OFFERS:
            self._offer(offer)
        self._found()
        self._completeness()

    def typed_at(self, name: str) -> str:
        """The cell of a line, or of what is typed where a scenario makes another value of it."""
        return self.at(typed_name(name))

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
        names = ["scenario", *map(typed_name, texts), "agreed_discount", *TERM, *(typed_name(c.name) for c in zones.ordered),
                 "overrides_typed"]  # fmt: skip

        def make() -> list[FetchLine]:
            lines = [self._scenario()]
            lines += [self._typed(by_name[name], optional=name in ("listing", "override_reason", "price_list"))
                      for name in texts]
            lines.append(self._agreed_discount())
            lines += self._term()
            for column in zones.ordered:
                optional = not column.required and column.default is None
                lines.append(self._typed(column, optional))
            users = ",".join(map(self.typed_at, ("requests_per_day", "daily_active_users", "requests_per_user_per_day")))
            typed = ",".join(self.typed_at(name) for name in OVERRIDES if name != "requests_per_day")
            overrides = next(c for c in columns(Found) if c.name == "overrides_typed")
            count = f"=COUNT({typed})+(COUNT({users})=3)"
            lines.append(FetchLine(overrides.name, overrides.en, overrides.zh, overrides.unit, count))
            return lines

        self._group(("Inputs of the workload (blank: the assumption)", "业务输入(留空取假设)"), make, names)
        self._flags.numbers("workload", ("Workload", "业务"), zones)
        self._flags.choices(("Workload", "业务"), [by_name[name] for name in ("length_basis", METHOD, "pricing_model")])
        self._about_workload = zones

    def _completeness(self) -> None:
        """The flags, as lines; what they ask of each other is settled by then."""
        self.rows["workload_numbers"] = self._next + 1 + [flag.name for flag in self._flags.flags].index("workload_numbers")
        self._flags.workload(self._about_workload)
        self._put_flags()

    def _typed(self, column: Column, optional: bool) -> FetchLine:
        """A field of the workload's row; where it is blank, the assumption of the same name."""
        name = column.name
        cell = f"INDEX(Workloads[{name}],E${NUMBER_ROW})"
        if name in INHERITED:
            assumption = self.at("agreed_discount") if name == "discount" else self.cells.value(name)
            if optional:  # the assumption may be blank too
                assumption = f'{assumption}&""'
            formula = f'=IF(E${NAME_ROW}="","",CHOOSE(1+({cell}=""),{cell},{assumption}))'
        elif column.kind != "number":
            formula = f'=IF(E${NAME_ROW}="","",{cell}&"")'
        else:
            formula = f'=IF(E${NAME_ROW}="","",CHOOSE(1+({cell}=""),{cell},""))'
        en, zh = (f"{column.en}, typed", f"{column.zh}（填写值）") if typed_name(name) != name else (column.en, column.zh)
        return FetchLine(typed_name(name), en, zh, column.unit, formula, "Workloads")

    def _scenario(self) -> FetchLine:
        column = next(c for c in columns(Scenario) if c.name == "scenario")
        chosen = f"Cover!{SCENARIO}"
        formula = f'=IF(E${NAME_ROW}="","",CHOOSE(1+({chosen}=""),{chosen},INDEX(Scenarios[scenario],1)))'
        return FetchLine(column.name, column.en, column.zh, column.unit, formula)

    def _agreed_discount(self) -> FetchLine:
        """What the one signed contract for the price list takes off; else the assumption."""
        agreed = self._signed
        sums = f"SUMIFS(Contracts[agreed_discount],{agreed})"
        formula = f'=IF(E${NAME_ROW}="","",CHOOSE(1+(COUNTIFS({agreed})=1),{self.cells.value("discount")},{sums}))'
        return FetchLine("agreed_discount", "Discount: contract, else assumption", "折扣率：合同，无则取假设", unit_of(Share), formula)

    @property
    def _signed(self) -> str:
        """What counts the signed contracts with a discount for the price list."""
        return f'Contracts[price_list],{self.at("price_list")}&"",Contracts[agreed_discount],">=0",Contracts[signed_on],">0"'

    def _term(self) -> list[FetchLine]:
        """The months of that contract in the budget's calendar, and what of the discount ends with it."""
        found = {c.name: c for c in columns(Found)}
        start, first = self.at("contract_start"), self.cells.value("budget_start")
        days, months = (f"SUMIFS(Contracts[{name}],{self._signed})" for name in ("start_date", "term_months"))
        blank, known = f'E${NAME_ROW}=""', f"COUNT({start},{first})=2"
        number = f"12*(YEAR({start})-YEAR({first}))+MONTH({start})-MONTH({first})+1"
        typed = f"INDEX(Workloads[discount],E${NUMBER_ROW})"
        ends = f'{self.at("agreed_discount")}-{self.cells.value("discount")}'
        formulas = {
            "contract_from": f'=IF({blank},"",IF({known},{number},1))',
            "contract_to": f'=IF({blank},"",IF({known},{self.at("contract_from")}+{months}-1,1))',
            "ending_discount": f'=IF({blank},"",IF(({known})*({typed}=""),{ends},0))',
        }
        begins = f'=IF({blank},"",IF(COUNTIFS({self._signed},Contracts[start_date],">0")=1,{days},""))'
        return [FetchLine("contract_start", "Contract: start", "合同生效日期", unit_of(Date), begins, "Contracts"),
                *(FetchLine(name, found[name].en, found[name].zh, found[name].unit, formula) for name, formula in formulas.items())]

    def _in_scenario(self) -> None:
        """What the scenario makes of what is typed: the values that everything else reads."""
        used = [*VARIED, METHOD]
        known = {c.name: c for c in columns(Workload)}

        def make() -> list[FetchLine]:
            return [FetchLine(name, known[name].en, known[name].zh, known[name].unit, f"={self.varied(name, self.at)}")
                    for name in used]

        self._group(("Inputs in the scenario", "情景下的输入"), make, used)

    def varied(self, name: str, change_at: Callable[[str], str], sheet: str = "") -> str:
        """The formula of a quantity in a scenario whose changes stand at `change_at(column)`; `sheet` leads to Lookup."""
        own = sheet + self.typed_at(name)
        if name == METHOD:
            method = change_at("scenario_method")
            return f'CHOOSE(1+({method}=""),{method},{own})'
        one = VARIED[name]
        at = {one.own: own, one.change: change_at(one.change)}
        return cell_formula(one.rule.plain_expression, dict.fromkeys(at, Facts()), lambda name: at.get(name, name)).removeprefix("=")

    def _facts(self, fetch: Fetch) -> None:
        used = quantities()
        names = {c.name: fetch.renamed.get(c.name, c.name) for c in columns(fetch.row_type) if c.name != "confidence"}
        own = [replace(c, name=names[c.name]) for c in columns(fetch.row_type)
               if c.name in names and (names[c.name] in used or c.name in fetch.also)
               and (not fetch.renamed or c.name in fetch.renamed)]  # fmt: skip
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
