"""What Python says each cell of a budget workbook must hold, and random workloads to try it on."""

from __future__ import annotations

import datetime
import math
import random
from collections.abc import Iterator
from typing import Any

from openpyxl.utils import get_column_letter

from gpusheet.calendar import LINES, by_month
from gpusheet.catalog import Catalog, Fx, Gpu, Model, Price, Season, Unpriced, Workload
from gpusheet.catalog.settings import Settings
from gpusheet.lookup import LookUp, Offer, estimate, look_up
from gpusheet.wiring import OUTCOMES
from gpusheet.workbook.book import Built
from gpusheet.workbook.budget_layout import FIRST, TOTAL
from gpusheet.workbook.evaluate import CellError, Value, Values
from gpusheet.workbook.inputs import Inputs
from gpusheet.workbook.layout import FIRST_COLUMN

Expected = dict[tuple[str, str], Any]
EPOCH = datetime.date(1899, 12, 30)


def expected(inputs: Inputs, built: Built, months: int) -> Expected:
    """Sheet and cell -> value; missing is ''."""
    found = [look_up(workload, inputs.context) for workload in inputs.workloads]
    solved = estimate(inputs.workloads, inputs.context)
    cells: Expected = {}
    for number, one in enumerate(found):
        letter = get_column_letter(FIRST_COLUMN + number)
        for name, row in built.lookup.rows.items():
            if name in one.values:
                cells["Lookup", f"{letter}{row}"] = one.values[name]
        for offer in ("on_demand", "monthly", "chosen"):
            for part, value in _offer(getattr(one, offer)).items():
                cells["Lookup", f"{letter}{built.lookup.rows[f'{offer}_{part}']}"] = value
        for name, row in built.sizing.items():
            cells["Sizing", f"{letter}{row}"] = solved[name][number]
        for name in OUTCOMES:
            cells["Summary", f"{built.summary.letters[name]}{built.summary.first + number}"] = solved[name][number]
    cells.update(_budget(inputs, built, months, found))
    return cells


def _offer(offer: Offer) -> dict[str, Any]:
    date = offer.date
    return {
        "date": (date - EPOCH).days if date else 0, "offers": offer.rows, "rate": offer.rate,
        "currency": offer.price.currency if offer.price else "",
    }  # fmt: skip


def _budget(inputs: Inputs, built: Built, months: int, found: list[LookUp]) -> Iterator[tuple[tuple[str, str], Any]]:
    start = inputs.settings.budget_start
    season = {row.calendar_month: row.season_factor for row in inputs.catalog.seasons}
    factors = [season[(start.month - 1 + offset) % 12 + 1] for offset in range(months)]
    table = by_month(found, months, factors)
    for line in LINES:
        top = built.budget.blocks[line.name]
        grid = table[line.name].to_numpy().reshape(len(found), months)
        for number in range(len(found)):
            for month in range(months):
                yield ("Budget", f"{get_column_letter(FIRST + month)}{top + number}"), grid[number][month]
        if line.name == "month_cost":
            taxes = {one.chosen.price.tax for one in found if one.chosen.price}
            blocked = {"included", "excluded"} <= taxes
            for month in range(months):
                total = "blocked" if blocked else sum(grid[:, month])
                cell = f"{get_column_letter(FIRST + month)}{built.budget.rows['month_cost']}"
                yield ("Budget", cell), "blocked" if isinstance(total, float) and math.isnan(total) else total
            yield from _year(inputs, built, months, found, grid, blocked)


def _year(
    inputs: Inputs, built: Built, months: int, found: list[LookUp], grid: Any, blocked: bool
) -> Iterator[tuple[tuple[str, str], Any]]:
    """The grand total: cards, other costs and contingency over all months."""
    other = sum(
        cost.amount_per_month
        for cost in inputs.other_costs for month in range(1, months + 1)
        if cost.start_month <= month <= (cost.end_month or months)
    )  # fmt: skip
    total = (grid.sum() + other) * (1 + inputs.assumptions.contingency_rate)
    cell = f"{get_column_letter(TOTAL)}{built.budget.rows['grand']}"
    yield ("Budget", cell), "blocked" if blocked or math.isnan(total) else total


def disagreements(wanted: Expected, values: Values) -> list[str]:
    """The cells that do not hold what Python says."""
    found = []
    for (sheet, cell), value in wanted.items():
        held = values.at(sheet, cell)
        if not agrees(value, held):
            found.append(f"{sheet}!{cell}: Python {value!r}, sheet {held!r}")
    return found


def agrees(wanted: Any, held: Value) -> bool:
    if wanted is None or (isinstance(wanted, float) and math.isnan(wanted)):
        wanted = ""
    if isinstance(held, CellError):
        return False
    if wanted == "blocked":
        return isinstance(held, str) and held.startswith("blocked")
    if isinstance(wanted, str):
        return (held or "") == wanted
    return isinstance(held, float | int) and math.isclose(float(wanted), held, rel_tol=1e-9, abs_tol=1e-12)


