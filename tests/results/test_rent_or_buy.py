"""Rent, commit or buy: sheets and Python agree, in money a person can follow, and what is missing stays missing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import libreoffice
import pytest
from decisions import Expected, changed, check, decided, expected, look_at, looked_at, moved, numbers, season
from parity import disagreements, random_inputs

from gpusheet.calendar import by_month
from gpusheet.catalog import Workload
from gpusheet.catalog.price import PRICING_MODELS
from gpusheet.decisions.rent_or_buy import BUY, OPTIONS, Decision, decide
from gpusheet.lookup import estimate, look_up
from gpusheet.workbook.book import Built, build, write
from gpusheet.workbook.cached import write_with_values
from gpusheet.workbook.evaluate import Values, evaluate
from gpusheet.workbook.inputs import Inputs, sample
from gpusheet.workbook.reader import read_book
from gpusheet.workbook.results.cash_flow import FIRST
from gpusheet.workbook.results.rent_or_buy import VERDICTS

MONTHS = 6
SHEETS = ("Options", "CashFlow", "RentOrBuy")
TAXED = {
    "horizon_months": 60, "useful_life_months": 24, "discount_rate": 0.12, "profit_tax_rate": 0.25, "rent_vat_rate": 0.06,
    "purchase_vat_rate": 0.13, "vat_recovered": 0.6, "residual_share": 0.05,
}  # fmt: skip


def _with_taxes(inputs: Inputs) -> Inputs:
    """The three bases of tax side by side, and prices that drift."""
    gpu = looked_at(inputs).gpu
    bases = {"on_demand": "included", "monthly": "excluded", "reserved": "unstated", "spot": "included"}
    prices = [one.model_copy(update={"tax": bases[one.pricing_model]} if one.gpu == gpu else {}) for one in inputs.catalog.prices]
    scenarios = [inputs.plans.scenarios[0].model_copy(update={"price_drift": -0.15}), *inputs.plans.scenarios[1:]]
    return replace(inputs, catalog=replace(inputs.catalog, prices=prices), plans=replace(inputs.plans, scenarios=scenarios))


def _random(seed: int) -> Inputs:
    inputs = random_inputs(seed, 8)
    known = decided(**TAXED)
    drawn = [one.model_copy(update={"capex": 400_000.0, "end_month": None, "start_month": None, "daily_active_users": 9e4})
             for one in inputs.workloads]  # fmt: skip
    return look_at(replace(inputs, workloads=drawn, assumptions=known.assumptions, plans=known.plans), "w3")


CASES: dict[str, Callable[[], Inputs]] = {
    "plain": decided,
    "taxed": lambda: _with_taxes(decided(**TAXED)),
    "shortest": lambda: decided(horizon_months=12, useful_life_months=12, discount_rate=0),
    "life-is-horizon": lambda: decided(horizon_months=60, useful_life_months=60),
    "shipped-sample": sample,
    "chinese": lambda: decided("zh", useful_life_months=36),
    "random": lambda: _random(11),
}


@cache
def case(name: str) -> tuple[Inputs, Built, Values, Expected]:
    inputs = CASES[name]()
    built = build(inputs, "zh" if name == "chinese" else "en", MONTHS)
    return inputs, built, evaluate(built.book), expected(inputs, built, MONTHS)


def wrong(wanted: Expected, values: Values, *sheets: str) -> list[str]:
    return disagreements({at: value for at, value in wanted.items() if at[0] in (sheets or SHEETS)}, values)


def chosen(inputs: Inputs) -> Decision:
    return decide(looked_at(inputs), inputs.context, season(inputs, MONTHS))


@pytest.mark.parametrize("name", [one for one in CASES if one != "chinese"])
def test_every_figure_is_what_python_says(name: str) -> None:
    _, _, values, wanted = case(name)
    assert len([at for at in wanted if at[0] in SHEETS]) > 1000
    assert wrong(wanted, values) == []
    assert values.errors() == {}


def test_the_chinese_book_has_the_same_figures() -> None:
    _, _, values, wanted = case("chinese")
    words = {at: value for at, value in wanted.items() if not isinstance(value, str)}
    assert len(words) > 1000 and wrong(words, values) == []
    assert values.errors() == {} and values.at("Checks", "D3") == "通过"


def test_any_workload_can_be_looked_at() -> None:
    """One book, its cell typed anew: every workload of a random table."""
    inputs, built, _, _ = case("random")
    rows: dict[Any, int] = {cell.value: cell.row for cell in built.book["Assumptions"]["A"]}
    cell: Any = built.book["Assumptions"].cell(rows["looked_at"], 3)
    before = cell.value
    try:
        for name in ("w1", "W6", "w8"):
            cell.value = name
            found = wrong(expected(look_at(inputs, name), built, MONTHS), evaluate(built.book))
            assert found == []
    finally:
        cell.value = before


@pytest.mark.parametrize("name", ["plain", "taxed"])
def test_libreoffice_agrees(name: str, tmp_path: Path) -> None:
    inputs = CASES[name]()
    book = build(inputs, "en", MONTHS).book
    values = write_with_values(book, tmp_path / "book.xlsx")
    assert libreoffice.differences(book, values, libreoffice.recalculate(tmp_path / "book.xlsx")) == []


POISONED = [
    ("Options", "F56"), ("Options", "E77"), ("CashFlow", "G20"), ("CashFlow", "T48"), ("RentOrBuy", "G15"), ("RentOrBuy", "E19"),
    ("RentOrBuy", "F26"), ("RentOrBuy", "G27"), ("RentOrBuy", "H25"), ("RentOrBuy", "E34"),
]  # fmt: skip


@pytest.mark.parametrize(("sheet", "cell"), POISONED)
def test_a_poisoned_formula_is_found(sheet: str, cell: str) -> None:
    inputs = decided(useful_life_months=36)
    built = build(inputs, "en", MONTHS)
    poisoned: Any = built.book[sheet][cell]
    assert str(poisoned.value).startswith("=")
    poisoned.value = f"{poisoned.value}*1.00001"
    found = wrong(expected(inputs, built, MONTHS), evaluate(built.book))
    assert any(line.startswith(f"{sheet}!{cell}:") for line in found)


@pytest.mark.parametrize(("cell", "title"), [
    ("Options!G58", "RentOrBuy against Budget"), ("CashFlow!P60", "Cash of owning against"),
    ("RentOrBuy!D33", "RentOrBuy: what buying"),
])  # fmt: skip
def test_a_changed_formula_turns_the_master_check_red(cell: str, title: str) -> None:
    inputs = decided()
    if cell.startswith("Options"):  # the pricing model that the workload pays
        inputs = changed(inputs, pricing_model="reserved")
    built = build(inputs, "en", MONTHS)
    sheet, place = cell.split("!")
    poisoned: Any = built.book[sheet][place]
    poisoned.value = f"{poisoned.value}+1"
    values = evaluate(built.book)
    assert check(values, title)[5] == 0 and values.at("Checks", "D3") == "CHECK"


# --- the money itself ---


def by_hand(decision: Decision, inputs: Inputs, resale: float = 1.0) -> tuple[float, float]:
    """Total and present value of owning, sold and bought fleet by fleet, at a share of the book value."""
    factors, owning = inputs.assumptions, decision.owning
    horizon, life, tax = int(factors.horizon_months), int(factors.useful_life_months), factors.profit_tax_rate
    price, monthly = owning["fleet_capex"], (1 + factors.discount_rate) ** (1 / 12) - 1
    loss = price * (1 - factors.residual_share) / life
    flows = dict.fromkeys(range(1, horizon + 1), owning["owned_running_cost"] * (1 - tax) - loss * tax)
    for start in range(0, horizon, life):
        end = min(start + life, horizon)
        flows[start] = flows.get(start, 0) + price
        book = price - loss * (end - start)
        flows[end] -= book * resale + book * (1 - resale) * tax  # what is lost lowers the tax
    return sum(flows.values()), sum(cash / (1 + monthly) ** month for month, cash in flows.items())


@pytest.mark.parametrize("name", ["plain", "taxed", "shortest", "life-is-horizon", "random"])
def test_owning_by_hand(name: str) -> None:
    inputs, built, values, _ = case(name)
    total, present = by_hand(chosen(inputs), inputs)
    row = built.results["RentOrBuy"][BUY]
    assert values.at("RentOrBuy", f"E{row}") == pytest.approx(total, rel=1e-9)
    assert values.at("RentOrBuy", f"G{row}") == pytest.approx(present, rel=1e-9)


@pytest.mark.parametrize("name", ["plain", "taxed", "shortest"])
def test_what_is_left_without_the_sale(name: str) -> None:
    """Sold for nothing the cards leave what the sheet says; sold at its break-even share they leave nothing."""
    inputs, built, values, _ = case(name)
    decision, tried = chosen(inputs), 0
    for model in PRICING_MODELS:
        row = built.results["RentOrBuy"][f"instead_{model}"]
        resale, saved, npv = (values.at("RentOrBuy", f"{letter}{row}") for letter in "FGH")
        if resale == "":
            continue
        total, present = by_hand(decision, inputs, 0.0)
        assert saved == pytest.approx(decision.total(model) - total, rel=1e-9)
        assert npv == pytest.approx(decision.present_value(model) - present, rel=1e-9)
        if resale > 0:
            left = decision.present_value(model) - by_hand(decision, inputs, resale)[1]
            assert left == pytest.approx(0, abs=1e-6 * abs(present))
        else:
            assert npv >= 0
        tried += 1
    assert tried


def test_a_steady_rent_has_the_value_of_an_annuity() -> None:
    inputs, built, values, _ = case("plain")
    rent, months, rate = chosen(inputs).cards * 3500.0, 48, 1.08 ** (1 / 12) - 1
    assert values.at("RentOrBuy", f"E{built.results['RentOrBuy']['reserved']}") == pytest.approx(rent * months, rel=1e-12)
    present = rent * (1 - (1 + rate) ** -months) / rate
    assert values.at("RentOrBuy", f"G{built.results['RentOrBuy']['reserved']}") == pytest.approx(present, rel=1e-12)


def test_over_the_useful_life_it_is_the_npv_of_sizing() -> None:
    """Without staff and taxes, and at the cards of month 1, both sheets say the same of the workload's own pricing model."""
    inputs = decided(horizon_months=60, useful_life_months=60, staff_per_month=0)
    settings = inputs.settings.model_copy(update={"run_rate_month": 1})
    inputs = replace(inputs, settings=settings)
    decision = chosen(inputs)
    npv = decision.present_value("monthly") - decision.present_value(BUY)
    sizing = estimate([looked_at(inputs)], inputs.context)
    assert npv == pytest.approx(float(sizing["buy_npv"].iloc[0]), rel=1e-9)
    assert decision.owning["owned_monthly_cost"] == pytest.approx(float(sizing["owned_monthly_cost"].iloc[0]), rel=1e-12)


