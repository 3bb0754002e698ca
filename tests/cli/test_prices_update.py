"""`gpusheet prices update`: cells of the table Prices change, and nothing else of a person's workbook."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from commands import Ended, refused, run
from decorated import decorated, differing, inventory
from editing import column, edited, put, rewritten, small, table, without_tables, written
from openpyxl.utils import range_boundaries
from openpyxl.worksheet.table import Table

from gpusheet.catalog import Catalog, Price
from gpusheet.intake import snapshot
from gpusheet.workbook.reader import read_book
from gpusheet.workbook.reading.opening import open_package

DAY = datetime.date(2026, 12, 1)
Edit = Callable[[Any], Any]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    yield


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A budget that uses the newest prices, whatever their day."""
    return edited(tmp_path / "budget.xlsx", put(Assumptions_C10=None))


def old() -> Sequence[Price]:
    return small().catalog.prices


def snap(*prices: Price, name: str = "new") -> Path:
    return snapshot.write(list(prices), Path("prices"), name)[0]


def dearer(old_price: Price, **changes: Any) -> Price:
    return old_price.model_copy(update={"price": old_price.price * 1.5, "snapshot_date": DAY} | changes)


def prices_of(path: Path) -> list[Price]:
    return list(read_book(path).inputs.catalog.prices)


def update(book: Path, source: Path, *more: object) -> Ended:
    return run("prices", "update", book, "--from", source, *more)


def written_anew(book: Path, source: Path, *more: object) -> tuple[list[Price], list[str]]:
    """The prices after the command, and the parts that differ."""
    before = inventory(book)
    ended = update(book, source, *more)
    assert ended.status == 0, ended.err
    return prices_of(book), differing(before, inventory(book))


def test_the_case_of_the_tests_is_what_it_should_be(book: Path) -> None:
    assert read_book(book).inputs.settings.as_of is None
    assert prices_of(book) == list(old()) and len({p.snapshot_date for p in old()}) >= 1


# --- what changes ---


def test_a_price_is_changed_with_its_date_and_terms(book: Path) -> None:
    new = dearer(old()[0], source="询价单 17", tax="excluded", available="yes")
    found, parts = written_anew(book, snap(new))
    assert found == [new, *old()[1:]]
    assert len(parts) == 1 and parts[0].startswith("xl/worksheets/")


def test_the_command_says_what_changed(book: Path) -> None:
    ended = update(book, snap(dearer(old()[0]), old()[1].model_copy(update={"snapshot_date": DAY, "listing": "extra"})))
    assert "changed" in ended.out and "added" in ended.out and "+50.0%" in ended.out and old()[0].price_list in ended.out
    assert f"{book}: 1 changed, 1 added; totals follow when it is opened in Excel" in ended.err
    ended = update(book, Path("prices"), "--lang", "zh")
    assert "2 不变；未写入" in ended.err


def test_as_json(book: Path) -> None:
    ended = update(book, snap(dearer(old()[0])), "--json")
    said = json.loads(ended.out)
    assert said["written"] and len(said["parts"]) == 1
    [line] = said["prices"]
    assert (line["became"], line["old_price"], line["price"], line["row"]) == ("changed", old()[0].price, old()[0].price * 1.5, 7)
    assert ended.err == ""


def test_spelling_and_aliases_do_not_matter(book: Path) -> None:
    first = old()[0]
    new = dearer(first, price_list=first.price_list.upper(), gpu=Catalog.builtin().find_gpu(first.gpu).gpu)
    alias = edited(book, put(Assumptions_C10=None, Prices_D7=first.gpu.lower().replace("-", " ")))
    found, _ = written_anew(alias, snap(new))
    assert len(found) == len(old()) and found[0].price == new.price and found[0].price_list == first.price_list


def test_notes_of_the_book_stay(book: Path) -> None:
    row = next(i for i, price in enumerate(old()) if price.notes)
    found, _ = written_anew(book, snap(dearer(old()[row], notes=None)))
    assert found[row].notes == old()[row].notes
    found, _ = written_anew(book, snap(dearer(old()[row], notes="new", price=1), name="later"))
    assert found[row].notes == "new"


def test_the_same_prices_again_write_nothing(book: Path) -> None:
    source = snap(dearer(old()[0]))
    update(book, source)
    before = book.stat().st_mtime_ns, book.read_bytes()
    ended = update(book, source)
    assert ended.status == 0 and "1 same; nothing was written" in ended.err
    assert (book.stat().st_mtime_ns, book.read_bytes()) == before


