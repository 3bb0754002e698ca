"""Risk: the draw's middle is the budget, its figures are those of the drawn costs, the sheet stays and says when it is old."""

from __future__ import annotations

import datetime
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy
import pytest
from commands import refused, run
from lean_inputs import lean
from year_books import calculated, case

from gpusheet.audit import audit
from gpusheet.calendar import by_month
from gpusheet.decisions import risk
from gpusheet.decisions.drivers import DRIVERS
from gpusheet.decisions.risk import YEAR, Draw, draw_year, drawn_from, moved, triangular
from gpusheet.errors import GpusheetError
from gpusheet.lookup import look_up
from gpusheet.workbook.inputs import Inputs, sample
from gpusheet.workbook.reader import read_book
from gpusheet.workbook.results.risk import COMPARED, Drawn, drawn

DAY = datetime.date(2026, 11, 30)


def neutral(count: int = 3) -> Any:
    """Quantiles at which every driver is what the budget has, where all workloads have the same value."""
    found = []
    for driver in DRIVERS:
        column = next(iter(drawn_from(driver).values()))
        used = column.default
        low, high = min(column.low, used), max(column.high, used)
        found.append((used - low) / (high - low))
    return numpy.tile(found, (count, 1))


@pytest.mark.parametrize("name", ["sample-en", "whole", "tiers"])
def test_where_nothing_is_moved_the_cost_is_the_budget(name: str) -> None:
    of = case(name)
    season = of.season[:YEAR]
    wanted = by_month(of.found, len(season), season)["month_cost"].sum()
    # safety, memory and latency are each workload's own: they are left where they are
    own = [number for number, driver in enumerate(DRIVERS) if driver.name in ("latency", "memory", "safety")]
    for one in of.found:
        varied = moved(one, neutral())
        assert all(numpy.allclose(varied[name], one.values[name], rtol=1e-12) for number, driver in enumerate(DRIVERS)
                   for name in drawn_from(driver) if number not in own and name in varied)  # fmt: skip
    fixed = [replace(one, values=dict(one.values)) for one in of.found]
    quantile = neutral()
    costs = sum(_cost_left(one, season, quantile) for one in fixed)
    assert numpy.allclose(costs, wanted, rtol=1e-12)


def _cost_left(one: Any, season: list[float], quantile: Any) -> Any:
    """The cost where the drivers that are each workload's own stand where its value is."""
    moved_to = quantile.copy()
    for number, driver in enumerate(DRIVERS):
        if driver.name in ("latency", "memory", "safety"):
            name, column = next(iter(drawn_from(driver).items()))
            used = one.values[name]
            low, high = min(column.low, used), max(column.high, used)
            moved_to[:, number] = (used - low) / (high - low)
    return risk.costs([one], season, moved_to)


def test_draws_are_what_the_rules_say_one_by_one() -> None:
    """A few draws again, each by hand: the drawn values typed into the workload, the months by the calendar."""
    of = case("whole")
    season = of.season[:YEAR]
    quantile = numpy.random.default_rng(5).random((4, len(DRIVERS)))
    fast = risk.costs(of.found, season, quantile)
    for place in range(4):
        found = []
        for one in of.found:
            values = {name: float(value[place]) for name, value in moved(one, quantile).items()}
            found.append(replace(one, values={**one.values, **values}))
        slow = by_month(found, len(season), season)["month_cost"].sum(skipna=False)
        assert slow == pytest.approx(fast[place], rel=1e-12, nan_ok=True)
    assert numpy.isfinite(fast).sum() >= 2


def test_triangular_is_the_distribution() -> None:
    column = drawn_from(DRIVERS[0])["requests_per_day"]
    assert column.low == 0.5 and column.high == 2
    drawn_values = triangular(numpy.random.default_rng(1).random(200_000), column, 1.0)
    assert abs(drawn_values.mean() - (0.5 + 1 + 2) / 3) < 2e-3 and abs((drawn_values < 1).mean() - 1 / 3) < 4e-3
    outside = triangular(numpy.array([0.0, 1.0]), column, 3.0)
    assert outside.tolist() == [0.5, 3.0], "widened to hold the likeliest value"


def draw(inputs: Inputs, draws: int = 2000, seed: int = 1, months: int = 12) -> Draw:
    return drawn(inputs, months, draws, seed, DAY).draw


