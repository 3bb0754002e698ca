"""The sheet PriceBridge: the run-rate month against an earlier budget, in effects that cross-foot, and prices side by side."""

from __future__ import annotations

from typing import Any

from openpyxl.chart import BarChart, Reference
from openpyxl.chart.legend import LegendEntry
from openpyxl.styles import Alignment

from gpusheet.decisions.price_bridge import EFFECTS
from gpusheet.registry import find_rule
from gpusheet.units import Cards, Days, MoneyPerMonth, MonthNumber, NewestDay, Number, Rate, Share, Text, unit_of
from gpusheet.workbook.budget_layout import BLOCKED, COUNTED, TAX
from gpusheet.workbook.checks_sheet import Check
from gpusheet.workbook.grid import fill_block
from gpusheet.workbook.layout import NEW_DAY, OLD_DAY
from gpusheet.workbook.results.lists import Item, Listed, put_head, put_list, ruled
from gpusheet.workbook.results.months import RUN_RATE
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.results.price_pairs import SPARE_OFFERS, WIDTH, put_price_pairs
from gpusheet.workbook.results.quotes import quotes
from gpusheet.workbook.results.register import EARLIER, register
from gpusheet.workbook.style import printing, protect, set_widths

NAME = "PriceBridge"
STEPS = 14  # first row of the bridge
BROKEN, UNKNOWN = "$C$8", "$C$9"  # rows of Earlier that cannot be used; workloads without an old price where there are none
LIST = 32  # first row of the workloads
SPARE_REMOVED = 3
TEXT, NUMBER, DAY = unit_of(Text), unit_of(Number), unit_of(NewestDay)
MONEY, CARDS, RATE = unit_of(MoneyPerMonth), unit_of(Cards), unit_of(Rate)
QUOTED = find_rule("quoted_price").unit
MEANINGS = {
    "volume_effect": ("more or fewer cards in all, at old shares and prices", "总卡数增减，按旧占比与旧价"),
    "mix_effect": ("other shares of the workloads in all cards, at old prices; new and removed workloads",
                   "各业务卡数占比变化，按旧价；含新增与移除的业务"),
    "price_effect": ("another price of a card in the currency quoted, for the new cards", "原币卡价变化，按新卡数"),
    "fx_effect": ("another exchange rate, for the new cards at new prices", "汇率变化，按新卡数与新价"),
}  # fmt: skip


def put_price_bridge(parts: Parts) -> None:
    """Notes where things are as `PriceBridge`: `workloads`, `removed`, `prices` (lists), `total` and `steps` (rows)."""
    sheet = parts.sheet(NAME, WIDTH)
    removed = parts.count("removed", _removed(parts) + SPARE_REMOVED)
    total = LIST + parts.span.count + removed
    _facts(parts, sheet)
    present = _workloads(parts, sheet, total, removed)
    prices = put_price_pairs(parts, sheet, total + 5)
    _steps(parts, sheet, present, total)
    _chart(parts, sheet)
    set_widths(sheet, (6, 36, 20, 17, *[14] * (WIDTH - 4)))
    sheet.freeze_panes = "C3"
    printing(sheet, parts.lang, "1:2", f"A1:{prices.letters['old_row']}{max(prices.first, prices.last - SPARE_OFFERS)}", "A:B")
    protect(sheet)
    parts.rows[NAME] = {"workloads": present, "removed": LIST + parts.span.count, "prices": prices, "total": total,
                        "steps": STEPS}  # fmt: skip
    _checks(parts, present, prices, total)


def _removed(parts: Parts) -> int:
    names = {one.workload.casefold() for one in parts.inputs.workloads}
    return sum(one.workload.casefold() not in names for one in parts.inputs.plans.earlier)


