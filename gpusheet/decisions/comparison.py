"""One workload on every card and pricing model: whether it fits or why not, cards, cost, and which is the cheapest.

What belongs to the workload's own card, because it was measured on it, decided for it or is there already, holds for that
card alone. On another card a copy of the model takes the smallest tier that holds its weights (rule `replica_cards`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gpusheet.catalog import Workload
from gpusheet.catalog.price import PRICING_MODELS
from gpusheet.lookup import Context, LookUp, frame, look_up
from gpusheet.registry import find_rule
from gpusheet.solver import solve

MEASURED = ("concurrency", "card_throughput", "fixed_cards")  # typed for the own card; computed on others
HELD = ("owned_cards", "committed_cards")  # of the own card; none of others
# the result of each row, the first that is true; the last is that it fits
RESULTS: Mapping[str, tuple[str, str]] = {
    "no_inputs": ("workload incomplete", "业务信息不完整"),
    "no_facts": ("facts of the card missing", "GPU 规格不完整"),
    "too_few": ("fewer cards than the model needs", "卡数少于模型所需"),
    "no_fit": ("does not fit", "装不下"),
    "no_figure": ("no throughput figure", "缺少吞吐数据"),
    "no_request": ("no request within the targets", "目标内无法承载请求"),
    "no_demand": ("no demand given", "缺少需求"),
    "development": ("a card for development", "仅供开发的卡"),
    "fits": ("fits", "可用"),
    "no_price": ("no price", "无报价"),
    "no_rate": ("no exchange rate", "缺少汇率"),
    "several": ("several prices", "多个报价"),
}  # fmt: skip
PRICED = tuple(RESULTS)[tuple(RESULTS).index("fits") + 1 :]  # of an offer, on a card that fits
FIGURES = (
    "cards", "fits", "min_cards_for_weights", "replica_concurrency", "replica_capacity", "sizing_demand", "cards_needed",
    "card_tier", "net_cards", "card_month_price", "monthly_cost", "cost_per_million_output_tokens",
)  # fmt: skip


def compare(workload: Workload, context: Context, price_list: str | None = None) -> Any:
    """Every card with every pricing model, as a DataFrame in the order of the tables; `rank` 1 is the cheapest that fits.

    A card for development, which should serve no users, has a rank only where the workload is on it already.

    Prices are those of one price list, the workload's own unless another is named.

    >>> bot = Workload(workload="bot", gpu="L20", model="Generic-7B", weight_precision="int8", input_tokens=200,
    ...                output_tokens=300, requests_per_day=80000, peak_factor=4, sizing_method="throughput",
    ...                price_list="gongjiyun")
    >>> table = compare(bot, Context())
    >>> table.loc[table["gpu"] == "L20", ["pricing_model", "result", "card_tier", "monthly_cost"]].values.tolist()[0]
    ['on_demand', 'fits', 4.0, 11520.0]
    """
    import pandas

    rows = _rows(workload, context, price_list)
    table = frame([one for _, one in rows])
    own = pandas.Series([flag for flag, _ in rows])
    tiers = rows[0][1].values["tiers"]
    sizes = solve(table, tiers=tiers, only=("min_cards_for_weights", "link_domain"))
    table["cards"] = replica_cards(own, table["cards"], sizes, tiers)
    solved = solve(table, tiers=tiers, only=FIGURES)
    for name in ("free_cards", "tier_margin"):
        rule = find_rule(name)
        solved[name] = rule(**{parameter: solved[source] for parameter, source in rule.needs.items()})
    solved.insert(0, "gpu", [one.workload.gpu for _, one in rows])
    solved.insert(1, "pricing_model", [one.workload.pricing_model for _, one in rows])
    solved.insert(2, "own", own & (solved["pricing_model"] == _own(workload, context)["pricing_model"]))
    solved["result"] = _results(solved, rows, {one.gpu: one.usage for one in context.catalog.gpus})
    solved["rank"] = solved["monthly_cost"].where(solved["result"] == "fits").rank(method="first")
    return solved


def replica_cards(own: Any, cards: Any, sizes: Any, tiers: Any) -> Any:
    """Cards of a replica row by row: as the workload says on its own card, else what holds the weights.

    `sizes` has the quantities `min_cards_for_weights` and `link_domain` of each row.
    """
    import numpy

    elsewhere = find_rule("replica_cards")(sizes["min_cards_for_weights"], sizes["link_domain"], cards, tiers)
    return numpy.where(own, cards, elsewhere)


def _own(workload: Workload, context: Context) -> dict[str, Any]:
    return workload.filled(context.assumptions)


def _rows(workload: Workload, context: Context, price_list: str | None) -> list[tuple[bool, LookUp]]:
    """What is looked up for each card and pricing model, and whether the card is the workload's own."""
    card, own_list = context.catalog.find_gpu(workload.gpu).gpu, _own(workload, context)["price_list"]
    wanted = price_list or own_list
    same_list = (wanted or "").casefold() == (own_list or "").casefold()
    rows = []
    for gpu in context.catalog.gpus:
        own = gpu.gpu == card
        listing = workload.listing if own and same_list else None  # names a product, which is one card's
        for model in PRICING_MODELS:
            asked = {"gpu": gpu.gpu, "pricing_model": model, "price_list": wanted, "listing": listing}
            found = look_up(workload.model_copy(update=asked), context)
            rows.append((own, found if own else replace(found, values=_elsewhere(found.values))))
    return rows


def _elsewhere(values: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs of a workload on a card that is not its own."""
    return {**values, **dict.fromkeys(MEASURED), **dict.fromkeys(HELD, 0.0)}


def _results(solved: Any, rows: list[tuple[bool, LookUp]], usage: Mapping[str, str]) -> Any:
    """The first result that is true of each row; a card for development is one only where it is the workload's own."""
    import numpy

    offers = numpy.array([one.chosen.rows for _, one in rows])
    capacity = solved["replica_capacity"]
    tests = {
        "too_few": (solved["fits"] == 0) & (solved["min_cards_for_weights"] > solved["cards"]),
        "no_fit": solved["fits"] != 1,
        "no_figure": capacity.isna(),
        "no_request": capacity <= 0,
        "no_demand": solved["cards_needed"].isna(),
        "development": numpy.array([not own and usage[one.workload.gpu] == "development" for own, one in rows]),
        "several": offers > 1,
        "no_price": offers == 0,
        "no_rate": solved["monthly_cost"].isna(),
    }
    return numpy.select(list(tests.values()), list(tests), "fits")
