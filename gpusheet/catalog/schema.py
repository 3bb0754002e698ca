"""Rows and columns: what a field means, in one place.

A row type is a pydantic model whose fields are made by `column`: unit in the annotation, labels, meaning, bounds and
default beside it. CSV header, sheet header, validation, documentation and error messages are all read from `columns`.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from numbers import Real
from typing import Annotated, Any, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator, model_validator
from pydantic.fields import FieldInfo

from gpusheet.errors import GpusheetError, nearest, shown
from gpusheet.units import Date, Unit, unit_of

Day = Annotated[datetime.date, unit_of(Date)]

CURRENCY = ("[A-Z]{3}", "three capital letters such as CNY or USD", "三个大写字母，如 CNY、USD")

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_DAY = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})", re.ASCII)
# MATCH and COUNTIFS read * ? ~ as wildcards and a leading = < > as a comparison; | joins the parts of a price key
_NAME = re.compile(r"(?![=<>])[^*?~|\x00-\x1f]{1,255}")
_BOUNDS = {"gt": ("above", "大于"), "ge": ("at least", "不小于"), "lt": ("below", "小于"), "le": ("at most", "不大于")}


def column(
    en: str,
    zh: str,
    doc: str,
    *,
    default: Any = ...,
    gt: float | None = None,
    ge: float | None = None,
    le: float | None = None,
    lt: float | None = None,
    choices: tuple[str, ...] | None = None,
    low: float | None = None,
    high: float | None = None,
    source: str | None = None,
    group: str | None = None,
    whole: bool = False,
    is_name: bool = False,
    form: tuple[str, str, str] | None = None,
    unit: Unit | None = None,
) -> Any:
    """A field of a row: labels, meaning, bounds (gt ge le lt), typical range (low, high) and where the default is from.

    `is_name` marks text by which rows are found, `whole` a count, `form` text of a pattern (pattern, its words in
    English and in Chinese). `unit` is only for a field copied from another row; else the annotation carries it.
    """
    extra: dict[str, Any] = {"zh": zh, "choices": list(choices) if choices else None, "low": low, "high": high}
    extra |= {"source": source, "group": group, "whole": whole, "is_name": is_name}
    extra |= {"form": list(form) if form else None, "unit": asdict(unit) if unit else None}
    kept = {key: value for key, value in extra.items() if value is not None and value is not False}
    return Field(default, title=en, description=doc, gt=gt, ge=ge, le=le, lt=lt, json_schema_extra=kept)


@dataclass(frozen=True)
class Column:
    """A field of a row type as sheets, readers and documentation see it."""

    name: str
    unit: Unit
    en: str
    zh: str
    doc: str
    kind: str  # number, text, date or choice
    required: bool
    default: Any = None
    gt: float | None = None
    ge: float | None = None
    le: float | None = None
    lt: float | None = None
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    source: str | None = None
    group: str | None = None
    whole: bool = False
    is_name: bool = False
    form: tuple[str, str, str] | None = None

    def label(self, lang: str = "en") -> str:
        return self.zh if lang == "zh" else self.en

    @property
    def positive(self) -> bool:
        """Whether a value, where there is one, is always above 0: then 0 can only be a blank cell."""
        return (self.gt is not None and self.gt >= 0) or (self.ge is not None and self.ge > 0)

    def outside(self, number: float) -> bool:
        """Whether a number is endless or breaks the bounds; NaN is not outside.

        >>> from gpusheet.catalog import Assumptions
        >>> share = next(c for c in columns(Assumptions) if c.name == "bandwidth_efficiency")
        >>> share.outside(0.0), share.outside(1.0)
        (True, False)
        """
        return (
            math.isinf(number)
            or (self.gt is not None and number <= self.gt)
            or (self.ge is not None and number < self.ge)
            or (self.lt is not None and number >= self.lt)
            or (self.le is not None and number > self.le)
            or (self.whole and number % 1 > 0)
        )

    def allowed(self, lang: str = "en") -> str:
        """What may be typed, in words.

        >>> from gpusheet.catalog import Assumptions
        >>> next(c for c in columns(Assumptions) if c.name == "bandwidth_efficiency").allowed()
        'a number above 0 and at most 1, or blank'
        """
        chinese = lang == "zh"
        words = self._number_words(chinese)
        if self.kind == "choice":
            words = "、".join(self.choices) + " 之一" if chinese else "one of " + ", ".join(self.choices)
        elif self.kind == "date":
            words = "日期，如 2026-10-27" if chinese else "a date such as 2026-10-27"
        elif self.form:
            words = self.form[2] if chinese else self.form[1]
        elif self.is_name:
            words = "a name of up to 255 characters without * ? ~ | or line breaks that does not begin with = < >"
            words = "不超过 255 个字符的名称，不含 * ? ~ | 和换行，不以 = < > 开头" if chinese else words
        elif self.kind == "text":
            words = "文本" if chinese else "text"
        if self.required:
            return words
        return words + ("，或留空" if chinese else ", or blank")

    def _number_words(self, chinese: bool) -> str:
        limits = [(words, getattr(self, bound)) for bound, words in _BOUNDS.items() if getattr(self, bound) is not None]
        if chinese:
            bounds = " 且".join(f"{words[1]} {limit:.15g}" for words, limit in limits)
            return (f"{bounds} 的" if bounds else "") + ("整数" if self.whole else "数")
        bounds = " and ".join(f"{words[0]} {limit:.15g}" for words, limit in limits)
        return f"a {'whole ' if self.whole else ''}number {bounds}".rstrip()

    def read(self, value: Any) -> Any:
        """`value` as this column's type; an error where it is none. Bounds are checked by the row."""
        if self.kind == "number":
            return self._number(value)
        if self.kind == "date":
            return _day(value)
        if isinstance(value, Real) and not isinstance(value, bool) and float(value).is_integer():
            value = f"{float(value):.0f}"  # a name like 4090 arrives from a spreadsheet as a number
        if not isinstance(value, str):
            raise TypeError("not text")
        text = value.strip()
        if self.kind == "choice":
            # spreadsheets compare text without case, so do we; the spelling kept is the list's
            return {choice.casefold(): choice for choice in self.choices}[text.casefold()]
        pattern = self.form[0] if self.form else _NAME if self.is_name else None
        if pattern is not None and not re.fullmatch(pattern, text):
            raise ValueError("not of the form allowed")
        return text

    def _number(self, value: Any) -> float:
        if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
            value = float(value)
        if isinstance(value, bool) or not isinstance(value, Real):
            raise TypeError("not a number")
        number = float(value)
        if self.whole and not number.is_integer():
            raise ValueError("not a whole number")
        return number


