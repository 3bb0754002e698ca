"""How tables stand in sheets, kind by kind, in files of our own: never a wrong number, never a row left out unsaid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kinds import HEAD, Made, day, every_file, holds, row
from openpyxl.comments import Comment
from openpyxl.formatting.rule import DataBarRule
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table
from sheets_made import DAY

from gpusheet.catalog import Price as PriceRow
from gpusheet.intake.findings import CannotRead
from gpusheet.intake.reader import read_table

SHORT = ["日期", "供应商", "型号", "元/卡时"]
OF_CARD = {"currency": "CNY", "per": "card", "period": "hour", "cards": 1}
OF_MACHINE = {"currency": "CNY", "per": "instance", "cards": 8}


def one(price: Any = 13.94, gpu: Any = "H20", who: Any = "甲") -> list[Any]:
    """A row under SHORT."""
    return [DAY, who, gpu, price]


def merged(*areas: str) -> Any:
    def change(sheet: Any) -> None:
        for area in areas:
            sheet.merge_cells(area)

    return change


def hidden(*rows: int) -> Any:
    def change(sheet: Any) -> None:
        for number in rows:
            sheet.row_dimensions[number].hidden = True

    return change


def filtered(sheet: Any) -> None:
    sheet.auto_filter.ref = "A1:D4"
    sheet.auto_filter.add_filter_column(1, ["甲"])
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["D"].hidden = True


def as_table(sheet: Any) -> None:
    table = Table(displayName="Quotes", ref="A1:D4")
    table.totalsRowCount = 1
    sheet.add_table(table)


def with_bars(sheet: Any) -> None:
    sheet.conditional_formatting.add("D2:D9", DataBarRule("min", 0, "max", 10, "FF0000"))
    sheet["D2"].comment = Comment("问过王经理", "李")
    sheet.freeze_panes = "B2"


def with_choices(sheet: Any) -> None:
    check = DataValidation("list", formula1='"H20,L20"')
    check.add("C2:C9")
    sheet.add_data_validation(check)
    sheet["H2"] = "待复核"


KINDS: dict[str, list[Made]] = {
    "headers in other words": [
        Made([["报价日期", "云厂商", "卡型号", "单价（元/卡·时，含税）"], one()], [13.94], terms={**OF_CARD, "tax": "included"}),
        Made([["Date", "Vendor", "GPU type", "$/GPU/hr"], one(2)], [2], terms={**OF_CARD, "currency": "USD"}),
        Made([["更新日期", "服务商", "显卡", "每卡每小时价格（元）"], one()], [13.94], terms=OF_CARD),
        Made([["Quoted", "Provider", "Accelerator", "Price per GPU-hour (USD)", "Commitment"], [*one(2), "1 year reserved"]], [2],
             terms={"currency": "USD", "pricing_model": "reserved"}),
    ],
    "words of headers that are not understood": [
        Made([[*SHORT[:3], "价格(元/卡时，含机柜)"], one()], [13.94], [("words-of-header", "D1")], terms=OF_CARD),
        Made([[*SHORT[:3], "Price (USD/GPU/hr, promo)"], one(2)], [2], [("words-of-header", "D1")], terms={"currency": "USD"}),
        Made([[*SHORT[:3], "单价（元/卡时，华东二区）"], one()], [13.94], [("words-of-header", "D1")], terms={"period": "hour"}),
    ],
    "columns in another order": [
        Made([["元/卡时", "型号", "日期", "供应商"], [13.94, "H20", DAY, "甲"]], [13.94], terms=OF_CARD),
        Made([["来源", "型号", "供应商", "元/台/月", "卡数", "日期"], ["邮件", "H20", "甲", 60000, 8, DAY]], [60000],
             terms={**OF_MACHINE, "period": "month", "source": "邮件"}),
        Made("tax,price USD/GPU/hr,gpu,provider,date\nexcl,2.5,H100,a,2026-11-01\n", [2.5], terms={"tax": "excluded"}),
    ],
    "columns of nobody": [
        Made([[None, "序号", *SHORT, "采购意见"], [None, 1, *one(), "同意"]], [13.94], terms=OF_CARD),
        Made([["日期", None, "供应商", None, "型号", None, "元/卡时"], [DAY, None, "甲", None, "H20", None, 13.94]], [13.94]),
        Made([[*SHORT, "成本(元/卡时)"], [*one(), 9]], [13.94], [("price-not-read", "E1")]),
    ],
    "columns that are missing": [
        Made([SHORT[1:], one()[1:], one()[1:]], [], [("no-column", "A1")], 2),
        Made([["日期", "供应商", "型号"], [DAY, "甲", "H20"]], [], [("no-column", "A1")], 1),
        Made([["日期", "供应商", "型号", "价格"], one()], [], [("missing", "D2")] * 4, 1),
    ],
    "notes over the header": [
        Made([["GPU 租赁报价单"], [], ["联系人", "张三", "电话", 13800000000], SHORT, one()], [13.94], terms=OF_CARD),
        Made([["单位：元/卡时"], ["日期", "供应商", "型号", "价格"], one()], [13.94], terms=OF_CARD),
        Made([["All prices in USD per GPU hour"], ["date", "provider", "gpu", "price"], one(2)], [2], terms={"currency": "USD"}),
        Made([["单位：元"], ["单位：美元"], ["日期", "供应商", "型号", "卡时价"], one()], [], [("missing", "D4")], 1),
        Made([["单位：元"], [*SHORT[:3], "卡时价", "币种"], [*one(2), "USD"]], [2], terms={"currency": "USD"}),
    ],
    "notes among and under the rows": [
        Made([SHORT, one(), ["注：以上价格不含网络"]], [13.94]),
        Made([SHORT, ["华东地区"], one(), ["华北地区"], one(14)], [13.94, 14]),
        Made([SHORT, one(), ["海外(USD)"], one(2)], [13.94, 2], [("other-currency", "A3")], terms=OF_CARD),
    ],
    "headers of two rows": [
        Made([["日期", "供应商", "型号", "价格"], [None, None, None, "元/卡时"], one()], [13.94], terms=OF_CARD),
        Made([["日期", "供应商", "型号", "价格（元/卡）", None], [None, None, None, "按量（小时）", "包月"], [*one(), 6800]],
             [13.94, 6800]),
        Made([["日期", "供应商", "型号", "整机8卡", None], [None, None, None, "元/小时", "元/月"], [*one(111), 60000]], [111, 60000],
             terms=OF_MACHINE),
    ],
    "merged cells": [
        Made([[*SHORT[:3], "价格（元/卡）", None], [None, None, None, "按量（小时）", "包月"], [*one(), 6800]], [13.94, 6800],
             change=merged("A1:A2", "B1:B2", "C1:C2", "D1:E1")),
        Made([SHORT, one(), [None, None, "L20", 4]], [13.94, 4], terms={"price_list": "甲"}, change=merged("A2:A3", "B2:B3")),
        Made([SHORT, one(), one(None, "L20")], [13.94, 13.94], [("merged-cells", "D2")], change=merged("D2:D3")),
        Made([["11月报价汇总"], SHORT, one()], [13.94], change=merged("A1:D1")),
    ],
    "blanks where people see the cell above": [
        Made([SHORT, one(), [None, None, "L20", 4]], [13.94], [("blank", "A3"), ("blank", "B3")], 2),
        Made([SHORT, one(), [DAY, "甲", None, 4]], [13.94], [("blank", "C3")], 2),
        Made("日期,供应商,型号,元/卡时\n2026-11-01,甲,H20,13.94\n,,L20,4\n", [13.94], [("blank", "A3"), ("blank", "B3")], 2),
    ],
    "hidden and filtered rows": [
        Made([SHORT, one(), one(14), one(15)], [13.94, 14, 15], [("hidden-rows", "A3")], change=hidden(3)),
        Made([SHORT, one(), one(14), one(15)], [13.94, 14, 15], [("hidden-rows", "A3")], change=filtered),
        Made([SHORT, one(), one(14), one("面议")], [13.94, 14], [("hidden-rows", "A2"), ("missing-price", "D4")], 3,
             change=hidden(2, 4)),
    ],
    "totals": [
        Made([SHORT, one(), ["小计", None, None, 13.94], one(14), [None, "合计", None, 27.94]], [13.94, 14]),
        Made([SHORT, one(), ["平均", None, None, 13.94], ["总计（含税）", None, None, 13.94]], [13.94]),
        Made([SHORT, one(), one(14), ["本页", None, None, 27.94]], [13.94, 14], change=as_table),
        Made([SHORT, one(), [None, None, None, 13.94]], [13.94], [("blank", "A3"), ("blank", "B3"), ("blank", "C3")], 2),
    ],
    "duplicates": [
        Made([SHORT, one(), one()], [13.94, 13.94]),  # told when they are held against each other
        Made([[*SHORT, "元/台时"], [*one(), 111]], [13.94], [("missing", "E2")], 2),
        Made([SHORT, one(), SHORT, one(14)], [13.94, 14], terms=OF_CARD),
    ],
    "wide tables": [
        Made([["日期", "供应商", "型号", "元/卡时", "元/卡月"], [*one(), 6800], [*one(None, "L20"), 2000]], [13.94, 6800, 2000]),
        Made([["日期", "供应商", "型号", "按量(元/卡时)", "1年预留(元/卡时)", "竞价(元/卡时)"], [*one(), 9, None]], [13.94, 9],
             terms=OF_CARD),
        Made([["日期", "供应商", "型号", "1卡价(元/小时)", "8卡价(元/小时)"], [*one(14), 110]], [14, 110]),
        Made([["日期", "供应商", "型号", "元/卡时", "元/卡/年"], [*one(), 90000]], [13.94], [("other-period", "E2")], 2),
    ],
    "numbers counted in 万 or thousands": [
        Made([[*SHORT[:3], "价格（万元/台月）", "卡数"], [*one(7.5), 8]], [75000], [("header-scale", "D2")], terms=OF_MACHINE),
        Made([[*SHORT[:3], "价格（千元/卡月）"], one(4.464)], [4464], [("header-scale", "D2")], terms={"period": "month"}),
        Made("date,provider,gpu,Price (USD cents/GPU/hr)\n2026-11-01,a,H20,210\n", [2.1], [("header-scale", "D2")],
             terms={"currency": "USD"}),
        Made([[*SHORT[:3], "价格（万元/卡月）"], one("0.4万"), one(0.4)], [4000], [
            ("unit-conflict", "D2"), ("header-scale", "D3"), ("number-as-text", "D2")], 2),
    ],
    "a second table under the first": [
        Made([SHORT, one(), [], [*SHORT[:3], "$/卡时"], one(2), one(3)], [13.94], [("other-header", "A4")], 3, OF_CARD),
        Made([SHORT, one(), ["型号", "包月价(元/卡月)", "供应商", "日期"], ["L20", 2880, "乙", DAY]], [13.94],
             [("other-header", "A3")], 2),
        Made([SHORT, one(), [None, None, None, "$/卡时"], one(2)], [13.94], [("other-header", "D3")], 2),
        Made([[*SHORT[:3], "价格"], [None, None, None, "元/卡时"], one(), [*SHORT[:3], "价格"], [None, None, None, "$/卡时"], one(2)],
             [13.94], [("other-header", "A4")], 3),
        Made([[*SHORT[:3], "价格"], [None, None, None, "元/卡时"], one(), [*SHORT[:3], "价格"], [None, None, None, "元/卡时"], one(2)],
             [13.94, 2], terms=OF_CARD),
        Made([SHORT, one(), one("元/卡时", "L20"), one(3, "A10")], [13.94, 3], [("not-a-number", "D3")], 3),  # a slip, no header
    ],
    "texts of any encoding": [
        Made("日期,供应商,型号,元/卡时\n2026-11-01,甲,H20,13.94\n", [13.94], terms=OF_CARD, encoding="gb18030"),
        Made("\ufeff日期;供应商;型号;元/卡时\n2026-11-01;甲;H20;13.94\n", [13.94], terms=OF_CARD),
        Made("日期\t供应商\t型号\t元/卡时\n2026-11-01\t甲\tH20\t13.94\n", [13.94], terms=OF_CARD, encoding="utf-16"),
        Made("日期,供应商,型号,元/卡时\n2026-11-01,甲,H20,13,94\n2026-11-01,甲,L20,4\n", [4], [("beyond-header", "E2")], 2),
    ],
    "books as people dress them": [
        Made([HEAD, row()], [13.94], change=with_bars),
        Made([HEAD, row()], [13.94], change=with_choices),
        Made([HEAD, row(日期=day(1)), row(日期=day(2))], [13.94] * 2, change=lambda sheet: sheet.protection.enable()),
    ],
}  # fmt: skip


@pytest.mark.parametrize("title", ["价格(元/GB显存)", "价格(元/百卡时)", "租金(元/千卡时)", "单价(元/PFLOPS)"])
def test_a_price_of_something_else_is_refused(title: str, tmp_path: Path) -> None:
    with pytest.raises(CannotRead) as refused:
        Made([[*SHORT[:3], title], one()], []).read(tmp_path)
    [finding] = refused.value.findings
    assert (finding.code, finding.place.cell, finding.raw) == ("words-of-header", "D1", title) and "--map price=COLUMN" in finding.en
    given = {"currency": "CNY", "per": "card", "period": "hour"}
    named = read_table(tmp_path / "p.xlsx", PriceRow, mapping={title: "price"}, fixed=given)
    assert [row.price for row in named.rows] == [13.94]  # a person has said what it is


@every_file(KINDS)
def test_sheets(made: Made, tmp_path: Path) -> None:
    holds(made, tmp_path)
