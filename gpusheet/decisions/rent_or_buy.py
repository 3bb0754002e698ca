"""Renting a workload's cards against buying them: the lines that the sheets and Python both compute.

The cards are those to rent in the run-rate month, the same over the whole horizon. Month 0 is the day before the run-rate
month begins: a purchase is paid then, rents and running costs at the end of the months 1 to the horizon.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpusheet.calendar import Line, by_month
from gpusheet.catalog import Workload
from gpusheet.catalog.assumptions import Assumptions
from gpusheet.catalog.price import PRICING_MODELS
from gpusheet.catalog.schema import columns
from gpusheet.lookup import Context, frame, look_up
from gpusheet.registry import find_rule
from gpusheet.solver import solve

BUY = "purchase"
OPTIONS = (*PRICING_MODELS, BUY)
LABELS = {
    "on_demand": ("On demand", "按量"), "monthly": ("Monthly", "包月"), "reserved": ("Reserved", "预留"), "spot": ("Spot", "竞价"),
    BUY: ("Purchase", "购买"),
}  # fmt: skip
LONGEST = int(next(c.le for c in columns(Assumptions) if c.name == "horizon_months") or 0)

# what each way of renting costs, then what owning does; names that are no line are inputs, or are told by `price_tax` and such
OFFER_LINES = (
    Line("periods_per_month", "periods_per_month"),
    Line("card_month_price", "card_month_price"),
    Line("run_rate_factor", "contract_factor", {"month": "run_rate_month"}),
    Line("run_rate_price", "month_price", {"month": "run_rate_month", "contract_factor": "run_rate_factor"},
         title=("Price in the run-rate month", "稳态月单卡月价")),
    Line("quoted_rent", "monthly_cost", {"net_cards": "fleet_cards", "card_month_price": "run_rate_price"},
         title=("Rent of the first month, as Budget has it", "首月租金（与预算一致）")),
    Line("rent_vat_factor", "vat_factor", {"vat_rate": "rent_vat_rate"}),
    Line("rent_vat_kept", "vat_kept", {"vat_factor": "rent_vat_factor"}),
    Line("paid_price", "rent_after_vat", {"amount": "run_rate_price", "vat_factor": "rent_vat_factor", "vat_kept": "rent_vat_kept"}),
    Line("paid_hour_price", "paid_hour_price", {"card_month_price": "paid_price"}),
    Line("first_rent", "monthly_cost", {"net_cards": "fleet_cards", "card_month_price": "paid_price"},
         title=("Rent of the first month, after recovered VAT", "首月租金（抵扣增值税后）")),
    Line("net_rent", "after_profit_tax", {"amount": "first_rent"}, title=("The same after profit tax", "首月租金（所得税后）")),
)  # fmt: skip
OWNING_LINES = (
    Line("card_capex", "card_capex"),
    Line("typed_capex", "fleet_capex", title=("Purchase price of the cards", "整批购置成本")),
    Line("purchase_vat_factor", "vat_factor", {"vat_rate": "purchase_vat_rate"}),
    Line("purchase_vat_kept", "vat_kept", {"vat_factor": "purchase_vat_factor"}),
    Line("fleet_capex", "purchase_after_vat",
         {"amount": "typed_capex", "vat_factor": "purchase_vat_factor", "vat_kept": "purchase_vat_kept"}),
    Line("residual_value", "residual_value", {"capex": "fleet_capex"}),
    Line("monthly_depreciation", "monthly_depreciation", {"capex": "fleet_capex"}),
    Line("nodes", "nodes", {"net_cards": "fleet_cards"}),
    Line("power_kw", "power_kw", {"net_cards": "fleet_cards"}),
    Line("electricity_cost", "electricity_cost"),
    Line("hosting_cost", "hosting_cost"),
    Line("owned_cash_cost", "owned_cash_cost", {"capex": "fleet_capex"}),
    Line("owned_running_cost", "owned_running_cost"),
    Line("owned_monthly_cost", "owned_monthly_cost", {"owned_cash_cost": "owned_running_cost"}),
    Line("owned_card_cost", "owned_card_cost"),
    Line("monthly_discount_rate", "monthly_discount_rate"),
)  # fmt: skip
TIMING_LINES = tuple(Line(name, name) for name in ("in_horizon", "cards_age", "bought", "sold", "discount_factor", "book_value"))
TERM_LINES = (
    Line("budget_month", "budget_month"),
    Line("cash_contract", "contract_factor", {"month": "budget_month"}),
    Line("rent_factor", "rent_factor", {"contract_factor": "cash_contract"}),
)
OWNED = ("month_purchase", "month_sale", "month_running", "month_depreciation", "month_tax_saved", "month_owning")
OWNED_LINES = tuple(Line(name, name) for name in OWNED)
# where card_month_price is the rent of the first month, and contract_factor the rent_factor
RENT_LINE = Line("month_rent", "month_rent", inline=("month_price",))


def computed(lines: Iterable[Line], known: Mapping[str, Any]) -> dict[str, Any]:
    """The values of lines, each from what is known and the lines before it; numbers or arrays."""
    values = dict(known)
    for line in lines:
        inner = {name: _called(name, {}, values) for name in line.inline}
        values[line.name] = _called(line.rule_name, line.wiring, {**values, **inner})
    return values


def _called(rule_name: str, wiring: Mapping[str, str], values: Mapping[str, Any]) -> Any:
    rule = find_rule(rule_name)
    return rule(**{parameter: values[wiring.get(name, name)] for parameter, name in rule.needs.items()})


@dataclass(frozen=True)
class Decision:
    """What each way to pay for a workload's cards costs; missing is NaN."""

    cards: float  # in the run-rate month
    offers: Mapping[str, Mapping[str, Any]]  # pricing model -> lines of OFFER_LINES
    owning: Mapping[str, Any]  # lines of OWNING_LINES
    schedule: Mapping[str, Any]  # timing and owning by month, 0 to the longest horizon
    cash: Mapping[str, Any]  # option -> cash by month

    def so_far(self, option: str) -> Any:
        """Cash up to each month."""
        return self.cash[option].cumsum()

    def total(self, option: str) -> float:
        """Cash over the horizon."""
        return float(self.so_far(option)[-1])

    def present_value(self, option: str) -> float:
        """Cost today: month 0 as it is, later months discounted."""
        return float((self.cash[option] * self.schedule["discount_factor"]).sum())

    def saving(self, option: str) -> dict[str, float]:
        """What buying saves against an option, in cash and by present value: with the sale at book value, and without it."""
        factors, tax = self.schedule["discount_factor"], self.owning["profit_tax_rate"]
        sale = find_rule("after_profit_tax")(-1.0 * self.schedule["month_sale"], tax)
        saved = {"cash": self.total(option) - self.total(BUY), "npv": self.present_value(option) - self.present_value(BUY)}
        sold = {"cash": float(sale.sum()), "npv": float((sale * factors).sum())}
        without = {f"{key}_unsold": find_rule("saved_without_sale")(saved[key], sold[key]) for key in saved}
        return saved | without | {"resale": find_rule("break_even_resale")(saved["npv"], sold["npv"])}

    def break_even(self, option: str) -> float | None:
        """First month by which buying has taken less cash than an option; None where it never has, NaN where either is missing."""
        flags = find_rule("cheaper_so_far")(self.so_far(BUY), self.so_far(option))
        if flags[0] != flags[0]:
            return float("nan")
        return float(flags.argmax()) if flags.any() else None


