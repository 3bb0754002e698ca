"""The budget workbook: built from inputs sheet by sheet, evaluated, and written with every value in place."""

from __future__ import annotations

import datetime
import gc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from openpyxl.packaging.custom import IntProperty, StringProperty
from openpyxl.workbook.workbook import Workbook

from gpusheet import __version__
from gpusheet.errors import GpusheetError
from gpusheet.workbook.assumptions_sheet import put_assumptions
from gpusheet.workbook.budget_chart import put_chart
from gpusheet.workbook.budget_layout import BudgetCells
from gpusheet.workbook.budget_sheet import BudgetWriter
from gpusheet.workbook.cached import write_with_values
from gpusheet.workbook.carried_formulas import CarriedFormula, settle
from gpusheet.workbook.catalog_sheets import put_catalog
from gpusheet.workbook.checks_sheet import ALERTS, FAILED, ChecksWriter
from gpusheet.workbook.checks_sheet import FIRST as FIRST_CHECK
from gpusheet.workbook.cover_sheet import put_cover
from gpusheet.workbook.evaluate import Values
from gpusheet.workbook.inputs import Inputs
from gpusheet.workbook.layout import BY_CASE, MOST_CASES, Span, lines_text, sheets_with
from gpusheet.workbook.lookup_lines import LookupLines
from gpusheet.workbook.lookup_sheet import put_lookup
from gpusheet.workbook.reading.older import SCHEMA
from gpusheet.workbook.results import RESULTS
from gpusheet.workbook.results.parts import Parts
from gpusheet.workbook.rules_sheet import put_rules
from gpusheet.workbook.sizing_sheet import put_sizing
from gpusheet.workbook.style import Look
from gpusheet.workbook.summary_sheet import SummaryCells, put_summary
from gpusheet.workbook.tables import Placed

LANGUAGES = ("en", "zh")
FUNCTIONS = ("none", "lambda")
SPARE = 5  # blank rows for more workloads
SPARE_CARDS = 5  # columns for more cards in the comparison
MOST_MONTHS = 60


@dataclass(frozen=True)
class Built:
    """A workbook and where its parts are."""

    book: Workbook
    span: Span
    placed: Mapping[str, Placed]
    lookup: LookupLines
    sizing: Mapping[str, int]
    summary: SummaryCells
    budget: BudgetCells
    results: Mapping[str, Any]  # what the sheets of results note of their places


@dataclass(frozen=True)
class Outcome:
    """What a written workbook says of itself."""

    path: Path
    checks_failed: int
    alerts: int
    total: float | None  # of the budget; None where it is blocked
    currency: str
    messages: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)  # on formulas that were carried along, and sheets left out


def build(
    inputs: Inputs,
    lang: str = "en",
    months: int = 12,
    spare: int = SPARE,
    extra_columns: Mapping[str, Mapping[str, Sequence[Any]]] | None = None,
    extra_sheets: Sequence[Any] = (),
    functions: str = "none",
    cards: int | None = None,
    drawn: Any = None,
    lines: Mapping[str, int] | None = None,
) -> Built:
    """The workbook in memory, without cached values; `functions="lambda"` adds the rules as functions of Excel 365,
    `drawn` (of `results.risk`) the sheet Risk.

    `cards` is how many cards the comparison has room for; by default some more than there are. `lines` says how many lines
    a list of results has, where that is not to follow from the inputs.
    """
    if lang not in LANGUAGES:
        raise GpusheetError(f"lang: found {lang!r}, allowed {' or '.join(LANGUAGES)}")
    if not 1 <= months <= MOST_MONTHS:
        raise GpusheetError(f"months: found {months}, allowed 1 to {MOST_MONTHS}")
    if functions not in FUNCTIONS:
        raise GpusheetError(f"functions: found {functions!r}, allowed {' or '.join(FUNCTIONS)}")
    book = Workbook()
    book.remove(book.worksheets[0])
    span = Span(max(1, len(inputs.workloads) + spare))
    for name in sheets_with(*(["Risk"] if drawn is not None else []), lines=span.count):
        book.create_sheet(name)
    look = Look(lang)
    placed = put_catalog(book, look, inputs, span.count, extra_columns or {})
    cells = put_assumptions(book, look, inputs)
    lookup = put_lookup(book, look, cells, span)
    sizing = put_sizing(book, look, cells, lookup, span)
    summary = put_summary(book, look, lookup, sizing, span)
    budget = BudgetWriter(book, look, cells, lookup, sizing, span, months).put()
    parts = Parts(book, look, inputs, {**placed, **cells.tables}, cells, lookup, sizing, summary, budget, span,
                  cards or len(inputs.catalog.gpus) + SPARE_CARDS, drawn=drawn, lines=dict(lines or {}))  # fmt: skip
    for put in RESULTS:
        put(parts)
    ChecksWriter(book, look, placed, cells, lookup, sizing, summary, budget, span, parts.checks, parts.alerts).put()
    put_rules(book, look, sizing)
    put_cover(book, look, inputs, placed, cells, lookup, budget, span)
    put_chart(book, look, budget)
    if extra_sheets:
        from gpusheet.workbook.carry import carry

        carry(book, extra_sheets)
    if functions == "lambda":
        from gpusheet.workbook.lambda_names import put_lambdas

        put_lambdas(book, lang)
    _properties(book, inputs, lang, months, parts.lines)
    return Built(book, span, parts.placed, lookup, sizing, summary, budget, parts.rows)


