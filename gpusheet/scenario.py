"""What a scenario changes of a workload's inputs: which quantity, by which rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gpusheet.catalog.planning import Scenario
from gpusheet.ops import NAN
from gpusheet.registry import Rule, find_rule


@dataclass(frozen=True)
class Varied:
    """A quantity that scenarios change: the rule, its argument that is the quantity, and the one that is the scenario's."""

    rule_name: str
    own: str
    change: str

    @cached_property  # every look-up asks for it
    def rule(self) -> Rule:
        return find_rule(self.rule_name)


_REQUESTS = Varied("scenario_requests", "requests", "requests_factor")
_TOKENS = Varied("scenario_tokens", "tokens", "tokens_factor")
VARIED: Mapping[str, Varied] = {
    "daily_active_users": _REQUESTS,
    "requests_per_day": _REQUESTS,
    "peak_concurrency": _REQUESTS,
    "input_tokens": _TOKENS,
    "output_tokens": _TOKENS,
    "input_p95": _TOKENS,
    "output_p95": _TOKENS,
    "peak_factor": Varied("scenario_peak_factor", "peak_factor", "peak_change"),
    "monthly_growth": Varied("scenario_growth", "monthly_growth", "growth_change"),
    "discount": Varied("scenario_discount", "discount", "discount_change"),
}
METHOD = "sizing_method"  # chosen, not computed: the scenario's where it names one


def in_scenario(values: Mapping[str, Any], scenario: Scenario) -> dict[str, Any]:
    """The quantities of `values` as a scenario has them; what is missing stays missing.

    >>> in_scenario({"input_tokens": 100.0, "input_p95": None}, Scenario(scenario="longer", tokens_factor=1.5))
    {'input_tokens': 150.0, 'input_p95': nan}
    """
    found = dict(values)
    for name, value in values.items():
        if name == METHOD:
            found[name] = scenario.scenario_method or value
        elif name in VARIED:
            one = VARIED[name]
            found[name] = NAN if value is None else one.rule(**{one.own: value, one.change: getattr(scenario, one.change)})
    return found
