"""Reading an edited workbook back: what was typed comes out exactly, and what is wrong is named with its cell."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import libreoffice
import openpyxl
import pytest
from editing import (
    MONTHS,
    SPARE,
    assumption,
    cell,
    column,
    edited,
    put,
    reread,
    rewritten,
    small,
    table,
    without_tables,
    written,
)
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from openpyxl.utils import range_boundaries
from openpyxl.workbook.workbook import Workbook

from gpusheet.catalog import BadRow, Column, Row, columns
from gpusheet.errors import GpusheetError
from gpusheet.intake import limits
from gpusheet.workbook import reader
from gpusheet.workbook.book import write
from gpusheet.workbook.carried_formulas import CarriedFormula
from gpusheet.workbook.inputs import sample
from gpusheet.workbook.reader import read_book
from gpusheet.workbook.reading.areas import ROW_TYPES, by_name
from gpusheet.workbook.reading.cells import Cells, blocks
from gpusheet.workbook.reading.opening import Package, open_package
from gpusheet.workbook.reading.rows import read_rows
from gpusheet.workbook.style import Look
from gpusheet.workbook.tables import put_table

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"

pytestmark = pytest.mark.usefixtures("without_decisions")  # what is typed is the same


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "budget.xlsx"


def problems(path: Path, *edits: Callable[[Workbook], Any]) -> list[str]:
    with pytest.raises(BadRow) as caught:
        reread(path, *edits)
    return caught.value.lines


# --- round trips ---


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_was_written_is_read(lang: str, path: Path) -> None:
    write(sample(lang), path, lang=lang, months=15, spare=2)
    read = read_book(path)
    assert read.inputs == sample(lang)
    assert read.inputs.digest == sample(lang).digest
    assert (read.lang, read.months, read.lines) == (lang, 15, len(sample(lang).workloads) + 2)
    assert (read.lost, read.warnings, read.carried, read.extra_columns) == ((), (), [], {})


def test_without_saved_values_nothing_is_missing(path: Path) -> None:
    read = read_book(written(path))
    assert read.inputs == small()
    assert (read.months, read.lines, read.lost, read.warnings) == (MONTHS, 2 + SPARE, (), ())


def test_a_second_round_changes_nothing(path: Path, tmp_path: Path) -> None:
    read = reread(path, lambda book: cell(book, "GPUs", "bandwidth_gbs").__setattr__("value", 865.5))
    again = tmp_path / "again.xlsx"
    write(read.inputs, again, months=read.months)
    assert read_book(again).inputs == read.inputs != small()


def test_libreoffice_may_save_it(path: Path, tmp_path: Path) -> None:
    write(small(), path, months=MONTHS, spare=SPARE)
    saved = libreoffice._convert(path, "xlsx", tmp_path / "saved", 300)
    read = read_book(saved)
    assert read.inputs == small()
    assert (read.lang, read.months, read.lines, read.lost, read.warnings) == ("en", MONTHS, 2 + SPARE, (), ())


def _values(column: Column) -> st.SearchStrategy[Any]:
    if column.kind == "choice":
        value: st.SearchStrategy[Any] = st.sampled_from(column.choices)
    elif column.kind == "date":
        value = st.dates(datetime.date(2000, 1, 1), datetime.date(2100, 12, 31))
    elif column.kind == "number":
        low = column.ge if column.ge is not None else column.gt if column.gt is not None else -1e12
        high = column.le if column.le is not None else column.lt if column.lt is not None else 1e12
        if column.whole:
            value = st.integers(int(low), int(high)).map(float)
        else:
            # Excel takes 15 digits from a keyboard, openpyxl writes 16
            value = st.floats(low, high).map(lambda drawn: float(f"{drawn:.15g}"))
    elif column.form:
        value = st.from_regex(re.compile(column.form[0]), fullmatch=True)
    else:
        signs = st.characters(exclude_categories=["C"], exclude_characters="*?~|_")
        odd = st.sampled_from(["=1+1", "+1", "-1", "@a", "#REF!", "007", "TRUE"])
        text = st.text(signs, min_size=1, max_size=30) | odd
        value = text.map(str.strip).filter(lambda found: found and not (column.is_name and found[0] in "=<>"))
    return value if column.required else st.none() | value


@pytest.mark.parametrize("name", ROW_TYPES)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_every_valid_row_survives_a_file(name: str, data: st.DataObject) -> None:
    row_type = ROW_TYPES[name]
    made: list[Row] = []
    keys = set()
    for _ in range(data.draw(st.integers(1, 3))):
        values = {column.name: data.draw(_values(column), column.name) for column in columns(row_type)}
        if name == "Models":
            values |= {"attention_kind": "gqa", "full_attention_layers": values["layers"], "sliding_layers": None}
            values["active_params_b"] = values["params_b"]
        try:
            row = row_type.read(values)
        except BadRow:
            assume(False)
        key = str(getattr(row, columns(row_type)[0].name)).casefold()
        if key not in keys:
            made.append(row)
        keys.add(key)
    book = Workbook()
    sheet = book.worksheets[0]
    put_table(sheet, Look("en"), name, row_type, made, 6, spare=2)
    buffer = BytesIO()
    book.save(buffer)
    package = Package("book.xlsx", buffer.getvalue())
    area = by_name(package.load(), name)
    assert area is not None
    read = read_rows(area, Cells(package))
    assert (read.errors, read.warnings) == ([], [])
    assert read.rows == made


# --- edits that are fine ---


def test_values_typed_into_cells(path: Path) -> None:
    read = reread(
        path,
        lambda book: cell(book, "Workloads", "peak_factor").__setattr__("value", 3),
        lambda book: cell(book, "Workloads", "notes").__setattr__("value", 4.5),
        lambda book: assumption(book, "pue").__setattr__("value", 1.25),
        lambda book: assumption(book, "as_of").__setattr__("value", datetime.datetime(2026, 10, 30)),
    )
    workload = read.inputs.workloads[0]
    assert (workload.peak_factor, workload.notes) == (3.0, "4.5")
    assert read.inputs.assumptions.pue == 1.25
    assert read.inputs.settings.as_of == datetime.date(2026, 10, 30)
    assert read.lost == ()


def _spare_row(book: Workbook) -> None:
    for title, value in (("workload", "new"), ("gpu", "L20"), ("model", "Generic-7B"), ("input_tokens", 10),
                         ("output_tokens", 20)):  # fmt: skip
        cell(book, "Workloads", title, 11).value = value


def test_a_spare_row_is_a_workload_wherever_it_is(path: Path) -> None:
    read = reread(path, _spare_row)  # rows 9 and 10 stay blank
    assert [one.workload for one in read.inputs.workloads] == ["bot", "chat", "new"]
    assert (read.lines, read.warnings, read.lost) == (2 + SPARE, (), ())


def _under(book: Workbook, name: str, rows: int = 2) -> None:
    """Copies of the first row typed under a table, with names of their own."""
    sheet, found = table(book, name)
    left, header, right, last = range_boundaries(found.ref)
    for offset in range(1, rows + 1):
        for position in range(left, right + 1):
            if sheet.cell(header, position).value not in ("aliases", "hf_id", "notes"):
                sheet.cell(last + offset, position, sheet.cell(header + 1, position).value)
        sheet.cell(last + offset, left, f"row {offset}")


@pytest.mark.parametrize("name", ["Workloads", "GPUs", "Models", "Distributions", "OtherCosts"])
def test_rows_typed_under_a_table_are_read(name: str, path: Path) -> None:
    read = reread(path, lambda book: _under(book, name))
    rows: dict[str, Any] = {
        "Workloads": read.inputs.workloads, "GPUs": read.inputs.catalog.gpus, "Models": read.inputs.catalog.models,
        "Distributions": read.inputs.catalog.distributions, "OtherCosts": read.inputs.other_costs,
    }  # fmt: skip
    first = columns(ROW_TYPES[name])[0].name
    assert [getattr(row, first) for row in rows[name]][-2:] == ["row 1", "row 2"]
    assert len(read.warnings) == 1
    assert re.search(rf" rows \d+ to \d+: typed under the table {name}; read as part of it", read.warnings[0])
    assert read.lost == ()


def test_what_follows_a_blank_row_under_a_table_is_listed(path: Path) -> None:
    def edit(book: Workbook) -> None:
        sheet, found = table(book, "GPUs")
        sheet.cell(range_boundaries(found.ref)[3] + 2, 1, "checked by Wang")

    read = reread(path, edit)
    assert read.inputs == small()
    assert read.lost == ("GPUs!A11: 'checked by Wang' beside the inputs is not carried over; "
                         "note it on a sheet of your own",)  # fmt: skip


def _reordered(book: Workbook) -> None:
    """Puts the prices' columns into reverse order, with two of the user's between them."""
    sheet, found = table(book, "Prices")
    left, header, right, last = range_boundaries(found.ref)
    rows = [[sheet.cell(row, i).value for i in range(right, left - 1, -1)] for row in range(header, last + 1)]
    for row in range(header + 1, last + 1):
        for i in range(left, right + 1):  # formats stay where they are: none of them is to make a date of a number
            sheet.cell(row, i).number_format = "General"
    for offset, values in enumerate(rows):
        own = ["approved by", "margin"] if offset == 0 else [f"Li {offset}", offset / 8]
        for position, value in enumerate([*values[:3], own[0], *values[3:], own[1]], left):
            sheet.cell(header + offset, position).value = value
    ref = f"A{header}:{sheet.cell(header, right + 2).column_letter}{last}"
    del sheet.tables["Prices"]
    made = openpyxl.worksheet.table.Table(displayName="Prices", ref=ref)
    sheet.add_table(made)


def test_columns_may_stand_in_any_order_and_own_ones_between(path: Path) -> None:
    read = reread(path, _reordered)
    assert read.inputs == small()
    count = len(small().catalog.prices)
    assert read.extra_columns == {"Prices": {
        "approved by": [f"Li {i}" for i in range(1, count + 1)], "margin": [i / 8 for i in range(1, count + 1)],
    }}  # fmt: skip


def test_own_columns_follow_the_rows_that_are_kept(path: Path) -> None:
    def edit(book: Workbook) -> None:
        sheet, found = table(book, "Workloads")
        right = range_boundaries(found.ref)[2] + 1  # beside the table: Excel would grow it
        for row, value in ((6, "owner"), (7, "Li"), (8, TODAY), (11, True)):
            sheet.cell(row, right, value)
        _spare_row(book)

    read = reread(path, edit)
    assert read.extra_columns == {"Workloads": {"owner": ["Li", TODAY, True]}}
    assert read.lost == ()


def test_without_table_objects_the_headers_are_found(path: Path) -> None:
    read = reread(path, without_tables, _spare_row_by_header)
    assert [one.workload for one in read.inputs.workloads] == ["bot", "chat", "new"]
    assert read.inputs.catalog == small().catalog
    assert read.inputs.other_costs == small().other_costs
    assert len([line for line in read.warnings if "found no table object" in line]) == len(ROW_TYPES)
    assert read.lost == ()


def _spare_row_by_header(book: Workbook) -> None:
    sheet = book["Workloads"]
    heads = {one.value: one.column for one in sheet[6]}
    for title, value in (("workload", "new"), ("gpu", "L20"), ("model", "Generic-7B"), ("input_tokens", 10),
                         ("output_tokens", 20)):  # fmt: skip
        sheet.cell(11, heads[title], value)


def test_tables_are_found_on_renamed_sheets(path: Path) -> None:
    read = reread(path, lambda book: book["GPUs"].__setattr__("title", "显卡"),
                  lambda book: book["Assumptions"].__setattr__("title", "假设"))
    assert read.inputs == small()


def test_a_totals_row_is_no_row(path: Path) -> None:
    def edit(book: Workbook) -> None:
        sheet, found = table(book, "GPUs")
        last = range_boundaries(found.ref)[3] + 1
        sheet.cell(last, 1, "Total")
        found.ref = found.ref.rsplit(":", 1)[0] + f":X{last}"
        found.totalsRowCount = 1

    assert [gpu.gpu for gpu in reread(path, edit).inputs.catalog.gpus] == [gpu.gpu for gpu in small().catalog.gpus]


def test_names_typed_as_aliases_become_the_tables(path: Path) -> None:
    read = reread(path, lambda book: cell(book, "Workloads", "gpu", 8).__setattr__("value", "H20 96G"),
                  lambda book: cell(book, "Workloads", "model", 8).__setattr__("value", "Qwen/Qwen3-32B"),
                  lambda book: cell(book, "Prices", "gpu").__setattr__("value", "nvidia l20"))
    assert read.inputs.workloads == small().workloads
    assert read.warnings == (
        "Workloads!E8 (gpu): 'H20 96G' is read as H20-96G",
        f"Prices!D7 (gpu): 'nvidia l20' is read as {read.inputs.catalog.prices[0].gpu}",
        "Workloads!F8 (model): 'Qwen/Qwen3-32B' is read as Qwen3-32B",
    )


def test_a_price_of_an_unknown_card_is_kept_with_a_warning(path: Path) -> None:
    read = reread(path, lambda book: cell(book, "Prices", "gpu").__setattr__("value", "B900"),
                  lambda book: cell(book, "Prices", "gpu", 8).__setattr__("value", "B900"))
    assert read.inputs.catalog.prices[1].gpu == "B900"
    assert read.warnings == ("Prices!D7 (gpu) and 1 more: 'B900' is not in GPUs, so no workload can use the price",)


def test_numbers_stored_as_text_are_read_with_a_warning(path: Path) -> None:
    read = reread(path, lambda book: cell(book, "Prices", "price").__setattr__("value", " 4.25 "))
    assert read.inputs.catalog.prices[0].price == 4.25
    assert read.warnings == ("Prices!F7 (price): the text '4.25' is read as the number 4.25",)


def test_line_breaks_of_windows_are_line_breaks(path: Path) -> None:
    written(path)
    rewritten(path, {r"xl/worksheets/sheet2\.xml": lambda part: part.replace(b"a formula\n", b"a formula_x000D_\n")})
    assert read_book(path).inputs == small()


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
    at = {name: _row(path, name) for name in ("safety", "hours_per_day")}
    assert read.warnings == (f"Assumptions!C{at['safety']} (safety): blank; the default 0.8 is taken",
                             "Assumptions (pue): not there; the default 1.3 is taken")
    assert [line for line in read.lost if "peu" in line or "hours_per_day" in line] == [
        f"Assumptions!A{_row(path, 'peu')}: 'peu' is no assumption of gpusheet and is not read; did you mean pue, "
        "peak_buffer, peak_factor?",
        f"Assumptions!A{at['hours_per_day']} (hours_per_day): found 23 for the unit constant 24, which is not read; "
        "change an assumption instead",
    ]


def _row(path: Path, name: str) -> int:
    return next(one.row for one in openpyxl.load_workbook(path)["Assumptions"]["A"] if one.value == name)


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
        f"Assumptions!C{_row(path, 'kv_precision')} (kv_precision): {found}",
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
        f"Assumptions!C{_row(path, 'pue')} (pue)": (("=", "1", "+", "0.4"), 1.4),
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


# --- files that are none ---

OLE = bytes.fromhex("D0CF11E0A1B11AE1") + bytes(504)
FILES: dict[str, tuple[bytes, str]] = {
    "ole": (OLE, "a password-protected or an old .xls workbook"),
    "protected": (OLE + "EncryptedPackage".encode("utf-16-le"), "a password-protected workbook"),
    "xls": (OLE + "Workbook".encode("utf-16-le"), "an old .xls workbook"),
    "csv": (b"gpu,price\r\nL20,4\r\n", "text such as CSV"),
    "csv of Chinese Excel": ("型号,单价\r\nH20,13.94\r\n".encode("gb18030"), "text such as CSV"),
    "csv in UTF-16": ("型号,单价\r\n".encode("utf-16"), "text such as CSV"),
    "html": (b"\xef\xbb\xbf\n<html><table><tr><td>H20</td></tr></table></html>", "a web page (HTML)"),
    "xml": (b'<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"/>',
            "an XML spreadsheet of 2003"),
    "other xml": (b'<?xml version="1.0"?><plist/>', "an XML file"),
    "empty": (b"", "an empty file"),
    "picture": (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "a file of another kind"),
}  # fmt: skip


@pytest.mark.parametrize("kind", FILES)
def test_files_of_other_kinds_are_named(kind: str, path: Path) -> None:
    data, found = FILES[kind]
    path.write_bytes(data)
    with pytest.raises(GpusheetError) as caught:
        read_book(path)
    message = str(caught.value)
    assert message.startswith(f"budget.xlsx: found {found}, allowed a gpusheet workbook (.xlsx, .xlsm); ")
    assert "\n" not in message


ZIPS = {
    "document": ({"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<w/>"}, "a zip file without a workbook"),
    "zip": ({"prices.csv": b"a,b"}, "a zip file without a workbook"),
    "ods": ({"mimetype": b"application/vnd.oasis.opendocument.spreadsheet"}, "an OpenDocument file"),
    "xlsb": ({"[Content_Types].xml": b"<Types/>", "xl/workbook.bin": b""}, "a binary workbook"),
    "strict": ({"[Content_Types].xml": b"<Types/>", "xl/workbook.xml": b'<workbook xmlns="http://purl.oclc.org/ooxml/x"/>'},
               "a Strict Open XML workbook"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ZIPS)
def test_zip_files_of_other_kinds_are_named(kind: str, path: Path) -> None:
    parts, found = ZIPS[kind]
    with ZipFile(path, "w") as file:
        for name, part in parts.items():
            file.writestr(name, part)
    with pytest.raises(GpusheetError, match=f"^budget.xlsx: found {re.escape(found)}.*; [^\n]*$"):
        read_book(path)


@pytest.mark.parametrize("kept", [30, 0.5, 0.98])
def test_a_damaged_file_is_called_damaged(kept: float, path: Path) -> None:
    whole = written(path).read_bytes()
    path.write_bytes(whole[: int(kept) if kept > 1 else int(len(whole) * kept)])
    with pytest.raises(GpusheetError, match=r"^budget.xlsx: found a damaged or incomplete file; copy"):
        read_book(path)


def test_a_damaged_part_is_called_damaged(path: Path) -> None:
    whole = bytearray(written(path).read_bytes())
    with ZipFile(path) as file:
        start = file.getinfo("xl/worksheets/sheet4.xml").header_offset + 200
    whole[start : start + 60] = bytes(60)
    path.write_bytes(whole)
    with pytest.raises(GpusheetError, match=r"^budget.xlsx: found a damaged or incomplete file"):
        read_book(path)


def test_a_workbook_that_openpyxl_cannot_read(path: Path) -> None:
    written(path)
    rewritten(path, {r"xl/styles\.xml": lambda part: b"<styleSheet><fonts></styleSheet>"})
    with pytest.raises(GpusheetError, match=r"^budget.xlsx: found a workbook that cannot be read \(\w+: .*\); open it"):
        read_book(path)


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(GpusheetError, match=r"none\.xlsx: there is no such file; check the folder and the spelling$"):
        read_book(tmp_path / "none.xlsx")
    with pytest.raises(GpusheetError, match="found a folder, allowed a gpusheet workbook"):
        read_book(tmp_path)


def test_a_workbook_of_somebody_else(path: Path) -> None:
    book = Workbook()
    book.worksheets[0].append(["gpu", "price"])
    book.save(path)
    with pytest.raises(GpusheetError, match=r"^the workbook has no table Workloads, so gpusheet did not write it; .*$"):
        read_book(path)


def test_a_file_that_would_fill_the_memory_is_not_loaded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ZipFile(path, "w", ZIP_DEFLATED) as file:
        file.writestr("[Content_Types].xml", b"<Types/>")
        file.writestr("xl/workbook.xml", b"<workbook/>")
        file.writestr("xl/worksheets/sheet1.xml", bytes(60_000_000))
    monkeypatch.setattr(Package, "load", lambda *_: pytest.fail("loaded"))
    with pytest.raises(GpusheetError, match=r"^budget.xlsx: found a file packed [\d,]+ to 1, allowed 200 to 1"):
        read_book(path)
    monkeypatch.setattr(limits, "MOST_BYTES", 50_000_000)
    with pytest.raises(GpusheetError, match=r"^budget.xlsx: found 60 MB unpacked, allowed 50 MB"):
        read_book(path)
    monkeypatch.setattr(limits, "MOST_BYTES", 1000)
    with pytest.raises(GpusheetError, match=r"^budget.xlsx: found 0 MB"):
        open_package(path)


@pytest.mark.skipif(not CASES.is_dir(), reason="the shared cases are not here")
@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("c06_ole_header", "a password-protected or an old .xls workbook"),
        ("c06_csv_named", "text such as CSV"),
        ("c06_html_named", r"a web page \(HTML\)"),
        ("c06_truncated", "a damaged or incomplete file"),
    ],
)
def test_the_shared_cases(name: str, found: str) -> None:
    with pytest.raises(GpusheetError, match=f"^{name}.xlsx: found {found}"):
        read_book(CASES / f"{name}.xlsx")


# --- small parts ---


def test_blocks_are_what_an_eye_sees() -> None:
    square = [(row, at) for row in (3, 4, 5) for at in (2, 3)]
    assert [where for where, _ in blocks([*square, (4, 9), (5, 9), (7, 2)])] == ["B3:C5", "I4:I5", "B7"]
    assert sum(len(cells) for _, cells in blocks(square)) == 6


def test_saved_values_are_loaded_only_where_needed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = []
    load = Package.load

    def counted(self: Package, values: bool = False) -> Workbook:
        loaded.append(values)
        return load(self, values)

    monkeypatch.setattr(Package, "load", counted)
    read_book(written(path))
    assert loaded == [False]
    assert reader.read_book is read_book


TODAY = datetime.datetime(2026, 11, 2)


@pytest.mark.parametrize(("typed", "number"), [("４．２５", 4.25), ("1\xa0200", 1200), ("1.2万", 12000)])
def test_prices_as_people_type_them_are_read_with_a_warning(path: Path, typed: str, number: float) -> None:
    read = reread(path, lambda book: cell(book, "Prices", "price").__setattr__("value", typed))
    assert read.inputs.catalog.prices[0].price == number
    (warning,) = read.warnings
    assert warning.startswith("Prices!F7 (price): the text ") and warning.endswith(f"is read as the number {number:.15g}")


def test_a_price_that_contradicts_its_currency_is_refused(path: Path) -> None:
    lines = problems(path, lambda book: cell(book, "Prices", "price").__setattr__("value", "€4.25"))
    assert len(lines) == 1 and lines[0].startswith("Prices!F7 (price): the price says EUR, the column currency says ")
