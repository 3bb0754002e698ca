"""Bad rows and files: the message says where, what was found and what is allowed."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from pydantic import ValidationError

from gpusheet.catalog import BadRow, Catalog, Gpu, Model, OtherCost, Price, Tier, Workload, read_table
from gpusheet.errors import GpusheetError

PRICE = {
    "snapshot_date": "2026-10-27", "price_list": "cloud/east", "gpu": "L20", "cards": "8", "price": "32",
    "currency": "CNY", "per": "instance", "period": "hour", "pricing_model": "on_demand",
    "tax": "excluded", "source": "quote",
}


def write(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "tiers.csv"
    path.write_text(text, encoding=encoding)
    return path


def test_price_per_card() -> None:
    assert Price.read(PRICE).price_per_card == 4.0
    assert Price.read(PRICE | {"per": "card"}).price_per_card == 32.0


@pytest.mark.parametrize("name", ["currency", "per", "period", "tax", "source", "snapshot_date", "price"])
def test_price_assumes_nothing(name: str) -> None:
    for missing in ({k: v for k, v in PRICE.items() if k != name}, PRICE | {name: " "}, PRICE | {name: None}):
        with pytest.raises(BadRow, match=f"^Prices row 7, {name}: found blank, allowed "):
            Price.read(missing, "Prices row 7")


@pytest.mark.parametrize(("name", "value", "line"), [
    ("price", "abc", "found 'abc', allowed a number above 0"),
    ("price", 0, "found 0, allowed a number above 0"),
    ("price", "", "found blank, allowed a number above 0"),
    ("currency", "rmb", "found 'rmb', allowed three capital letters such as CNY or USD"),
    ("snapshot_date", "27.10.2026", "found '27.10.2026', allowed a date such as 2026-10-27"),
    ("snapshot_date", "2026-02-30", "found '2026-02-30', allowed a date such as 2026-10-27"),
    ("snapshot_date", 46322.0, "found 46322, allowed a date such as 2026-10-27"),
    ("per", "node", "found 'node', allowed one of card, instance"),
])
def test_message_of_a_wrong_cell(name: str, value: object, line: str) -> None:
    with pytest.raises(BadRow) as refused:
        Price.read(PRICE | {name: value}, "Prices row 7")
    assert refused.value.lines == [f"Prices row 7, {name}: {line}"]


def test_place_may_be_a_cell() -> None:
    with pytest.raises(BadRow, match="^Prices!F7: found 'abc'"):
        Price.read(PRICE | {"price": "abc"}, {"price": "Prices!F7"}.__getitem__)


def test_every_wrong_field_has_its_line_and_unknown_ones_a_hint() -> None:
    with pytest.raises(BadRow) as refused:
        Price.read(PRICE | {"price": -1, "tax": "VAT", "pricee": 3})
    assert [line.split(":")[0] for line in refused.value.lines] == ["price", "tax", "pricee"]
    assert refused.value.lines[2] == "pricee: no such column; did you mean price, price_list, pricing_model"


@pytest.mark.parametrize(
    "day", ["2026-10-27", "2026/10/27", datetime.date(2026, 10, 27), datetime.datetime(2026, 10, 27, 9)])
def test_dates(day: object) -> None:
    assert Price.read(PRICE | {"snapshot_date": day}).snapshot_date == datetime.date(2026, 10, 27)


def test_rows_do_not_change() -> None:
    with pytest.raises(ValidationError):
        Price.read(PRICE).price = 1.0  # type: ignore[misc]


def model(**changes: object) -> Model:
    return Model.read(dict(Catalog.builtin().find_model("Generic-7B")) | changes, "Models row 3")


@pytest.mark.parametrize(("changes", "message"), [
    ({"attention_kind": "magic"}, "attention_kind: found 'magic', allowed one of mha, gqa, mqa, mla, sliding, hybrid"),
    ({"active_params_b": 8}, "active_params_b: found 8, allowed at most params_b, 7"),
    ({"attention_kind": "sliding", "full_attention_layers": 10, "sliding_layers": 21, "window_tokens": 128},
     "found 10 full and 21 window layers, allowed 32 together"),
    ({"attention_kind": "sliding", "full_attention_layers": 16, "sliding_layers": 16},
     "window_tokens: found 0, allowed a number above 0"),
    ({"attention_kind": "mla"}, "kv_lora_rank: found 0, allowed a number above 0"),
    ({"attention_kind": "mqa"}, "kv_heads: found 32, allowed 1"),
    ({"kv_heads": 8}, "kv_heads: found 8, allowed q_heads, 32"),
    ({"attention_kind": "hybrid", "full_attention_layers": 33}, "allowed 32 together"),
])
def test_model_shape_has_to_agree(changes: dict[str, object], message: str) -> None:
    with pytest.raises(BadRow) as refused:
        model(**changes)
    assert str(refused.value).startswith("Models row 3") and message in str(refused.value)


def test_a_window_model_that_agrees() -> None:
    agreed = model(attention_kind="sliding", full_attention_layers=8, sliding_layers=24, window_tokens=128)
    assert (agreed.sliding_layers, agreed.window_tokens) == (24, 128)


def test_end_before_start() -> None:
    ends = "end_month: found 2, allowed a month from start_month, 3, on"
    with pytest.raises(BadRow, match=f"^row 4: bot, {ends}"):
        Workload.read({"workload": "bot", "gpu": "L20", "model": "m", "input_tokens": 1, "output_tokens": 1,
                       "start_month": 3, "end_month": 2}, "row 4")
    with pytest.raises(BadRow, match=ends):
        OtherCost.read({"item": "gateway", "amount_per_month": 1, "start_month": 3, "end_month": 2})


def test_csv_with_mark_blank_lines_and_spaces(tmp_path: Path) -> None:
    assert [t.tier for t in read_table(Tier, write(tmp_path, "\ufeff tier ,source\n\n 1 ,a\n,\n2,\n"))] == [1.0, 2.0]


@pytest.mark.parametrize(("text", "lines"), [
    ("", ["tiers.csv row 1, tier: the column is missing; allowed a whole number at least 0"]),
    ("tier,tier\n1,2\n", ["tiers.csv row 1, tier: the column stands 2 times; leave one"]),
    ("tierr\n1\n", ["tiers.csv row 1, tierr: no such column; did you mean tier",
                    "tiers.csv row 1, tier: the column is missing; allowed a whole number at least 0"]),
    ("tier,source\n1,a,b\n", ["tiers.csv row 2: 3 cells under 2 headers; put text with commas in quotes"]),
    ("tier\n1\n\n-1\nx\n", ["tiers.csv row 4, tier: found -1, allowed a whole number at least 0",
                            "tiers.csv row 5, tier: found 'x', allowed a whole number at least 0"]),
])
def test_wrong_files(tmp_path: Path, text: str, lines: list[str]) -> None:
    with pytest.raises(BadRow) as refused:
        read_table(Tier, write(tmp_path, text))
    assert refused.value.lines == lines


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(GpusheetError, match="cannot be read"):
        read_table(Tier, tmp_path / "none.csv")
    with pytest.raises(GpusheetError, match="not a UTF-8 CSV file .* save it as 'CSV UTF-8'"):
        read_table(Tier, write(tmp_path, "tier,source\n1,来源\n", "gbk"))


def test_wrong_gpu_names_its_field() -> None:
    with pytest.raises(BadRow, match="^gpu: found blank"):
        Gpu.read(dict(Catalog.builtin().gpus[0]) | {"gpu": ""})
