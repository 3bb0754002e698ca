"""The Assumptions sheet: settings, factors with bounds and sources, unit constants, and the small tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from openpyxl.styles import Alignment, Protection
from openpyxl.utils import get_column_letter
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from gpusheet.catalog import (
    Assumptions,
    Column,
    Distribution,
    OtherCost,
    Precision,
    Row,
    Season,
    Tier,
    columns,
)
from gpusheet.catalog.settings import Settings
from gpusheet.constants import NAMED
from gpusheet.expr import number_text
from gpusheet.units import Flag, Number, unit_of
from gpusheet.workbook.inputs import Inputs
from gpusheet.workbook.layout import hint_of, role_of, title_of
from gpusheet.workbook.style import Look, printing, set_widths
from gpusheet.workbook.tables import GAP, GROWTH, Placed, put_table, validation

NAME = "Assumptions"
VALUE, MOST, VALID = "C", "F", "I"  # columns of the value, of the largest value allowed, of the flag
WIDTH, SOURCE_AT = 9, 8
ALL_VALID = f"{NAME}!${VALID}$3"  # 1 where every flag is
SPARE_COSTS = 8

GROUPS = {
    "settings": ("Settings", "设置"),
    "demand": ("Demand", "需求"),
    "memory": ("Memory", "显存"),
    "throughput": ("Throughput and latency", "吞吐与时延"),
    "serving": ("Serving", "推理服务"),
    "cards": ("Cards", "卡数"),
    "money": ("Money", "费用"),
    "ownership": ("Owning", "自有"),
    "checks": ("Checks", "检查"),
    "constants": ("Unit constants (do not change)", "单位常数(请勿修改)"),
}
HEADS = {
    "en": ("Name", "Assumption", "Value", "Unit", "At least", "At most", "Typical", "Source", "1 = valid"),
    "zh": ("名称", "假设", "取值", "单位", "最小", "最大", "常见范围", "来源", "1=有效"),
}
SMALL = (
    ("Precisions", Precision, "precisions", ("Number formats", "数值精度")),
    ("Distributions", Distribution, "distributions", ("Length distributions", "长度分布")),
    ("CardTiers", Tier, "tiers", ("Card tiers: ascending, beginning with 0", "卡数档位:从 0 开始升序")),
    ("Seasons", Season, "seasons", ("Seasonality by calendar month", "按日历月的季节系数")),
)


@dataclass(frozen=True)
class AssumptionCells:
    """Where settings and assumptions stand, and the small tables."""

    rows: Mapping[str, int]
    tables: Mapping[str, Placed]

    def value(self, name: str) -> str:
        return f"{NAME}!${VALUE}${self.rows[name]}"

    def most(self, name: str) -> str:
        return f"{NAME}!${MOST}${self.rows[name]}"


def put_assumptions(book: Workbook, look: Look, inputs: Inputs) -> AssumptionCells:
    sheet = book[NAME]
    look.title(sheet, title_of(NAME, look.lang), hint_of(NAME, look.lang), role_of(NAME))
    look.band(sheet, role_of(NAME), WIDTH)
    for position, head in enumerate(HEADS[look.lang], 1):
        look.header(sheet.cell(4, position, head))
    rows: dict[str, int] = {}
    line = 5
    fields: list[tuple[str, Column, Any]] = [
        ("settings", column, getattr(inputs.settings, column.name)) for column in columns(Settings)
        if column.name != "scenario"  # stands on the Cover
    ]
    fields += [(str(c.group), c, getattr(inputs.assumptions, c.name)) for c in columns(Assumptions)]
    for group in GROUPS:
        members = [(column, value) for of, column, value in fields if of == group]
        look.group(sheet, line, GROUPS[group][look.lang == "zh"], WIDTH)
        line += 1
        if group == "constants":
            line = _constants(book, sheet, look, line)
        for column, value in members:
            _assumption(sheet, look, line, column, value, inputs.sources.get(column.name) or column.source)
            rows[column.name] = line
            line += 1
        line += 1
    flags = f"{VALID}5:{VALID}{line - 1}"
    look.text(sheet.cell(3, 8, {"en": "All valid", "zh": "全部有效"}[look.lang]), bold=True)
    tables, end = _small_tables(book, sheet, look, inputs, line)
    placed = tables["CardTiers"]
    tiers = placed.header - 3
    _flag(sheet, look, tiers, _ascending(placed))
    _flag(sheet, look, 3, f"=1*(SUM({flags})=COUNT({flags}))*{VALID}{tiers}")
    set_widths(sheet, (25, 32, 32, 20, 13, 13, 13, 50, 10))
    sheet.freeze_panes = "C5"
    widest = get_column_letter(max(WIDTH, *(len(placed.letters) for placed in tables.values())))
    printing(sheet, look.lang, "4:4", f"A1:{widest}{end}")
    return AssumptionCells(rows, tables)


def _assumption(sheet: Worksheet, look: Look, line: int, column: Column, value: Any, source: str | None) -> None:
    look.text(sheet.cell(line, 1, column.name), color="7F7F7F")
    look.text(sheet.cell(line, 2, column.label(look.lang)))
    cell: Any = sheet.cell(line, 3)
    cell.value = value
    if isinstance(value, str):
        cell.data_type = "s"
    look.input(cell, column.unit)
    look.text(sheet.cell(line, 4, column.unit.label(look.lang)), color="7F7F7F", indent=True)
    for position, bound in ((5, _least(column)), (6, _most(column))):
        bounded: Any = sheet.cell(line, position, bound)
        look.text(bounded, color="7F7F7F")
        bounded.alignment = Alignment(horizontal="center")
        bounded.number_format = column.unit.number_format if isinstance(bound, float) else "General"
    if column.low is not None or column.high is not None:
        ends = [column.unit.show(end, look.lang).split(" ")[0] for end in (column.low, column.high) if end is not None]
        typical: Any = sheet.cell(line, 7, " – ".join(ends))
        look.text(typical, color="7F7F7F")
        typical.alignment = Alignment(horizontal="center")
    said: Any = sheet.cell(line, SOURCE_AT, source)
    if source:
        said.data_type = "s"
    look.text(said, color="7F7F7F")
    _flag(sheet, look, line, f"={_valid(column, f'{VALUE}{line}')}")
    made = validation(column, look.lang)
    if made is not None:
        made.add(cell.coordinate)
        sheet.add_data_validation(made)


def _flag(sheet: Worksheet, look: Look, line: int, formula: str) -> None:
    cell: Any = sheet.cell(line, 9, formula)
    look.formula(cell, unit_of(Flag))
    cell.alignment = Alignment(horizontal="center")


def _valid(column: Column, cell: str) -> str:
    """1 where a cell holds what its field allows, as the reader would judge it."""
    blank = f'({cell}="")' if not column.required and column.default is None else ""
    if column.kind == "number":
        tests = [f"(COUNT({cell})=1)"]
        for bound, sign in (("gt", ">"), ("ge", ">="), ("lt", "<"), ("le", "<=")):
            if getattr(column, bound) is not None:
                tests.append(f"({cell}{sign}{getattr(column, bound):g})")
        if column.whole:
            tests.append(f"(INT(N({cell}))=N({cell}))")
        test = "*".join(tests)
    elif column.kind == "date":
        test = f"(COUNT({cell})=1)*({cell}>0)"
    elif column.choices:
        test = f"ISNUMBER({match_choice(cell, column)})"
    elif column.form:
        test = f"(LEN({cell})=3)"
    else:
        return "1"
    return f"1*({blank}+{test}>0)" if blank else f"1*{test}"


def _ascending(tiers: Placed) -> str:
    """1 where the tiers go up from 0 and the name `tiers` covers their table."""
    letter = tiers.letters["tier"]
    upper, lower = f"{letter}{tiers.first}:{letter}{tiers.last - 1}", f"{letter}{tiers.first + 1}:{letter}{tiers.last}"
    whole = f"({letter}{tiers.first}=0)*(ROWS(tiers)=COUNT({tiers.ref('tier')}))"
    return f"=1*(SUMPRODUCT(1*({upper}<{lower}))=ROWS({lower}))*{whole}"


def match_choice(cell: str, column: Column) -> str:
    """The place of a cell's text among the choices of its field; an error where it is none of them."""
    listed = ",".join(f'"{choice}"' for choice in column.choices)
    return f"MATCH({cell},{{{listed}}},0)"