def _facts(parts: Parts, sheet: Any) -> None:
    say, of, rows = parts.say, register(parts), parts.rows["earlier"]
    filled = '((Earlier[workload]<>"")+(Earlier[billed_cards]<>"")>0)'
    same, fill_in = say("the same cards at the old prices", "相同卡数按旧价"), say("fill Earlier: gpusheet budget --earlier OLD.xlsx",
                                                                    "请填写上期预算：gpusheet budget --earlier OLD.xlsx")  # fmt: skip
    for row, label, formula, unit in (
        (3, say("New prices as of", "新价日期"), f"={NEW_DAY}", DAY),
        (4, say("Old prices as of", "旧价日期"), f"={OLD_DAY}", DAY),
        (5, say("Prices are stale after", "价格过期天数"), f"={parts.cells.value('stale_price_days')}", unit_of(Days)),
        (6, say("Run-rate month", "稳态月"), f"={RUN_RATE}", unit_of(MonthNumber)),
        (7, say("Compared with", "对比对象"), f'=CHOOSE(1+{EARLIER},"{same}",INDEX(Earlier[source],1)&"")', TEXT),
        (8, say("Rows of Earlier that cannot be used", "上期预算中不可用的行"),
         f"=SUMPRODUCT(1*{filled})-SUM({rows.column('usable')})", NUMBER),
        (9, say("Workloads without an old price", "没有旧价的业务数"),
         f"=(1-{EARLIER})*(COUNT({of.column('basis')})-COUNT({of.column('old_price')}))", NUMBER),
        (10, say("What to do", "如何处理"), f'=CHOOSE(1+({UNKNOWN}>0),"","{fill_in}")', TEXT),
    ):
        parts.look.text(sheet.cell(row, 2, label), bold=True)
        parts.put(sheet, row, 3, formula, unit)
        if unit is not TEXT:
            parts.look.text(sheet.cell(row, 4, unit.label(parts.lang)), color="7F7F7F")
        else:
            sheet.cell(row, 3).alignment = Alignment(vertical="center", horizontal="left")


# --- the bridge by workload ---


def _workloads(parts: Parts, sheet: Any, total: int, removed: int) -> Listed:
    parts.look.group(sheet, LIST - 3, parts.say("By workload", "按业务"), WIDTH)
    of = register(parts)

    def known(name: str) -> str:
        return f"=INDEX({of.column(name)},{{number}})"

    words = (("new", "新增"), ("", ""), ("other currency", "币种不同"), ("", ""))
    chosen = f"CHOOSE({known('basis')[1:]},{','.join(chr(34) + parts.say(*both) + chr(34) for both in words)})"
    other = f"CHOOSE(1+{known('other_card')[1:]},{chosen},\"{parts.say('other card or terms', '卡型或计费方式不同')}\")"
    items = [
        Item("number", "No.", "序号", NUMBER, f"=ROW()-ROW($A${LIST - 1})"),
        Item("workload", "Workload", "业务", TEXT, known("workload")),
        Item("note", "Note", "说明", TEXT, f'=IF({{workload}}="","",{other})'),
        Item("currency", "Currency quoted", "报价币种", TEXT, known("currency")),
        Item("old_cards", "Cards, old", "旧卡数", CARDS, known("old_cards")),
        Item("new_cards", "Cards, new", "新卡数", CARDS, known("cards")),
        Item("old_price", "Price of a card, old", "旧单卡月价", QUOTED, known("old_price")),
        Item("new_price", "Price of a card, new", "新单卡月价", QUOTED, known("price")),
        Item("old_rate", "Rate, old", "旧汇率", RATE, known("start_rate")),
        Item("new_rate", "Rate, new", "新汇率", RATE, known("rate")),
        *_effects(total),
        Item("row", "Row of Earlier", "上期表行号", NUMBER, known("earlier_line")),
    ]  # fmt: skip
    listed = put_list(parts, sheet, LIST, parts.span.count, items)
    first = listed.last + 1
    at = Listed(NAME, first, first + removed - 1, listed.letters)
    rows = parts.rows["earlier"]
    removed_rows = f"SUM({rows.column('removed')})"
    row = f"INDEX({rows.column('number')},MATCH({{number}},{rows.column('removed_number')},0))"

    def gone(name: str) -> str:
        return f'=IF({{row}}="","",INDEX({rows.column(name)},{{row}}))'

    lines = {
        "number": f"=ROW()-ROW($A${first - 1})", "workload": gone("workload"),
        "note": f'=IF({{workload}}="","","{parts.say("removed", "已移除")}")', "currency": gone("currency"),
        "old_cards": gone("billed_cards"), "new_cards": '=IF(COUNT({old_cards})=1,0,"")', "old_price": gone("card_price"),
        "new_price": "={old_price}", "row": f'=IF({{number}}<={removed_rows},{row},"")',
        "old_rate": gone("rate"), "new_rate": "={old_rate}",
    }  # fmt: skip
    for position, item in enumerate(items, 1):
        fill_block(sheet, parts.look, first, removed, position, 1, at.formula(lines.get(item.name, item.formula)), item.unit)
    for line in range(LIST, total):
        parts.look.text(sheet.cell(line, len(items)), color="A6A6A6")
    parts.look.text(sheet.cell(total, 2, parts.say("Total", "合计")), bold=True)
    for name, unit in (("old_cards", CARDS), ("new_cards", CARDS), *((name, MONEY) for name in ("old_cost", *EFFECTS, "new_cost"))):
        letter = listed.letters[name]
        cells = f"{letter}{LIST}:{letter}{total - 1}"
        tax = "" if unit is CARDS else f"*Budget!{TAX}"
        whole = f"(COUNT({cells})=Budget!{COUNTED}+{removed_rows})*({BROKEN}=0){tax}"
        parts.put(sheet, total, _position(items, name), f"=IF({whole},SUM({cells}),Budget!{BLOCKED})", unit, total=True)
    return listed


