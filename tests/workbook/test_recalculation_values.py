"""Values that Excel calculates otherwise than the engine: days, circles, spills, texts and digits."""

from __future__ import annotations

import io
import zipfile
from datetime import date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.worksheet import Worksheet
from raw_book import MAIN, OFFICE, PACKAGE, raw_book

from gpusheet.workbook.recalculation import Recalculated, recalculated
from gpusheet.xl.functions import functions


def calculated(book: Workbook, folder: Path) -> tuple[Recalculated, Worksheet]:
    book.save(folder / "book.xlsx")
    done = recalculated(folder / "book.xlsx")
    return done, openpyxl.load_workbook(io.BytesIO(done.data), data_only=True).active


def raw(folder: Path, rows: str, **more: Any) -> tuple[Recalculated, Worksheet]:
    done = recalculated(raw_book(folder / "raw.xlsx", rows, **more))
    return done, openpyxl.load_workbook(io.BytesIO(done.data), data_only=True).active


def why(done: Recalculated) -> dict[str, str]:
    return {one.cell: one.why for one in (*done.errors, *done.not_calculated)}


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("A1*1", 1234.5), ("-A1", -1234.5), ("IFERROR(A1*1,0)", 1234.5), ("SUMPRODUCT(A1:A2*1)", 1241.5), ("SUM(A1:A2)", 0),
        ("A1&A2", "1,234.57"), ("COUNTIF(A1:A3,A1)", 1), ("B1*2", 2469), ("CARD_TIER(A2*1)", 8), ("YEAR(A4)", 2026),
        ("A4+1", 46323), ("LEFT(A1,5)*2", 2468), ("A5*1", None), ("IFERROR(A5*1,0)", None), ("IF(A3=0.3,1,2)", 1),
        ("A3&\"\"", "0.3"), ("ROUND(A1,0)", 1235), ("IFERROR(C1*1,0)", 1234.5), ("SUM(A3:A3)=0.3", True), ("A3-0.3", 0),
        ("1+(A3-0.3)*1E+17", 6.551115123125783), ("LOOKUP(2,1/(A1:A2<>\"\"),A1:A2)", "7"), ("LOOKUP(5,{1,9,3},{1,2,3})", None),
        ("MOD(A3*10,3)=0", None), ("UPPER(\"é\"&A2)", "É7"), ("COUNT(A3,1/0)", 1), ("IF(A3>=0.3,\"ok\",\"short\")", "ok"),
    ],
)  # fmt: skip
def test_texts_and_digits_count_as_in_excel(formula: str, value: Any, tmp_path: Path) -> None:
    """A text such as "1,234.5" is a number in arithmetic, where a formula or a person wrote it; 15 digits count."""
    book = Workbook()
    for row, cell in enumerate(("1,234.5", "7", "=0.1+0.2", "2026-10-27", "$5"), 1):
        book.active.cell(row, 1, cell)
    book.active["B1"] = '=SUBSTITUTE(A1,"x","")'
    book.active["C1"] = '=TEXT(1234.5,"#,##0.0")'
    book.active["D1"] = f"={formula}"
    done, sheet = calculated(book, tmp_path)
    assert sheet["D1"].value == (pytest.approx(value, abs=0) if isinstance(value, float) else value)
    assert (value is None) == ("Sheet!D1" in {one.cell for one in done.not_calculated})


def test_a_format_that_is_not_known_leaves_its_cell_open(tmp_path: Path) -> None:
    book = Workbook()
    book.active.append(["0.00E+00", "=TEXT(1000000,A1)", "=IFERROR(B1,1)", "=TEXT(5,\"0.00\")", "=TEXT(5,\"# ?/?\")"])
    done, sheet = calculated(book, tmp_path)
    assert [cell.value for cell in sheet[1]] == ["0.00E+00", None, None, "5.00", None]
    assert why(done)["Sheet!B1"] == "TEXT with the format '0.00E+00' is not calculated here"


def test_a_day_is_no_number(tmp_path: Path) -> None:
    """As on every other way into Excel: a cell in a format of days is refused where a number belongs."""
    day = datetime(2026, 10, 27)
    book = Workbook()
    book.active.append([day, "=CARD_TIER(A1)", "=CARD_TIER(A1+0)", "=CARD_TIER(named)", "=CARD_TIER(A1:A1)", "=A1+1",
                        "=CARD_TIER(F1)", "=CARD_TIER(46322)", '=GPU_PRICE("H20 96G","monthly",A1)'])  # fmt: skip
    book.active["F1"].number_format = "yyyy-mm-dd"
    book.active["A2"], book.active["B2"] = 46322, "=CARD_TIER(A2)"
    book.defined_names["named"] = DefinedName("named", attr_text="Sheet!$A$1")
    done, sheet = calculated(book, tmp_path)
    tier = functions()["CARD_TIER"](46322)
    price = functions()["GPU_PRICE"]("H20 96G", "monthly", day)
    row = [cell.value for cell in sheet[1]]
    assert [*row[1:5], *row[6:8], sheet["B2"].value] == ["#VALUE!", tier, "#VALUE!", "#VALUE!", "#VALUE!", tier, tier]
    assert row[8] == pytest.approx(price)
    assert why(done)["Sheet!B1"] == functions()["CARD_TIER"].reason(day)


