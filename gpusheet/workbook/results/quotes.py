"""The sheet Quotes: which rows of Prices are in force on the two days compared, and the offers numbered."""

from __future__ import annotations

from gpusheet.catalog import Price, columns
from gpusheet.units import Flag, Money, NewestDay, Number, Text, unit_of
from gpusheet.workbook.checks_sheet import Check
from gpusheet.workbook.layout import DATE_ROW, NEW_DAY, OLD_DAY, TABLE_FIRST
from gpusheet.workbook.results.lists import Item, Listed, put_list
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.style import printing, protect, set_widths

NAME = "Quotes"
SPARE = 20  # prices that may be added before the book has to be made anew
FETCHED = ("price_list", "gpu", "pricing_model", "listing", "currency", "period")
TEXT, NUMBER, FLAG, DAY = unit_of(Text), unit_of(Number), unit_of(Flag), unit_of(NewestDay)


def put_quotes(parts: Parts) -> None:
    """Notes the list as `quotes`."""
    new, old = NEW_DAY.partition("!")[2], OLD_DAY.partition("!")[2]
    count = parts.count("quotes", len(parts.inputs.catalog.prices) + SPARE)
    items = _items(new, old)
    sheet = parts.sheet(NAME, len(items))
    asked_new, asked_old = parts.cells.value("price_to"), parts.cells.value("price_from")
    for row, en, zh, formula in (
        (3, "New prices as of", "新价日期", _newest(f"<=IF(COUNT({asked_new})=1,{asked_new},Lookup!$E${DATE_ROW})")),
        (4, "Old prices as of", "旧价日期", _newest(f"<=IF(COUNT({asked_old})=1,{asked_old},{new}-1)")),
    ):
        parts.look.text(sheet.cell(row, 2, parts.say(en, zh)), bold=True)
        parts.put(sheet, row, 4, formula, DAY)
    listed = put_list(parts, sheet, TABLE_FIRST + 1, count, items, keys=True)
    set_widths(sheet, (9, 44, *[14] * (len(items) - 2)))
    sheet.freeze_panes = f"C{TABLE_FIRST + 1}"
    last = listed.letters[items[-1].name]
    printing(sheet, parts.lang, f"{TABLE_FIRST - 2}:{TABLE_FIRST}", f"A1:{last}{listed.last}", "A:B")
    protect(sheet)
    parts.rows["quotes"] = listed
    parts.checks.append(Check(
        "Prices beyond the lines of Quotes", "超出报价时点计算行数的报价", NAME,
        f"=MAX(0,ROWS(Prices[line])-ROWS({listed.column('number')}))",
        "Run `gpusheet budget` on this workbook: the new one compares all prices.",
        "对本工作簿运行 gpusheet budget，新生成的文件会比较全部报价。"))  # fmt: skip
    parts.checks.append(Check(
        "Old prices are not before the new ones", "旧价日期不早于新价日期", NAME, f"=1*({OLD_DAY}>={NEW_DAY})*({OLD_DAY}>0)",
        "Correct price_from and price_to in Assumptions.", "请更正假设中的比价日期。"))  # fmt: skip


def quotes(parts: Parts) -> Listed:
    made: Listed = parts.rows["quotes"]
    return made


def _newest(condition: str) -> str:
    """The newest day with usable prices under a condition; 0 where there is none."""
    return f"=SUMPRODUCT(MAX((Prices[price_day]{condition})*Prices[price_day]))"


def _items(new: str, old: str) -> list[Item]:
    day = "INDEX(Prices[price_day],{number})"
    listing = 'INDEX(Prices[offer],{number})'

    def in_force(at: str) -> str:
        later = f'COUNTIFS({{key:all}},{{key}},{{day:all}},">"&{{day}},{{day:all}},"<="&{at})'
        return f'=IF({{key}}="","",({{day}}<={at})*({later}=0))'

    fields = {column.name: column for column in columns(Price)}

    def fetched(name: str) -> Item:
        column = fields[name]
        return Item(name, column.en, column.zh, column.unit, f'=IF({{there}}=1,INDEX(Prices[{name}],{{number}})&"","")')

    price = "INDEX(Prices[price_per_card],{number})"
    return [
        Item("number", "Row of Prices", "报价表行号", NUMBER, f"=ROW()-ROW($A${TABLE_FIRST})"),
        Item("there", "Usable", "可用", FLAG, f'=IF({{number}}>ROWS(Prices[line]),0,1*({day}>0))'),
        Item("key", "List | GPU | model | listing", "价目表|GPU|计费方式|报价项", TEXT, f'=IF({{there}}=1,{listing},"")'),
        *map(fetched, FETCHED),
        Item("price", "Price of a card", "单卡价格", unit_of(Money), f'=IF({{there}}=1,{price},"")'),
        Item("day", "Day", "报价日", DAY, f'=IF({{there}}=1,{day},"")'),
        Item("new", "Newest on the new day", "新价日有效", FLAG, in_force(new)),
        Item("old", "Newest on the old day", "旧价日有效", FLAG, in_force(old)),
        Item("same", "Rows of that day (1 is wanted)", "同日行数（应为1）", NUMBER,
             '=IF({key}="","",COUNTIFS({key:all},{key},{day:all},{day}))'),
        Item("listed", "First row of an offer in force", "有效报价首行", FLAG,
             "=IF(N({new})=1,1*(COUNTIFS({key:so_far},{key},{day:so_far},{day})=1),0)"),
        Item("offer", "Number of the offer", "报价序号", NUMBER, '=IF({listed}=1,SUM({listed:so_far}),"")'),
        Item("old_rows", "Rows of its old quote (1 is wanted)", "旧报价行数（应为1）", NUMBER,
             "=IF({listed}=1,COUNTIFS({key:all},{key},{old:all},1),0)"),
        Item("old_row", "Row of its old quote", "旧报价行号", NUMBER,
             '=IF({old_rows}=1,SUMIFS({number:all},{key:all},{key},{old:all},1),"")'),
        Item("old_day", "Day of its old quote", "旧报价日", DAY,
             '=IF({old_rows}>0,SUMIFS({day:all},{key:all},{key},{old:all},1)/{old_rows},"")'),
    ]  # fmt: skip