def test_older_prices_do_not_replace_newer_ones(book: Path) -> None:
    ended = update(book, snap(dearer(old()[0], snapshot_date=datetime.date(2020, 1, 1))))
    assert "1 older than in the book; nothing was written" in ended.err


def test_a_dry_run_writes_nothing(book: Path) -> None:
    before = book.read_bytes()
    ended = update(book, snap(dearer(old()[0])), "--dry-run")
    assert "1 changed; nothing was written" in ended.err and "+50.0%" in ended.out and book.read_bytes() == before


def test_into_another_file(book: Path) -> None:
    before, source = book.read_bytes(), snap(dearer(old()[0]))
    assert update(book, source, "-o", "new.xlsx").status == 0
    assert book.read_bytes() == before and prices_of(Path("new.xlsx"))[0].price == old()[0].price * 1.5
    refused(update(book, source, "-o", "new.xlsx"), "new.xlsx: exists already; choose another name, or replace it with --force")
    assert update(book, source, "-o", "new.xlsx", "--force").status == 0
    refused(update(book, source, "-o", "new.xlsm"), "new.xlsm: found the ending '.xlsm', allowed '.xlsx' as budget.xlsx has")


def test_a_folder_of_snapshots_gives_the_newest_of_each(book: Path) -> None:
    snap(dearer(old()[0], price=1))
    snap(dearer(old()[0], price=2, snapshot_date=DAY + datetime.timedelta(1)), dearer(old()[1], price=3), name="later")
    found, _ = written_anew(book, Path("prices"))
    assert [price.price for price in found[:2]] == [2, 3]


# --- new rows ---


def test_new_prices_get_rows_and_the_table_grows(book: Path) -> None:
    new = [dearer(old()[0], listing=name, source="=cmd", notes=None) for name in ("first", "+second")]
    before = open_package(book).load()
    found, parts = written_anew(book, snap(*new))
    assert found == [*old(), *new]
    assert {part.rpartition("/")[0] for part in parts} == {"xl/worksheets", "xl/tables", "xl"} and "xl/styles.xml" in parts
    sheet, grown = table(open_package(book).load(), "Prices")
    last = range_boundaries(grown.ref)[3]
    assert last == range_boundaries(table(before, "Prices")[1].ref)[3] + 2
    for name in ("line", "price_per_card", "offer"):
        at = column(open_package(book).load(), "Prices", name)
        assert sheet[f"{at}{last}"].value == sheet[f"{at}{last - 2}"].value != None  # noqa: E711
        assert sheet[f"{at}{last}"].number_format == sheet[f"{at}{last - 2}"].number_format
    cell = sheet[f"{column(open_package(book).load(), 'Prices', 'listing')}{last}"]
    assert cell.value == "+second" and cell.data_type == "s" and cell.quotePrefix


def test_older_prices_are_kept_beside_newer_ones(book: Path) -> None:
    new = dearer(old()[0])
    found, _ = written_anew(book, snap(new), "--append")
    assert found == [*old(), new]
    found, _ = written_anew(book, snap(dearer(old()[0], price=7), name="corrected"), "--append")
    assert found == [*old(), new.model_copy(update={"price": 7})]  # of one day there is one


def test_blank_rows_of_the_table_are_filled_first(book: Path) -> None:
    cleared = {f"Prices_{letter}8": None for letter in "ABCDEFGHIJKLMN"}
    edited(book, put(Assumptions_C10=None, **cleared))
    new = [dearer(old()[0], listing=name) for name in ("first", "second")]
    found, _ = written_anew(book, snap(*new))
    assert found == [old()[0], new[0], *old()[2:], new[1]]
    sheet, _ = table(open_package(book).load(), "Prices")
    assert sheet["O8"].value == sheet["O7"].value


