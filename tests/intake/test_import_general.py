"""Tables of people and vendors: what the one reader understands becomes prices of cards that the catalog knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook
from provider_files import DAY, TODAY, counts, taken, told

from gpusheet.errors import GpusheetError
from gpusheet.intake.importers import Imported, Options, read_prices

CASES = Path(__file__).parents[2].parent / "shared" / "cases"
CLOUD = Options(provider="某云", date=DAY, today=TODAY)


def book(path: Path, *rows: tuple[Any, ...]) -> Path:
    made = Workbook()
    for row in rows:
        made.active.append(row)
    made.save(path)
    return path


def imported(folder: Path, *rows: tuple[Any, ...], options: Options = CLOUD) -> Imported:
    return read_prices(book(folder / "quote.xlsx", *rows), options)


def test_hourly_and_monthly_columns_with_a_region(tmp_path: Path) -> None:
    made = imported(tmp_path, ("报价单 2026",), ("型号", "卡数", "元/卡时", "包月 元/卡", "地域"), ("H20 96G", 8, 6.2, 4464, "北京"),
                    ("rtx 4090", 1, "¥1.98", None, "上海"))  # fmt: skip
    assert made.kind == "price table" and counts(made) == (3, 3, 0, 0)
    assert taken(made, "snapshot_date", "price_list", "gpu", "cards", "price", "currency", "per", "period", "pricing_model") == [
        (DAY, "某云/北京", "H20-96G", 8.0, 6.2, "CNY", "card", "hour", "on_demand"),
        (DAY, "某云/上海", "RTX4090", 1.0, 1.98, "CNY", "card", "hour", "on_demand"),
        (DAY, "某云/北京", "H20-96G", 8.0, 4464.0, "CNY", "card", "month", "monthly"),
    ]  # fmt: skip
    assert {name: made.columns[name] for name in ("gpu", "price", "snapshot_date", "price_list")} == {
        "gpu": "型号", "price": "元/卡时, 包月 元/卡", "snapshot_date": DAY.isoformat(), "price_list": "某云"}  # fmt: skip


def test_only_some_regions(tmp_path: Path) -> None:
    made = imported(tmp_path, ("型号", "元/卡时", "地域"), ("H20 96G", 6.2, "北京"), ("L20", 4, "上海"),
                    options=Options(provider="某云", date=DAY, today=TODAY, regions=("上海",)))  # fmt: skip
    assert taken(made, "gpu") == [("L20",)] and counts(made) == (2, 1, 0, 1)


def test_what_a_table_does_not_say_is_set(tmp_path: Path) -> None:
    options = Options(provider="cloud", date=DAY, today=TODAY, mapping={"Ihr Preis": "price"},
                      fixed={"currency": "USD", "per": "instance", "period": "hour", "tax": "excluded"})  # fmt: skip
    made = imported(tmp_path, ("GPU", "GPU count", "Ihr Preis"), ("H100", 8, 23.92), options=options)
    assert taken(made, "gpu", "cards", "price", "currency", "per", "period", "tax") == [
        ("H100-80G-SXM", 8.0, 23.92, "USD", "instance", "hour", "excluded")]  # fmt: skip
    assert made.columns["price"] == "Ihr Preis" and made.columns["currency"] == "USD"


def test_unknown_cards_are_told_once_and_the_others_load(tmp_path: Path) -> None:
    made = imported(tmp_path, ("型号", "元/卡时", "地域"), ("H300", 9, "a"), ("H300", 8, "b"), ("L20", "面议", "a"), ("L20", 4, "b"))
    assert taken(made, "gpu", "price") == [("L20", 4.0)] and counts(made) == (4, 1, 3, 0)
    [unknown] = [one for one in made.findings if one.code == "unknown-gpu"]
    assert unknown.line() == ("quote.xlsx Sheet!A2: 型号: found 'H300', no such card in GPUs; nearest: B300-SXM, H100-80G-PCIe, "
                              "H100-80G-SXM; write a name of GPUs, or add the card there (and 1 more row)")  # fmt: skip
    assert ("warning", "missing-price", "B4", "面议") in told(made)


def test_the_same_offer_twice_is_told(tmp_path: Path) -> None:
    made = imported(tmp_path, ("型号", "元/卡时"), ("L20", 4), ("l20", 4), ("A10", 2), ("A10", 3))
    assert taken(made, "gpu", "price") == [("L20", 4.0), ("A10", 2.0), ("A10", 3.0)] and counts(made) == (4, 4, 0, 0)
    assert [one[:3] for one in told(made) if one[1] in ("same-offer", "several-prices")] == [
        ("warning", "same-offer", "B3"), ("warning", "several-prices", "B4")]  # fmt: skip


@pytest.mark.parametrize(("options", "line"), [
    (Options(provider="某云"), "quote.xlsx: no column says on which day the prices were seen; give --date YYYY-MM-DD"),
    (Options(date=DAY, today=TODAY), "quote.xlsx: no column says whose prices these are; give --provider NAME"),
])  # fmt: skip
def test_what_only_a_person_can_say(options: Options, line: str, tmp_path: Path) -> None:
    with pytest.raises(GpusheetError) as error:
        imported(tmp_path, ("型号", "元/卡时"), ("L20", 4), options=options)
    assert str(error.value) == line


def test_a_snapshot_is_a_price_table_too(tmp_path: Path) -> None:
    from gpusheet.intake.snapshot import write

    made = imported(tmp_path, ("型号", "元/卡时"), ("L20", 4), ("A10", 2))
    [file] = write(made.prices, tmp_path, "a")
    assert read_prices(file).prices == made.prices


@pytest.mark.skipif(not CASES.is_dir(), reason="case files of the workshop are not here")
@pytest.mark.parametrize(("name", "prices", "rows"), [
    ("c01_text_prices", [1020.0, 1200.0, 1073.0, 1956.5, 13.94], (6, 5, 1, 0)),
    ("c02_placeholders", [13.94], (7, 1, 6, 0)),
    ("c05_formula_prices_cached", [13.94, 13.243], (3, 2, 1, 0)),
])  # fmt: skip
def test_case_files(name: str, prices: list[float], rows: tuple[int, ...]) -> None:
    made = read_prices(CASES / f"{name}.xlsx")
    assert [price.price for price in made.prices] == prices and counts(made) == rows
    if name.startswith("c05"):
        assert [price.notes for price in made.prices] == [None, "price: =E2*0.95"]
