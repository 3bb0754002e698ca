"""The Assumptions sheet: settings, factors with bounds and sources, unit constants, and the small tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from openpyxl.styles import Alignment, Protection
from openpyxl.utils import get_column_letter
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.datavalidation import DataValidation
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
from gpusheet.catalog.settings import DECISIONS, Settings
from gpusheet.constants import NAMED
from gpusheet.units import Flag, Unit, unit_of
from gpusheet.workbook.fetches import FETCHES
from gpusheet.workbook.inputs import Inputs
from gpusheet.workbook.layout import hint_of, role_of, title_of
from gpusheet.workbook.style import INPUT, Look, printing, set_widths
from gpusheet.workbook.tables import GAP, GROWTH, Placed, put_table, validation

NAME = "Assumptions"
# columns of the value, of the least and the largest value allowed, of the flag
VALUE, LEAST, MOST, VALID = "C", "E", "F", "I"
WIDTH, SOURCE_AT = 9, 8
ALL_VALID = f"{NAME}!${VALID}$3"  # 1 where every flag is of what the total of the budget rests on
SPARE_COSTS = 8

GROUPS = {
    "settings": ("Settings", "设置"),
    "choices": ("Choices", "选项"),
    "demand": ("Demand", "需求"),
    "memory": ("Memory", "显存"),
    "throughput": ("Throughput and latency", "吞吐与时延"),
    "serving": ("Serving", "推理服务"),
    "cards": ("Cards", "卡数"),
    "money": ("Money", "费用"),
    "ownership": ("Owning", "自有"),
    "checks": ("Checks", "检查"),
    "constants": ("Unit constants (do not change)", "单位常数(请勿修改)"),
    DECISIONS: ("Sheets of decisions (the budget does not rest on these)", "决策表（预算不依赖以下各项）"),
}  # the last one blocks no total
HEADS = {
    "en": ("Name", "Assumption", "Value", "Unit", "At least", "At most", "Typical", "Source", "1 = valid"),
    "zh": ("名称", "假设", "取值", "单位", "最小", "最大", "常见范围", "来源", "1=有效"),
}
_KEPT = {
    "en": ("Not to be changed", "Formulas of gpusheet read it. Allowed: {}"),
    "zh": ("请勿修改", "gpusheet 的公式读取此值。允许：{}"),
}
KEYS = {fetch.asked: f"{fetch.table}[{fetch.key}]" for fetch in FETCHES}  # what names a row of another table
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
    deciding: int  # row of the heading of what only the sheets of decisions read

    def value(self, name: str) -> str:
        return f"{NAME}!${VALUE}${self.rows[name]}"

    def valid(self, name: str) -> str:
        """The flag of a setting or an assumption, 1 where it is valid."""
        return f"{NAME}!${VALID}${self.rows[name]}"

    def valid_value(self, name: str) -> str:
        """A formula of the value, blank where it is not valid: of what blocks no total."""
        return f'=IF({self.valid(name)}=1,{self.value(name)},"")'

    @property
    def decisions_valid(self) -> str:
        """1 where all is valid that the sheets of decisions read besides; in the row of its heading."""
        return f"{NAME}!${VALID}${self.deciding}"

    def within(self, column: Column, cell: str) -> list[str]:
        """Tests of a number in another cell against the bounds that stand beside the assumption, but for 0."""
        return _bounds(column, cell, self.rows[column.name], f"{NAME}!$", "$", but=0)


def put_assumptions(book: Workbook, look: Look, inputs: Inputs) -> AssumptionCells:
    sheet = book[NAME]
    look.title(sheet, title_of(NAME, look.lang), hint_of(NAME, look.lang), role_of(NAME))
    look.band(sheet, role_of(NAME), WIDTH)
    for position, head in enumerate(HEADS[look.lang], 1):
        look.header(sheet.cell(4, position, head))
    rows: dict[str, int] = {}
    line = 5
    fields: list[tuple[str, Column, Any]] = [
        (str(column.group or "settings"), column, getattr(inputs.settings, column.name)) for column in columns(Settings)
        if column.name != "scenario"  # stands on the Cover
    ]
    fields += [("choices" if c.choices else str(c.group), c, getattr(inputs.assumptions, c.name)) for c in columns(Assumptions)]
    for group in GROUPS:
        members = [(column, value) for of, column, value in fields if of == group]
        if group == DECISIONS:
            deciding = line
        look.group(sheet, line, GROUPS[group][look.lang == "zh"], WIDTH)
        line += 1
        if group == "constants":
            line = _constants(book, sheet, look, line)
        for column, value in members:
            _assumption(sheet, look, line, column, value, inputs.sources.get(column.name) or column.source)
            rows[column.name] = line
            line += 1
        line += 1
    all_valid = {"en": "All valid", "zh": "全部有效"}[look.lang]
    flags, others = f"{VALID}5:{VALID}{deciding - 1}", f"{VALID}{deciding + 1}:{VALID}{line - 1}"
    for row in (3, deciding):
        look.text(sheet.cell(row, 8, all_valid), bold=True)
    look.text(sheet.cell(deciding, 4, unit_of(Flag).label(look.lang)), color="7F7F7F", indent=True)
    _flag(sheet, look, deciding, f"=1*(SUM({others})=COUNT({others}))")
    tables, end = _small_tables(book, sheet, look, inputs, line)
    placed = tables["CardTiers"]
    tiers = placed.header - 3
    look.text(sheet.cell(tiers, 4, unit_of(Flag).label(look.lang)), color="7F7F7F", indent=True)
    _flag(sheet, look, tiers, _ascending(placed))
    _flag(sheet, look, 3, f"=1*(SUM({flags})=COUNT({flags}))*{VALID}{tiers}")
    set_widths(sheet, (25, 32, 32, 20, 13, 13, 13, 50, 10))
    sheet.freeze_panes = "C5"
    widest = get_column_letter(max(WIDTH, *(len(placed.letters) for placed in tables.values())))
    printing(sheet, look.lang, "4:4", f"A1:{widest}{end}")
    return AssumptionCells(rows, tables, deciding)


def _assumption(sheet: Worksheet, look: Look, line: int, column: Column, value: Any, source: str | None) -> None:
    look.text(sheet.cell(line, 1, column.name), color="7F7F7F")
    look.text(sheet.cell(line, 2, column.label(look.lang)))
    cell: Any = sheet.cell(line, 3)
    cell.value = value
    if isinstance(value, str):
        cell.data_type = "s"
    look.input(cell, column.unit)
    look.text(sheet.cell(line, 4, column.unit.label(look.lang)), color="7F7F7F", indent=True)
    for letter, open_, closed, sign in ((LEAST, column.gt, column.ge, ">"), (MOST, column.lt, column.le, "<")):
        _bound(sheet, look, f"{letter}{line}", closed if open_ is None else open_, "" if open_ is None else sign, column.unit)
    if column.low is not None or column.high is not None:
        ends = [column.unit.show(end, look.lang).split(" ")[0] for end in (column.low, column.high) if end is not None]
        typical: Any = sheet.cell(line, 7, " – ".join(ends))
        look.text(typical, color="7F7F7F")
        typical.alignment = Alignment(horizontal="center")
    said: Any = sheet.cell(line, SOURCE_AT, source)
    if source:
        said.data_type = "s"
    look.text(said, color="7F7F7F")
    _flag(sheet, look, line, f"={_valid(column, line)}")
    made = validation(column, look.lang)
    if made is not None:
        made.add(cell.coordinate)
        sheet.add_data_validation(made)


def _bound(sheet: Worksheet, look: Look, at: str, bound: float | None, sign: str, unit: Unit) -> None:
    """A bound, which flags read: in the blue of numbers that are no formulas, and not to be changed."""
    if bound is None:
        return
    cell: Any = sheet[at]
    cell.value = float(bound)
    look.text(cell, color=INPUT)
    cell.alignment = Alignment(horizontal="center")
    shown = unit.number_format if bound % 1 or unit.symbol == "%" else "#,##0"
    cell.number_format = f'"{sign} "{shown}' if sign else shown
    _fixed(sheet, look, at, bound)


def _fixed(sheet: Worksheet, look: Look, at: str, value: float) -> None:
    """Lets a cell keep no other number than its own."""
    words = _KEPT[look.lang]
    same = next((one for one in sheet.data_validations.dataValidation
                 if one.errorTitle == words[0] and one.formula1 == f"{value:.15g}"), None)  # fmt: skip
    if same is None:
        same = DataValidation(type="decimal", operator="equal", formula1=f"{value:.15g}", allow_blank=False, showErrorMessage=True)
        same.errorTitle, same.error = words[0], words[1].format(f"{value:.15g}")
        sheet.add_data_validation(same)
    same.add(at)


def _flag(sheet: Worksheet, look: Look, line: int, formula: str) -> None:
    cell: Any = sheet.cell(line, 9, formula)
    look.formula(cell, unit_of(Flag))
    cell.alignment = Alignment(horizontal="center")


def _valid(column: Column, line: int) -> str:
    """1 where the cell of a line holds what its field allows, as the reader would judge it."""
    cell = f"{VALUE}{line}"
    blank = f'({cell}="")' if not column.required and column.default is None else ""
    if column.kind == "number":
        tests = [f"(COUNT({cell})=1)", *_bounds(column, cell, line)]
        if column.whole:
            tests.append(f"(INT(N({cell}))=N({cell}))")
        test = "*".join(tests)
    elif column.kind == "date":
        test = f"(COUNT({cell})=1)*({cell}>0)"
    elif column.name in KEYS:
        test = f"(COUNTIF({KEYS[column.name]},{cell})=1)"
    elif column.choices:
        test = f"ISNUMBER({match_choice(cell, column)})"
    elif column.form:
        test = f"(LEN({cell})=3)"
    else:
        return "1"
    return f"1*({blank}+{test}>0)" if blank else f"1*{test}"


def _bounds(
    column: Column, cell: str, line: int, before: str = "", fixed: str = "", but: float | None = None
) -> list[str]:
    """Tests of a cell against the bounds of a line, of all or those that are not `but`."""
    return [
        f"({cell}{sign}{before}{letter}{fixed}{line})"
        for bound, sign, letter in (("gt", ">", LEAST), ("ge", ">=", LEAST), ("lt", "<", MOST), ("le", "<=", MOST))
        if getattr(column, bound) is not None and getattr(column, bound) != but
    ]


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


def _constants(book: Workbook, sheet: Worksheet, look: Look, line: int) -> int:
    for constant in NAMED:
        look.text(sheet.cell(line, 1, constant.name), color="7F7F7F")
        look.text(sheet.cell(line, 2, constant.label(look.lang)))
        cell: Any = sheet.cell(line, 3, float(constant))
        look.input(cell, constant.unit)
        cell.number_format, cell.protection = "General", Protection(locked=True)
        look.text(sheet.cell(line, 4, constant.unit.label(look.lang)), color="7F7F7F", indent=True)
        _fixed(sheet, look, cell.coordinate, float(constant))
        for letter in (LEAST, MOST):  # the number itself: what a constant may be
            _bound(sheet, look, f"{letter}{line}", float(constant), "", constant.unit)
            sheet[f"{letter}{line}"].number_format = "General"
        _flag(sheet, look, line, f"=1*(COUNT({VALUE}{line})=1)*({VALUE}{line}>={LEAST}{line})*({VALUE}{line}<={MOST}{line})")
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
