"""What Python says the sheets of the workload looked at must hold, and changes of a built book to try it on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from lean_inputs import lean
from openpyxl.utils import get_column_letter

from gpusheet.catalog import Assumptions, Workload
from gpusheet.catalog.price import PRICING_MODELS
from gpusheet.decisions.rent_or_buy import (
    BUY,
    OFFER_LINES,
    OPTIONS,
    OWNED_LINES,
    OWNING_LINES,
    TIMING_LINES,
    Decision,
    decide,
)
from gpusheet.decisions.traffic import HOUR_LINES, PEAK_LINES, REACH_LINES, RENT_LINES, WAYS, Traffic, traffic
from gpusheet.workbook.book import Built
from gpusheet.workbook.evaluate import Values
from gpusheet.workbook.inputs import Inputs, sample
from gpusheet.workbook.results import cash_flow
from gpusheet.workbook.results.traffic import LABELS

Expected = dict[tuple[str, str], Any]
NAN = float("nan")


def season(inputs: Inputs, months: int) -> list[float]:
    """The season factors of the budget months up to the run-rate month."""
    factors = {row.calendar_month: row.season_factor for row in inputs.catalog.seasons}
    start = inputs.settings.budget_start.month
    last = int(min(months, inputs.settings.run_rate_month or months))
    return [factors[(start - 1 + offset) % 12 + 1] for offset in range(last)]


def looked_at(inputs: Inputs) -> Workload:
    name = inputs.settings.looked_at
    return next((one for one in inputs.workloads if name and one.workload.casefold() == name.casefold()), inputs.workloads[0])


def look_at(inputs: Inputs, name: str) -> Inputs:
    return replace(inputs, settings=inputs.settings.model_copy(update={"looked_at": name}))


def changed(inputs: Inputs, **fields: Any) -> Inputs:
    """The workload looked at with other fields."""
    own = looked_at(inputs)
    others = [one.model_copy(update=fields) if one is own else one for one in inputs.workloads]
    return replace(inputs, workloads=others)


def expected(inputs: Inputs, built: Built, months: int) -> Expected:
    """Sheet and cell -> value; missing is NaN."""
    workload, factors = looked_at(inputs), season(inputs, months)
    decision = decide(workload, inputs.context, factors)
    day = traffic(workload, inputs.context, factors, decision)
    cells = dict(_options(decision, built.results["Options"].rows))
    cells.update(_cash_flow(decision, built.results["CashFlow"].columns))
    cells.update(_rent_or_buy(inputs, workload, decision, built.results["RentOrBuy"]))
    if day is not None:
        cells.update(_traffic(day, built.results["Traffic"]))
    return cells


def _options(decision: Decision, rows: Mapping[str, int]) -> Iterator[tuple[tuple[str, str], Any]]:
    for letter, model in zip("EFGH", PRICING_MODELS, strict=True):
        for line in OFFER_LINES:
            yield ("Options", f"{letter}{rows[line.name]}"), decision.offers[model][line.name]
    for line in OWNING_LINES:
        yield ("Options", f"E{rows[line.name]}"), decision.owning[line.name]
    yield ("Options", f"E{rows['fleet_cards']}"), decision.cards


def _cash_flow(decision: Decision, columns: Mapping[str, int]) -> Iterator[tuple[tuple[str, str], Any]]:
    shown = {line.name: decision.schedule[line.name] for line in (*TIMING_LINES, *OWNED_LINES)}
    shown |= {f"rent_{model}": decision.cash[model] for model in PRICING_MODELS}
    shown |= {f"so_far_{option}": decision.so_far(option) for option in OPTIONS}
    for key, values in shown.items():
        for month, value in enumerate(values):
            yield ("CashFlow", f"{get_column_letter(columns[key])}{cash_flow.FIRST + month}"), float(value)


def ranks(costs: Mapping[str, float]) -> dict[str, float]:
    """1 for the lowest; what differs by rounding only shares a rank, what is missing has none."""
    known = {name: cost for name, cost in costs.items() if not math.isnan(cost)}
    lower = {name: sum(other < cost - 1e-9 * abs(cost) for other in known.values()) for name, cost in known.items()}
    return {name: 1.0 + lower[name] if name in known else NAN for name in costs}


def _rent_or_buy(
    inputs: Inputs, workload: Workload, decision: Decision, at: Mapping[str, int]
) -> Iterator[tuple[tuple[str, str], Any]]:
    totals = {option: decision.total(option) for option in OPTIONS}
    values = {option: decision.present_value(option) for option in OPTIONS}
    hourly = not math.isnan(decision.offers["on_demand"]["paid_hour_price"])
    hours = workload.filled(inputs.assumptions)["hours_per_month"]
    for letter, rank, equal, costs in (("E", "F", "I", totals), ("G", "H", "J", values)):
        for option, cost in costs.items():
            yield ("RentOrBuy", f"{letter}{at[option]}"), cost
            yield ("RentOrBuy", f"{rank}{at[option]}"), ranks(costs)[option]
            same = hours * cost / costs["on_demand"] if hourly and costs["on_demand"] else NAN
            yield ("RentOrBuy", f"{equal}{at[option]}"), same
    for model in PRICING_MODELS:
        row = at[f"instead_{model}"]
        never = decision.break_even(model)
        yield ("RentOrBuy", f"C{row}"), cash_flow.NEVER[0] if never is None else never
        saving = decision.saving(model)
        for letter, key in zip("DEFGH", ("cash", "npv", "resale", "cash_unsold", "npv_unsold"), strict=True):
            yield ("RentOrBuy", f"{letter}{row}"), saving[key]
    yield ("RentOrBuy", f"D{at['spent']}"), totals[BUY]
    yield ("RentOrBuy", f"E{at['spent']}"), values[BUY]
    sale = decision.schedule["month_sale"] * (inputs.assumptions.profit_tax_rate - 1)
    yield ("RentOrBuy", f"D{at['sold']}"), float(sale.sum())
    yield ("RentOrBuy", f"E{at['sold']}"), float((sale * decision.schedule["discount_factor"]).sum())
    for key, sign in (("month_purchase", 1), ("month_sale", -1), ("month_running", 1), ("month_tax_saved", -1)):
        paid = sign * decision.schedule[key]
        yield ("RentOrBuy", f"D{at[key]}"), float(paid.sum())
        yield ("RentOrBuy", f"E{at[key]}"), float((paid * decision.schedule["discount_factor"]).sum())


def _traffic(day: Traffic, at: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], Any]]:
    def column(key: str, values: Any) -> Iterator[tuple[tuple[str, str], Any]]:
        first, number = at["places"][key]
        for offset in range(24):
            value = values[offset] if offset < len(values) else NAN
            yield ("Traffic", f"{get_column_letter(number)}{first + offset}"), value

    for line in HOUR_LINES:
        yield from column(line.name, day.hours[line.name])
    yield from column("base", [day.base] * 24)
    names = {way: LABELS[way][0] for way in WAYS} | {"": ""}
    derived = ("rent", "layer_purchase", "cost", "rent_above", "reach_total")
    for key in ("reach", "layer_cards", "layer_hours", *(line.name for line in (*RENT_LINES, *REACH_LINES)), *derived):
        yield from column(key, day.layers[key])
    yield from column("way", [names[way] for way in day.layers["way"]])
    for way in WAYS:
        for key, values in (("mix", day.layers["layer_cards"]), ("spent", day.layers["cost"])):
            total = values[day.layers["way"] == way].sum() + 0.0 * day.bills["mixed"]
            yield ("Traffic", at["cells"][f"{key}_{way}"].replace("$", "")), total
    yield ("Traffic", at["cells"]["bought"].replace("$", "")), day.bought
    for line in PEAK_LINES:
        yield ("Traffic", at["cells"][line.name].replace("$", "")), day.peaks[line.name]
    for key, bill in day.bills.items():
        yield ("Traffic", at["cells"][f"bill_{key}"].replace("$", "")), bill
        if key != "mixed":
            yield ("Traffic", at["cells"][f"saved_{key}"].replace("$", "")), bill - day.bills["mixed"]


def check(values: Values, title: str) -> list[Any]:
    """The row of Checks whose title begins so."""
    return next(row for row in values.sheets["Checks"] if len(row) > 5 and str(row[1]).startswith(title))


def numbers(values: Values, sheet: str) -> dict[str, float]:
    """The numbers of a sheet by cell."""
    return {
        f"{get_column_letter(column)}{row}": value
        for row, line in enumerate(values.sheets[sheet], 1) for column, value in enumerate(line, 1)
        if isinstance(value, float)
    }  # fmt: skip


def moved(before: Values, after: Values, sheet: str) -> set[str]:
    """The cells whose number differs."""
    old, new = numbers(before, sheet), numbers(after, sheet)
    return {cell for cell in old.keys() | new.keys() if not math.isclose(old.get(cell, NAN), new.get(cell, NAN), rel_tol=1e-12)}


def decided(lang: str = "en", **factors: Any) -> Inputs:
    """The sample with a workload looked at that has all four offers, a purchase price, a curve, and what owning takes."""
    inputs = lean(sample(lang))
    name = inputs.workloads[1].workload
    quoted = [one for one in inputs.catalog.prices if one.gpu == inputs.workloads[1].gpu and one.pricing_model == "monthly"]
    offers = [quoted[-1].model_copy(update={"pricing_model": "reserved", "price": 3500.0}),
              quoted[-1].model_copy(update={"pricing_model": "spot", "price": 2.5, "period": "hour"})]  # fmt: skip
    changed = inputs.workloads[1].model_copy(update={"capex": 360_000.0, "traffic_curve": inputs.plans.curves[1].curve})
    workloads = [inputs.workloads[0], changed, *inputs.workloads[2:]]
    known = {"electricity_price": 0.8, "colocation_per_kw_month": 500, "network_per_month": 2000, "staff_per_month": 3000}
    catalog = replace(inputs.catalog, prices=[*inputs.catalog.prices, *offers])
    assumed = Assumptions(**{**known, **factors})
    return look_at(replace(inputs, catalog=catalog, workloads=workloads, assumptions=assumed), name)
