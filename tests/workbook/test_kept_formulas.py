"""Formulas that a person typed into input cells: kept where the new book has what they refer to, else their value is."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from editing import MONTHS, Edit, assumption, column, edited, put, small, table
from editing import rewritten as parts_rewritten
from openpyxl.workbook.workbook import Workbook

from gpusheet.catalog import Assumptions
from gpusheet.workbook.book import Outcome, write
from gpusheet.workbook.reader import ReadBook, read_book
from gpusheet.workbook.recalculation.file import recalculated

TODO = "type it anew in the new book if you need it"
EPOCH = datetime.date(1899, 12, 30)

pytestmark = pytest.mark.usefixtures("without_decisions")


def saved(path: Path, *edits: Edit) -> ReadBook:
    """The small workbook after edits, with the values of all formulas as a program saves them."""
    edited(path, *edits)
    path.write_bytes(recalculated(path).data)
    return read_book(path)


def rewritten(read: ReadBook, path: Path, **more: Any) -> tuple[Workbook, Workbook, Outcome]:
    """The new workbook by formulas and by values, and what is said of it."""
    new = path.with_name("new.xlsx")
    made = write(more.pop("inputs", read.inputs), new, lang=read.lang, months=MONTHS, spare=2, extra_columns=read.extra_columns,
                 extra_sheets=read.carried, force=True, **more)  # fmt: skip
    return openpyxl.load_workbook(new), openpyxl.load_workbook(new, data_only=True), made


def beside(table_name: str, title: str, values: Mapping[int, Any]) -> Edit:
    """A column of the user's own at the end of a table."""

    def edit(book: Workbook) -> None:
        sheet, found = table(book, table_name)
        position = openpyxl.utils.range_boundaries(found.ref)[2] + 1
        sheet.cell(6, position, title)
        for row, value in values.items():
            sheet.cell(row, position, value)

    return edit


# --- kept ---

KEPT: dict[str, tuple[str, str, float]] = {
    "a discount on the row above": ("F8", "=F7*0.95", 2.45 * 0.95),
    "the row's own cells": ("F8", "=ROUND(E8*3.6,1)", 3.6),
    "constants": ("F8", "=4*2+1.5", 9.5),
    "fixed references": ("F8", "=$F$7+F$9", 2.45 + 4.08),
    "with the sheet's name": ("F8", "=Prices!F7*2", 4.9),
    "a range": ("F8", "=MAX(F9:F12)", 4.08),
    "a range of two columns": ("F8", "=SUM(E9:F12)", 4 + 4.08 + 3.59 + 3.48 + 4.0),
    "another table": ("F8", "=F7*FX!C7", 2.45 * 7.1),
    "an assumption by its cell": ("F8", "=F7*(1+Assumptions!C{pue})", 2.45 * 2.3),
    "a column by its name": ("F8", "=MIN(FX[rate])+F7", 7.1 + 2.45),
    "this row by name": ("F8", "=Prices[[#This Row],[cards]]*3", 3.0),
    "what the table computes": ("F8", "={price_per_card}7", 2.45),
    "a text that looks like a cell": ("F8", '=LEN("F99")+F7', 5.45),
    "IF and percent": ("F8", "=IF(E8>1,F7,F7*90%)", 2.45 * 0.9),
}  # fmt: skip


def _located(formula: str, path: Path) -> str:
    """The formula with the row of an assumption and the letter of a column."""
    book = openpyxl.load_workbook(edited(path))
    return formula.format(pue=assumption(book, "pue").row, price_per_card=column(book, "Prices", "price_per_card"))


@pytest.mark.parametrize("name", KEPT)
def test_a_formula_is_kept_with_its_value(name: str, path: Path) -> None:
    cell, text, value = KEPT[name]
    formula = _located(text, path)
    read = saved(path, put(**{f"Prices_{cell}": formula}))
    assert (read.lost, read.warnings) == ((), ())
    assert read.inputs.catalog.prices[1].price == pytest.approx(value, rel=1e-12)
    formulas, values, made = rewritten(read, path)
    assert formulas["Prices"][cell].value == formula and made.remarks == []
    assert values["Prices"][cell].value == pytest.approx(value, rel=1e-12)
    assert formulas["Prices"][cell].font.color.rgb in ("00000000", "0000803C")  # black, or green to another sheet
    again = read_book(path.with_name("new.xlsx"))
    assert (again.inputs, again.lost) == (read.inputs, ())
    once_more, _, _ = rewritten(again, path)
    assert once_more["Prices"][cell].value == formula


