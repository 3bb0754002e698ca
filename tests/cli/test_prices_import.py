"""`gpusheet prices import`: what is understood is shown, good rows become a snapshot, nothing that is there changes."""

from __future__ import annotations

import datetime
import io
import json
from pathlib import Path

import pytest
from commands import BOT, options, refused, run

from gpusheet.catalog import Price
from gpusheet.cli import prices
from gpusheet.intake.snapshot import read_file, read_folder

CATALOG = """InstanceType,AcceleratorName,AcceleratorCount,Region,Price,SpotPrice
p5.48xlarge,H100,8,us-east-1,55.04,20.5
p4d.24xlarge,A100,8,us-east-1,abc,
x.large,Gaudi HL-205,8,us-east-1,13,
m5.large,,,us-east-1,0.1,
"""
DAY = datetime.date.today().isoformat()  # neither stale nor in the future
GIVEN = ("--provider", "aws", "--date", DAY)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "vms.csv"
    path.write_text(CATALOG)
    return Path("vms.csv")


def test_good_rows_become_a_snapshot_and_the_others_are_told(file: Path) -> None:
    ended = run("prices", "import", file, *GIVEN)
    assert ended.status == 0
    lines = [line.split() for line in ended.out.splitlines()]
    assert lines[0] == ["vms.csv:", "SkyPilot", "catalog"]
    assert ["currency", "(Currency)", "USD"] in lines and ["price", "(Price)", "Price,", "SpotPrice"] in lines
    assert [line[:6] for line in lines if "p5.48xlarge" in line] == [
        [DAY, "aws/us-east-1", "p5.48xlarge", "H100-80G-SXM", "8", price] for price in ("55.04", "20.5")]
    target = Path("prices", f"{DAY}_aws.csv")
    assert ended.err.splitlines() == [
        "error: vms.csv E3: Price: found 'abc', which is no number; type the number",
        "vms.csv B4: AcceleratorName: found 'Gaudi HL-205', no such card in GPUs; nearest: Gaudi2; write a name of GPUs, or add "
        "the card there",
        "vms.csv: 1 row passed over: machines without a GPU",
        "4 rows: 1 used, 2 refused, 1 passed over; 2 prices",
        f"{target}: 2 prices; use them by --snapshots prices",
    ]
    assert [(row.price, row.pricing_model) for row in read_file(target)] == [(55.04, "on_demand"), (20.5, "spot")]


def test_the_same_day_is_never_written_twice(file: Path) -> None:
    assert run("prices", "import", file, *GIVEN).status == 0
    [target] = Path("prices").iterdir()
    before = target.read_bytes()
    ended = run("prices", "import", file, *GIVEN)
    assert (ended.status, ended.err.splitlines()[-1]) == (
        1, f"error: {target}: there is a snapshot of that day already, and snapshots are never changed; give another --date, "
        "or delete the file yourself if it is wrong")  # fmt: skip
    assert [(path.name, path.read_bytes()) for path in Path("prices").iterdir()] == [(target.name, before)]
    assert run("prices", "import", file, "--provider", "gcp", "--date", DAY).status == 0


def test_a_dry_run_writes_nothing(file: Path) -> None:
    ended = run("prices", "import", file, *GIVEN, "--dry-run")
    assert ended.status == 0 and ended.err.splitlines()[-1] == "nothing was written"
    assert not Path("prices").exists()


