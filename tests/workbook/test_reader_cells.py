"""Cells of an edited workbook that are wrong, doubtful or formulas: each is named with its place."""

from __future__ import annotations

import datetime
import re
from pathlib import Path

import openpyxl
import pytest
from editing import (
    MONTHS,
    SPARE,
    assumption,
    assumption_row,
    cell,
    column,
    edited,
    problems,
    put,
    reread,
    rewritten,
    small,
    table,
    written,
)
from openpyxl.utils import range_boundaries
from openpyxl.workbook.workbook import Workbook

from gpusheet.errors import GpusheetError
from gpusheet.workbook.carried_formulas import CarriedFormula
from gpusheet.workbook.reader import read_book

pytestmark = pytest.mark.usefixtures("without_decisions")  # what is typed is the same


# --- assumptions and settings ---


def test_assumptions_are_found_by_name_wherever_they_stand(path: Path) -> None:
    def edit(book: Workbook) -> None:
        assumption(book, "peak_factor").value = 3.25
        sheet = book["Assumptions"]
        row, other = assumption(book, "peak_factor").row, assumption(book, "pue").row
        for letter in "ABCDEFGH":
            one, two = sheet[f"{letter}{row}"], sheet[f"{letter}{other}"]
            one.value, two.value = two.value, one.value

    read = reread(path, edit)
    assert read.inputs.assumptions == small().assumptions.model_copy(update={"peak_factor": 3.25})
    assert read.lost == ()


def test_a_column_before_the_values_moves_them(path: Path) -> None:
    def edit(book: Workbook) -> None:
        sheet = book["Assumptions"]
        last = table(book, "Precisions")[0].tables["Precisions"].ref
        for row in range(1, range_boundaries(last)[1] - 4):
            for position in range(9, 2, -1):
                sheet.cell(row, position).value = sheet.cell(row, position - 1).value
            sheet.cell(row, 2).value = None

    assert reread(path, edit).inputs.assumptions == small().assumptions


def test_missing_blank_and_unknown_assumptions(path: Path) -> None:
    def edit(book: Workbook) -> None:
        sheet = book["Assumptions"]
        sheet[f"A{assumption(book, 'pue').row}"] = "peu"
        assumption(book, "safety").value = None
        assumption(book, "price_list").value = None  # may be blank
        assumption(book, "hours_per_day").value = 23

    read = reread(path, edit)
    assert read.inputs.assumptions == small().assumptions
    at = {name: assumption_row(path, name) for name in ("safety", "hours_per_day")}
    assert read.warnings == (f"Assumptions!C{at['safety']} (safety): blank; the default 0.8 is taken",
                             "Assumptions (pue): not there; the default 1.3 is taken")
    assert [line for line in read.lost if "peu" in line or "hours_per_day" in line] == [
        f"Assumptions!A{assumption_row(path, 'peu')}: 'peu' is no assumption of gpusheet and is not read; did you mean pue, "
        "peak_buffer, peak_factor?",
        f"Assumptions!A{at['hours_per_day']} (hours_per_day): found 23 for the unit constant 24, which is not read; "
        "change an assumption instead",
    ]


def test_bad_and_double_assumptions_are_errors(path: Path) -> None:
    def edit(book: Workbook) -> None:
        assumption(book, "budget_start").value = "soon"
        assumption(book, "safety").value = 1.5
        book["Assumptions"][f"A{assumption(book, 'pue').row}"] = "safety"

    lines = problems(path, edit)
    assert [re.sub(r"\d+ already", "N already", line.partition("!")[2].lstrip("CA0123456789")) for line in lines] == [
        ": found safety again, which stands in row N already; delete one of them",
        " (budget_start): found 'soon', allowed a date such as 2026-10-27",
        " (safety): found 1.5, allowed a number above 0 and at most 1, or blank",
    ]


