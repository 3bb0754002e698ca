"""The sheets PriceBridge, Register and Quotes hold what Python says, and the bridge cross-foots."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from filled_plans import drawn, filled
from openpyxl.utils import get_column_letter
from parity import EPOCH, Expected, disagreements
from planned_books import MONTHS, Planned, planned

from gpusheet.catalog import Price
from gpusheet.catalog.planning import Earlier
from gpusheet.catalog.settings import Settings
from gpusheet.decisions.price_bridge import (
    EFFECTS,
    as_earlier,
    at_old_prices,
    bridge,
    present,
    side_by_side,
    snapshot_days,
)
from gpusheet.errors import GpusheetError
from gpusheet.workbook.evaluate import evaluate

NAME = "PriceBridge"
COLUMNS = ("old_cards", "new_cards", "old_price", "new_price", "old_rate", "new_rate", "old_cost", *EFFECTS, "new_cost")


def month_of(case: Planned) -> int:
    return min(int(case.inputs.settings.run_rate_month or MONTHS), MONTHS)


def days_of(case: Planned) -> tuple[datetime.date | None, datetime.date | None]:
    settings = case.inputs.settings
    return snapshot_days(case.inputs.catalog.prices, settings.as_of, settings.price_from, settings.price_to)


def bridge_of(case: Planned) -> Any:
    found, month = case.found, month_of(case)
    at_old = at_old_prices(found, case.inputs.context, days_of(case)[0], month)
    return bridge(present(found, month, case.season), case.inputs.plans.earlier, at_old)


def expected(case: Planned) -> Expected:
    return dict([*_bridge(case), *_pairs(case)])


def _bridge(case: Planned) -> Iterator[tuple[tuple[str, str], Any]]:
    at, table = case.built.results[NAME], bridge_of(case)
    count = len(case.inputs.workloads)
    for number, one in enumerate(table.to_dict("records")):
        row = at["workloads"].first + number if number < count else at["removed"] + number - count
        yield (NAME, f"B{row}"), one["workload"]
        for name in COLUMNS:
            # where the price of now is missing nothing is compared with it
            known = name in ("new_cards", "new_price", "new_rate") or one["new_cards"] == one["new_cards"]
            yield (NAME, f"{at['workloads'].letters[name]}{row}"), one[name] if known else ""
    taxes = {one.chosen.price.tax for one in case.found if one.chosen.price}
    for step, name in enumerate(("old_cost", *EFFECTS, "new_cost")):
        blocked = table[name].isna().any() or {"included", "excluded"} <= taxes
        yield (NAME, f"C{at['steps'] + step}"), "blocked" if blocked else table[name].sum()


def _serial(day: datetime.date | None) -> Any:
    return "" if day is None else (day - EPOCH).days


def _pairs(case: Planned) -> Iterator[tuple[tuple[str, str], Any]]:
    listed, (old, new) = case.built.results[NAME]["prices"], days_of(case)
    yield (NAME, "C3"), _serial(new) or 0
    yield (NAME, "C4"), _serial(old) or 0
    prepared = case.inputs.settings.prepared_on
    pairs = side_by_side(case.inputs.catalog.prices, old, new)
    for number, pair in enumerate(pairs):
        row = listed.first + number
        age = (prepared - pair.new_day).days
        some = pair.new or pair.old
        values = {
            "old_day": _serial(pair.old_day), "new_day": _serial(pair.new_day), "change": pair.change, "age": age,
            "old_price": pair.old.price_per_card if pair.old else "", "new_price": pair.new.price_per_card if pair.new else "",
            "stale": float(age > case.inputs.assumptions.stale_price_days),
        }  # fmt: skip
        if some is not None:
            values |= {"gpu": some.gpu, "price_list": some.price_list, "listing": some.listing or ""}
            values["pricing_model"] = some.pricing_model
        for name, value in values.items():
            yield (NAME, f"{listed.letters[name]}{row}"), value
    yield (NAME, f"B{listed.first + len(pairs)}"), ""


def test_every_number_is_what_python_says(case: Planned) -> None:
    wanted = expected(case)
    assert len(wanted) > 10 * len(case.inputs.workloads)
    if case.built.book.custom_doc_props["gpusheet_lang"].value == "zh":
        wanted = {place: "待补全" if value == "blocked" else value for place, value in wanted.items()}
    assert disagreements(wanted, case.values) == []


def test_the_effects_add_up_exactly(case: Planned) -> None:
    table = bridge_of(case)
    if table[["old_cards", "new_cards"]].isna().any(axis=None):
        assert table["volume_effect"].isna().all()  # without all cards there are no shares of them
        return
    table = table.dropna()
    change = (table["new_cost"] - table["old_cost"]).to_numpy()
    assert len(table) and abs(table[list(EFFECTS)].sum(axis=1).to_numpy() - change).max() < 1e-6 * (1 + abs(change).max())


def test_what_each_effect_is(sample_case: Planned) -> None:
    """Volume and mix are of cards, price and FX of prices; a new workload is all mix."""
    table = bridge_of(sample_case).set_index("workload")
    new = table.loc["Knowledge search"]
    assert (new["old_cost"], new["volume_effect"], new["price_effect"], new["fx_effect"]) == (0, 0, 0, 0)
    assert math.isclose(new["mix_effect"], new["new_cost"]) and new["new_cost"] > 0
    gone = table.loc["Retired pilot"]
    assert (gone["new_cost"], gone["price_effect"], gone["fx_effect"]) == (0, 0, 0) and gone["old_cost"] == 3 * 900 * 7.0
    foreign = table.loc["Chat assistant"]  # was quoted in dollars: no effect of exchange rates
    assert foreign["fx_effect"] == 0 and math.isclose(foreign["old_cost"], 2 * 1500 * 7.2)
    total = table[["old_cards", "new_cards"]].sum()
    average = table["old_cost"].sum() / total["old_cards"]
    assert math.isclose(table["volume_effect"].sum(), (total["new_cards"] - total["old_cards"]) * average)
    notes = [sample_case.values.at(NAME, f"C{row}") for row in range(32, 39)]
    assert notes == ["", "other currency", "new", "other card or terms", "new", "new", "new"]


def test_another_rate_is_fx_and_nothing_else() -> None:
    import pandas

    now = pandas.DataFrame({"workload": ["w"], "cards": [4.0], "price": [1000.0], "currency": ["USD"], "rate": [7.5]})
    old = [Earlier(workload="W", gpu="L20", pricing_model="monthly", billed_cards=4, card_price=1000, currency="USD", rate=7)]
    one = bridge(now, old, None).iloc[0]
    assert (one["old_cost"], one["fx_effect"], one["new_cost"]) == (28000, 2000, 30000)
    assert (one["volume_effect"], one["mix_effect"], one["price_effect"]) == (0, 0, 0)


def test_without_an_earlier_budget_prices_alone_are_compared(tmp_path: Path) -> None:
    """The sample has one workload of which the old price is known, and says so of the others."""
    case = planned(filled(earlier=False), tmp_path / "prices.xlsx")
    first = case.built.results[NAME]["workloads"].first
    assert case.values.at(NAME, "C7") == "the same cards at the old prices"
    assert (case.values.at(NAME, "C9"), case.values.at(NAME, "C10")) == (4.0, "fill Earlier: gpusheet budget --earlier OLD.xlsx")
    for row in range(first, first + len(case.inputs.workloads)):
        line = [case.values.at(NAME, f"{letter}{row}") for letter in "LMNO"]
        assert (line[2] != "" and [*line[:2], line[3]] == [0, 0, 0]) or line == ["", "", "", 0]
    assert case.values.at(NAME, f"C{case.built.results[NAME]['steps']}") == "blocked"


def test_a_poisoned_formula_is_found(sample_case: Planned) -> None:
    built = planned(sample_case.inputs, sample_case.path.with_name("poisoned-bridge.xlsx"))
    at = built.built.results[NAME]
    spoiled = [f"{at[block].letters[column]}{at[block].first}"
               for block, column in (("workloads", "mix_effect"), ("prices", "new_price"))]
    for place in spoiled:
        cell: Any = built.built.book[NAME][place]
        cell.value = f"{cell.value}+0.01"
    wrong = disagreements(expected(built), evaluate(built.built.book))
    assert {line.partition(":")[0] for line in wrong} >= {f"{NAME}!{place}" for place in spoiled}


def test_days_of_prices() -> None:
    def day(text: str) -> datetime.date:
        return datetime.date.fromisoformat(text)

    def price(on: str) -> Price:
        return Price(snapshot_date=on, price_list="p", gpu="L20", cards=1, price=1, currency="CNY", per="card", period="hour",
                     pricing_model="spot", tax="unstated", source="drawn")  # fmt: skip

    prices = [price("2026-08-01"), price("2026-09-01"), price("2026-10-01")]
    assert snapshot_days(prices, None, None, None) == (day("2026-09-01"), day("2026-10-01"))
    assert snapshot_days(prices, day("2026-09-15"), None, None) == (day("2026-08-01"), day("2026-09-01"))
    assert snapshot_days(prices, None, day("2026-08-31"), day("2026-09-30")) == (day("2026-08-01"), day("2026-09-01"))
    assert snapshot_days(prices, day("2026-08-01"), None, None) == (None, day("2026-08-01"))
    assert snapshot_days([], None, None, None) == (None, None)
    with pytest.raises(GpusheetError, match="allowed a day before price_to, 2026-08-01"):
        Settings.read({"prepared_on": "2026-11-01", "budget_start": "2027-01-01", "price_from": "2026-08-01", "price_to": "2026-08-01"})


def test_typed_days_choose_the_prices(sample_case: Planned, tmp_path: Path) -> None:
    settings = sample_case.inputs.settings.model_copy(
        update={"price_from": datetime.date(2026, 8, 30), "price_to": datetime.date(2026, 10, 30)})  # fmt: skip
    case = planned(replace(sample_case.inputs, settings=settings), tmp_path / "days.xlsx")
    assert disagreements(expected(case), case.values) == []
    changes = [pair.change for pair in side_by_side(case.inputs.catalog.prices, *days_of(case))]
    known = [change for change in changes if change == change]
    monthly = next(one for one in case.inputs.catalog.prices if (one.gpu, one.pricing_model) == ("H20-96G", "monthly"))
    assert pytest.approx(monthly.price_per_card / 11000 - 1) in known and len(known) < len(changes)


def test_a_row_of_earlier_that_cannot_be_used_blocks(sample_case: Planned) -> None:
    built = planned(sample_case.inputs, sample_case.path.with_name("unusable.xlsx")).built
    placed = built.placed["Earlier"]
    built.book["Earlier"][f"{placed.letters['card_price']}{placed.first + 3}"].value = "dear"  # of the removed workload
    values = evaluate(built.book)
    assert values.errors() == {}
    assert values.at(NAME, "C8") == 1
    assert values.at(NAME, f"C{built.results[NAME]['steps']}") == "blocked"
    assert values.at("Checks", "D3") == "CHECK"


def test_as_earlier_of_itself_nothing_changed(tmp_path: Path) -> None:
    """A budget against itself as the earlier one: no effect at all."""
    inputs = drawn(5, 12)
    base = Planned(inputs, planned(inputs, tmp_path / "a.xlsx").built, None, tmp_path)  # type: ignore[arg-type]
    rows = as_earlier(base.found, MONTHS, base.season, "a.xlsx")
    assert [row.workload for row in rows] == [one.workload for one in inputs.workloads]
    case = planned(replace(inputs, plans=replace(inputs.plans, earlier=rows)), tmp_path / "b.xlsx")
    steps = case.built.results[NAME]["steps"]
    amounts = [case.values.at(NAME, f"C{steps + step}") for step in range(6)]
    assert amounts[0] == pytest.approx(amounts[5]) and amounts[0] > 0  # type: ignore[operator]
    assert amounts[1:5] == pytest.approx([0] * 4, abs=1e-6)


def test_a_budget_with_a_missing_price_is_no_earlier_one() -> None:
    inputs = drawn(6, 12, complete=False)
    case = Planned(inputs, None, None, Path())  # type: ignore[arg-type]
    with pytest.raises(GpusheetError, match=r"old.xlsx: the workload 'w\d+' has no \w+ in its run-rate month"):
        as_earlier(case.found, MONTHS, case.season, "old.xlsx")


def test_the_chart_stands_on_what_it_shows(case: Planned) -> None:
    """Base and steps of the waterfall lead from the old cost to the new one."""
    steps = case.built.results[NAME]["steps"]
    amounts = [case.values.at(NAME, f"C{steps + step}") for step in range(6)]
    if not all(isinstance(one, float) for one in amounts):
        assert case.values.at(NAME, f"{get_column_letter(6)}{steps}") == ""
        return
    level = amounts[0]
    for step in range(1, 5):
        base, up, down = (case.values.at(NAME, f"{letter}{steps + step}") for letter in "EGH")
        after = level + amounts[step]  # type: ignore[operator]
        assert (base, up - down) == (pytest.approx(max(0, min(level, after)), abs=1e-6), pytest.approx(amounts[step], abs=1e-6))  # type: ignore[operator]
        level = after
    assert level == pytest.approx(amounts[5], abs=1e-6)
