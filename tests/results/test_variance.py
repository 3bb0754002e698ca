"""The sheets Variance and Spend hold what Python says of spend against the budget."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from decisions import check
from filled_plans import filled
from openpyxl.utils import get_column_letter
from parity import Expected, disagreements
from planned_books import MONTHS, Planned, planned

from gpusheet.catalog.planning import Actual
from gpusheet.decisions.variance import Spent, by_month, ratio_to_date, spent
from gpusheet.workbook.budget_layout import FIRST
from gpusheet.workbook.evaluate import Values, evaluate
from gpusheet.workbook.inputs import Inputs

NAME = "Variance"
LINES = {"closed": "closed", "budget": "budget", "actual": "actual", "variance": "variance", "percent": "percent",
         "budget_to_date": "budget_to_date", "actual_to_date": "actual_to_date", "variance_to_date": "variance_to_date",
         "percent_to_date": "percent_to_date", "remaining": "remaining",
         "as_budgeted": "as_budgeted", "at_ratio": "at_ratio"}  # fmt: skip
BLOCKED = {"en": "blocked", "zh": "待补全"}


def rows_of(case: Planned) -> list[Spent]:
    inputs = case.inputs
    return spent(inputs.plans.actuals, inputs.settings.budget_start, MONTHS, inputs.workloads, inputs.context)


def budget_of(case: Planned) -> tuple[list[float], list[float]]:
    """The budget of each month, and the part of it that is not for cards."""
    cost, reserve = case.grid("month_cost"), 1 + case.inputs.assumptions.contingency_rate
    other = [sum(one.amount_per_month for one in case.inputs.other_costs if one.start_month <= month <= (one.end_month or MONTHS))
             for month in range(1, MONTHS + 1)]  # fmt: skip
    taxes = {one.chosen.price.tax for one in case.found if one.chosen.price}
    cards = [math.nan if {"included", "excluded"} <= taxes else sum(cost[:, month]) for month in range(MONTHS)]
    budget = [(card + more) * reserve for card, more in zip(cards, other, strict=True)]
    return budget, [whole - card for whole, card in zip(budget, cards, strict=True)]


def table_of(case: Planned) -> Any:
    return by_month(budget_of(case)[0], rows_of(case))


def expected(case: Planned, word: str = "blocked") -> Expected:
    return dict([*_months(case, word), *_shares(case, word)])


def _sum(values: Any, word: str) -> Any:
    return word if any(value != value for value in values) else math.fsum(values)


def _months(case: Planned, word: str) -> Iterator[tuple[tuple[str, str], Any]]:
    at, table = case.built.results[NAME], table_of(case)
    closed = table["closed"] == 1
    for key, column in LINES.items():
        for month, value in enumerate(table[column]):
            blocked = value != value and (key == "budget" or (key == "actual" and closed[month]))
            if key == "budget" and blocked:
                continue  # the Budget's own word, with how many are missing
            yield (NAME, f"{get_column_letter(FIRST + month)}{at[key]}"), word if blocked else value
    whole = not table["budget"].isna().any()
    for key in ("actual", "variance"):
        yield (NAME, f"H{at[key]}"), _sum(table.loc[closed, key], word)
    yield (NAME, f"H{at['budget']}"), math.fsum(table.loc[closed, "budget"]) if whole else word
    yield (NAME, f"H{at['ratio']}"), ratio_to_date(table) if whole else ""
    for key in ("as_budgeted", "at_ratio"):
        yield (NAME, f"H{at[key]}"), _sum(table[key], word)
    start = case.inputs.assumptions.fiscal_year_start
    first = case.inputs.settings.budget_start
    years = [first.year + (first.month - 1 + month) // 12 + int(start > 1 and (first.month - 1 + month) % 12 + 1 >= start)
             for month in range(MONTHS)]  # fmt: skip
    for offset, year in enumerate(sorted(set(years))):
        letter = get_column_letter(case.built.budget.first_year + offset)
        for key in ("budget", "as_budgeted", "at_ratio"):
            total = math.nan if table[key].isna().any() else sum(table[key][month] for month in range(MONTHS) if years[month] == year)
            yield (NAME, f"{letter}{at[key]}"), total


def _shares(case: Planned, word: str) -> Iterator[tuple[tuple[str, str], Any]]:
    """Workloads and cost centres over the closed months, what names none of them, and totals."""
    at, table, rows = case.built.results[NAME], table_of(case), [one for one in rows_of(case) if one.month]
    closed = (table["closed"] == 1).to_numpy()
    cost, others = case.grid("month_cost"), budget_of(case)[1]
    known = not math.isnan(table.loc[table["closed"] == 1, "actual"].sum(skipna=False))
    budgets = [math.nan if any(row != row) else float(row[closed].sum()) for row in cost]
    over = [one for one, is_closed in zip(others, closed, strict=True) if is_closed]
    rest = math.nan if any(one != one for one in others) else sum(over)

    def line(row: int, budget: Any, amounts: list[float]) -> Iterator[tuple[tuple[str, str], Any]]:
        actual = math.fsum(amounts) if known else math.nan
        yield (NAME, f"E{row}"), actual if known else word
        if not isinstance(budget, float) or budget == budget:
            yield (NAME, f"D{row}"), budget
        else:
            yield (NAME, f"F{row}"), ""
            return
        yield (NAME, f"F{row}"), actual - budget
        yield (NAME, f"G{row}"), (actual - budget) / budget if budget else math.nan

    for number, one in enumerate(case.inputs.workloads, 1):
        row = at["workloads"] + number - 1
        yield (NAME, f"B{row}"), one.workload
        yield from line(row, budgets[number - 1], [each.amount for each in rows if each.workload == number])
    last = at["workloads_last"]
    unknown = [one.amount for one in rows if not one.workload and one.row.workload]
    nobody = [one.amount for one in rows if not one.row.workload]
    yield from line(last + 1, 0.0, unknown)
    yield from line(last + 2, rest, nobody)
    names = [(one.cost_centre or "").casefold() for one in case.inputs.workloads]
    for offset, name in enumerate(dict.fromkeys(name for name in names if name)):
        own = [budget for budget, centre in zip(budgets, names, strict=True) if centre == name]
        budget = math.nan if any(one != one for one in budgets) else math.fsum(own)
        mine = [one.amount for one in rows if one.centre_workload and names[one.centre_workload - 1] == name]
        yield from line(at["centres"] + offset, budget, mine)
    last = at["centres_last"]
    yield from line(last + 1, 0.0, [one.amount for one in rows if one.centre and not one.centre_workload])
    loose = math.nan if any(one != one for one in budgets) else math.fsum(b for b, name in zip(budgets, names, strict=True) if not name)
    yield from line(last + 2, loose + rest, [one.amount for one in rows if not one.centre])


def test_every_number_is_what_python_says(case: Planned) -> None:
    word = BLOCKED[str(case.built.book.custom_doc_props["gpusheet_lang"].value)]
    wanted = expected(case, word)
    assert len(wanted) > 12 * MONTHS
    assert disagreements(wanted, case.values) == []


def test_the_lists_add_up_to_the_months(case: Planned) -> None:
    at = case.built.results[NAME]
    totals = [case.values.at(NAME, f"{letter}{at[f'{key}_total']}") for key in ("centres", "workloads") for letter in "DE"]
    months = [case.values.at(NAME, f"H{at[key]}") for key in ("budget", "actual")] * 2
    for total, month in zip(totals, months, strict=True):
        assert total == month if isinstance(month, str) else math.isclose(total, month, rel_tol=1e-9)  # type: ignore[arg-type]


def test_a_poisoned_formula_is_found(sample_case: Planned) -> None:
    case = planned(sample_case.inputs, sample_case.path.with_name("poisoned-variance.xlsx"))
    at = case.built.results[NAME]
    spoiled = [f"K{at['as_budgeted']}", f"I{at['actual']}", f"E{at['workloads']}"]
    for place in spoiled:
        cell: Any = case.built.book[NAME][place]
        cell.value = f"{cell.value}+1"
    wrong = disagreements(expected(case), evaluate(case.built.book))
    assert {line.partition(":")[0] for line in wrong} >= {f"{NAME}!{place}" for place in spoiled}


def with_spend(inputs: Inputs, *rows: Actual) -> Inputs:
    return replace(inputs, plans=replace(inputs.plans, actuals=[*inputs.plans.actuals, *rows]))


def line(values: Values, row: int, months: int = 4) -> list[Any]:
    return [values.at(NAME, f"{get_column_letter(FIRST + month)}{row}") for month in range(months)]


def test_a_currency_without_a_rate_blocks_and_is_named(tmp_path: Path) -> None:
    krona = Actual(month="2027-03-01", provider="p", service="s", amount=5, currency="SEK")
    case = planned(with_spend(filled(), krona), tmp_path / "krona.xlsx")
    at = case.built.results[NAME]
    assert case.values.errors() == {}
    assert (case.values.at(NAME, f"H{at['broken']}"), case.values.at(NAME, f"G{at['broken']}")) == (1.0, "SEK")
    actual = line(case.values, at["actual"])
    assert isinstance(actual[0], float) and actual[1:] == ["", "blocked", ""]
    assert line(case.values, at["as_budgeted"])[2] == ""
    assert [case.values.at(NAME, f"H{at[key]}") for key in ("actual", "as_budgeted")] == ["blocked"] * 2
    assert case.values.at(NAME, f"E{at['workloads']}") == "blocked"
    assert case.values.at("Checks", "D3") == "CHECK"
    assert disagreements(expected(case), case.values) == []


def test_what_is_typed_wrong_blocks(sample_case: Planned) -> None:
    """Text for a month: it may be of any month, so that none is known."""
    built = planned(sample_case.inputs, sample_case.path.with_name("typed.xlsx")).built
    placed = built.placed["Actuals"]
    built.book["Actuals"][f"{placed.letters['month']}{placed.first}"].value = "January"
    values = evaluate(built.book)
    at = built.results[NAME]
    assert values.errors() == {}
    assert [values.at(NAME, f"H{at[key]}") for key in ("broken", "unplaced")] == [1.0, 1.0]
    assert line(values, at["actual"])[:3] == ["blocked", "", "blocked"]
    assert values.at("Checks", "D3") == "CHECK"


def test_rows_beyond_the_lines_of_spend_block(sample_case: Planned) -> None:
    """A table that has outgrown the book: nothing of it is left out in silence."""
    built = planned(sample_case.inputs, sample_case.path.with_name("grown.xlsx")).built
    sheet, placed = built.book["Actuals"], built.placed["Actuals"]
    last = placed.last + 70
    for row in range(placed.last + 1, last + 1):
        for name, value in (("month", datetime.date(2027, 1, 1)), ("amount", 1.0), ("currency", "CNY")):
            sheet[f"{placed.letters[name]}{row}"] = value
    table = sheet.tables["Actuals"]
    table.ref = table.ref.rpartition(":")[0] + f":{list(placed.letters.values())[-1]}{last}"
    values = evaluate(built.book)
    at = built.results[NAME]
    assert values.at(NAME, f"H{at['unplaced']}") > 0  # type: ignore[operator]
    assert line(values, at["actual"])[0] == "blocked"
    assert values.at("Checks", "D3") == "CHECK"


def test_outside_the_months_is_counted_and_named(sample_case: Planned) -> None:
    at, values = sample_case.built.results[NAME], sample_case.values
    day = (datetime.date(2026, 12, 1) - datetime.date(1899, 12, 30)).days
    assert (values.at(NAME, f"H{at['outside']}"), values.at(NAME, f"G{at['outside']}")) == (1.0, day)
    rows = {values.at("Checks", f"B{row}"): values.at("Checks", f"D{row}") for row in range(7, len(values.sheets["Checks"]) + 1)}
    assert rows["Actuals outside the months of the budget"] == 1
    assert rows["Months without actual spend before the newest one"] == 1  # February


def test_without_spend_the_forecast_is_the_budget(tmp_path: Path) -> None:
    inputs = filled()
    case = planned(replace(inputs, plans=replace(inputs.plans, actuals=())), tmp_path / "none.xlsx")
    at = case.built.results[NAME]
    total = case.values.at("Budget", f"H{case.built.budget.rows['grand']}")
    assert case.values.errors() == {}
    assert case.values.at(NAME, f"H{at['as_budgeted']}") == pytest.approx(total)
    assert [case.values.at(NAME, f"H{at[key]}") for key in ("closed", "actual", "ratio")] == [0.0, 0.0, ""]
    assert line(case.values, at["at_ratio"]) == [""] * 4
    assert case.values.at("Checks", "D3") == "OK"


def test_the_two_forecasts() -> None:
    table = by_month([100, 100, 100, 100], [_of_month(1, 120), _of_month(2, 130)])
    assert table["as_budgeted"].tolist() == [120, 130, 100, 100]
    assert table["at_ratio"].tolist() == [120, 130, 125, 125]
    assert table["variance_to_date"].tolist()[:2] == [20, 50]
    assert ratio_to_date(table) == 1.25


def _of_month(month: int, amount: float) -> Spent:
    row = Actual(month="2027-01-01", amount=amount, currency="CNY")
    return Spent(row, month, amount, 0, "", 0)


@pytest.mark.parametrize("shock", [0.95, 1.05])
def test_spend_moves_the_forecast(sample_case: Planned, shock: float, tmp_path: Path) -> None:
    moved = [one.model_copy(update={"amount": one.amount * shock}) for one in sample_case.inputs.plans.actuals]
    inputs = replace(sample_case.inputs, plans=replace(sample_case.inputs.plans, actuals=moved))
    case = planned(inputs, tmp_path / "moved.xlsx")
    at = case.built.results[NAME]
    before, after = (one.values.at(NAME, f"H{at['at_ratio']}") for one in (sample_case, case))
    assert (after > before) == (shock > 1)  # type: ignore[operator]
    assert case.values.at("Checks", "D3") == "OK"


def test_rows_that_may_be_counted_wrongly_are_told(tmp_path: Path) -> None:
    """A workload that is none, and a typed row beside the bill of its month and workload."""
    first = filled().workloads[0].workload
    rows = [Actual(month="2027-02-01", workload=first, amount=5, currency="CNY"),
            Actual(month="2027-02-28", workload=first.upper(), provider="jz", service="GPU", amount=6, currency="CNY"),
            Actual(month="2027-03-01", workload=first, amount=7, currency="CNY")]  # fmt: skip
    values = planned(with_spend(filled(), *rows), tmp_path / "beside.xlsx").values
    assert check(values, "Actuals that name a workload which is none")[3] == 1  # the shadow service
    assert check(values, "Actuals without a provider beside a bill")[3] == 1
    assert values.at("Checks", "D3") == "OK"
