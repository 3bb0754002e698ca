"""The lower part of the sheet Variance: the closed months by cost centre and by workload, and what is assigned to neither."""

from __future__ import annotations

from gpusheet.registry import find_rule
from gpusheet.units import MoneyPerMonth, Number, Share, Text, unit_of
from gpusheet.workbook.budget_layout import BLOCKED, COUNTED, DRIVER, MONTHS
from gpusheet.workbook.checks_sheet import Check
from gpusheet.workbook.results.lists import put_head, ruled
from gpusheet.workbook.results.register import register
from gpusheet.workbook.results.spend import spend
from gpusheet.workbook.results.timeline import Timeline

TEXT, NUMBER, AMOUNT, SHARE = unit_of(Text), unit_of(Number), unit_of(MoneyPerMonth), unit_of(Share)
SPARE_CENTRES = 3
FIGURES = 4  # columns from DRIVER on: budget, actual, variance, percent
AFTER = 2  # lines under a list for what it does not name


def put_shares(time: Timeline) -> None:
    """Notes the first lines of the lists as `centres` and `workloads`, their last as `centres_last` and `workloads_last`."""
    parts, say = time.parts, time.parts.say
    names = {one.cost_centre.casefold() for one in parts.inputs.workloads if one.cost_centre}
    count = parts.count("centres", min(parts.span.count, len(names) + SPARE_CENTRES))
    centres = time.line + 3
    workloads = centres + count + AFTER + 6
    rows = parts.rows[time.name]
    rows |= {"centres": centres, "centres_last": centres + count - 1, "workloads": workloads,
             "workloads_last": workloads + parts.span.count - 1}  # fmt: skip
    of = register(parts)
    number = of.column("centre_number")
    budget = f"$D${workloads}:$D${rows['workloads_last']}"
    whole, others = f"COUNT({budget})=Budget!{COUNTED}", f"$H${rows['others']}"

    centre, title = say("Cost centre", "成本中心"), say("Closed months by cost centre", "已发生月份：按成本中心")
    _heads(time, centres, title, centre, say("Line", "行号"))
    lines = of.column("centre_line")
    line = f'=IF($A{centres}>MAX({number}),"",INDEX({lines},MATCH($A{centres},{number},0)))'
    time.fill(3, count, line, NUMBER)
    time.fill(2, count, f'=IF($C{centres}="","",INDEX({of.column("cost_centre")},$C{centres}))', TEXT)
    planned = f'CHOOSE(1+($C{centres}<>"")*(1+({whole})),"",Budget!{BLOCKED},SUMIFS({budget},{lines},$C{centres}))'
    _figures(time, centres, count, planned, _spent(time, "centre_line", f"$C{centres}"), f'$C{centres}<>""')
    without = f"SUMIFS({budget},{of.column('centre_line')},0)"
    _others(time, "centres", f"CHOOSE(1+({whole})*COUNT({others}),Budget!{BLOCKED},{without}+{others})", "centre")

    _heads(time, workloads, say("Closed months by workload", "已发生月份：按业务"), say("Workload", "业务"), centre)
    for column, source in ((2, "workload"), (3, "cost_centre")):
        time.fill(column, parts.span.count, f"=INDEX({of.column(source)},$A{workloads})", TEXT)
    top = parts.budget.blocks["month_cost"]
    cost = f"INDEX(Budget!${time.first}${top}:${time.last}${top + parts.span.count - 1},$A{workloads},0)"
    planned = f'IF(COUNT({cost})=Budget!{MONTHS},SUMIFS({cost},{time.months(rows["closed"])},1),"")'
    _figures(time, workloads, parts.span.count, planned, _spent(time, "workload_line", f"$A{workloads}"), f'$B{workloads}<>""')
    _others(time, "workloads", others, "workload")
    time.line = workloads + parts.span.count + AFTER + 1
    _checks(time, number)


def _heads(time: Timeline, top: int, title: str, first: str, second: str) -> None:
    time.line = top - 3
    time.head(title, None)
    say = time.parts.say
    labels = [(2, first, TEXT), (3, second, TEXT), (DRIVER, say("Budget", "预算"), AMOUNT), (DRIVER + 1, say("Actual", "实际"), AMOUNT),
              *((DRIVER + 2 + offset, find_rule(name).label(time.parts.lang), find_rule(name).unit)
                for offset, name in enumerate(("spend_variance", "variance_share")))]  # fmt: skip
    for column, label, unit in labels:
        put_head(time.parts, time.sheet, top - 2, column, label, AMOUNT if column == DRIVER + 2 else unit)
    time.line = top