def test_programs_that_drop_the_notes_of_the_book(path: Path) -> None:
    written(path, "zh")
    book = openpyxl.load_workbook(path)
    book.custom_doc_props.props.clear()
    book.save(path)
    read = read_book(path)
    assert (read.lang, read.months, read.lines) == ("zh", MONTHS, 2 + SPARE)
    assert [line.partition(" is not noted")[0] for line in read.warnings] == [
        "the language of the book", "the number of months"]
    assert "the book does not say that this version of gpusheet wrote it" in read.lost[0]


# --- bad cells ---


def test_all_bad_cells_of_the_book_are_named_at_once(path: Path) -> None:
    lines = problems(
        path,
        lambda book: cell(book, "Workloads", "peak_factor").__setattr__("value", "abc"),
        lambda book: cell(book, "Workloads", "input_tokens", 8).__setattr__("value", None),
        lambda book: cell(book, "Workloads", "environment", 8).__setattr__("value", "live"),
        lambda book: cell(book, "GPUs", "memory_gb", 9).__setattr__("value", -1),
        lambda book: cell(book, "Prices", "price", 9).__setattr__("value", "about 4"),
        lambda book: cell(book, "Prices", "cards", 10).__setattr__("value", datetime.datetime(2026, 1, 2)),
        lambda book: cell(book, "FX", "rate_date").__setattr__("value", "yesterday"),
        lambda book: cell(book, "Models", "kv_heads", 8).__setattr__("value", True),
        lambda book: cell(book, "Prices", "tax", 9).__setattr__("value", "#N/A"),
        lambda book: cell(book, "Prices", "price", 12).__setattr__("value", "10 800,00"),
    )
    at = openpyxl.load_workbook(path)
    assert lines == [
        f"GPUs!{column(at, 'GPUs', 'memory_gb')}9 (memory_gb): found -1, allowed a number above 0",
        f"Models!{column(at, 'Models', 'kv_heads')}8 (kv_heads): found True, allowed a whole number at least 1",
        "Prices!F9 (price): found 'about 4', which is not exact; type the number that is paid",
        "Prices!K9 (tax): found the error #N/A, allowed one of included, excluded, unstated",
        "Prices!E10 (cards): found '2026-01-02', allowed a whole number at least 1",
        "Prices!F12 (price): found '10 800,00', which can be read in two ways; type 10800.00 or 1080000",
        "FX!D7 (rate_date): found 'yesterday', allowed a date such as 2026-10-27",
        f"Workloads!{column(at, 'Workloads', 'peak_factor')}7 (peak_factor): found 'abc', allowed a number at least 1, "
        "or blank",
        "Workloads!D8 (environment): found 'live', allowed one of prod, uat, dev, or blank",
        f"Workloads!{column(at, 'Workloads', 'input_tokens')}8 (input_tokens): found blank, allowed a number above 0",
    ]


def test_rules_that_join_cells_name_the_row(path: Path) -> None:
    lines = problems(path, lambda book: cell(book, "Workloads", "end_month", 8).__setattr__("value", 1))
    assert lines == ["Workloads!A8: chat, end_month: found 1, allowed a month from start_month, 2, on"]


def test_unknown_names_are_errors_with_the_nearest(path: Path) -> None:
    lines = problems(path, lambda book: cell(book, "Workloads", "gpu").__setattr__("value", "L200"),
                     lambda book: cell(book, "Workloads", "model", 8).__setattr__("value", "zzz"))
    assert lines == [
        "Workloads!E7 (gpu): found 'L200', which the table GPUs does not have; did you mean L20, H200-141G-SXM?",
        "Workloads!F8 (model): found 'zzz', which the table Models does not have; add it to Models",
    ]


def test_a_card_that_was_deleted_is_missed_by_its_workload(path: Path) -> None:
    def edit(book: Workbook) -> None:
        sheet, _ = table(book, "GPUs")
        for position in range(1, 28):
            sheet.cell(7, position).value = None

    assert problems(path, edit) == [
        "Workloads!E7 (gpu): found 'L20', which the table GPUs does not have; did you mean H20-96G, "
        "H200-141G-SXM?"]