def test_own_columns_and_formulas_go_on(book: Path) -> None:
    def edit(made: Any) -> None:
        sheet, found = table(made, "Prices")
        _, top, right, bottom = range_boundaries(found.ref)
        sheet.cell(top, right + 1, "note").font = openpyxl.styles.Font(bold=True)
        sheet.cell(top, right + 2, "twice")
        for row in range(top + 1, bottom + 1):
            sheet.cell(row, right + 1, "mine")
            sheet.cell(row, right + 2, f"=F{row}*2")
        found.ref = found.autoFilter.ref = f"A{top}:{openpyxl.utils.get_column_letter(right + 2)}{bottom}"
        for name in ("note", "twice"):
            found.tableColumns.append(openpyxl.worksheet.table.TableColumn(id=len(found.tableColumns) + 1, name=name))

    edited(book, edit, put(Assumptions_C10=None))
    found, _ = written_anew(book, snap(dearer(old()[0], listing="new")))
    assert len(found) == len(old()) + 1
    made = open_package(book).load()
    sheet, grown = table(made, "Prices")
    last = range_boundaries(grown.ref)[3]
    note, twice = (column(made, "Prices", name) for name in ("note", "twice"))
    assert sheet[f"{note}{last}"].value is None and sheet[f"{twice}{last}"].value == f"=F{last}*2"


def test_a_table_that_a_program_dropped(book: Path) -> None:
    edited(book, without_tables, put(Assumptions_C10=None))
    new = dearer(old()[0], listing="new")
    update(book, snap(new))
    assert prices_of(book) == [*old(), new]


# --- what would be lost ---


def nothing_changed(book: Path, source: Path, *lines: str, more: Sequence[object] = ()) -> None:
    before = book.read_bytes()
    refused(update(book, source, *more), *lines)
    assert book.read_bytes() == before


def test_a_formula_in_a_price(book: Path) -> None:
    edited(book, put(Assumptions_C10=None, Prices_F7="=F8*0.95"))
    rewritten(book, {r"xl/worksheets/sheet\d+\.xml": lambda part: re.sub(rb"(<f>F8\*0.95</f>)<v ?/?>(</v>)?", rb"\1<v>9</v>", part)})
    nothing_changed(book, snap(dearer(old()[0]), dearer(old()[1])),
                    "Prices!F7: holds the formula =F8*0.95, which would be lost; change it yourself, or clear it first")  # fmt: skip


def test_prices_that_the_book_still_uses(book: Path) -> None:
    day = max(price.snapshot_date for price in old())
    edited(book, put(Assumptions_C10=day))
    source = snap(dearer(old()[0]), dearer(old()[1]))
    nothing_changed(
        book, source, f"Assumptions!C10 (as_of): found {day}; the new prices are of {DAY} and would overwrite 2 that the book "
        f"uses on that day; keep these with --append, or move the day with --as-of {DAY}")  # fmt: skip
    appended = edited(Path("appended.xlsx"), put(Assumptions_C10=day))
    ended = update(appended, source, "--append")
    assert f"as_of in the book is {day}: prices of {DAY} are used once it is moved (--as-of {DAY})" in ended.err
    assert len(prices_of(appended)) == len(old()) + 2
    ended = update(book, source, "--as-of", DAY)
    assert ended.status == 0 and f"(as_of): {day} becomes {DAY}" in ended.err
    assert read_book(book).inputs.settings.as_of == DAY and len(prices_of(book)) == len(old())


def test_what_stands_where_new_rows_would(book: Path) -> None:
    row = len(old()) + 7
    edited(book, put(**{"Assumptions_C10": None, f"Prices_T{row}": "note"}))
    nothing_changed(book, snap(dearer(old()[0], listing="new")),
                    f"Prices!T{row}: stands where a new price would; move it, or add rows to the table Prices in Excel")  # fmt: skip

    def second(made: Any) -> None:
        sheet, _ = table(made, "Prices")
        sheet[f"A{row + 4}"], sheet[f"B{row + 4}"], sheet[f"A{row + 5}"] = "x", "y", 1
        sheet.add_table(Table(displayName="Mine", ref=f"A{row + 4}:B{row + 5}"))

    edited(book, second, put(Assumptions_C10=None))
    many = [dearer(old()[0], listing=f"new {i}") for i in range(3)]
    nothing_changed(book, snap(*many, name="many"), f"Prices row {row + 4}: the table Mine begins where new prices would stand; add "
                    "rows to the table Prices in Excel")  # fmt: skip


def test_rows_typed_under_the_table(book: Path) -> None:
    row = len(old()) + 7

    def typed(made: Any) -> None:
        sheet, _ = table(made, "Prices")
        for position in range(1, 15):
            sheet.cell(row, position).value = sheet.cell(7, position).value
        sheet.cell(row, 3).value = "typed under it"

    edited(book, typed, put(Assumptions_C10=None))
    nothing_changed(book, snap(dearer(old()[0], listing="new")),
                    f"Prices row {row}: typed under the table Prices; draw the table over it in Excel first")  # fmt: skip


