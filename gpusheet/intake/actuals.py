"""What was spent, month by month, from a bill with the columns of FOCUS 1.x: for budget against actual.

Costs are spend and never become prices; the unit prices of a bill are read by `gpusheet prices import`.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

from gpusheet.errors import GpusheetError
from gpusheet.intake.findings import Finding, Place, raw_text
from gpusheet.intake.importers import focus
from gpusheet.intake.importers.lines import Line, Lines, Refused
from gpusheet.intake.importers.source import lines_of
from gpusheet.intake.importers.told import Told

_MOST = 1e15
_Key = tuple[datetime.date, str, str, str, str, str]  # the fields of an Actual without its sums


class Cost(StrEnum):
    """Which cost of a bill is meant."""

    billed = "BilledCost"  # as invoiced: a prepayment stands in the month in which it is paid
    effective = "EffectiveCost"  # prepayments are spread over the months that use them


# in which month a cost stands: an invoice's, or that of the use
_MONTH = {Cost.billed: ("BillingPeriodStart", "ChargePeriodStart"), Cost.effective: ("ChargePeriodStart", "BillingPeriodStart")}


@dataclass(frozen=True)
class Actual:
    """The spend of one month, account, tag and service in one currency."""

    month: datetime.date  # its first day
    provider: str
    account: str
    tag: str  # value of the tag that was asked for; "" where a charge has none
    service: str
    currency: str
    amount: float  # without tax rows; credits and refunds make it less
    tax: float  # of rows that are tax


@dataclass(frozen=True)
class Actuals:
    """The spend of a bill: present == used + reported."""

    rows: tuple[Actual, ...]
    findings: tuple[Finding, ...]
    present: int
    used: int
    reported: int


def read_actuals(path: Path, tag: str | None = None, cost: Cost = Cost.billed, sheet: str | None = None) -> Actuals:
    """The spend of a bill by month, account, tag, service and currency, in this order; nothing is converted.

    `tag` is the key of a tag, such as "cost-center". A row whose amount, month or currency cannot be read is reported,
    and is not in any total.
    """
    lines = lines_of(path, sheet)
    if not focus.knows(lines.header):
        wanted = ", ".join(sorted(focus.COLUMNS))
        raise GpusheetError(f"{path.name}: not a bill of FOCUS 1.x, which has the columns {wanted}; export it as FOCUS")
    if cost.value not in lines.at:
        there = " or ".join(one.value for one in Cost if one.value in lines.at)
        raise GpusheetError(f"{path.name}: has no column {cost.value}; ask for {there}")
    sums: dict[_Key, list[Decimal]] = {}
    told = Told(lines)
    used = 0
    for line in lines:
        try:
            key = _key(line, tag, cost)
            amount = _amount(line, cost.value)
        except Refused as wrong:
            told.refuse(line, wrong)
            continue
        used += 1
        both = sums.setdefault(key, [Decimal(0), Decimal(0)])
        both[line.text("ChargeCategory").casefold() == "tax"] += amount
    rows = tuple(Actual(*key, float(amount), float(tax)) for key, (amount, tax) in sorted(sums.items()))
    present = len(lines.rows)
    return Actuals(rows, (*told.findings(), *_remarks(lines, sums, tag)), present, used, present - used)


def _key(line: Line, tag: str | None, cost: Cost) -> _Key:
    account = line.text("SubAccountName", "SubAccountId", "BillingAccountName", "BillingAccountId")
    value = _tags(line.cell("Tags")).get(tag, "") if tag is not None else ""
    return _month(line, cost), focus.provider_of(line), account, value, line.text("ServiceName"), focus.currency_of(line)


def _month(line: Line, cost: Cost) -> datetime.date:
    for name in _MONTH[cost]:
        day = line.day_in(name)
        if day is not None:
            return day.replace(day=1)
    raise Refused("not-a-date", _MONTH[cost][0], "", "blank; the month of a charge has to be there", "为空，需有费用所属月份")


def _amount(line: Line, name: str) -> Decimal:
    """Exact in decimals, as a bill has a great many rows."""
    amount = line.number_in(name)
    if amount is None or abs(amount) > _MOST:
        raise Refused("not-a-number", name, raw_text(line.cell(name)), "allowed an amount such as 1234.56", "应为金额，如 1234.56")
    return Decimal(repr(amount))


@lru_cache(maxsize=4096)
def _tags(value: Any) -> Mapping[str, str]:
    try:
        found = json.loads(value) if isinstance(value, str) and value.strip() else {}
    except (ValueError, RecursionError):
        return {}
    return {str(key): "" if one is None else str(one) for key, one in found.items()} if isinstance(found, dict) else {}


def _remarks(lines: Lines, sums: Mapping[_Key, Any], tag: str | None) -> list[Finding]:
    place = Place(lines.file, lines.sheet)
    found = []
    currencies = sorted({key[5] for key in sums})
    if len(currencies) > 1:
        raw = ", ".join(currencies)
        found.append(Finding("warning", "mixed-currencies", place, raw, f"amounts in {raw}; they are kept apart",
                             f"金额含 {raw}；分别列示，不作换算"))  # fmt: skip
    if tag is not None and sums and not any(key[3] for key in sums):
        found.append(Finding("warning", "unknown-tag", place, tag, f"no charge has the tag {tag!r}", f"没有带标签“{tag}”的费用"))
    return found
