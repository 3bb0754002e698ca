from __future__ import annotations

import pytest
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.table import Table

from gpusheet.errors import GpusheetError, UnknownName
from gpusheet.workbook.structured import Tables

PRICE_LIST = "'Price list'"


@pytest.fixture
def tables(book: Workbook) -> Tables:
    return Tables.of(book)


@pytest.mark.parametrize(
    ("reference", "range_"),
    [
        ("Prices[gpu]", "$A$2:$A$5"),
        ("prices[GPU]", "$A$2:$A$5"),
        ("Prices[[gpu]]", "$A$2:$A$5"),
        ("Prices[[snapshot_date]:[price]]", "$C$2:$E$5"),
        ("Prices[]", "$A$2:$I$5"),
        ("Prices[#All]", "$A$1:$I$5"),
        ("Prices[#Data]", "$A$2:$I$5"),
        ("Prices[#Headers]", "$A$1:$I$1"),
        ("Prices[[#Headers],[price]]", "$E$1"),
        ("Prices[[#Headers],[price]:[cards]]", "$E$1:$F$1"),
        ("Prices[[#All],[price]]", "$E$1:$E$5"),
        ("Prices[[#This Row],[price]]", "$E$3"),
        ("Prices[[#this row],[price]]", "$E$3"),
        ("Prices[[#This Row],[price]:[cards]]", "$E$3:$F$3"),
        ("Prices[#This Row]", "$A$3:$I$3"),
        ("Prices[@price]", "$E$3"),
        ("Prices[@[price]]", "$E$3"),
        ("Prices[@[price]:[cards]]", "$E$3:$F$3"),
        ("Prices[@]", "$A$3:$I$3"),
        ("Prices", "$A$2:$I$5"),
        ("prices", "$A$2:$I$5"),
    ],
)
def test_every_form_becomes_the_range_it_means(tables: Tables, reference: str, range_: str) -> None:
    assert tables.plain(f"=SUM({reference})*2", "Price list!G3") == f"=SUM({PRICE_LIST}!{range_})*2"


def test_a_sheet_may_be_named_with_the_signs_of_references() -> None:
    book = Workbook()
    book.active.title = "It's #1"
    book.active.append(["a"])
    book.active.append([1])
    book.active.add_table(Table(displayName="T_1", ref="A1:A2"))
    assert Tables.of(book).plain("=T_1[[#This Row],[a]]", "It's #1!B2") == "='It''s #1'!$A$2"


def test_several_references_in_one_formula(tables: Tables) -> None:
    formula = "=SUMPRODUCT(MAX((Prices[key]=$C6)*(Prices[snapshot_date]<=as_of)*Prices[snapshot_date]))"
    dates = f"{PRICE_LIST}!$C$2:$C$5"
    expected = f"=SUMPRODUCT(MAX(({PRICE_LIST}!$H$2:$H$5=$C6)*({dates}<=as_of)*{dates}))"
    assert tables.plain(formula, "Lookup!D6") == expected


def test_this_row_follows_the_cell_although_the_text_is_the_same(tables: Tables) -> None:
    formula = "=Prices[[#This Row],[price]]"
    cells = [tables.plain(formula, f"Price list!G{row}") for row in (2, 5, 3)]
    assert cells == [f"={PRICE_LIST}!$E${row}" for row in (2, 5, 3)]


@pytest.mark.parametrize(
    "formula",
    [
        '="Prices[gpu]"',
        '="say ""Prices[gpu]"" twice"&A1',
        "='Prices[gpu]'!A1",
        "='It''s Prices[gpu]'!A1+1",
        "=A1+B2",
        "=[1]Sheet!A1",
        "=Prices!A1",
        "=Prices(1)",
        "=Other.Prices+Prices.more+_xlpm.Prices",
        "='Prices'!A1&\"Prices\"",
    ],
)
def test_texts_sheet_names_and_other_books_are_left_alone(tables: Tables, formula: str) -> None:
    assert tables.plain(formula, "Sizing!A1") == formula


def test_a_reference_after_an_apostrophe_in_a_text_is_seen(tables: Tables) -> None:
    plain = tables.plain('="it\'s "&COUNTA(Prices[gpu])&" o\'clock"', "Sizing!A1")
    assert plain == f'="it\'s "&COUNTA({PRICE_LIST}!$A$2:$A$5)&" o\'clock"'


def test_a_totals_row_is_no_data_and_a_missing_header_row_is_no_header() -> None:
    book = Workbook()
    for row in (["a"], [1], [2], ["total"]):
        book.active.append(row)
    table = Table(displayName="Totalled", ref="A1:A4", totalsRowCount=1)
    table._initialise_columns()
    book.active.add_table(table)
    bare = Table(displayName="Bare", ref="C1:C4", headerRowCount=0)
    bare._initialise_columns()
    book.active.add_table(bare)
    tables = Tables.of(book)
    assert tables.plain("=SUM(Totalled[a])", "Sheet!D1") == "=SUM('Sheet'!$A$2:$A$3)"
    assert tables.plain("=SUM(Bare[Column3])", "Sheet!D1") == "=SUM('Sheet'!$C$1:$C$4)"
    with pytest.raises(GpusheetError, match="not a reference"):
        tables.plain("=Bare[#Headers]", "Sheet!D1")


def test_unknown_names_say_where_and_what_is_near(tables: Tables) -> None:
    with pytest.raises(UnknownName, match=r"Lookup!B2: table: 'Price' is not known; did you mean Prices\?"):
        tables.plain("=SUM(Price[gpu])", "Lookup!B2")
    with pytest.raises(UnknownName, match=r"Lookup!B2: column of table Prices: 'prise' .* did you mean price"):
        tables.plain("=SUM(Prices[prise])", "Lookup!B2")


@pytest.mark.parametrize("reference", ["Prices[@@price]", "Prices[[#Totals],[price]]", "Prices[[price],[cards]]"])
def test_forms_that_no_book_of_ours_may_hold_are_refused(tables: Tables, reference: str) -> None:
    with pytest.raises(GpusheetError, match=r"Lookup!B2: Prices.*is not a reference that is understood; allowed: "):
        tables.plain(f"={reference}", "Lookup!B2")


def test_this_row_outside_the_table_is_refused(tables: Tables) -> None:
    with pytest.raises(GpusheetError, match=r"Price list!J6: .*the same row of table Prices, whose rows are 2 to 5"):
        tables.plain("=Prices[[#This Row],[price]]", "Price list!J6")


def test_a_column_that_is_spelled_like_a_table_is_no_table() -> None:
    """Column FX of a sheet with a table FX."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["rate"], [7.0]):
        sheet.append(row)
    sheet.add_table(Table(displayName="FX", ref="A1:A2"))
    tables = Tables.of(book)
    for formula in ("=FX$4+1", "=$FX$4", "=FX4", "=SUM(FX:FX)", "=SUM($FX:$FX)", "=FX$1:FX$9", "=Sheet!FX$4"):
        assert tables.plain(formula, "Sheet!C3") == formula
    assert tables.plain("=SUM(FX)", "Sheet!C3") == "=SUM('Sheet'!$A$2)"
