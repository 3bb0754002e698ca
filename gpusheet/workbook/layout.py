"""Where things are: sheets and their roles, and the places of rows, columns and cells that formulas refer to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from openpyxl.utils import get_column_letter

# sheet -> (role, English title, Chinese title, what it is for in both languages); in the order of the tabs
SHEETS: dict[str, tuple[str, str, str, str, str]] = {
    "Cover": ("cover", "Cover", "封面", "", ""),
    "Workloads": (
        "input", "Workloads", "业务负载", "One row per service. Blank cells take the assumption of the same name; spare "
        "rows at the end are computed as soon as they are filled.",
        "每行一个业务。留空的单元格取同名假设;末尾的空行填写后立即参与计算。"),
    "Assumptions": (
        "input", "Assumptions", "假设", "Factors, settings and small tables. Change the blue cells only.",
        "系数、设置与小表。只修改蓝色单元格。"),
    "GPUs": ("input", "GPUs", "GPU 规格", "Datasheet facts with sources. Add a card in the row under the table.",
             "带来源的规格数据。在表格下方的行中新增型号。"),
    "Models": ("input", "Models", "模型", "Model shapes with sources. Add a model in the row under the table.",
               "带来源的模型结构。在表格下方的行中新增模型。"),
    "Engines": (
        "input", "Engines", "推理引擎", "How serving engines share out memory, and fitted times. A team's own load tests give "
        "better ones: gpusheet calibrate.", "推理引擎的显存分配方式与拟合的耗时系数。可用自己的压测校准：gpusheet calibrate。"),
    "Generations": (
        "input", "Generations", "架构代次", "What share of its peaks a generation of chips reaches in serving.",
        "各代芯片在推理服务中达到的峰值比例。"),
    "Prices": (
        "input", "Prices", "价目表", "Dated quotes. Add new ones under the table; leave old ones. Black columns are "
        "computed: fill them down where Excel does not.",
        "带日期的报价。新报价加在表格下方,旧报价保留。黑色列为公式列,Excel 未自动填充时请向下填充。"),
    "FX": ("input", "FX", "汇率", "One row per pair of currencies: budget units for one unit quoted.",
           "每个币种对一行:一单位报价币种折合的预算币种金额。"),
    "Scenarios": (
        "input", "Scenarios", "情景", "What each view of the future changes. The Cover chooses which one drives the book; "
        "Outcomes shows the first five side by side.",
        "每个情景改变哪些输入。封面选择驱动全表的情景；“情景对比”并列前五个。"),
    "Curves": ("input", "Curves", "流量曲线", "How the requests of a day spread over its hours; Workloads name a curve.",
               "一天的请求如何分布到各小时；在业务负载中引用。"),
    "Contracts": ("input", "Contracts", "合同", "What was agreed with providers, one row per price list. Leave empty if nothing is.",
                  "与供应商的约定，每个价目表一行；没有则留空。"),
    "Earlier": (
        "input", "Earlier", "上期预算", "The run-rate month of an earlier budget, for PriceBridge. gpusheet budget --earlier BOOK "
        "fills it.",
        "上期预算的稳态月，用于价格差异分析；可用 gpusheet budget --earlier BOOK 填入。"),
    "Actuals": (
        "input", "Actuals", "实际支出", "What was spent by month, typed or taken from a bill: gpusheet budget --actuals BILL.",
        "按月的实际支出，手工填写或从账单导入：gpusheet budget --actuals BILL。"),
    "SignOff": ("input", "Sign-off", "签批", "Who prepared, reviewed and approved the budget; Commitments shows it for printing.",
                "编制、复核与批准人；“承诺与签批”中可打印。"),
    "Lookup": ("calculation", "Lookup", "取数", "Fetches each workload's facts, assumptions and prices. One column per "
               "workload.", "为每个业务取规格、假设与价格。每列一个业务。"),
    "Sizing": ("calculation", "Sizing", "测算", "From demand to cards and cost by all four methods. One column per "
               "workload, one row per rule.", "四种方法并列,从需求到卡数与成本。每列一个业务,每行一条规则。"),
    "Cases": ("calculation", "Scenario cases", "情景测算", "The run-rate month of each scenario: inputs that it changes, what "
              "depends on them, totals in column D.", "各情景的稳态月：改变的输入、受影响的规则、D 列合计。"),
    "Drivers": ("calculation", "Driver cases", "驱动因素测算", "The run-rate month with one driver moved at a time; totals in "
                "column D.", "逐个变动驱动因素后的稳态月；D 列合计。"),
    "GpuCases": ("calculation", "Card by card", "逐卡测算", "The workload looked at on every card of GPUs, one column per card; "
                 "column D is the workload on its own card.", "分析对象在每种卡上的测算，每列一种卡；D 列为业务当前取值。"),
    "Options": ("calculation", "Ways to pay", "付费方式", "What the cards of the workload looked at cost in each pricing model, "
                "and owned.", "分析对象的卡在各计费方式下及自有时的成本。"),
    "CashFlow": ("calculation", "Cash by month", "逐月现金流", "Month 0 is the day of the purchase; rents and running costs fall due "
                 "at the end of each month.", "第 0 月为购置日；租金与运行支出于各月末支付。"),
    "Calendar": ("calculation", "Months and groups", "月度与分组", "Fiscal quarters, the tier wall by month, groups of "
                 "workloads: what Growth and Periods read.", "财季、档位墙的按月成本与业务分组：供“增长日历”与“期间”引用。"),
    "Register": (
        "calculation", "Workload register", "业务索引", "Where each workload stands in other tables, and its run-rate month now "
        "and at old prices. One row per workload.", "各业务在其他表中的位置，以及稳态月的现价与旧价。每行一个业务。"),
    "Quotes": ("calculation", "Quotes", "报价时点", "Which rows of Prices are in force on the two days compared.",
               "两个比价日各有哪些报价有效。"),
    "Spend": ("calculation", "Spend placed", "支出归集", "The month, amount in the budget currency, workload and cost centre of each "
              "row of Actuals.", "每笔实际支出所属的预算月份、折合金额、业务与成本中心。"),
    "Summary": ("output", "Summary", "汇总", "The outcome for each workload at full demand of month 1.",
                "各业务在首月满负荷需求下的结果。"),
    "Ranges": ("output", "Ranges", "区间", "Low, expected and high cards and cost at full demand of month 1, where the method gives "
               "a range.", "首月满负荷需求下的低、预期、高卡数与成本（测算方法提供区间时）。"),
    "Budget": ("output", "Budget", "预算", "Demand, cards and cost by month.", "按月的需求、卡数与成本。"),
    "Outcomes": ("output", "Scenarios side by side", "情景对比", "The first five scenarios in the run-rate month; the Cover "
                 "chooses which drives the book.", "前五个情景的稳态月结果；封面选择驱动全表的情景。"),
    "Sensitivity": ("output", "Sensitivity", "敏感性", "What each driver does to the cost of the run-rate month.",
                    "各驱动因素对稳态月成本的影响。"),
    "Compare": ("output", "Cards compared", "GPU 对比", "One workload at full demand of month 1 on every card and "
                "pricing model, the cheapest that fits first. Assumptions chooses the workload and the price list.",
                "同一业务按首月满负荷需求在所有 GPU 与计费方式下的结果，可用者中最便宜的在前；业务与价目表在假设中选择。"),
    "RentOrBuy": ("output", "Rent, commit or buy", "租用还是购买", "The cards of one workload over the horizon: cash, present value "
                  "and break-even of each way to pay. Assumptions choose the workload.",
                  "一个业务的卡在比较期内各付费方式的现金、现值与盈亏平衡；业务在“假设”中选择。"),
    "Traffic": ("output", "Traffic over the day", "日内流量", "Cards needed in each hour, and which of them to rent by the hour, "
                "commit or buy.", "各小时所需卡数，以及哪些按小时租、包月或购买。"),
    "Growth": ("output", "Growth calendar", "增长日历", "When each workload outgrows its cards, by when to order more, and what it "
               "costs that cards come in tiers.", "各业务何时卡数不足、最晚何时下单，以及按档位计费的代价。"),
    "Periods": ("output", "Quarters and years", "季度与年度", "The budget by fiscal year and quarter, without and with tax, in "
                "other currencies, and by cost centre, project and environment.",
                "按财年与季度的预算、不含税与含税、其他币种，以及按成本中心、项目、环境的汇总。"),
    "Commitments": (
        "output", "Commitments", "承诺与签批", "What contracts oblige to spend, against the budget of their price lists; "
        "sign-off; typed values and their reasons.", "合同承诺与对应价目表预算的对比；签批；人工覆盖及原因。"),
    "PriceBridge": (
        "output", "Price bridge", "价格差异", "Why the run-rate month costs more or less than before, and the prices of two "
        "days side by side.", "稳态月成本变动的原因，以及两个日期的价格对比。"),
    "Variance": ("output", "Budget and actual", "预算与实际", "What was spent against the budget, by month, cost centre and workload; "
                 "forecasts of the year. Positive: above the budget.",
                 "按月、成本中心和业务对比实际支出与预算，并预测全年。正数为超支。"),
    "Checks": ("check", "Checks", "检查", "Integrity checks must be zero. Alerts do not make the model wrong, but need "
               "a look.", "完整性检查必须为零;提醒不影响计算正确性,但需要关注。"),
    "Rules": ("check", "Rules", "规则", "Every rule with its formula, unit and source.", "每条规则的公式、单位与来源。"),
}  # fmt: skip

# sheets that are only there where they were asked for; they stand before the checks
OPTIONAL: dict[str, tuple[str, str, str, str, str]] = {
    "Risk": ("static", "Risk", "风险", "What the first year may cost: drawn at random when the book was written.",
             "首年成本的可能分布：生成工作簿时随机抽样。"),
}  # fmt: skip
ALL_SHEETS = {**SHEETS, **OPTIONAL}

# rows of Workloads that are filled in: as many workloads must a total hold; and those of them that have no name
FILLED = 'SUMPRODUCT(1*((Workloads[workload]<>"")+(Workloads[model]<>"")+(Workloads[input_tokens]<>"")>0))'
UNNAMED = 'SUMPRODUCT((Workloads[workload]="")*((Workloads[model]<>"")+(Workloads[input_tokens]<>"")>0))'

DATE_ROW = 3  # of Lookup: holds the day as of which prices are asked for
SCENARIO = "$B$3"  # of the Cover: the scenario that drives the book
NEW_DAY, OLD_DAY = "Quotes!$D$3", "Quotes!$D$4"  # days whose prices are compared; 0 where there is none
TABLE_HEADER = 6  # labels stand two rows above, units one
TABLE_FIRST = TABLE_HEADER + 1

NUMBER_ROW, NAME_ROW, STATUS_ROW = 4, 5, 6  # of Lookup and Sizing
FIRST_LINE = 8
FIRST_COLUMN = 5  # of the workloads: before them name, label, unit, where it comes from


def title_of(sheet: str, lang: str) -> str:
    return ALL_SHEETS[sheet][2 if lang == "zh" else 1]


def hint_of(sheet: str, lang: str) -> str:
    return ALL_SHEETS[sheet][4 if lang == "zh" else 3]


def role_of(sheet: str) -> str:
    return ALL_SHEETS[sheet][0]


# every workload once for each of some thirty cases: of many workloads most of the book, and of what a spreadsheet program computes
BY_CASE = ("Cases", "Drivers", "Outcomes", "Sensitivity")
MOST_CASES = 250  # lines of workloads in a book with these


def sheets_with(*wanted: str, lines: int = 0) -> list[str]:
    """The sheets of a book in the order of their tabs, with some of the optional ones; `lines` is how many workloads it has
    room for.

    >>> sheets_with("Risk")[-3:], len(sheets_with()) == len(SHEETS)
    (['Risk', 'Checks', 'Rules'], True)
    >>> sorted(set(sheets_with()) - set(sheets_with(lines=1000)))
    ['Cases', 'Drivers', 'Outcomes', 'Sensitivity']
    """
    names = [name for name in SHEETS if lines <= MOST_CASES or name not in BY_CASE]
    checks = names.index("Checks")
    return [*names[:checks], *(name for name in OPTIONAL if name in wanted), *names[checks:]]


def lines_text(lines: Mapping[str, int]) -> str:
    """How many lines the lists of a book have, as its property says it; `lines_read` is the way back.

    >>> lines_text({"contracts": 3, "quotes": 135})
    'contracts=3 quotes=135'
    """
    return " ".join(f"{name}={count}" for name, count in lines.items())


def lines_read(text: object) -> dict[str, int]:
    """
    >>> lines_read("contracts=3 quotes=135")
    {'contracts': 3, 'quotes': 135}
    """
    return {name: int(count) for name, count in re.findall(r"(\w+)=(\d+)", str(text))}


@dataclass(frozen=True)
class Span:
    """The columns of the workloads on Lookup and Sizing."""

    count: int

    @property
    def first(self) -> str:
        return str(get_column_letter(FIRST_COLUMN))

    @property
    def last(self) -> str:
        return str(get_column_letter(FIRST_COLUMN + self.count - 1))

    def row(self, sheet: str, row: int) -> str:
        """One line over all workloads, as other sheets name it."""
        return f"{sheet}!${self.first}${row}:${self.last}${row}"

    def count_of(self, sheet: str, row: int, text: str) -> str:
        """How many workloads show a text in a line.

        Not COUNTIF: over a row of a thousand columns the engine that computes cached values takes 2 s for one.
        """
        return f'SUMPRODUCT(1*({self.row(sheet, row)}="{text}"))'