def test_the_rent_of_the_own_pricing_model_is_the_budgets() -> None:
    inputs = CASES["taxed"]()
    workload, months = looked_at(inputs), season(inputs, MONTHS)
    budget = by_month([look_up(workload, inputs.context)], len(months), months)["month_cost"].iloc[-1]
    assert chosen(inputs).offers["monthly"]["quoted_rent"] == pytest.approx(float(budget), rel=1e-12)


def test_a_saving_can_have_a_negative_npv() -> None:
    """Buying saves cash against the reserved price, but not at 8% a year: the sheet shows both, and says so."""
    built = build(decided(), "en")
    values = evaluate(built.book)
    row = built.results["RentOrBuy"]["instead_reserved"]
    saving, npv = values.at("RentOrBuy", f"D{row}"), values.at("RentOrBuy", f"E{row}")
    assert isinstance(saving, float) and isinstance(npv, float) and saving > 0 > npv
    assert values.at("RentOrBuy", f"B{row}") == VERDICTS[1][0]
    for lang in ("", ".zh"):
        page = (Path(__file__).parents[2] / "docs" / f"decisions{lang}.md").read_text(encoding="utf-8")
        running = values.at("Options", f"E{built.results['Options'].rows['owned_running_cost']}")
        for figure in (saving, npv, running):
            assert f"{figure:,.0f}".replace("-", "−") in page


