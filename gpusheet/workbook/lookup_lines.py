"""The Lookup sheet: each workload's inputs, fetched once. One column per workload, one row per fact.

Numbers that are required stand in zones of the same bounds, so that one formula per group can tell whether all are
there and within them; a workload whose group is not complete is not computed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gpusheet.catalog import (
    INHERITED,
    OVERRIDES,
    Column,
    Gpu,
    Model,
    Row,
    Workload,
    columns,
)
from gpusheet.catalog.derived import Found
from gpusheet.catalog.planning import Scenario
from gpusheet.formula import Facts, cell_formula
from gpusheet.scenario import METHOD, VARIED
from gpusheet.units import Flag, Number, Share, unit_of
from gpusheet.wiring import inputs as input_fields
from gpusheet.wiring import quantities
from gpusheet.workbook.assumptions_sheet import AssumptionCells, match_choice
from gpusheet.workbook.fetches import FETCHES, Fetch
from gpusheet.workbook.layout import FIRST_LINE, NAME_ROW, NUMBER_ROW, SCENARIO
from gpusheet.workbook.lookup_offers import OFFERS, FetchLine, Group, OfferLines

NAME = "Lookup"
FLAGS = (
    "workload_complete", "workload_least", "workload_choices", "workload_counts", "gpu_complete", "model_complete",
    "scenario_complete", "generation_complete", "weight_complete", "kv_complete", "length_complete", "engine_complete",
)  # fmt: skip
TYPED = "typed_"


def typed_name(name: str) -> str:
    """The line of what a person typed, of which a scenario makes the line `name`."""
    return TYPED + name if name in VARIED or name == METHOD else name


class LookupLines(OfferLines):
    """The rows of Lookup, in order, and where each is."""

    def __init__(self, cells: AssumptionCells) -> None:
        self.cells = cells
        self.rows: dict[str, int] = {}
        self.groups: list[Group] = []
        self._next = FIRST_LINE
        self._workload()
        for fetch in FETCHES:
            self._facts(fetch)
        self._in_scenario()
        for offer in OFFERS:
            self._offer(offer)
        self._found()

    def typed_at(self, name: str) -> str:
        """The same for what is typed, where a scenario makes another value of it."""
        return self.at(typed_name(name))

    # --- building blocks ---

    def _zones(self, fields: list[Column]) -> list[list[Column]]:
        """Required numbers by their bounds: positive, positive with a largest value, 0 or more with one, without,
        any sign; then optional ones, positive and 0 or more."""

        def zone(column: Column) -> int:
            bounded = column.le is not None or column.lt is not None
            if not column.required and column.default is None and column.name not in INHERITED:
                return 5 if column.positive else 6
            if column.positive:
                return 1 if bounded else 0
            if column.ge is not None and column.ge >= 0:
                return 2 if bounded else 3
            return 4

        found: list[list[Column]] = [[] for _ in range(7)]
        for column in fields:
            found[zone(column)].append(column)
        return found

    def _complete(self, zones: list[list[Column]]) -> str:
        """1 where every number of the group is there and within its bounds."""

        def span(*wanted: int) -> str:
            rows = [self.rows[column.name] for i in wanted for column in zones[i]]
            return f"E{min(rows)}:E{max(rows)}" if rows else ""

        tests = []
        for cells, bound in ((span(0, 1), ">0"), (span(2, 3), ">=0")):
            if cells:
                tests.append(f'(COUNTIF({cells},"{bound}")=ROWS({cells}))')
        if most := span(1, 2):
            tests.append(f"(SUMPRODUCT(1*({most}<={most.replace('E', '$D')}))=ROWS({most}))")
        for column in zones[4]:
            least = f">{column.gt:g}" if column.gt is not None else f">={column.ge:g}"
            tests.append(f'(COUNTIF({self.at(column.name)},"{least}")=1)')
            if column.le is not None:
                tests.append(f"({self.at(column.name)}<=$D{self.rows[column.name]})")
        for cells, bound in ((span(5), ">0"), (span(6), ">=0")):
            if cells:
                tests.append(f'(COUNTIF({cells},"{bound}")+COUNTBLANK({cells})=ROWS({cells}))')
        # one comparison alone would be TRUE, over which SUM passes
        return f'=IF(E${NAME_ROW}="","",{"*".join(tests if len(tests) > 1 else ["1", *tests])})'

    # --- groups ---

    def _workload(self) -> None:
        used = quantities()
        fields = [c for c in columns(Workload) if c.name in used and c.name not in ("gpu", "model")]
        defaults = {name: column for name, (_, column) in input_fields().items()}
        bounded = [defaults[c.name] if c.name in INHERITED else c for c in fields]
        numbers = self._zones([replace(c, name=typed_name(c.name)) for c in bounded if c.kind == "number"])
        named = ["gpu", "model", "weight_precision", "kv_precision", "length_distribution", "engine"]
        texts = [c.name for c in columns(Workload) if c.kind != "number" and c.name in (
            *named, "length_basis", "sizing_method", "price_list", "listing", "pricing_model", "override_reason")]
        ordered = [column for zone in numbers for column in zone]
        names = ["scenario", *map(typed_name, texts), "agreed_discount", *(c.name for c in ordered), "overrides_typed", *FLAGS[:4]]

        def make() -> list[FetchLine]:
            by_name = {c.name: c for c in columns(Workload)}
            lines = [self._scenario()]
            lines += [self._typed(by_name[name], optional=name in ("listing", "override_reason", "price_list"))
                      for name in texts]
            lines.append(self._agreed_discount())
            for column in ordered:
                optional = not column.required and column.default is None
                lines.append(self._typed(column, optional))
            users = ",".join(map(self.typed_at, ("requests_per_day", "daily_active_users", "requests_per_user_per_day")))
            typed = ",".join(self.typed_at(name) for name in OVERRIDES if name != "requests_per_day")
            overrides = next(c for c in columns(Found) if c.name == "overrides_typed")
            count = f"=COUNT({typed})+(COUNT({users})=3)"
            lines.append(FetchLine(overrides.name, overrides.en, overrides.zh, overrides.unit, count))
            lines.append(FetchLine("workload_complete", "Numbers complete and within bounds", "数字完整且在允许范围内",
                                   unit_of(Flag), self._complete(numbers)))
            lines.append(FetchLine("workload_least", "Not below their least", "不小于下限", unit_of(Flag), self._least(ordered)))
            choices = [by_name[name] for name in ("length_basis", "sizing_method", "pricing_model")]
            lines.append(FetchLine("workload_choices", "Choices known", "选项有效", unit_of(Flag), self._choices(choices)))
            lines.append(FetchLine("workload_counts", "Counts whole, months in order, name once",
                                   "计数为整数、月份有序、名称唯一", unit_of(Flag), self._counts([c for c in ordered if c.whole])))
            return lines

        self._group(("Inputs of the workload (blank: the assumption)", "业务输入(留空取假设)"), make, names)

    def _least(self, fields: list[Column]) -> str:
        """1 where what has a least value above 0 is not below it."""
        tests = (f"({self.at(c.name)}>={c.ge:g})" for c in fields if c.ge is not None and c.ge > 0)
        return f'=IF(E${NAME_ROW}="","",1*{"*".join(tests)})'

    def _choices(self, fields: list[Column]) -> str:
        """1 where every choice is one of its list."""
        tests = (f"ISNUMBER({match_choice(self.typed_at(column.name), column)})" for column in fields)
        return f'=IF(E${NAME_ROW}="","",{"*".join(tests)})'

    def _counts(self, whole: list[Column]) -> str:
        """1 where counts are whole numbers, the end is not before the start and no other row has the name."""
        tests = [f"(INT(N({self.at(c.name)}))=N({self.at(c.name)}))" for c in whole]
        start, end = self.at("start_month"), self.at("end_month")
        tests.append(f'(({end}="")+({end}>={start})>0)')
        tests.append(f"(COUNTIF(Workloads[workload],E${NAME_ROW})=1)")
        return f'=IF(E${NAME_ROW}="","",{"*".join(tests)})'

    def _typed(self, column: Column, optional: bool) -> FetchLine:
        """A field of the workload's row; where it is blank, the assumption of the same name."""
        name = column.name.removeprefix(TYPED)
        cell = f"INDEX(Workloads[{name}],E${NUMBER_ROW})"
        most = ""
        if name in INHERITED:
            assumption = self.at("agreed_discount") if name == "discount" else self.cells.value(name)
            if optional:  # the assumption may be blank too
                assumption = f'{assumption}&""'
            formula = f'=IF(E${NAME_ROW}="","",CHOOSE(1+({cell}=""),{cell},{assumption}))'
            most = self.cells.most(name) if column.le is not None or column.lt is not None else ""
        else:
            formula = f'=IF(E${NAME_ROW}="","",CHOOSE(1+({cell}=""),{cell},""))'
        en, zh = (f"{column.en}, typed", f"{column.zh}（填写值）") if typed_name(name) != name else (column.en, column.zh)
        return FetchLine(typed_name(name), en, zh, column.unit, formula, most)

    def _scenario(self) -> FetchLine:
        column = next(c for c in columns(Scenario) if c.name == "scenario")
        chosen = f"Cover!{SCENARIO}"
        formula = f'=IF(E${NAME_ROW}="","",CHOOSE(1+({chosen}=""),{chosen},INDEX(Scenarios[scenario],1)))'
        return FetchLine(column.name, column.en, column.zh, column.unit, formula)

    def _agreed_discount(self) -> FetchLine:
        """What the one contract for the price list takes off; else the assumption."""
        agreed = f'Contracts[price_list],{self.at("price_list")}&"",Contracts[agreed_discount],">=0"'
        sums = f"SUMIFS(Contracts[agreed_discount],{agreed})"
        formula = f'=IF(E${NAME_ROW}="","",CHOOSE(1+(COUNTIFS({agreed})=1),{self.cells.value("discount")},{sums}))'
        return FetchLine("agreed_discount", "Discount: contract, else assumption", "折扣率：合同，无则取假设", unit_of(Share), formula)

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
        return cell_formula(one.rule.plain_expression, dict.fromkeys(at, Facts()), at.__getitem__).removeprefix("=")

    def _facts(self, fetch: Fetch) -> None:
        used = quantities()
        names = {c.name: fetch.renamed.get(c.name, c.name) for c in columns(fetch.row_type) if c.name != "confidence"}
        own = [replace(c, name=names[c.name]) for c in columns(fetch.row_type)
               if c.name in names and (names[c.name] in used or c.name in fetch.also)
               and (not fetch.renamed or c.name in fetch.renamed)]  # fmt: skip
        if fetch.leads:  # what another table is looked up by
            own += [c for c in columns(fetch.row_type) if c.name in fetch.leads]
        numbers = self._zones([c for c in own if c.kind == "number"])
        texts = [c for c in own if c.kind != "number"]
        ordered = [*texts, *(column for zone in numbers for column in zone)]
        row, flag = f"{fetch.prefix}_row", f"{fetch.prefix}_complete"
        confidence = [c for c in columns(fetch.row_type) if c.name == "confidence"]
        fields = {names[c.name]: c for c in columns(fetch.row_type) if c.name in names}

        def make() -> list[FetchLine]:
            name = self.at(fetch.asked)
            keys = f"{fetch.table}[{fetch.key}]"
            found = f'=IF((E${NAME_ROW}<>"")*COUNTIF({keys},{name})=1,MATCH({name},{keys},0),"")'
            lines = [FetchLine(row, f"Row in {fetch.table}", f"{fetch.table} 表内行号", unit_of(Number), found)]
            for column in ordered:
                source = fields[column.name]
                formula = self._fact(fetch.table, source, row, not source.required and source.default is None)
                limit = column.le if column.le is not None else column.lt
                most = "" if limit is None else f"{limit:g}"
                lines.append(FetchLine(column.name, source.en, source.zh, source.unit, formula, most))
            for column in confidence:
                formula = self._fact(fetch.table, column, row, optional=False)
                lines.append(FetchLine(f"{fetch.prefix}_confidence", column.en, column.zh, column.unit, formula))
            complete = self._complete(numbers).removesuffix(")")
            complete += "".join(f"*{self._choice(c)}" for c in texts)
            complete += "".join(f"*{test}" for test in [self._agree(fetch.row_type)] if test) + ")"
            lines.append(FetchLine(flag, f"{fetch.table} complete", f"{fetch.table} 完整", unit_of(Flag), complete))
            return lines

        reserved = [row, *(c.name for c in ordered), *(f"{fetch.prefix}_confidence" for _ in confidence), flag]
        self._group(fetch.title, make, reserved)

    def _choice(self, column: Column) -> str:
        known = f"ISNUMBER({match_choice(self.at(column.name), column)})"
        return known if column.required or column.default is not None else f'(({self.at(column.name)}="")+{known}>0)'

    def _agree(self, row_type: type[Row]) -> str:
        """1 where facts of a row do not contradict each other: a reference is whole, active parameters are some of all."""
        if row_type is Gpu:
            return f"(COUNT({self.at('reference_throughput')},{self.at('reference_weights_gb')})<>1)"
        return f"({self.at('active_params_b')}<={self.at('params_b')})" if row_type is Model else ""

    def _fact(self, table: str, column: Column, row: str, optional: bool) -> str:
        at = f"E${self.rows[row]}"
        cell = f"INDEX({table}[{column.name}],{at})"
        if optional:
            return f'=IF({at}="","",CHOOSE(1+({cell}=""),{cell},""))'
        if column.required or column.kind != "number":
            # a blank is not 0: it stays a blank, and the group is not complete
            blank = f'"{column.default}"' if column.default is not None else '""'
            return f'=IF({at}="","",IF({cell}="",{blank},{cell}))'
        return f'=IF({at}="","",CHOOSE(1+({cell}=""),{cell},{column.default:g}))'
