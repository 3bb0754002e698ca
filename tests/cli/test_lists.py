"""`gpusheet gpus`, `models` and `prices`: tables, search, JSON and CSV."""

from __future__ import annotations

import csv
import datetime
import io
import json
import re

import pytest
from commands import refused, run

from gpusheet.catalog import Catalog, Gpu, Model, Price, columns

CATALOG = Catalog.builtin()
TABLES = {"gpus": (Gpu, CATALOG.gpus), "models": (Model, CATALOG.models), "prices": (Price, CATALOG.prices)}


@pytest.mark.parametrize("command", TABLES)
def test_all_rows_are_shown(command: str) -> None:
    ended = run(command)
    assert ended.status == 0
    assert len(ended.out.splitlines()) == len(TABLES[command][1]) + 1


@pytest.mark.parametrize("command", TABLES)
def test_json_has_every_column(command: str) -> None:
    row_type, rows = TABLES[command]
    found = json.loads(run(command, "--json").out)
    assert [row_type.read(row) for row in found] == list(rows)
    assert list(found[0]) == [column.name for column in columns(row_type)]


@pytest.mark.parametrize("command", TABLES)
def test_csv_can_be_read_back(command: str) -> None:
    row_type, rows = TABLES[command]
    found = list(csv.DictReader(io.StringIO(run(command, "--csv").out)))
    for row, original in zip(found, rows, strict=True):
        assert row_type.read({name: re.sub("^'(?=[=+@-])", "", cell) for name, cell in row.items()}) == original


@pytest.mark.parametrize(("search", "first"), [
    ("H20 96G", "H20-96G"), ("h20-96g", "H20-96G"), ("NVIDIA H100 80GB HBM3", "H100-80G-SXM"), ("rtx 4090", "RTX4090"),
    ("ascend", "Ascend"),
])  # fmt: skip
def test_search_takes_names_aliases_and_any_text(search: str, first: str) -> None:
    lines = run("gpus", search).out.splitlines()
    assert len(lines) > 1
    assert any(line.startswith(first) for line in lines[1:])


def test_every_word_counts() -> None:
    both = run("prices", "H100 lambda").out.splitlines()[1:]
    assert both and all("H100" in line and "lambda" in line for line in both)


@pytest.mark.parametrize(("words", "line"), [
    (["gpus", "H300"], "gpus: nothing has 'H300' in it; did you mean B300-SXM, H100-80G-PCIe, H100-80G-SXM?"),
    (["models", "xyzzy"],
     f"models: nothing has 'xyzzy' in it; gpusheet models without a word lists all {len(CATALOG.models)}"),
    (["gpus", "-"], None),
    (["prices", "--gpu", "H300"], "gpu: 'H300' is not known; did you mean B300-SXM, H100-80G-PCIe, H100-80G-SXM?"),
    (["prices", "--as-of", "yesterday"], "--as-of: found 'yesterday', allowed a date such as 2026-10-27"),
    (["prices", "--as-of", "2020-01-01"],
     "prices: there is none at or before 2020-01-01; the first snapshot is of 2026-08-20"),
    (["prices", "--gpu", "A40"], "prices: there is none of A40; add a snapshot by gpusheet prices import, or in a "
     "workbook's sheet Prices"),
])  # fmt: skip
def test_nothing_found_is_said(words: list[str], line: str | None) -> None:
    if line is None:  # a dash stands in many names
        assert run(*words).status == 0
    else:
        refused(run(*words), line)


def test_prices_of_a_card_by_any_name() -> None:
    rows = json.loads(run("prices", "--gpu", "H20 96G", "--json").out)
    assert rows and {row["gpu"] for row in rows} == {"H20-96G"}
    assert len(rows) == sum(price.gpu == "H20-96G" for price in CATALOG.prices)


def test_prices_as_of_a_day_are_what_the_look_up_finds() -> None:
    day = datetime.date(2026, 9, 30)
    rows = [Price.read(row) for row in json.loads(run("prices", "--as-of", day, "--json").out)]
    assert rows and max(row.snapshot_date for row in rows) <= day
    for row in rows:
        found = CATALOG.find_price(row.gpu, row.pricing_model, day, row.price_list, row.listing)
        assert found is not None and found.snapshot_date == row.snapshot_date


@pytest.mark.parametrize("width", [20, 100, 300])
def test_a_narrow_terminal_loses_no_column(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(width))
    [line] = [line for line in run("gpus", "H20").out.splitlines() if "H20-96G" in line and "GH" not in line]
    cells = re.sub(r"\x1b\[[\d;]*m", "", line).split()
    assert cells == ["H20-96G", "96", "4,000", "148", "nvlink", "400", "production", "high"]


def test_labels_in_chinese() -> None:
    head = run("gpus", "L20", "--lang", "zh").out.splitlines()[0]
    assert head.split()[0] == "GPU" and "单卡显存 (GB)" in head


def test_texts_never_become_formulas() -> None:
    from gpusheet.cli.table_file import csv_cell

    for text in ("=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1"):
        assert csv_cell(text) == f"'{text}"
    assert csv_cell("-1") == "-1" and csv_cell("a=b") == "a=b"
