"""Prices that can be read and still cannot be right: the likely mistake is named."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from gpusheet.catalog import Catalog, Price
from gpusheet.intake.findings import Finding, Place
from gpusheet.intake.plausibility import hourly, implausible, likely_cause

TODAY = datetime.date(2026, 11, 30)
DAY = datetime.date(2026, 11, 1)


def price(**changed: Any) -> Price:
    made: dict[str, Any] = {
        "snapshot_date": DAY,
        "price_list": "cloud",
        "listing": "a",
        "gpu": "L20",
        "cards": 1,
        "price": 4,
        "currency": "CNY",
        "per": "card",
        "period": "hour",
        "pricing_model": "on_demand",
        "tax": "included",
        "source": "quote",
    }
    return Price(**{**made, **changed})


KNOWN = Catalog(
    gpus=Catalog.builtin().gpus,
    prices=tuple(
        price(price_list=f"cloud {number}", price=4 + number / 10, snapshot_date=datetime.date(2026, 10, 1))
        for number in range(5)
    ),
)


def found(*prices: Price, **more: Any) -> list[Finding]:
    return implausible(prices, lambda row, name: Place("p.csv", "", f"{name}{row}"), catalog=KNOWN, today=TODAY, **more)


def test_a_price_as_usual_is_nothing_to_speak_of() -> None:
    assert found(price(), price(price_list="other", price=6)) == []


FACTORS = {
    8: "8 cards",
    7.1: "yuan",
    4: "4 cards",
    24: "a day taken",
    30: "a month taken for a day",
    720: "a month taken for an hour",
    1000: "thousands",
    10: "decimal point",
    100: "decimal point",
    12: "a year",
}


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("up", [True, False])
def test_the_likely_cause_is_named(factor: float, up: bool) -> None:
    (one,) = found(price(price=4.2 * factor if up else 4.2 / factor))
    assert one.code == "price-far-off" and one.severity == "warning" and one.place.cell == "price0"
    assert FACTORS[factor] in one.en and "可能是" in one.zh


def test_dollars_are_held_against_yuan() -> None:
    (one,) = found(price(currency="USD"))
    assert "yuan taken for US dollars" in one.en
    assert found(price(currency="USD", price=0.6)) == []


def test_a_machine_for_a_card() -> None:
    for cards, per, amount in (
        (2, "card", 8.4),
        (8, "card", 33.6),
        (16, "card", 67.2),
        (8, "instance", 4.2),
        (2, "instance", 4.2),
    ):
        (one,) = found(price(cards=cards, per=per, price=amount))
        assert "the whole machine taken for a card" in one.en
    assert found(price(cards=8, per="instance", price=33.6)) == []


@pytest.mark.parametrize(
    ("factor", "words"), [(2, "2 cards"), (1 / 2, "2 cards"), (1.6, "check price"), (7, "yuan"), (720, "a month")]
)
def test_the_same_offer_against_last_time(factor: float, words: str) -> None:
    before = price(snapshot_date=datetime.date(2026, 10, 1), price=4)
    (one,) = found(price(price=4 * factor), previous=[before])
    assert one.code == "price-changed" and words in one.en and "2026-10-01" in one.en
    assert found(price(price=5), previous=[before]) == []


def test_a_month_is_held_against_hours() -> None:
    assert hourly(price(period="month", price=2880)) == 4
    assert found(price(period="month", price=2880, pricing_model="monthly")) == []
    (one,) = found(price(period="month", price=4, pricing_model="monthly"))
    assert "a month taken for an hour" in one.en


def test_dates() -> None:
    early, late = datetime.date(2026, 1, 1), datetime.date(2026, 12, 1)
    codes = [
        one.code
        for one in found(price(snapshot_date=early), price(snapshot_date=early, listing="b"), price(snapshot_date=late))
    ]
    assert codes == ["stale-date", "future-date"]
    assert "1 row more" in found(price(snapshot_date=early), price(snapshot_date=early, listing="b"))[0].en


def test_cards_that_are_not_known_or_have_another_name() -> None:
    unknown, alias = found(price(gpu="H200X"), price(gpu="NVIDIA L20", listing="b"))
    assert (unknown.code, unknown.severity) == ("unknown-gpu", "warning") and "did you mean" in unknown.en
    assert (alias.code, alias.severity) == ("gpu-alias", "note") and "L20" in alias.en
    (odd,) = found(price(gpu="完全不像"))
    assert "add it to GPUs" in odd.en


def test_the_same_offer_twice() -> None:
    (same,) = found(price(), price())
    assert same.code == "same-offer" and same.place.cell == "price1" and "price0" in same.en
    (other,) = found(price(), price(price=4.5))
    assert "4.5 instead of 4" in other.en
    assert found(price(), price(listing="b"), price(pricing_model="monthly", period="month", price=2000)) == []
    (terms,) = found(price(), price(tax="excluded"))
    assert terms.code == "other-terms" and "(excluded instead of included)" in terms.en


def test_two_cards_that_claim_one_name() -> None:
    gpu = KNOWN.find_gpu("L20")
    clash = Catalog(gpus=(gpu, gpu.model_copy(update={"gpu": "L21"})))
    (one,) = implausible([price()], lambda row, name: Place(), catalog=clash, today=TODAY)
    assert one.code == "unknown-gpu" and "claimed by" in one.en


def test_factors_without_a_known_cause() -> None:
    assert likely_cause(5.4) == ("", "") and likely_cause(200) == ("", "")


def test_a_price_is_held_against_the_last_one_before_it() -> None:
    day = datetime.date(2026, 10, 1)
    steps = [price(price=4 * 2**number, snapshot_date=day + datetime.timedelta(7 * number)) for number in range(3)]
    changed = [one for one in found(*reversed(steps)) if one.code == "price-changed"]
    assert [(one.place.cell, one.raw) for one in changed] == [("price0", "16"), ("price1", "8")]
    assert "2026-10-08" in changed[0].en and "2026-10-01" in changed[1].en


def test_later_snapshots_say_nothing_of_an_earlier_price() -> None:
    later = price(price=4.2, snapshot_date=datetime.date(2026, 11, 20))
    assert found(price(price=8), previous=[later]) == []
    (one,) = found(price(price=8), previous=[later, price(price=4, snapshot_date=datetime.date(2026, 10, 20))])
    assert "2 times the price of 2026-10-20" in one.en


def test_a_snapshot_of_the_same_day_counts_unless_it_is_the_same_price() -> None:
    (one,) = found(price(price=40), previous=[price()])
    assert one.code == "price-changed" and "decimal point" in one.en
    (one,) = found(price(price=8), previous=[price(price=8), price(snapshot_date=datetime.date(2026, 10, 20))])
    assert "2026-10-20" in one.en
