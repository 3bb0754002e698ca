"""The sheet Spend: each row of Actuals with its month of the budget, its amount in the budget currency, and its workload."""

from __future__ import annotations

from gpusheet.units import Date, Flag, Money, MonthNumber, Number, Rate, Text, Unit, unit_of
from gpusheet.workbook.budget_layout import MONTHS
from gpusheet.workbook.checks_sheet import Check
from gpusheet.workbook.layout import TABLE_FIRST
from gpusheet.workbook.results.lists import Item, Listed, put_list, ruled
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.results.register import register
from gpusheet.workbook.style import printing, protect, set_widths

NAME = "Spend"
SPARE = 60  # rows that may be added before the book has to be made anew
TEXT, NUMBER, FLAG, MONEY = unit_of(Text), unit_of(Number), unit_of(Flag), unit_of(Money)


def put_spend(parts: Parts) -> None:
    """Notes the list as `spend`."""
    count = parts.count("spend", len(parts.inputs.plans.actuals) + SPARE)
    items = _items(parts)
    sheet = parts.sheet(NAME, len(items))
    listed = put_list(parts, sheet, TABLE_FIRST, count, items, keys=True)
    set_widths(sheet, (9, 13, 15, 10, 26, 20, *[13] * (len(items) - 6)))
    sheet.freeze_panes = f"C{TABLE_FIRST}"
    last = listed.letters[items[-1].name]
    printing(sheet, parts.lang, f"{TABLE_FIRST - 3}:{TABLE_FIRST - 1}", f"A1:{last}{listed.last}", "A:B")
    protect(sheet)
    parts.rows["spend"] = listed
    parts.checks.append(Check(
        "Actuals beyond the lines of Spend", "超出归集行数的实际支出", NAME,
        f"=MAX(0,ROWS(Actuals[month])-ROWS({listed.column('number')}))",
        "Run `gpusheet budget` on this workbook: the new one has room for all.",
        "对本工作簿运行 gpusheet budget，新生成的文件会扩充行数。"))  # fmt: skip


    for name, en, zh, todo_en, todo_zh in (
        ("unknown", "Actuals that name a workload which is none", "业务名不在清单中的实际支出",
         "They count for their month, but for no workload: correct the name in Actuals, or leave it blank.",
         "计入当月合计，但不归属任何业务：请更正业务名或留空。"),
        ("beside", "Actuals without a provider beside a bill of the same month and workload", "未填供应商且同月同业务已有账单的支出",
         "The same spend may stand twice: delete the row that was typed if the bill holds it.",
         "同一支出可能重复计入：若账单已包含，请删除手填行。"),
    ):  # fmt: skip
        parts.alerts.append(Check(en, zh, "Actuals", f"=SUM({listed.column(name)})", todo_en, todo_zh))


def spend(parts: Parts) -> Listed:
    made: Listed = parts.rows["spend"]
    return made


def _items(parts: Parts) -> list[Item]:
    of, start, currency = register(parts), parts.cells.value("budget_start"), parts.cells.value("currency")
    pair = f"FX[currency],{{currency}},FX[budget_currency],{currency}"
    names, centres = of.column("workload"), of.column("cost_centre")

    def typed(name: str, en: str, zh: str, unit: Unit) -> Item:
        cell = f"INDEX(Actuals[{name}],{{number}})"
        return Item(name, en, zh, unit, f'=IF({{number}}>ROWS(Actuals[month]),"",CHOOSE(1+({cell}=""),{cell},""))')

    return [
        Item("number", "Row of Actuals", "实际支出行号", NUMBER, f"=ROW()-ROW($A${TABLE_FIRST - 1})"),
        typed("month", "Month", "月份", unit_of(Date)),
        typed("amount", "Amount", "金额", MONEY),
        typed("currency", "Currency", "币种", TEXT),
        typed("workload", "Workload", "业务", TEXT),
        typed("cost_centre", "Cost centre", "成本中心", TEXT),
        typed("provider", "Provider", "供应商", TEXT),
        Item("filled", "Filled in", "已填写", FLAG, '=1*({month}&{amount}&{currency}&{workload}&{cost_centre}<>"")'),
        Item("months_in", "Months from the first", "距首月（第几月）", unit_of(MonthNumber),
             f'=IF(COUNT({{month}},{start})=2,(YEAR({{month}})-YEAR({start}))*12+MONTH({{month}})-MONTH({start})+1,"")'),
        Item("month_number", "Month of the budget, 0: outside", "预算第几月（0 为期外）", unit_of(MonthNumber),
             f'=IF(COUNT({{months_in}})=1,{{months_in}}*({{months_in}}>0)*({{months_in}}<=Budget!{MONTHS}),"")'),
        Item("rates", "Rates in FX", "汇率条数", NUMBER, f'=({{currency}}<>"")*COUNTIFS({pair})'),
        Item("quoted", "Rate quoted", "所列汇率", unit_of(Rate), f"=SUMIFS(FX[rate],{pair})"),
        Item("rate", "Rate", "汇率", unit_of(Rate),
             f'=CHOOSE(1+({{currency}}={currency})+2*({{rates}}=1)*({{currency}}<>{currency}),"",1,{{quoted}})'),
        Item("budget_amount", "Amount in the budget currency", "折合预算币种金额", MONEY,
             "=" + ruled("converted_spend", amount="{amount}", rate="{rate}")),
        Item("usable", "Usable", "可用", FLAG,
             '=IF({filled}=1,(COUNT({month_number},{budget_amount})=2)*(N({rate})>0),"")'),
        Item("counted", "Counted in a month", "计入金额", MONEY,
             "=IF((N({usable})=1)*(N({month_number})>0),{budget_amount},0)"),
        Item("workload_named", "Workload named", "已填业务", FLAG, '=1*({workload}<>"")'),
        Item("workload_line", "Its line, 0: none", "业务行号（0 为无）", NUMBER,
             f"=IF({{workload_named}}*COUNTIF({names},{{workload}})=1,MATCH({{workload}},{names},0),0)"),
        Item("centre", "Cost centre, or the workload's", "成本中心（或业务所属）", TEXT,
             f'=CHOOSE(1+({{cost_centre}}<>"")+2*({{cost_centre}}="")*({{workload_line}}>0),"",{{cost_centre}},'
             f"INDEX({centres},MAX(1,{{workload_line}})))"),
        Item("centre_named", "Cost centre known", "有成本中心", FLAG, '=1*({centre}<>"")'),
        Item("centre_line", "Last line of the cost centre, 0: none", "成本中心末行（0 为无）", NUMBER,
             f"={{centre_named}}*SUMPRODUCT(MAX(({centres}={{centre}})*{of.column('number')}))"),
        Item("unknown", "Names a workload that is none", "业务名不在清单中", FLAG,
             "=IF(N({usable})=1,{workload_named}*({workload_line}=0),0)"),
        Item("beside", "No provider, beside a bill of the month", "未填供应商且同月已有账单", FLAG,
             '=IF((N({usable})=1)*({provider}="")*{workload_named},'
             '1*(COUNTIFS({month_number:all},{month_number},{workload:all},{workload},{provider:all},"?*")>0),0)'),
    ]  # fmt: skip
