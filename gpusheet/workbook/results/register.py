"""The sheet Register: a row per workload with its places in other tables, and its run-rate month now and before; under
it a row for each row of Earlier.
"""

from __future__ import annotations

from gpusheet.catalog import columns
from gpusheet.catalog.planning import Earlier
from gpusheet.units import (
    Cards,
    Flag,
    Hours,
    Money,
    MonthNumber,
    Number,
    PerCardMonth,
    Periods,
    Rate,
    Ratio,
    Share,
    Text,
    Unit,
    unit_of,
)
from gpusheet.workbook.grid import fill_block
from gpusheet.workbook.layout import NAME_ROW, STATUS_ROW, TABLE_FIRST
from gpusheet.workbook.results.lists import Item, Listed, put_list, ruled
from gpusheet.workbook.results.months import RUN_RATE
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.style import printing, protect, set_widths

NAME = "Register"
EARLIER = f"{NAME}!$D$3"  # 1 where there is an earlier budget
SPARE_EARLIER = 5  # rows that may be added before the book has to be made anew
EARLIER_COLUMNS = (
    "number", "workload", "billed_cards", "card_price", "currency", "rate", "usable", "workload_line", "removed", "removed_number",
)  # fmt: skip
TEXT, NUMBER, FLAG = unit_of(Text), unit_of(Number), unit_of(Flag)


def put_register(parts: Parts) -> None:
    """Notes the lists as `register` and `earlier`."""
    count = parts.count("earlier", parts.placed["Earlier"].last - parts.placed["Earlier"].first + 1 + SPARE_EARLIER)
    head = TABLE_FIRST + parts.span.count + 2
    earlier = Listed(NAME, head + 3, head + 2 + count, dict(zip(EARLIER_COLUMNS, "ABCDEFGHIJ", strict=True)))
    items = [*_places(parts), *_now(parts), *_before(parts, earlier)]
    sheet = parts.sheet(NAME, len(items))
    parts.look.text(sheet.cell(3, 2, parts.say("There is an earlier budget (1/0)", "有上期预算（1/0）")), bold=True)
    fill_block(sheet, parts.look, 3, 1, 4, 1, "=1*(COUNTA(Earlier[workload])>0)", FLAG)
    listed = put_list(parts, sheet, TABLE_FIRST, parts.span.count, items, keys=True)
    set_widths(sheet, (6, 26, *[14] * (len(items) - 2)))
    parts.look.group(sheet, head - 1, parts.say("Rows of Earlier", "上期预算各行"), len(items))
    made = put_list(parts, sheet, earlier.first, count, _rows(listed), keys=True)
    assert made == earlier
    sheet.freeze_panes = f"C{TABLE_FIRST}"
    last = listed.letters[items[-1].name]
    printing(sheet, parts.lang, f"{TABLE_FIRST - 3}:{TABLE_FIRST - 1}", f"A1:{last}{earlier.last}", "A:B")
    protect(sheet)
    parts.rows["register"], parts.rows["earlier"] = listed, earlier


def register(parts: Parts) -> Listed:
    made: Listed = parts.rows["register"]
    return made


def _looked_up(parts: Parts, name: str, en: str, zh: str, unit: Unit, column: str = "") -> Item:
    """A line of Lookup."""
    row = parts.lookup.rows[name]
    return Item(column or name, en, zh, unit, f"=INDEX({parts.span.row('Lookup', row)},{{number}})")


def _places(parts: Parts) -> list[Item]:
    name, status = parts.span.row("Lookup", NAME_ROW), parts.span.row("Lookup", STATUS_ROW)
    first = TABLE_FIRST - 1
    return [
        Item("number", "No.", "序号", NUMBER, f"=ROW()-ROW($A${first})"),
        Item("workload", "Workload", "业务", TEXT, f"=INDEX({name},{{number}})"),
        Item("status", "Status", "状态", TEXT, f"=INDEX({status},{{number}})"),
        _looked_up(parts, "price_list", "Price list", "价目表", TEXT),
        Item("covered", "Price list has a contract", "价目表有合同", FLAG,
             '=IF({workload}="","",({price_list}<>"")*(COUNTIF(Contracts[price_list],{price_list})>0))'),
        Item("cost_centre", "Cost centre", "成本中心", TEXT,
             '=IF({workload}="","",INDEX(Workloads[cost_centre],{number})&"")'),
        Item("centre_line", "Last line of the cost centre, 0: none", "成本中心末行（0 为无）", NUMBER,
             '=({cost_centre}<>"")*SUMPRODUCT(MAX(({cost_centre:all}={cost_centre})*{number:all}))'),
        Item("centre_first", "First line of the cost centre", "成本中心首行", FLAG,
             '=({cost_centre}<>"")*(SUMPRODUCT(1*({cost_centre:so_far}={cost_centre}))=1)'),
        Item("centre_number", "Number of the cost centre", "成本中心序号", NUMBER,
             '=IF({centre_first}=1,SUM({centre_first:so_far}),"")'),
        _looked_up(parts, "overrides_typed", "Rules replaced by typed values", "人工覆盖数", NUMBER),
        Item("override_number", "Number among those with typed values", "覆盖业务序号", NUMBER,
             '=IF(N({overrides_typed})>0,COUNTIF({overrides_typed:so_far},">0"),"")'),
    ]  # fmt: skip


