"""Point 42: where prices come from, and how old they are."""

from __future__ import annotations

import datetime
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from gpusheet.audit.cells import Sheet
from gpusheet.audit.model import Model, ranges
from gpusheet.audit.registry import Finding, Point, Words, note, point, warning
from gpusheet.workbook.recalculation.cells import address

_PRICE = re.compile(r"\bprice\b|unit cost|exchange rate|^rate$|\bquote|单价|报价|价格|汇率", re.I)
_DATE = re.compile(r"date|as[ _]of|\bday\b|日期|截至", re.I)
_SOURCE = re.compile(r"source|link|url|vendor|supplier|quote no|来源|出处|供应商", re.I)
_AS_OF = re.compile(r"^(prices?|rates?|quotes?) as of|^as of|price date|报价(基准)?日|价格基准日|汇率日", re.I)


@dataclass(frozen=True)
class PriceList:
    """A list with a column of prices: where its header is, its rows, and the columns of dates and sources."""

    sheet: Sheet
    header: int
    rows: range
    price: int
    dates: int | None
    source: int | None


@point(
    42, "M", ("Prices with source and date", "价格有来源与日期"),
    ("Lists with a column of prices need columns of dates and sources. The newest date of the list, and any cell that says "
     "'prices as of', must not be older than the allowed age on the day of the book (its cell 'prepared on', else the day it "
     "was saved), nor lie after it. A book of gpusheet must carry its version, its schema and the hash of its inputs.",
     "含价格列的清单须有日期列与来源列。清单中最新日期以及“价格基准日”单元格,以工作簿编制日(“编制日期”单元格,否则为保存日)计不得超过允许天数,也不得晚于该日。"
     "gpusheet 工作簿须带版本、模式与输入哈希。"),
    ("a source and a recent date for each price", "每个价格有来源与近期日期"),
    ("ask for new quotes, and write date and source beside them", "重新询价并注明日期与来源"),
    ("Do the sources say what the prices say?", "来源内容与所列价格是否一致?"),
)  # fmt: skip
def provenance(model: Model, this: Point) -> Iterator[Finding]:
    for listed in price_lists(model):
        yield from _judged(model, this, listed)
    for sheet in model.sheets:
        for (row, column), cell in sheet.cells.items():
            if cell.kind != "s" or len(str(cell.value)) > 40 or not _AS_OF.search(str(cell.value)):
                continue
            beside = sheet.cells.get((row, column + 1))
            if beside and model.book.is_date(beside):
                yield from _age(model, this, sheet, row, column + 1, model.day(beside))
    if model.book.ours:
        noted = {one.name for one in model.book.stub.custom_doc_props.props}
        lacking = {"gpusheet_version", "gpusheet_schema", "gpusheet_inputs"} - noted
        if lacking:
            yield this.finding(
                note, Words(f"no property {', '.join(sorted(lacking))}", f"缺少文档属性 {'、'.join(sorted(lacking))}")
            )


def _judged(model: Model, this: Point, listed: PriceList) -> Iterator[Finding]:
    sheet = listed.sheet
    place = sheet.title, address((listed.header, listed.price))
    if listed.dates is None:
        yield this.finding(note, Words("prices without a column of dates", "价格没有日期列"), *place)
    if listed.source is None:
        yield this.finding(note, Words("prices without a column of sources", "价格没有来源列"), *place)
    if listed.dates is None:
        return
    days: dict[int, datetime.date] = {}
    undated = []
    for row in listed.rows:
        price = sheet.cells.get((row, listed.price))
        if price is None or price.kind != "n" or not any(sheet.text(row, column) for column in sheet.rows[row]):
            continue  # a result under the list
        cell = sheet.cells.get((row, listed.dates))
        if cell and model.book.is_date(cell):
            days[row] = model.day(cell)
        else:
            undated.append((row, listed.dates))
    for where, _ in ranges(undated):
        yield this.finding(warning, Words("a price without a date", "没有日期的价格"), sheet.title, where)
    if days:
        newest = max(days, key=lambda row: days[row])
        yield from _age(model, this, sheet, newest, listed.dates, days[newest])


def _age(model: Model, this: Point, sheet: Sheet, row: int, column: int, day: datetime.date) -> Iterator[Finding]:
    age = (model.prepared - day).days
    where = address((row, column))
    if age > model.stale_days:
        yield this.finding(
            warning,
            Words(
                f"prices of {day}, {age} days before {model.prepared}", f"价格日期 {day},早于 {model.prepared} {age} 天"
            ),
            sheet.title,
            where,
            expected=Words(f"at most {model.stale_days} days", f"不超过 {model.stale_days} 天"),
        )
    elif age < 0:
        yield this.finding(
            warning,
            Words(f"prices of {day}, after {model.prepared}", f"价格日期 {day} 晚于 {model.prepared}"),
            sheet.title,
            where,
        )


def price_lists(model: Model) -> Iterator[PriceList]:
    """Tables, and rows of headers with a list under them, that have a column of prices."""
    for sheet in model.sheets:
        if model.roles[sheet.title] not in ("input", ""):
            continue
        if model.book.ours and sheet.title == "Earlier":
            continue  # what another budget had is meant to be old
        for _, area, header in sheet.tables:
            if header:
                heads = {column: sheet.text(area.top, column) for column in range(area.left, area.right + 1)}
                yield from _listed(sheet, area.top, heads, range(area.top + 1, area.bottom + 1))
        for row, columns in sheet.rows.items():
            heads = {column: sheet.text(row, column) for column in columns if sheet.text(row, column)}
            if len(heads) < 3 or any(sheet.in_table(row + below, columns[0]) for below in range(4)):
                continue
            last = row
            while last + 1 in sheet.rows:
                last += 1
            if last - row >= 3:
                yield from _listed(sheet, row, heads, range(row + 1, last + 1))


def _listed(sheet: Sheet, header: int, heads: dict[int, str], rows: range) -> Iterator[PriceList]:
    kinds: dict[str, list[int]] = defaultdict(list)
    for column, text in heads.items():
        filled = [cell for row in rows if (cell := sheet.cells.get((row, column)))]
        numbers = sum(cell.typed_number for cell in filled)
        if len(text) > 40:
            continue
        if _DATE.search(text) and numbers:
            kinds["date"].append(column)
        elif _SOURCE.search(text):
            kinds["source"].append(column)
        elif _PRICE.search(text) and 2 * numbers > len(filled) > 2:
            kinds["price"].append(column)
    if kinds["price"]:
        yield PriceList(
            sheet, header, rows, kinds["price"][0], next(iter(kinds["date"]), None), next(iter(kinds["source"]), None)
        )
