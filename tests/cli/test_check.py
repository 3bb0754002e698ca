"""`gpusheet check`: findings as a table, as JSON and as comments in a copy."""

from __future__ import annotations

import datetime
import json
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from commands import run
from openpyxl import Workbook, load_workbook
from openpyxl.comments import Comment
from openpyxl.worksheet.datavalidation import DataValidation

from gpusheet.catalog import Price
from gpusheet.intake import plausibility, snapshot
from gpusheet.workbook.book import write
from gpusheet.workbook.inputs import sample

HEADER = ("日期", "供应商", "型号", "卡数", "单价", "币种", "计价对象", "计价周期", "计费方式", "含税", "来源")


def faulty(path: Path, change: Any = None, suffix: str = ".xlsx") -> Path:
    """Four rows: one good, one that can be read two ways, one without a price, one stored as text."""
    made = Workbook()
    sheet = made.active
    assert sheet is not None
    sheet.append(HEADER)
    for price in (4.2, "10 800,00", "面议", "4.10"):
        sheet.append(["2026-11-01", "甲", "L20", 1, price, "CNY", "卡", "小时", "按量", "是", "报价单"])
    if change is not None:
        change(sheet)
    file = path / f"prices{suffix}"
    made.save(file)
    return file


def test_findings_as_a_table(tmp_path: Path) -> None:
    ended = run("check", faulty(tmp_path))
    assert ended.status == 3
    lines = ended.out.splitlines()
    assert lines[0].split() == ["what", "cell", "found", "explanation"]
    assert lines[1].startswith("error") and "Sheet!E3" in lines[1] and "10800.00 or 1080000" in lines[1]
    assert any("Sheet!E4" in line and "the price is missing" in line for line in lines)
    assert "Sheet: 4 rows, 2 of them not read; a total that needs them is blocked" in ended.err
    assert ended.errors[0].startswith("1 error, ")


def test_findings_in_chinese(tmp_path: Path) -> None:
    ended = run("check", faulty(tmp_path), "--lang", "zh")
    assert "有两种读法；请填 10800.00 或 1080000" in ended.out and "4 行，其中 2 行未读入" in ended.err


def test_findings_as_json(tmp_path: Path) -> None:
    ended = run("check", faulty(tmp_path), "--json")
    found = json.loads(ended.out)
    assert ended.status == 3 and found["counts"]["error"] == 1
    assert found["tables"] == [
        {"sheet": "Sheet", "kind": "Price", "present": 4, "reported": 2, "refused": False, "name": ""}
    ]
    error = next(one for one in found["findings"] if one["severity"] == "error")
    assert (error["code"], error["sheet"], error["cell"], error["raw"]) == (
        "ambiguous-number",
        "Sheet",
        "E3",
        "10 800,00",
    )
    assert set(error) == {"severity", "code", "file", "sheet", "cell", "raw", "en", "zh"}


