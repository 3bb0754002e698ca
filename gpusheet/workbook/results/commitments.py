"""The sheet Commitments: what contracts oblige to spend in each month, against what is planned at their price lists."""

from __future__ import annotations

from collections.abc import Sequence

from gpusheet.catalog import columns
from gpusheet.catalog.planning import Contract
from gpusheet.units import Cards, Date, Flag, Money, MoneyPerMonth, Months, Number, Text, Unit, unit_of
from gpusheet.workbook.budget_layout import BLOCKED, DRIVER, MONTHS, TOTAL
from gpusheet.workbook.checks_sheet import Check
from gpusheet.workbook.results.lists import ruled
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.results.register import register
from gpusheet.workbook.results.signing import put_overrides, put_sign_off
from gpusheet.workbook.results.timeline import MONTH, NEXT, Driver, Timeline

NAME = "Commitments"
COUNTED = "$F$4"  # contracts
TEXT, NUMBER, FLAG, DATE = unit_of(Text), unit_of(Number), unit_of(Flag), unit_of(Date)
MONEY, CARDS = unit_of(MoneyPerMonth), unit_of(Cards)
BY_NAME = {column.name: column for column in columns(Contract)}


def put_commitments(parts: Parts) -> None:
    """Notes as `Commitments` the rows of totals, and under `blocks` the first row of each block of contracts."""
    made = _Writer(parts)
    made.terms()
    made.money()
    made.plan()
    made.cards()
    put_sign_off(made.time)
    put_overrides(made.time)
    made.time.finish()
    made.checks()
    parts.rows[NAME] |= {"blocks": made.top, "contracts": made.count}