def test_a_row_of_totals(book: Path) -> None:
    def totals(made: Any) -> None:
        sheet, found = table(made, "Prices")
        row = range_boundaries(found.ref)[3] + 1
        sheet[f"A{row}"] = "Total"
        found.ref, found.totalsRowCount = found.ref.replace(str(row - 1), str(row)), 1

    edited(book, totals, put(Assumptions_C10=None))
    ended = update(book, snap(dearer(old()[0], listing="new")))
    assert ended.status == 1 and "holds the totals of the table Prices" in ended.err and "Traceback" not in ended.err


def test_bad_rows_of_the_book_are_named_first(book: Path) -> None:
    edited(book, put(Assumptions_C10=None, Prices_E7="many"))
    ended = update(book, snap(dearer(old()[1])))
    assert ended.status == 1 and ended.errors[0].startswith("Prices!E7 (cards): found 'many'")
    assert ended.errors[-1] == "budget.xlsx: nothing was changed; mend the rows above first"


def test_one_price_twice(book: Path) -> None:
    new = dearer(old()[0])
    ended = update(book, snap(new, new.model_copy(update={"price": 1})))
    assert ended.status == 1 and "stands more than once in the snapshot; give each a listing of its own" in ended.errors[0]


def test_prices_of_other_terms_are_told_apart(book: Path) -> None:
    first = old()[0]
    monthly = dearer(first, period="month" if first.period == "hour" else "hour")
    found, _ = written_anew(book, snap(dearer(first), monthly))
    assert [price.period for price in (found[0], found[-1])] == [first.period, monthly.period] and len(found) == len(old()) + 1


# --- files ---


@pytest.mark.parametrize("name", ["plan.xlsx", "plan.xlsm"])
def test_a_decorated_workbook_keeps_all_of_it(name: str) -> None:
    path = decorated(Path(name))
    before = inventory(path)
    ended = update(path, snap(dearer(old()[0]), dearer(old()[0], listing="new")), "--as-of", DAY, "--json")
    parts = json.loads(ended.out)["parts"]
    assert differing(before, inventory(path)) == parts
    assert sorted(part.rpartition("/")[0] for part in parts) == ["xl/tables", "xl/worksheets", "xl/worksheets"]


def test_what_is_no_snapshot_and_no_workbook(book: Path) -> None:
    source = snap(dearer(old()[0]))
    refused(update(book, book), "budget.xlsx: found a workbook, allowed a CSV file; give a CSV file")
    refused(update(Path("none.xlsx"), source), "none.xlsx: there is no such file; check the folder and the spelling")
    refused(update(source, source), f"{source.name}: found text such as CSV, allowed a workbook (.xlsx, .xlsm); copy its rows "
            "into a workbook")  # fmt: skip
    Path("other.xlsx").write_bytes(b"")
    openpyxl.Workbook().save("other.xlsx")
    ended = update(Path("other.xlsx"), source)
    assert ended.errors[0].startswith("other.xlsx: has no table Prices as gpusheet writes it;")


def test_a_book_without_assumptions(book: Path) -> None:
    edited(book, lambda made: made.__delitem__("Assumptions"))
    refused(update(book, snap(dearer(old()[0])), "--as-of", DAY), "--as-of: budget.xlsx has no assumption as_of; leave the option out")
    assert update(book, Path("prices")).status == 0


def test_a_book_that_is_open_in_excel(book: Path) -> None:
    lock = book.with_name("~$budget.xlsx")
    lock.write_bytes(b"x")
    ended = update(book, snap(dearer(old()[0])))
    assert ended.status == 1 and "is open in Excel; close it there (if it is not, delete ~$budget.xlsx)" in ended.errors[0]


def test_a_book_that_was_changed_meanwhile(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gpusheet.workbook import price_update

    source, real = snap(dearer(old()[0])), price_update.updated

    def slow(path: Path, *more: Any) -> Any:
        made = real(path, *more)
        written(path)  # somebody saves
        return made

    monkeypatch.setattr(price_update, "updated", slow)
    ended = update(book, source)
    assert ended.errors == [f"{book}: was changed by somebody else meanwhile; run the command again"]
    assert book.read_bytes() == written(Path("again.xlsx")).read_bytes()