def test_days_in_a_table_of_prices(tmp_path: Path) -> None:
    header = ["snapshot_date", "price_list", "listing", "gpu", "cards", "price", "currency", "per", "period", "pricing_model",
              "tax", "source"]  # fmt: skip
    book = Workbook()
    book.active.append(header)
    for day, price in ((date(2026, 10, 1), 100), (date(2026, 10, 20), 90)):
        book.active.append([day, "mine", None, "L20", 1, price, "CNY", "card", "month", "monthly", "unstated", "me"])
    book.active["N1"] = '=GPU_PRICE("L20","monthly",,,A1:L3)'
    book.active["N2"] = '=GPU_PRICE("L20","monthly",DATE(2026,10,5),,A1:L3)'
    done, sheet = calculated(book, tmp_path)
    assert [sheet["N1"].value, sheet["N2"].value] == [90, 100]
    assert why(done) == {}


def test_circles_that_excel_goes_round_have_no_value(tmp_path: Path) -> None:
    rows = ('<row r="1"><c r="A1"><f>B1/2+1</f><v>2</v></c><c r="B1"><f>A1</f><v>2</v></c><c r="C1"><f>IFERROR(A1,0)</f><v>2</v>'
            '</c><c r="D1"><f>IF(TRUE,1,D1)</f><v>1</v></c></row>')  # fmt: skip
    path = raw_book(tmp_path / "raw.xlsx", rows)
    _iterating(path)
    done = recalculated(path)
    sheet = openpyxl.load_workbook(io.BytesIO(done.data), data_only=True).active
    assert [cell.value for cell in sheet[1]] == [None, None, None, 1]
    assert "iterative calculation" in why(done)["S!A1"]
    assert b'iterate="1"' in _part(io.BytesIO(done.data), "xl/workbook.xml")


def _part(file: Any, name: str) -> bytes:
    with zipfile.ZipFile(file) as archive:
        return archive.read(name)


def _iterating(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["xl/workbook.xml"] = parts["xl/workbook.xml"].replace(
        b"</workbook>", b'<calcPr iterateCount="100" iterate="1" iterateDelta="0.001"/></workbook>')
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)


def test_the_reason_stays_when_the_error_becomes_another(tmp_path: Path) -> None:
    book = Workbook()
    book.active.append(['=INDEX(COMPARE_GPUS(1),2,1)', "=A1", '=MATCH(1,CARD_TIER("x"),0)', "=1/0", "=IFERROR(CARD_TIER(-1),1/0)"])
    done, _ = calculated(book, tmp_path)
    said = functions()["COMPARE_GPUS"].reason(1)
    found = why(done)
    assert said and found["Sheet!A1"] == said and found["Sheet!B1"] == f"from Sheet!A1: {said}"
    assert found["Sheet!C1"] == functions()["CARD_TIER"].reason("x")
    assert found["Sheet!D1"] == "=1/0"


SPILLING = '<c r="A1" cm="1"><f t="array" ref="A1">_xlfn.SEQUENCE(3)*CARD_TIER(1)</f><v>1</v></c>'


def test_who_reads_a_spill_is_not_to_blame(tmp_path: Path) -> None:
    rows = (f'<row r="1">{SPILLING}<c r="B1"><f>A1+1</f></c><c r="C1"><f>SUM(A1:A2)</f></c><c r="D1"><f>B1</f></c>'
            '<c r="E1"><f>A2:A4*2</f></c></row><row r="3"><c r="A3"><v>9</v></c></row>')  # fmt: skip
    done, _ = raw(tmp_path, rows)
    assert {one.cell: one.shows for one in done.errors} == {f"S!{cell}": "#SPILL!" for cell in ("A1", "B1", "C1", "D1")}
    assert [one.cell for one in done.not_calculated] == ["S!E1"]


