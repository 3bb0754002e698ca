"""The audit of a workbook: what breaks which points."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gpusheet.audit.model import Model
from gpusheet.audit.opening import read_audit_book
from gpusheet.audit.registry import SEVERITIES, Finding, Point, Severity, findings, points

STALE_DAYS = 90
CHECKLIST = 42  # points of the checklist; those behind it are ours
_ORDER = {severity: rank for rank, severity in enumerate(SEVERITIES)}


@dataclass(frozen=True)
class Report:
    """What an audit found, the gravest first; `prepared` is the day as of which dates were judged."""

    name: str
    prepared: datetime.date
    findings: tuple[Finding, ...]

    @property
    def counts(self) -> Mapping[Severity, int]:
        found = Counter(one.severity for one in self.findings)
        return {severity: found[severity] for severity in SEVERITIES}

    @property
    def worst(self) -> Severity | None:
        return self.findings[0].severity if self.findings else None

    @property
    def broken(self) -> list[Point]:
        """The points with findings, be they only notes."""
        numbers = {one.point for one in self.findings}
        return [one for one in points().values() if one.number in numbers]

    @property
    def kept(self) -> int:
        """How many of the 42 points of the checklist nothing was found against."""
        return CHECKLIST - sum(one.number <= CHECKLIST for one in self.broken)

    @property
    def for_a_person(self) -> list[Point]:
        """The points of which a program sees only a part."""
        return [one for one in points().values() if one.person]


def audit(path: Path | str, stale_days: int = STALE_DAYS, today: datetime.date | None = None) -> Report:
    """Judges a workbook of any program by the points; the file is only read.

    >>> import tempfile
    >>> from openpyxl import Workbook
    >>> book = Workbook()
    >>> for row in ([1, 2, 3, 4, 5, 6], ["=A1*2", "=B1*2", "=C1*2", 7, "=E1*2", "=F1*2"]): book.active.append(row)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     book.save(f"{folder}/book.xlsx")
    ...     found = audit(f"{folder}/book.xlsx").findings
    >>> print(found[0].line())
    Sheet!D2: [10] found the typed number 7 where 5 cells of the row have formulas such as =C1*2; expected the formula of \
the line; fill the formula of its neighbours in, or write down why this cell differs
    """
    model = Model(read_audit_book(path), stale_days, today or datetime.date.today())
    titles = {title: at for at, title in enumerate(model.book.sheets)}
    found = sorted(
        dict.fromkeys(findings(model)), key=lambda one: (_ORDER[one.severity], one.point, titles.get(one.sheet, -1))
    )
    return Report(model.book.name, model.prepared, tuple(found))
