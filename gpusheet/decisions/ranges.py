"""Low, expected and high cards and cost of workloads at full demand of month 1, where the sizing method gives a range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpusheet.lookup import LookUp, frame
from gpusheet.registry import find_rule
from gpusheet.solver import solve

METHOD = "serving"  # the one whose rules give a range
CARDS: Mapping[str, str] = {"low": "serving_cards_low", "expected": "cards_needed", "high": "serving_cards_high"}
MEASURES = ("cards_needed", "card_tier", "net_cards", "monthly_cost")  # each but the first from the one before


def ranges(found: Sequence[LookUp]) -> Any:
    """A row per workload: `has_range`, and every measure as `card_tier_low` and so on; where there is no range, NaN.

    >>> from gpusheet.catalog import Workload
    >>> from gpusheet.lookup import Context, look_up
    >>> bot = Workload(workload="bot", gpu="L20", model="Generic-7B", input_tokens=200, output_tokens=300,
    ...                requests_per_day=400000, peak_factor=4, price_list="gongjiyun")
    >>> ranges([look_up(bot, Context())])[["cards_needed_low", "cards_needed_expected", "cards_needed_high"]].values.tolist()
    [[8.0, 13.0, 23.0]]
    """
    import pandas

    tiers = found[0].values["tiers"]
    solved = solve(frame(found), tiers=tiers)
    has_range = (solved["sizing_method"] == METHOD) & solved["fixed_cards"].isna()
    table: dict[str, Any] = {"has_range": has_range}
    for end, quantity in CARDS.items():
        values = {"tiers": tiers, "cards_needed": solved[quantity].where(has_range | (end == "expected"))}
        for name in MEASURES[1:]:
            rule = find_rule(name)
            values[name] = rule(**{one: values[of] if of in values else solved[of] for one, of in rule.needs.items()})
        table |= {f"{name}_{end}": values[name] for name in MEASURES}
    return pandas.DataFrame(table)
