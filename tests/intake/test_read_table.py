"""Tables as finance really keeps them: whatever stands above, below, between and beside the rows."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest
from openpyxl.worksheet.table import Table as ExcelTable
from openpyxl.worksheet.table import TableStyleInfo
from sheets_made import DAY, HEADER, book, csv, line, prices, said

from gpusheet.catalog import Fx, Gpu, Model, OtherCost, Price, Workload
from gpusheet.intake.findings import CannotRead
from gpusheet.intake.reader import read_table
from gpusheet.intake.table import Table


def values(table: Table) -> list[float]:
    return [row.price for row in table.rows]


def whole(table: Table) -> None:
    assert table.present == len(table.rows) + table.reported
    assert len(table.places) == len(table.rows)


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
