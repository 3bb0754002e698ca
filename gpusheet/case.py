"""One case from what was typed: named cards, models and prices are looked up, the rest takes its default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gpusheet.catalog import Assumptions, Catalog, Column, Gpu, Model, Workload, columns
from gpusheet.catalog.derived import Found
from gpusheet.catalog.settings import Settings
from gpusheet.lookup import Context, look_up
from gpusheet.wiring import inputs, quantities

_WORKLOAD = {c.name: c for c in columns(Workload)}
_ASSUMPTIONS = {c.name: c for c in columns(Assumptions)}
_SETTINGS = {c.name: c for c in columns(Settings) if c.name in ("currency", "as_of", "prepared_on")}
_TEXTS = {
    c.name: c for c in _WORKLOAD.values()
    if c.kind != "number" and c.group in ("hardware", "lengths", "method", "money")
}  # fmt: skip

# names that are no quantities, but lead to some: cards, models, precisions, price lists
LOOKED_UP: Mapping[str, Column] = {
    name: column for name, column in (_TEXTS | _SETTINGS).items() if name not in quantities()
}
_PRICED = ("gpu", "price_list", "pricing_model", "as_of", "currency")
_BY_NAME = {
    "kv_bytes": ("kv_precision",), "price_age_days": ("prepared_on", *_PRICED), "gpu_confidence": ("gpu",),
    "model_confidence": ("model",), "overrides_typed": (),
}  # fmt: skip
_BY_OWNER = {
    "Gpu": ("gpu",), "Model": ("model",), "Precision": ("weight_precision",), "Distribution": ("length_distribution",),
    "Found": _PRICED,
}  # fmt: skip


def named_by(name: str) -> tuple[str, ...]:
    """The names by which an input is looked up; empty where it is typed itself."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    owner = inputs()[name][0] if name in inputs() else ""
    return _BY_OWNER.get(owner, ())


@dataclass(frozen=True)
class Case:
    """What the solver takes, and where it is from."""

    values: Mapping[str, Any]
    typed: Mapping[str, Any]
    assumed: Mapping[str, Any]  # what was not typed, but assumed
    no_price: tuple[str, ...]  # why a price is missing

    @property
    def currency(self) -> str | None:
        """The currency of prices, where any was looked up."""
        return str(self.assumed["currency"]) if "gpu" in self.typed else None


def case(typed: Mapping[str, Any]) -> Case:
    """The values of all inputs: typed, looked up, or assumed.

    >>> one = case({"gpu": "H20 96G", "params_b": 7.0})
    >>> one.values["memory_gb"], one.values["params_b"], one.values["weight_bytes"], one.assumed["weight_precision"]
    (96.0, 7.0, 2.0, 'fp16')
    """
    known = {name: value for name, value in typed.items() if value is not None}
    catalog = Catalog.builtin()
    # a look-up wants all of these; what it finds by those that nobody typed is dropped again
    stand_ins: dict[str, Any] = {
        "workload": "case", "gpu": catalog.gpus[0].gpu, "model": catalog.models[0].model, "input_tokens": 1,
        "output_tokens": 1,
    }  # fmt: skip
    workload = Workload.read(stand_ins | {name: value for name, value in known.items() if name in _WORKLOAD})
    assumptions = Assumptions.read({name: value for name, value in known.items() if name in _ASSUMPTIONS})
    context = Context(catalog, assumptions, **{name: known[name] for name in _SETTINGS if name in known})
    found = look_up(workload, context)
    strange = {name for name in stand_ins if name not in known}
    if "gpu" in strange:
        strange |= {c.name for c in (*columns(Gpu), *columns(Found)) if "gpu" in named_by(c.name)}
    if "model" in strange:
        strange |= {c.name for c in (*columns(Model), *columns(Found)) if "model" in named_by(c.name)}
    values = {name: value for name, value in found.values.items() if name not in strange}
    values |= {name: value for name, value in typed.items() if name in quantities()}
    assumed: dict[str, Any] = {**dict(assumptions), "currency": context.currency, "as_of": context.price_date}
    assumed = {name: value for name, value in assumed.items() if name not in known and value is not None}
    assumed |= {"currency": context.currency}
    return Case(values, dict(typed), assumed, found.missing if "gpu" in known else ())