def test_nothing_spills_over_merged_cells(tmp_path: Path) -> None:
    sheet = (f'<row r="1">{SPILLING}<c r="C1"><f>IFERROR(SUM(A1:A3),7)</f></c></row></sheetData>'
             '<mergeCells count="1"><mergeCell ref="A2:B2"/></mergeCells><sheetData>')  # fmt: skip
    done, found = raw(tmp_path, sheet)
    assert [(one.cell, one.shows) for one in done.errors] == [("S!A1", "#SPILL!")]
    assert "the merged cells A2:B2" in done.errors[0].why
    assert found["C1"].value == 7 and found["A3"].value is None


def test_nothing_spills_over_a_table(tmp_path: Path) -> None:
    table = (f'<table xmlns="{MAIN}" id="1" name="T" displayName="T" ref="A3:A4"><tableColumns count="1">'
             '<tableColumn id="1" name="a"/></tableColumns></table>')  # fmt: skip
    rels = (f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" Type="{OFFICE}/table" '
            'Target="../tables/table1.xml"/></Relationships>')  # fmt: skip
    done, _ = raw(tmp_path, f'<row r="1">{SPILLING}</row>', parts={
        "xl/tables/table1.xml": table, "xl/worksheets/_rels/sheet1.xml.rels": rels})  # fmt: skip
    assert [(one.cell, one.shows) for one in done.errors] == [("S!A1", "#SPILL!")]
    assert "the table T" in done.errors[0].why


@pytest.mark.parametrize(
    ("cell", "formula", "value"),
    [
        ("C2", "A1:A3", 2), ("C2", "A1:B1", "#VALUE!"), ("B5", "A1:B1", 5), ("C9", "A1:A3", "#VALUE!"), ("C2", "A:A", 2),
        ("C2", "CARD_TIER(A2)", 2), ("C2", "A2", 2), ("C2", "SUM(A1:A3)", 6), ("C2", "$A$1:$A$3", 2), ("C2", "(A1:A3)", 2),
        ("C2", "PRICES()", "price_list"), ("C2", "INDEX(A1:A3,0)", None), ("C2", "A1:B3", "#VALUE!"), ("C2", "{7,8}", None),
    ],
)  # fmt: skip
def test_the_sign_that_picks_one_value(cell: str, formula: str, value: Any, tmp_path: Path) -> None:
    book = Workbook()
    for row in ([1, 5], [2, 6], [3, 7]):
        book.active.append(row)
    book.active[cell] = f"=_xlfn.SINGLE({formula})"
    _, sheet = calculated(book, tmp_path)
    assert sheet[cell].value == value


def test_days_from_1904_matter_to_days_only(tmp_path: Path) -> None:
    rows = ('<row r="1"><c r="A1"><f>GPU_SPEC("L20","memory_gb")</f></c><c r="B1"><f>GPU_PRICE("H20 96G","monthly")</f></c>'
            '<c r="C1"><f>GPU_PRICE("H20 96G","monthly",44860)</f></c><c r="D1"><f>ROWS(PRICES())</f></c>'
            '<c r="E1"><f>GPU_SPEC("L20","memory_gb",F1:G2)</f></c><c r="H1"><f>MAX(PRICES())</f></c></row>')  # fmt: skip
    done, sheet = raw(tmp_path, rows, settings='<workbookPr date1904="1"/>')
    known = functions()
    table = known["PRICES"]()
    assert [sheet[cell].value for cell in ("A1", "B1", "D1")] == [
        known["GPU_SPEC"]("L20", "memory_gb"), pytest.approx(known["GPU_PRICE"]("H20 96G", "monthly")), len(table)]
    assert [one.cell for one in done.not_calculated] == ["S!C1", "S!E1"]
    assert all("1904" in one.why for one in done.not_calculated)


@pytest.mark.parametrize(("hidden", "values"), [("", (6, 6)), (' hidden="1"', (None, None))])
def test_sums_over_hidden_rows(hidden: str, values: tuple[Any, Any], tmp_path: Path) -> None:
    rows = "".join(f'<row r="{row}"{hidden if row == 2 else ""}><c r="A{row}"><v>{row}</v></c></row>' for row in (1, 2, 3))
    rows += '<row r="4"><c r="A4"><f>SUBTOTAL(109,A1:A3)</f></c><c r="B4"><f>_xlfn.AGGREGATE(9,5,A1:A3)</f></c></row>'
    done, sheet = raw(tmp_path, rows)
    assert (sheet["A4"].value, sheet["B4"].value) == values
    assert all("hidden rows" in one.why for one in done.not_calculated)


def test_array_formulas_are_rewritten_as_well(tmp_path: Path) -> None:
    book = Workbook()
    book.active.append(["=0.1+0.2"])
    book.active["B1"] = ArrayFormula("B1:B2", "=IF(A1:A2=0.3,1,0)")
    _, sheet = calculated(book, tmp_path)
    assert [sheet["B1"].value, sheet["B2"].value] == [1, 0]
