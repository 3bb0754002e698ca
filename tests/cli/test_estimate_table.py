"""`gpusheet estimate IN.csv -o OUT.csv`: one table in, one table out."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest
from commands import options, refused, run

from gpusheet import Assumptions, Context, Workload, estimate
from gpusheet.missing import is_missing
from gpusheet.wiring import quantities

TABLE = """\
team,workload,gpu,model,input_tokens,output_tokens,requests_per_day,price_list,peak_factor,remark
core,bot,L20,Generic-7B,200,300,80000,gongjiyun,,=1+1
"a, b",机器人,H20 96G,Qwen2.5-32B,512,256,1e4,极智算, 3,-5
"""
HEADER = TABLE.splitlines()[0].split(",")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text(TABLE, encoding="utf-8")
    return tmp_path


def written(name: str = "out.csv") -> list[dict[str, str]]:
    with open(name, encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def changed(old: str, new: str) -> str:
    assert old in TABLE
    Path("bad.csv").write_text(TABLE.replace(old, new), encoding="utf-8")
    return "bad.csv"


def test_own_columns_then_quantities_then_missing() -> None:
    ended = run("estimate", "in.csv", "-o", "out.csv")
    assert (ended.status, ended.out, ended.err) == (0, "", "out.csv: 2 workloads\n")
    rows = written()
    rest = [name for name in quantities() if name != "tiers" and name not in HEADER]
    assert list(rows[0]) == [*HEADER, *rest, "missing"]
    assert [row["team"] for row in rows] == ["core", "a, b"]
    assert [row["workload"] for row in rows] == ["bot", "机器人"]
    assert (float(rows[0]["monthly_cost"]) > 0, rows[0]["missing"]) == (True, "")


def test_the_figures_are_those_of_python() -> None:
    assert run("estimate", "in.csv", "-o", "out.csv", *options("safety=0.7", "memory_fraction=0.75")).status == 0
    names = Workload.model_fields.keys()
    with open("in.csv", encoding="utf-8", newline="") as file:
        typed = [{name: cell for name, cell in row.items() if name in names} for row in csv.DictReader(file)]
    workloads = [Workload.read(row) for row in typed]
    solved = estimate(workloads, Context(assumptions=Assumptions(safety=0.7, memory_fraction=0.75))).to_dict("records")
    for row, expected in zip(written(), solved, strict=True):
        for name in quantities():
            if name in expected:
                value = expected[name]
                if is_missing(value):
                    assert row[name] == "", name
                else:
                    assert row[name] == value if isinstance(value, str) else float(row[name]) == value, name


def test_blank_cells_show_the_value_that_was_used() -> None:
    run("estimate", "in.csv", "-o", "out.csv")
    assert [row["peak_factor"] for row in written()] == ["2", " 3"]


def test_texts_never_become_formulas() -> None:
    run("estimate", changed("core,bot", "@core,+bot"), "-o", "out.csv")
    row = written()[0]
    assert (row["team"], row["workload"], row["remark"]) == ("'@core", "'+bot", "'=1+1")
    assert written()[1]["remark"] == "-5"


def test_excel_reads_the_file_as_utf8() -> None:
    run("estimate", "in.csv", "-o", "out.csv")
    assert Path("out.csv").read_bytes().startswith(b"\xef\xbb\xbfteam,")


def test_what_is_missing_is_said() -> None:
    ended = run("estimate", changed("80000,gongjiyun", ","), "-o", "out.csv")
    assert ended.status == 0
    assert ended.err.splitlines() == ["out.csv: 2 workloads", "without cards: bot", "without a price: bot"]
    row = written()[0]
    assert (row["cards_needed"], row["monthly_cost"]) == ("", "")
    assert row["missing"] == "price_list: blank; name one that has L20: gongjiyun"


@pytest.mark.parametrize(("old", "new", "lines"), [
    ("peak_factor", "peak_facter", ["bad.csv row 1, peak_facter: no such column; did you mean peak_factor?"]),
    ("remark", "memory_fractoin", ["bad.csv row 1, memory_fractoin: no such column; did you mean memory_fraction?"]),
    ("remark", "memory_fraction", [
        "bad.csv row 1, memory_fraction: the same for all rows; leave the column out and use the option, as in "
        "--memory-fraction 0.85"]),
    ("remark", "card_tier", [
        "bad.csv row 1, card_tier: is computed; leave the column out, or give it another name to keep it"]),
    ("remark", "team", ["bad.csv row 1, team: the column stands 2 times; leave one"]),
    ("remark", "", ["bad.csv row 1, blank header: a column without a name; give it one, or delete it"]),
    ("output_tokens", "answer", ["bad.csv row 1, output_tokens: the column is missing; allowed a number above 0"]),
    ("L20", "H300", ["bad.csv row 2, gpu: 'H300' is not known; did you mean B300-SXM, H100-80G-PCIe, H100-80G-SXM?"]),
    ("256", "-256", ["bad.csv row 3, output_tokens: found -256, allowed a number above 0"]),
    ("80000,gongjiyun,,=1+1", "about 80k,gongjiyun,0.5,",
     ["bad.csv row 2, peak_factor: found 0.5, allowed a number at least 1, or blank",
      "bad.csv row 2, requests_per_day: found 'about 80k', which is not exact; type the number that is paid"]),
    ("=1+1", "=1+1,more", ["bad.csv row 2: 11 cells under 10 headers; put text with commas in quotes"]),
])  # fmt: skip
def test_wrong_cells_are_named(old: str, new: str, lines: list[str]) -> None:
    ended = run("estimate", changed(old, new), "-o", "out.csv")
    assert sorted(ended.errors) == lines
    refused(ended, *ended.errors)
    assert not Path("out.csv").exists()


@pytest.mark.parametrize("own", ["region", "owner", "department", "cost", "id", "note", "model_name", "部门", "tier"])
def test_columns_of_the_users_own_are_kept(own: str) -> None:
    ended = run("estimate", changed("remark", own), "-o", "out.csv")
    if own == "note":
        refused(ended, "bad.csv row 1, note: no such column; did you mean notes?")
    else:
        assert ended.status == 0 and own in written()[0]


def test_a_table_of_estimates_is_no_input() -> None:
    run("estimate", "in.csv", "-o", "out.csv")
    ended = run("estimate", "out.csv", "-o", "again.csv")
    assert ended.status == 1 and len(ended.errors) == 2
    assert all(" more: " in line for line in ended.errors)


@pytest.mark.parametrize(("words", "line"), [
    (["in.csv"], "in.csv: give the file to write, as in: gpusheet estimate in.csv -o OUT.csv"),
    (["none.csv", "-o", "out.csv"],
     "none.csv: there is no such file; check the folder and the spelling"),
    (["in.csv", "-o", "out.xlsx"], "--output: found 'out.xlsx', allowed a file name that ends in .csv"),
    (["in.csv", "-o", "in.csv", "--force"], "in.csv: is the file that is read; give the new one another name"),
    (["in.csv", "-o", "none/out.csv"], "none/out.csv: there is no folder none; make it, or choose another"),
    (["in.csv", "-o", "out.csv", "--gpu", "L20"], "--gpu: is told by each row of in.csv; leave the option out"),
    (["in.csv", "-o", "out.csv", "--busy-hours", "0"],
     "--busy-hours: found 0, allowed a number above 0 and at most 24, or blank"),
    (["empty.csv", "-o", "out.csv"], "empty.csv: no workload in it; write one in the row under the headers"),
    (["binary.csv", "-o", "out.csv"],
     "binary.csv: found a file of another kind, allowed a workbook (.xlsx, .xlsm) or a CSV file; give a workbook or a CSV file"),
])  # fmt: skip
def test_wrong_files_get_an_answer(words: list[str], line: str) -> None:
    Path("empty.csv").write_text(f"{TABLE.splitlines()[0]}\n\n,,\n", encoding="utf-8")
    Path("binary.csv").write_bytes(b"\x89PNG\x00\x01")
    refused(run("estimate", *words), line)
    assert not Path("out.csv").exists()


def test_an_existing_file_is_kept_without_force() -> None:
    Path("out.csv").write_text("precious")
    refused(run("estimate", "in.csv", "-o", "out.csv"),
            "out.csv: exists already; choose another name, or replace it with --force")
    assert Path("out.csv").read_text() == "precious"
    assert run("estimate", "in.csv", "-o", "out.csv", "--force").status == 0
    assert len(written()) == 2


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), PermissionError(13, "Permission denied")])
def test_a_run_that_fails_leaves_the_old_file(fault: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("out.csv").write_text("precious")
    before = sorted(os.listdir())

    def fail(*_: object) -> None:
        raise fault

    monkeypatch.setattr(os, "replace", fail)
    ended = run("estimate", "in.csv", "-o", "out.csv", "--force")
    if isinstance(fault, OSError):
        refused(ended, "out.csv: cannot be written (Permission denied); close it where it is open, make room, or choose another "
                "name or folder")
    else:
        assert ended.status == 130
    assert Path("out.csv").read_text() == "precious"
    assert sorted(os.listdir()) == before


def test_a_folder_is_no_file() -> None:
    Path("out.csv").mkdir()
    refused(run("estimate", "in.csv", "-o", "out.csv", "--force"),
            "out.csv: is a folder; give the name of a file in it")


@pytest.mark.parametrize("title", ["Peak factor", "峰值系数"])
def test_columns_may_be_headed_by_their_labels(title: str) -> None:
    assert run("estimate", "in.csv", "-o", "out.csv").status == 0
    plain = written("out.csv")
    assert run("estimate", changed("peak_factor", title), "-o", "again.csv").status == 0
    assert written("again.csv") == plain


def test_numbers_as_people_type_them_in_the_encoding_of_chinese_excel() -> None:
    text = TABLE.replace("80000", '"8万"')
    Path("gbk.csv").write_text(text, encoding="gbk")
    ended = run("estimate", "gbk.csv", "-o", "out.csv")
    assert ended.status == 0
    assert "gbk.csv row 2, requests_per_day: the text '8万' is read as the number 80000" in ended.err
    assert run("estimate", "in.csv", "-o", "plain.csv").status == 0
    assert [row["cards_needed"] for row in written("out.csv")] == [row["cards_needed"] for row in written("plain.csv")]
