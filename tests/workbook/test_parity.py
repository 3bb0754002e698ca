"""Python, formualizer and LibreOffice give the same number in every cell, and the test can tell when they do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from openpyxl.workbook.workbook import Workbook
from parity import Expected, disagreements, expected, random_inputs

from gpusheet.catalog import Assumptions
from gpusheet.workbook.book import Built, build
from gpusheet.workbook.cached import write_with_values
from gpusheet.workbook.evaluate import Values, evaluate
from gpusheet.workbook.inputs import Inputs, sample

MONTHS = 14
OWNING = Assumptions(
    electricity_price=0.8, colocation_per_kw_month=500, network_per_month=2000, contingency_rate=0.1,
    fiscal_year_start=4,
)  # fmt: skip
CASES: dict[str, Callable[[], Inputs]] = {
    "sample-en": lambda: sample("en"),
    "sample-zh": lambda: sample("zh"),
    "random-200": lambda: replace(random_inputs(1, 200), assumptions=OWNING),
    "random-priced": lambda: replace(random_inputs(2, 25, complete=True), assumptions=OWNING),
    "one": lambda: random_inputs(3, 1),
}


@dataclass(frozen=True)
class Case:
    inputs: Inputs
    built: Built
    wanted: Expected
    values: Values
    path: Path


@pytest.fixture(scope="session", params=list(CASES))
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    inputs = CASES[request.param]()
    lang = "zh" if request.param.endswith("zh") else "en"
    built = build(inputs, lang, MONTHS, spare=3)
    path = tmp_path_factory.mktemp("parity") / f"{request.param}.xlsx"
    values = write_with_values(built.book, path)
    return Case(inputs, built, expected(inputs, built, MONTHS), values, path)


def test_every_cell_is_what_python_says(case: Case) -> None:
    assert len(case.wanted) > 150 * len(case.inputs.workloads)
    assert disagreements(case.wanted, case.values) == []


def test_no_cell_is_an_error(case: Case) -> None:
    assert case.values.errors() == {}


def test_libreoffice_agrees(
    case: Case, recalculate: Callable[[Path], Workbook], differences: Callable[[Workbook, Values, Workbook], list[str]]
) -> None:
    assert differences(case.built.book, case.values, recalculate(case.path)) == []


def test_a_priced_book_has_a_total_that_is_not_blocked() -> None:
    inputs = CASES["random-priced"]()
    built = build(inputs, "en", MONTHS)
    values = evaluate(built.book)
    total = values.at("Budget", f"H{built.budget.rows['grand']}")
    assert isinstance(total, float) and total > 0
    assert values.at("Checks", "D3") == "OK"


@pytest.mark.parametrize(("sheet", "quantity"), [("Sizing", "concurrency"), ("Lookup", "memory_gb"), ("Budget", "cost")])
def test_a_poisoned_formula_is_found(sheet: str, quantity: str) -> None:
    inputs = sample("en")
    built = build(inputs, "en", 3)
    row = {"Sizing": built.sizing, "Lookup": built.lookup.rows, "Budget": {"cost": built.budget.blocks["month_cost"]}}
    column = "I" if sheet == "Budget" else "E"
    cell: Any = built.book[sheet][f"{column}{row[sheet][quantity]}"]
    cell.value = f"{cell.value}*1.00001"
    wrong = disagreements(expected(inputs, built, 3), evaluate(built.book))
    assert any(line.startswith(f"{sheet}!{cell.coordinate}:") for line in wrong)
