"""Tables as finance really keeps them: whatever stands above, below, between and beside the rows."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest
from openpyxl.worksheet.table import Table as ExcelTable
from openpyxl.worksheet.table import TableStyleInfo
from sheets_made import DAY, HEADER, ROW, book, csv, line, prices, said

from gpusheet.catalog import Fx, Gpu, Model, OtherCost, Price, Workload
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


# rows


def test_totals_inside_and_under_the_data_are_no_rows(tmp_path: Path) -> None:
    total = [None, "小计", None, None, 27.88, *[None] * 6]
    other = [None, None, "合计", 2, 27.88, *[None] * 6]
    english = ["Grand total:", None, None, None, 27.88, *[None] * 6]
    table = prices(tmp_path, line(), total, line(型号="L20"), other, english)
    whole(table)
    assert [row.gpu for row in table.rows] == ["H20", "L20"] and table.reported == 0
    assert [code for code, _ in said(table, "note")] == ["total-row"] * 3


def test_a_provider_called_total_is_none(tmp_path: Path) -> None:
    assert [row.price_list for row in prices(tmp_path, line(供应商="Total"), line(供应商="合计")).rows] == [
        "Total",
        "合计",
    ]


def test_the_totals_row_of_an_excel_table(tmp_path: Path) -> None:
    def as_table(sheet: Any) -> None:
        made = ExcelTable(displayName="Offers", ref="A1:K4", totalsRowCount=1)
        made.tableStyleInfo = TableStyleInfo(name="TableStyleMedium2")
        sheet.add_table(made)

    table = prices(tmp_path, line(), line(型号="L20"), ["Anything", None, "x", None, 27.88], change=as_table)
    assert len(table.rows) == table.present == 2


def test_headings_and_headers_again(tmp_path: Path) -> None:
    def merge(sheet: Any) -> None:
        sheet.merge_cells("C2:K2")

    heading = [None, None, "H 系列", *[None] * 8]
    table = prices(tmp_path, heading, line(), list(HEADER), line(型号="L20"), change=merge)
    assert [row.gpu for row in table.rows] == ["H20", "L20"]
    whole(table)


def test_hidden_and_filtered_rows_are_read_and_told(tmp_path: Path) -> None:
    def hide(sheet: Any) -> None:
        sheet.row_dimensions[3].hidden = True
        sheet.row_dimensions[4].hidden = True
        sheet.column_dimensions["B"].hidden = True

    table = prices(tmp_path, line(), line(型号="L20"), line(型号="L4"), change=hide)
    assert [row.gpu for row in table.rows] == ["H20", "L20", "L4"]
    (found,) = [one for one in table.findings if one.code == "hidden-rows"]
    assert found.raw == "3-4" and "2 rows are hidden" in found.en


def test_merged_cells_count_for_each_row(tmp_path: Path) -> None:
    def merge(sheet: Any) -> None:
        sheet.merge_cells("B2:B3")
        sheet.merge_cells("E3:E4")

    table = prices(tmp_path, line(), line(供应商=None), line(供应商="乙", 单价=None), change=merge)
    assert [(row.price_list, row.price) for row in table.rows] == [("甲", 13.94), ("甲", 13.94), ("乙", 13.94)]
    assert ("merged-cells", "E3") in said(table, "warning") and ("merged-cells", "B2") in said(table, "note")


def test_blank_cells_of_a_row_are_errors_by_name(tmp_path: Path) -> None:
    table = prices(tmp_path, line(型号=None), line(日期=None, 供应商=" "), line())
    assert values(table) == [13.94] and table.reported == 2
    assert sorted(said(table, "error")) == [("blank", "A3"), ("blank", "B3"), ("blank", "C2")]


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        (True, "wrong-type"),
        (datetime.date(2026, 5, 1), "date-for-number"),
        (datetime.time(13, 30), "date-for-number"),
        ("#N/A", "error-cell"),
        ("abc", "not-a-number"),
        ("13.94元/天", "other-period"),
        ("13.94/月", "unit-conflict"),
    ],
)
def test_cells_of_another_type(tmp_path: Path, cell: Any, code: str) -> None:
    table = prices(tmp_path, line(单价=cell), line())
    assert values(table) == [13.94] and said(table, "error") == [(code, "E2")]


@pytest.mark.parametrize(
    ("name", "cell", "code"),
    [
        ("卡数", 1.5, "out-of-bounds"),
        ("卡数", True, "wrong-type"),
        ("币种", "yuan", "not-allowed"),
        ("计价对象", "柜", "not-allowed"),
        ("计价周期", "天", "not-allowed"),
        ("计费方式", "白送", "not-allowed"),
        ("含税", "大概", "not-allowed"),
        ("日期", "11/1/2026", "ambiguous-date"),
        ("日期", 5, "not-a-date"),
        ("日期", "待定", "placeholder"),
        ("供应商", "N/A", "placeholder"),
        ("型号", "-", "placeholder"),
    ],
)
def test_cells_that_are_not_allowed(tmp_path: Path, name: str, cell: Any, code: str) -> None:
    table = prices(tmp_path, line(**{name: cell}), line())
    assert values(table) == [13.94]
    assert code in [kind for kind, _ in said(table, "error")]


def test_choices_in_the_words_of_people(tmp_path: Path) -> None:
    header = [*HEADER, "库存"]
    rows = [
        [*line(币种="人民币", 计价对象="整机", 计价周期="每月", 计费方式="包年包月", 含税=True), "有货"],
        [*line(币种="usd", 计价对象="单卡", 计价周期="hourly", 计费方式="抢占式", 含税="不含税"), "售罄"],
        [*line(币种="美元", 计价对象="node", 计价周期="/hr", 计费方式="Reserved", 含税="未注明"), None],
    ]
    table = prices(tmp_path, *rows, header=header)
    assert [(row.currency, row.per, row.period, row.pricing_model, row.tax, row.available) for row in table.rows] == [
        ("CNY", "instance", "month", "monthly", "included", "yes"),
        ("USD", "card", "hour", "spot", "excluded", "no"),
        ("USD", "instance", "hour", "reserved", "unstated", "unknown"),
    ]


def test_number_formats_that_contradict_the_row(tmp_path: Path) -> None:
    def formats(sheet: Any) -> None:
        sheet["E2"].number_format = "[$$-409]#,##0.00"
        sheet["E3"].number_format = '"¥"#,##0.00'
        sheet["E4"].number_format = "0.0%"
        sheet["D5"].number_format = "0%"

    table = prices(tmp_path, line(), line(), line(), line(), change=formats)
    assert len(table.rows) == 2
    assert ("currency-of-format", "E2") in said(table, "warning")
    assert said(table, "error") == [("percent", "D5"), ("percent", "E4")]


def test_dates_of_all_kinds(tmp_path: Path) -> None:
    table = prices(
        tmp_path,
        line(日期="2026年11月1日"),
        line(日期=46327),
        line(日期="2026/11/1"),
        line(日期="20261101"),
        line(日期=DAY),
    )
    assert {row.snapshot_date for row in table.rows} == {DAY} and len(table.rows) == 5
    assert ("date-as-number", "A3") in said(table, "warning")


def test_dates_of_a_book_that_counts_from_1904(tmp_path: Path) -> None:
    from openpyxl.utils.datetime import CALENDAR_MAC_1904

    def mac(sheet: Any) -> None:
        sheet.parent.epoch = CALENDAR_MAC_1904

    table = prices(tmp_path, line(), line(日期=46327 - 1462), change=mac)
    assert {row.snapshot_date for row in table.rows} == {DAY} and len(table.rows) == 2


def test_signs_that_several_currencies_share(tmp_path: Path) -> None:
    header = ["日期", "供应商", "型号", "$/GPU/hr"]
    table = prices(tmp_path, [DAY, "甲", "H20", 2], [DAY, "甲", "L20", 1], header=header)
    assert {row.currency for row in table.rows} == {"USD"}
    assert [code for code, _ in said(table, "note") if code == "currency-sign"] == ["currency-sign"]
    hong_kong = prices(tmp_path, [DAY, "甲", "H20", 2, "HKD"], header=[*header, "币种"])
    assert hong_kong.rows[0].currency == "HKD"


# files


def test_the_sheet_that_fits_is_read_and_others_are_named(tmp_path: Path) -> None:
    def more(sheet: Any) -> None:
        sheet.title = "汇总"
        for title, price in (("报价", 13.94), ("旧报价", 15.0)):
            other = sheet.parent.create_sheet(title)
            other.append(list(HEADER))
            other.append(line(单价=price))

    made = book(tmp_path / "s.xlsx", [["说明"], ["本表仅供参考"]], more)
    table = read_table(made, Price)
    assert table.places[0].sheet == "报价" and values(table) == [13.94]
    assert [one.place.sheet for one in table.findings if one.code == "other-sheet"] == ["旧报价"]
    assert values(read_table(made, Price, sheet="旧报价")) == [15]
    with pytest.raises(CannotRead, match="no sheet 'x'; allowed: 汇总, 报价, 旧报价"):
        read_table(made, Price, sheet="x")


def test_other_tables_are_read_by_the_same_reader(tmp_path: Path) -> None:
    fx = read_table(csv(tmp_path, '外币,本币,汇率,日期,来源\n美元,CNY,"7.10",2026-11-01,央行\n'), Fx)
    assert [(row.currency, row.budget_currency, row.rate, row.rate_date) for row in fx.rows] == [
        ("USD", "CNY", 7.1, DAY)
    ]
    work = read_table(
        csv(tmp_path, '业务,GPU 型号,模型,输入 token,输出token,日活,月增长率\nbot,L20,Generic-7B,200,99,"1.2万",5%\n'),
        Workload,
    )
    assert [(row.workload, row.daily_active_users, row.monthly_growth, row.environment) for row in work.rows] == [
        ("bot", 12000, 0.05, "prod")
    ]
    costs = read_table(
        csv(tmp_path, "item,amount_per_month,start_month,end_month\nrent,100,3,1\nrent 2,100,1,3\n"), OtherCost
    )
    assert [row.item for row in costs.rows] == ["rent 2"] and (costs.present, costs.reported) == (2, 1)
    assert costs.errors[0].code == "row" and "end_month" in costs.errors[0].en


def test_the_unit_of_a_header_has_to_be_the_columns(tmp_path: Path) -> None:
    head = "gpu,vendor,description,generation,memory_gb,bandwidth_gbs,fp16_tflops,"
    head += "link,max_cards_per_node,release_year,usage,confidence,source\n"
    row = "X1,a,b,ada,{},900,100,pcie,8,2024,production,high,datasheet\n"
    (good,) = read_table(csv(tmp_path, head.replace("memory_gb", "显存（GB）") + row.format("80 GB")), Gpu).rows
    assert good.memory_gb == 80
    with pytest.raises(CannotRead, match="in GiB, allowed GB"):
        read_table(csv(tmp_path, head.replace("memory_gb", "显存（GiB）") + row.format("80")), Gpu)
    bad = read_table(csv(tmp_path, head + row.format("80 TB")), Gpu)
    assert [one.code for one in bad.errors] == ["unknown-unit"]


def test_models_check_their_shape(tmp_path: Path) -> None:
    import csv as files

    from gpusheet.catalog import Catalog, columns

    model = Catalog.builtin().find_model("Qwen/Qwen3-32B")
    names = [c.name for c in columns(Model)]
    path = tmp_path / "m.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = files.writer(file)
        writer.writerow(names)
        writer.writerow([getattr(model, name) for name in names])
        writer.writerow([{**dict(model), "active_params_b": 99}[name] for name in names])
    table = read_table(path, Model)
    assert table.rows == [model] and table.reported == 1 and "active_params_b" in table.errors[0].en


def test_many_findings_of_a_kind_are_counted_not_listed(tmp_path: Path) -> None:
    rows = "".join(f'2026-11-01,甲,H20,"1,{number % 1000:03}"\n' for number in range(1500))
    table = read_table(csv(tmp_path, "日期,供应商,型号,元/卡时\n" + rows), Price)
    assert len(table.rows) == 1500
    listed = [one for one in table.findings if one.code == "number-as-text"]
    assert len(listed) == 1001 and listed[-1].en.startswith("500 more cells")


def test_cells_under_group_names_without_merged_areas(tmp_path: Path) -> None:
    text = "日期,供应商,型号,价格（元/卡）,\n,,,按量（小时）,包月\n2026-11-01,甲,H20,13.94,6800\n"
    table = read_table(csv(tmp_path, text), Price)
    assert [(row.price, row.period, row.per) for row in table.rows] == [(13.94, "hour", "card"), (6800, "month", "card")]


def test_a_total_in_a_table_whose_names_are_not_there(tmp_path: Path) -> None:
    table = read_table(csv(tmp_path, "日期,供应商,元/卡时,卡数\n2026-11-01,甲,13.94,1\n合计,,13.94,1\n"), Price)
    assert (table.present, table.reported) == (1, 1) and ("total-row", "A3") in said(table)


def test_a_machine_whose_cards_nothing_says(tmp_path: Path) -> None:
    table = read_table(csv(tmp_path, "日期,供应商,型号,元/台/月\n2026-11-01,甲,H20,6800\n"), Price)
    assert not table.rows and table.errors[0].code == "missing" and "how many cards" in table.errors[0].en


def test_a_header_per_day_is_no_price_per_hour(tmp_path: Path) -> None:
    table = read_table(csv(tmp_path, "日期,供应商,型号,单价(元/卡/天)\n2026-11-01,甲,H20,300\n"), Price)
    assert not table.rows and table.errors[0].code == "other-period"


def test_places_by_number_and_by_slice(tmp_path: Path) -> None:
    table = prices(tmp_path, line(), line(), line())
    assert [place.cell for place in table.places[1:]] == ["E3", "E4"]
    assert table.whole() is table.rows