def test_cards_are_bought_and_sold_when_they_should() -> None:
    for life, horizon, purchases, sales in (
        (60, 48, [0], [48]), (48, 48, [0], [48]), (36, 48, [0, 36], [36, 48]), (12, 36, [0, 12, 24], [12, 24, 36]),
    ):  # fmt: skip
        schedule = chosen(decided(useful_life_months=life, horizon_months=horizon)).schedule
        assert schedule["month_purchase"].nonzero()[0].tolist() == purchases
        assert schedule["sold"].nonzero()[0].tolist() == sales


def test_break_even_is_the_first_month_with_less_cash() -> None:
    decision = chosen(decided())
    for model in PRICING_MODELS:
        month = decision.break_even(model)
        pairs = zip(decision.so_far(BUY), decision.so_far(model), strict=True)
        below = [n for n, (own, rent) in enumerate(pairs) if own < rent - 1e-6]
        assert month == (below[0] if below else None)
    assert decision.break_even("on_demand") is not None and decision.break_even("spot") is None


# --- what is missing ---


def filled(values: Values, built: Built, option: str) -> list[Any]:
    row = built.results["RentOrBuy"][option]
    return [value for letter in "DEFGHIJ" if (value := values.at("RentOrBuy", f"{letter}{row}")) not in (None, "")]


