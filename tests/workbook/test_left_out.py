"""What a person added and the new workbook cannot hold: listed with its place and what to do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from editing import SPARE, cell, column, edited, put, reread, rewritten, small, table, written
from openpyxl.chart import BarChart, Reference
from openpyxl.formatting.rule import DataBarRule
from openpyxl.styles import PatternFill
from openpyxl.utils import range_boundaries
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.workbook.workbook import Workbook

from gpusheet.workbook.layout import SHEETS, role_of
from gpusheet.workbook.reader import read_book
from gpusheet.workbook.reading import typed_over

ANEW = "make it anew in the new book"
OWN_SHEET = "note it on a sheet of your own"
OVERRIDE = "use the override columns of Workloads"
CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"

pytestmark = pytest.mark.usefixtures("without_decisions")


# --- what belongs to the book ---


def test_names_macros_and_links_to_other_books_are_listed(path: Path) -> None:
    def edit(book: Workbook) -> None:
        book.defined_names["fx_usd"] = DefinedName("fx_usd", attr_text="FX!$C$7")
        book.defined_names["hidden"] = DefinedName("hidden", attr_text="FX!$C$7", hidden=True)
        book["Budget"].defined_names["mine"] = DefinedName("mine", attr_text="Budget!$C$7")

    edited(path, edit)
    link = b"""<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship
 Id="rId1" Type="x/externalLinkPath" Target="file:///C:/plan/headcount.xlsx" TargetMode="External"/></Relationships>"""
    rewritten(path, {}, {
        "xl/vbaProject.bin": b"x", "xl/connections.xml": b"<c/>",
        "xl/externalLinks/externalLink1.xml": b"<externalLink/>",
        "xl/externalLinks/_rels/externalLink1.xml.rels": link, "xl/model/item.data": b"",
    })  # fmt: skip
    assert read_book(path).lost == (
        f"Budget: the name mine is not carried over; {ANEW}",
        f"name fx_usd: defined as 'FX!$C$7', is not carried over; {ANEW}",
        "budget.xlsx: the macros are not carried over; copy them in the editor of Excel (Alt+F11)",
        "budget.xlsx: the link to the workbook 'headcount.xlsx' is not carried over; type the values in",
        f"budget.xlsx: data connections are not carried over; {ANEW}",
        f"budget.xlsx: the data model is not carried over; {ANEW}",
    )


def test_a_book_of_another_version_is_not_compared(path: Path) -> None:
    edited(path, put(Sizing_F20=5, Workloads_BJ3="note"))
    version = re.compile(rb'(version".*?lpwstr[^>]*>)[^<]+')
    rewritten(path, {r"docProps/custom\.xml": lambda part: version.sub(rb"\g<1>0.0.1", part)})
    lost = read_book(path).lost
    assert len(lost) == 2
    assert lost[0] == f"Workloads!BJ3: 'note' beside the inputs is not carried over; {OWN_SHEET}"
    written = ", ".join(name for name in SHEETS if role_of(name) != "input")
    assert lost[1].startswith(f"{written}: the book does not say that this ")


# --- on sheets of ours ---


def test_numbers_typed_over_formulas_are_listed(path: Path) -> None:
    read = reread(path, put(Sizing_F20=5, Summary_J8=2, Budget_I30=7, Budget_J30=7, Checks_D8=0, Cover_B12="fine"))
    assert read.lost == (
        f"Cover!B12: typed 'fine' over a formula; it is not read; {OWN_SHEET}",
        f"Sizing!F20: typed 5 over a formula; it is not read; {OVERRIDE}",
        f"Summary!J8: typed 2 over a formula; it is not read; {OVERRIDE}",
        f"Budget!I30:J30: typed 7 over a formula; it is not read; {OVERRIDE}, or the other costs of Assumptions",
        f"Checks!D8: typed 0 over a formula; it is not read; {OWN_SHEET}",
    )
    assert read.inputs == small()


def test_formulas_that_were_changed_are_listed_and_respelled_ones_are_not(path: Path) -> None:
    def edit(book: Workbook) -> None:
        sheet: Any = book["Sizing"]
        sheet["E20"] = f"{sheet['E20'].value}*1.1"
        for letter in "EFGH":
            sheet[f"{letter}21"] = str(sheet[f"{letter}21"].value).replace(",", " , ")
        assert " , " in sheet["E21"].value

    read = reread(path, edit)
    assert len(read.lost) == 1
    assert re.fullmatch(r"Sizing!E20: the formula was changed to '=.*'; it is written anew; use the .*", read.lost[0])


def test_a_program_that_spells_all_formulas_anew_is_named_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def edit(book: Workbook) -> None:
        for row in book["Summary"].iter_rows(min_row=7):
            for one in row:
                if one.data_type == "f":
                    one.value = f"=({str(one.value)[1:]})"

    read = reread(path, edit)
    assert len(read.lost) == 1
    assert re.match(r"Summary: (\d+) of \1 formulas are spelled unlike gpusheet's, first at A7.*; they are written ",
                    read.lost[0])  # fmt: skip
    assert typed_over.MOST_REWRITTEN < 1
    monkeypatch.setattr(typed_over, "MOST_REWRITTEN", 1.1)
    assert all("the formula was changed" in line for line in read_book(path).lost)


def test_texts_and_formulas_typed_beside_ours_are_listed(path: Path) -> None:
    read = reread(path, put(Budget_B300="to be agreed", Sizing_A3="=1+1", Rules_G5=5, Checks_B8="renamed"))
    assert read.lost == (
        f"Sizing!A3: the formula '=1+1' is not carried over; {OVERRIDE}",
        f"Budget!B300: typed 'to be agreed'; it is not carried over; {OVERRIDE}, or the other costs of Assumptions",
        f"Checks!B8: typed 'renamed'; it is not carried over; {OWN_SHEET}",
        f"Rules!G5: typed 5; it is not carried over; {OWN_SHEET}",
    )


def test_clearing_what_is_computed_loses_nothing(path: Path) -> None:
    assert reread(path, put(Sizing_F20=None, Cover_A4=None)).lost == ()


def test_more_costs_and_workloads_than_before_do_not_shift_the_comparison(path: Path) -> None:
    def edit(book: Workbook) -> None:
        sheet, found = table(book, "OtherCosts")
        first = range_boundaries(found.ref)[1] + 3
        for row in range(first, first + 3):
            sheet.cell(row, 1, f"Cost {row}")
            sheet.cell(row, 2, 100)
        workloads = book["Workloads"]
        for row in range(9, 9 + SPARE + 2):  # two more than there are lines
            for position in range(1, range_boundaries(workloads.tables["Workloads"].ref)[2] + 1):
                if workloads.cell(6, position).value != "notes":
                    workloads.cell(row, position, workloads.cell(7, position).value)
            workloads.cell(row, 1, f"more {row}")

    read = reread(path, edit)
    assert (len(read.inputs.other_costs), len(read.inputs.workloads), read.lines) == (5, 8, 8)
    assert read.lost == ()


def test_notes_beside_the_inputs_are_listed_as_blocks(path: Path) -> None:
    def edit(book: Workbook) -> None:
        for row in (20, 21):
            for position in (30, 31):
                book["GPUs"].cell(row, position, row * position)
        book["Assumptions"]["H10"] = "measured by us"
        book["Workloads"]["C3"] = "draft"
        book["Prices"][f"{column(book, 'Prices', 'price_per_card')}7"] = 4

    at = column(openpyxl.load_workbook(written(path)), "Prices", "price_per_card")
    assert reread(path, edit).lost == (
        f"Workloads!C3: 'draft' beside the inputs is not carried over; {OWN_SHEET}",
        f"Assumptions!H10: 'measured by us' beside the inputs is not carried over; {OWN_SHEET}",
        f"GPUs!AD20:AE21: 600 and 3 more cells beside the inputs is not carried over; {OWN_SHEET}",
        f"Prices!{at}7 (price_per_card): typed 4 over a formula; it is not read; change the row's inputs",
    )


def test_own_columns_of_the_small_tables_are_listed(path: Path) -> None:
    def edit(book: Workbook) -> None:
        sheet, found = table(book, "CardTiers")
        _, header, right, _ = range_boundaries(found.ref)
        sheet.cell(header, right + 1, "remark")
        sheet.cell(header + 1, right + 1, "none")

    read = reread(path, edit)
    assert read.inputs == small()
    assert [re.sub(r"\d+", "#", line) for line in read.lost] == [
        f"Assumptions!C#: the column 'remark' of the table CardTiers is not carried over; {OWN_SHEET}"]


def test_a_value_beside_a_blank_row_is_listed(path: Path) -> None:
    def edit(book: Workbook) -> None:
        sheet, found = table(book, "Workloads")
        right = range_boundaries(found.ref)[2] + 1
        sheet.cell(6, right, "owner")
        sheet.cell(10, right, "Li")

    read = reread(path, edit)
    assert read.extra_columns == {"Workloads": {"owner": [None, None]}}
    assert read.lost == (f"Workloads!BF10: 'Li' beside the inputs is not carried over; {OWN_SHEET}",)


def test_formats_charts_links_and_colours_of_the_user_are_listed(path: Path) -> None:
    def edit(book: Workbook) -> None:
        book["Prices"].conditional_formatting.add("F7:F20", DataBarRule("min", None, "max", None, "FF638EC6"))
        chart = BarChart()
        chart.add_data(Reference(book["Budget"], min_col=9, min_row=20, max_row=22))
        book["Budget"].add_chart(chart, "B300")
        yellow = PatternFill("solid", start_color="FFFFFF00")
        for row in (7, 8):
            cell(book, "GPUs", "gpu", row).fill = yellow
        cell(book, "Prices", "source").hyperlink = "https://example.com/offer"
        same: Any = cell(book, "Prices", "source", 8)
        same.value = "https://example.com"
        same.hyperlink = "https://example.com"

    lost = reread(path, edit).lost
    source = column(openpyxl.load_workbook(path), "Prices", "source")
    assert [re.sub(r"B\d+", "B#", line) for line in lost] == [
        "GPUs!A7:A8: the fill colour of inputs is not carried over; colour them anew",
        f"Prices!{source}7: the link to https://example.com/offer is not carried over; type it as text",
        f"Prices: a conditional format at F7:F20 is not carried over; {ANEW}",
        "Budget: found 2 charts (B#, B#), of which gpusheet made 1; the others are not carried over; "
        "copy it into the new book in Excel",
    ]
