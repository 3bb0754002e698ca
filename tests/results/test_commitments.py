"""The sheet Commitments holds what Python says of contracts, of sign-off and of typed values."""

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
from parity import EPOCH, Expected, disagreements
from parity import expected as wanted
from planned_books import MONTHS, Planned, planned

from gpusheet.catalog import OVERRIDES, Workload
from gpusheet.catalog.planning import Contract
from gpusheet.decisions.commitments import Terms, commitments, edate
from gpusheet.lookup import overrides_typed
from gpusheet.workbook.book import build
from gpusheet.workbook.budget_layout import FIRST
from gpusheet.workbook.evaluate import evaluate

NAME = "Commitments"
BLOCKS = {"term": "in_force", "look": "due", "owed": "owed", "cash": "cash", "planned": "planned", "above": "above_plan",
          "free": "uncommitted", "cards": "planned_cards", "idle": "idle_cards"}  # fmt: skip
PEAKS = ("cards", "idle")


def lists_of(case: Planned) -> list[str | None]:
    return [one.price_list or case.inputs.assumptions.price_list for one in case.inputs.workloads]


def table_of(case: Planned) -> Any:
    months = [edate(case.inputs.settings.budget_start, offset) for offset in range(MONTHS)]
    return commitments(case.inputs.plans.contracts, months, lists_of(case), case.grid("month_cost"), case.grid("month_tier"))


def expected(case: Planned) -> Expected:
    return dict([*_lines(case), *_totals(case)])


def _day(day: datetime.date) -> int:
    return (day - EPOCH).days


def _lines(case: Planned) -> Iterator[tuple[tuple[str, str], Any]]:
    table, at = table_of(case), case.built.results[NAME]
    first = case.inputs.settings.budget_start
    end = edate(first, MONTHS)
    for number, one in enumerate(case.inputs.plans.contracts):
        terms = Terms(one)
        own = table[table["contract"] == one.contract]
        flags = (one.signed_on is None, first <= terms.last_day < end, terms.last_day >= first and terms.decide_by < end,
                 [other.price_list for other in case.inputs.plans.contracts].count(one.price_list) > 1)  # fmt: skip
        drivers: dict[str, tuple[Any, ...]] = {
            "term": (_day(one.start_date), one.term_months, _day(terms.last_day), _day(terms.decide_by)),
            "look": tuple(map(int, flags)),
            "owed": (one.agreed_per_month, one.agreed_discount, one.prepayment_share, one.signed_on and _day(one.signed_on)),
            "cash": (one.agreed_per_month * one.term_months * one.prepayment_share, one.signed_by),
            "planned": (lists_of(case).count(one.price_list), int(own["first"].iloc[0])),
            "idle": (one.agreed_cards,),
        }  # fmt: skip
        for block, column in BLOCKS.items():
            row = at["blocks"][block] + number
            values = own[column].tolist()
            yield (NAME, f"B{row}"), one.contract
            yield (NAME, f"C{row}"), one.price_list
            for offset, value in enumerate(drivers.get(block, ())):
                yield (NAME, f"{'DEFG'[offset]}{row}"), value
            for offset, value in enumerate(values):
                yield (NAME, f"{get_column_letter(FIRST + offset)}{row}"), value
            last = {"term": terms.months_left(first), "look": sum(flags)}
            together = max(values) if block in PEAKS else math.fsum(values)
            yield (NAME, f"H{row}"), last.get(block, math.nan if any(map(math.isnan, values)) else together)


def _totals(case: Planned) -> Iterator[tuple[tuple[str, str], Any]]:
    table, at = table_of(case), case.built.results[NAME]
    mixed = {"included", "excluded"} <= {one.chosen.price.tax for one in case.found if one.chosen.price}
    for key in ("owed", "cash", "planned", "above", "free"):
        own = table[table["first"]] if key == "planned" else table
        sums = own.groupby("month")[BLOCKS[key]].sum(min_count=1) if len(own) else None
        lacking = table.groupby("month")[BLOCKS[key]].apply(lambda one: one.isna().any()) if len(own) else None
        for month in range(1, MONTHS + 1):
            value = 0.0 if sums is None or lacking is None else "blocked" if lacking[month] or mixed else sums[month]
            yield (NAME, f"{get_column_letter(FIRST + month - 1)}{at[key]}"), value