@pytest.mark.parametrize(("change", "factors", "word"), [
    ({"capex": None}, {}, "no purchase price"), ({}, {"electricity_price": None}, "electricity, hosting or network blank"),
    ({}, {"network_per_month": None}, "electricity, hosting or network blank"),
    ({"owned_cards": 100.0}, {}, "no cards in month 1 that it buys"),
], ids=["capex", "electricity", "network", "no-cards"])  # fmt: skip
def test_a_purchase_without_figures_is_blank(change: dict[str, Any], factors: dict[str, Any], word: str) -> None:
    inputs = changed(decided(**factors), **change)
    built = build(inputs, "en", MONTHS)
    values = evaluate(built.book)
    assert values.errors() == {} and values.at("Checks", "D3") == "OK"
    assert filled(values, built, BUY) == []
    assert values.at("RentOrBuy", f"B{built.results['RentOrBuy'][BUY]}") == word
    assert len(filled(values, built, "monthly")) >= 5  # renting stands
    columns = built.results["CashFlow"].columns
    drawn = values.sheets["CashFlow"][FIRST - 1][columns[f"drawn_{BUY}"] - 1]
    assert isinstance(drawn, float) and drawn < 0  # under the axis, not at 0
    assert wrong(expected(inputs, built, MONTHS), values) == []


@pytest.mark.parametrize(("looked", "workloads", "state"), [
    ("Nobody", None, "no workload of that name: looked_at in Assumptions"), (None, (), "inputs incomplete: see Lookup"),
    ("broken", "broken", "inputs incomplete: see Lookup"),
], ids=["unknown", "none", "incomplete"])  # fmt: skip
def test_without_a_workload_all_is_blank(looked: str | None, workloads: Any, state: str) -> None:
    inputs = decided()
    kept = inputs.workloads if workloads is None else ()
    inputs = replace(inputs, workloads=kept, settings=inputs.settings.model_copy(update={"looked_at": looked}))
    built = build(inputs, "en", MONTHS)
    if workloads == "broken":
        sheet: Any = built.book["Workloads"]
        header = {cell.value: cell.column for cell in sheet[6]}
        sheet.cell(7, header["workload"]).value = "broken"
    values = evaluate(built.book)
    assert values.errors() == {}
    assert values.at("RentOrBuy", "B4") == state
    for option in OPTIONS:
        assert filled(values, built, option) == []
    assert numbers(values, "CashFlow").keys() >= {"A12", "A13"}
    assert check(values, "Workload looked at is not there")[3] == (looked == "Nobody")


