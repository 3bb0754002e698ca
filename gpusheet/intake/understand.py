"""One cell as one column may hold it: the value, what to remark about it, or why there is none."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from gpusheet.catalog import Column
from gpusheet.catalog.schema import CURRENCY
from gpusheet.intake.dates import day_of
from gpusheet.intake.findings import Severity, raw_text
from gpusheet.intake.guard import like_a_formula
from gpusheet.intake.numbers import Amount, Trouble, error_cell, has_decimal_comma, of_two_ways, parse, unknown_unit
from gpusheet.intake.sheets import ErrorCell, Unsaved
from gpusheet.intake.vocabulary import CHOICES, UNITS, said_choice
from gpusheet.intake.words import Said, fold, is_placeholder, said_by, squeezed

# kinds of cells that hold something that could be a value, so that it has to be said why it is not taken for one
UNCLEAR = ("ambiguous-number", "ambiguous-date", "unknown-unit", "not-exact", "several-numbers", "percent", "other-period",
           "zero-price")  # fmt: skip
MISSING_PRICE = "missing-price"
_EDGES = re.compile("^[\\s\u200b-\u200f\u2060\ufeff]+|[\\s\u200b-\u200f\u2060\ufeff]+$")
_WIDE = str.maketrans("*?~|", "＊？～｜")
_SAFE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 ./_()-]{0,200}[A-Za-z0-9)])?", re.ASCII)
_FORMULA_START = re.compile(r"[=<>]")
_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True)
class Remark:
    """What is to be said of a cell, before its place is known."""

    severity: Severity
    code: str
    en: str
    zh: str


class Understood(NamedTuple):
    """A cell's value, None where it is blank; `bad` keeps its row out. `said` is what stood beside a price."""

    value: Any = None
    remarks: tuple[Remark, ...] = ()
    bad: bool = False
    said: Said | None = None


BLANK = Understood()


def understand(value: Any, column: Column, typed: bool = True, epoch_1904: bool = False) -> Understood:
    """A cell of `column`; `typed` where the file tells numbers from texts, as workbooks do.

    >>> from gpusheet.catalog import Price, columns
    >>> price, tax = (next(c for c in columns(Price) if c.name == name) for name in ("price", "tax"))
    >>> understand("￥１，９５６．５０", price).value, understand("是", tax).value, understand("面议", price).bad
    (1956.5, 'included', True)
    >>> understand(0.0, price).remarks[0].en
    'found 0: if it is free of charge, leave the row out and note it elsewhere; else type the price'
    """
    if value is None or (isinstance(value, str) and (value.isspace() or not fold(value))):
        return BLANK
    if isinstance(value, Unsaved):
        return _bad(value, "unsaved-formula", "a formula without a value: open the book in Excel and save it once",
                    "公式没有保存结果：请用 Excel 打开并保存一次")  # fmt: skip
    if isinstance(value, ErrorCell):
        trouble = error_cell(value.code)
        return _bad(value, trouble.code, trouble.en, trouble.zh)
    if column.kind == "number":
        return _number(value, column, typed)
    if column.kind == "date":
        day = day_of(value, epoch_1904)
        if isinstance(day, Trouble):
            return _troubled(value, day, column)
        serial = typed and isinstance(value, int | float)
        return Understood(day, (Remark("warning", "date-as-number", f"the number {value:.15g} is read as the day {day}",
                                       f"数字 {value:.15g} 按日期 {day} 读入"),) if serial else ())  # fmt: skip
    return _text(value, column)


def understand_all(values: Iterable[Any], column: Column, typed: bool, epoch_1904: bool) -> dict[Any, Understood]:
    """`understand` for many values at once. Most are plain numbers and plain texts, of which nothing has to be asked.

    >>> from gpusheet.catalog import Price, columns
    >>> price = next(c for c in columns(Price) if c.name == "price")
    >>> all(one == understand(value, price) for value, one in understand_all([4.0, 0.0, "x"], price, True, False).items())
    True
    """
    known: dict[Any, Understood] = {}
    rest: Iterable[Any] = values
    if column.kind == "number":
        outside, rest = column.outside, []
        for value in values:
            if type(value) is float and value and not outside(value):
                known[value] = Understood(value)
            else:
                rest.append(value)
    elif column.kind == "text" and not column.form:
        plain, rest = _SAFE.fullmatch, []
        for value in values:
            # what is looked for in texts begins otherwise, or is in no such text
            if type(value) is str and plain(value) and not is_placeholder(value):
                known[value] = Understood(value)
            else:
                rest.append(value)
    for value in rest:
        known[value] = understand(value, column, typed, epoch_1904)
    return known


