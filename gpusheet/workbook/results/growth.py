"""The sheet Growth: when each workload outgrows the cards it has, by when more have to be ordered, the tier wall's cost."""

from __future__ import annotations

from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import Alignment
from openpyxl.worksheet.pagebreak import Break

from gpusheet.calendar import LINES
from gpusheet.decisions.growth import STEPS, WALL
from gpusheet.formula import Facts, cell_formula
from gpusheet.registry import find_rule
from gpusheet.units import Cards, Date, Flag, MoneyPerMonth, MonthNumber, Number, Share, Text, Unit, unit_of
from gpusheet.workbook.budget_layout import BLOCKED, COUNTED, DATE_ROW, MONTHS, TAX, WORDS
from gpusheet.workbook.checks_sheet import Check
from gpusheet.workbook.grid import fill_block, fill_right
from gpusheet.workbook.layout import NAME_ROW, STATUS_ROW
from gpusheet.workbook.results.months import LEFT_ROW, RUN_RATE, CalendarCells
from gpusheet.workbook.results.months import NAME as CALENDAR
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.style import fill, printing, protect, set_widths

NAME = "Growth"
FIRST, MORE = 4, 4 + STEPS  # columns: steps from D, then whether there are more
MONTH, LEAD, PREPARED, LENGTH = "$C$3", "$F$3", "$I$3", "$L$3"  # run-rate month, lead time, day of the budget, its months
HEAD_ROW = 4
TEXT, NUMBER = unit_of(Text), unit_of(Number)
BLOCKS: tuple[tuple[str, str, str, Unit], ...] = (
    ("order_by", "Order by: the month's first day less the lead time (blank: nothing to rent)",
     "最晚下单日：当月首日减交付周期（空白：无需租用）", unit_of(Date)),
    ("date", "From this month on the cards held do not do", "自该月起现有卡数不足", unit_of(Date)),
    ("month", "The same as a month of the budget", "同上：预算第几月", unit_of(MonthNumber)),
    ("billed", "Cards billed from then on", "此后的计费卡数", unit_of(Cards)),
)  # fmt: skip
WALLS = ("theory", "needed", "billed", "whole_saving", "theory_saving", "month_wall", "wall", "cost", "share")


def put_growth(parts: Parts) -> None:
    _Writer(parts).put()


