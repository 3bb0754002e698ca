"""What stands in cells, kind by kind, in files of our own: never a wrong number, never a row left out unsaid."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

from kinds import HEAD, Made, every_file, holds, row
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from sheets_made import DAY

TEXT, TWO_WAYS, MISSING, NO_NUMBER = "number-as-text", "ambiguous-number", "missing-price", "not-a-number"
OF_CARD = {"currency": "CNY", "per": "card", "period": "hour", "cards": 1}


def cells(*values: Any, prices: list[float], told: list[tuple[str, str]], **other: Any) -> Made:
    """Rows that differ in the price only; all of them are present."""
    return Made([HEAD, *(row(value) for value in values)], prices, told, len(values), **other)


def days(*values: Any, good: int, told: list[tuple[str, str]], **other: Any) -> Made:
    """Rows that differ in the day; the good ones all mean the first of November 2026."""
    rows = [row(日期=value) for value in values]
    return Made([HEAD, *rows], [13.94] * good, told, len(values), {"snapshot_date": DAY}, **other)


def as_text(sheet: Any) -> None:
    sheet["D2"].data_type = "s"


def from_1904(sheet: Any) -> None:
    sheet.parent.epoch = CALENDAR_MAC_1904


def formatted(code: str, column: str = "D") -> Any:
    def change(sheet: Any) -> None:
        sheet[f"{column}2"].number_format = code

    return change


KINDS: dict[str, list[Made]] = {
    "text numbers": [
        cells("13.94", 14, prices=[13.94, 14], told=[(TEXT, "D2")], terms=OF_CARD),
        cells("1,020.50", "+14", prices=[1020.5, 14], told=[(TEXT, "D2"), (TEXT, "D3")]),
        cells(".5", "1.394E1", prices=[0.5, 13.94], told=[(TEXT, "D2"), (TEXT, "D3")]),
    ],
    "non-breaking spaces": [
        cells("13.94\xa0", prices=[13.94], told=[(TEXT, "D2")]),
        cells("1\xa0073", "1\u202f073", prices=[1073, 1073], told=[(TEXT, "D2"), (TEXT, "D3")]),
        Made([HEAD, row(gpu="\xa0H20\u3000", 供应商="甲\xa0")], [13.94], terms={"gpu": "H20", "price_list": "甲"}),
    ],
    "full-width digits": [
        cells("１３．９４", prices=[13.94], told=[(TEXT, "D2")]),
        cells("１，０２０．５０", prices=[1020.5], told=[(TEXT, "D2")]),
        days("２０２６－１１－０１", "２０２６年１１月１日", good=2, told=[]),
    ],
    "currency signs": [
        cells("¥13.94", "￥14", "14元", "RMB 14", prices=[13.94, 14, 14, 14], told=[
            (TEXT, f"D{n}") for n in range(2, 6)], terms=OF_CARD),
        cells("$2.10", "14", prices=[14], told=[("currency-conflict", "D2"), (TEXT, "D2"), (TEXT, "D3")]),
        cells("HK$16", "€2", "2 USD", prices=[], told=[
            *(("currency-conflict", f"D{n}") for n in (2, 3, 4)), *((TEXT, f"D{n}") for n in (2, 3, 4))]),
    ],
    "units in the number": [
        cells("13.94元/卡/小时", "13.94 CNY per GPU hour", prices=[13.94, 13.94], told=[(TEXT, "D2"), (TEXT, "D3")], terms=OF_CARD),
        cells("10000元/月", "111元/台", prices=[], told=[
            ("unit-conflict", "D2"), ("unit-conflict", "D3"), ("missing", "D3"), (TEXT, "D2"), (TEXT, "D3")]),
        cells("1.2万", "0.5k", prices=[12000, 500], told=[(TEXT, "D2"), (TEXT, "D3")]),
    ],
    "unknown units": [
        cells("14 磅", 14, prices=[14], told=[("unknown-unit", "D2")]),
        cells("14元/柜", "13.94①", prices=[], told=[("unknown-unit", "D2"), ("unknown-unit", "D3")]),
        cells("一口价14", "'13.94", "14（限时）", prices=[], told=[("unknown-unit", f"D{n}") for n in (2, 3, 4)]),
    ],
    "ambiguous separators": [
        cells("1,5", "10 800,00", 14, prices=[14], told=[(TWO_WAYS, "D2"), (TWO_WAYS, "D3")]),
        cells("1.234,56", "1.234", "12.5", prices=[12.5], told=[(TWO_WAYS, "D2"), (TWO_WAYS, "D3"), (TEXT, "D4")]),
        Made("日期;供应商;型号;元/卡时\n2026-11-01;甲;H20;1.234\n2026-11-01;甲;L20;12,5\n2026-11-01;甲;L4;3\n", [3],
             [(TWO_WAYS, "D2"), (TWO_WAYS, "D3")], 3),
    ],
    "not exact": [
        cells("约14", "14起", "≥14", prices=[], told=[("not-exact", f"D{n}") for n in (2, 3, 4)]),
        cells("12-14", "13.94/15.2", prices=[], told=[("range", "D2"), ("several-numbers", "D3")]),
        cells("低于14", "$2.10*8", 14, prices=[14], told=[("unknown-unit", "D2"), ("several-numbers", "D3")]),
    ],
    "placeholders": [
        cells("面议", "***", None, 14, prices=[14], told=[(MISSING, "D2"), (MISSING, "D3"), (MISSING, "D4")]),
        cells("N/A", "- - -", "TBD", prices=[], told=[(MISSING, f"D{n}") for n in (2, 3, 4)]),
        Made("日期,供应商,型号,元/卡时\n2026-11-01,甲,H20,暂无\n2026-11-01,甲,L20,\n2026-11-01,甲,L4,3\n", [3],
             [(MISSING, "D2"), (MISSING, "D3")], 3),
    ],
    "zero and less": [
        cells(0, 14, prices=[14], told=[("zero-price", "D2")]),
        cells("0.00", "￥０", prices=[], told=[("zero-price", "D2"), ("zero-price", "D3")]),
        cells(-13.94, "(4.00)", "−1", prices=[], told=[("out-of-bounds", f"D{n}") for n in (2, 3, 4)]),
    ],
    "booleans": [
        cells(True, 1, prices=[1], told=[("wrong-type", "D2")]),
        cells(False, 0.5, prices=[0.5], told=[("wrong-type", "D2")]),
        cells("TRUE", "是", prices=[], told=[(NO_NUMBER, "D2"), (NO_NUMBER, "D3")]),
        Made([HEAD, row(含税=True), row(含税=False)], [13.94, 13.94]),
    ],
    "percentages": [
        cells("95%", 14, prices=[14], told=[("percent", "D2")]),
        cells(0.95, 14, prices=[14], told=[("percent", "D2")], change=formatted("0%")),
        cells(13.94, 14, prices=[14], told=[("percent", "D2")], change=formatted("0.00%")),
    ],
    "formats of numbers": [
        cells(13.94, 14, prices=[13.94, 14], told=[("currency-of-format", "D2")], change=formatted('"$"#,##0.00')),
        cells(7.5, 14, prices=[14], told=[("scale-of-format", "D2")], change=formatted('0.00"万"')),
        cells(13.94, prices=[13.94], told=[], change=formatted("[$¥-804]#,##0.00")),
    ],
    "dates for numbers": [
        cells(datetime.date(2026, 5, 1), 14, prices=[14], told=[("date-for-number", "D2")]),
        cells(datetime.datetime(2026, 5, 1, 12), prices=[], told=[("date-for-number", "D2")]),
        cells(datetime.time(13, 56), prices=[], told=[("date-for-number", "D2")]),
    ],
    "dates as text": [
        days("2026-11-01", "2026/11/1", "2026年11月1日", "2026.11.1", "2026年11月1号", good=5, told=[]),
        days("1 Nov 2026", "Nov 1, 2026", "2026-11-01T08:00:00Z", good=3, told=[]),
        days("11/12/2026", "11月1日", "2026-13-01", "2026-11", good=0, told=[
            ("ambiguous-date", "A2"), ("not-a-date", "A3"), ("not-a-date", "A4"), ("not-a-date", "A5")]),
    ],
    "dates as numbers": [
        days(46327, good=1, told=[("date-as-number", "A2")]),
        days(20261101, 46327.5, good=2, told=[("date-as-number", "A2"), ("date-as-number", "A3")]),
        days(13.94, 99, "46327", good=0, told=[("not-a-date", "A2"), ("not-a-date", "A3"), ("not-a-date", "A4")]),
    ],
    "dates from 1904": [
        days(DAY, good=1, told=[], change=from_1904),
        days(44865, good=1, told=[("date-as-number", "A2")], change=from_1904),
        days(DAY, datetime.datetime(2026, 11, 1, 9), "2026-11-01", good=3, told=[], change=from_1904),
    ],
    "formulas": [
        cells("=13*1.1", 14, prices=[14.3, 14], told=[], values={"D2": "14.3"}),
        cells(14, "=D2*0.95", prices=[14, 13.3], told=[], values={"D3": "13.3"}),
        cells("=0*1", 14, prices=[14], told=[("zero-price", "D2")], values={"D2": "0"}),
        cells("=1+1", 14, prices=[14], told=[("several-numbers", "D2")], change=as_text),
    ],
    "formulas without values": [
        cells("=13*1.1", 14, prices=[14], told=[("unsaved-formula", "D2")]),
        Made([HEAD, row(日期="=DATE(2026,11,1)"), row()], [13.94], [("unsaved-formula", "A2")], 2),
        Made([HEAD, row(gpu='="H"&"20"'), row()], [13.94], [("unsaved-formula", "C2")], 2),
    ],
    "error cells": [
        cells("#N/A", 14, prices=[14], told=[("error-cell", "D2")]),
        cells("=1/0", 14, prices=[14], told=[("error-cell", "D2")], values={"D2": "#DIV/0!"}),
        Made([HEAD, row(gpu="#REF!"), row(日期="#VALUE!"), row()], [13.94], [("error-cell", "A3"), ("error-cell", "C2")], 3),
        Made("日期,供应商,型号,元/卡时\n2026-11-01,甲,H20,#REF!\n2026-11-01,甲,L4,3\n", [3], [("error-cell", "D2")], 2),
    ],
    "words of choices": [
        Made([HEAD, row(含税="含税（6%）"), row(含税="含6%增值税专用发票")], [13.94] * 2, terms={"tax": "included"}),
        Made([HEAD, row(含税="不含税"), row(含税="否"), row(含税="未税")], [13.94] * 3, terms={"tax": "excluded"}),
        Made([HEAD, row(含税="6%"), row(含税="13%专票")], [], [("not-allowed", "E2"), ("not-allowed", "E3")], 2),
    ],
    "currencies by other names": [
        Made([[*HEAD, "币种"], *([*row(), word] for word in ("RMB", "人民币", "人民币元", "CNY(元)", "¥"))], [13.94] * 5,
             terms={"currency": "CNY"}),
        Made([[*HEAD, "币种"], [*row(), "USD"], [*row(), "美元"]], [], [("currency-conflict", "D2"), ("currency-conflict", "D3")], 2),
        Made([["日期", "供应商", "型号", "卡时价", "币种"], [DAY, "a", "H20", 2, "美金"], [DAY, "a", "H20", 2, "$"]], [2, 2],
             terms={"currency": "USD"}),
    ],
}  # fmt: skip


@every_file(KINDS)
def test_cells(made: Made, tmp_path: Path) -> None:
    holds(made, tmp_path)