def test_every_number_is_what_python_says(case: Planned) -> None:
    wanted = expected(case)
    assert len(wanted) > 9 * MONTHS * len(case.inputs.plans.contracts)
    if case.built.book.custom_doc_props["gpusheet_lang"].value == "zh":
        wanted = {place: "待补全" if value == "blocked" else value for place, value in wanted.items()}
    assert disagreements(wanted, case.values) == []


def test_a_poisoned_formula_is_found(sample_case: Planned) -> None:
    built = planned(sample_case.inputs, sample_case.path.with_name("poisoned.xlsx"))
    for block in ("owed", "cash", "planned", "free"):
        row = built.built.results[NAME]["blocks"][block]
        cell: Any = built.built.book[NAME][f"K{row}"]
        cell.value = f"{cell.value}*1.00001+1"
    wrong = disagreements(expected(built), evaluate(built.built.book))
    assert {line.partition(":")[0] for line in wrong} >= {
        f"{NAME}!K{built.built.results[NAME]['blocks'][block]}" for block in ("owed", "cash", "planned", "free")
    }


def test_planned_and_owed_cross_foot(sample_case: Planned) -> None:
    at, values = sample_case.built.results[NAME], sample_case.values
    planned_, above, owed, free, other = (values.at(NAME, f"H{at[key]}") for key in ("planned", "above", "owed", "free", "without"))
    gpu = values.at("Budget", f"H{sample_case.built.budget.rows['gpu']}")
    assert math.isclose(planned_ + above, owed + free) and math.isclose(planned_ + other, gpu)  # type: ignore[operator]
    assert above > 0 and free > 0  # type: ignore[operator]


def test_the_term_has_as_many_months_as_it_says() -> None:
    """Also where it begins on a day that some months do not have."""
    contract = Contract(contract="c", price_list="p", start_date="2026-01-31", term_months=24)
    months = [edate(datetime.date(2025, 1, 1), offset) for offset in range(60)]
    running = [month for month in months if Terms(contract).in_force(month)]
    assert (running[0], running[-1], len(running)) == (datetime.date(2026, 1, 1), datetime.date(2027, 12, 1), 24)


def test_who_signed_and_what_was_typed(sample_case: Planned) -> None:
    at, values = sample_case.built.results[NAME], sample_case.values
    top = at["sign_off"]
    shown = [[values.at(NAME, f"{letter}{top + line}") for letter in "BCDE"] for line in range(3)]
    day = _day(datetime.date(2026, 11, 2))
    assert shown == [["Prepared", "Ann", day, "Ann"], ["Reviewed", "Bo", "", ""], ["Approved", "", "", ""]]
    lines = [one for one in sample_case.inputs.workloads if overrides_typed(lambda name, one=one: getattr(one, name) is not None)]
    for number, one in enumerate(lines):
        row = at["overrides"] + number
        typed = [getattr(one, name) for name in OVERRIDES if name != "requests_per_day" or one.daily_active_users]
        assert values.at(NAME, f"B{row}") == one.workload
        assert values.at(NAME, f"D{row}") == sum(value is not None for value in typed)
        assert values.at(NAME, f"E{row}") == (one.override_reason or "reason missing")
        for offset, name in enumerate(OVERRIDES):
            counts = name != "requests_per_day" or (one.daily_active_users and one.requests_per_user_per_day)
            value = getattr(one, name) if counts else None
            assert values.at(NAME, f"{get_column_letter(9 + offset)}{row}") == ("" if value is None else value)
    assert values.at(NAME, f"B{at['overrides'] + len(lines)}") == ""
    assert "reason missing" in [values.at(NAME, f"E{at['overrides'] + n}") for n in range(len(lines))]


def _alerts(case: Planned) -> dict[Any, Any]:
    rows = range(1, len(case.values.sheets["Checks"]) + 1)
    return {case.values.at("Checks", f"B{row}"): case.values.at("Checks", f"D{row}") for row in rows}


