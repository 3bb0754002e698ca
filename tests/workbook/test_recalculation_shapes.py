"""Formulas that are alike but for their row are looked at once; each is calculated as if it were the only one."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.workbook.workbook import Workbook
from values import same

from gpusheet import recalculate
from gpusheet.rules import card_tier
from gpusheet.workbook.recalculation.cells import SheetCells
from gpusheet.workbook.recalculation.shapes import ROW, is_clear

ROWS = range(1, 131)  # the digits of some rows are within those of others, and within the formulas' numbers


@pytest.mark.parametrize(("shape", "clear"), [
    (b"A\0", True), (b"$A$\0", True), (b"\0", True), (b"1+A\0", True), (b"SUM(A$1:A\0)", True), (b"Plan!B\0*\0", True),
    (b"XFD\0", True), (b"XFE\0", False), (b"ABCD\0", False), (b"a\0", False), (b"A1", True),
    (b"A\0\0", False), (b"A1\0", False), (b"1\0", False), (b"\0.5", False), (b"1.\0", False), (b"1E\0", False),
    (b"LOG\0(A1)", False), (b"Plan\0!A1", False), (b"A\0!B1", False), (b"rate_\0", False), (b"\xe4\xbb\xb7\0", False),
    (b'"\0"', False), (b'"A\0"', False), (b"'\0'!A1", False), (b"\"it's\"&A\0", True), (b"'a\"b'!A\0", True),
    (b"&quot;A\0&quot;", False), (b"&#48;A\0", False), (b"T[c \0]", False), (b"\0:\0", False), (b"$\0:$\0", False),
    (b"A\0#", False), (b"_xlfn.F.\0(1)", False),
], ids=repr)  # fmt: skip
def test_a_row_may_stand_for_another_only_where_it_is_one(shape: bytes, clear: bool) -> None:
    assert is_clear(shape) is clear


def test_every_formula_is_known_as_it_stands_in_the_file() -> None:
    texts = {(row, column): text for row in ROWS for column, text in enumerate([
        f"A{row}*10", f"LOG10(A{row})", f"A{row}&amp;\"{row}\"", "SUM($A$1:$A$7)", f"MOD(A{row},1{row})", f"A{row}&gt;{row}",
    ], 2)}  # fmt: skip
    cells = b"".join(f'<c r="{chr(64 + column)}{row}"><f>{text}</f><v/></c>'.encode() for (row, column), text in texts.items())
    sheet = SheetCells("S", b"<worksheet><sheetData>" + cells + b"</sheetData></worksheet>")
    assert {place: sheet.own(place).decode() for place in sheet.formulas} == texts
    assert sorted(place for places in sheet.alike.values() for place in places) == sorted(texts)
    for text, places in sheet.alike.items():
        assert {text.replace(ROW, b"%d" % row).decode() for row, _ in places} == {texts[place] for place in places}
    assert len(sheet.alike) < len(texts) / 2


def test_alike_formulas_are_calculated_like_single_ones(tmp_path: Path) -> None:
    book = Workbook()
    sheet, other = book.active, book.create_sheet("Row 1")
    assert sheet is not None
    for row in ROWS:
        other.cell(row, 1, row)
        name = DefinedName(f"rate_{row}", attr_text=f"'Row 1'!$A${row}")
        (sheet if row % 2 else book).defined_names[name.name] = name  # a sheet's own has to be written out
        sheet.append([
            row * 1.5, f"=LOG10(A{row})", f'=A{row}&" of {row}"', f"=MOD(A{row},{row})", f"=CARD_TIER(A{row})+{row}",
            f'=CARD_TIER({row})&"x{row}"', f"='Row 1'!A{row}*{row}", f"=CARD_TIER(A{row}*1{row}/1000)", f"=IF(A{row}>{row}.5,1,0)",
            f"=LOG10(CARD_TIER(A{row}))", "=CARD_TIER($A$1)", f"=CARD_TIER(A{row})*rate_{row}",
        ])  # fmt: skip
    book.save(tmp_path / "alike.xlsx")
    found = recalculate(tmp_path / "alike.xlsx", header=None)["Sheet"]
    assert found.attrs["errors"] == {}
    for row, values in zip(ROWS, found.itertuples(index=False), strict=True):
        a = row * 1.5
        expected = [
            a, math.log10(a), f"{a:g} of {row}", a % row, card_tier(a) + row, f"{card_tier(row):g}x{row}", row * row,
            card_tier(a * int(f"1{row}") / 1000), float(a > row + 0.5), math.log10(card_tier(a)), card_tier(1.5), card_tier(a) * row,
        ]  # fmt: skip
        assert all(map(same, values, expected)), (row, values, expected)