def _spent(time: Timeline, column: str, line: str) -> str:
    of = spend(time.parts)
    return f"SUMIFS({of.column('counted')},{of.column(column)},{line})"


def _figures(time: Timeline, top: int, count: int, planned: str, spent: str, there: str) -> None:
    """Budget, actual, variance and percent down a list; actual is blocked while that of a month is."""
    time.line = top
    time.numbers(count)
    known = f"$H${time.parts.rows[time.name]['actual']}"
    actual = f'CHOOSE(1+({there})*(1+(COUNT({known})=1)),"",Budget!{BLOCKED},{spent})'
    variance = ruled("spend_variance", actual=f"$E{top}", budget=f"$D{top}")
    share = ruled("variance_share", variance=f"$F{top}", budget=f"$D{top}")
    for offset, (formula, unit) in enumerate(((planned, AMOUNT), (actual, AMOUNT), (variance, AMOUNT), (share, SHARE))):
        time.fill(DRIVER + offset, count, f"={formula}", unit)


def _others(time: Timeline, key: str, planned: str, column: str) -> None:
    """Spend that names something else, spend that names nothing with the costs that no line has, and the total."""
    parts, rows = time.parts, time.parts.rows[time.name]
    top, last = rows[key], rows[f"{key}_last"]
    say = parts.say
    known = f"$H${rows['actual']}"
    labels = (say("Named in Actuals, not in Workloads", "实际支出中有、业务表中无"),
              say("Not assigned; costs other than cards", "未分摊；非 GPU 费用"))  # fmt: skip
    of = spend(parts)
    for offset, (label, budget, named) in enumerate(zip(labels, ("0", planned), (1, 0), strict=True), 1):
        row = last + offset
        which = f"{of.column(f'{column}_line')},0,{of.column(f'{column}_named')},{named}"
        spent = f"IF(COUNT({known})=1,SUMIFS({of.column('counted')},{which}),Budget!{BLOCKED})"
        parts.look.text(time.sheet.cell(row, 2, label))
        for column_at, formula in ((DRIVER, f"={budget}"), (DRIVER + 1, f"={spent}")):
            parts.put(time.sheet, row, column_at, formula, AMOUNT)
        _compare(time, row)
    total = last + AFTER + 1
    rows[f"{key}_total"] = total
    parts.look.text(time.sheet.cell(total, 2, time.words["total"]), bold=True)
    lists = {"centres": f"COUNT($C{top}:$C{last})", "workloads": f"Budget!{COUNTED}"}
    for letter, column_at in (("D", DRIVER), ("E", DRIVER + 1)):
        cells = f"{letter}{top}:{letter}{total - 1}"
        formula = f"=IF(COUNT({cells})={lists[key]}+ROWS({letter}{last + 1}:{letter}{total - 1}),SUM({cells}),Budget!{BLOCKED})"
        parts.put(time.sheet, total, column_at, formula, AMOUNT, total=True)
    _compare(time, total, total=True)


def _compare(time: Timeline, row: int, total: bool = False) -> None:
    variance = ruled("spend_variance", actual=f"$E{row}", budget=f"$D{row}")
    share = ruled("variance_share", variance=f"$F{row}", budget=f"$D{row}")
    time.parts.put(time.sheet, row, DRIVER + 2, f"={variance}", AMOUNT, total=total)
    time.parts.put(time.sheet, row, DRIVER + 3, f"={share}", SHARE, total=total)


def _checks(time: Timeline, number: str) -> None:
    parts, rows, name = time.parts, time.parts.rows[time.name], time.name
    for key, en, zh in (("centres", "cost centre", "成本中心"), ("workloads", "workload", "业务")):
        for letter, of, english, chinese in (("D", "budget", "budget", "预算"), ("E", "actual", "actual", "实际")):
            cell, whole = f"{name}!${letter}${rows[f'{key}_total']}", f"{name}!$H${rows[of]}"
            parts.checks.append(Check(
                f"Variance: {english} by {en} against the months", f"预算与实际：按{zh}的{chinese}与按月一致", name,
                f"=IF(COUNT({cell},{whole})=2,{cell}-{whole},0)", "A formula of Variance was changed.",
                "“预算与实际”公式被改动。", tolerance="0.01"))  # fmt: skip
    parts.checks.append(Check(
        "Cost centres beyond the lines of Variance", "超出行数的成本中心", name,
        f"=MAX(0,MAX({number})-ROWS({name}!$A${rows['centres']}:$A${rows['centres_last']}))",
        "Run `gpusheet budget` on this workbook: the new one has room for all.",
        "对本工作簿运行 gpusheet budget，新生成的文件会扩充行数。"))  # fmt: skip
