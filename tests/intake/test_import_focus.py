"""Unit prices in a FOCUS bill: list and agreed prices of GPU machines; what was paid is no price."""

from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path

import pytest
from provider_files import FOCUS, charge, counts, csv_file, details, taken, told

from gpusheet.errors import GpusheetError
from gpusheet.intake.importers import Imported, Options, read_prices


def imported(folder: Path, *rows: dict[str, str], options: Options | None = None) -> Imported:
    return read_prices(csv_file(folder / "bill.csv", FOCUS, rows), replace(options or Options(), today=datetime.date(2026, 10, 1)))


def test_a_list_price_of_a_machine(tmp_path: Path) -> None:
    made = imported(tmp_path, charge(), charge())
    assert made.kind == "FOCUS bill" and counts(made) == (2, 2, 0, 0) and not made.findings
    [price] = made.prices
    assert dict(price) == {
        "snapshot_date": datetime.date(2026, 9, 3), "price_list": "aws/us-east-1", "listing": "p5.48xlarge",
        "gpu": "H100-80G-SXM", "cards": 8.0, "price": 55.04, "currency": "USD", "per": "instance", "period": "hour",
        "pricing_model": "on_demand", "tax": "excluded", "available": "unknown", "source": "bill.csv (FOCUS bill)",
        "notes": None,
    }  # fmt: skip


def test_the_day_is_that_of_the_last_use_or_the_one_given(tmp_path: Path) -> None:
    rows = [charge(), charge(ChargePeriodStart="2026-09-20T23:00:00Z"), charge(ChargePeriodStart="2026-09-07 00:00:00 UTC")]
    assert taken(imported(tmp_path, *rows), "snapshot_date") == [(datetime.date(2026, 9, 20),)]
    given = Options(date=datetime.date(2026, 10, 1))
    assert taken(imported(tmp_path, *rows, options=given), "snapshot_date") == [(given.date,)]


def test_an_agreed_price_is_a_list_of_its_own(tmp_path: Path) -> None:
    made = imported(tmp_path, charge(ContractedUnitPrice="45.5"), charge(RegionId="eu-west-1"))
    assert taken(made, "price_list", "price") == [
        ("aws/us-east-1", 55.04), ("aws contract/us-east-1", 45.5), ("aws/eu-west-1", 55.04)]  # fmt: skip


def test_the_later_price_stands(tmp_path: Path) -> None:
    made = imported(tmp_path, charge(ContractedUnitPrice=""),
                    charge(ContractedUnitPrice="", ListUnitPrice="50", ChargePeriodStart="2026-09-20T00:00:00Z"))  # fmt: skip
    assert taken(made, "price") == [(50.0,)] and counts(made) == (2, 2, 0, 0)
    assert told(made) == [("note", "changed-in-bill", "K3", "50")]
    assert "55.04 from 2026-09-03, 50 from 2026-09-20" in made.findings[0].en


def test_an_agreed_price_that_ended_is_gone(tmp_path: Path) -> None:
    made = imported(tmp_path, charge(ContractedUnitPrice="45"), charge(ChargePeriodStart="2026-09-20T00:00:00Z"))
    assert taken(made, "price_list", "price") == [("aws/us-east-1", 55.04)]


def test_spot_is_what_was_agreed_not_the_list_price(tmp_path: Path) -> None:
    spot = {"PricingCategory": "Dynamic", "x_UsageType": "USE1-SpotUsage:p5.48xlarge"}
    made = imported(tmp_path, charge(**spot, ContractedUnitPrice="19.5"), charge(**spot, ContractedUnitPrice="", RegionId="eu"))
    assert taken(made, "pricing_model", "price") == [("spot", 19.5)]
    assert counts(made) == (2, 1, 1, 0) and told(made) == [("warning", "no-price", "I3", "")]


def test_what_a_commitment_made_of_a_price_is_spend(tmp_path: Path) -> None:
    made = imported(tmp_path, charge(PricingCategory="Committed", EffectiveCost="20", BilledCost="0"))
    assert taken(made, "pricing_model", "price") == [("on_demand", 55.04)]


