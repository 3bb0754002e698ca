"""Each point finds what breaks it in a small book, and says nothing where nothing does."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter as letter
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.hyperlink import Hyperlink
from openpyxl.worksheet.table import Table

from gpusheet.audit import Finding, audit, points
from gpusheet.workbook.cached import write_with_values

DAY = datetime.date(2026, 11, 20)


def of_rows(*rows: Iterable[Any], title: str = "Sheet") -> Workbook:
    book = Workbook()
    book.active.title = title
    for row in rows:
        book.active.append(list(row))
    return book


def found(book: Workbook, path: Path, point: int, values: bool = True) -> list[Finding]:
    """The findings of one point; without `values` the file has none, as openpyxl writes it."""
    path.unlink(missing_ok=True)
    book.properties.modified = datetime.datetime(2026, 11, 20)
    if values:
        write_with_values(book, path)
    else:
        book.save(path)
    return [one for one in audit(path, today=DAY).findings if one.point == point]


def places(findings: list[Finding]) -> list[str]:
    return [one.place for one in findings]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "book.xlsx"


def months(count: int = 8) -> list[datetime.date]:
    return [datetime.date(2027, number, 1) for number in range(1, count + 1)]


def timeline(*rows: Iterable[Any]) -> Workbook:
    book = of_rows(["", "unit", *months()], *rows)
    for cell in book.active[1][2:]:
        cell.number_format = "yyyy-mm"
    return book


def test_every_point_of_the_checklist_is_there() -> None:
    known = points()
    assert list(known) == list(range(1, 47))
    for one in known.values():
        texts = (one.title, one.how, one.expected, one.todo)
        assert all(text.en and text.zh and text.en != text.zh for text in texts), one.number
        assert one.looks


def test_links_in_the_book_lead_somewhere(path: Path) -> None:
    book = of_rows(["to the data"], ["=1+1"])
    book.active["A1"].hyperlink = Hyperlink(ref="A1", location="'Gone'!A1")
    assert places(found(book, path, 5)) == ["Sheet!A1"]
    book.active["A1"].hyperlink = Hyperlink(ref="A1", location="'Sheet'!B2")
    assert found(book, path, 5) == []


def test_a_month_that_is_missing_breaks_the_time_line(path: Path) -> None:
    book = timeline(["sold", "pieces", *([1.5] * 8)])
    assert [one.severity for one in found(book, path, 12)] == ["note"]  # typed, but without a gap
    book.active["F1"].value = datetime.date(2027, 5, 15)
    assert "Sheet!F1" in [one.place for one in found(book, path, 12) if one.severity == "error"]


def test_a_first_value_that_others_build_on_may_be_typed(path: Path) -> None:
    grows = [f"={letter(column - 1)}2*(1+$B$9)" for column in range(4, 11)]
    book = timeline(["price", "CNY", 100, *grows], ["cost", "CNY", *(f"={letter(c)}2*2" for c in range(3, 11))])
    book.active["B9"] = 0.1
    assert found(book, path, 10) == []
    book.active["C3"] = 200
    assert places(found(book, path, 10)) == ["Sheet!C3"]


def test_actuals_before_the_forecast_are_no_fault(path: Path) -> None:
    def row(number: int) -> list[Any]:
        return [f"line {number}", "CNY", 10.5, 11.5, 12.5, *(f"=$B$9*{letter(column)}$8" for column in range(6, 11))]

    book = timeline(row(1), row(2), row(3))
    book.active["B9"] = 2
    for column in range(3, 11):
        book.active.cell(8, column, 3)
    assert found(book, path, 10) == []


def test_quarters_between_months_are_no_fault(path: Path) -> None:
    row: list[Any] = ["cost", "CNY"]
    for column in range(3, 19):
        quarter = (column - 2) % 4 == 0
        row.append(f"=SUM({letter(column - 3)}1:{letter(column - 1)}1)" if quarter else f"={letter(column)}2*$B$2")
    book = of_rows(row, ["pieces", 3, *range(1, 17)])
    assert found(book, path, 10) == [] and found(book, path, 16) == []


def test_windows_that_move_along_cover_what_they_should(path: Path) -> None:
    sums = [f"=SUM(C1:{letter(column)}1)" for column in range(3, 11)]
    fixed = [f"=SUM($C$1:{letter(column)}1)" for column in range(3, 11)]
    means = ["", "", *(f"=AVERAGE({letter(column - 2)}1:{letter(column)}1)" for column in range(5, 11))]
    book = of_rows(["a", "CNY", *(1.5 * n for n in range(1, 9))], ["b", "CNY", *fixed], ["c", "CNY", *means])
    assert found(book, path, 16) == [] and found(book, path, 10) == []
    assert sums[0] == "=SUM(C1:C1)"


def test_totals_that_disagree(path: Path) -> None:
    rows = [[f"line {n}", n, n + 1, n + 2, f"=SUM(B{n}:D{n})"] for n in range(1, 5)]
    total = ["Total", *(f"=SUM({c}1:{c}4)" for c in "BCD"), "=SUM(B5:D5)"]
    book = of_rows(*rows, total)
    assert [one.severity for one in found(book, path, 17)] == ["note"]  # they agree, but no check says so
    book.active["G1"] = "=SUM(E1:E4)-E5"
    assert found(book, path, 17) == []
    book.active["E2"] = "=SUM(B2:D2)*2"
    assert "error" in [one.severity for one in found(book, path, 17)]


def test_a_cell_that_a_total_has_twice(path: Path) -> None:
    book = of_rows([1.5], [2.5], [3.5], ["=SUM(A1:A3)+A2"])
    assert places(found(book, path, 16)) == ["Sheet!A4"]


def test_an_old_saved_sum(path: Path) -> None:
    book = of_rows([1.5], [2.5], [3.5], ["=SUM(A1:A3)"])
    assert found(book, path, 16) == []
    changed(path, b"<v>3.5</v>", b"<v>5.5</v>")
    assert [one.found.en for one in audit(path).findings if one.point == 16] == ["7.5 saved as the result of =SUM(A1:A3)"]


def changed(path: Path, old: bytes, new: bytes) -> None:
    """Changes what stands in the first sheet of a file."""
    with ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = "xl/worksheets/sheet1.xml"
    assert old in parts[name]
    parts[name] = parts[name].replace(old, new, 1)
    with ZipFile(path, "w") as archive:
        for each, part in parts.items():
            archive.writestr(each, part)


def test_error_values_and_texts_that_read_like_one(path: Path) -> None:
    book = of_rows(["=1/0"], ["#N/A"], ["=IFERROR(1/0,0)"])
    book.active["A2"].data_type = "s"
    assert sorted(places(found(book, path, 22))) == ["Sheet!A1", "Sheet!A2"]


def test_formulas_without_a_value(path: Path) -> None:
    book = of_rows(["=1+1"], ['=IF(1=1,"","x")'])
    assert places(found(book, path, 23, values=False)) == ["Sheet!A1:A2"]
    assert found(book, path, 23) == []


def test_circles_are_found_and_running_balances_are_none(path: Path) -> None:
    def circle(book: Workbook) -> list[str]:
        return [one.found.en for one in found(book, path, 24, values=False)]

    balance = of_rows([1, *(f"={letter(c - 1)}3" for c in range(2, 9))], [5] * 8, [f"={letter(c)}1+{letter(c)}2" for c in range(1, 9)])
    assert circle(balance) == []
    balance.active["C2"] = "=E3*0.1"
    assert len(circle(balance)) == 1 and "Sheet!C2 - Sheet!E3" in circle(balance)[0]
    assert circle(of_rows(["=ROW(A1)"], ["=COLUMNS(A2:C2)"])) == []
    assert circle(of_rows(["=A1+1"])) == ["a circle: Sheet!A1 - Sheet!A1"]
    assert circle(of_rows([1], [2], ["=SUM(A1:A3)"])) == ["a circle: Sheet!A3 - Sheet!A3"]


def test_other_workbooks(path: Path) -> None:
    assert places(found(of_rows(["=[1]Rates!$B$2*2"]), path, 25, values=False)) == ["Sheet!A1"]
    assert found(of_rows(["=A2*2"], [3]), path, 25) == []


@pytest.mark.parametrize("formula", ["=SUM(OFFSET(A2,0,0,2,1))", '=INDIRECT("A2")', "=A2*RAND()"])
def test_volatile_functions(formula: str, path: Path) -> None:
    assert places(found(of_rows([formula], [2], [3]), path, 26, values=False)) == ["Sheet!A1"]


@pytest.mark.parametrize(
    ("formula", "severity"),
    [
        ("=A2*1.06", "warning"), ("=IF(A2>500,A2,0)", "warning"), ("=A2*365", "note"), ("=A2/12", ""), ("=ROUND(A2,2)", ""),
        ("=A2*1E9", ""), ("=INDEX(A2:A9,3)", ""), ("=IF(A2=7,1,0)", ""), ("=5+3", "note"), ("=(A2+A3)/2", "note"),
    ],
)  # fmt: skip
def test_constants_in_formulas(formula: str, severity: str, path: Path) -> None:
    assert [one.severity for one in found(of_rows([formula], [2], [3]), path, 29)] == ([severity] if severity else [])


def test_an_input_that_a_chart_a_name_or_a_list_reads_is_alive(path: Path) -> None:
    book = of_rows(["rate", 0.5], ["other", 0.7], ["used", 3], ["result", "=B3*rate"], title="Inputs")
    for row in (1, 2, 3):
        book.active.cell(row, 2).font = Font(color="000000FF")
    book.defined_names["rate"] = DefinedName("rate", attr_text="Inputs!$B$1")
    assert places(found(book, path, 30)) == ["Inputs!B2"]
    rule = DataValidation(type="decimal", formula1="Inputs!$B$1:$B$2", showErrorMessage=True)
    rule.add("D1")
    book.active.add_data_validation(rule)
    assert found(book, path, 30) == []


def test_numbers_saved_as_text(path: Path) -> None:
    book = of_rows([1.5, 2], ["1,250", "7"], [3.5, "=B2*2"], ["=SUM(A1:A3)", ""])
    assert sorted(places(found(book, path, 21, values=False))) == ["Sheet!A2", "Sheet!B2"]
    guarded = of_rows([1.5], ["n/a"], [3.5], ['=IF(COUNT(A1:A3)=3,SUM(A1:A3),"open")'])
    assert found(guarded, path, 21) == []


def test_one_input_in_two_places(path: Path) -> None:
    book = of_rows(["Growth", "%", 0.5], ["Safety", "%", 0.8], ["growth", "%", 0.6], ["", "", "=C1*C2*C3"], title="Inputs")
    assert places(found(book, path, 31)) == ["Inputs!C3"]


def test_merged_cells(path: Path) -> None:
    book = of_rows(["Title", ""], [1, 2], ["=A2+B2", ""])
    book.active.merge_cells("A1:B1")
    assert found(book, path, 33) == []
    book.active.merge_cells("A3:B3")
    assert places(found(book, path, 33)) == ["Sheet!A3:B3"]


def hide_sheet(book: Workbook) -> None:
    book.create_sheet("Other").sheet_state = "veryHidden"


def hide_row(book: Workbook) -> None:
    book.active.row_dimensions[2].hidden = True


def hide_column(book: Workbook) -> None:
    book.active.column_dimensions["B"].hidden = True


def group(book: Workbook) -> None:
    book.active.row_dimensions.group(2, 3, hidden=True)
    book.active.column_dimensions.group("B", "B", hidden=True)


@pytest.mark.parametrize(
    ("hide", "place"), [(hide_sheet, "Other"), (hide_row, "Sheet!2:2"), (hide_column, "Sheet!B:B"), (group, "")]
)
def test_hidden_parts(hide: Callable[[Workbook], None], place: str, path: Path) -> None:
    book = of_rows(["a", 1], ["b", 2], ["c", 3], ["Total", "=SUM(B1:B3)"])
    hide(book)
    assert places(found(book, path, 34)) == ([place] if place else [])


def test_table_columns(path: Path) -> None:
    book = of_rows(["item", "price", "double"], *([f"i{n}", n * 1.5, f"=B{n + 1}*2"] for n in range(1, 9)))
    book.active.add_table(Table(displayName="Items", ref="A1:C9"))
    assert found(book, path, 10) == []
    book.active["C9"] = 24  # the last one, at the edge
    assert places(found(book, path, 10)) == ["Sheet!C9"]


def test_names_that_lead_nowhere(path: Path) -> None:
    book = of_rows([1], ["=A1*2"])
    for name, target in (("lost", "Sheet!#REF!"), ("gone", "Old!$A$1"), ("good", "Sheet!$A$1")):
        book.defined_names[name] = DefinedName(name, attr_text=target)
    assert [one.found.en.split(" = ")[0] for one in found(book, path, 36)] == ["the name lost", "the name gone"]
    assert places(found(of_rows(["=SUM(#REF!)"]), path, 36, values=False)) == ["Sheet!A1"]


def test_mixed_units_in_a_total(path: Path) -> None:
    rows = [["Line", "Unit", "2027"], ["a", "CNY", 1], ["b", "CNY", 2], ["c", "CNY", 3], ["Total", "CNY", "=SUM(C2:C4)"]]
    assert found(of_rows(*rows), path, 45) == []
    rows[3][1] = "kCNY"
    assert places(found(of_rows(*rows), path, 45)) == ["Sheet!C5"]


def test_keys_that_stand_twice(path: Path) -> None:
    rows = [["north", 1], ["South ", 2], ["west", 3], ["North", 4], ["west", '=INDEX(B1:B4,MATCH(A5,A1:A4,0))']]
    assert sorted(places(found(of_rows(*rows), path, 46))) == ["Sheet!A2", "Sheet!A4"]


def test_prices_with_a_date_too_old_or_too_new(path: Path) -> None:
    def listed(day: datetime.date) -> Workbook:
        rows = [["Card", "Price", "Date", "Source"], *(["L20", 4.5 + n, day, "quote"] for n in range(4)), ["", "=B2*2"]]
        book = of_rows(*rows, title="Prices")
        for row in range(2, 6):
            book.active.cell(row, 3).number_format = "yyyy-mm-dd"
        return book

    assert found(listed(datetime.date(2026, 10, 1)), path, 42) == []
    assert [one.found.en for one in found(listed(datetime.date(2026, 6, 1)), path, 42)] == [
        "prices of 2026-06-01, 172 days before 2026-11-20"]
    assert len(found(listed(datetime.date(2027, 1, 1)), path, 42)) == 1