def test_a_seed_gives_the_same_draw_in_whatever_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = draw(lean(sample("en")), 1000)
    monkeypatch.setattr(risk, "BLOCK", 137)
    assert draw(lean(sample("en")), 1000) == whole
    assert draw(lean(sample("en")), 1000, seed=2) != whole


def test_figures_are_those_of_the_costs() -> None:
    made = draw(lean(sample("en")))
    found = [look_up(row, lean(sample("en")).context) for row in lean(sample("en")).workloads]
    costs = risk.costs(found, [1.0] * 12, numpy.random.default_rng(1).random((2000, len(DRIVERS)))) + 52_000
    assert made.quantiles == tuple(numpy.quantile(costs, (0.1, 0.5, 0.9)))
    assert (made.mean, made.lowest, made.highest) == (costs.mean(), costs.min(), costs.max())
    assert sum(made.counts) == 2000 and made.edges[0] == costs.min() and made.edges[-1] == costs.max()
    assert made.above_base == (costs > 1_138_528).mean() and math.isclose(made.base, 1_138_528)


def test_contributions_add_up_and_name_what_matters() -> None:
    made = draw(lean(sample("en")))
    assert math.isclose(sum(one.share for one in made.drivers), 1)
    assert [one.share for one in made.drivers] == sorted((one.share for one in made.drivers), reverse=True)
    assert made.drivers[0].driver.name == "requests" and made.drivers[0].correlation > 0.5
    by_name = {one.driver.name: one for one in made.drivers}
    assert by_name["discount"].correlation < 0 < by_name["price"].correlation


def test_a_driver_that_nothing_depends_on_has_no_share() -> None:
    """Cards that are typed: only what they cost is uncertain."""
    inputs = lean(sample("en"))
    fixed = [row.model_copy(update={"fixed_cards": 4.0}) for row in inputs.workloads]
    made = draw(replace(inputs, workloads=fixed))
    shares = {one.driver.name: one.share for one in made.drivers}
    assert shares["price"] + shares["discount"] > 0.99


def test_what_cannot_be_drawn_is_refused() -> None:
    inputs = lean(sample("en"))
    unpriced = [row.model_copy(update={"price_list": None}) for row in inputs.workloads]
    with pytest.raises(GpusheetError, match="workload 'Service bot' and 6 more: its cost is missing"):
        draw(replace(inputs, workloads=unpriced))
    with pytest.raises(GpusheetError, match="workloads: found none"):
        draw(replace(inputs, workloads=()))
    for number in (99, 1_000_001):
        with pytest.raises(GpusheetError, match=f"draws: found {number}, allowed 100 to 1,000,000"):
            draw_year([], [1.0], 0, 0, number)
    taxes = ["included", "excluded"]
    prices = tuple(row.model_copy(update={"tax": taxes[row.gpu == "L20"]}) for row in inputs.catalog.prices)
    with pytest.raises(GpusheetError, match="some with and some without tax"):
        draw(replace(inputs, catalog=replace(inputs.catalog, prices=prices)))


# --- the sheet ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("months", [5, 12, 20])
def test_the_sheet_holds_the_draw_and_agrees_with_the_book(lang: str, months: int) -> None:
    inputs = replace(lean(sample(lang)), assumptions=lean(sample(lang)).assumptions.model_copy(update={"contingency_rate": 0.1}))
    made = drawn(inputs, months, 300, 4, DAY)
    of = calculated(inputs, lang, months, drawn=made)
    rows, at = of.built.results["Risk"], of.values.at
    wanted = {"months": min(months, 12), "base": made.draw.base, "demand": made.draw.demand, "capacity": made.draw.capacity}
    for name, value in wanted.items():
        assert at("Risk", f"B{rows[name]}") == pytest.approx(value, rel=1e-15)  # a file keeps 16 digits
        assert math.isclose(at("Risk", f"C{rows[name]}"), value, rel_tol=1e-9), name  # type: ignore[arg-type]
        assert at("Risk", f"D{rows[name]}") == 0
    figures = {"reserve": made.draw.reserve, "mean": made.draw.mean, "p10%": made.draw.quantiles[0], "p90%": made.draw.quantiles[2],
               "above_budget": made.draw.above_budget, "failed": made.draw.failed}  # fmt: skip
    assert {name: at("Risk", f"B{rows[name]}") for name in figures} == pytest.approx(figures, rel=1e-15)
    assert [at("Risk", f"G{rows['bins'] + bin_}") for bin_ in range(20)] == list(made.draw.counts)
    note = str(at("Risk", "A3"))
    assert "300" in note and "4" in note and inputs.digest in note and "2026-11-30" in note
    assert of.values.errors() == {} and at("Checks", "D3") == of.say("OK", "通过")