def test_number_formats_need_a_row_in_their_table(path: Path) -> None:
    def edit(book: Workbook) -> None:
        sheet, found = table(book, "Precisions")
        first = range_boundaries(found.ref)[1] + 1
        assert sheet.cell(first, 1).value == "fp16"
        sheet.cell(first, 1).value = "fp64"
        cell(book, "Workloads", "weight_precision").value = "fp16"
        assumption(book, "weight_precision").value = "bf16"

    found = "found 'fp16', which the table Precisions does not have; did you mean bf16, fp64?"
    assert problems(path, edit) == [
        f"Workloads!G7 (weight_precision): {found}",
        f"Assumptions!C{assumption_row(path, 'kv_precision')} (kv_precision): {found}",
    ]


@pytest.mark.parametrize(("name", "title"), [("Workloads", "workload"), ("GPUs", "gpu"), ("Models", "model")])
def test_names_may_stand_once(name: str, title: str, path: Path) -> None:
    def edit(book: Workbook) -> None:
        cell(book, name, title, 8).value = str(cell(book, name, title, 7).value).upper()
        for other in ("aliases", "hf_id"):
            if name != "Workloads" and (name, other) != ("GPUs", "hf_id"):
                cell(book, name, other, 8).value = None

    lines = problems(path, edit)
    typed = openpyxl.load_workbook(path)[name]["A8"].value
    assert lines[0] == (f"{name}!A8 ({title}): found {typed!r} again, which stands in {name}!A7 already; "
                        "rename or delete one of the two")  # fmt: skip


def test_an_alias_of_two_cards_is_an_error(path: Path) -> None:
    lines = problems(path, lambda book: cell(book, "GPUs", "aliases", 8).__setattr__("value", "L20"))
    assert lines == ["GPUs: gpu: the name 'L20' is claimed by L20 and H20-96G; leave it to one"]


def test_missing_and_double_headers(path: Path) -> None:
    lines = problems(path, put(GPUs_F6="memory", Prices_C6="price_list "))
    assert lines == [
        "GPUs row 6: the table GPUs has no header 'memory_gb' (Memory per card); allowed a number above 0; "
        "put the column back",
        "Prices!B6 and C6: the header 'price_list' stands there 2 times; rename or delete all but one",
    ]


def test_a_missing_column_that_may_be_blank_is_a_warning(path: Path) -> None:
    read = reread(path, lambda book: cell(book, "FX", "source", 6).__setattr__("value", "source"),
                  lambda book: cell(book, "GPUs", "notes", 6).__setattr__("value", "remarks"))
    assert read.warnings == ("GPUs: the table GPUs has no column notes; read as blank",)
    assert list(read.extra_columns["GPUs"]) == ["remarks"]


def test_a_table_that_is_gone(path: Path) -> None:
    lines = problems(path, lambda book: book.remove(book["FX"]))
    assert lines == ["FX: the table FX is not there (headers currency, budget_currency, rate, rate_date, source); "
                     "restore it from an older version of this book"]  # fmt: skip


def test_a_switched_off_header_row(path: Path) -> None:
    with pytest.raises(GpusheetError, match=r"^GPUs: the header row of the table GPUs is switched off; switch it on"):
        reread(path, lambda book: table(book, "GPUs")[1].__setattr__("headerRowCount", 0))


# --- formulas in input cells ---