def with_numbers(row: Mapping[str, Any], columns: Iterable[Column]) -> dict[str, Any]:
    """A row of texts with numbers in place of their spellings; what is no number stays as it is, to be refused.

    >>> from gpusheet.catalog import Workload, columns
    >>> with_numbers({"input_tokens": "１,024", "cards": "four", "note": "1,5"}, columns(Workload))
    {'input_tokens': 1024.0, 'cards': 'four', 'note': '1,5'}
    """
    read = {c.name: understand(row[c.name], c, typed=False) for c in columns if c.kind == "number" and c.name in row}
    return {**row, **{name: found.value for name, found in read.items() if not found.bad and found.value is not None}}


def two_ways(known: dict[Any, Understood], column: Column) -> None:
    """Takes back what was read of 1.234 in a column where another number has a decimal comma."""
    texts = [value for value in known if isinstance(value, str)]
    if any(map(has_decimal_comma, texts)):
        for text in texts:
            if not known[text].bad and (trouble := of_two_ways(text)):
                known[text] = _troubled(text, trouble, column)


def _bad(value: Any, code: str, en: str, zh: str, said: Said | None = None) -> Understood:
    return Understood(None, (Remark("error", code, en, zh),), True, said)


def _found(value: Any) -> str:
    return f"found {raw_text(value)!r}" if isinstance(value, str) else f"found {raw_text(value)}"


def _troubled(value: Any, trouble: Trouble, column: Column) -> Understood:
    """A value that is none: an optional one is left blank where a placeholder stands."""
    if trouble.code == "placeholder":
        raw = raw_text(value)
        if not column.required:
            return Understood(None, (Remark("warning", "placeholder", f"found {raw!r}; read as blank",
                                            f"“{raw}”按空白处理"),))  # fmt: skip
        if column.name == "price":
            return Understood(None, (missing_price(raw),), True)
    return _bad(value, trouble.code, f"{_found(value)}, {trouble.en}", f"“{raw_text(value)}”{trouble.zh}")


def missing_price(raw: str) -> Remark:
    """A row whose price is not stated; it is counted, and never 0."""
    found = f"found {raw!r}: the price is missing" if raw else "the price is blank"
    return Remark("warning", MISSING_PRICE, f"{found}, so the row is not read; type the price once it is known",
                  (f"“{raw}”表示没有价格" if raw else "价格为空") + "，该行未读入；有价格后请填上")  # fmt: skip


def _number(value: Any, column: Column, typed: bool) -> Understood:
    if isinstance(value, bool):
        return _refused(value, column, "wrong-type")
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
        return _bad(value, "date-for-number",
                    f"found the date or time {raw_text(value)}, allowed {column.allowed()}; spreadsheets make dates of "
                    "texts such as 5-1: format the cell as a number and type it again",
                    f"这里是日期或时间 {raw_text(value)}，应为{column.allowed('zh')}；表格软件会把 5-1 之类变成日期："
                    "请把单元格设为数字格式后重填")  # fmt: skip
    if not isinstance(value, str):
        return _checked(value, float(value), column, ())
    amount = parse(_without_unit(value, column))
    if isinstance(amount, Trouble):
        return _troubled(value, amount, column)
    remarks: tuple[Remark, ...] = ()
    if typed or not _PLAIN.fullmatch(value.strip()):
        text = raw_text(value.strip(" "))
        what = f"the text {text!r} is read as the number {amount.value:.15g}"
        remarks = (Remark("warning", "number-as-text", what, f"文本“{text}”按数字 {amount.value:.15g} 读入"),)
    if trouble := _beside(amount, column):
        return _bad(value, trouble.code, f"{_found(value)}, {trouble.en}", f"“{raw_text(value)}”{trouble.zh}")
    said = replace(amount.said, scale=amount.scale) if amount.scale != 1 else amount.said
    return _checked(value, amount.value, column, remarks, said)


def _without_unit(text: str, column: Column) -> str:
    """The text without the column's own unit behind the number."""
    folded = fold(text)
    for unit in UNITS.get(column.unit.symbol, ()):
        if folded.casefold().endswith(unit) and re.search(r"\d\s*$", folded[: len(folded) - len(unit)]):
            return folded[: len(folded) - len(unit)]
    return folded


