"""Rules and inputs brought together: every quantity by name, the order of calculation, what is known beforehand.

A rule's parameters are quantities: fields of the row types (inputs) or other rules. A field that is named like a rule
holds a typed value that replaces the rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from graphlib import CycleError, TopologicalSorter

from gpusheet.catalog import (
    Assumptions,
    Column,
    Distribution,
    Engine,
    Generation,
    Gpu,
    Model,
    Precision,
    Tier,
    Workload,
    columns,
)
from gpusheet.catalog.derived import Found, Month
from gpusheet.errors import UnknownName
from gpusheet.formula import Facts, Sign, nullable, sign
from gpusheet.registry import Parameter, Rule, all_rules
from gpusheet.units import Unit

# row types whose fields rules may name; an assumption's column stands for the workload's of the same name
SOURCES = (Assumptions, Workload, Gpu, Model, Engine, Generation, Precision, Distribution, Found, Month)
# what a workload comes to: what the Summary sheet shows and functions give unless other quantities are named
OUTCOMES = (
    "throughput_cards", "constraint_cards", "segment_cards", "cards_needed", "card_tier", "net_cards",
    "replica_concurrency", "bottleneck", "weight_share", "kv_share", "on_demand_monthly_cost", "committed_monthly_cost",
    "monthly_cost", "cost_per_million_output_tokens",
)  # fmt: skip
TABLES = {"tiers": next(c for c in columns(Tier) if c.name == "tier")}


@dataclass(frozen=True)
class Quantity:
    """Anything that has a name and a value: an input, a rule, or a rule that a typed value may replace."""

    name: str
    unit: Unit
    en: str
    zh: str
    rule: Rule | None
    column: Column | None
    owner: str = ""  # the row type of the field

    def label(self, lang: str = "en") -> str:
        return self.zh if lang == "zh" else self.en

    @property
    def is_text(self) -> bool:
        return self.unit.symbol == "text"


@cache
def inputs() -> dict[str, tuple[str, Column]]:
    """Every field that a rule may name: its row type and column."""
    found: dict[str, tuple[str, Column]] = {}
    for row_type in SOURCES:
        for column in columns(row_type):
            found.setdefault(column.name, (row_type.__name__, column))
    return found


@cache
def quantities() -> dict[str, Quantity]:
    """Every quantity that is solved for, by name: the inputs that rules use, then the rules in reading order."""
    rules = {name: rule for name, rule in all_rules().items() if rule.line}
    fields = inputs()
    used: dict[str, Quantity] = {}
    for rule in rules.values():
        for name in rule.needs.values():
            if name in rules or name in used:
                continue
            if name in TABLES:
                used[name] = Quantity(name, TABLES[name].unit, TABLES[name].en, TABLES[name].zh, None, TABLES[name])
            elif name in fields:
                owner, column = fields[name]
                used[name] = Quantity(name, column.unit, column.en, column.zh, None, column, owner)
            else:
                raise UnknownName(f"rule {rule.name} asks for", name, [*fields, *rules])
    for name, rule in rules.items():
        owner, typed = fields.get(name, ("", None))
        used[name] = Quantity(name, rule.unit, rule.en, rule.zh, rule, typed, owner)
    return used


@cache
def order() -> tuple[Rule, ...]:
    """The rules in an order in which each has what it needs."""
    rules = {name: quantity.rule for name, quantity in quantities().items() if quantity.rule}
    graph = {name: {need for need in rule.needs.values() if need in rules} for name, rule in rules.items()}
    try:
        return tuple(rules[name] for name in TopologicalSorter(graph).static_order())
    except CycleError as error:
        raise TypeError(f"rules go in a circle: {' <- '.join(error.args[1])}") from None


@cache
def rules_behind(wanted: tuple[str, ...], given: frozenset[str] = frozenset()) -> tuple[Rule, ...]:
    """The rules that some quantities depend on, in order; none for what is given, nor what only that depends on.

    >>> [rule.name for rule in rules_behind(("peak_qps",))]
    ['requests_per_day', 'average_qps', 'peak_qps']
    >>> [rule.name for rule in rules_behind(("peak_qps",), frozenset({"average_qps"}))]
    ['peak_qps']
    """
    names, found = list(wanted), set[str]()
    while names:
        name = names.pop()
        if name not in quantities():
            raise UnknownName("quantity", name, quantities())
        rule = quantities()[name].rule
        if rule is not None and name not in found and name not in given:
            found.add(name)
            names += rule.needs.values()
    return tuple(rule for rule in order() if rule.name in found)


@cache
def rules_between(changed: frozenset[str], wanted: tuple[str, ...]) -> tuple[str, ...]:
    """The rules through which some quantities depend on what changes, in reading order.

    What is typed in place of a rule has the rule's name.

    >>> rules_between(frozenset({"unit_price"}), ("monthly_cost",))
    ('card_month_price', 'monthly_cost')
    """
    found: set[str] = set()
    for rule in rules_behind(wanted):
        typed = rule.name in changed and quantities()[rule.name].column is not None
        if typed or any(need in changed or need in found for need in rule.needs.values()):
            found.add(rule.name)
    return tuple(name for name in quantities() if name in found)


@cache
def quantities_behind(wanted: tuple[str, ...]) -> frozenset[str]:
    """Some quantities, and all that they depend on.

    >>> sorted(quantities_behind(("average_qps",)))[:3]
    ['average_qps', 'busy_hours', 'daily_active_users']
    """
    return frozenset({*wanted, *(need for rule in rules_behind(wanted) for need in rule.needs.values())})


@cache
def facts() -> Mapping[str, Facts]:
    """Sign and nullability of every quantity, rules after what they depend on."""
    known: dict[str, Facts] = {}
    for name, quantity in quantities().items():
        if quantity.rule is None and quantity.column is not None:
            known[name] = _facts_of_column(name, quantity.column)
    for rule in order():
        expression = rule.expression
        typed = quantities()[rule.name].column
        known[rule.name] = Facts(
            sign=_sign_with(sign(expression, known), typed),
            nullable=nullable(expression, known),
            number=rule.unit.symbol != "text",
        )
    return known


@cache
def column_of(name: str) -> Column:
    """What may be given for a quantity: as its field says, else by the sign and the limit of its rule.

    >>> column_of("growth_factor").allowed(), column_of("kv_gb_per_token").allowed()
    ('a number, or blank', 'a number at least 0, or blank')
    """
    quantity = quantities()[name]
    column = quantity.column
    if column is None:
        known = facts()[name]
        column = Column(
            name, quantity.unit, quantity.en, quantity.zh, "", "number" if known.number else "text", required=False,
            gt=0 if known.sign == "positive" else None, ge=0 if known.sign == "nonnegative" else None,
        )  # fmt: skip
    most = quantity.rule.most if quantity.rule else None
    return column if most is None else replace(column, le=most)


def column_of_parameter(parameter: Parameter) -> Column:
    """What may be given for an argument of a rule."""
    if (source := parameter.wired_to or parameter.name) in quantities():
        return column_of(source)
    if source in inputs():
        return inputs()[source][1]
    kind = "text" if parameter.unit.symbol == "text" else "number"
    return Column(parameter.name, parameter.unit, parameter.name, parameter.name, "", kind, required=True)


def _facts_of_column(name: str, column: Column) -> Facts:
    optional = not column.required and column.default is None
    if name in TABLES:  # the largest tier is a whole node
        return Facts("positive", nullable=False, number=False)
    return Facts(_sign_of(column), optional, column.kind == "number")


def _sign_of(column: Column) -> Sign:
    if column.positive:
        return "positive"
    return "nonnegative" if column.ge is not None and column.ge >= 0 else "any"


def _sign_with(computed: Sign, typed: Column | None) -> Sign:
    """The sign of a rule that a typed value may replace: the weaker of both."""
    if typed is None:
        return computed
    strength: tuple[Sign, ...] = ("any", "nonnegative", "positive")
    return min(computed, _sign_of(typed), key=strength.index)
