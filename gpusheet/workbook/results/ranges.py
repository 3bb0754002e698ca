"""The sheet Ranges: low, expected and high cards and cost of every workload at full demand of month 1."""

from __future__ import annotations

from typing import Any

from openpyxl.styles import Alignment
from openpyxl.utils import get_column_letter

from gpusheet.decisions.ranges import CARDS, MEASURES, METHOD
from gpusheet.formula import Facts, cell_formula
from gpusheet.registry import find_rule
from gpusheet.units import Flag, MoneyPerMonth, Number, Text, unit_of
from gpusheet.wiring import facts
from gpusheet.workbook.budget_layout import BLOCKED, COUNTED, TAX
from gpusheet.workbook.checks_sheet import Check
from gpusheet.workbook.grid import fill_block
from gpusheet.workbook.layout import NAME_ROW, STATUS_ROW, TABLE_FIRST
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.style import printing, protect, set_widths

NAME = "Ranges"
FLAG, FIRST = 5, 7  # columns: whether there is a range, and the measures, three ends each
TEXT, NUMBER, FLAG_UNIT = unit_of(Text), unit_of(Number), unit_of(Flag)
EXPECTED = list(CARDS).index("expected")


def put_ranges(parts: Parts) -> None:
    look, lang, span, count = parts.look, parts.lang, parts.span, parts.span.count
    width = FIRST + len(CARDS) * len(MEASURES) - 1
    sheet = parts.sheet(NAME, width)
    first, last = TABLE_FIRST, TABLE_FIRST + count - 1
    _heads(parts, sheet)
    evidence = find_rule("serving_evidence")
    method = f"INDEX({span.row('Lookup', parts.lookup.rows['sizing_method'])},$A{first})"
    fixed = f"INDEX({span.row('Lookup', parts.lookup.rows['fixed_cards'])},$A{first})"
    words = parts.say(f"has no range: only {METHOD} has one|the cards are typed|like cases measured: ",
                      f"无区间：仅 {METHOD} 法提供|卡数为指定值|同类实测：").split("|")  # fmt: skip
    found = f"INDEX({span.row('Sizing', parts.sizing[evidence.name])},$A{first})"
    why = f'CHOOSE(1+E{first}+2*COUNT({fixed}),D{first}&" {words[0]}","{words[2]}"&{found},"{words[1]}")'
    left = (
        (1, f"=ROW()-ROW(A${first - 1})", NUMBER),
        (2, f"=INDEX({span.row('Lookup', NAME_ROW)},$A{first})", TEXT),
        (3, f"=INDEX({span.row('Lookup', STATUS_ROW)},$A{first})", TEXT),
        (4, f"={method}", TEXT),
        (5, f'=IF(C{first}="ok",(D{first}="{METHOD}")*(COUNT({fixed})=0),"")', FLAG_UNIT),
        (6, f'=IF(C{first}="ok",{why},"")', TEXT),
    )
    for column, formula, unit in left:
        fill_block(sheet, look, first, count, column, 1, formula, unit)
    for row in range(first, last + 1):
        look.text(sheet.cell(row, 1), color="A6A6A6")
    for number in range(len(CARDS)):
        _end(parts, sheet, number)
    look.text(sheet.cell(last + 1, 2, parts.say("Total", "合计")), bold=True)
    note = parts.say("expected where there is no range", "无区间处取预期值")
    look.text(sheet.cell(last + 1, 6, note), color="7F7F7F", italic=True)
    for position in range(len(CARDS) * len(MEASURES)):
        _total(parts, sheet, position)
    set_widths(sheet, (6, 26, 11, 13, 12, 46, *[11] * 9, *[15] * 3))
    sheet.freeze_panes = f"C{first}"
    printing(sheet, lang, f"{first - 3}:{first - 1}", f"A1:{get_column_letter(width)}{last + 1}", "A:B")
    protect(sheet)
    parts.rows[NAME] = {"first": first, "last": last, "total": last + 1}
    _checks(parts, first, last)


def column_of(measure: str, end: str) -> str:
    """The column of an end of a measure."""
    return str(get_column_letter(FIRST + MEASURES.index(measure) * len(CARDS) + list(CARDS).index(end)))