def _least(column: Column) -> float | str | None:
    if column.gt is not None:
        return f"> {column.gt:g}"
    return None if column.ge is None else float(column.ge)


def _most(column: Column) -> float | None:
    """The largest value allowed; formulas compare with it, so an open bound is stated closed."""
    most = column.le if column.le is not None else column.lt
    return None if most is None else float(most)


def _constants(book: Workbook, sheet: Worksheet, look: Look, line: int) -> int:
    for constant in NAMED:
        look.text(sheet.cell(line, 1, constant.name), color="7F7F7F")
        cell: Any = sheet.cell(line, 3, float(constant))
        look.input(cell, unit_of(Number))
        cell.number_format, cell.protection = "General", Protection(locked=True)
        _flag(sheet, look, line, f"=1*(ABS(N({VALUE}{line})/{number_text(constant)}-1)<1E-12)")
        book.defined_names[constant.name] = DefinedName(constant.name, attr_text=f"{NAME}!$C${line}")
        line += 1
    return line


def _small_tables(
    book: Workbook, sheet: Worksheet, look: Look, inputs: Inputs, line: int
) -> tuple[dict[str, Placed], int]:
    tables: dict[str, Placed] = {}
    kept: tuple[tuple[str, type[Row], Any, tuple[str, str], int], ...] = (
        *((name, row_type, getattr(inputs.catalog, field), title, 0) for name, row_type, field, title in SMALL),
        ("OtherCosts", OtherCost, inputs.other_costs, ("Costs other than cards", "非 GPU 费用"), SPARE_COSTS),
    )
    for name, row_type, rows, title, spare in kept:
        look.group(sheet, line, title[look.lang == "zh"], WIDTH)
        room = GROWTH if name == kept[-1][0] else GAP
        tables[name] = put_table(sheet, look, name, row_type, rows, line + 3, spare=spare, room=room)
        line = tables[name].last + GAP + 1
    tiers = tables["CardTiers"].area("tier")
    book.defined_names["tiers"] = DefinedName("tiers", attr_text=tiers)
    return tables, tables["OtherCosts"].last
