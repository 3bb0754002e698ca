"""Spend of a FOCUS bill by month, account and tag."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import pytest
from provider_files import FOCUS, charge, csv_file

from gpusheet.errors import GpusheetError
from gpusheet.intake import Actual, Actuals, Cost, read_actuals

SEPTEMBER, OCTOBER = datetime.date(2026, 9, 1), datetime.date(2026, 10, 1)


def spent(folder: Path, *rows: dict[str, str], tag: str | None = None, cost: Cost = Cost.billed) -> Actuals:
    made = read_actuals(csv_file(folder / "bill.csv", FOCUS, rows), tag, cost)
    assert made.present == made.used + made.reported == len(rows)
    return made


def test_months_accounts_and_tax_are_kept_apart(tmp_path: Path) -> None:
    made = spent(
        tmp_path, charge(BilledCost="0.1"), charge(BilledCost="0.2"), charge(BilledCost="-0.05", ChargeCategory="Credit"),
        charge(BilledCost="0.04", ChargeCategory="Tax"), charge(BillingPeriodStart="2026-10-01T00:00:00Z", BilledCost="7"),
        charge(SubAccountName="", BilledCost="5"), charge(ServiceName="Amazon S3", BilledCost="3"),
    )  # fmt: skip
    assert made.rows == (
        Actual(SEPTEMBER, "aws", "corp", "", "Amazon EC2", "USD", 5.0, 0.0),
        Actual(SEPTEMBER, "aws", "research", "", "Amazon EC2", "USD", 0.25, 0.04),  # exact: 0.1 + 0.2 - 0.05 in decimals
        Actual(SEPTEMBER, "aws", "research", "", "Amazon S3", "USD", 3.0, 0.0),
        Actual(OCTOBER, "aws", "research", "", "Amazon EC2", "USD", 7.0, 0.0),
    )
    assert made.findings == ()


def test_a_tag_tells_charges_apart(tmp_path: Path) -> None:
    made = spent(tmp_path, charge(), charge(Tags=json.dumps({"team": "search"}), BilledCost="2"), charge(Tags="", BilledCost="1"),
                 charge(Tags="{broken", BilledCost="4"), tag="team")  # fmt: skip
    assert [(one.tag, one.amount) for one in made.rows] == [("", 5.0), ("chat", 55.04), ("search", 2.0)]
    unknown = spent(tmp_path, charge(), tag="Team")
    assert [(one.severity, one.code, one.raw) for one in unknown.findings] == [("warning", "unknown-tag", "Team")]


def test_billed_cost_is_of_the_invoice_effective_cost_of_the_use(tmp_path: Path) -> None:
    row = charge(BilledCost="120", EffectiveCost="10", BillingPeriodStart="2026-10-01T00:00:00Z")
    assert [(one.month, one.amount) for one in spent(tmp_path, row).rows] == [(OCTOBER, 120.0)]
    assert [(one.month, one.amount) for one in spent(tmp_path, row, cost=Cost.effective).rows] == [(SEPTEMBER, 10.0)]


def test_currencies_are_never_added(tmp_path: Path) -> None:
    made = spent(tmp_path, charge(BilledCost="1"), charge(BilledCost="7", BillingCurrency="cny"))
    assert [(one.currency, one.amount) for one in made.rows] == [("CNY", 7.0), ("USD", 1.0)]
    assert [one.code for one in made.findings] == ["mixed-currencies"]


def test_what_cannot_be_read_is_reported_and_in_no_total(tmp_path: Path) -> None:
    made = spent(tmp_path, charge(BilledCost="1"), charge(BilledCost="1.234,50"), charge(BilledCost="***"), charge(BilledCost=""),
                 charge(BillingCurrency=""), charge(BillingPeriodStart="soon"), charge(BilledCost="1e300"))  # fmt: skip
    assert [one.amount for one in made.rows] == [1.0] and (made.used, made.reported) == (1, 6)
    assert [(one.code, one.place.cell, one.raw) for one in made.findings] == [
        ("ambiguous-number", "A3", "1.234,50"), ("placeholder", "A4", "***"), ("not-a-number", "A5", ""),
        ("unknown-currency", "C6", ""), ("not-a-date", "D7", "soon"), ("not-a-number", "A8", "1e300")]  # fmt: skip


def test_a_price_list_is_no_bill(tmp_path: Path) -> None:
    path = tmp_path / "prices.csv"
    path.write_text("gpu,price\nL20,4\n")
    with pytest.raises(GpusheetError, match="not a bill of FOCUS"):
        read_actuals(path)


def test_a_cost_that_the_bill_has_not(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "bill.csv", [name for name in FOCUS if name != "EffectiveCost"], [])
    with pytest.raises(GpusheetError, match="has no column EffectiveCost; ask for BilledCost"):
        read_actuals(path, cost=Cost.effective)
