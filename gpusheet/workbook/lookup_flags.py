"""The flags of the Lookup sheet: whether what a workload needs is there and within its bounds, one short test a line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gpusheet.catalog import INHERITED, Column, Gpu, Model, Row
from gpusheet.units import Flag, unit_of
from gpusheet.workbook.assumptions_sheet import GROUPS, AssumptionCells, match_choice
from gpusheet.workbook.layout import NAME_ROW
from gpusheet.workbook.lookup_parts import FetchLine


@dataclass(frozen=True)
class Zones:
    """Numbers in lines that follow each other, by what they must be: one test tells of each zone."""

    positive: tuple[Column, ...]
    nonnegative: tuple[Column, ...]
    signed: tuple[Column, ...]
    optional_positive: tuple[Column, ...]
    optional_nonnegative: tuple[Column, ...]

    @classmethod
    def of(cls, fields: Iterable[Column]) -> Zones:
        """The zones, with those that have a largest value at the border between positive ones and others, so that they touch."""
        found: dict[str, list[Column]] = {name: [] for name in cls.__annotations__}
        for column in fields:
            optional = not column.required and column.default is None and column.name not in INHERITED
            least_0 = column.ge is not None and column.ge >= 0
            kind = "positive" if column.positive else "nonnegative" if least_0 or optional else "signed"
            found[f"optional_{kind}" if optional else kind].append(column)
        ordered = {
            name: tuple(sorted(zone, key=lambda column: column.le is not None, reverse=not name.endswith("positive")))
            for name, zone in found.items()
        }
        return cls(**ordered)

    @property
    def ordered(self) -> tuple[Column, ...]:
        return (*self.positive, *self.nonnegative, *self.signed, *self.optional_positive, *self.optional_nonnegative)


class FlagMaker:
    """Collects the flags, lines that are 1 where something holds, 0 where it does not, and blank without a workload.

    `at` gives the cell of a line in the first workload's column.
    """

    def __init__(self, cells: AssumptionCells, at: Callable[[str], str]) -> None:
        self.cells, self.at = cells, at
        self.flags: list[FetchLine] = []

    def _add(self, name: str, title: tuple[str, str], what: tuple[str, str], tests: Sequence[str]) -> None:
        if tests:
            # one comparison alone would be TRUE, over which SUM passes
            test = "*".join(tests if len(tests) > 1 else ["1", *tests])
            en, zh = f"{title[0]}: {what[0]}", f"{title[1]}：{what[1]}"
            self.flags.append(FetchLine(name, en, zh, unit_of(Flag), f'=IF(E${NAME_ROW}="","",{test})'))

    def _span(self, fields: Sequence[Column]) -> str:
        return f"{self.at(fields[0].name)}:{self.at(fields[-1].name)}"

    def numbers(self, prefix: str, title: tuple[str, str], zones: Zones) -> None:
        """Whether all numbers that must be there are, and those that are have the right sign."""
        tests = []
        for fields, bound in ((zones.positive, ">0"), (zones.nonnegative, ">=0")):
            if fields:
                cells = self._span(fields)
                tests.append(f'(COUNTIF({cells},"{bound}")=ROWS({cells}))')
        tests += [f"(COUNT({self.at(column.name)})=1)" for column in zones.signed]
        self._add(f"{prefix}_numbers", title, ("numbers there", "数值齐全"), tests)
        for fields, bound, name, what in (
            (zones.optional_positive, ">0", "above_0", ("optional numbers above 0", "选填数值为正")),
            (zones.optional_nonnegative, ">=0", "from_0", ("optional numbers at least 0", "选填数值非负")),
        ):
            if fields:
                cells = self._span(fields)
                self._add(f"{prefix}_{name}", title, what, [f'(COUNTIF({cells},"{bound}")+COUNTBLANK({cells})=ROWS({cells}))'])

    def at_most_1(self, prefix: str, title: tuple[str, str], zones: Zones) -> None:
        """Whether shares and flags of a row of facts are not above 1, the only limit that facts have."""
        limited = [c for c in (*zones.positive, *zones.nonnegative) if c.le is not None]
        assert {column.le for column in zones.ordered} <= {None, 1}, prefix
        assert {column.ge for column in zones.signed} <= {None, -1}, prefix
        tests = [f"(SUMPRODUCT(1*({self._span(limited)}<=1))=ROWS({self._span(limited)}))"] if limited else []
        tests += [f"(N({self.at(c.name)})<=1)" for c in (*zones.optional_positive, *zones.optional_nonnegative) if c.le == 1]
        tests += [f"(ABS(N({self.at(c.name)}))<=1)" for c in zones.signed if c.le == 1 and c.ge == -1]
        self._add(f"{prefix}_limits", title, ("shares and flags at most 1", "比例与标志不超过 1"), tests)

    def choices(self, title: tuple[str, str], fields: Iterable[Column]) -> None:
        """Whether texts are of their list."""
        for column in fields:
            what = (f"{column.en.lower()} known", f"{column.zh}有效")
            cell = self.at(column.name)
            known = f"ISNUMBER({match_choice(cell, column)})"
            if not column.required and column.default is None and column.name not in INHERITED:
                known = f'(({cell}="")+{known}>0)'
            self._add(f"{column.name}_known", title, what, [known])

    def agree(self, title: tuple[str, str], row_type: type[Row]) -> None:
        """Whether facts of a row do not contradict each other: a reference is whole, active parameters are some of all."""
        if row_type is Gpu:
            pair = f"(COUNT({self.at('reference_throughput')},{self.at('reference_weights_gb')})<>1)"
            self._add("gpu_agrees", title, ("both of a reference or none", "基准吞吐与基准权重成对填写"), [pair])
        elif row_type is Model:
            part = f"({self.at('active_params_b')}<={self.at('params_b')})"
            self._add("model_agrees", title, ("active parameters at most all", "激活参数不超过总参数"), [part])

    def workload(self, zones: Zones) -> None:
        """What else a row of workloads must keep to: the bounds of the assumptions, whole counts, months in order."""
        title = ("Workload", "业务")
        groups: dict[tuple[str, bool], list[str]] = {}
        for column in zones.ordered:
            tests = [f"(N({self.at(column.name)})<={column.le:g})"] if column.le is not None else []
            if column.name in INHERITED:
                tests = self.cells.within(column, self.at(column.name))
            groups.setdefault((str(column.group), column.whole), []).extend(tests)
        for (group, whole), tests in groups.items():
            en, zh = GROUPS[group] if group in GROUPS else (group.capitalize(), group)
            what = (f"{en.lower()}, {'counts' if whole else 'numbers'} within bounds", f"{zh}{'计数' if whole else '数值'}在允许范围内")
            self._add(f"{group}_{'counts' if whole else 'bounds'}", title, what, tests)
        for name, fields, what in (
            ("workload_counts_from_1", zones.positive, ("counts from 1 whole", "从 1 起的计数为整数")),
            ("workload_counts_from_0", zones.nonnegative, ("counts from 0 whole", "从 0 起的计数为整数")),
        ):
            counts = [self.at(column.name) for column in fields if column.whole]
            whole_numbers = "*".join(["1", *(f"(INT({cell})={cell})" for cell in counts)])
            formula = f'=IF(N({self.at("workload_numbers")})=1,{whole_numbers},"")'  # INT of a text would be an error
            self.flags.append(FetchLine(name, f"{title[0]}: {what[0]}", f"{title[1]}：{what[1]}", unit_of(Flag), formula))
        optional = [column for column in (*zones.optional_positive, *zones.optional_nonnegative) if column.whole]
        self._add("workload_optional_counts", title, ("optional counts whole", "选填计数为整数"),
                  [f"(INT(N({self.at(c.name)}))=N({self.at(c.name)}))" for c in optional])  # fmt: skip
        start, end = self.at("start_month"), self.at("end_month")
        self._add("workload_months", title, ("months in order", "月份先后有序"), [f'(({end}="")+({end}>={start})>0)'])
        once = f"(COUNTIF(Workloads[workload],E${NAME_ROW})=1)"
        self._add("workload_once", title, ("name not given twice", "名称唯一"), [once])