def decide(workload: Workload, context: Context, season: Sequence[float]) -> Decision:
    """Rents a workload's cards in every way and buys them; `season` has the season factors up to the run-rate month."""
    import numpy

    month = len(season)
    found = look_up(workload, context)
    lines = by_month([found], month, season)
    cards = float(lines["month_net_cards"].iloc[-1])
    solved = solve(frame([found]), only=["net_cards", "outside_contract"], tiers=found.values["tiers"])
    shared = {name: value for name, value in dict(context.assumptions).items() if name not in found.values}
    known: dict[str, Any] = {**shared, **found.values}
    known |= {name: float(solved[name].iloc[0]) for name in ("net_cards", "outside_contract")}
    known |= {"fleet_cards": cards, "run_rate_month": float(month)}
    offers = {}
    for model in PRICING_MODELS:
        values = look_up(workload.model_copy(update={"pricing_model": model}), context).values
        texts = {name: values[name] or "" for name in ("price_period", "price_tax")}
        offers[model] = computed(OFFER_LINES, {**known, **texts, "unit_price": values["unit_price"]})
    owning = computed(OWNING_LINES, known)
    months = numpy.arange(LONGEST + 1, dtype=float)
    factor = next(iter(offers.values()))["run_rate_factor"]  # the same for all
    schedule = computed([*TIMING_LINES, *TERM_LINES, *OWNED_LINES], {**owning, "cash_month": months, "run_rate_factor": factor})
    cash = {BUY: schedule["month_owning"]}
    for model, offer in offers.items():
        rent = {"month": months, "price_drift": known["price_drift"], "card_month_price": offer["net_rent"],
                "contract_factor": schedule["rent_factor"]}
        cash[model] = computed([RENT_LINE], {**rent, "in_horizon": schedule["in_horizon"]})["month_rent"]
    return Decision(cards, offers, owning, schedule, cash)