def _now(parts: Parts) -> list[Item]:
    """The run-rate month of this budget."""
    top = parts.budget.blocks["month_net_cards"]
    cards = f"Budget!${parts.budget.first}${top}:${parts.budget.last}${top + parts.span.count - 1}"
    money, percent = unit_of(PerCardMonth), unit_of(Share)
    card_price = parts.span.row("Sizing", parts.sizing["card_month_price"])
    return [
        Item("cards", "Cards to rent", "待租卡数", unit_of(Cards), f"=INDEX({cards},{{number}},{RUN_RATE})"),
        _looked_up(parts, "hours_per_month", "Hours a month", "每月小时数", unit_of(Hours)),
        _looked_up(parts, "discount", "Discount", "折扣率", percent),
        _looked_up(parts, "price_drift", "Price drift a year", "价格年变动率", percent),
        Item("card_price", "Price of a card, month 1", "单卡月价（首月）", money, f"=INDEX({card_price},{{number}})"),
        _looked_up(parts, "contract_from", "Contract: first month", "合同首月", unit_of(MonthNumber)),
        _looked_up(parts, "contract_to", "Contract: last month", "合同末月", unit_of(MonthNumber)),
        Item("outside_contract", "Price outside the contract, against within", "合同期外与期内价格比", unit_of(Ratio),
             f"=INDEX({parts.span.row('Sizing', parts.sizing['outside_contract'])},{{number}})"),
        Item("contract_factor", "Price against the contract's, run-rate month", "稳态月价格与合同价之比", unit_of(Ratio),
             "=" + ruled("contract_factor", month=RUN_RATE, contract_from="{contract_from}", contract_to="{contract_to}",
                         outside_contract="{outside_contract}")),
        Item("month_price", "Price of a card, run-rate month", "单卡月价（稳态月）", money,
             "=" + ruled("month_price", card_month_price="{card_price}", price_drift="{price_drift}", month=RUN_RATE,
                         contract_factor="{contract_factor}")),
        _looked_up(parts, "chosen_currency", "Currency quoted", "报价币种", TEXT, "currency"),
        _looked_up(parts, "chosen_rate", "Rate", "汇率", unit_of(Rate), "rate"),
        Item("price", "The same as quoted", "原币单卡月价", unit_of(Money),
             "=" + ruled("quoted_price", card_price="{month_price}", rate="{rate}")),
    ]  # fmt: skip


