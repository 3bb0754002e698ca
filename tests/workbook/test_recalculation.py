"""Our functions in anybody's workbook give in its cells what they give in Python, and only values change."""

from __future__ import annotations

import io
import zipfile
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from bad_cells import BLANKS, NO_NUMBERS
from openpyxl.utils import get_column_letter
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.table import Table
from rule_cases import cases
from values import same

import gpusheet
from gpusheet.constants import TIERS
from gpusheet.workbook.recalculation import Recalculated, recalculated
from gpusheet.xl.cells import CellError
from gpusheet.xl.functions import functions

AS_WRITTEN = [case for case in cases() if case.sources == {p.name: p.name for p in case.rule.parameters}]


def values(done: Recalculated) -> Workbook:
    return openpyxl.load_workbook(io.BytesIO(done.data), data_only=True)


def calculated(book: Workbook, folder: Path) -> tuple[Recalculated, Workbook]:
    book.save(folder / "book.xlsx")
    done = recalculated(folder / "book.xlsx")
    return done, values(done)


def one_sheet(*rows: list[Any]) -> Workbook:
    book = Workbook()
    for row in rows:
        book.active.append(row)
    return book


def why(done: Recalculated) -> dict[str, str]:
    return {one.cell: one.why for one in (*done.errors, *done.not_calculated)}


def in_a_file(value: Any) -> Any:
    """openpyxl writes 16 digits."""
    return float(f"{value:.15g}") if isinstance(value, float) else value


def test_every_rule_gives_in_a_sheet_what_it_gives_in_python(tmp_path: Path) -> None:
    book = Workbook()
    book.active.title = "Tiers"
    book.active.append(list(TIERS))
    tiers = f"Tiers!$A$1:${get_column_letter(len(TIERS))}$1"
    for case in AS_WRITTEN:
        sheet = book.create_sheet(case.sheet)
        for number, row in enumerate(case.rows, 1):
            cells = [tiers if value is TIERS else f"{get_column_letter(column)}{number}"
                     for column, value in enumerate(row.values(), 1)]  # fmt: skip
            given = [None if value is TIERS else in_a_file(value) for value in row.values()]
            sheet.append([*given, f"={case.rule.name.upper()}({','.join(cells)})"])
    done, found = calculated(book, tmp_path)
    reasons, wrong, failed = why(done), [], 0
    for case in AS_WRITTEN:
        function = functions()[case.rule.name.upper()]
        letter = get_column_letter(len(case.symbols) + 1)
        for number, row in enumerate(case.rows, 1):
            shown = found[case.sheet][f"{letter}{number}"].value
            try:
                expected: Any = function(*[[list(TIERS)] if value is TIERS else in_a_file(value) for value in row.values()])
            except CellError as error:
                failed += 1
                expected = error.code
                if reasons[f"{case.sheet}!{letter}{number}"] != str(error):
                    wrong.append(f"{case.sheet} {row}: {reasons[f'{case.sheet}!{letter}{number}']}")
            if not same(expected, shown):
                wrong.append(f"{case.sheet} {row}: {expected!r}, sheet {shown!r}")
    assert wrong == []
    assert 0 < failed < len(AS_WRITTEN) * 20
    assert len(AS_WRITTEN) > 40


HELD = ["text", "number as text", "number with a comma", "full-width digits", "money as text", "true as text", "dash",
        "emoji", "TRUE", "FALSE", "row of cells", "column of cells", "range of one text", "#DIV/0!", "#N/A", "#NAME?",
        "#NULL!", "#NUM!", "#REF!", "#VALUE!", "error in a range of one"]  # fmt: skip


@pytest.mark.parametrize("name", [name for name in (function.name for function in functions().values() if function.rule)
                                  if any(argument.kind == "number" for argument in functions()[name].arguments)])  # fmt: skip
def test_bad_arguments_give_the_right_error(name: str, tmp_path: Path) -> None:
    """Each kind in the place of the first number, the others as in the example."""
    function = functions()[name]
    place = next(number for number, argument in enumerate(function.arguments) if argument.kind == "number")
    book = Workbook()
    sheet = book.active
    for row, kind in enumerate(HELD, 1):
        cells: list[str] = []
        for column, example in enumerate(function.example):
            bad = NO_NUMBERS[kind][0] if column == place else example
            block = [list(line) for line in bad] if isinstance(bad, list | tuple) else [[bad]]
            left = column * 30 + 1
            for down, line in enumerate(block):
                for right, value in enumerate(line):
                    cell = sheet.cell(row * 4 + down, left + right, value)
                    if value is not None and str(value).startswith("#"):
                        cell.data_type = "e"
            cells.append(f"{cell_at(row * 4, left)}:{cell_at(row * 4 + len(block) - 1, left + len(block[0]) - 1)}")
        sheet.cell(row * 4, 600, f"={name}({','.join(cells)})")
    done, found = calculated(book, tmp_path)
    shown = {kind: found.active.cell(row * 4, 600).value for row, kind in enumerate(HELD, 1)}
    assert shown == {kind: NO_NUMBERS[kind][1] for kind in HELD}
    assert all(line.startswith(f"{name}: {function.arguments[place].name}: ")
               for cell, line in why(done).items() if cell.startswith("Sheet!WB"))  # fmt: skip


