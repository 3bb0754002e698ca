"""Names, tables and add-ins in formulas: what each means, and no number where it means another's."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import openpyxl
import pytest
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.table import Table
from raw_book import HEAD, OFFICE, PACKAGE, raw_book

from gpusheet.workbook.recalculation import recalculated
from gpusheet.xl.functions import functions
from gpusheet.xl.lambdas import lambdas


def shown(book: Workbook, folder: Path, *cells: str) -> list[Any]:
    book.save(folder / "book.xlsx")
    found = openpyxl.load_workbook(io.BytesIO(recalculated(folder / "book.xlsx").data), data_only=True)
    return [found[title][address].value for title, _, address in (cell.rpartition("!") for cell in cells)]


def why(book: Workbook, folder: Path) -> dict[str, str]:
    book.save(folder / "book.xlsx")
    done = recalculated(folder / "book.xlsx")
    return {one.cell: one.why for one in (*done.errors, *done.not_calculated)}


@pytest.fixture
def cards() -> Workbook:
    book = Workbook()
    book.active.title = "S"
    for row in (["gpu", "memory"], ["L20", 48], ["H20", 96]):
        book.active.append(row)
    book.active.add_table(Table(displayName="Cards", ref="A1:B3"))
    return book


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ('VLOOKUP("H20",Cards,2,FALSE)', 96),
        ('IFERROR(VLOOKUP("H20",Cards,2,FALSE),0)', 96),
        ('VLOOKUP("H20",cards,2,FALSE)', 96),
        ("ROWS(Cards)", 2),
        ("SUM(Cards,1)", 145),
        ("CARD_TIER(ROWS(Cards))", 2),
        ("SUM(named)", 144),
        ('"Cards"&LEN("Cards")', "Cards5"),
        ("'Cards'!A1+Cards(1)", None),
        ("_xlfn.LET(_xlpm.Cards,7,_xlpm.Cards*2)", 14),
        ("SUM(Cards[memory])+ROWS(Cards)", 146),
    ],
)
def test_the_mere_name_of_a_table_is_its_data(formula: str, value: Any, cards: Workbook, tmp_path: Path) -> None:
    cards.defined_names["named"] = DefinedName("named", attr_text="Cards")
    cards.create_sheet("Cards")["A1"] = 1
    cards["S"]["D1"] = f"={formula}"
    assert shown(cards, tmp_path, "S!D1") == [value]


def test_this_row_by_its_sign(cards: Workbook, tmp_path: Path) -> None:
    cards["S"]["C2"], cards["S"]["D2"] = "=Cards[@memory]*2", "=Cards[@[memory]]+CARD_TIER(Cards[@memory]/20)"
    cards["S"]["C3"], cards["S"]["D3"] = "=COUNTA(Cards[@])", "=SUM(Cards[@[gpu]:[memory]])"
    cards["S"]["C9"] = "=Cards[@memory]"
    assert shown(cards, tmp_path, "S!C2", "S!D2", "S!C3", "S!D3", "S!C9") == [96, 52, 2, 96, None]


def scoped() -> Workbook:
    book = Workbook()
    book.active.title = "S"
    other = book.create_sheet("T u")
    book["S"]["A1"], other["A1"], other["A2"] = 1, 7, 2.67
    book.defined_names["x"] = DefinedName("x", attr_text="S!$A$1")
    other.defined_names["x"] = DefinedName("x", attr_text="'T u'!$A$1")
    other.defined_names["need"] = DefinedName("need", attr_text="'T u'!$A$2")
    book.defined_names["half"] = DefinedName("half", attr_text="0.5")
    return book


@pytest.mark.parametrize(
    ("cell", "formula", "value"),
    [
        ("S!B1", "'T u'!x+0", 7), ("S!B1", "IFERROR('T u'!x,0)", 7), ("S!B1", "CARD_TIER('T u'!need)", 4),
        ("S!B1", "S!x+S!half", 1.5), ("S!B1", "x+'T u'!X", 8), ("S!B1", "[0]!half*2", 1), ("T u!B1", "x+S!x", 8),
        ("T u!B1", "SUM(x,need)", 9.67), ("S!B1", "IFERROR(need,0)", 0), ("S!B1", "\"'T u'!x\"", "'T u'!x"),
    ],
)  # fmt: skip
def test_names_of_one_sheet_and_names_with_a_sheet(cell: str, formula: str, value: Any, tmp_path: Path) -> None:
    book = scoped()
    title, _, address = cell.rpartition("!")
    book[title][address] = f"={formula}"
    if formula == "IFERROR(need,0)":  # need is no name of this sheet: #NAME? in Excel, here nothing
        assert shown(book, tmp_path, cell) == [None]
        assert "need" in why(book, tmp_path)[cell]
    else:
        assert shown(book, tmp_path, cell) == [value]


def test_names_that_the_engine_does_not_know_hide_behind_nothing(tmp_path: Path) -> None:
    book = Workbook()
    book.defined_names["web"] = DefinedName("web", attr_text="STOCKHISTORY(1)")
    book.defined_names["gone"] = DefinedName("gone", attr_text="#REF!")
    book.active.append(["=IFERROR(web,5)", "=A1+1", "=web", "=IFERROR(gone,5)"])
    assert shown(book, tmp_path, "Sheet!A1", "Sheet!B1", "Sheet!C1", "Sheet!D1") == [None, None, None, 5]


def test_names_that_call_our_functions(tmp_path: Path) -> None:
    book = Workbook()
    book.active.append([2.67])
    for name, text in {"tier": "CARD_TIER(Sheet!$A$1)", "more": "tier+1", "left": "Sheet!XFD1*2",
                       "bad": 'GPU_SPEC("H300","memory_gb")', "typed": "{1,2,3}"}.items():  # fmt: skip
        book.defined_names[name] = DefinedName(name, attr_text=text)
    for row, formula in enumerate(("tier", "tier*2", "CARD_TIER(tier+more)", "IFERROR(tier,0)", "left", "bad", "SUM(typed)"), 1):
        book.active.cell(row, 2, f"={formula}")
    found = shown(book, tmp_path, *(f"Sheet!B{row}" for row in range(1, 8)))
    assert found == [4, 8, 9, 4, 0, "#N/A", 6]
    assert why(book, tmp_path) == {"Sheet!B6": functions()["GPU_SPEC"].reason("H300", "memory_gb")}


def test_a_lambda_of_the_workbook_is_its_own(tmp_path: Path) -> None:
    names = ('<definedName name="NODES">_xlfn.LAMBDA(_xlpm.x,_xlpm.x*10)</definedName>'
             f'<definedName name="CARD_TIER">{escape(lambdas()["CARD_TIER"])}</definedName>')  # fmt: skip
    rows = ('<row r="1"><c r="A1"><f>NODES(3,8)</f><v>30</v></c><c r="B1"><f>IFERROR(A1,1)</f><v>31</v></c>'
            '<c r="C1"><f>CARD_TIER(2.67)</f></c></row>')  # fmt: skip
    done = recalculated(raw_book(tmp_path / "raw.xlsx", rows, names=names))
    found = openpyxl.load_workbook(io.BytesIO(done.data), data_only=True).active
    assert [cell.value for cell in found[1]] == [None, None, 4]
    assert "this workbook defines NODES itself" in done.not_calculated[0].why


LINKS = {"gpusheet.xlam": 2, "file:///C:/Add%20ins/GPUsheet_functions.xlam": 2, "xlwings.xlam": 2, "other.xlam": None}


@pytest.mark.parametrize(("target", "value"), LINKS.items())
def test_an_add_in_by_its_link(target: str, value: int | None, tmp_path: Path) -> None:
    link = f'{HEAD}<externalLink xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><externalBook/></externalLink>'
    rels = (f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
            f'Type="{OFFICE}/externalLinkPath" Target="{target}" TargetMode="External"/></Relationships>')  # fmt: skip
    parts: Mapping[str, str] = {"xl/externalLinks/externalLink1.xml": link,
                                "xl/externalLinks/_rels/externalLink1.xml.rels": rels}  # fmt: skip
    rows = '<row r="1"><c r="A1"><f>[1]!NODES(9,8)</f><v>7</v></c><c r="B1"><f>[2]!NODES(9,8)</f><v>7</v></c></row>'
    done = recalculated(raw_book(tmp_path / "raw.xlsx", rows, links=True, parts=parts))
    found = openpyxl.load_workbook(io.BytesIO(done.data), data_only=True).active
    assert [cell.value for cell in found[1]] == [value, None]


@pytest.mark.parametrize(
    "spelled",
    ["'other.xlam'!NODES(9,8)", "other.xlam!NODES(9,8)", "_xldudf_CONTOSO_NODES(9,8)", "S!NODES(9,8)", "Module1.NODES(9,8)",
     "'C:\\My [tools.xlam]gpu'!NODES(9,8)", "IFERROR(other.xlam!NODES(9,8),0)"],
)  # fmt: skip
def test_functions_of_others_are_not_ours(spelled: str, tmp_path: Path) -> None:
    done = recalculated(raw_book(tmp_path / "raw.xlsx", f'<row r="1"><c r="A1"><f>{spelled}</f><v>7</v></c></row>'))
    assert openpyxl.load_workbook(io.BytesIO(done.data), data_only=True).active["A1"].value is None
    assert "NODES" in done.not_calculated[0].why
