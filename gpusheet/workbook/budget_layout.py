"""Where things are on the Budget sheet, and its words in both languages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from openpyxl.utils import get_column_letter

NAME = "Budget"
MONTH_ROW, DATE_ROW, YEAR_ROW, SEASON_ROW, SEASONS_ROW = 4, 5, 6, 7, 8
DRIVER, TOTAL, FIRST = 4, 8, 9  # columns: drivers D to G, total H, months from I
COUNTED, TAX, BLOCKED, MONTHS, COSTS = "$F$4", "$F$5", "$F$6", "$F$7", "$F$8"  # cells that totals read
ADDED = ("month_cards", "month_tier", "month_net_cards", "month_cost")  # lines with a total
COST = "month_cost"
CHART_ROWS = 20  # room for the chart under the last line
WORDS: dict[str, dict[str, str]] = {
    "en": {
        "month": "Month no.", "date": "Month", "year": "Fiscal year", "season": "Season factor",
        "seasons": "Season factors found (1 is wanted)", "costs": "Other costs to count",
        "counted": "Workloads to count", "tax": "Tax bases agree (1/0)",
        "blocked_label": "Word for a blocked total", "blocked": "blocked", "months": "Months", "total": "Total",
        "peak": "Peak", "fy": "FY", "gpu": "GPU cost", "by_model": "GPU cost by pricing model",
        "others": "Costs other than cards", "amount": "Amount/month", "start": "First month", "end": "Last month",
        "other_total": "Other costs", "contingency": "Contingency", "grand": "Budget total",
        "shown": "For presentation, in units of",
    },
    "zh": {
        "month": "第几月", "date": "月份", "year": "财年", "season": "季节系数",
        "seasons": "找到的季节系数数(应为1)", "costs": "应计其他费用数",
        "counted": "应计业务数", "tax": "税务口径一致(1/0)", "blocked_label": "合计受阻时显示",
        "blocked": "待补全", "months": "月数", "total": "合计", "peak": "峰值", "fy": "财年", "gpu": "GPU费用",
        "by_model": "按计费方式的GPU费用", "others": "非GPU费用", "amount": "每月金额", "start": "起始月", "end": "结束月",
        "other_total": "其他费用", "contingency": "预备费", "grand": "预算合计", "shown": "展示口径,金额单位",
    },
}  # fmt: skip


@dataclass
class BudgetCells:
    """Where the Budget has its blocks and totals."""

    months: int
    years: int
    blocks: dict[str, int] = field(default_factory=dict)  # line -> first row
    rows: dict[str, int] = field(default_factory=dict)  # totals by name
    others: tuple[int, int] = (0, 0)
    drivers: dict[str, tuple[str, int]] = field(default_factory=dict)  # column and first row of what stands at the left of a line
    beside: set[str] = field(default_factory=set)  # of these, those that stand at a line that does not need them itself

    def note(self, beside: Iterable[str], drivers: Iterable[str], top: int) -> None:
        """Where the drivers of a line stand."""
        self.drivers |= {name: (get_column_letter(column), top) for column, name in enumerate(drivers, DRIVER)}
        self.beside |= set(beside)

    @property
    def first(self) -> str:
        return str(get_column_letter(FIRST))

    @property
    def last(self) -> str:
        return str(get_column_letter(FIRST + self.months - 1))

    @property
    def first_year(self) -> int:
        return FIRST + self.months + 1