@pytest.mark.parametrize(("changed", "listing", "gpu", "cards"), [
    ({"SkuPriceDetails": details(InstanceType="g5.12xlarge", GpuCount=4)}, "g5.12xlarge", "A10G", 4.0),  # by its sister
    ({"SkuPriceDetails": details(F_InstanceType="p6-b200.48xlarge", F_GpuCount=8)}, "p6-b200.48xlarge", "B200-SXM", 8.0),
    ({"SkuPriceDetails": details(InstanceType="Standard_ND96isr_H200_v5", GpuCount="8")},
     "Standard_ND96isr_H200_v5", "H200-141G-SXM", 8.0),
    ({"SkuPriceDetails": details(InstanceType="Standard_ND96isr_H100_v5")}, "Standard_ND96isr_H100_v5", "H100-80G-SXM", 8.0),
    ({"SkuPriceDetails": details(InstanceType="p5.48xlarge", OperatingSystem="Windows")},
     "p5.48xlarge (Windows)", "H100-80G-SXM", 8.0),
])  # fmt: skip
def test_machines_by_details_sisters_and_names(
    changed: dict[str, str], listing: str, gpu: str, cards: float, tmp_path: Path
) -> None:
    assert taken(imported(tmp_path, charge(x_UsageType="", **changed)), "listing", "gpu", "cards") == [(listing, gpu, cards)]


def test_a_column_may_name_the_card(tmp_path: Path) -> None:
    row = charge(x_UsageType="BoxUsage:x9.huge", SkuMeter="L20", SkuPriceDetails=details(GpuCount=2))
    made = imported(tmp_path, row, charge(x_UsageType=""), options=Options(mapping={"SkuMeter": "gpu"}))
    assert taken(made, "listing", "gpu", "cards") == [("x9.huge", "L20", 2.0)]
    assert counts(made) == (2, 1, 0, 1)


@pytest.mark.parametrize(("unit", "price", "per", "period"), [
    ("Hours", 55.04, "instance", "hour"), ("hour", 55.04, "instance", "hour"), ("Hrs", 55.04, "instance", "hour"),
    ("100 Hours", 0.5504, "instance", "hour"), ("Instance-Hours", 55.04, "instance", "hour"),
    ("GPU-Hours", 55.04, "card", "hour"), ("Months", 55.04, "instance", "month"),
])  # fmt: skip
def test_units(unit: str, price: float, per: str, period: str, tmp_path: Path) -> None:
    made = imported(tmp_path, charge(PricingUnit=unit))
    assert taken(made, "price", "per", "period") == [(pytest.approx(price, rel=1e-15), per, period)]


def test_what_is_no_price_of_a_card(tmp_path: Path) -> None:
    made = imported(
        tmp_path,
        charge(ChargeCategory="Tax", ListUnitPrice="", ContractedUnitPrice="", PricingUnit=""),
        charge(ChargeCategory="Purchase"), charge(ChargeClass="Correction", ListUnitPrice="-5"),
        charge(x_UsageType="", SkuMeter="Standard storage", PricingUnit="GB-Months"),
        charge(x_UsageType="", SkuMeter="Nvidia H100 80GB GPU running in Americas", ProviderName="Google Cloud"),
        charge(x_UsageType="BoxUsage:trn1.32xlarge", SkuPriceDetails=details(InstanceType="trn1.32xlarge", GpuCount=16)),
        charge(PricingUnit="Seconds"), charge(PricingUnit="0 Hours"), charge(ProviderName=""),
        charge(PricingCategory="Other"), charge(ListUnitPrice="", ContractedUnitPrice=""), charge(BillingCurrency="dollars"),
        charge(SkuPriceDetails=details(GpuCount=0.5)), charge(ListUnitPrice="free"),
    )  # fmt: skip
    assert made.prices == () and counts(made) == (14, 0, 10, 4)
    assert told(made) == [
        ("warning", "accelerator-alone", "S6", "Nvidia H100 80GB GPU running in Americas"),
        ("warning", "unknown-gpu", "T7", "trn1.32xlarge"),
        ("error", "unknown-unit", "N8", "Seconds"),
        ("error", "unknown-unit", "N9", "0 Hours"),
        ("error", "no-provider", "O10", ""),
        ("error", "not-allowed", "L11", "Other"),
        ("warning", "no-price", "K12", ""),
        ("error", "unknown-currency", "C13", "dollars"),
        ("warning", "part-of-a-card", "T14", "0.5"),
        ("error", "not-a-number", "K15", "free"),
    ]  # fmt: skip


def test_a_bill_without_unit_prices_says_what_it_is(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "bill.csv", [name for name in FOCUS if name not in ("ListUnitPrice", "PricingUnit")], [])
    with pytest.raises(GpusheetError) as error:
        read_prices(path)
    assert str(error.value) == ("bill.csv: a bill without ListUnitPrice and PricingUnit states what was paid, not what things "
                                "cost; export it with all columns of FOCUS")  # fmt: skip


def test_a_bill_without_days_needs_one(tmp_path: Path) -> None:
    with pytest.raises(GpusheetError, match="give --date"):
        imported(tmp_path, charge(ChargePeriodStart=""))
