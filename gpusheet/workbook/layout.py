"""Where things are: sheets and their roles, and the places of rows, columns and cells that formulas refer to."""

from __future__ import annotations

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
    "Lookup": ("calculation", "Lookup", "取数", "Fetches each workload's facts, assumptions and prices. One column per "
               "workload.", "为每个业务取规格、假设与价格。每列一个业务。"),
    "Sizing": ("calculation", "Sizing", "测算", "From demand to cards and cost by all three methods. One column per "
               "workload, one row per rule.", "三种方法并列,从需求到卡数与成本。每列一个业务,每行一条规则。"),
    "Summary": ("output", "Summary", "汇总", "The outcome for each workload at full demand of month 1.",
                "各业务在首月满负荷需求下的结果。"),
    "Budget": ("output", "Budget", "预算", "Demand, cards and cost by month.", "按月的需求、卡数与成本。"),
    "Checks": ("check", "Checks", "检查", "Integrity checks must be zero. Alerts do not make the model wrong, but need "
               "a look.", "完整性检查必须为零;提醒不影响计算正确性,但需要关注。"),
    "Rules": ("check", "Rules", "规则", "Every rule with its formula, unit and source.", "每条规则的公式、单位与来源。"),
}  # fmt: skip

# rows of Workloads that are filled in: as many workloads must a total hold; and those of them that have no name
FILLED = 'SUMPRODUCT(1*((Workloads[workload]<>"")+(Workloads[model]<>"")+(Workloads[input_tokens]<>"")>0))'
UNNAMED = 'SUMPRODUCT((Workloads[workload]="")*((Workloads[model]<>"")+(Workloads[input_tokens]<>"")>0))'

TABLE_HEADER = 6  # labels stand two rows above, units one
TABLE_FIRST = TABLE_HEADER + 1

NUMBER_ROW, NAME_ROW, STATUS_ROW = 4, 5, 6  # of Lookup and Sizing
FIRST_LINE = 8
FIRST_COLUMN = 5  # of the workloads: before them name, label, unit, where it comes from


def title_of(sheet: str, lang: str) -> str:
    return SHEETS[sheet][2 if lang == "zh" else 1]


def hint_of(sheet: str, lang: str) -> str:
    return SHEETS[sheet][4 if lang == "zh" else 3]


def role_of(sheet: str) -> str:
    return SHEETS[sheet][0]


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
