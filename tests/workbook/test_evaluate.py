"""Every pattern that our workbooks are made of: formualizer and LibreOffice against Excel's answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.workbook.workbook import Workbook

from gpusheet.errors import GpusheetError, UnknownName
from gpusheet.workbook.cached import write_with_values
from gpusheet.workbook.evaluate import CellError, Value, Values, evaluate

EMPTY = '=""'  # a formula that gives an empty text, as every blocked cell does
SERIAL = {date(2026, 10, 1): 46296.0, date(2026, 10, 27): 46322.0, date(2026, 10, 28): 46323.0}
OVERRIDE = '=CHOOSE(1+(A#<>""),B#,A#)'
RATIO = '=IF(OR(COUNT(A#,B#)<2,B#=0),"",A#/B#)'
METHOD = '=CHOOSE(MATCH(A#,{"throughput","constraint","segment"},0),B#,C#,D#)'
NEWEST = "=SUMPRODUCT(MAX((Prices[key]=$A#)*(Prices[snapshot_date]<=$B#)*Prices[snapshot_date]))"
LISTED = '=SUMPRODUCT((Prices[gpu]=A#)*((B#="")+(Prices[model]=B#)>0)*Prices[line])'
TIER = "=INDEX(Prices[tier],1+SUMPRODUCT(1*(Prices[tier]<A#-1E-9)))"
OPTIONAL = '=IF(COUNT(INDEX(Prices[price],A#))=0,"",INDEX(Prices[price],A#))'
TOTAL = '=IF(COUNT(A#:C#)=3,SUM(A#:C#),"blocked "&(3-COUNT(A#:C#)))'

# formula (# is its row), what stands in A, B, C, D of that row, Excel's answer
CASES: list[tuple[str, list[Any], Any]] = [
    (OVERRIDE, [EMPTY, 9], 9.0),
    (OVERRIDE, [None, 9], 9.0),
    (OVERRIDE, [5, 9], 5.0),
    (OVERRIDE, [0, 9], 0.0),
    (OVERRIDE, ["typed", 9], "typed"),
    (RATIO, [3, 2], 1.5),
    (RATIO, [0, 3], 0.0),
    (RATIO, [3, 0], ""),
    (RATIO, [EMPTY, 2], ""),
    (RATIO, [3, EMPTY], ""),
    (RATIO, [EMPTY, EMPTY], ""),
    (RATIO, [None, 3], ""),
    (METHOD, ["throughput", 1, EMPTY, EMPTY], 1.0),
    (METHOD, ["constraint", EMPTY, 2.5, EMPTY], 2.5),
    (METHOD, ["Segment", EMPTY, EMPTY, 7], 7.0),
    (METHOD, ["constraint", 1, EMPTY, 3], ""),
    (METHOD, ["nonsense", 1, 2, 3], CellError("#N/A")),
    (NEWEST, ["H20|monthly", "=as_of"], SERIAL[date(2026, 10, 27)]),
    (NEWEST, ["h20|MONTHLY", date(2026, 10, 5)], SERIAL[date(2026, 10, 1)]),
    (NEWEST, ["H20|monthly", date(2026, 1, 1)], 0.0),
    (NEWEST, ["L20|monthly", "=as_of"], 0.0),
    (LISTED, ["A100", "on-demand"], 1.0),
    (LISTED, ["A100", EMPTY], 4.0),
    (LISTED, ["A100", None], 4.0),
    (LISTED, ["A100", "monthly"], 0.0),
    (TIER, [0.5], 1.0),
    (TIER, [1], 1.0),
    (TIER, [1.0000000001], 1.0),
    (TIER, [1.2], 2.0),
    (TIER, [4], 4.0),
    (TIER, [8], 8.0),
    (OPTIONAL, [2], 96.0),
    ('=COUNT(INDEX(Prices[model],3))&"|"&COUNT(INDEX(Prices[price],3))', [], "0|1"),
    ("=IF(ISNUMBER(A#),A#,B#)", ["=INDEX(Prices[price],2)", 7], 96.0),
    ("=INDEX({0,1,2,4,8},3)", [], 2.0),
    ("=SUMPRODUCT(1*({0,1,2,4,8}<A#))", [2], 2.0),
    ("=SUMPRODUCT(1*({0,1,2,4,8}<A#))", [9], 5.0),
    ("=COUNTIF(Prices[gpu],A#)", ["H20"], 2.0),
    ("=COUNTIF(Prices[gpu],A#)", ["L20"], 0.0),
    ("=COUNTIFS(Prices[key],A#,Prices[snapshot_date],B#)", ["H20|monthly", date(2026, 10, 27)], 1.0),
    ("=COUNTIFS(Prices[key],A#,Prices[snapshot_date],B#)", ["A100|monthly", date(2026, 10, 27)], 0.0),
    ('=SUMIFS(Prices[per_card],Prices[key],A#,Prices[snapshot_date],"<="&B#)', ["H20|monthly", "=as_of"], 24.0),
    ("=SUMIF(Prices[gpu],A#,Prices[price])", ["A100"], 110.0),
    ("=INDEX(Prices[price],MATCH(A#,Prices[gpu],0))", ["H20"], 96.0),
    ("=MATCH(A#,Prices[gpu],0)", ["L20"], CellError("#N/A")),
    ("=SUM(Prices[[price]:[cards]])", [], 275.0),
    ("=SUM(Prices[per_card])", [], 64.0),
    ("=COUNTA('Price list'!A2:A1000)-COUNTA(Prices[gpu])", [], 0.0),
    ("=INDEX(Sizing!$F$20:$Z$20,$B#)", [None, 21], 31.5),
    ("=Prices[[#Headers],[price]]", [], "price"),
    ("=EDATE(A#,1)", [date(2026, 1, 31)], 46081.0),
    ("=EDATE(A#,-1)", [date(2026, 11, 1)], SERIAL[date(2026, 10, 1)]),
    ('=MONTH(A#)&"/"&YEAR(A#)', [date(2026, 12, 15)], "12/2026"),
    ("=DATE(YEAR(A#),MONTH(A#)+1,1)", [date(2026, 9, 30)], SERIAL[date(2026, 10, 1)]),
    ("=A#+1", [date(2026, 10, 27)], SERIAL[date(2026, 10, 28)]),
    ("=as_of", [], SERIAL[date(2026, 10, 28)]),
    ("=seconds_per_hour*2", [], 7200.0),
    ("=-INT(tiny-A#)", [2], 2.0),
    ("=-INT(tiny-A#)", ["=0.1*3*10"], 3.0),
    ("=-INT(tiny-A#)", [2.1], 3.0),
    ("=-INT(tiny-A#)", [0], 0.0),
    ("=INT(A#+tiny)", [2.9999999999], 3.0),
    ('=COUNTBLANK(A#:D#)&"|"&COUNTA(A#:D#)&"|"&COUNT(A#:D#)', [EMPTY, EMPTY, None, 1], "3|3|1"),
    ("=SUM(A#:D#)+MAX(A#:D#)", [EMPTY, "text", None, 1], 2.0),
    (TOTAL, [1, 2, 3], 6.0),
    (TOTAL, [1, EMPTY, 3], "blocked 1"),
    ('=A#&"|"&B#&"|"&C#', ["list", "A100", date(2026, 10, 27)], "list|A100|46322"),
    ("=A#", [EMPTY], ""),
    ("=A#", [None], 0.0),
    ("=A#", ["a & b < c > 'd' \"e\""], "a & b < c > 'd' \"e\""),
    ('="中文 "&A#', ["卡"], "中文 卡"),
    ('="价格 "&INDEX(Prices[gpu],2)&" < 卡 & 月"', [], "价格 H20 < 卡 & 月"),
    ("=A#/B#", [1, 0], CellError("#DIV/0!")),
    ("=A#+1", [EMPTY], CellError("#VALUE!")),
    ("=A#>B#", [2, 1], True),
    ("=AND(A#>B#,1=1)", [1, 2], False),
    ("=(A#>B#)+(B#>0)", [2, 1], 2.0),
    ('=IF(A#="","",A#*2)', [EMPTY], ""),
]
# the branch that is not taken would close a circle between these two rows
FIRST = len(CASES) + 1
CASES += [(f"=IF(A#>0,A#,F{FIRST + 1})", [1], 1.0), (f"=IF(A#>0,F{FIRST},7)", [0], 7.0)]
IDS = [f"{row}-{formula}" for row, (formula, _, _) in enumerate(CASES, 1)]


@pytest.fixture(scope="module")
def cases(sample_book: Callable[[], Workbook]) -> Workbook:
    book = sample_book()
    sheet = book.create_sheet("Cases")
    for row, (formula, inputs, _) in enumerate(CASES, 1):
        for column, value in enumerate(inputs, 1):
            sheet.cell(row, column, value)
        sheet.cell(row, 6, formula.replace("[#", "\0").replace("#", str(row)).replace("\0", "[#"))
    return book


@pytest.fixture(scope="module")
def values(cases: Workbook) -> Values:
    return evaluate(cases)


@pytest.mark.parametrize("row", range(1, len(CASES) + 1), ids=IDS)
def test_formualizer_answers_as_excel(values: Values, row: int) -> None:
    expected = CASES[row - 1][2]
    found = values.at("Cases", f"F{row}")
    assert type(found) is type(expected)
    assert found == (pytest.approx(expected, rel=1e-12) if isinstance(expected, float) else expected)


def test_libreoffice_answers_alike(
    cases: Workbook,
    recalculate: Callable[[Path], Workbook],
    differences: Callable[[Workbook, Values, Workbook], list[str]],
    tmp_path: Path,
) -> None:
    values = write_with_values(cases, tmp_path / "cases.xlsx")
    theirs = recalculate(tmp_path / "cases.xlsx")
    assert differences(cases, values, theirs) == []


def test_a_poisoned_value_is_found(
    book: Workbook,
    recalculate: Callable[[Path], Workbook],
    differences: Callable[[Workbook, Values, Workbook], list[str]],
    tmp_path: Path,
) -> None:
    values = write_with_values(book, tmp_path / "book.xlsx")
    prices = [list(row) for row in values.sheets["Price list"]]
    prices[1][6], prices[2][7], prices[3][7] = 10.00001, "H20|Monthly", 0.0
    wrong = replace(values, sheets={**values.sheets, "Price list": prices})
    found = differences(book, wrong, recalculate(tmp_path / "book.xlsx"))
    assert [line.split()[1].removeprefix("list!") for line in found] == ["G2", "H3", "H4"]


def test_values_are_found_by_address_and_errors_listed(values: Values) -> None:
    assert values.at("Price list", "A3") == "H20"
    assert values.at("Price list", "G3") == 12.0
    assert values.at("Price list", "B4") is None
    assert values.at("Price list", "ZZ9999") is None
    expected = {f"Cases!F{row}" for row, (_, _, answer) in enumerate(CASES, 1) if isinstance(answer, CellError)}
    assert set(values.errors()) == expected


def test_a_circle_is_an_error_and_its_neighbours_are_not(book: Workbook) -> None:
    sheet = book["Sizing"]
    sheet["A2"], sheet["A3"], sheet["A4"] = "=A3+1", "=A2+1", "=1+1"
    values = evaluate(book)
    assert values.at("Sizing", "A2") == CellError("#CIRC!")
    assert values.at("Sizing", "A4") == 2.0


def test_an_unknown_table_names_the_cell(book: Workbook) -> None:
    book["Sizing"]["B2"] = "=SUM(Price[gpu])"
    with pytest.raises(UnknownName, match=r"^Sizing!B2: table: 'Price' is not known; did you mean Prices\?$"):
        evaluate(book)


def test_a_formula_that_is_none_names_the_cell(book: Workbook) -> None:
    book["Sizing"]["B2"] = "=SUM(1,"
    with pytest.raises(GpusheetError, match=r"^the workbook cannot be calculated: .* at Sizing!B2"):
        evaluate(book)


def test_evaluating_leaves_the_book_as_it_was(book: Workbook) -> None:
    formulas = [cell.value for row in book["Price list"].iter_rows() for cell in row]
    modified = book.properties.modified
    assert evaluate(book) == evaluate(book)
    assert [cell.value for row in book["Price list"].iter_rows() for cell in row] == formulas
    assert book.properties.modified == modified


def test_names_are_read_as_names_only(book: Workbook) -> None:
    """The engine is given ranges for names; whatever merely looks like a name must stay."""
    tiny, other = book.create_sheet("tiny"), book.create_sheet("of its own")
    tiny["A1"], other["A1"] = 5, 7
    book.defined_names["lt"] = DefinedName("lt", attr_text="Assumptions!$D$5")
    book.defined_names["two.lines"] = DefinedName("two.lines", attr_text="Assumptions!$D$5:$D$6")
    other.defined_names["as_of"] = DefinedName("as_of", attr_text="'of its own'!$A$1")
    formulas: dict[str, Value] = {
        "=tiny*1E9": 1.0,
        "=-tiny+tiny": 0.0,
        "=tiny!A1+'of its own'!A1": 12.0,
        '="tiny "&tiny!$A$1&" ""tiny"": tiny"': 'tiny 5 "tiny": tiny',
        "=IF(1<lt,2,3)": 3.0,
        "=COUNT(two.lines)": 2.0,
        "=Tiny*1E9": 1.0,
        "=two_tiny": CellError("#NAME?"),
    }
    sheet = book["Sizing"]
    for row, formula in enumerate(formulas, 1):
        sheet.cell(row, 30, formula)
    other["B1"] = "=as_of"
    values = evaluate(book)
    assert [values.at("Sizing", f"AD{row}") for row in range(1, len(formulas) + 1)] == list(formulas.values())
    assert values.at("of its own", "B1") == 7.0


def test_evaluating_leaves_no_file(book: Workbook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    evaluate(book)
    book["Sizing"]["B2"] = "=SUM(1,"
    with pytest.raises(GpusheetError):
        evaluate(book)
    assert list(tmp_path.iterdir()) == []