def _alert(of: Any) -> Any:
    return next(row for row in of.values.sheets["Checks"] if row[1] == "Risk: the budget has changed since it was drawn")[3]


@pytest.mark.parametrize(("row", "change"), [
    ("base", {"hours_per_month": 700.0}), ("demand", {"busy_hours": 9.99}), ("capacity", {"safety": 0.6}),
])  # fmt: skip
def test_a_change_of_the_book_is_told(row: str, change: dict[str, float]) -> None:
    made = drawn(lean(sample("en")), 12, 200, 1, DAY)
    assert _alert(calculated(lean(sample("en")), "en", 12, drawn=made)) == 0
    inputs = lean(sample("en"))
    workloads = [one.model_copy(update=dict.fromkeys(change)) for one in inputs.workloads]
    assumptions = inputs.assumptions.model_copy(update=change)
    if row == "capacity":
        workloads = [one.model_copy(update={"cards": one.cards}) for one in workloads]
    of = calculated(replace(inputs, workloads=workloads, assumptions=assumptions), "en", 12, drawn=made)
    assert _alert(of) == 1 and of.values.at("Risk", f"D{of.built.results['Risk'][row]}") == 1
    assert str(of.values.at("Risk", "A4")).startswith("The budget has changed since")
    assert of.values.at("Checks", "D3") == "OK", "an old draw is no error of the book"


def test_a_blocked_book_is_told_too() -> None:
    made = drawn(lean(sample("en")), 12, 200, 1, DAY)
    unpriced = [row.model_copy(update={"price_list": None}) for row in lean(sample("en")).workloads]
    of = calculated(replace(lean(sample("en")), workloads=unpriced), "en", 12, drawn=made)
    assert (_alert(of), of.values.at("Risk", f"C{COMPARED + 1}")) == (1, "")


def test_without_a_draw_there_is_no_sheet() -> None:
    book = case("sample-en").built.book
    assert "Risk" not in book.sheetnames
    assert not any(cell.value == "Risk" for row in book["Cover"].iter_rows() for cell in row)


# --- command, reading, audit ----------------------------------------------------------------------------------------


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ended = run("budget", "-o", "risk.xlsx", "--monte-carlo", 500, "--seed", 9)
    assert (ended.status, ended.err) == (0, "")
    read = read_book("risk.xlsx")
    assert read.inputs == sample("en") and read.lost == ()
    assert read.warnings == ("Risk: static, so it is not carried over; draw anew with --monte-carlo",)
    again = run("budget", "risk.xlsx", "-o", "again.xlsx")
    assert again.err.splitlines() == ["risk.xlsx: Risk: static, so it is not carried over; draw anew with --monte-carlo"]
    anew = run("budget", "risk.xlsx", "-o", "anew.xlsx", "--monte-carlo", 500)
    assert anew.status == 0
    report = audit(Path("risk.xlsx"))
    assert [one for one in report.findings if "Risk" in (one.sheet or "")] == []


@pytest.mark.parametrize(("options", "words"), [
    (("--monte-carlo", 99), "--monte-carlo: found 99, allowed 100 to 1,000,000"),
    (("--monte-carlo", 500, "--seed", -1), "--seed: found -1, allowed a whole number at least 0"),
    (("--seed", 3), "--seed: found 3, allowed with --monte-carlo N only"),
])  # fmt: skip
def test_bad_options_are_refused(options: tuple[Any, ...], words: str, tmp_path: Path) -> None:
    target = tmp_path / "risk.xlsx"
    refused(run("budget", "-o", target, *options), words)
    assert not target.exists()


def test_a_draw_knows_where_it_is_from() -> None:
    made = drawn(lean(sample("en")), 12, 100, 1, DAY)
    assert isinstance(made, Drawn) and (made.on, made.digest) == (DAY, lean(sample("en")).digest)
