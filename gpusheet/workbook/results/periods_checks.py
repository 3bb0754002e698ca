"""The integrity checks of the sheet Periods: every block adds up to the budget."""

from __future__ import annotations

from dataclasses import dataclass, field

from openpyxl.utils import get_column_letter

from gpusheet.catalog import Workload, columns
from gpusheet.decisions.periods import GROUPS
from gpusheet.workbook.checks_sheet import Check
from gpusheet.workbook.results.months import FX_ROWS, CalendarCells
from gpusheet.workbook.results.months import NAME as CALENDAR
from gpusheet.workbook.results.parts import Parts


@dataclass
class PeriodCells:
    """Where Periods has its columns, lines and blocks."""

    years: tuple[int, int] = (0, 0)  # first and last column
    quarters: tuple[int, int] = (0, 0)
    rows: dict[str, int] = field(default_factory=dict)
    blocks: dict[str, tuple[int, int]] = field(default_factory=dict)  # first and last row


def put_checks(parts: Parts, sheet: str, at: PeriodCells, taxed: tuple[str, ...]) -> None:
    budget = parts.budget
    calendar: CalendarCells = parts.rows[CALENDAR]
    grand, gpu = f"Budget!$H${budget.rows['grand']}", f"Budget!$H${budget.rows['gpu']}"
    todo = ("A formula of Periods or Calendar was changed.", "“期间”或“日历”中的公式被改动。")

    def check(en: str, zh: str, total: str, other: str, where: str = sheet) -> None:
        parts.checks.append(Check(
            f"Periods: {en}", f"期间：{zh}", where, f"=IF(COUNT({total})=1,{other}-{total},0)", *todo, tolerance="0.01"))  # fmt: skip

    def sheet_cells(row: int, span: tuple[int, int]) -> str:
        first, last = (get_column_letter(one) for one in span)
        return f"{sheet}!${first}${row}:${last}${row}"

    check("fiscal years against the budget", "财年合计与预算一致", grand, f"N({sheet}!$D${at.rows['grand']})")
    check("quarters against the budget", "季度合计与预算一致", grand, f"SUM({sheet_cells(at.rows['grand'], at.quarters)})")
    check("quarters of workloads against the budget", "各业务季度合计与预算一致", gpu,
          f"SUM({sheet_cells(at.rows['workloads total'], (at.quarters[0] - 1, at.quarters[1]))})")  # fmt: skip
    for name in ("workloads", *GROUPS):
        column = next(one for one in columns(Workload) if one.name == {"workloads": "workload"}.get(name, name))
        top, bottom = at.blocks[name]
        check(f"sum by {column.en.lower()} against the budget", f"按{column.zh}合计与预算一致", gpu,
              f"SUM({sheet}!$D${top}:$D${bottom})")  # fmt: skip
        check(f"fiscal years by {column.en.lower()} against the budget", f"按{column.zh}的财年合计与预算一致", gpu,
              f"N({sheet}!$D${at.rows[f'{name} total']})")  # fmt: skip
    # with tax less the tax, or without tax, is the budget again: by the basis, one of both
    rows = {name: f"{sheet}!$D${at.rows[name]}" for name in (*taxed, "factor", "grand")}
    known = f"COUNT({rows['amount_without_tax']},{rows['grand']})=2"
    parts.checks.append(Check(
        "Periods: amount without tax against the budget", "期间：不含税金额与预算一致", sheet,
        f"=IF({known},{rows['amount_without_tax']}*{rows['factor']}-{rows['grand']},0)", *todo, tolerance="0.01"))  # fmt: skip
    top, bottom = at.blocks["currencies"]
    rates, amounts = (f"{sheet}!${letter}${top}:${letter}${bottom}" for letter in "CD")
    parts.checks.append(Check(
        "Periods: amounts in other currencies against the budget", "期间：外币金额与预算一致", sheet,
        f"=IF(COUNT({rows['grand']})=1,SUMPRODUCT({rates},{amounts})-COUNT({rates})*{rows['grand']},0)", *todo,
        tolerance="0.01"))  # fmt: skip
    source = calendar.blocks["currencies"]
    numbers = f"{CALENDAR}!$E${source}:$E${source + FX_ROWS - 1}"
    pairs = f"SUMPRODUCT(1*(FX[budget_currency]={parts.cells.value('currency')}))"
    parts.checks.append(Check(
        "Currencies of FX that Periods has no line for", "“期间”没有行可列的 FX 币种", sheet,
        f"=MAX(0,{pairs}-ROWS({rates}),ROWS(FX[rate])-ROWS({numbers}))", "Delete rates that the budget does not need.",
        "请删除预算不需要的汇率。"))  # fmt: skip