def test_formulas_move_with_what_they_refer_to(path: Path) -> None:
    """A row is put in, one is left blank, sheets and columns are moved: the formulas mean the same cells."""

    def edit(book: Workbook) -> None:
        sheet, _ = table(book, "Prices")
        for cell in sheet[8]:
            if cell.column <= 14:
                cell.value = None  # a blank row, which the new book has not
        sheet["F10"], sheet["F11"] = "=F9*0.5", "=F$7+$F10"
        book["Prices"].title = "价格"
        factors = book["Assumptions"]
        factors["C18"] = "='价格'!F9/100" if factors["A18"].value == "contingency_rate" else factors["C18"].value

    read = saved(path, edit)
    assert read.lost == ()
    formulas, values, _ = rewritten(read, path)
    sheet = formulas["Prices"]
    assert (sheet["F9"].value, sheet["F10"].value) == ("=F8*0.5", "=F$7+$F9")
    assert values["Prices"]["F9"].value == pytest.approx(4.08 / 2)
    assert values["Prices"]["F10"].value == pytest.approx(2.45 + 4.08 / 2)


def test_formulas_of_every_kind_of_input(path: Path) -> None:
    def edit(book: Workbook) -> None:
        at = {name: column(book, "Workloads", name) for name in ("peak_factor", "project", "input_tokens")}
        book["Workloads"][f"{at['peak_factor']}7"] = "=2*2"
        book["Workloads"][f"{at['input_tokens']}8"] = f"={at['input_tokens']}7+312"
        book["Workloads"][f"{at['project']}8"] = f'={at["project"]}7&"二"'
        assumption(book, "pue").value = "=1+0.5"
        sheet, found = table(book, "OtherCosts")
        first = openpyxl.utils.range_boundaries(found.ref)[1] + 1
        sheet[f"{column(book, 'OtherCosts', 'amount_per_month')}{first + 1}"] = "=1000*3"
        book["Prices"]["A8"] = "=A7+5"
        book["GPUs"][f"{column(book, 'GPUs', 'memory_gb')}7"] = "=24*2"

    read = saved(path, edit)
    assert (read.lost, read.warnings) == ((), ())
    bot, chat = read.inputs.workloads
    assert (bot.peak_factor, chat.input_tokens, chat.project) == (4, 512, "客服二")
    assert (read.inputs.assumptions.pue, read.inputs.other_costs[1].amount_per_month) == (1.5, 3000)
    first, second = read.inputs.catalog.prices[:2]
    assert second.snapshot_date == first.snapshot_date + datetime.timedelta(5)
    formulas, values, made = rewritten(read, path)
    assert made.remarks == [] and assumption(formulas, "pue").value == "=1+0.5"
    assert formulas["Prices"]["A8"].value == "=A7+5"
    assert values["Prices"]["A8"].value == datetime.datetime.combine(second.snapshot_date, datetime.time())
    assert formulas["GPUs"][f"{column(formulas, 'GPUs', 'memory_gb')}7"].value == "=24*2"
    assert read_book(path.with_name("new.xlsx")).inputs == read.inputs


def test_formulas_in_own_columns_stay_even_without_a_saved_value(path: Path) -> None:
    edited(path, beside("GPUs", "margin", {7: "=F7*2", 8: 5, 9: '="H"&ROW()'}))
    read = read_book(path)
    assert read.lost == () and read.extra_columns["GPUs"]["margin"] == [None, 5, None]
    formulas, values, made = rewritten(read, path)
    letter = column(formulas, "GPUs", "margin")
    assert [formulas["GPUs"][f"{letter}{row}"].value for row in (7, 8, 9)] == ["=F7*2", 5, '="H"&ROW()']
    assert values["GPUs"][f"{letter}7"].value == 2 * small().catalog.gpus[0].memory_gb and made.remarks == []


def test_a_sheet_that_goes_along_can_be_referred_to(path: Path) -> None:
    def edit(book: Workbook) -> None:
        book.create_sheet("询价 2026")["B3"] = 3.75
        book["Prices"]["F8"] = "='询价 2026'!$B$3*2"

    read = saved(path, edit)
    assert read.lost == ()
    formulas, values, _ = rewritten(read, path)
    assert formulas["Prices"]["F8"].value == "='询价 2026'!$B$3*2" and values["Prices"]["F8"].value == 7.5


# --- the value alone ---


def _deleted(book: Workbook) -> None:
    book["Prices"]["F8"] = "=IFERROR(#REF!,4)"


def _with_formulas(book: Workbook) -> None:
    sheet = book.create_sheet("Quotes")
    sheet["A1"], sheet["A2"] = 2, "=A1*2"
    book["Prices"]["F8"] = "=Quotes!A2"


def _name(book: Workbook) -> None:
    book.defined_names["markup"] = openpyxl.workbook.defined_name.DefinedName("markup", attr_text="1.5")
    book["Prices"]["F8"] = "=2*markup"