def test_alerts_say_what_to_look_at(sample_case: Planned) -> None:
    found = _alerts(sample_case)
    assert found["Contracts that are not signed"] == 2
    assert found["Contracts that end within the budget"] == 3  # the last in month 13
    assert found["Contracts to decide on within the budget"] == 3
    assert found["Contracts whose price list has another contract"] == 2
    assert found["Contracts with least spend above the plan"] == 2
    assert found["Contracts with agreed cards above the plan"] == 1


def test_without_contracts_nothing_is_owed(tmp_path: Path) -> None:
    inputs = filled()
    case = planned(replace(inputs, plans=replace(inputs.plans, contracts=())), tmp_path / "none.xlsx")
    at = case.built.results[NAME]
    assert case.values.errors() == {}
    assert [case.values.at(NAME, f"H{at[key]}") for key in ("owed", "cash", "planned", "above", "free")] == [0.0] * 5
    assert case.values.at(NAME, f"H{at['without']}") == case.values.at("Budget", f"H{case.built.budget.rows['gpu']}")


@pytest.mark.parametrize("field", ["agreed_per_month", "prepayment_share", "agreed_cards", "notice_days", "term_months"])
def test_each_input_moves_something(sample_case: Planned, field: str, tmp_path: Path) -> None:
    contract = sample_case.inputs.plans.contracts[0]
    value = getattr(contract, field) * (1.5 if field == "notice_days" else 2)
    moved = [contract.model_copy(update={field: value}), *sample_case.inputs.plans.contracts[1:]]
    plans = replace(sample_case.inputs.plans, contracts=moved)
    case = planned(replace(sample_case.inputs, plans=plans), tmp_path / "moved.xlsx")
    assert disagreements(expected(case), case.values) == []
    assert disagreements(expected(sample_case), case.values) != []
    assert case.values.at("Checks", "D3") == "OK"


def test_a_contract_without_a_start_blocks_its_totals(sample_case: Planned, tmp_path: Path) -> None:
    built = planned(sample_case.inputs, tmp_path / "whole.xlsx").built
    start = built.placed["Contracts"].letters["start_date"]
    built.book["Contracts"][f"{start}{built.placed['Contracts'].first}"].value = None
    values = evaluate(built.book)
    at = built.results[NAME]
    assert values.errors() == {}
    assert values.at(NAME, f"I{at['blocks']['owed']}") == ""
    assert [str(values.at(NAME, f"H{at[key]}"))[:7] for key in ("owed", "cash")] == ["blocked"] * 2
    assert values.at("Checks", "D3") == "CHECK"


def test_a_workload_without_overrides_is_not_listed() -> None:
    from gpusheet.workbook.results.signing import _typed

    plain = Workload(workload="w", gpu="L20", model="Generic-7B", input_tokens=1, output_tokens=1, requests_per_day=5)
    assert not _typed(plain)
    assert _typed(plain.model_copy(update={"daily_active_users": 5.0, "requests_per_user_per_day": 1.0}))


@pytest.mark.parametrize(("signed", "start", "term", "ends"), [
    (None, "2027-01-01", 14, 0), ("2026-10-30", "2027-01-01", 14, 1), ("2026-10-30", "2027-04-01", 6, 1),
    ("2026-10-30", "2026-01-01", 12, 0),
])  # fmt: skip
def test_a_discount_counts_once_it_is_signed(signed: str | None, start: str, term: int, ends: int) -> None:
    """It counts in the months of the term, so an alert says where the term ends within the budget."""
    inputs = filled()
    agreed = Contract(contract="C-1", price_list="极智算", signed_on=signed, start_date=start, term_months=term, agreed_discount=0.2)
    total = {}
    for name, contracts in (("with", (agreed,)), ("without", ())):
        budget = replace(inputs, plans=replace(inputs.plans, contracts=contracts))
        built = build(budget, "en", MONTHS)
        values = evaluate(built.book)
        assert disagreements(wanted(budget, built, MONTHS), values) == []
        total[name] = values.at("Budget", f"H{built.budget.rows['gpu']}")
        if signed is not None:
            assert check(values, "Contracts that end within the budget")[3] == (ends if contracts else 0)
    reaches = signed is not None and start > "2026-01-01"
    assert (total["with"] < total["without"]) is reaches