def _position(items: list[Item], name: str) -> int:
    return next(position for position, item in enumerate(items, 1) if item.name == name)


def _effects(total: int) -> list[Item]:
    at = {name: f"{{{name}}}" for name in ("old_cards", "new_cards", "old_price", "new_price", "old_rate", "new_rate")}
    at |= {"old_total": f"$E${total}", "new_total": f"$F${total}"}
    cost = find_rule("cards_cost")

    def side(name: str) -> str:
        return "=" + ruled(cost.name, cards=at[f"{name}_cards"], price=at[f"{name}_price"], rate=at[f"{name}_rate"])

    made = [Item("old_cost", "Cost, old", "旧成本", MONEY, side("old"))]
    for name in EFFECTS:
        rule = find_rule(name)
        made.append(Item(name, rule.en, rule.zh, MONEY, "=" + ruled(name, **{p.name: at[p.name] for p in rule.parameters})))
    return [*made, Item("new_cost", "Cost, new", "新成本", MONEY, side("new"))]


# --- the bridge in total ---


def _steps(parts: Parts, sheet: Any, listed: Listed, total: int) -> None:
    look, say = parts.look, parts.say
    look.group(sheet, STEPS - 3, say("From the old to the new cost of the run-rate month", "稳态月成本：由旧至新"), WIDTH)
    share = unit_of(Share)
    heads = ((say("Step", "步骤"), TEXT), (say("Amount", "金额"), MONEY), (say("Of the old cost", "占旧成本"), share),
             (say("Chart: under", "图：底"), MONEY), (say("Cost", "成本"), MONEY), (say("Increase", "增加"), MONEY),
             (say("Decrease", "减少"), MONEY))  # fmt: skip
    for position, (label, unit) in enumerate(heads, 2):
        put_head(parts, sheet, STEPS - 2, position, label, unit)
    last = STEPS + len(EFFECTS) + 1
    ready = f"COUNT($C${STEPS}:$C${last})=ROWS($C${STEPS}:$C${last})"
    for row, name in enumerate(("old_cost", *EFFECTS, "new_cost"), STEPS):
        label = find_rule(name).label(parts.lang) if name in EFFECTS else say(*{"old_cost": ("Old cost", "旧成本"),
                                                                               "new_cost": ("New cost", "新成本")}[name])  # fmt: skip
        look.text(sheet.cell(row, 2, label), bold=name not in EFFECTS)
        parts.put(sheet, row, 3, f"={listed.letters[name]}{total}", MONEY, total=name not in EFFECTS)
    ends, steps = (STEPS, last), (STEPS + 1, len(EFFECTS))
    for row in ends:
        fill_block(sheet, look, row, 1, 6, 1, f'=IF({ready},C{row},"")', MONEY)
    first, count = steps
    share_of = ruled("variance_share", variance=f"C{first}", budget=f"$C${STEPS}")
    before = f"SUM($C${STEPS}:C{first - 1})"
    for column, formula, unit in (
        (4, share_of, share), (5, f'IF({ready},MAX(0,MIN({before},{before}+C{first})),"")', MONEY),
        (7, f'IF({ready},MAX(0,C{first}),"")', MONEY), (8, f'IF({ready},MAX(0,-C{first}),"")', MONEY),
    ):  # fmt: skip
        fill_block(sheet, look, first, count, column, 1, "=" + formula, unit)
    for row, name in enumerate(EFFECTS, last + 2):
        text = f"{find_rule(name).label(parts.lang)}{say(': ', '：')}{say(*MEANINGS[name])}"
        look.text(sheet.cell(row, 2, text), color="7F7F7F", italic=True)


