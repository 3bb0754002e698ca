"""Spend of a bill as rows of the table Actuals: assigned where the bill names a workload or a cost centre, never counted twice."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from dataclasses import dataclass

from gpusheet.catalog import Workload
from gpusheet.catalog.planning import Actual
from gpusheet.intake.actuals import Actual as Charge
from gpusheet.intake.actuals import Actuals
from gpusheet.intake.findings import Finding, Place

_Bill = tuple[int, int, str, str]  # year, month, provider, service: what one bill says all of


@dataclass(frozen=True)
class Merged:
    """The rows of Actuals with those of a bill."""

    rows: tuple[Actual, ...]  # those kept, then the new ones
    kept: tuple[int, ...]  # places of the rows that stay, among those that were there
    added: int
    replaced: int  # rows that the bill takes the place of
    months: tuple[datetime.date, ...]  # of the bill
    findings: tuple[Finding, ...]


def merged(there: Sequence[Actual], bill: Actuals, workloads: Sequence[Workload], file: str) -> Merged:
    """Rows that are there with those of a bill: of a month, provider and service it has, only the bill's rows remain.

    A tag's value is the workload of that name, else the cost centre. Without one, an account that is named like a workload
    or a cost centre of the budget is it.
    """
    known = {one.workload.casefold(): one.workload for one in workloads}
    centres = {one.cost_centre.casefold(): one.cost_centre for one in workloads if one.cost_centre}
    sums: dict[tuple[datetime.date, str | None, str | None, str, str, str], list[float]] = {}
    taxes: dict[str, list[float]] = {}
    for one in bill.rows:
        if one.tax:
            taxes.setdefault(one.currency, []).append(one.tax)
        if one.amount or not one.tax:
            workload, centre = _assigned(one, known, centres)
            sums.setdefault((one.month, workload, centre, one.provider, one.service, one.currency), []).append(one.amount)
    new = [
        Actual(month=month, workload=workload, cost_centre=centre, provider=provider or None, service=service or None,
               amount=math.fsum(amounts), currency=currency, source=file)
        for (month, workload, centre, provider, service, currency), amounts in sums.items()
    ]  # fmt: skip
    billed = {_bill(one) for one in new}
    kept = tuple(place for place, one in enumerate(there) if _bill(one) not in billed)
    return Merged(
        rows=(*(there[place] for place in kept), *new), kept=kept, added=len(new), replaced=len(there) - len(kept),
        months=tuple(sorted({one.month for one in new})),
        findings=(*_of_taxes(taxes, file), *_beside([there[place] for place in kept], new, file)))  # fmt: skip


def _assigned(charge: Charge, workloads: dict[str, str], centres: dict[str, str]) -> tuple[str | None, str | None]:
    """Workload and cost centre of a charge."""
    if tag := charge.tag.strip():
        workload = workloads.get(tag.casefold())
        return (workload, None) if workload else (None, centres.get(tag.casefold(), tag))
    account = charge.account.strip().casefold()
    workload = workloads.get(account)
    return workload, None if workload else centres.get(account)


def _bill(row: Actual) -> _Bill:
    return row.month.year, row.month.month, (row.provider or "").casefold(), (row.service or "").casefold()


def _of_taxes(taxes: dict[str, list[float]], file: str) -> list[Finding]:
    """Taxes are not in the amounts: the budget is compared without them."""
    found = []
    for currency, amounts in sorted(taxes.items()):
        shown = f"{math.fsum(amounts):,.2f} {currency}"
        found.append(Finding("note", "tax-left-out", Place(file), shown, f"tax of {shown} is in no amount",
                             f"税费 {shown} 未计入金额"))  # fmt: skip
    return found


def _beside(kept: Sequence[Actual], new: Sequence[Actual], file: str) -> list[Finding]:
    """Rows without a provider, as people type them, that stay beside what the bill has of the same month and workload."""
    billed = {(one.month.year, one.month.month, (one.workload or "").casefold()) for one in new}
    found = []
    for one in kept:
        if not one.provider and (one.month.year, one.month.month, (one.workload or "").casefold()) in billed:
            what = f"{one.month:%Y-%m}, {one.workload or one.cost_centre or '-'}: {one.amount:,.2f} {one.currency}"
            found.append(Finding(
                "warning", "typed-beside-bill", Place("", "Actuals"), what,
                f"the row {what} names no provider and stays beside what {file} has of that month; delete it if the bill holds it",
                f"{what} 一行未填写供应商，与 {file} 同月支出并存；若账单已包含该笔，请删除"))  # fmt: skip
    return found
