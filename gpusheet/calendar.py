"""The budget's calendar: which quantities a month has, and their values over the months.

A line is a rule as the budget sheet shows it, by month and workload. Its parameters come from the month (`month`,
`season_factor`), from an earlier line, or else from the workload's sizing. Sheet and Python both loop over `LINES`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from gpusheet.expr import Expr, Symbol, substitute
from gpusheet.lookup import LookUp, frame
from gpusheet.registry import Rule, find_rule
from gpusheet.solver import solve

MONTH_INPUTS = ("month", "season_factor")


@dataclass(frozen=True)
class Line:
    """A quantity by month: the rule, and which of its quantities are other lines (by default those of their name)."""

    name: str
    rule_name: str
    wiring: Mapping[str, str] = field(default_factory=dict)
    inline: tuple[str, ...] = ()  # rules written out inside the formula instead of having lines of their own
    beside: tuple[str, ...] = ()  # what later lines need and have no room for: it stands at the left of this one
    title: tuple[str, str] = ("", "")  # where the rule's own label does not say that it is the month's

    def label(self, lang: str = "en") -> str:
        return self.title[lang == "zh"] or self.rule.label(lang)

    @property
    def rule(self) -> Rule:
        return find_rule(self.rule_name)

    @cached_property
    def expression(self) -> Expr:
        """The formula, on months, earlier lines and sizing quantities."""
        wired = substitute(self.rule.expression, {name: Symbol(line) for name, line in self.wiring.items()})
        for name in reversed(self.inline):  # one that is written out may need those before it
            wired = substitute(wired, {name: find_rule(name).expression})
        return wired

    @property
    def apart(self) -> tuple[Line, ...]:
        """The rules that it has written out, as lines of their own, and the line that reads these."""
        return (*(Line(name, name) for name in self.inline), replace(self, inline=()))


LINES = (
    Line("month_active", "month_active"),
    Line("demand_factor", "demand_factor", inline=("growth_factor", "ramp_share")),
    Line("month_demand", "month_demand"),
    Line("month_demand_cards", "month_demand_cards"),
    Line("month_cards", "month_cards"),
    Line("month_tier", "card_tier", {"cards_needed": "month_cards"}, title=("Cards billed in the month", "当月计费卡数")),
    Line("month_net_cards", "net_cards", {"card_tier": "month_tier"}, title=("Cards to rent in the month", "当月待租卡数"),
         beside=("contract_from", "contract_to")),
    Line("month_price", "month_price", inline=("contract_factor",)),
    Line("month_cost", "monthly_cost", {"net_cards": "month_net_cards", "card_month_price": "month_price"},
         title=("Cost of the month", "当月成本")),
)


def by_month(found: Sequence[LookUp], months: int, season: Sequence[float], lines: Sequence[Line] = LINES) -> Any:
    """Every line of every workload and month: a DataFrame of workload number, month and lines.

    `season` has the season factor of each month of the budget.
    """
    import pandas

    inputs = frame(found)
    spread = inputs.loc[inputs.index.repeat(months)].reset_index(drop=True)
    spread["month"] = list(range(1, months + 1)) * len(found)
    spread["season_factor"] = list(season) * len(found)
    solved = solve(spread, tiers=found[0].values["tiers"])
    values: dict[str, Any] = {"workload_number": [n for n in range(1, len(found) + 1) for _ in range(months)]}
    values["month"] = spread["month"]
    for line in lines:
        if line.name == line.rule_name and line.rule.line:
            values[line.name] = solved[line.name]
            continue
        arguments: dict[str, Any] = {}
        for parameter, quantity in line.rule.needs.items():
            source = line.wiring.get(quantity, quantity)
            if source == "tiers":
                arguments[parameter] = found[0].values["tiers"]
            else:
                arguments[parameter] = values[source] if source in values else solved[source]
        values[line.name] = line.rule(**arguments)
    return pandas.DataFrame(values)
