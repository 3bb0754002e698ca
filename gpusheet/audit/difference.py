"""Two budgets compared: what was typed differently, which formulas were changed, how results differ, and why."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpusheet.audit.bridge import Bridge, bridge
from gpusheet.audit.changes import Change, changes
from gpusheet.audit.edits import Edit, edits
from gpusheet.errors import GpusheetError
from gpusheet.lookup import estimate
from gpusheet.wiring import OUTCOMES
from gpusheet.workbook.inputs import Inputs
from gpusheet.workbook.reader import read_book

RESULTS = ("requests_per_day", "unit_price", *OUTCOMES)
SAME = 1e-9  # of its size, by which a number may differ


@dataclass(frozen=True)
class Result:
    """A quantity of a workload in both budgets; None where it has no value or the workload is not there."""

    workload: str
    name: str
    old: Any
    new: Any


@dataclass(frozen=True)
class Difference:
    """What sets two budgets apart. `bridge` is None, and `no_bridge` says why, where costs cannot be compared."""

    changes: tuple[Change, ...]
    formulas: tuple[tuple[Edit, ...], tuple[Edit, ...]]  # changed in the old book only, in the new one only
    results: tuple[Result, ...]
    bridge: Bridge | None
    no_bridge: str
    remarks: tuple[str, ...]

    @property
    def same(self) -> bool:
        return not (self.changes or any(self.formulas) or self.results)


def diff(old: Path | str, new: Path | str) -> Difference:
    """Compares two workbooks of gpusheet by what they are made of, whatever their language and layout.

    >>> import tempfile
    >>> from gpusheet.workbook.book import write
    >>> from gpusheet.workbook.inputs import sample
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = write(sample(), f"{folder}/a.xlsx")
    ...     diff(f"{folder}/a.xlsx", f"{folder}/a.xlsx").same
    True
    """
    a, b = read_book(old), read_book(new)
    found = {path: edits(path, read) for path, read in ((old, a), (new, b))}
    in_old, in_new = found[old] or [], found[new] or []
    other = [
        f"{Path(path).name}: written by another version of gpusheet, so its formulas are not compared"
        for path, edited in found.items() if edited is None
    ]  # fmt: skip
    known = {(one.sheet, one.found, one.written) for one in in_old} & {
        (one.sheet, one.found, one.written) for one in in_new
    }
    steps, why = None, ""
    try:
        steps = bridge(a.inputs, b.inputs, (a.months, b.months))
    except GpusheetError as error:
        why = str(error)
    return Difference(
        changes=tuple(changes(a.inputs, b.inputs)),
        formulas=(_others(in_old, known), _others(in_new, known)),
        results=tuple(results(a.inputs, b.inputs)),
        bridge=steps,
        no_bridge=why,
        remarks=(*other, *_remarks(steps, in_old, in_new)),
    )


def _others(found: Sequence[Edit], known: set[tuple[str, str, str]]) -> tuple[Edit, ...]:
    return tuple(one for one in found if (one.sheet, one.found, one.written) not in known)


def _remarks(steps: Bridge | None, in_old: Sequence[Edit], in_new: Sequence[Edit]) -> Iterator[str]:
    if in_old or in_new:
        yield (
            "results and steps are computed by the rules, not by the changed formulas: the sheets may show other figures"
        )
    if steps:
        for word, cost in (("old", steps.old), ("new", steps.new)):
            if cost.mixed_tax:
                yield f"the {word} budget mixes prices with and without tax, for which its sheet blocks the total"
            if cost.without:
                yield f"in the {word} budget {', '.join(cost.without)} has no cost and counts nothing; see its column in Lookup"


def results(a: Inputs, b: Inputs) -> Iterator[Result]:
    """The quantities of Summary that differ, workload by workload."""
    old, new = _solved(a), _solved(b)
    for workload in dict.fromkeys((*old, *new)):
        for name in RESULTS:
            before, after = old.get(workload, {}).get(name), new.get(workload, {}).get(name)
            if not _alike(before, after):
                yield Result(workload, name, before, after)


def _solved(inputs: Inputs) -> dict[str, dict[str, Any]]:
    if not inputs.workloads:
        return {}
    table = estimate(inputs.workloads, inputs.context)
    return {
        str(row["workload"]): {name: None if _missing(row[name]) else row[name] for name in RESULTS}
        for row in table.to_dict("records")
    }


def _missing(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _alike(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=SAME, abs_tol=SAME)
    return bool(a == b)