def test_a_file_without_errors_ends_with_0(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("日期,供应商,型号,元/卡时\n2026-11-01,甲,L20,4.2\n", encoding="utf-8")
    ended = run("check", file)
    assert ended.status == 0 and "Price: 1 row, all read" in ended.err
    assert "1 行，全部读入" in run("check", file, "--lang", "zh").err


def test_prices_are_held_against_own_snapshots(tmp_path: Path) -> None:
    """A price list that is not built in: without its snapshots nothing is known of it but the median of the card."""
    row = {"price_list": "甲", "gpu": "L20", "cards": 1, "currency": "CNY", "per": "card", "period": "hour", "tax": "included",
           "pricing_model": "on_demand", "source": "quote", "price": 4.2}  # fmt: skip
    folder = tmp_path / "prices"
    snapshot.write([Price(**row, snapshot_date=day) for day in ("2026-10-01", "2026-11-15")], folder, "jia")
    file = tmp_path / "new.csv"
    file.write_text("日期,供应商,型号,元/卡时\n2026-11-01,甲,L20,8.4\n", encoding="utf-8")
    assert "price-changed" not in run("check", file, "--json").out
    ended = run("check", file, "--json", "--snapshots", folder)
    [one] = [one for one in json.loads(ended.out)["findings"] if one["code"] == "price-changed"]
    assert one["cell"] == "D2" and "is 2 times the price of 2026-10-01; likely a machine of 2 cards" in one["en"]
    assert "是 2026-10-01 的价格的 2 倍" in one["zh"]
    missing = run("check", file, "--snapshots", tmp_path / "nowhere")
    assert missing.status == 1 and "there is no such folder" in missing.errors[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [("a,b\n1,2\n", "found no table"), ("日期,型号,单价,单 价\n2026-11-01,L20,4,5\n", "the same column")],
)
def test_files_that_cannot_be_understood(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "a.csv"
    file.write_text(text, encoding="utf-8")
    ended = run("check", file)
    assert ended.status == 3 and words in ended.out
    if "单" in text:
        assert (
            "no row read, as its header is wrong" in ended.err
            and "标题行有误" in run("check", file, "--lang", "zh").err
        )


def test_what_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "a.xlsx"
    file.write_bytes(b"PK no zip")
    ended = run("check", file)
    assert ended.status == 1 and len(ended.errors) == 1 and "damaged" in ended.errors[0]
    assert run("check", faulty(tmp_path), "--sheet", "x").errors == ["prices.xlsx: found no sheet 'x'; allowed: Sheet"]
    assert run("check", faulty(tmp_path), "--sheet", "sheet").status == 3


def comments(path: Path) -> dict[str, str]:
    sheet = load_workbook(path).worksheets[0]
    return {cell.coordinate: cell.comment.text for row in sheet.iter_rows() for cell in row if cell.comment}


def test_a_copy_with_comments(tmp_path: Path) -> None:
    file = faulty(tmp_path)
    before = file.read_bytes()
    out = tmp_path / "marked.xlsx"
    ended = run("check", file, "--mark", out)
    assert ended.status == 3 and "marked.xlsx: 3 cells marked" in ended.err
    said = comments(out)
    assert set(said) == {"E3", "E4", "E5"} and said["E3"].startswith("error: found '10 800,00'")
    assert file.read_bytes() == before
    assert [[cell.value for cell in row] for row in load_workbook(out).worksheets[0]] == [
        [cell.value for cell in row] for row in load_workbook(file).worksheets[0]
    ]


def test_marks_leave_everything_else_byte_for_byte(tmp_path: Path) -> None:
    def decorate(sheet: Any) -> None:
        sheet["E3"].comment = Comment("请财务确认", "张三")
        sheet["A1"].comment = Comment("表头", "张三")
        rule = DataValidation(type="list", formula1='"CNY,USD"')
        sheet.add_data_validation(rule)
        rule.add("F2:F5")
        sheet.freeze_panes = "A2"
        sheet.parent.create_sheet("其他").append(["不变"])

    file = faulty(tmp_path, decorate)
    out = tmp_path / "marked.xlsx"
    run("check", file, "--mark", out)
    said = comments(out)
    assert (
        said["E3"].startswith("error: found '10 800,00'") and said["E3"].endswith("请财务确认") and said["A1"] == "表头"
    )
    assert set(said) == {"A1", "E3", "E4", "E5"}
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(out) as new:
        changed = {name for name in old.namelist() if old.read(name) != new.read(name)}
        assert set(old.namelist()) == set(new.namelist())
    assert changed <= {
        "xl/comments/comment1.xml",
        "xl/drawings/commentsDrawing1.vml",
        "xl/worksheets/_rels/sheet1.xml.rels",
    }


def test_marks_are_valid(tmp_path: Path) -> None:
    from openxml_audit import OpenXmlValidator

    def plain(_: Any) -> None:
        pass

    def noted(sheet: Any) -> None:
        sheet["E3"].comment = Comment("请财务确认", "张三")

    for number, change in enumerate((plain, noted)):
        out = tmp_path / f"marked{number}.xlsx"
        file = faulty(tmp_path, change)
        run("check", file, "--mark", out)
        before, after = (
            {error.description for error in OpenXmlValidator().validate(str(one)).errors} for one in (file, out)
        )
        assert after <= before


def test_marks_are_refused_where_there_is_no_place_for_them(tmp_path: Path) -> None:
    file = faulty(tmp_path)
    assert "allowed a file name that ends in .xlsx" in run("check", file, "--mark", tmp_path / "a.csv").errors[0]
    assert "is the file that is read" in run("check", file, "--mark", file).errors[0]
    (tmp_path / "there.xlsx").write_bytes(b"x")
    assert "exists already" in run("check", file, "--mark", tmp_path / "there.xlsx").errors[0]
    assert run("check", file, "--mark", tmp_path / "there.xlsx", "--force").status == 3
    table = tmp_path / "a.csv"
    table.write_text("日期,供应商,型号,元/卡时\n2026-11-01,甲,L20,x\n", encoding="utf-8")
    assert "found text such as CSV" in run("check", table, "--mark", tmp_path / "b.csv").errors[0]


def test_a_budget_is_checked_table_by_table(tmp_path: Path) -> None:
    file = tmp_path / "budget.xlsx"
    write(sample("zh"), file, lang="zh")
    book = load_workbook(file)
    prices, factors = book["Prices"], book["Assumptions"]
    first = int(prices.tables["Prices"].ref.partition(":")[0].lstrip("A"))
    at = {cell.value: cell.column for cell in prices[first]}
    prices.cell(first + 1, at["price"]).value = "1.200,50"
    row = next(row for row in range(1, 80) if factors.cell(row, 1).value == "memory_fraction")
    column = next(cell.column for cell in factors[4] if cell.value == "取值")
    factors.cell(row, column).value = "约 0.8"
    book.save(file)
    found = json.loads(run("check", file, "--json").out)
    assert {one["sheet"] for one in found["tables"]} == {"Workloads", "GPUs", "Models", "Prices", "FX", "Assumptions"}
    errors = [(one["sheet"], one["code"]) for one in found["findings"] if one["severity"] == "error"]
    assert errors == [("Prices", "ambiguous-number"), ("Assumptions", "budget")]


def test_a_budget_as_it_is_written_has_no_note_of_what_it_computes(tmp_path: Path) -> None:
    file = tmp_path / "budget.xlsx"
    write(sample("en"), file)
    ended = run("check", file)
    assert ended.status == 0 and "offer" not in ended.out
    assert {line.partition(":")[0] for line in ended.err.splitlines()} >= {"Workloads", "CardTiers", "Precisions", "Prices", "FX"}


class _ThatDay(datetime.date):
    @classmethod
    def today(cls) -> datetime.date:
        return datetime.date(2026, 11, 30)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_shows_what_is_said(lang: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[2] / "docs" / ("check.md" if lang == "en" else "check.zh.md")).read_text(encoding="utf-8")
    table, shown = (block.lstrip("\n") for block in page.split("```")[3:6:2])
    (tmp_path / "quotes.csv").write_text(table, encoding="utf-8")
    monkeypatch.setattr(plausibility, "datetime", SimpleNamespace(date=_ThatDay))
    ended = run("check", tmp_path / "quotes.csv", "--lang", lang)
    assert [" ".join(line.split()) for line in shown.splitlines()] == [
        " ".join(line.split()) for line in [*ended.out.splitlines(), *ended.err.splitlines()]
    ]
