"""Every field of every row type says what it means, in both languages, and its bounds hold."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from gpusheet.catalog import (
    INHERITED,
    OVERRIDES,
    Assumptions,
    BadRow,
    Catalog,
    Column,
    Distribution,
    Fx,
    Gpu,
    Model,
    OtherCost,
    Precision,
    Price,
    Row,
    Season,
    Tier,
    Workload,
    columns,
)
from gpusheet.catalog.settings import DECISIONS
from gpusheet.units import all_units

ROW_TYPES = [Gpu, Model, Price, Fx, Assumptions, Workload, Precision, Distribution, Tier, Season, OtherCost]
EVERY = [pytest.param(t, c, id=f"{t.__name__}.{c.name}") for t in ROW_TYPES for c in columns(t)]
GOOD: dict[type[Row], dict[str, object]] = {
    Gpu: dict(Catalog.builtin().find_gpu("L20")),
    Model: dict(Catalog.builtin().find_model("Generic-7B")),
    Price: dict(Catalog.builtin().prices[0]),
    Fx: {"currency": "USD", "budget_currency": "CNY", "rate": 7.1, "rate_date": "2026-10-27", "source": "bank"},
    Assumptions: dict(Assumptions()),
    Workload: {"workload": "bot", "gpu": "L20", "model": "Generic-7B", "input_tokens": 200, "output_tokens": 300},
    Precision: dict(Catalog.builtin().precisions[0]),
    Distribution: dict(Catalog.builtin().distributions[0]),
    Tier: dict(Catalog.builtin().tiers[0]),
    Season: dict(Catalog.builtin().seasons[0]),
    OtherCost: {"item": "gateway", "amount_per_month": 900},
}


def column_of(row_type: type[Row], name: str) -> Column:
    return next(c for c in columns(row_type) if c.name == name)


@pytest.mark.parametrize(("row_type", "c"), EVERY)
def test_field_says_what_it_means(row_type: type[Row], c: Column) -> None:
    assert c.unit in all_units().values()
    assert c.label("en").strip() and c.label("zh").strip() and c.doc.strip().endswith(".")
    assert c.label("en").isascii() and (c.label("zh") != c.label("en") or c.name == "pue")
    assert (c.kind == "number") == (c.unit.symbol not in ("text", "date"))
    assert (c.kind == "choice") == bool(c.choices)
    assert c.allowed("en") != c.allowed("zh")
    if c.default is not None:
        assert c.read(c.default) == c.default


@pytest.mark.parametrize("row_type", ROW_TYPES)
def test_labels_are_told_apart(row_type: type[Row]) -> None:
    for lang in ("en", "zh"):
        labels = [c.label(lang) for c in columns(row_type)]
        assert sorted(set(labels)) == sorted(labels)


NUMBERS = [p for p in EVERY if p.values[1].kind == "number"]
CHOICES = [p for p in EVERY if p.values[1].kind == "choice"]


@pytest.mark.parametrize(("row_type", "c"), NUMBERS)
@pytest.mark.parametrize("wrong", ["abc", "1,000", "50%", "1_000", True, math.nan, math.inf, [1.0]])
def test_only_plain_numbers_are_numbers(row_type: type[Row], c: Column, wrong: object) -> None:
    with pytest.raises(BadRow, match=f"^Sheet row 7, {c.name}: found .* allowed a (whole )?number"):
        row_type.read(GOOD[row_type] | {c.name: wrong}, "Sheet row 7")


@pytest.mark.parametrize(("row_type", "c"), NUMBERS)
def test_bounds_are_held_and_told(row_type: type[Row], c: Column) -> None:
    beyond = [c.gt, c.lt, None if c.ge is None else c.ge - 1, None if c.le is None else c.le + 1]
    for value in [v for v in beyond if v is not None]:
        with pytest.raises(BadRow) as refused:
            row_type.read(GOOD[row_type] | {c.name: value}, "row 2")
        assert f"row 2, {c.name}: found {value:.15g}, allowed {c.allowed()}" in refused.value.lines
    if c.whole:
        with pytest.raises(BadRow, match=f"{c.name}: found 1.5, allowed a whole number"):
            row_type.read(GOOD[row_type] | {c.name: 1.5})


@pytest.mark.parametrize(("row_type", "c"), CHOICES)
def test_choices_ignore_case_and_nothing_else(row_type: type[Row], c: Column) -> None:
    for choice in c.choices:
        assert c.read(f" {choice.upper()} ") == choice
    with pytest.raises(BadRow, match=f"{c.name}: found 'no such', allowed one of {c.choices[0]}, "):
        row_type.read(GOOD[row_type] | {c.name: "no such"})


@pytest.mark.parametrize(("row_type", "c"), [p for p in EVERY if p.values[1].is_name])
@pytest.mark.parametrize("wrong", ["a*", "a?", "a~b", "a|b", "=a", "<a", ">a", "a\nb", "a" * 256])
def test_names_are_safe_to_match(row_type: type[Row], c: Column, wrong: str) -> None:
    with pytest.raises(BadRow, match=rf"{c.name}: found '.*allowed a name .* \* \? ~ \|"):
        row_type.read(GOOD[row_type] | {c.name: wrong})


def test_keys_are_names() -> None:
    first = {t.__name__: columns(t)[0].is_name for t in (Gpu, Model, Workload, Precision, Distribution, OtherCost)}
    assert first == dict.fromkeys(first, True)
    assert all(column_of(Price, name).is_name for name in ("price_list", "listing", "gpu"))


@pytest.mark.parametrize("name", ["A100", "H20", "L4", "4090"])
def test_cell_like_names_are_text(name: str) -> None:
    assert Gpu.read(GOOD[Gpu] | {"gpu": f" {name} "}).gpu == name


@pytest.mark.parametrize("row_type", ROW_TYPES)
def test_schema_is_json(row_type: type[Row]) -> None:
    assert len(json.loads(json.dumps(row_type.model_json_schema()))["properties"]) == len(columns(row_type))


def test_positive_means_zero_is_blank() -> None:
    assert column_of(Gpu, "memory_gb").positive and column_of(Price, "cards").positive
    assert not column_of(Workload, "requests_per_day").positive
    assert not column_of(Assumptions, "monthly_growth").positive
    assert all(c.positive for c in columns(Gpu) if c.kind == "number" and c.default is None)  # a flag is 0 where blank


def test_words_in_both_languages() -> None:
    share, cards = column_of(Distribution, "fragmentation"), column_of(Workload, "cards")
    assert share.allowed() == "a number above 0 and at most 1"
    assert share.allowed("zh") == "大于 0 且不大于 1 的数"
    assert cards.allowed() == "a whole number at least 1, or blank"
    assert cards.allowed("zh") == "不小于 1 的整数，或留空"
    assert column_of(Price, "period").allowed("zh") == "hour、month 之一"


def test_assumptions_stand_in_their_range_and_have_a_source() -> None:
    for c in columns(Assumptions):
        assert c.source, c.name
        if c.kind == "number" and c.default is not None:
            assert (c.low is None or c.low <= c.default) and (c.high is None or c.default <= c.high), c.name
    groups = [c.group for c in columns(Assumptions)]
    assert groups == sorted(groups, key=groups.index)  # each group stands together
    assert set(groups) == {"demand", "memory", "throughput", "serving", "cards", "money", "ownership", "checks", DECISIONS}


def test_workload_takes_its_columns_from_assumptions() -> None:
    assert len(INHERITED) == 29 and set(INHERITED) <= set(Assumptions.model_fields)
    for name in INHERITED:
        mine, theirs = column_of(Workload, name), column_of(Assumptions, name)
        own = {"doc": theirs.doc, "required": False, "default": theirs.default, "group": theirs.group}
        assert replace(mine, **own) == theirs, name
        assert not mine.required and mine.default is None
    assert OVERRIDES == (
        "requests_per_day", "peak_concurrency", "kv_gb_per_request", "concurrency", "card_throughput", "fixed_cards")
    groups = [c.group for c in columns(Workload)]
    assert groups == sorted(groups, key=groups.index)


def test_blank_takes_the_assumption_and_zero_does_not() -> None:
    w = Workload.read(GOOD[Workload] | {"discount": 0, "peak_factor": " ", "owned_cards": None})
    filled = w.filled(Assumptions(discount=0.2, peak_factor=3, owned_cards=4))
    assert (filled["discount"], filled["peak_factor"], filled["owned_cards"]) == (0.0, 3.0, 4.0)
    assert list(filled) == list(Workload.model_fields)


def test_choices_are_the_tables_keys() -> None:
    catalog = Catalog.builtin()
    for name in ("weight_precision", "kv_precision"):
        assert column_of(Assumptions, name).choices == tuple(p.precision for p in catalog.precisions)
    assert column_of(Workload, "length_distribution").choices == tuple(d.distribution for d in catalog.distributions)


def test_override_without_reason_is_a_row() -> None:
    assert Workload.read(GOOD[Workload] | {"fixed_cards": 4}).override_reason is None