NOT_KEPT: dict[str, tuple[Callable[[Workbook], Any], float, str]] = {
    "a computed sheet": (put(Prices_F8="=Budget!F4+4"), 6, "Budget!F4 is no input of the new book"),
    "a cell beside the table": (put(Prices_F8="=Z3*2", Prices_Z3=3), 6, "Z3 is no input of the new book"),
    "a header": (put(Prices_F8="=LEN(F6)"), 5, "F6 is no input of the new book"),
    "a range beyond the table": (put(Prices_F8="=SUM(F9:F40)"), 0, "F9:F40 is no input of the new book"),
    "a whole column": (put(Prices_F8="=COUNT(E:E)"), 10, "the new book has no E:E"),
    "a sheet that does not go along": (_with_formulas, 4, "Quotes!A2 is no input of the new book"),
    "something deleted": (_deleted, 4, "it refers to something that was deleted"),
    "a name of the user's": (_name, 3, "the new book has no markup"),
    "a column that is not there": (put(Prices_F8="=IFERROR(SUM(GPUs[nope]),3)"), 3, "the new book has no GPUs[nope]"),
    "today": (put(Prices_F8="=IF(TODAY()>1,4,5)"), 4, "TODAY gives something else each time"),
    "indirect": (put(Prices_F8='=INDIRECT("F7")'), 2.45, "INDIRECT gives something else each time"),
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_KEPT)
def test_what_refers_to_something_lost_becomes_its_value(name: str, path: Path) -> None:
    edit, value, why = NOT_KEPT[name]
    edited(path, edit)
    text = openpyxl.load_workbook(path)["Prices"]["F8"].value
    _save_value(path, value or 38.0)
    read = read_book(path)
    [line] = [one for one in read.lost if one.startswith("Prices!F8:")]
    shown = f"{text!r}" if len(text) <= 40 else repr(text[:40] + "...")
    assert line == f"Prices!F8: the formula {shown} becomes its value, {value or 38.0:.15g}, as {why}; {TODO}"
    formulas, _, made = rewritten(read, path)
    assert formulas["Prices"]["F8"].value == (value or 38.0) and made.remarks == []


def _save_value(path: Path, value: float) -> None:
    """Saves a value with the formula in Prices!F8, as Excel does."""
    def save(part: bytes) -> bytes:
        return re.sub(rb'(<c r="F8"[^>]*>)(<f>[^<]*</f>)<v ?/?>(</v>)?', rb"\g<1>\g<2><v>%b</v>" % str(value).encode(), part)

    parts_rewritten(path, {r"xl/worksheets/sheet\d+\.xml": save})


def test_many_are_told_in_one_line(path: Path) -> None:
    read = saved(path, put(Prices_F8="=Budget!F4+4", Prices_F9="=Budget!F4+5", Prices_F10="=F9+1"))
    assert read.lost == ("Prices!F8:F9: 2 formulas become their values (first: '=Budget!F4+4', as Budget!F4 is no input of the new "
                         f"book); {TODO}",)  # fmt: skip


def test_a_formula_that_was_read_as_something_else_becomes_that(path: Path) -> None:
    def edit(book: Workbook) -> None:
        book["Prices"]["F8"] = '="4.5"'
        book["Prices"]["D8"] = '="h200 141G"'

    read = saved(path, edit)
    assert read.inputs.catalog.prices[1].price == 4.5
    gpu = read.inputs.catalog.prices[1].gpu
    assert f"Prices!F8: the formula '=\"4.5\"' becomes its value, '4.5', as it is read as 4.5; {TODO}" in read.lost
    assert any(line.startswith("Prices!D8: the formula") and f"read as '{gpu}'" in line for line in read.lost)


def test_days_of_1904_become_values(path: Path) -> None:
    def edit(book: Workbook) -> None:
        book.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
        book["Prices"]["A8"] = "=A7+5"

    read = saved(path, edit)
    assert any(line.startswith("Prices!A8:") and "the book counts days from 1904" in line for line in read.lost)


# --- what the new book makes of it ---


def test_a_value_that_is_asked_for_anew_stands(path: Path) -> None:
    read = saved(path, lambda book: assumption(book, "pue").__setattr__("value", "=1+0.5"))
    other = replace(read.inputs, assumptions=Assumptions(pue=1.2))
    formulas, _, made = rewritten(read, path, inputs=other)
    assert assumption(formulas, "pue").value == 1.2 and made.remarks == []


def test_an_old_value_is_told(path: Path) -> None:
    edited(path, put(Prices_F8="=F7*2"))
    _save_value(path, 9.5)
    read = read_book(path)
    assert read.inputs.catalog.prices[1].price == 9.5
    formulas, values, made = rewritten(read, path)
    assert (formulas["Prices"]["F8"].value, values["Prices"]["F8"].value) == ("=F7*2", 4.9)
    assert made.remarks == ["Prices!F8 (price): the formula '=F7*2' gives 4.9 in the new book, and 9.5 was saved in the old one; "
                            "the formula counts"]  # fmt: skip


@pytest.mark.parametrize(("formula", "words"), [("=MYFUNCTION(F7)", "#NAME?"), ("=F8+1", "#CIRC!"), ('=F7&""', "2.45")])
def test_a_formula_without_such_a_value_here_gives_way(formula: str, words: str, path: Path) -> None:
    edited(path, put(Prices_F8=formula))
    _save_value(path, 9.5)
    formulas, _, made = rewritten(read_book(path), path)
    assert formulas["Prices"]["F8"].value == 9.5
    [line] = made.remarks
    assert line.startswith(f"Prices!F8 (price): the formula {formula!r} gives {words} in the new book, so its value, 9.5, stays;")
