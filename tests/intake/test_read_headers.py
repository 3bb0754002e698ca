"""Headers of tables as finance really keeps them: one row or two, merged, with units, in either language."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sheets_made import DAY, HEADER, ROW, book, csv, line, prices, said

from gpusheet.catalog import Price
from gpusheet.intake.findings import CannotRead
from gpusheet.intake.reader import read_table
from gpusheet.intake.table import Table


def values(table: Table) -> list[float]:
    return [row.price for row in table.rows]


def whole(table: Table) -> None:
    assert table.present == len(table.rows) + table.reported
    assert len(table.places) == len(table.rows)


# headers

SPELLED = {
    "价格/元·时": ("CNY", None, "hour"),
    "元/卡时": ("CNY", "card", "hour"),
    "$/GPU/hr": ("USD", "card", "hour"),
    "单价（元/卡/小时）": ("CNY", "card", "hour"),
    "整机包月价(元)": ("CNY", "instance", "month"),
    "Price per GPU hour (USD)": ("USD", "card", "hour"),
    "Cost per node per month, EUR": ("EUR", "instance", "month"),
    "月租(元/台)": ("CNY", "instance", "month"),
    "时价 元/卡": ("CNY", "card", "hour"),
}


@pytest.mark.parametrize("title", SPELLED)
def test_the_header_of_the_price_says_what_it_is(tmp_path: Path, title: str) -> None:
    currency, per, period = SPELLED[title]
    rest = {"计价对象": "GPU"} if per is None else {}
    header = ["日期", "供应商", "型号", "卡数", title, *rest]
    (row,) = prices(tmp_path, [DAY, "甲", "H20", 8, 13.94, *rest.values()], header=header).rows
    assert (row.price, row.currency, row.per, row.period) == (13.94, currency, per or "card", period)


def test_per_hour_alone(tmp_path: Path) -> None:
    (row,) = prices(
        tmp_path, [DAY, "甲", "H20", 1, 2.5, "USD"], header=["date", "provider", "gpu", "gpus", "per hour", "currency"]
    ).rows
    assert (row.price, row.per, row.period, row.pricing_model) == (2.5, "card", "hour", "on_demand")


def test_columns_in_any_order_with_others_between(tmp_path: Path) -> None:
    header = ["序号", *reversed(HEADER), "经办人"]
    table = prices(tmp_path, [1, *reversed(line()), "张三"], header=header)
    (row,) = table.rows
    assert (row.snapshot_date, row.price_list, row.gpu, row.price, row.source) == (DAY, "甲", "H20", 13.94, "报价单-12")
    assert table.cells(0) == {"序号": 1, "经办人": "张三"}
    assert table.place(0, "gpu").cell == f"{'ABCDEFGHIJKLM'[header.index('型号')]}2"


def test_our_own_names_and_labels_in_either_language(tmp_path: Path) -> None:
    from gpusheet.catalog import columns

    cells = {
        "snapshot_date": DAY,
        "price_list": "a",
        "gpu": "L20",
        "cards": 1,
        "price": 4,
        "currency": "CNY",
        "per": "card",
        "period": "hour",
        "pricing_model": "spot",
        "tax": "included",
        "available": "yes",
        "source": "quote",
    }
    made = [c for c in columns(Price) if c.name in cells]
    read = [
        prices(tmp_path, [cells[c.name] for c in made], header=[word(c) for c in made]).rows[0]
        for word in (lambda c: c.name, lambda c: c.en, lambda c: c.zh)
    ]
    assert read[0] == read[1] == read[2] == Price(**cells)


def test_notes_above_and_below_the_table(tmp_path: Path) -> None:
    made = book(
        tmp_path / "n.xlsx",
        [
            ["GPU 报价单"],
            ["有效期至 2026-12-31"],
            [],
            list(HEADER),
            line(),
            [],
            line(型号="L20"),
            ["注：以上价格含 6% 增值税"],
            ["来源：官网"],
        ],
    )
    table = read_table(made, Price)
    whole(table)
    assert [row.gpu for row in table.rows] == ["H20", "L20"] and table.reported == 0
    assert said(table, "note") == [("note-row", "A8"), ("note-row", "A9")]


def test_a_header_of_two_rows_with_merged_groups(tmp_path: Path) -> None:
    def merge(sheet: Any) -> None:
        sheet.merge_cells("C1:D1")
        for cell in ("A1:A2", "B1:B2", "E1:E2"):
            sheet.merge_cells(cell)

    made = book(
        tmp_path / "g.xlsx",
        [
            ["日期", "供应商", "价格（元/卡）", None, "型号"],
            [None, None, "按量（小时）", "包月", None],
            [DAY, "甲", 13.94, 6800, "H20"],
        ],
        merge,
    )
    table = read_table(made, Price)
    assert [(row.price, row.period, row.pricing_model, row.per, row.currency) for row in table.rows] == [
        (13.94, "hour", "on_demand", "card", "CNY"),
        (6800, "month", "monthly", "card", "CNY"),
    ]
    assert [place.cell for place in table.places] == ["C3", "D3"]


def test_units_in_a_row_of_their_own(tmp_path: Path) -> None:
    table = prices(
        tmp_path,
        [None, None, None, "元/卡时", "张"],
        [DAY, "甲", "H20", 13.94, 8],
        header=["日期", "供应商", "型号", "单价", "卡数"],
    )
    (row,) = table.rows
    assert (row.currency, row.per, row.period, row.cards) == ("CNY", "card", "hour", 8)


def test_hourly_and_monthly_columns_become_rows(tmp_path: Path) -> None:
    header = [
        "date",
        "provider",
        "GPU",
        "GPU count",
        "on-demand ($/GPU/hr)",
        "1yr reserved ($/GPU/hr)",
        "spot ($/GPU/hr)",
    ]
    table = prices(
        tmp_path,
        [DAY, "a", "H100", 8, 3.9, 2.5, None],
        [DAY, "a", "L4", 1, 0.8, "N/A", 0.3],
        [DAY, "a", "T4", 1, None, None, None],
        header=header,
    )
    whole(table)
    assert [(row.gpu, row.price, row.pricing_model) for row in table.rows] == [
        ("H100", 3.9, "on_demand"),
        ("L4", 0.8, "on_demand"),
        ("H100", 2.5, "reserved"),
        ("L4", 0.3, "spot"),
    ]
    assert (table.present, table.reported, table.missing) == (6, 2, 2)  # N/A, and the row without any price


def test_columns_for_one_and_eight_cards(tmp_path: Path) -> None:
    table = prices(
        tmp_path, [DAY, "甲", "H20", 14, 110], header=["日期", "供应商", "型号", "1卡价(元/小时)", "8卡价(元/小时)"]
    )
    assert [(row.cards, row.per, row.price_per_card) for row in table.rows] == [(1, "card", 14), (8, "instance", 13.75)]


def test_a_column_of_units_says_all(tmp_path: Path) -> None:
    header = ["日期", "供应商", "型号", "卡数", "单价", "单位"]
    table = prices(
        tmp_path,
        [DAY, "甲", "H20", 8, 13.94, "元/卡时"],
        [DAY, "甲", "H20", 8, 6800, "元/台/月"],
        [DAY, "甲", "H20", 8, 5, "元/柜"],
        header=header,
    )
    assert [(row.currency, row.per, row.period) for row in table.rows] == [
        ("CNY", "card", "hour"),
        ("CNY", "instance", "month"),
    ]
    assert said(table, "error")[0] == ("not-allowed", "F4")


def test_region_joins_the_provider(tmp_path: Path) -> None:
    made = book(tmp_path / "r.xlsx", [[*HEADER, "地域"], [*line(), "华东"], [*line(), None]])
    assert [row.price_list for row in read_table(made, Price).rows] == ["甲/华东", "甲"]
    assert [row.price_list for row in read_table(made, Price, fixed={"price_list": "乙"}).rows] == ["乙/华东", "乙"]


def test_what_is_given_replaces_columns_and_fills_gaps(tmp_path: Path) -> None:
    made = csv(tmp_path, "gpu,price\nL20,4\n")
    given = {
        "snapshot_date": "2026-11-01",
        "price_list": "a",
        "currency": "CNY",
        "per": "card",
        "period": "hour",
        "source": "mail",
    }
    (row,) = read_table(made, Price, fixed=given).rows
    assert (row.snapshot_date, row.price_list, row.currency, row.source, row.cards) == (DAY, "a", "CNY", "mail", 1)
    with pytest.raises(CannotRead, match="currency: found 'yuan'"):
        read_table(made, Price, fixed={**given, "currency": "yuan"})
    table = prices(tmp_path, line(), header=HEADER)
    assert table.rows[0].price_list == "甲"
    again = read_table(tmp_path / "p.xlsx", Price, fixed={"price_list": "乙"})
    assert again.rows[0].price_list == "乙" and ("column-not-used", "B1") in said(again)


@pytest.mark.parametrize(
    ("name", "words"), [("币种", "currency"), ("计价对象", "card or a whole"), ("计价周期", "per hour or per month")]
)
def test_what_nothing_says_is_never_assumed(tmp_path: Path, name: str, words: str) -> None:
    header = [one for one in HEADER if one != name]
    table = prices(tmp_path, [{**ROW, "卡数": 8}[one] for one in header], header=header)
    assert not table.rows and (table.present, table.reported) == (1, 1)
    assert words in table.errors[0].en


@pytest.mark.parametrize("name", ["日期", "供应商", "型号", "单价"])
def test_a_column_that_is_not_there(tmp_path: Path, name: str) -> None:
    header = [one for one in HEADER if one != name]
    table = prices(tmp_path, [ROW[one] for one in header], [ROW[one] for one in header], header=header)
    assert not table.rows and (table.present, table.reported) == (2, 2)
    assert said(table, "error")[0][0] == "no-column"


def test_what_a_table_leaves_out_is_told(tmp_path: Path) -> None:
    header = [one for one in HEADER if one not in ("计费方式", "含税", "来源")]
    table = prices(
        tmp_path, [ROW[one] for one in header], [{**ROW, "计价周期": "月"}[one] for one in header], header=header
    )
    assert [(row.pricing_model, row.tax, row.source) for row in table.rows] == [
        ("on_demand", "unstated", "p.xlsx"),
        ("monthly", "unstated", "p.xlsx"),
    ]
    assert {code for code, _ in said(table)} == {"assumed-pricing_model", "assumed-tax", "assumed-source"}


def test_a_header_that_is_not_there(tmp_path: Path) -> None:
    for rows in ([["a", "b"], [1, 2]], [[1, 2]], [["只有一格"]]):
        with pytest.raises(CannotRead) as refused:
            read_table(book(tmp_path / "x.xlsx", rows), Price)
        assert refused.value.findings[0].code == "no-header"
    with pytest.raises(CannotRead, match="no cells"):
        read_table(book(tmp_path / "y.xlsx", []), Price)