def test_a_folder_may_be_named(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "quotes"
    assert run("prices", "import", file, *GIVEN, "--to", folder).status == 0
    assert len(read_folder(folder)) == 2 and not Path("prices").exists()


@pytest.mark.parametrize(("answer", "written"), [("y\n", True), ("\n", True), ("n\n", False)])
def test_somebody_at_a_terminal_is_asked_once(
    answer: str, written: bool, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prices, "_attended", lambda: True)
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    ended = run("prices", "import", file, *GIVEN)
    assert ended.status == 0
    assert f"Write 2 prices to {Path('prices', DAY + '_aws.csv')}? [Y/n]" in ended.err
    assert Path("prices").exists() == written
    assert written or ended.err.splitlines()[-1].endswith("nothing was written")


def test_yes_asks_nothing(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prices, "_attended", lambda: True)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert run("prices", "import", file, *GIVEN, "--yes").status == 0
    assert Path("prices").exists()


def test_json_has_all_of_it(file: Path) -> None:
    ended = run("prices", "import", file, *GIVEN, "--json")
    found = json.loads(ended.out)
    assert [found[name] for name in ("file", "kind", "present", "used", "reported", "passed")] == [
        "vms.csv", "SkyPilot catalog", 4, 1, 2, 1]  # fmt: skip
    assert [one["code"] for one in found["findings"]] == ["not-a-number", "unknown-gpu", "passed-over"]
    assert [Price.read(row) for row in found["prices"]] == read_file(Path(found["written"][0]))
    assert json.loads(run("prices", "import", file, *GIVEN, "--json", "--dry-run").out)["written"] == []


def test_findings_in_chinese(file: Path) -> None:
    ended = run("prices", "import", file, *GIVEN, "--dry-run", "--lang", "zh")
    assert "currency (币种)" in ended.out
    lines = ended.err.splitlines()
    assert lines[0].startswith("error: vms.csv E3：Price 为“abc”，") and lines[3] == (
        "共 4 行：采用 1，未用 2，略过 1；得到 2 个价格")  # fmt: skip


def test_no_price_at_all_is_an_error(file: Path) -> None:
    file.write_text("".join(CATALOG.splitlines(keepends=True)[i] for i in (0, 2, 3)))
    ended = run("prices", "import", file, *GIVEN)
    assert (ended.status, ended.errors[-1]) == (1, "vms.csv: no price that can be used; see what was found in its 2 rows")
    assert not Path("prices").exists()


@pytest.mark.parametrize(("words", "line"), [
    (["--provider", "aws", "--date", "soon"], "--date: found 'soon', allowed a date such as 2026-10-27"),
    (["--provider", " ", "--date", DAY], "--provider: found a blank, allowed the name of a price list, such as aws"),
    ([*GIVEN, "--map", "price"], "--map: found 'price', allowed a field, '=' and what it is, such as currency=CNY"),
    ([*GIVEN, "--set", "tax=included", "--set", "tax=excluded"], "--set: tax is given twice; leave one"),
    ([*GIVEN, "--set", "per=gpu"], "--set per: found 'gpu', allowed one of card, instance"),
    ([*GIVEN, "--map", "note=Region"], "--map: 'note' is not known; did you mean notes?"),
    (["--provider", "aws"], "vms.csv: the file has no date; give --date YYYY-MM-DD, the day of the catalog"),
])  # fmt: skip
def test_wrong_words_are_named(words: list[str], line: str, file: Path) -> None:
    refused(run("prices", "import", file, *words), line)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    ended = run("prices", "import", tmp_path / "none.csv")
    assert ended.status == 1 and ended.errors == [
        f"{tmp_path / 'none.csv'}: there is no such file; check the folder and the spelling"]  # fmt: skip


def test_words_that_name_no_command_are_looked_for() -> None:
    assert run("prices", "H20").out == run("prices", "list", "H20").out != ""
    assert run("prices", "--gpu", "H20 96G").out == run("prices", "list", "--gpu", "H20 96G").out


def test_machines_of_earlier_imports_are_known(file: Path) -> None:
    file.write_text("InstanceType,AcceleratorName,AcceleratorCount,Region,Price\nx9.large,L20,4,north,13\n")
    bill = Path("bill.csv")
    bill.write_text("BilledCost,ChargeCategory,BillingCurrency,ListUnitPrice,PricingUnit,ChargePeriodStart,ProviderName,x_UsageType\n"
                    "12,Usage,USD,12,Hours,2026-11-01T00:00:00Z,My Cloud,BoxUsage:x9.large\n")  # fmt: skip
    assert run("prices", "import", bill).status == 1
    assert run("prices", "import", file, *GIVEN).status == 0
    assert run("prices", "import", bill).status == 0
    [row] = read_file(Path("prices", "2026-11-01_bill.csv"))
    assert (row.price_list, row.gpu, row.cards, row.price) == ("My Cloud", "L20", 4, 12)


def test_a_folder_that_cannot_be_read_does_not_stop_an_import(file: Path) -> None:
    Path("prices").mkdir()
    Path("prices", "notes.csv").write_text("a,b\n")
    ended = run("prices", "import", file, *GIVEN)
    assert ended.status == 0 and ended.err.startswith(f"{Path('prices', 'notes.csv')}: a snapshot's name begins with its day")


def test_a_column_may_be_left_out(file: Path) -> None:
    file.write_text("型号,元/卡时,元/卡·小时\nL20,4,5\n", encoding="utf-8")
    assert run("prices", "import", file, *GIVEN, "--dry-run").status == 1
    ended = run("prices", "import", file, *GIVEN, "--dry-run", "--map", "-=元/卡·小时")
    assert ended.status == 0 and ended.err.splitlines()[-2].endswith("1 prices")


# --- a folder of snapshots is used ---


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An L20 of a provider that the built-in prices have not."""
    path = tmp_path / "quote.csv"
    path.write_text(CATALOG.splitlines()[0] + "\nl20-1,L20,1,north,3.25,\n")
    run("prices", "import", path, "--provider", "mycloud", "--date", DAY, "--set", "currency=CNY", "--to", tmp_path / "own")
    return tmp_path / "own"


def test_the_list_shows_them(folder: Path) -> None:
    rows = json.loads(run("prices", "--gpu", "L20", "--snapshots", folder, "--json").out)
    assert ("mycloud/north", 3.25) in [(row["price_list"], row["price"]) for row in rows]
    assert len(rows) == len(json.loads(run("prices", "--gpu", "L20", "--json").out)) + 1


def test_an_estimate_takes_them(folder: Path) -> None:
    words = [*options(*(pair for pair in BOT if not pair.startswith("price_list"))), "--price-list", "mycloud/north"]
    found = json.loads(run("estimate", *words, "--snapshots", folder, "--json").out)
    assert found["unit_price"] == 3.25
    assert json.loads(run("estimate", *words, "--json").out)["unit_price"] is None


def test_a_budget_takes_them(folder: Path, tmp_path: Path) -> None:
    from gpusheet.workbook.reader import read_book

    first, second = tmp_path / "one.xlsx", tmp_path / "two.xlsx"
    assert run("budget", "-o", first, "--months", "1").status == 0
    assert run("budget", first, "-o", second, "--snapshots", folder).status == 0
    old, new = (read_book(path).inputs.catalog.prices for path in (first, second))
    assert list(new) == [*old, *read_folder(folder)]