def _beside(amount: Amount, column: Column) -> Trouble | None:
    """What is wrong with the words beside a number."""
    money = column.unit.symbol.startswith("currency")
    if amount.percent:
        return None if column.unit.symbol == "%" else Trouble(
            "percent", "which is a percentage; type the number itself", "是百分数；请填数值本身")  # fmt: skip
    if column.name == "price":
        if amount.said.other:
            return other_period(amount.said.other)
        return unknown_unit(amount.beside) if amount.said.rest or amount.said.scale else None
    if amount.beside and not (money and amount.said == Said(currency=amount.said.currency)):
        return unknown_unit(amount.beside)
    return None


def other_period(period: str) -> Trouble:
    """A price per day or year: it is not turned into another, as that takes an assumption."""
    return Trouble("other-period", f"which is a price per {period}; type the price per hour or per month",
                   "不是每小时或每月的价格；请填每小时或每月价格")  # fmt: skip


def _checked(
    value: Any, number: float, column: Column, remarks: tuple[Remark, ...], said: Said | None = None
) -> Understood:
    if column.name == "price" and number == 0:
        return _bad(value, "zero-price",
                    "found 0: if it is free of charge, leave the row out and note it elsewhere; else type the price",
                    "价格是 0：如果确实免费，请删去该行并另作说明；否则请填价格")  # fmt: skip
    if math.isnan(number) or column.outside(number):
        return _refused(value, column, "out-of-bounds")
    return Understood(number, remarks, said=said if said != Said() else None)


def _refused(value: Any, column: Column, code: str) -> Understood:
    shown = raw_text(value).upper() if isinstance(value, bool) else raw_text(value)
    quoted = f"{shown!r}" if isinstance(value, str) else shown
    return _bad(value, code, f"found {quoted}, allowed {column.allowed()}", f"“{shown}”不行，应为{column.allowed('zh')}")


def _text(value: Any, column: Column) -> Understood:
    text = as_text(value)
    remarks: list[Remark] = []
    if column.kind == "choice" or column.form:
        found = _chosen(text, column)
        if found is not None:
            return Understood(found, said=said_by(text) if column.name == "per" else None)
        return _troubled_text(value, text, column)
    if (column.required or column.is_name) and is_placeholder(text) and not re.search(r"[A-Za-z]{3}", text):
        return _troubled_text(value, text, column)
    if like_a_formula(value if isinstance(value, str) else text):
        remarks.append(Remark("warning", "formula-like-text", f"{_found(value)}, which begins like a formula; kept as text",
                              f"“{raw_text(value)}”像公式；按文本保留"))  # fmt: skip
    try:
        return Understood(column.read(text), tuple(remarks))
    except (ValueError, TypeError, KeyError):
        pass
    named = text.translate(_WIDE)
    named = f"'{named}" if _FORMULA_START.match(named) else named
    try:
        kept = column.read(named)
    except (ValueError, TypeError, KeyError):
        return _refused(value, column, "not-allowed")
    remarks.append(Remark("warning", "name-changed", f"{_found(value)}, of which spreadsheets would take signs for a search "
                          f"or a formula; read as {named!r}",
                          f"“{raw_text(value)}”含有表格软件当作通配符或公式的字符；读作“{named}”"))  # fmt: skip
    return Understood(kept, tuple(remarks))


def _troubled_text(value: Any, text: str, column: Column) -> Understood:
    if is_placeholder(text):
        return _troubled(value, Trouble("placeholder", f"which stands for no value; allowed {column.allowed()}",
                                        f"表示没有值；应为{column.allowed('zh')}"), column)  # fmt: skip
    return _refused(value, column, "not-allowed")


def as_text(value: Any) -> str:
    """A cell of any type as the text of a column of texts.

    >>> as_text(4090.0), as_text(True), as_text(" H20\\xa0")
    ('4090', 'TRUE', 'H20')
    """
    if isinstance(value, str):
        return value.strip() if value.isascii() and "\r" not in value else _EDGES.sub("", value).replace("\r", "")
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime.datetime):
        return f"{value:%Y-%m-%d}" if value.time() == datetime.time() else f"{value:%Y-%m-%d %H:%M}"
    return f"{value:.15g}" if isinstance(value, float | int) else str(value)


def _currency(text: str) -> str | None:
    """The currency that a word, a sign or a name beside its code stands for: RMB, ¥, 人民币(元)."""
    said = said_by(text)
    return said.currency if said == Said(currency=said.currency) else None


def _chosen(text: str, column: Column) -> str | None:
    """The choice that a word stands for, in either language."""
    if column.form and column.form[0] == CURRENCY[0] and (currency := _currency(text)):
        return currency
    try:
        return str(column.read(text))
    except (ValueError, TypeError, KeyError):
        pass
    word = CHOICES.get(column.name, {}).get(squeezed(text))
    return word or said_choice(column.name, text)
