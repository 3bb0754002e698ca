"""The chart of the Budget sheet."""

from __future__ import annotations

from typing import Any

from openpyxl.chart import BarChart, Reference
from openpyxl.chart.data_source import StrRef
from openpyxl.chart.series import SeriesLabel
from openpyxl.workbook.workbook import Workbook

from gpusheet.workbook.budget_layout import DATE_ROW, FIRST, BudgetCells
from gpusheet.workbook.style import Look

TITLE = {"en": "Cost by month", "zh": "按月成本"}


def put_chart(book: Workbook, look: Look, budget: BudgetCells) -> None:
    """Cost by month under the budget: cards, other costs and contingency on top of each other."""
    sheet: Any = book["Budget"]
    chart: Any = BarChart()
    chart.type, chart.grouping, chart.overlap = "col", "stacked", 100
    chart.title = TITLE[look.lang]
    first, last = budget.rows["shown_gpu"], budget.rows["shown_contingency"]
    from_column, to_column = FIRST, FIRST + budget.months - 1
    for row in range(first, last + 1):
        values = Reference(sheet, min_col=from_column, max_col=to_column, min_row=row)
        chart.add_data(values, from_rows=True, titles_from_data=False)
    for series, row, color in zip(chart.series, range(first, last + 1), ("2F5597", "A9D18E", "F4B183"), strict=True):
        series.tx = SeriesLabel(strRef=StrRef(f"Budget!$B${row}"))
        series.graphicalProperties.solidFill = color
    chart.set_categories(Reference(sheet, min_col=from_column, max_col=to_column, min_row=DATE_ROW))
    chart.x_axis.number_format = "yyyy-mm"
    chart.x_axis.delete = chart.y_axis.delete = False
    chart.y_axis.number_format = "#,##0"
    chart.gapWidth = 60
    chart.legend.position = "b"
    chart.height, chart.width = 9, 26
    sheet.add_chart(chart, f"B{budget.rows['shown_grand'] + 2}")
