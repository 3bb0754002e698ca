"""Prices of two days side by side: every offer of Prices with its quotes in force on both, and the change."""

from __future__ import annotations

from typing import Any

from openpyxl.formatting.rule import CellIsRule

from gpusheet.registry import find_rule
from gpusheet.units import Days, Flag, Money, NewestDay, Number, Text, unit_of
from gpusheet.workbook.results.lists import Item, Listed, put_list, ruled
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.results.quotes import quotes
from gpusheet.workbook.style import fill

WIDTH = 18
SPARE_OFFERS = 10
TEXT, NUMBER, FLAG, DAY = unit_of(Text), unit_of(Number), unit_of(Flag), unit_of(NewestDay)


def put_price_pairs(parts: Parts, sheet: Any, head: int) -> Listed:
    """The list, with its names in row `head` + 2."""
    parts.look.group(sheet, head - 2, parts.say("Prices side by side", "价格对比"), WIDTH)
    of = quotes(parts)
    say = parts.say

    def quoted(column: str, row: str = "row") -> str:
        return f'=IF({{{row}}}="","",INDEX({of.column(column)},{{{row}}}))'

    alike = "*".join(f"(INDEX({of.column(name)},{{old_row}})={{{name}}})" for name in ("currency", "period"))
    words = [f'"{say(*both)}"' for both in (("new", "新增"), ("not requoted", "未更新报价"), ("not comparable", "不可比"))]
    note = "CHOOSE(1+({{old_day}}=\"\"),CHOOSE(1+({{old_day}}={{new_day}}),CHOOSE(1+{{comparable}},{2},\"\"),{1}),{0})".format(*words)
    price = find_rule("price_change")
    items = [
        Item("number", "No.", "序号", NUMBER, f"=ROW()-ROW($A${head + 2})"),
        Item("price_list", "Price list", "价目表", TEXT, quoted("price_list")),
        Item("gpu", "GPU", "GPU 型号", TEXT, quoted("gpu")),
        Item("pricing_model", "Pricing model", "计费方式", TEXT, quoted("pricing_model")),
        Item("listing", "Listing", "报价项", TEXT, quoted("listing")),
        Item("currency", "Currency", "币种", TEXT, quoted("currency")),
        Item("period", "Period", "计价周期", TEXT, quoted("period")),
        Item("old_day", "Old quote of", "旧报价日", DAY, quoted("old_day")),
        Item("old_price", "Old price of a card", "旧单卡价", unit_of(Money), quoted("price", "old_row")),
        Item("new_day", "New quote of", "新报价日", DAY, quoted("day")),
        Item("new_price", "New price of a card", "新单卡价", unit_of(Money),
             f'=IF({{row}}="","",CHOOSE(1+(INDEX({of.column("same")},{{row}})=1),"",INDEX({of.column("price")},{{row}})))'),
        Item("change", "Change", "变动", price.unit,
             "=" + ruled(price.name, complete="{comparable}=1", old_price="{old_price}", new_price="{new_price}")),
        Item("age", "Age", "报价天数", unit_of(Days),
             f'=IF(COUNT({{new_day}},{parts.cells.value("prepared_on")})=2,{parts.cells.value("prepared_on")}-{{new_day}},"")'),
        Item("stale", "Stale", "过期", FLAG,
             "=" + ruled("stale_alert", price_age_days="{age}", stale_price_days=parts.cells.value("stale_price_days"))),
        Item("note", "Note", "说明", TEXT,
             f'=IF({{row}}="","",{note})'),
        Item("comparable", "Comparable", "可比", FLAG,
             f"=IF(COUNT({{old_row}},{{new_price}})=2,({{new_day}}>{{old_day}})*{alike},0)"),
        Item("row", "Row of Prices", "报价表行号", NUMBER,
             f'=IF({{number}}>MAX({of.column("offer")}),"",INDEX({of.column("number")},MATCH({{number}},{of.column("offer")},0)))'),
        Item("old_row", "Row of the old quote", "旧报价行号", NUMBER, quoted("old_row")),
    ]  # fmt: skip
    offers = {(one.price_list, one.gpu, one.pricing_model, one.listing) for one in parts.inputs.catalog.prices}
    count = parts.count("offers", len(offers) + SPARE_OFFERS)
    listed = put_list(parts, sheet, head + 3, count, items, keys=True)
    for position in (16, 17, 18):  # where a figure is from, for whoever follows it up
        for row in range(listed.first, listed.last + 1):
            parts.look.text(sheet.cell(row, position), color="A6A6A6")
    sheet.auto_filter.ref = f"A{head + 2}:{listed.letters['old_row']}{listed.last}"
    red = CellIsRule(operator="equal", formula=["1"], fill=fill("FFE699"))
    sheet.conditional_formatting.add(f"{listed.letters['stale']}{listed.first}:{listed.letters['stale']}{listed.last}", red)
    return listed
