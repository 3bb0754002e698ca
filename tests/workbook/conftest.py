"""A small book with everything that the recalculation must carry, and LibreOffice to hold it against."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path

import libreoffice
import pytest
from openpyxl.chart import BarChart, Reference
from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import Font
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table

from gpusheet.workbook.evaluate import Values

HEADERS = ["gpu", "model", "snapshot_date", "tier", "price", "cards", "per_card", "key", "line"]
PRICES = [
    ["A100", "on-demand", date(2026, 10, 1), 1, 80, 8],
    ["H20", "monthly", date(2026, 10, 27), 2, 96, 8],
    ["A100", None, date(2026, 11, 1), 4, 30, 1],
    ["h20", "monthly", date(2026, 10, 1), 8, 48, 4],
]
CALCULATED = [
    "=Prices[[#This Row],[price]]/Prices[[#This Row],[cards]]",
    '=IF(Prices[[#This Row],[model]]="","",Prices[[#This Row],[gpu]]&"|"&Prices[[#This Row],[model]])',
    "=ROW()-ROW(Prices[[#Headers],[line]])",
]


def _sample_book() -> Workbook:
    book = Workbook()
    prices = book.active
    prices.title = "Price list"
    prices.append(HEADERS)
    for row in PRICES:
        prices.append([*row, *CALCULATED])
    prices.add_table(Table(displayName="Prices", ref="A1:I5"))
    prices.freeze_panes = "B2"
    prices["A1"].font = Font(name="Calibri", bold=True, italic=True, color="FF0000FF", size=12, charset=134)
    choices = DataValidation(type="list", formula1='"on-demand,monthly"', allow_blank=True)
    choices.add("B2:B5")
    prices.add_data_validation(choices)
    red = Font(bold=True, color="FFFF0000")
    prices.conditional_formatting.add("E2:E5", CellIsRule(operator="lessThan", formula=["50"], font=red))
    chart = BarChart()
    chart.add_data(Reference(prices, min_col=5, min_row=1, max_row=5), titles_from_data=True)
    prices.add_chart(chart, "K2")

    assumptions = book.create_sheet("Assumptions")
    assumptions["D5"], assumptions["D6"] = 1e-9, date(2026, 10, 28)
    book.defined_names["tiny"] = DefinedName("tiny", attr_text="Assumptions!$D$5")
    book.defined_names["as_of"] = DefinedName("as_of", attr_text="Assumptions!$D$6")
    book.defined_names["seconds_per_hour"] = DefinedName("seconds_per_hour", attr_text="3600")

    sizing = book.create_sheet("Sizing")
    for column in range(6, 27):
        sizing.cell(20, column, (column - 5) * 1.5)
    sizing["A1"] = "to the prices"
    sizing["A1"].hyperlink = "#'Price list'!A1"
    book.properties.created = book.properties.modified = datetime(2026, 10, 27, 8, 0, 0)
    return book


@pytest.fixture
def without_decisions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Books whose sheets of decisions are blank: a tenth of the formulas, for tests of what is typed."""
    monkeypatch.setattr("gpusheet.workbook.book.RESULTS", ())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a test writes its budget."""
    return tmp_path / "budget.xlsx"


@pytest.fixture
def book() -> Workbook:
    """A table with calculated columns, names, a chart, validation, fonts, a link; no two tests share it."""
    return _sample_book()


@pytest.fixture(scope="session")
def sample_book() -> Callable[[], Workbook]:
    """Makes the book anew."""
    return _sample_book


@pytest.fixture(scope="session")
def recalculate() -> Callable[[Path], Workbook]:
    """The workbook at a path, with LibreOffice's values."""
    return libreoffice.recalculate


@pytest.fixture(scope="session")
def to_pictures() -> Callable[[Path, Path], list[Path]]:
    """The workbook at a path, printed into a folder, one PNG per page."""
    return libreoffice.to_pictures


@pytest.fixture(scope="session")
def differences() -> Callable[[Workbook, Values, Workbook], list[str]]:
    """Compares a book's values with those that LibreOffice calculated, formula cell by formula cell."""
    return libreoffice.differences
