"""Days as people and spreadsheets write them; one that can be read two ways is not read."""

from __future__ import annotations

import datetime
import re
from typing import Any

from gpusheet.intake.numbers import Trouble
from gpusheet.intake.words import fold, is_placeholder

_FIRST_1900, _FIRST_1904 = datetime.date(1899, 12, 30), datetime.date(1904, 1, 1)
_SERIALS = (32874, 73050)  # 1990 to 2099: another number in a column of days is a slip
_YEAR_FIRST = re.compile(r"(\d{4})\s?[-/.年]\s?(\d{1,2})\s?[-/.月]\s?(\d{1,2})\s?[日号]?", re.ASCII)
_TIME = re.compile(r"[T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?\s?(Z|[+-]\d{2}:?\d{2}|AM|PM|UTC)?$", re.ASCII | re.IGNORECASE)
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})", re.ASCII)
_YEAR_LAST = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})", re.ASCII)
_NAMED = re.compile(r"(?:(\d{1,2})[ -]([a-z]{3,9})|([a-z]{3,9})\.? (\d{1,2}))[,. -]{1,2}(\d{4})", re.ASCII | re.IGNORECASE)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TYPE = ("type it as 2026-11-01", "请按 2026-11-01 的格式填写")


def day_of(value: Any, epoch_1904: bool = False) -> datetime.date | Trouble:
    """A cell as a day: a date, a text, or the number by which spreadsheets count days.

    >>> day_of("2026年11月1日"), day_of(46327.0) == day_of("2026/11/1") == day_of("1 Nov 2026")
    (datetime.date(2026, 11, 1), True)
    >>> day_of("11/1/2026").en
    'of which day and month cannot be told apart; type 2026-11-01 or 2026-01-11'
    """
    if isinstance(value, datetime.datetime):
        value = value.date()
    if isinstance(value, datetime.date):
        return value if value.year >= 1990 else _not_a_day("of a year before 1990", "早于 1990 年")
    if isinstance(value, bool):
        return _not_a_day("which is no date", "不是日期")
    if isinstance(value, int | float):
        return serial_day(float(value), epoch_1904)
    if not isinstance(value, str):
        return _not_a_day("which is no date", "不是日期")
    return _text_day(fold(value))


def serial_day(number: float, epoch_1904: bool = False) -> datetime.date | Trouble:
    """The day of a spreadsheet's number.

    >>> serial_day(46327.0), serial_day(44865.0, epoch_1904=True)
    (datetime.date(2026, 11, 1), datetime.date(2026, 11, 1))
    """
    if 19900101 <= number <= 20991231 and number.is_integer():
        return _text_day(f"{number:.0f}")
    first = _FIRST_1904 if epoch_1904 else _FIRST_1900
    counted = number + (1462 if epoch_1904 else 0)
    if not _SERIALS[0] <= counted <= _SERIALS[1]:
        return _not_a_day("which is no date between 1990 and 2099", "不是 1990 至 2099 年间的日期")
    return first + datetime.timedelta(days=int(number))


def _text_day(text: str) -> datetime.date | Trouble:
    if is_placeholder(text):
        return Trouble("placeholder", "which stands for no date; type it as 2026-11-01", "表示没有日期；请按 2026-11-01 的格式填写")
    bare = _TIME.sub("", text)
    if match := _YEAR_FIRST.fullmatch(bare) or _COMPACT.fullmatch(bare):
        return _made(*match.groups())
    if match := _YEAR_LAST.fullmatch(bare):
        one, two, year = match.groups()
        first, second = _made(year, one, two), _made(year, two, one)
        if isinstance(first, datetime.date) and isinstance(second, datetime.date) and first != second:
            return Trouble("ambiguous-date", f"of which day and month cannot be told apart; type {first} or {second}",
                           f"分不清日和月；请填 {first} 或 {second}")  # fmt: skip
        return first if isinstance(first, datetime.date) else second
    if match := _NAMED.fullmatch(bare):
        name = (match[2] or match[3]).casefold()
        month = next((number for number, short in enumerate(_MONTHS, 1) if name.startswith(short)), 0)
        return _made(match[5], str(month), match[1] or match[4])
    return _not_a_day("which is no date with year, month and day", "不是含年月日的日期")


def _made(year: str, month: str, day: str) -> datetime.date | Trouble:
    try:
        found = datetime.date(int(year), int(month), int(day))
    except ValueError:
        return _not_a_day("which is no day of the calendar", "日历上没有这一天")
    return found if found.year >= 1990 else _not_a_day("of a year before 1990", "早于 1990 年")


def _not_a_day(en: str, zh: str) -> Trouble:
    return Trouble("not-a-date", f"{en}; {_TYPE[0]}", f"{zh}；{_TYPE[1]}")