def _heads(parts: Parts, sheet: Any) -> None:
    look, row = parts.look, TABLE_FIRST - 3
    for column, (en, zh) in enumerate((("No.", "序号"), ("Workload", "业务"), ("Status", "状态"), ("Sizing method", "测算方法"),
                                       ("Range (1/0)", "有区间(1/0)"), ("What it rests on", "依据")), 1):  # fmt: skip
        look.header(sheet.cell(row + 1, column, parts.say(en, zh)))
    ends = parts.say("low|expected|high", "低|预期|高").split("|")
    for place, measure in enumerate(MEASURES):
        rule = find_rule(measure)
        for number, end in enumerate(ends):
            column = FIRST + place * len(ends) + number
            look.header(sheet.cell(row, column))
            look.header(sheet.cell(row + 1, column, end))
            unit = sheet.cell(row + 2, column, rule.unit.label(parts.lang))
            look.text(unit, color="7F7F7F", italic=True)
            unit.alignment = Alignment(horizontal="center", vertical="center")
        sheet.cell(row, FIRST + place * len(ends) + EXPECTED).value = rule.label(parts.lang)
    sheet.row_dimensions[row].height = 30


def _end(parts: Parts, sheet: Any, number: int) -> None:
    """The measures of one end: cards of the method, then tier, cards to rent and cost by their rules."""
    look, span, count, first = parts.look, parts.span, parts.span.count, TABLE_FIRST
    end, quantity = list(CARDS.items())[number]
    known = dict(facts())
    places: dict[str, str] = {"tiers": "tiers"}
    for place, measure in enumerate(MEASURES):
        rule, column = find_rule(measure), FIRST + place * len(CARDS) + number
        if place == 0:
            cards = f"INDEX({span.row('Sizing', parts.sizing[quantity])},$A{first})"
            wanted = "$C{0}=\"ok\"" if end == "expected" else "N($E{0})=1"
            formula = f'=IF({wanted.format(first)},{cards},"")'
        else:
            formula = cell_formula(rule.expression, known, lambda name: places.get(name) or _source(parts, name))
        fill_block(sheet, look, first, count, column, 1, formula, rule.unit)
        places[measure] = f"{get_column_letter(column)}{first}"
        known[measure] = Facts("nonnegative")


def _source(parts: Parts, name: str) -> str:
    """A quantity of the workload in Sizing or Lookup, or a named constant."""
    for sheet, rows in (("Sizing", parts.sizing), ("Lookup", parts.lookup.rows)):
        if name in rows:
            return f"INDEX({parts.span.row(sheet, rows[name])},$A{TABLE_FIRST})"
    return name


def _total(parts: Parts, sheet: Any, position: int) -> None:
    first, last = TABLE_FIRST, TABLE_FIRST + parts.span.count - 1
    measure, number = MEASURES[position // len(CARDS)], position % len(CARDS)
    column = FIRST + position
    letter, middle = get_column_letter(column), get_column_letter(column - number + EXPECTED)
    own, expected, flags = (f"{one}{first}:{one}{last}" for one in (letter, middle, f"${get_column_letter(FLAG)}"))
    unit = find_rule(measure).unit
    there = f"(COUNT({expected})=Budget!{COUNTED})" + (f"*Budget!{TAX}" if unit == unit_of(MoneyPerMonth) else "")
    total = f"SUM({own})"
    if number != EXPECTED:
        there += f"*(COUNT({own})=SUM({flags}))"
        total += f"+SUMIFS({expected},{flags},0)"
    parts.put(sheet, last + 1, column, f"=IF({there},{total},Budget!{BLOCKED})", unit, total=True)


def _checks(parts: Parts, first: int, last: int) -> None:
    letter = parts.summary.letters["monthly_cost"]
    summary = f"Summary!${letter}${parts.summary.total}"
    ours = f"{NAME}!${column_of('monthly_cost', 'expected')}${last + 1}"
    parts.checks.append(Check(
        "Ranges: expected cost against Summary", "区间：预期成本与汇总一致", NAME,
        f"=IF(COUNT({summary},{ours})=2,{ours}-{summary},0)", "A formula of Ranges was changed.", "“区间”中的公式被改动。",
        tolerance="0.01"))  # fmt: skip
    low, expected, high = (f"{NAME}!${column_of('cards_needed', end)}${{0}}:${column_of('cards_needed', end)}${{1}}".format(first, last)
                           for end in CARDS)  # fmt: skip
    parts.checks.append(Check(
        "Ranges that do not hold what is expected", "未包含预期值的区间", NAME,
        f'=SUMPRODUCT(({low}<>"")*({low}>{expected}))+SUMPRODUCT(({high}<>"")*({high}<{expected}))',
        "A formula of Ranges or Sizing was changed.", "“区间”或“测算”中的公式被改动。"))  # fmt: skip