def _before(parts: Parts, rows: Listed) -> list[Item]:
    """The same workload in the earlier budget, and at the old prices: what the bridge starts from."""
    money, rate, cards = unit_of(PerCardMonth), unit_of(Rate), unit_of(Cards)
    line, money_of = "MAX(1,{earlier_line})", rows.own("currency")
    differs = "+".join(f"(INDEX(Earlier[{name}],{line})<>{{{name}}})" for name in ("gpu", "pricing_model"))

    def earlier(name: str) -> str:
        return f'=IF({{earlier_usable}}=1,INDEX({rows.own(name)},{line}),"")'

    def start(*ways: str) -> str:
        return f'=IF(COUNT({{basis}},{{cards}})=2,CHOOSE({{basis}},{",".join(ways)}),"")'

    return [
        Item("earlier_rows", "Rows in Earlier", "上期表内行数", NUMBER,
             '=IF({workload}="","",COUNTIF(Earlier[workload],{workload}))'),
        Item("earlier_line", "Row in Earlier, 0: new", "上期表内行号（0 为新增）", NUMBER,
             "=IF({earlier_rows}=1,MATCH({workload},Earlier[workload],0),0)"),
        Item("earlier_usable", "Complete there", "上期行完整", FLAG,
             f"=IF({{earlier_line}}>0,N(INDEX({rows.own('usable')},{line})),0)"),
        Item("basis", "1 new, 2 earlier, 3 earlier in another currency, 4 old prices",
             "1 新增，2 上期，3 上期另一币种，4 旧价", NUMBER,
             f'=IF({{workload}}="","",CHOOSE(1+{EARLIER},4,1+({{earlier_line}}>0)*(1+(INDEX({money_of},{line})<>{{currency}}))))'),
        _looked_up(parts, "gpu", "GPU", "GPU 型号", TEXT),
        _looked_up(parts, "pricing_model", "Pricing model", "计费方式", TEXT),
        Item("other_card", "Another card or pricing model than earlier", "与上期卡型或计费方式不同", FLAG,
             f"=({{earlier_line}}>0)*({differs}>0)"),
        Item("earlier_cards", "Cards, earlier", "上期卡数", cards, earlier("billed_cards")),
        Item("earlier_price", "Price of a card, earlier", "上期单卡月价", unit_of(Money), earlier("card_price")),
        Item("earlier_rate", "Rate, earlier", "上期汇率", rate, earlier("rate")),
        Item("restated", "Earlier price in the currency of now", "上期价折现币种", unit_of(Money),
             "=" + ruled("restated_price", old_price="{earlier_price}", old_rate="{earlier_rate}", new_rate="{rate}")),
        _looked_up(parts, "old_line", "Row of the old quote", "旧报价行号", NUMBER),
        _looked_up(parts, "old_rate", "Its rate", "旧报价汇率", rate, "quote_rate"),
        Item("old_unit_price", "Old price of a card", "旧报价（每卡每周期）", unit_of(Money),
             '=IF(COUNT({old_line},{quote_rate})=2,INDEX(Prices[price_per_card],{old_line})*{quote_rate},"")'),
        Item("old_period", "Its period", "旧报价周期", TEXT, '=IF({old_line}="","",INDEX(Prices[period],{old_line}))'),
        Item("old_periods", "Periods a month", "每月周期数", unit_of(Periods),
             "=" + ruled("periods_per_month", price_period="{old_period}", hours_per_month="{hours_per_month}")),
        Item("old_card_price", "Price of a card at the old quote, month 1", "旧报价单卡月价（首月）", money,
             "=" + ruled("card_month_price", unit_price="{old_unit_price}", periods_per_month="{old_periods}",
                         discount="{discount}")),
        Item("old_month_price", "The same, run-rate month", "旧报价单卡月价（稳态月）", money,
             "=" + ruled("month_price", card_month_price="{old_card_price}", price_drift="{price_drift}", month=RUN_RATE,
                         contract_factor="{contract_factor}")),
        Item("quote_price", "The same in the currency of now", "旧报价折现币种", unit_of(Money),
             "=" + ruled("quoted_price", card_price="{old_month_price}", rate="{rate}")),
        Item("old_cards", "Cards to begin with", "起点卡数", cards, start("0", "{earlier_cards}", "{earlier_cards}", "{cards}")),
        Item("old_price", "Price to begin with", "起点单卡月价", unit_of(Money),
             start("{price}", "{earlier_price}", "{restated}", "{quote_price}")),
        Item("start_rate", "Rate to begin with", "起点汇率", rate, start("{rate}", "{earlier_rate}", "{rate}", "{rate}")),
    ]  # fmt: skip


def _rows(workloads: Listed) -> list[Item]:
    """Each row of Earlier: whether it is complete, and whether its workload is still there."""
    names = workloads.own("workload")
    fields = {column.name: column for column in columns(Earlier)}

    def typed(name: str) -> Item:
        column, cell = fields[name], f"INDEX(Earlier[{name}],{{number}})"
        formula = f'=IF({{number}}>ROWS(Earlier[workload]),"",CHOOSE(1+({cell}=""),{cell},""))'
        return Item(name, column.en, column.zh, column.unit, formula)

    made = [
        Item("number", "Row of Earlier", "上期表行号", NUMBER, f"=ROW()-ROW($A${workloads.last + 5})"),
        *map(typed, ("workload", "billed_cards", "card_price", "currency", "rate")),
        Item("usable", "Complete", "完整", FLAG,
             '=(COUNT({billed_cards},{card_price},{rate})=3)*({workload}<>"")*({currency}<>"")'),
        Item("workload_line", "Line of the workload now, 0: removed", "现业务行号（0 为已移除）", NUMBER,
             f'=IF({{usable}}=1,IF(COUNTIF({names},{{workload}})=1,MATCH({{workload}},{names},0),0),"")'),
        Item("removed", "Removed", "已移除", FLAG, "=({usable}=1)*({workload_line}=0)"),
        Item("removed_number", "Number among the removed", "移除序号", NUMBER, '=IF({removed}=1,SUM({removed:so_far}),"")'),
    ]  # fmt: skip
    assert tuple(one.name for one in made) == EARLIER_COLUMNS
    return made
