"""`gpusheet prices diff`: two snapshots, by file or by day."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import pytest
from commands import NEWEST, refused, run

from gpusheet.catalog import Catalog, Price
from gpusheet.intake import snapshot

OLD, NEW = datetime.date(2026, 10, 1), datetime.date(2026, 11, 20)


def price(day: datetime.date, gpu: str, amount: float, currency: str = "CNY") -> Price:
    return Price(snapshot_date=day, price_list="cloud", gpu=gpu, cards=8, price=amount, currency=currency, per="instance",
                 period="hour", pricing_model="on_demand", tax="included", source="quote")  # fmt: skip


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    old = [price(OLD, "L20", 32), price(OLD, "A10", 16), price(OLD, "H100-80G-SXM", 160), price(OLD, "L4", 8)]
    new = [price(NEW, "L20", 36), price(NEW, "A10", 16), price(NEW, "H100-80G-SXM", 24, "USD"), price(NEW, "L40S", 40)]
    return [snapshot.write(rows, tmp_path / "own", "cloud")[0] for rows in (old, new)]


def test_what_changed_is_a_table(files: list[Path]) -> None:
    ended = run("prices", "diff", *files)
    assert ended.status == 0
    lines = [line.split() for line in ended.out.splitlines()]
    assert lines == [
        ["Price", "list", "Listing", "GPU", "Cards", "in", "listing", "Pricing", "model", "old", "new", "for", "change", "what"],
        ["cloud", "H100-80G-SXM", "8", "on_demand", "20", "3", "USD/card/hour", "other", "terms", "CNY", "->", "USD"],
        ["cloud", "L20", "8", "on_demand", "4", "4.5", "CNY/card/hour", "+12.5%", "dearer"],
        ["cloud", "L4", "8", "on_demand", "1", "CNY/card/hour", "gone"],
        ["cloud", "L40S", "8", "on_demand", "5", "CNY/card/hour", "new"],
    ]
    assert ended.err == "1 dearer, 1 same, 1 new, 1 gone, 1 other terms\n"


def test_all_has_also_what_is_the_same(files: list[Path]) -> None:
    lines = run("prices", "diff", *files, "--all").out.splitlines()
    assert [line.split() for line in lines if "A10" in line] == [
        ["cloud", "A10", "8", "on_demand", "2", "2", "CNY/card/hour", "+0.0%", "same"]]  # fmt: skip


def test_json_has_both_sides(files: list[Path]) -> None:
    found = json.loads(run("prices", "diff", *files, "--json", "--gpu", "L20").out)
    assert found == [{
        "price_list": "cloud", "listing": None, "gpu": "L20", "cards": 8, "pricing_model": "on_demand", "period": "hour",
        "became": "dearer", "percent": 12.5, "terms": None,
        "old": {"snapshot_date": "2026-10-01", "price": 32, "per": "instance", "price_per_card": 4, "currency": "CNY",
                "tax": "included"},
        "new": {"snapshot_date": "2026-11-20", "price": 36, "per": "instance", "price_per_card": 4.5, "currency": "CNY",
                "tax": "included"},
    }]  # fmt: skip


def test_days_are_what_was_valid_on_them(files: list[Path]) -> None:
    found = json.loads(run("prices", "diff", OLD, NEW, "--snapshots", files[0].parent, "--json", "--gpu", "L20").out)
    own = [one for one in found if one["price_list"] == "cloud"]
    assert [(one["became"], one["percent"]) for one in own] == [("dearer", 12.5)]
    ended = run("prices", "diff", NEWEST, NEWEST)
    assert ended.out == "" and ended.err == f"{len(snapshot.valid(Catalog.builtin().prices, NEWEST)):,} same\n"


def test_in_chinese(files: list[Path]) -> None:
    ended = run("prices", "diff", *files, "--lang", "zh")
    assert ended.out.splitlines()[0].split()[-5:] == ["原价", "现价", "计价", "涨跌", "变动"]
    assert "CNY/卡/小时" in ended.out and "+12.5%  上涨" in ended.out and ended.err.startswith("1 上涨, 1 不变, 1 新增")


@pytest.mark.parametrize(("words", "line"), [
    (["none.csv", "2026-10-27"], "none.csv: there is no such file; give a snapshot file, or a day such as 2026-10-27"),
    (["2026-10-27", "2026-13-01"], "day: found '2026-13-01', allowed a date such as 2026-10-27"),
    (["2020-01-01", "2026-10-27"],
     "2020-01-01: there are no prices at or before this day; the first snapshot is of 2026-08-20"),
    (["2026-10-27", "2026-10-27", "--gpu", "H300"],
     "gpu: 'H300' is not known; did you mean B300-SXM, H100-80G-PCIe, H100-80G-SXM?"),
])  # fmt: skip
def test_wrong_words_are_named(words: list[str], line: str) -> None:
    refused(run("prices", "diff", *words), line)