def test_an_offer_that_is_missing_says_why() -> None:
    inputs = decided()
    gpu = looked_at(inputs).gpu
    prices = [one for one in inputs.catalog.prices if not (one.gpu == gpu and one.pricing_model == "spot")]
    twice = next(one for one in prices if one.gpu == gpu and one.pricing_model == "reserved")
    foreign = {"currency": "USD"}
    dollars = [one.model_copy(update=foreign) if (one.gpu, one.pricing_model) == (gpu, "on_demand") else one for one in prices]
    inputs = replace(inputs, catalog=replace(inputs.catalog, prices=[*dollars, twice.model_copy(update={"price": 3600.0})]))
    built = build(inputs, "en", MONTHS)
    values = evaluate(built.book)
    at = built.results["RentOrBuy"]
    said = [values.at("RentOrBuy", f"B{at[option]}") for option in OPTIONS]
    assert said == ["no exchange rate", "", "several prices", "no price", ""]
    assert wrong(expected(inputs, built, MONTHS), values) == []
    assert values.at("RentOrBuy", f"I{at['monthly']}") == ""  # no on-demand price to hold it against


# --- live ---


def test_every_assumption_moves_the_sheet() -> None:
    """Each factor of owning, five percent up, moves a figure of RentOrBuy, and the checks stay green."""
    inputs = _with_taxes(decided(**{**TAXED, "useful_life_months": 40}))
    built = build(inputs, "en", MONTHS)
    before = evaluate(built.book)
    sheet: Any = built.book["Assumptions"]
    rows = {cell.value: cell.row for cell in sheet["A"]}
    for name, change in (
        ("horizon_months", -12), ("staff_per_month", 150), ("rent_vat_rate", 0.003), ("purchase_vat_rate", 0.0065),
        ("vat_recovered", 0.03), ("profit_tax_rate", 0.0125), ("discount_rate", 0.006), ("useful_life_months", 2),
        ("residual_share", 0.0025), ("pue", 0.065), ("electricity_price", 0.04), ("colocation_per_kw_month", 25),
        ("network_per_month", 100), ("maintenance_rate", 0.0025),
    ):  # fmt: skip
        cell = sheet.cell(rows[name], 3)
        kept, cell.value = cell.value, cell.value + change
        after = evaluate(built.book)
        cell.value = kept
        assert moved(before, after, "RentOrBuy") - {"B7", "B8", "B9"}, f"{name} moves nothing"
        assert after.at("Checks", "D3") == before.at("Checks", "D3") and after.errors() == {}


def test_mixed_tax_bases_are_an_alert_until_the_rate_is_typed() -> None:
    for rate, alerts in ((0.0, 1), (0.06, 0)):
        values = evaluate(build(_with_taxes(decided(rent_vat_rate=rate)), "en", MONTHS).book)
        assert check(values, "Rents with and without tax")[3] == alerts


def test_a_written_book_is_read_back(tmp_path: Path) -> None:
    inputs = decided()
    write(inputs, tmp_path / "book.xlsx", months=MONTHS)
    read = read_book(tmp_path / "book.xlsx")
    assert read.inputs == inputs or read.inputs.digest == inputs.digest
    assert read.lost == () and read.warnings == ()


def test_formulas_are_short_and_numbers_are_computed() -> None:
    _, built, _, _ = case("plain")
    cells = [cell for sheet in (*SHEETS, "Traffic") for row in built.book[sheet].iter_rows() for cell in row]
    formulas = [str(cell.value) for cell in cells if cell.data_type == "f"]
    assert len(formulas) > 2000 and max(map(len, formulas)) <= 300
    assert sum(len(one) <= 120 for one in formulas) >= 0.95 * len(formulas)
    assert not [cell for cell in cells if isinstance(cell.value, int | float)]
    assert not [one for one in formulas if re.search(r"\b(INDIRECT|OFFSET|TODAY|NOW|LET|FILTER|XLOOKUP)\(", one)]


def test_a_workload_of_nothing_to_rent() -> None:
    """Cards that are all there already cost nothing to rent, which is a figure and not a gap."""
    inputs = decided()
    idle: Workload = looked_at(inputs).model_copy(update={"committed_cards": 100.0, "capex": None})
    decision = decide(idle, inputs.context, season(inputs, MONTHS))
    assert decision.cards == 0 and decision.total("monthly") == 0
    assert decision.total(BUY) != decision.total(BUY)  # no purchase price