def test_a_formula_is_read_by_its_saved_value(path: Path) -> None:
    edited(path, lambda book: cell(book, "Workloads", "peak_factor").__setattr__("value", "=1+2"),
           lambda book: cell(book, "Prices", "price").__setattr__("value", "=4*2"),
           lambda book: cell(book, "Prices", "price", 8).__setattr__("value", "=4*3"),
           lambda book: cell(book, "Workloads", "project", 8).__setattr__("value", '=""'),
           lambda book: assumption(book, "pue").__setattr__("value", "=1+0.4"))
    values = {b"=1+2": 3, b"4*2": 8, b"4*3": 12, b"1+0.4": 1.4}

    def save(part: bytes) -> bytes:
        for formula, value in values.items():
            part = re.sub(rb"<f>" + re.escape(formula.lstrip(b"=")) + rb"</f><v ?/?>(</v>)?",
                          b"<f>" + formula.lstrip(b"=") + b"</f><v>" + str(value).encode() + b"</v>", part)
        return re.sub(rb'(<c r="[A-Z]+\d+"[^>]*)><f>""</f><v ?/?>(</v>)?', rb'\1 t="str"><f>""</f><v></v>', part)

    read = read_book(rewritten(path, {r"xl/worksheets/sheet\d+\.xml": save}))
    assert read.inputs.workloads[0].peak_factor == 3
    assert read.inputs.workloads[1].project is None
    assert [price.price for price in read.inputs.catalog.prices[:2]] == [8, 12]
    assert read.inputs.assumptions.pue == 1.4
    at = column(openpyxl.load_workbook(path), "Workloads", "peak_factor")
    todo = "type it anew in the new book if you need it"
    assert read.lost == (f"Workloads!B8: the formula '=\"\"' becomes its value, blank; {todo}",)
    kept = {one.place: (one.parts, one.value) for one in read.extra_notes if isinstance(one, CarriedFormula)}
    assert kept == {
        "Prices!F7 (price)": (("=", "4", "*", "2"), 8), "Prices!F8 (price)": (("=", "4", "*", "3"), 12),
        f"Workloads!{at}7 (peak_factor)": (("=", "1", "+", "2"), 3),
        f"Assumptions!C{assumption_row(path, 'pue')} (pue)": (("=", "1", "+", "0.4"), 1.4),
    }  # fmt: skip


def test_a_formula_without_a_saved_value_is_an_error(path: Path) -> None:
    lines = problems(path, lambda book: cell(book, "Prices", "price").__setattr__("value", "=E2*0.95"))
    assert lines == ["Prices!F7 (price): found a formula without a value: open the book in Excel and save it once, "
                     "allowed a number above 0"]  # fmt: skip


def test_formulas_and_errors_in_own_columns(path: Path) -> None:
    def edit(book: Workbook) -> None:
        for row, value in ((6, "margin"), (7, "=F7*2"), (8, "#DIV/0!"), (9, 5)):
            book["GPUs"].cell(row, 28, value)

    read = reread(path, edit)
    assert read.extra_columns == {"GPUs": {"margin": [None, None, 5]}}
    assert [line.partition(";")[0] for line in read.lost] == [
        "GPUs!AB8 (margin): found the error #DIV/0!",
    ]



@pytest.mark.parametrize(("typed", "number"), [("４．２５", 4.25), ("1\xa0200", 1200), ("1.2万", 12000)])
def test_prices_as_people_type_them_are_read_with_a_warning(path: Path, typed: str, number: float) -> None:
    read = reread(path, lambda book: cell(book, "Prices", "price").__setattr__("value", typed))
    assert read.inputs.catalog.prices[0].price == number
    (warning,) = read.warnings
    assert warning.startswith("Prices!F7 (price): the text ") and warning.endswith(f"is read as the number {number:.15g}")


def test_a_price_that_contradicts_its_currency_is_refused(path: Path) -> None:
    lines = problems(path, lambda book: cell(book, "Prices", "price").__setattr__("value", "€4.25"))
    assert len(lines) == 1 and lines[0].startswith("Prices!F7 (price): the price says EUR, the column currency says ")


def test_a_workload_looked_at_that_is_gone_is_told_and_the_first_is_taken(path: Path) -> None:
    read = reread(path, lambda book: assumption(book, "looked_at").__setattr__("value", "Gone bot"))
    assert read.inputs == small()
    names = [one.workload for one in small().workloads]
    assert read.warnings == (
        f"Assumptions!C{assumption_row(path, 'looked_at')} (looked_at): found 'Gone bot', which the table Workloads does not have; "
        f"allowed: {', '.join(names)}, or blank; the first one is looked at",
    )


def test_a_scenario_that_is_misspelt_is_an_error_with_the_list_and_the_nearest(path: Path) -> None:
    (line,) = problems(path, put(Cover_B3="Hihg"))
    allowed = "Base, High, Low, Free 1, Free 2, or blank"
    assert line.endswith(f"which the table Scenarios does not have; allowed: {allowed}; did you mean High?")
