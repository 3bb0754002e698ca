"""`gpusheet budget --earlier` and `--actuals`: what goes into the book, what is said, what is refused."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from commands import refused, run
from openpyxl.comments import Comment

from gpusheet.workbook.reader import read_book

HEADER = ("BilledCost", "BillingCurrency", "BillingPeriodStart", "ChargeCategory", "ProviderName", "ServiceName", "SubAccountName",
          "Tags")  # fmt: skip
JANUARY, MARCH = "2027-01-01T00:00:00Z", "2027-03-01T00:00:00Z"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def bill(name: str, *rows: tuple[str, ...]) -> str:
    with Path(name).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([HEADER, *rows])
    return name


def charged(amount: str, month: str = JANUARY, account: str = "", tags: str = "", currency: str = "CNY") -> tuple[str, ...]:
    return amount, currency, month, "Usage", "GongJi", "GPU", account, tags


def test_an_earlier_budget_explains_the_change() -> None:
    run("budget", "-o", "old.xlsx", "--months", 3)
    ended = run("budget", "-o", "new.xlsx", "--months", 18, "--earlier", "old.xlsx")
    assert ended.status == 0
    assert "old.xlsx: 7 workloads of its month 3 in Earlier" in ended.err.splitlines()
    read = read_book("new.xlsx").inputs.plans.earlier
    assert [one.workload for one in read] == [one.workload for one in read_book("old.xlsx").inputs.workloads]
    assert {(one.source, str(one.budget_date)) for one in read} == {("old.xlsx", "2026-11-01")}
    shown = openpyxl.load_workbook("new.xlsx", data_only=True)["PriceBridge"]
    amounts = [shown.cell(row, 3).value for row in range(14, 20)]
    assert amounts[5] == pytest.approx(sum(amounts[:5])) and amounts[5] > amounts[0] > 0
    assert amounts[3:5] == pytest.approx([0, 0], abs=1e-6)  # nothing but growth


def test_a_bill_is_replaced_not_doubled() -> None:
    first = bill("bill.csv", charged("100"), charged("50", MARCH, tags='{"team": "IT"}'))
    ended = run("budget", "-o", "a.xlsx", "--months", 4, "--actuals", first, "--actuals-tag", "team")
    assert ended.status == 0
    assert "bill.csv: 2 rows of 2027-01 to 2027-03 added to Actuals, 0 replaced; 2 of 2 charges used" in ended.err.splitlines()
    second = bill("bill2.csv", charged("120"))
    ended = run("budget", "a.xlsx", "-o", "b.xlsx", "--actuals", second)
    assert "bill2.csv: 1 row of 2027-01 added to Actuals, 1 replaced; 1 of 1 charges used" in ended.err.splitlines()
    rows = read_book("b.xlsx").inputs.plans.actuals
    assert [(str(one.month), one.cost_centre, one.amount, one.source) for one in rows] == [
        ("2027-03-01", "IT", 50, "bill.csv"), ("2027-01-01", None, 120, "bill2.csv"),
    ]  # fmt: skip
    shown = openpyxl.load_workbook("b.xlsx", data_only=True)["Variance"]
    actual = next(row for row in shown.iter_rows() if row[1].value == "Actual")
    assert [actual[column].value for column in (8, 9, 10, 11)] == [120, None, 50, None]


def test_what_stands_beside_the_rows_goes_with_them() -> None:
    """A column of the user's own and comments on Actuals, where a bill takes the place of a row above."""
    run("budget", "-o", "a.xlsx", "--months", 1, "--actuals", bill("bill.csv", charged("1"), charged("2", MARCH)))
    book = openpyxl.load_workbook("a.xlsx")
    sheet: Any = book["Actuals"]
    header = next(row for row in sheet.iter_rows() if row[0].value == "month")[0].row
    last = sheet.max_column
    for row, value in ((0, "who"), (1, "Ann"), (2, "Bo")):
        sheet.cell(header + row, last + 1).value = value
    for row in (1, 2):
        sheet.cell(header + row, 1).comment = Comment(f"row {row}", "Ann")
    book.save("edited.xlsx")
    ended = run("budget", "edited.xlsx", "-o", "b.xlsx", "--actuals", bill("again.csv", charged("3")))
    assert ended.status == 0
    assert "Actuals: the comment 'row 1' is not carried over, as its row was replaced" in ended.err.splitlines()
    made: Any = openpyxl.load_workbook("b.xlsx")["Actuals"]
    rows = [[made.cell(header + row, column).value for column in (6, last + 1)] for row in (1, 2)]
    assert rows == [[2, "Bo"], [3, None]]
    assert made.cell(header + 1, 1).comment.text == "row 2" and made.cell(header + 2, 1).comment is None