class _Writer:
    """Blocks of a line per contract. In formulas `{r}` is the line, `{term}` the line of the contract in the block `term`."""

    def __init__(self, parts: Parts) -> None:
        self.parts, self.say = parts, parts.say
        placed = parts.placed["Contracts"]
        self.count = parts.count("contracts", placed.last - placed.first + 1)
        self.time = Timeline(parts, NAME)
        self.top: dict[str, int] = {}
        self.time.look.text(self.time.sheet.cell(4, DRIVER, self.say("Contracts", "合同数")), color="7F7F7F")
        parts.put(self.time.sheet, 4, 6, "=COUNTA(Contracts[contract])", NUMBER)

    def block(
        self, key: str, title: str, unit: Unit, drivers: Sequence[Driver], last: Driver, months: str, total: bool = False
    ) -> None:  # fmt: skip
        """Name, price list, up to four drivers, a last column at the total's place, months; a total where one is asked for."""
        time = self.time
        time.head(title, unit, [label for label, _, _ in drivers], last[0])
        top = self.top[key] = time.line
        time.numbers(self.count)
        name = f"INDEX(Contracts[contract],$A{top})"
        time.fill(2, self.count, f'=IF($A{top}>ROWS(Contracts[contract]),"",{name}&"")', TEXT)
        for column, (_, formula, of) in ((3, self.field("price_list")), *enumerate(drivers, DRIVER), (TOTAL, last)):
            time.fill(column, self.count, self._at(formula), of)
        time.across(self.count, self._at(months), unit)
        if unit is MONEY:
            time.years(self.count, MONEY)
        time.line += self.count
        if total:
            time.total_of(key, top, self.count, MONEY, COUNTED)
        time.line += 1

    def _at(self, formula: str) -> str:
        return formula.format(r=self.time.line, **self.top)

    def field(self, name: str) -> Driver:
        """A field of the contract; blank it is what the table says, or stays blank."""
        column = BY_NAME[name]
        return column.label(self.parts.lang), f'=IF($B{{r}}="","",{self.value(name)})', column.unit

    def value(self, name: str) -> str:
        column, cell = BY_NAME[name], f"INDEX(Contracts[{name}],$A{{r}})"
        blank = '""' if column.default is None else f"{column.default:g}"
        return f'CHOOSE(1+({cell}=""),{cell},{blank})'

    def sum(self, how: str = "SUM") -> Driver:
        """The months of the line together."""
        months = f"{self.time.first}{{r}}:{self.time.last}{{r}}"
        word = self.time.words["total" if how == "SUM" else "peak"]
        return word, f'=IF(COUNT({months})=Budget!{MONTHS},{how}({months}),"")', MONEY if how == "SUM" else CARDS

    def terms(self) -> None:
        """When each contract runs, and what has to be decided."""
        say, first, after = self.say, f"${self.time.first}$5", f"EDATE(${self.time.last}$5,1)"
        left = f"MAX(0,(YEAR($F{{r}})-YEAR({first}))*12+MONTH($F{{r}})-MONTH({first})+1)"
        drivers: tuple[Driver, ...] = (
            self.field("start_date"), self.field("term_months"),
            (say("Last day", "到期日"), '=IF(COUNT($D{r}:$E{r})=2,EDATE($D{r},$E{r})-1,"")', DATE),
            (say("Decide by", "续约决定日"), f'=IF(COUNT($F{{r}})=1,$F{{r}}-{self.value("notice_days")},"")', DATE),
        )  # fmt: skip
        last = (say("Months left from the first", "自首月起剩余月数"), f'=IF(COUNT($F{{r}},{first})=2,{left},"")', unit_of(Months))
        running = f'=IF(COUNT($D{{r}}:$E{{r}},{MONTH})=3,({NEXT}>$D{{r}})*({MONTH}<=EDATE($D{{r}},$E{{r}}-1)),"")'
        self.block("term", say("Term: 1 where a month of the contract begins", "合同期（1 为履约月）"), FLAG, drivers, last, running)

        def within(letter: str) -> str:
            """1 where a contract that still runs in the first month has a day before the end of the budget."""
            return f'=IF(COUNT(${letter}{{term}},{first})=2,($F{{term}}>={first})*(${letter}{{term}}<{after}),"")'

        drivers = (
            (say("Not signed", "未签署"), '=IF($B{r}="","",1*(COUNT(INDEX(Contracts[signed_on],$A{r}))=0))', FLAG),
            (say("Ends within the budget", "预算期内到期"), within("F"), FLAG),
            (say("To decide within it", "预算期内须决定"), within("G"), FLAG),
            (say("Another contract for the list", "同一价目表另有合同"),
             '=IF($B{r}="","",1*(COUNTIF(Contracts[price_list],$C{r})>1))', FLAG),
        )  # fmt: skip
        due = f'=IF(COUNT($G{{term}},{MONTH})=2,($G{{term}}>={MONTH})*($G{{term}}<{NEXT}),"")'
        last = (say("To look at", "需关注项"), "=IF(COUNT($D{r}:$G{r})=4,SUM($D{r}:$G{r}),\"\")", NUMBER)
        title = say("What to look at: 1 in the month by which to decide", "需关注事项（1 为续约决定月）")
        self.block("look", title, FLAG, drivers, last, due)

    def money(self) -> None:
        """What is owed, and the cash for it."""
        say, month = self.say, self.time.first
        drivers = tuple(map(self.field, ("agreed_per_month", "agreed_discount", "prepayment_share", "signed_on")))
        owed = "=" + ruled("contract_owed", agreed_per_month="$D{r}", in_force=month + "{term}")
        self.block("owed", say("Least spend owed", "最低消费承诺"), MONEY, drivers, self.sum(), owed, total=True)
        prepaid = ruled("contract_prepayment", agreed_per_month="$D{owed}", term_months="$E{term}", prepayment_share="$F{owed}")
        drivers = ((say("Prepayment", "预付款"), "=" + prepaid, unit_of(Money)), self.field("signed_by"))
        cash = ruled("contract_cash", "starts", owed=month + "{owed}", prepayment_share="$F{owed}", prepayment="$D{r}",
                     starts=f"({MONTH}<=$D{{term}})*({NEXT}>$D{{term}})")  # fmt: skip
        title = say("Cash for it: prepayment, then the part not prepaid", "承诺付款现金流：预付款及未预付部分")
        self.block("cash", title, MONEY, drivers, self.sum(), "=" + cash, total=True)

    def _planned(self, line: str, count: str) -> str:
        """A line of the Budget summed over the workloads of the price list, where all of them have a number."""
        top, of = self.parts.budget.blocks[line], register(self.parts)
        cells = f"Budget!{self.time.first}${top}:{self.time.first}${top + self.parts.span.count - 1}"
        lists = of.column("price_list")
        return f'=IF(COUNTIFS({lists},$C{{r}},{cells},">=0")={count},SUMIFS({cells},{lists},$C{{r}}),"")'

    def plan(self) -> None:
        """What is planned at the price list of each contract, and how it compares with what is owed."""
        say, time, month, count = self.say, self.time, self.time.first, self.count
        lists = register(self.parts).column("price_list")
        first = (say("First contract of the list", "该价目表首份合同"),
                 '=IF($C{r}="","",1*(COUNTIF($C${r}:$C{r},$C{r})=1))', FLAG)  # fmt: skip
        buying = (say("Workloads that buy from it", "使用该价目表的业务数"), f'=IF($C{{r}}="","",COUNTIF({lists},$C{{r}}))', NUMBER)
        self.block("planned", say("Planned spend of the price list", "该价目表的计划支出"), MONEY, (buying, first), self.sum(),
                   self._planned("month_cost", "$D{r}"))  # fmt: skip
        self._of_lists("planned", say("Planned spend of these price lists", "上述价目表计划支出合计"))
        owed, bottom = self.top["owed"], self.top["owed"] + count - 1
        together = f"SUMIFS({month}${owed}:{month}${bottom},$C${owed}:$C${bottom},$C{{r}})"
        for key, rule_name, en, zh in (
            ("above", "owed_above_plan", "Owed above plan: paid all the same", "承诺超出计划（仍须支付）"),
            ("free", "planned_above_owed", "Planned above what is owed: not committed", "承诺外计划支出（未锁定）"),
        ):
            compared = ruled(rule_name, "owed", owed=together, planned=month + "{planned}")
            months = f'=CHOOSE(1+($B{{r}}<>"")*(1+($E{{planned}}=1)),"",0,{compared})'
            self.block(key, say(en, zh), MONEY, (), self.sum(), months, total=True)
        covered = register(self.parts).column("covered")
        top = self.parts.budget.blocks["month_cost"]
        cells = f"Budget!{month}${top}:{month}${top + self.parts.span.count - 1}"
        gpu = f"Budget!{month}${self.parts.budget.rows['gpu']}"
        time.line -= 1
        time.row("without", say("Planned at other price lists", "其他价目表计划支出"),
                 f"=IF(COUNT({gpu})=1,SUMIFS({cells},{covered},0),Budget!{BLOCKED})", MONEY, total="SUM", years=True)
        time.line += 1

    def _of_lists(self, key: str, label: str) -> None:
        """The total of what is planned: each price list once."""
        time, month, top = self.time, self.time.first, self.top[key]
        bottom = top + self.count - 1
        cells, once = f"{month}{top}:{month}{bottom}", f"$E${top}:$E${bottom}"
        time.line -= 1
        formula = f"=IF(COUNT({cells})={COUNTED},SUMIFS({cells},{once},1),Budget!{BLOCKED})"
        time.row(key, label, formula, MONEY, total="SUM", years=True, bold=True)
        time.line += 1

    def cards(self) -> None:
        """Cards that are paid for whether used or not."""
        say, month = self.say, self.time.first
        planned = self._planned("month_tier", "$D{planned}")
        self.block("cards", say("Cards billed at the price list", "该价目表计费卡数"), CARDS, (), self.sum("MAX"), planned)
        idle = "=" + ruled("agreed_above_plan", agreed_cards="$D{r}", in_force=month + "{term}", planned_cards=month + "{cards}")
        title = say("Agreed cards that are not planned", "承诺但未使用的卡数")
        self.block("idle", title, CARDS, (self.field("agreed_cards"),), self.sum("MAX"), idle)

    # --- checks ---

    def checks(self) -> None:
        parts, rows, at = self.parts, self.parts.rows[NAME], self.top
        filled = '(Contracts[price_list]<>"")+(Contracts[agreed_per_month]<>"")+(Contracts[start_date]<>"")>0'
        lacking = "+".join(f'(Contracts[{name}]="")' for name in ("price_list", "start_date", "term_months"))

        def total(key: str) -> str:
            return f"{NAME}!$H${rows[key]}"

        def column(key: str, letter: str) -> str:
            return f"{NAME}!${letter}${at[key]}:${letter}${at[key] + self.count - 1}"

        names = ("planned", "above", "owed", "free")
        budget = f"Budget!$H${parts.budget.rows['gpu']}"
        parts.checks += [
            Check("Contracts without a name, or incomplete", "无名称或不完整的合同", "Contracts",
                  f'=SUMPRODUCT((Contracts[contract]="")*({filled}))+SUMPRODUCT((Contracts[contract]<>"")*({lacking}>0))',
                  "Fill in contract, price list, start and term.", "补全合同、价目表、生效日期与期限。"),
            Check("Contracts beyond the lines of Commitments", "超出承诺表行数的合同", NAME,
                  f"=MAX(0,ROWS(Contracts[contract])-ROWS({column('term', 'A')}))",
                  "Run `gpusheet budget` on this workbook: the new one has room for all.",
                  "对本工作簿运行 gpusheet budget，新生成的文件会扩充行数。"),
            Check("Commitments: planned and above it against owed and free", "承诺：计划加超出与承诺加未锁定一致", NAME,
                  f"=IF(COUNT({','.join(map(total, names))})={len(names)},{total('planned')}+{total('above')}-{total('owed')}"
                  f"-{total('free')},0)", "A formula of Commitments was changed.", "承诺表公式被改动。", tolerance="0.01"),
            Check("Commitments against Budget: planned spend", "承诺与预算一致：计划支出", NAME,
                  f"=IF(COUNT({total('planned')},{total('without')},{budget})=3,{total('planned')}+{total('without')}-{budget},0)",
                  "A formula of Commitments or Register was changed.", "承诺表或业务索引公式被改动。", tolerance="0.01"),
        ]  # fmt: skip
        for key, en, zh in (("owed", "owed", "最低消费"), ("cash", "cash", "现金流"), ("above", "owed above plan", "承诺超出计划"),
                            ("free", "not committed", "承诺外支出")):  # fmt: skip
            lines = column(key, "H")
            parts.checks.append(Check(
                f"Commitments, {en}: contracts against months", f"承诺，{zh}：按合同与按月合计一致", NAME,
                f"=IF(COUNT({total(key)})=1,SUM({lines})-{total(key)},0)", "A formula of Commitments was changed.",
                "承诺表公式被改动。", tolerance="0.01"))  # fmt: skip
        parts.alerts += [
            Check("Contracts that are not signed", "未签署的合同", NAME, f"=SUM({column('look', 'D')})",
                  "What they promise is not owed by anyone yet, and their discount is not taken.",
                  "尚未签署，条款未生效，不计取折扣。"),
            Check("Contracts that end within the budget", "预算期内到期的合同", NAME, f"=SUM({column('look', 'E')})",
                  "What is owed ends, and so does the agreed discount: the later months are budgeted at the assumed one, as renewal "
                  "is not assumed. Where it is agreed, lengthen the term.",
                  "承诺与协议折扣同时到期：预算不假定续约，其后各月按假设折扣率计价；已商定续约的，请延长期限。"),
            Check("Contracts to decide on within the budget", "预算期内须决定是否续约的合同", NAME, f"=SUM({column('look', 'F')})",
                  "The days stand under 'Decide by'.", "日期见“续约决定日”。"),
            Check("Contracts whose price list has another contract", "同一价目表存在多份合同", NAME, f"=SUM({column('look', 'G')})",
                  "No agreed discount is taken while two of them are signed.", "存在两份已签署合同时不自动取协议折扣。"),
            Check("Contracts with least spend above the plan", "最低消费高于计划的合同", NAME,
                  f'=COUNTIF({column("above", "H")},">0")', "More is owed than the budget uses.", "承诺金额超过预算用量。"),
            Check("Contracts with agreed cards above the plan", "承诺卡数高于计划的合同", NAME,
                  f'=COUNTIF({column("idle", "H")},">0")', "Cards are paid for that the budget does not bill.",
                  "承诺卡数未被预算使用。"),
        ]  # fmt: skip