def _day(value: Any) -> datetime.date:
    if isinstance(value, datetime.datetime):
        return value.date()
    if isinstance(value, datetime.date):
        return value
    match = _DAY.fullmatch(value.strip()) if isinstance(value, str) else None
    if not match:
        raise ValueError("not a date")
    year, month, day = map(int, match.groups())
    return datetime.date(year, month, day)


class Row(BaseModel):
    """Base of all row types: no unknown fields, no change after reading, no NaN or infinity, blank means not given."""

    # building the validators on first use takes a third off the import
    model_config = ConfigDict(
        extra="forbid", frozen=True, str_strip_whitespace=True, allow_inf_nan=False, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _drop_blanks(cls, values: Any) -> Any:
        if not isinstance(values, Mapping):
            return values
        return {name: value for name, value in values.items() if not is_blank(value)}

    @field_validator("*", mode="before")
    @classmethod
    def _read(cls, value: Any, info: ValidationInfo) -> Any:
        found = next(c for c in columns(cls) if c.name == info.field_name)
        try:
            return found.read(value)
        except (ValueError, TypeError, KeyError, OverflowError):
            raise ValueError(f"found {shown(value)}, allowed {found.allowed()}") from None

    @classmethod
    def read(cls, values: Mapping[str, Any], place: str | Callable[[str], str] = "") -> Self:
        """A row from `values`; what is wrong is raised as one BadRow with a line for each field.

        `place` says where the row stands ("Prices row 7"), or gives the place of a field ("Prices!F7").
        """
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise BadRow(row_errors(error, cls, place)) from None


class BadRow(GpusheetError):
    """One or more rows hold something that is not allowed; `lines` has a line for each."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


def row_errors(error: ValidationError, row_type: type[Row], place: str | Callable[[str], str] = "") -> list[str]:
    """The lines a person reads for a row that was refused, one for each field: place, what was found, what is allowed.

    >>> from gpusheet.catalog import Fx
    >>> try:
    ...     Fx(currency="USD", budget_currency="CNY", rate="7,1", rate_date="2026-10-27", source="bank")
    ... except ValidationError as error:
    ...     print(*row_errors(error, Fx, "FX row 2"))
    FX row 2, rate: found '7,1', allowed a number above 0
    """
    known = {c.name: c for c in columns(row_type)}
    where = place if callable(place) else (lambda name: ", ".join(part for part in (place, name) if part))
    lines = []
    for one in error.errors(include_url=False):
        name = str(one["loc"][0]) if one["loc"] else ""
        start = f"{where(name)}: " if where(name) else ""
        if name in known:
            found = "blank" if one["type"] == "missing" else shown(one["input"])
            lines.append(f"{start}found {found}, allowed {known[name].allowed()}")
        elif name:
            lines.append(f"{start}{unknown_column(name, known)}")
        else:
            lines.append(start + one["msg"].removeprefix("Value error, "))
    return lines


def unknown_column(name: str, known: Iterable[str]) -> str:
    near = nearest(name, known)
    return f"no such column; {'did you mean ' if near else 'allowed: '}{', '.join(near or known)}"


def is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


@cache
def columns(row_type: type[Row]) -> tuple[Column, ...]:
    """The columns of a row type, in order.

    >>> from gpusheet.catalog import Gpu
    >>> [(c.name, c.unit.symbol, c.zh) for c in columns(Gpu)][5]
    ('memory_gb', 'GB', '单卡显存')
    """
    return tuple(_column_of(name, field) for name, field in row_type.model_fields.items())


def _column_of(name: str, field: FieldInfo) -> Column:
    extra = dict(field.json_schema_extra) if isinstance(field.json_schema_extra, dict) else {}
    copied, zh = extra.pop("unit", None), str(extra.pop("zh"))
    marks = [field.annotation, *get_args(field.annotation)]
    given = next((mark for mark in field.metadata if isinstance(mark, Unit)), None)
    unit = given or (Unit(**copied) if isinstance(copied, dict) else unit_of(marks[1]))  # type: ignore[arg-type]
    types = {part for mark in marks for part in (mark, *get_args(mark))}
    kind = "number" if float in types else "date" if datetime.date in types else "text"
    details: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in extra.items()}
    for mark in field.metadata:
        details |= {bound: getattr(mark, bound) for bound in _BOUNDS if hasattr(mark, bound)}
    return Column(
        name=name, unit=unit,
        en=field.title or "",
        zh=zh, doc=field.description or "",
        kind="choice" if details.get("choices") else kind,
        required=field.is_required(),
        default=None if field.is_required() else field.default,
        **details,
    )