def random_inputs(seed: int, count: int, *, tax: str = "unstated", complete: bool = False) -> Inputs:
    """Workloads with ties, zeros and gaps, over a price table with several currencies, lists and days."""
    draw = random.Random(seed)
    builtin = Catalog.builtin()
    gpus: list[Gpu] = draw.sample(list(builtin.gpus), 12)
    models: list[Model] = draw.sample(list(builtin.models), 20)
    prices = [_price(draw, gpu.gpu, tax) for gpu in gpus for _ in range(12)]
    if complete:
        prices = [
            Price(snapshot_date="2026-08-01", price_list="north", gpu=gpu.gpu, cards=1, price=draw.choice([2, 9.5, 13.94]),
                  currency="CNY", per="card", period="hour", pricing_model="on_demand", tax=tax, source="drawn")
            for gpu in gpus
        ]  # fmt: skip
    fx = [Fx(currency="USD", budget_currency="CNY", rate=7.1, rate_date="2026-10-30", source="drawn")]
    seasons = [Season(calendar_month=m, season_factor=draw.choice([1, 1, 0.5, 1.8, 0])) for m in range(1, 13)]
    catalog = Catalog(
        gpus=gpus, models=models, prices=prices, precisions=builtin.precisions, distributions=builtin.distributions,
        tiers=builtin.tiers, seasons=seasons, engines=builtin.engines, generations=builtin.generations, fx=fx,
        unpriced=() if complete else _unpriced(random.Random(seed), prices),
    )  # fmt: skip
    workloads = [_workload(draw, number, gpus, models, complete) for number in range(1, count + 1)]
    settings = Settings(prepared_on="2026-11-01", budget_start="2027-04-01", as_of=draw.choice([None, "2026-09-30"]))
    return Inputs(settings=settings, catalog=catalog, workloads=workloads)


def _price(draw: random.Random, gpu: str, tax: str) -> Price:
    period, model = draw.choice([
        ("hour", "on_demand"), ("month", "monthly"), ("hour", "spot"), ("month", "reserved"), ("hour", "reserved"),
        ("month", "on_demand"),
    ])  # fmt: skip
    return Price(
        snapshot_date=draw.choice(["2026-08-01", "2026-09-30", "2026-10-27"]), price_list=draw.choice(["north", "south"]),
        listing=draw.choice([None, "large", "small"]), gpu=gpu, cards=draw.choice([1, 4, 8]),
        price=draw.choice([0.5, 3, 13.94, 10036]), currency=draw.choice(["CNY", "CNY", "USD", "EUR"]),
        per=draw.choice(["card", "instance"]), period=period, pricing_model=model, tax=tax,
        available=draw.choice(["yes", "no", "unknown"]), source="drawn",
    )  # fmt: skip


def _unpriced(draw: random.Random, prices: list[Price]) -> tuple[Unpriced, ...]:
    """Lines of lists that there are, without a price and some without a day."""
    lines = [
        line.model_copy(update={
            "price": draw.choice([None, "面议", "-"]),
            "snapshot_date": draw.choice([line.snapshot_date, datetime.date(2026, 8, 1), datetime.date(2026, 10, 30), None]),
        })
        for line in draw.sample(prices, 12)
    ]  # fmt: skip
    places = sorted(draw.sample(range(len(prices)), len(lines)))
    return tuple(Unpriced(at, f"Prices line {at}", line) for at, line in zip(places, lines, strict=True))


def _workload(draw: random.Random, number: int, gpus: list[Gpu], models: list[Model], complete: bool) -> Workload:
    def some(*values: Any) -> Any:
        return draw.choice([None, *values])

    start = some(1, 2, 5)
    return Workload(
        workload=f"w{number}", project=some("p", "q"), environment=draw.choice(["prod", "uat", "dev"]),
        gpu=draw.choice(gpus).gpu, model=draw.choice(models).model, weight_precision=some("fp16", "int8", "int4", "fp8"),
        kv_precision=some("fp16", "int8"), cards=some(1, 2, 4, 8), daily_active_users=some(0, 1000, 100000),
        requests_per_user_per_day=some(0, 3, 10), busy_hours=some(4, 10, 24), peak_factor=some(1, 1.5, 3),
        peak_buffer=some(1, 1.5), monthly_growth=some(0, 0.1, -0.05, 0.1 + 0.2), start_month=start,
        end_month=some(5, 8), ramp_months=some(1, 3, 6), input_tokens=draw.choice([1, 200, 512, 4096]),
        output_tokens=draw.choice([1, 256, 300, 2000]), input_p95=some(2048), output_p95=some(1024),
        length_distribution=some("uniform", "normal", "long_tail"), length_basis=some("p95", "mean"),
        image_tokens=some(0, 1000), shared_prefix_tokens=some(0, 100), prefix_hit_rate=some(0, 0.5, 1),
        sizing_method=draw.choice(["throughput", "constraint", "segment"]) if complete else some(
            "serving", "throughput", "constraint", "segment"), engine=some("vllm-0.8", "sglang-0.5.3", "tensorrt-llm-1.0"),
        attention_dp_size=some(1, 2), offered_concurrency=some(1, 64, 4096), max_model_len=some(8192), safety=some(0.7, 1),
        tokens_per_s=some(20, 50),
        ttft_target=some(0.1, 1), tpot_target=some(0.02), min_replicas=some(1, 2), requests_per_day=some(0, 80000, 1e6),
        peak_concurrency=draw.choice([5, 60]) if complete else some(0, 3, 40, 400), kv_gb_per_request=some(0.5, 2),
        concurrency=draw.choice([8, 10]) if complete else some(10, 169), card_throughput=some(1800, 2500),
        fixed_cards=draw.choice([0, 3, 8]) if complete else some(0, 3, 9), override_reason=some("load test"),
        price_list="north" if complete else some("north", "south"), listing=None if complete else some("large", "small"),
        pricing_model="on_demand" if complete else some("on_demand", "monthly", "spot", "reserved"),
        discount=some(0, 0.15), hours_per_month=some(720, 200), owned_cards=some(0, 1, 8), committed_cards=some(0, 2),
        capex=some(1_000_000),
    )  # fmt: skip