def test_findings_are_shown() -> None:
    path = bill("bill.csv", charged("1"), charged("oops"), ("9", "CNY", JANUARY, "Tax", "GongJi", "GPU", "", ""))
    ended = run("budget", "-o", "a.xlsx", "--months", 1, "--actuals", path, "--actuals-tag", "team")
    assert ended.status == 0
    lines = ended.err.splitlines()
    assert "left out: bill.csv A3: BilledCost: found 'oops', which is no number; type the number" in lines
    assert "bill.csv: no charge has the tag 'team'" in lines
    assert "bill.csv: tax of 9.00 CNY is in no amount" in lines
    chinese = run("budget", "-o", "b.xlsx", "--months", 1, "--lang", "zh", "--actuals", path)
    assert any(line.startswith("未计入：bill.csv A3") for line in chinese.err.splitlines())


def test_options_typed_wrong() -> None:
    ours = "give a workbook that gpusheet has written"
    refused(run("budget", "-o", "a.xlsx", "--earlier", "none.xlsx"), f"--earlier: found no file 'none.xlsx'; {ours}")
    refused(run("budget", "-o", "a.xlsx", "--actuals", "none.csv"),
            "--actuals: found no file 'none.csv'; give a bill with the columns of FOCUS 1.x")  # fmt: skip
    key = "allowed the key of a tag of the bill that --actuals names"
    refused(run("budget", "-o", "a.xlsx", "--actuals-tag", "team"), f"--actuals-tag: found 'team', {key}")
    good = bill("bill.csv", charged("1"))
    refused(run("budget", "-o", "a.xlsx", "--actuals", good, "--actuals-tag", " "), f"--actuals-tag: found ' ', {key}")
    Path("other.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    refused(run("budget", "-o", "a.xlsx", "--actuals", "other.csv"),
            "other.csv: not a bill of FOCUS 1.x, which has the columns BilledCost, BillingCurrency, ChargeCategory; export it as FOCUS")
    ended = run("budget", "-o", "a.xlsx", "--actuals", bill("bad.csv", charged("x")))
    assert ended.status == 1 and ended.errors == ["--actuals: bad.csv has no charge that can be used"]
    assert not Path("a.xlsx").exists()


def test_an_earlier_budget_that_cannot_be_compared() -> None:
    run("budget", "-o", "old.xlsx", "--months", 1)
    refused(run("budget", "-o", "a.xlsx", "--earlier", "old.xlsx", "--currency", "USD"),
            "--earlier: old.xlsx is a budget in CNY, this one in USD; write both in one currency")  # fmt: skip
    run("template", "-o", "empty.xlsx")
    refused(run("budget", "-o", "a.xlsx", "--earlier", "empty.xlsx"),
            "--earlier: empty.xlsx has no workloads, so that there is nothing to compare with")  # fmt: skip
    run("budget", "-o", "blocked.xlsx", "--months", 1, "--currency", "USD")
    ended = run("budget", "-o", "a.xlsx", "--earlier", "blocked.xlsx", "--currency", "USD")
    assert ended.status == 1 and ended.errors == [
        "blocked.xlsx: the workload 'Service bot' has no price in its run-rate month; complete that budget first, as a cost that is "
        "missing cannot be compared"]  # fmt: skip
