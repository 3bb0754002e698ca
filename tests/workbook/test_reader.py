"""Reading an edited workbook back: what was typed comes out exactly, wherever it stands."""

from __future__ import annotations

import datetime
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import libreoffice
import openpyxl
import pytest
from editing import (
    MONTHS,
    SPARE,
    assumption,
    cell,
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
from gpusheet.workbook import reader
from gpusheet.workbook.book import write
from gpusheet.workbook.inputs import sample
from gpusheet.workbook.reader import read_book
from gpusheet.workbook.reading.areas import ROW_TYPES, by_name
from gpusheet.workbook.reading.cells import Cells, blocks
from gpusheet.workbook.reading.opening import Package
from gpusheet.workbook.reading.rows import read_rows
from gpusheet.workbook.style import Look
from gpusheet.workbook.tables import put_table

TODAY = datetime.datetime(2026, 11, 2)

pytestmark = pytest.mark.usefixtures("without_decisions")  # what is typed is the same


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
