"""Two snapshots compared: dearer, cheaper, new, gone, and where the numbers cannot be compared."""

from __future__ import annotations

from typing import Any

import pytest

from gpusheet.catalog import Price
from gpusheet.intake.price_changes import Became, changes


def price(**changed: Any) -> Price:
    row = {"snapshot_date": "2026-10-27", "price_list": "cloud/east", "listing": "8x", "gpu": "L20", "cards": 8, "price": 32,
           "currency": "CNY", "per": "instance", "period": "hour", "pricing_model": "on_demand", "tax": "included",
           "source": "quote 17"}  # fmt: skip
    return Price.read(row | changed)


@pytest.mark.parametrize(("changed", "became", "percent"), [
    ({}, Became.same, 0.0),
    ({"price": 36}, Became.dearer, 12.5),
    ({"price": 24}, Became.cheaper, -25.0),
    ({"price": 4, "per": "card"}, Became.same, 0.0),  # a node's price and a card's are compared for the card
    ({"price": 5, "per": "card"}, Became.dearer, 25.0),
    ({"price": 32 * (1 + 1e-12)}, Became.same, pytest.approx(1e-10, rel=1e-3)),
    ({"currency": "USD"}, Became.terms, None),
    ({"tax": "excluded"}, Became.terms, None),
    ({"tax": "unstated", "price": 36}, Became.dearer, 12.5),  # which says nothing of the tax
    ({"snapshot_date": "2026-11-20", "source": "quote 18", "available": "no"}, Became.same, 0.0),
    ({"price_list": "Cloud/East", "listing": "8X"}, Became.same, 0.0),  # as spreadsheets compare text
])  # fmt: skip
def test_one_offer(changed: dict[str, Any], became: Became, percent: Any) -> None:
    [one] = changes([price()], [price(**changed)])
    assert (one.became, one.percent) == (became, percent)
    assert one.offer == price(**changed)


@pytest.mark.parametrize("changed", [
    {"price_list": "cloud/west"}, {"listing": "8x spot"}, {"listing": None}, {"gpu": "L40S"}, {"cards": 4},
    {"pricing_model": "spot"}, {"period": "month"},
])  # fmt: skip
def test_another_offer_is_new_and_the_old_one_gone(changed: dict[str, Any]) -> None:
    found = changes([price()], [price(**changed)])
    assert sorted(one.became for one in found) == [Became.gone, Became.new]
    assert [one.percent for one in found] == [None, None]
    gone = next(one for one in found if one.became is Became.gone)
    assert gone.new is None and gone.offer == price()


def test_terms_are_named() -> None:
    [one] = changes([price()], [price(currency="USD", tax="excluded")])
    assert one.terms == "CNY -> USD, tax included -> excluded"
    assert changes([], [price()])[0].terms == ""


def test_every_row_of_both_sides_is_told_once() -> None:
    old = [price(price=10), price(price=20), price(gpu="L40S"), price(price_list="other")]
    new = [price(price=11), price(gpu="A10"), price(gpu="L40S", price=31)]
    found = changes(old, new)
    assert sorted((one.old.price, one.old.gpu, one.old.price_list) for one in found if one.old) == sorted(
        (row.price, row.gpu, row.price_list) for row in old)  # fmt: skip
    assert sorted((one.new.price, one.new.gpu) for one in found if one.new) == sorted((row.price, row.gpu) for row in new)
    assert [(one.became, one.offer.gpu, one.percent) for one in found] == [
        (Became.new, "A10", None), (Became.dearer, "L20", pytest.approx(10)), (Became.gone, "L20", None),
        (Became.cheaper, "L40S", -3.125), (Became.gone, "L20", None)]  # fmt: skip