def _properties(book: Workbook, inputs: Inputs, lang: str, months: int, lines: Mapping[str, int]) -> None:
    stamp = datetime.datetime.combine(inputs.settings.prepared_on, datetime.time())
    book.properties.created = book.properties.modified = stamp
    book.properties.creator = f"gpusheet {__version__}"
    book.properties.title = inputs.settings.title
    for name, text in (
        ("gpusheet_version", __version__), ("gpusheet_schema", SCHEMA), ("gpusheet_lang", lang),
        ("gpusheet_inputs", inputs.digest), ("gpusheet_lines", lines_text(lines)),
    ):  # fmt: skip
        book.custom_doc_props.append(StringProperty(name=name, value=text))
    book.custom_doc_props.append(IntProperty(name="gpusheet_months", value=months))


def write(
    inputs: Inputs,
    path: Path | str,
    *,
    lang: str = "en",
    months: int = 12,
    spare: int = SPARE,
    extra_columns: Mapping[str, Mapping[str, Sequence[Any]]] | None = None,
    extra_sheets: Sequence[Any] = (),
    functions: str = "none",
    drawn: Any = None,
    force: bool = False,
) -> Outcome:
    """Builds, evaluates and writes the workbook; the file appears whole or not at all."""
    collecting = gc.isenabled()
    gc.disable()  # of a million objects none is garbage, and looking for it takes a fifth of the time
    try:
        built = build(inputs, lang, months, spare, extra_columns, extra_sheets, functions, drawn=drawn)
        remarks = settle(built.book, [one for one in extra_sheets if isinstance(one, CarriedFormula)])
    finally:
        if collecting:
            gc.enable()
    if BY_CASE[0] not in built.book.sheetnames:
        remarks += [f"{' and '.join(BY_CASE[2:])} are left out: the workbook has room for {built.span.count:,} workloads, and they "
                    f"compute each some thirty times; up to {MOST_CASES} have them. The Cover still chooses the scenario."]  # fmt: skip
    values = write_with_values(built.book, path, force, consume=True)
    return replace(outcome(built, values, inputs, Path(path)), remarks=remarks)


def outcome(built: Built, values: Values, inputs: Inputs, path: Path) -> Outcome:
    """Reads the checks and the total of an evaluated workbook."""
    total = values.at("Budget", f"H{built.budget.rows['grand']}")
    failed, alerts = values.at("Checks", FAILED), values.at("Checks", ALERTS)
    messages = []
    for row in range(FIRST_CHECK, len(values.sheets["Checks"]) + 1):
        _, name, _, value, expected, passed, todo = (values.at("Checks", f"{letter}{row}") for letter in "ABCDEFG")
        if passed == 0 and expected not in (None, ""):
            shown = f"{value:g}" if isinstance(value, float) else str(value)
            messages.append(f"{name}: {shown}. {todo}")
    return Outcome(
        path=path,
        checks_failed=int(failed) if isinstance(failed, float) else 0,
        alerts=int(alerts) if isinstance(alerts, float) else 0,
        total=total if isinstance(total, float) else None,
        currency=inputs.settings.currency,
        messages=messages,
    )
