"""Spend of a bill as rows of the table Actuals."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

from provider_files import FOCUS, charge, csv_file

from gpusheet.catalog import Workload
from gpusheet.catalog.planning import Actual
from gpusheet.intake.actuals import read_actuals
from gpusheet.intake.spend import Merged, merged

BOT = Workload(workload="Bot", gpu="L20", model="Generic-7B", input_tokens=1, output_tokens=1, cost_centre="Care")
SEPTEMBER = datetime.date(2026, 9, 1)


def brought(folder: Path, *rows: dict[str, str], tag: str | None = None, there: tuple[Actual, ...] = ()) -> Merged:
    return merged(there, read_actuals(csv_file(folder / "bill.csv", FOCUS, rows), tag), [BOT], "bill.csv")


def tagged(value: str, cost: str = "1") -> dict[str, str]:
    return charge(Tags=json.dumps({"team": value}), BilledCost=cost)


def test_a_tag_names_a_workload_or_a_cost_centre(tmp_path: Path) -> None:
    made = brought(tmp_path, tagged("bot", "1"), tagged("CARE", "2"), tagged("Research lab", "4"), charge(Tags="", BilledCost="8"),
                   tag="team")  # fmt: skip
    assert sorted((one.workload or "", one.cost_centre or "", one.amount) for one in made.rows) == [
        ("", "", 8.0), ("", "Care", 2.0), ("", "Research lab", 4.0), ("Bot", "", 1.0),
    ]  # fmt: skip
    assert {(one.month, one.provider, one.service, one.currency, one.source) for one in made.rows} == {
        (SEPTEMBER, "aws", "Amazon EC2", "USD", "bill.csv")}  # fmt: skip


def test_an_account_is_assigned_where_the_budget_knows_its_name(tmp_path: Path) -> None:
    made = brought(tmp_path, charge(SubAccountName="care", BilledCost="1"), charge(SubAccountName="BOT", BilledCost="2"),
                   charge(SubAccountName="research", BilledCost="4"))  # fmt: skip
    assert [(one.workload, one.cost_centre, one.amount) for one in made.rows] == [("Bot", None, 2), (None, "Care", 1), (None, None, 4)]


def test_a_bill_read_twice_is_counted_once(tmp_path: Path) -> None:
    october = Actual(month="2026-10-01", provider="aws", service="Amazon EC2", amount=5, currency="USD")
    typed = Actual(month="2026-09-15", provider="AWS", service="amazon ec2", workload="Bot", amount=7, currency="USD")
    other = Actual(month="2026-09-01", provider="aws", service="Amazon S3", amount=9, currency="USD")
    once = brought(tmp_path, charge(BilledCost="3"), charge(BilledCost="4"), there=(typed, october, other))
    assert (once.kept, once.added, once.replaced, once.months) == ((1, 2), 1, 1, (SEPTEMBER,))
    assert [one.amount for one in once.rows] == [5, 9, 7]
    again = brought(tmp_path, charge(BilledCost="3"), charge(BilledCost="4"), there=once.rows)
    assert again.rows == once.rows and again.replaced == 1


def test_taxes_are_told_and_not_counted(tmp_path: Path) -> None:
    made = brought(tmp_path, charge(BilledCost="10"), charge(BilledCost="0.6", ChargeCategory="Tax"),
                   charge(ServiceName="Tax only", BilledCost="0.4", ChargeCategory="Tax"))  # fmt: skip
    assert [one.amount for one in made.rows] == [10]
    assert [(one.code, one.raw) for one in made.findings] == [("tax-left-out", "1.00 USD")]


def test_currencies_stay_apart(tmp_path: Path) -> None:
    made = brought(tmp_path, charge(BilledCost="1"), charge(BilledCost="7", BillingCurrency="CNY"))
    assert sorted((one.currency, one.amount) for one in made.rows) == [("CNY", 7), ("USD", 1)]


def test_a_typed_row_beside_a_bill_is_told_and_stays(tmp_path: Path) -> None:
    typed = Actual(month="2026-09-20", workload="bot", amount=7, currency="USD")
    other = Actual(month="2026-10-01", workload="Bot", amount=8, currency="USD")
    made = brought(tmp_path, charge(SubAccountName="Bot", BilledCost="3"), there=(typed, other))
    assert made.kept == (0, 1) and [one.amount for one in made.rows] == [7, 8, 3]
    (told,) = made.findings
    assert (told.severity, told.code, told.raw) == ("warning", "typed-beside-bill", "2026-09, bot: 7.00 USD")
    assert "bill.csv" in told.line("en") and "bill.csv" in told.line("zh")
