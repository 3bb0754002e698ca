"""Options of `gpusheet budget` that fill planning tables: an earlier budget, and a bill."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpusheet.cli.screen import remark, warning, working
from gpusheet.errors import GpusheetError

if TYPE_CHECKING:
    from gpusheet.intake.findings import Finding
    from gpusheet.workbook.inputs import Inputs

MOST_TOLD = 20
LEFT_OUT = {"en": "left out: ", "zh": "未计入："}


def with_earlier(inputs: Inputs, path: Path, currency: str, extra: dict[str, Any]) -> Inputs:
    """The inputs with the run-rate month of another budget in the table Earlier, in place of what stood there."""
    from gpusheet.decisions.price_bridge import as_earlier
    from gpusheet.lookup import look_up
    from gpusheet.workbook.reader import read_book

    if not path.is_file():
        raise GpusheetError(f"--earlier: found no file {str(path)!r}; give a workbook that gpusheet has written")
    with working(f"Reading {path.name}"):
        old = read_book(path)
    for line in old.warnings:
        warning(f"{path.name}: {line}")
    settings = old.inputs.settings
    if settings.currency != currency:
        raise GpusheetError(
            f"--earlier: {path.name} is a budget in {settings.currency}, this one in {currency}; write both in one currency")
    month = min(int(settings.run_rate_month or old.months), old.months)
    found = [look_up(workload, old.inputs.context) for workload in old.inputs.workloads]
    factors = {row.calendar_month: row.season_factor for row in old.inputs.catalog.seasons}
    start = settings.budget_start
    season = [factors[(start.month - 1 + offset) % 12 + 1] for offset in range(month)]
    rows = [row.model_copy(update={"budget_date": settings.prepared_on}) for row in as_earlier(found, month, season, path.name)]
    if not rows:
        raise GpusheetError(f"--earlier: {path.name} has no workloads, so that there is nothing to compare with")
    _moved(extra, "Earlier", (), len(rows))
    remark(f"{path.name}: {len(rows)} workloads of its month {month} in Earlier")
    return replace(inputs, plans=replace(inputs.plans, earlier=tuple(rows)))


def with_actuals(inputs: Inputs, path: Path, tag: str | None, lang: str, extra: dict[str, Any]) -> Inputs:
    """The inputs with the spend of a bill in the table Actuals."""
    from gpusheet.intake.actuals import read_actuals
    from gpusheet.intake.spend import merged

    if not path.is_file():
        raise GpusheetError(f"--actuals: found no file {str(path)!r}; give a bill with the columns of FOCUS 1.x")
    with working(f"Reading {path.name}"):
        bill = read_actuals(path, tag)
    if not bill.rows:
        _tell(bill.findings, lang)
        raise GpusheetError(f"--actuals: {path.name} has no charge that can be used")
    made = merged(inputs.plans.actuals, bill, inputs.workloads, path.name)
    _tell((*bill.findings, *made.findings), lang)
    months = f"{made.months[0]:%Y-%m}" + (f" to {made.months[-1]:%Y-%m}" if len(made.months) > 1 else "")
    remark(f"{path.name}: {made.added} row{'s' * (made.added != 1)} of {months} added to Actuals, {made.replaced} replaced; "
           f"{bill.used:,} of {bill.present:,} charges used")
    _moved(extra, "Actuals", made.kept, made.added)
    return replace(inputs, plans=replace(inputs.plans, actuals=made.rows))


def _tell(findings: Sequence[Finding], lang: str) -> None:
    told = [one for severity in ("error", "warning", "note") for one in findings if one.severity == severity]
    for one in told[:MOST_TOLD]:
        show, before = (warning, LEFT_OUT[lang]) if one.severity == "error" else (remark if one.severity == "note" else warning, "")
        show(before + one.line(lang))
    if len(told) > MOST_TOLD:
        remark(f"and {len(told) - MOST_TOLD:,} more")


def _moved(extra: dict[str, Any], table: str, kept: Sequence[int], added: int) -> None:
    """What a person has put beside the rows of a table goes with the rows that are kept."""
    from gpusheet.workbook.carry import CarriedColumn, CarriedComment

    own = extra.get("extra_columns", {})
    if table in own:
        columns = {title: [*(values[place] for place in kept), *[None] * added] for title, values in own[table].items()}
        extra["extra_columns"] = {**own, table: columns}
    notes: list[Any] = []
    for one in extra.get("extra_sheets", ()):
        if isinstance(one, CarriedComment) and one.table == table:
            if one.row in kept:
                notes.append(replace(one, row=kept.index(one.row)))
            else:
                warning(f"{table}: the comment {one.text!r} is not carried over, as its row was replaced")
        elif isinstance(one, CarriedColumn) and one.table == table:
            values, formats = (tuple(part[place] for place in kept) for part in (one.values, one.formats))
            notes.append(replace(one, values=values, formats=formats))
        else:
            notes.append(one)
    if notes:
        extra["extra_sheets"] = notes
