"""The rows of a provider's file by the names of its header."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gpusheet.catalog.schema import is_blank
from gpusheet.errors import GpusheetError
from gpusheet.intake.dates import day_of
from gpusheet.intake.findings import Place, Severity, raw_text
from gpusheet.intake.numbers import Amount, Trouble, parse
from gpusheet.intake.sheets import column_letters
from gpusheet.intake.words import Said

_NO_NUMBER = Trouble("not-a-number", "allowed a number such as 1234.5, without a unit", "应为如 1234.5 的数字，不带单位")


class Refused(GpusheetError):
    """Why a cell, and with it a row, cannot be used; `column` is where `raw` stands, "" for a blank cell."""

    def __init__(self, code: str, column: str, raw: str, en: str, zh: str, severity: Severity = "error") -> None:
        super().__init__(en)
        self.code, self.column, self.raw, self.severity = code, column, raw, severity
        found, found_zh = (f"found {raw!r}, ", f"为“{raw}”，") if raw else ("", "")
        self.en = f"{column}: {found}{en}"
        self.zh = f"{column} {found_zh}{zh}" if raw else f"{column}：{zh}"


@dataclass(frozen=True)
class Lines:
    """A table by the names of its header. `rows` are the row numbers of the sheet with the cells, blank rows left out."""

    file: str
    sheet: str
    header: Sequence[str]
    rows: Sequence[tuple[int, Sequence[Any]]]

    @cached_property
    def at(self) -> dict[str, int]:
        twice = [name for name in dict.fromkeys(self.header) if name and list(self.header).count(name) > 1]
        if twice:
            raise GpusheetError(f"{self.file}: the column {twice[0]} stands {list(self.header).count(twice[0])} times; leave one")
        return {name: index for index, name in enumerate(self.header)}

    def __iter__(self) -> Iterator[Line]:
        for number, cells in self.rows:
            yield Line(self, number, cells)


@dataclass(frozen=True)
class Line:
    """One row."""

    lines: Lines
    number: int
    cells: Sequence[Any]

    def cell(self, name: str) -> Any:
        """The value under a header; None where there is no such column or the row is short."""
        index = self.lines.at.get(name)
        return None if index is None or index >= len(self.cells) else self.cells[index]

    def blank(self, name: str) -> bool:
        return is_blank(self.cell(name))

    def text(self, *names: str) -> str:
        """The first of these columns that is not blank, as text."""
        for name in names:
            value = self.cell(name)
            if not is_blank(value):
                return f"{value:.15g}" if isinstance(value, float) else str(value).strip()
        return ""

    def number_in(self, name: str) -> float | None:
        """The number under a header; None where it is blank."""
        value = self.cell(name)
        if is_blank(value):
            return None
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return float(value)
        found = parse(value) if isinstance(value, str) else _NO_NUMBER
        if isinstance(found, Amount) and (found.percent or found.said != Said() or not math.isfinite(found.value)):
            found = _NO_NUMBER  # the format says the unit, and this would be another
        if isinstance(found, Trouble):
            raise Refused(found.code, name, raw_text(value), found.en, found.zh)
        return found.value

    def price_in(self, name: str) -> float | None:
        """The price under a header; None where it is blank. 0 and less is no price."""
        price = self.number_in(name)
        if price is not None and price <= 0:
            raise Refused(
                "no-price", name, raw_text(self.cell(name)),
                "which is no price; leave the cell of a missing price blank", "不是价格；没有价格请留空",
                severity="warning")  # fmt: skip
        return price

    def count_in(self, name: str) -> float:
        """The whole number of cards under a header."""
        cards = self.number_in(name)
        if cards is None or cards <= 0:
            raise Refused(
                "no-cards", name, raw_text(self.cell(name)),
                "allowed the number of cards that the price is for", "应为价格所含的卡数")  # fmt: skip
        if not cards.is_integer():
            raise Refused(
                "part-of-a-card", name, raw_text(self.cell(name)),
                "which is a part of a card, and budgets count whole ones; the row is left out",
                "不足一张卡，预算按整卡计；此行不用", severity="warning")  # fmt: skip
        return cards

    def day_in(self, name: str) -> datetime.date | None:
        """The day under a header; None where it is blank."""
        if self.blank(name):
            return None
        found = day_of(self.cell(name))
        if isinstance(found, Trouble):
            raise Refused(found.code, name, raw_text(self.cell(name)), found.en, found.zh)
        return found

    def place(self, name: str) -> Place:
        """Where a column of this row stands; the row where there is no such column."""
        index = self.lines.at.get(name)
        cell = f"row {self.number}" if index is None else f"{column_letters(index + 1)}{self.number}"
        return Place(self.lines.file, self.lines.sheet, cell)