class _Writer:
    def __init__(self, parts: Parts) -> None:
        self.parts, self.look, self.budget = parts, parts.look, parts.budget
        self.calendar: CalendarCells = parts.rows[CALENDAR]
        self.count = parts.span.count
        self.sheet = parts.sheet(NAME, MORE)
        self.at: dict[str, int] = {}  # block -> first row
        self.line = HEAD_ROW + 2

    def put(self) -> None:
        sheet = self.sheet
        self._facts()
        for name, *_ in BLOCKS:  # they name each other
            self.at[name] = self.line + 1
            self.line += self.count + 2
        for name, en, zh, unit in BLOCKS:
            self._steps(name, self.parts.say(en, zh), unit)
        self._tiers()
        self._wall()
        set_widths(sheet, (6, 26, 12, *[13] * STEPS, 9))
        sheet.freeze_panes = f"D{HEAD_ROW + 1}"
        printing(sheet, self.parts.lang, f"3:{HEAD_ROW}", f"A1:{sheet.cell(1, MORE).column_letter}{self.line}", "A:C")
        protect(sheet)
        self.parts.rows[NAME] = self.at
        self._checks()

    def _facts(self) -> None:
        parts, sheet, look = self.parts, self.sheet, self.look
        facts = (
            (MONTH, "Run-rate month", "稳态月", f"={RUN_RATE}", unit_of(MonthNumber)),
            (LEAD, "Lead time, days", "交付周期（天）", parts.cells.valid_value("lead_time_days"), NUMBER),
            (PREPARED, "Prepared on", "编制日期", f"={parts.cells.value('prepared_on')}", unit_of(Date)),
            (LENGTH, "Months of the budget", "预算月数", f"=Budget!{MONTHS}", NUMBER),
        )
        for place, en, zh, formula, unit in facts:
            cell = sheet[place.replace("$", "")]
            look.text(sheet.cell(cell.row, cell.column - 1, parts.say(en, zh)), bold=True, wrap=True)
            parts.put(sheet, cell.row, cell.column, formula, unit)
        sheet.row_dimensions[3].height = 30
        head = parts.say("Step {}", "第 {} 步")
        for step in range(1, STEPS + 1):
            look.header(sheet.cell(HEAD_ROW, FIRST + step - 1, head.format(step)))
        look.header(sheet.cell(HEAD_ROW, 2, parts.say("Workload", "业务")))
        look.header(sheet.cell(HEAD_ROW, 3, parts.say("Status", "状态")))
        look.header(sheet.cell(HEAD_ROW, MORE, parts.say("More", "更多")))

    def _rows(self, title: str, top: int) -> None:
        """The grey row over a block, and the names of its workloads."""
        sheet, look, span = self.sheet, self.look, self.parts.span
        look.group(sheet, top - 1, title, MORE)
        fill_block(sheet, look, top, self.count, 1, 1, f"=ROW()-ROW(A${top - 1})", NUMBER)
        fill_block(sheet, look, top, self.count, 2, 1, f"=INDEX({span.row('Lookup', NAME_ROW)},$A{top})", TEXT)
        for offset, row in enumerate(range(top, top + self.count)):
            look.text(sheet.cell(row, 1), color="A6A6A6")
            status = f"INDEX({span.row('Lookup', STATUS_ROW)},$A{row})"
            lacking = f'({status}="ok")*(COUNT({self._months("month_cards", offset)})<{LENGTH})'
            fill_right(sheet, look, row, 3, 1, f'=CHOOSE(1+{lacking},{status},"incomplete")', TEXT)

    def _months(self, line: str, offset: int) -> str:
        """A workload's row of Budget, over the months."""
        row = self.budget.blocks[line] + offset
        return f"Budget!${self.budget.first}{row}:${self.budget.last}{row}"

    def _first_above(self, offset: int, size: str, there: str = "") -> str:
        """The first month that needs more cards than a size: the one of them from which it is longest to the end.

        Where the size is a blank no number is above it.
        """
        cards = self._months("month_cards", offset)
        left = f"{CALENDAR}!${self.budget.first}${LEFT_ROW}:${self.budget.last}${LEFT_ROW}"
        above = f"MAX({cards})>{size}"
        test = f"({there})*({above})" if there else above
        return f'=IF({test},{LENGTH}+1-SUMPRODUCT(MAX(({cards}>{size})*{left})),"")'

    def _steps(self, name: str, title: str, unit: Unit) -> None:
        sheet, look, top = self.sheet, self.look, self.at[name]
        self._rows(f"{title}  [{unit.label(self.parts.lang)}]", top)
        rule = find_rule("order_by_day")
        sure = dict.fromkeys((p.name for p in rule.parameters), Facts("any", nullable=False))
        dates = f"Budget!${self.budget.first}${DATE_ROW}:${self.budget.last}${DATE_ROW}"
        for offset in range(self.count):
            if name == "month":
                self._turns(top + offset, offset, unit)
                continue
            month, date = f"D{self.at['month'] + offset}", f"D{self.at['date'] + offset}"
            to_rent = f"N(INDEX({self._months('month_net_cards', offset)},MAX(1,N({month}))))"
            formula = {
                "date": f'=IF(COUNT({month})=1,INDEX({dates},{month}),"")',
                "billed": f'=IF(COUNT({month})=1,INDEX({self._months("month_tier", offset)},{month}),"")',
                "order_by": cell_formula(
                    rule.plain_expression, sure, {"needed_on": date, "lead_time_days": LEAD}.__getitem__,
                    f"(COUNT({date},{LEAD})=2)*({to_rent}>0)"),
            }[name]
            fill_right(sheet, look, top + offset, FIRST, STEPS, formula, unit)
            if name == "billed":
                self.parts.put(sheet, top + offset, FIRST - 1, f'=IF(C{self.at["month"] + offset}="ok",0,"")', unit)  # held before
                last = f"{sheet.cell(1, MORE - 1).column_letter}{top + offset}"
                beyond = f"(COUNT({last})=1)*(MAX({self._months('month_cards', offset)})>N({last}))"
                more = f'=IF($C{top + offset}="","",{beyond})'
                self.parts.put(sheet, top + offset, MORE, more, unit_of(Flag))
        if name == "order_by":
            area = f"D{top}:{sheet.cell(1, MORE - 1).column_letter}{top + self.count - 1}"
            sheet.conditional_formatting.add(area, CellIsRule(operator="lessThan", formula=[PREPARED], fill=fill("FFE699")))

    def _turns(self, row: int, offset: int, unit: Unit) -> None:
        """The months of the steps: each outgrows what the one before was given, the first what is held before."""
        for column in range(FIRST, MORE):
            held = f"{self.sheet.cell(1, column - 1).column_letter}{self.at['billed'] + offset}"
            fill_right(self.sheet, self.look, row, column, 1, self._first_above(offset, held), unit)

    def _tiers(self) -> None:
        """The month in which each tier of the table is outgrown."""
        sheet, look, unit = self.sheet, self.look, unit_of(MonthNumber)
        title = self.parts.say("Month of the budget in which each tier of CardTiers is outgrown", "各卡数档位不再够用的月份")
        top = self.at["tiers"] = self.line + 2
        self._rows(f"{title}  [{unit.label(self.parts.lang)}]", top)
        look.group(sheet, top - 2, sheet.cell(top - 1, 1).value, MORE)
        sheet.cell(top - 1, 1).value = None
        look.header(sheet.cell(top - 1, 2, self.parts.say("Tier, cards", "档位（卡）")))
        number = f"COLUMNS($D${top - 2}:D${top - 2})"
        fill_right(sheet, look, top - 1, FIRST, STEPS, f'=IF({number}<=ROWS(tiers),INDEX(tiers,{number}),"")', unit_of(Cards))
        for column in range(FIRST, FIRST + STEPS):
            look.header(sheet.cell(top - 1, column))
            sheet.cell(top - 1, column).number_format = unit_of(Cards).number_format
        sheet.row_breaks.append(Break(id=top - 3))
        tier = f"D${top - 1}"
        for offset in range(self.count):
            formula = self._first_above(offset, tier, f'$C{top + offset}="ok"')
            fill_right(sheet, look, top + offset, FIRST, STEPS, formula, unit)
        self.line = top + self.count + 1

    def _wall(self) -> None:
        """Cards billed against cards in theory, in the run-rate month and over the budget."""
        sheet, look, parts = self.sheet, self.look, self.parts
        say, lang, lines = parts.say, parts.lang, {line.name: line for line in (*LINES, *WALL)}
        top = self.at["wall"] = self.line + 3
        title = say("The tier wall: cards billed against cards in theory, in the run-rate month (D to I) and over the budget (J to L)",
                    "档位墙：计费卡数与理论卡数，稳态月（D 至 I）与整个预算期（J 至 L）")  # fmt: skip
        self._rows("", top)
        look.group(sheet, top - 3, title, MORE)
        heads = (
            lines["theory_cards"].label(lang), lines["month_cards"].label(lang), lines["month_tier"].label(lang),
            say("Saved if single cards were sold", "若可按单卡购买可节省"),
            say("Saved if cards came in fractions", "若可按小数卡购买可节省"),
            lines["tier_wall_cost"].label(lang), say("Tier wall, all months", "档位墙成本（全部月份）"),
            say("GPU cost, all months", "GPU 费用（全部月份）"), say("Share of the GPU cost", "占 GPU 费用比例"),
        )  # fmt: skip
        cards, money, share = unit_of(Cards), unit_of(MoneyPerMonth), unit_of(Share)
        units = (lines["theory_cards"].rule.unit, cards, cards, share, share, money, money, money, share)
        for column, (head, unit) in enumerate(zip(heads, units, strict=True), FIRST):
            look.header(sheet.cell(top - 2, column, head))
            under = sheet.cell(top - 1, column, unit.label(lang))
            look.text(under, color="7F7F7F", italic=True)
            under.alignment = Alignment(horizontal="center", vertical="center")
        sheet.row_dimensions[top - 2].height = 44
        whole, theory = find_rule("tier_saving"), find_rule("theory_saving")
        known = dict.fromkeys(("cards_before", "cards_theory", "cards_after"), Facts("nonnegative"))
        for offset in range(self.count):
            row = top + offset
            at = {"cards_before": f"F{row}", "cards_theory": f"D{row}", "cards_after": f"E{row}"}
            first, last = self.budget.first, self.budget.last
            blocks = self.calendar.blocks
            ours = {name: f"{CALENDAR}!${first}{blocks[name] + offset}:${last}{blocks[name] + offset}" for name in blocks}
            formulas = (
                f"=INDEX({ours['theory_cards']},{MONTH})", f"=INDEX({self._months('month_cards', offset)},{MONTH})",
                f"=INDEX({self._months('month_tier', offset)},{MONTH})",
                cell_formula(whole.plain_expression, known, at.__getitem__),
                cell_formula(theory.plain_expression, known, at.__getitem__),
                f"=INDEX({ours['tier_wall_cost']},{MONTH})", f"={CALENDAR}!$H{blocks['tier_wall_cost'] + offset}",
                f"=Budget!$H{self.budget.blocks['month_cost'] + offset}",
                f'=IF((COUNT(J{row}:K{row})=2)*(N(K{row})<>0),J{row}/K{row},"")',
            )  # fmt: skip
            for column, (formula, unit) in enumerate(zip(formulas, units, strict=True), FIRST):
                parts.put(sheet, row, column, formula, unit)
        self.line = total = top + self.count
        look.text(sheet.cell(total, 2, WORDS[lang]["total"]), bold=True)
        for name, unit in zip(WALLS, units, strict=True):
            letter = sheet.cell(1, FIRST + WALLS.index(name)).column_letter
            cells = f"{letter}{top}:{letter}{total - 1}"
            tax = f"*Budget!{TAX}" if unit is money else ""
            formula = f"=IF((COUNT({cells})=Budget!{COUNTED}){tax},SUM({cells}),Budget!{BLOCKED})"
            if name == "share":
                formula = f'=IF((COUNT(J{total}:K{total})=2)*(N(K{total})<>0),J{total}/K{total},"")'
            if name not in ("whole_saving", "theory_saving"):
                parts.put(sheet, total, FIRST + WALLS.index(name), formula, unit, total=True)
        self.at["total"] = total

    def _checks(self) -> None:
        parts, at, count = self.parts, self.at, self.count
        todo = ("A formula of Growth or Calendar was changed.", "“增长日历”或“日历”中的公式被改动。")
        last = self.sheet.cell(1, MORE - 1).column_letter
        before = self.sheet.cell(1, MORE - 2).column_letter
        billed, later = (f"{NAME}!${a}${at['billed']}:${b}${at['billed'] + count - 1}" for a, b in (("D", before), ("E", last)))
        parts.checks.append(Check(
            "Growth: steps that do not go up", "增长日历：未递增的步骤", NAME,
            f"=SUMPRODUCT(({later}<>\"\")*({later}<={billed}))", *todo))  # fmt: skip
        total = at["total"]
        for en, zh, cell, other in (
            ("GPU cost against the budget", "GPU 费用与预算一致", f"{NAME}!$K${total}", f"Budget!$H${self.budget.rows['gpu']}"),
            ("cards billed against the budget", "计费卡数与预算一致", f"{NAME}!$F${total}",
             f"INDEX(Budget!${self.budget.first}${self.budget.rows['month_tier']}:${self.budget.last}"
             f"${self.budget.rows['month_tier']},{NAME}!{MONTH})"),
        ):  # fmt: skip
            parts.checks.append(Check(
                f"Growth: {en}", f"增长日历：{zh}", NAME, f"=IF(COUNT({cell},{other})=2,{cell}-{other},0)", *todo,
                tolerance="0.01"))  # fmt: skip
        parts.checks.append(Check(
            "Card tiers that Growth has no column for", "“增长日历”没有列可列的档位", NAME,
            f"=MAX(0,ROWS(tiers)-COLUMNS({NAME}!$D${HEAD_ROW}:${last}${HEAD_ROW}))", "Use fewer tiers.", "请减少档位数。"))  # fmt: skip
        dates = f"{NAME}!$D${at['order_by']}:${last}${at['order_by'] + count - 1}"
        parts.alerts.append(Check(
            "Orders of cards that would have to be placed before the budget was prepared", "最晚下单日早于编制日期的订购", NAME,
            f"=COUNTIF({dates},\"<\"&{NAME}!{PREPARED})",
            "With the lead time of Assumptions the cards come too late: order at once, start later, or rent them elsewhere first.",
            "按假设中的交付周期，卡将晚到：请立即下单、推迟上线或先行租用。"))  # fmt: skip