def _chart(parts: Parts, sheet: Any) -> None:
    """The waterfall: columns on an unseen base."""
    chart: Any = BarChart()
    chart.type, chart.grouping, chart.overlap = "col", "stacked", 100
    chart.title = parts.say("Cost of the run-rate month, old to new", "稳态月成本：由旧至新")
    last = STEPS + len(EFFECTS) + 1
    chart.add_data(Reference(sheet, min_col=5, max_col=8, min_row=STEPS - 2, max_row=last), titles_from_data=True)
    return _finish_chart(chart, sheet, last)


def _finish_chart(chart: Any, sheet: Any, last: int) -> None:
    for series in chart.series:
        for reference in (series.val.numRef,):  # the line of units under the heads is no value
            reference.f = reference.f.replace(f"${STEPS - 1}:", f"${STEPS}:")
    chart.set_categories(Reference(sheet, min_col=2, min_row=STEPS, max_row=last))
    for series, color in zip(chart.series, ("", "2F5597", "F4B183", "A9D18E"), strict=True):
        if color:
            series.graphicalProperties.solidFill = color
        else:
            series.graphicalProperties.noFill = True
    chart.x_axis.delete = chart.y_axis.delete = False
    chart.y_axis.number_format, chart.gapWidth = "#,##0", 50
    chart.legend.position = "b"
    chart.legend.legendEntry = [LegendEntry(idx=0, delete=True)]  # the unseen base
    chart.height, chart.width = 8.5, 21
    sheet.add_chart(chart, f"J{STEPS - 3}")


# --- checks ---


def _checks(parts: Parts, listed: Listed, prices: Listed, total: int) -> None:
    def cell(name: str) -> str:
        return f"{NAME}!${listed.letters[name]}${total}"

    whole = f"{NAME}!${listed.letters['old_cost']}${total}:${listed.letters['new_cost']}${total}"
    effects = "+".join(cell(name) for name in ("old_cost", *EFFECTS))
    row = parts.budget.rows["month_cost"]
    budget = f"INDEX(Budget!${parts.budget.first}${row}:${parts.budget.last}${row},{RUN_RATE})"
    parts.checks += [
        Check("Price bridge: old cost and effects against the new cost", "价格差异：旧成本加各项影响与新成本一致", NAME,
              f"=IF(COUNT({whole})={len(EFFECTS) + 2},{effects}-{cell('new_cost')},0)",
              "A formula of the bridge was changed.", "差异公式被改动。", tolerance="0.01"),
        Check("Price bridge against Budget: cost of the run-rate month", "价格差异与预算一致：稳态月成本", NAME,
              f"=IF(COUNT({cell('new_cost')},{budget})=2,{cell('new_cost')}-{budget},0)",
              "A formula of Register or of the bridge was changed.", "业务索引或差异公式被改动。", tolerance="0.01"),
        Check("Rows of Earlier that cannot be used: a cell is blank or text", "上期预算中不可用的行：缺项或文本", "Earlier",
              f"={NAME}!{BROKEN}", "Complete workload, cards, price, currency and rate.",
              "补全业务、卡数、单价、币种与汇率。"),
        Check("Workloads that stand twice in Earlier", "上期预算中重复的业务", "Earlier",
              f'=COUNTIF({register(parts).column("earlier_rows")},">1")', "Leave one row for each workload.",
              "每个业务只保留一行。"),
        Check("Offers beyond the lines of PriceBridge", "超出价格对比行数的报价", NAME,
              f"=MAX(0,MAX({quotes(parts).column('offer')})-ROWS({prices.column('number')}))",
              "Run `gpusheet budget` on this workbook: the new one compares all prices.",
              "对本工作簿运行 gpusheet budget，新生成的文件会比较全部报价。"),
    ]  # fmt: skip