def cell_at(row: int, column: int) -> str:
    return f"{get_column_letter(column)}{row}"


def test_blank_and_left_out_mean_the_same(tmp_path: Path) -> None:
    given = "8,2039,3.85,20"
    book = one_sheet(
        [f"=DECODE_CONCURRENCY({given})", f"=DECODE_CONCURRENCY({given},)", f"=DECODE_CONCURRENCY({given},Z9)",
         f"=DECODE_CONCURRENCY({given},1)"],
        ["=CARD_TIER()", "=CARD_TIER(Z9)", '=CARD_TIER("")', "=DECODE_CONCURRENCY(8,,3.85,20)"],
    )  # fmt: skip
    done, found = calculated(book, tmp_path)
    first, second = found.active.iter_rows(values_only=True)
    assert len(set(first)) == 1 and isinstance(first[0], float)
    assert second == ("#VALUE!",) * 4
    assert why(done)["Sheet!D2"].startswith("DECODE_CONCURRENCY: ")
    assert len(BLANKS) > 3


@pytest.mark.parametrize(
    "spelled",
    ["CARD_TIER(A1)", "card_tier(A1)", "_xldudf_CARD_TIER(A1)", "_xldudf_GPUSHEET_CARD_TIER(A1)", "xlwings.xlam!CARD_TIER(A1)",
     "'gpusheet.xlam'!CARD_TIER(A1)", "gpusheet.xlam!CARD_TIER(A1)", "'C:\\Add ins\\[gpusheet.xlam]S'!CARD_TIER(A1)",
     "_xll.CARD_TIER(A1)", "_xlfn.CARD_TIER(A1)", "_xludf.CARD_TIER(A1)", "GPUSHEET.CARD_TIER(A1)",
     'CARD_TIER(IF("),(,"="x",1,A1))', "SUM(CARD_TIER(CARD_TIER(A1)),0)", "IF(A1>1,CARD_TIER(A1),CARD_TIER())"],
)  # fmt: skip
def test_however_programs_write_the_function_down(spelled: str, tmp_path: Path) -> None:
    done, found = calculated(one_sheet([2.67, f"={spelled}"]), tmp_path)
    assert found.active["B1"].value == 4
    assert why(done) == {}


def test_names_of_functions_in_texts_are_texts(tmp_path: Path) -> None:
    _, found = calculated(one_sheet(['="CARD_TIER(2) "&"NOPE(1)"', "=LEN(\"a\"\"CARD_TIER(\")"]), tmp_path)
    assert [cell.value for cell in found.active[1]] == ["CARD_TIER(2) NOPE(1)", 12]


def test_tables_of_the_workbook_are_followed(tmp_path: Path) -> None:
    book = one_sheet(["gpu", "memory_gb"], ["My card", 77], ["H20-96G", 11])
    book.active.add_table(Table(displayName="GPUs", ref="A1:B3"))
    book.active["D1"] = '=GPU_SPEC("My card","memory_gb",GPUs[#All])'
    book.active["D2"] = '=GPU_SPEC(A3,"memory_gb",GPUs[#All])'
    book.active["D3"] = '=GPU_SPEC(A3,"memory_gb")'
    book.active["C3"] = "=SUM(GPUs[memory_gb])+GPUs[[#This Row],[memory_gb]]"
    book.active["D4"] = '=GPU_SPEC("nobody","memory_gb",GPUs[#All])'
    done, found = calculated(book, tmp_path)
    assert [found.active[cell].value for cell in ("D1", "D2", "D3", "C3", "D4")] == [77, 11, 96, 99, "#N/A"]
    assert list(why(done)) == ["Sheet!D4"]


def test_dates_go_in_as_serial_numbers(tmp_path: Path) -> None:
    """A formula's result keeps its cell's format; a date as argument is a number there."""
    day = date(2026, 10, 28)
    price = functions()["GPU_PRICE"]
    card, model = price.example[:2]
    book = one_sheet([card, model, day, "=GPU_PRICE(A1,B1,C1)"])
    _, found = calculated(book, tmp_path)
    assert found.active["D1"].value == pytest.approx(price(card, model, day))


def test_an_array_formula_spills_and_a_plain_one_shows_its_first_cell(tmp_path: Path) -> None:
    table = functions()["PRICES"]()
    book = Workbook()
    book.active["B2"] = ArrayFormula("B2:D4", "=PRICES()")
    book.active["F1"] = "=PRICES()"
    book.active["G1"] = "=ROWS(PRICES())"
    book.active["H1"] = "=COUNTA(B2:D4)"
    done, found = calculated(book, tmp_path)
    shown = [list(row) for row in found.active.iter_rows(2, 4, 2, 4, values_only=True)]
    assert shown == [[same_day(cell) for cell in row[:3]] for row in table[:3]]
    assert [found.active[cell].value for cell in ("F1", "G1", "H1")] == [table[0][0], len(table), 9]
    assert why(done) == {}
    assert len(done.remarks) == 1 and done.remarks[0].startswith(f"Sheet!F1: PRICES gives {len(table)} rows and ")


def same_day(cell: Any) -> Any:
    return openpyxl.utils.datetime.to_excel(cell) if isinstance(cell, date) else cell


def test_what_is_not_known_is_left_without_a_value_with_all_that_depends_on_it(tmp_path: Path) -> None:
    book = one_sheet(
        ["=STOCKHISTORY(1)", "=IFERROR(A1,5)", "=B1+1", "=IF(TRUE,1,STOCKHISTORY(1))", "=1+1"],
        ["=A3+1", "=SUM(A2)", "=CARD_TIER(A2)"],
        ["=A2*2", "=SUM(1,", "=[1]Other!A1"],
    )
    done, found = calculated(book, tmp_path)
    rows = [list(row[:5]) for row in found.active.iter_rows(values_only=True)]
    assert rows == [[None, None, None, 1, 2], [None] * 5, [None] * 5]
    circle = "it depends on its own result: Sheet!A2 - Sheet!A3 - Sheet!A2; break the circle"
    assert why(done)["Sheet!A2"] == circle
    assert {cell: line for cell, line in why(done).items() if "own result" not in line} == {
        "Sheet!A1": "the function STOCKHISTORY is not known here",
        "Sheet!B1": "it depends on Sheet!A1",
        "Sheet!C1": "it depends on Sheet!B1",
        "Sheet!B3": "the formula cannot be read; mend it",
        "Sheet!C3": "it refers to another workbook, of which this file holds no values",
    }
    assert done.errors == ()


def test_what_depends_through_names_ranges_and_texts_is_found(tmp_path: Path) -> None:
    book = one_sheet(["=STOCKHISTORY(1)", "=IFERROR(named,5)", "=COUNT(A:A)", '=IFERROR(INDIRECT("A1"),5)',
                      "=IFERROR(T[a],5)", "=1+1"], ["a"], ["=A1"])  # fmt: skip
    book.defined_names["named"] = DefinedName("named", attr_text="Sheet!$A$1")
    book.active.add_table(Table(displayName="T", ref="A2:A3"))
    _, found = calculated(book, tmp_path)
    assert [cell.value for cell in found.active[1]] == [None] * 5 + [2]


def test_an_old_value_never_stays(tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    one_sheet(["=STOCKHISTORY(1)", "=A1+1"]).save(path)
    spoiled = tmp_path / "old.xlsx"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(spoiled, "w") as new:
        for name in old.namelist():
            part = old.read(name)
            new.writestr(name, part.replace(b"<v></v>", b"<v>41</v>").replace(b"<v />", b"<v>41</v>").replace(
                b"<v/>", b"<v>41</v>"))  # fmt: skip
    assert openpyxl.load_workbook(spoiled, data_only=True).active["A1"].value == 41
    assert [cell.value for cell in values(recalculated(spoiled)).active[1]] == [None, None]


def test_an_error_says_where_it_comes_from(tmp_path: Path) -> None:
    book = one_sheet(["=1/0", "=A1+1", "=SUM(A1:B1)"], ['=GPU_SPEC("H300","memory_gb")', "=A2*2", "=Other!A1"])
    other = book.create_sheet("Other")
    other["A1"] = "=Sheet!B2"
    done, _ = calculated(book, tmp_path)
    said = functions()["GPU_SPEC"].reason("H300", "memory_gb")
    assert "H300" in said
    assert why(done) == {
        "Sheet!A1": "=1/0", "Sheet!B1": "from Sheet!A1: =1/0", "Sheet!C1": "from Sheet!A1: =1/0",
        "Sheet!A2": said, "Sheet!B2": f"from Sheet!A2: {said}", "Sheet!C2": f"from Sheet!A2: {said}",
        "Other!A1": f"from Sheet!A2: {said}",
    }  # fmt: skip
    assert [one.shows for one in done.errors] == ["#DIV/0!"] * 3 + ["#N/A"] * 4


def test_frames_are_what_pandas_would_read(tmp_path: Path) -> None:
    book = one_sheet(["cards", "tier", "from"], [2.67, "=CARD_TIER(A2)", date(2026, 10, 28)], ["x", "=CARD_TIER(A3)"])
    book.create_sheet("Hidden").sheet_state = "hidden"
    book["Hidden"].append(["=Sheet!B2*2"])
    book.save(tmp_path / "book.xlsx")
    before = (tmp_path / "book.xlsx").read_bytes()
    frames = gpusheet.recalculate(tmp_path / "book.xlsx", header=None)
    assert (tmp_path / "book.xlsx").read_bytes() == before
    assert list(frames) == ["Sheet", "Hidden"]
    assert frames["Hidden"].iloc[0, 0] == 8
    headed = gpusheet.recalculate(tmp_path / "book.xlsx")["Sheet"]
    assert headed["tier"].iloc[0] == 4 and headed["tier"].isna().tolist() == [False, True]
    assert headed["from"].iloc[0].date() == date(2026, 10, 28)
    assert headed.attrs["errors"] == {"B3": functions()["CARD_TIER"].reason("x")}
