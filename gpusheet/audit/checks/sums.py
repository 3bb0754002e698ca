"""Points 17, 21 and 32: sums that agree both ways, and hold only numbers of one sign."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from gpusheet.audit.cells import Cell, Place, Sheet
from gpusheet.audit.checks.totals import ADDING, CENT
from gpusheet.audit.model import Model, ranges
from gpusheet.audit.registry import Finding, Point, Words, also, error, note, point
from gpusheet.audit.shapes import Area, Ref
from gpusheet.audit.words import cut, number
from gpusheet.workbook.recalculation.cells import address

_LIKE_NUMBER = re.compile(r"^[\s¥￥$€£(+-]*[0-9０-９][0-9０-９,，. ]*%?[\s)万元kKmM]*$")
_COMPUTING = ADDING | {"", "IF", "ROUND", "ROUNDUP", "ROUNDDOWN", "ABS", "INT", "MOD", "POWER"}


@point(
    17, "M", ("Rows and columns cross-foot", "横纵合计一致"),
    ("Where a block is summed by row and by column, both sums of sums must agree, and a formula of the book has to "
     "compare them.",
     "同一区块既按行又按列求和时,两个总和必须相等,且工作簿中应有公式比较二者。"),
    ("both ways the same total, and a check that says so", "两个方向的合计相等,并有检查公式"),
    ("find the cell that only one of them counts; add a check of the difference", "找出仅被一方计入的单元格,并增加差额检查"),
)  # fmt: skip
def cross_foot(model: Model, this: Point) -> Iterator[Finding]:
    for sheet in model.sheets:
        across, down = _sums(sheet)
        for (top, bottom), columns in down.items():
            for (left, right), rows in across.items():
                inside_rows = {row: at for row, at in rows.items() if top <= row <= bottom}
                inside = {column: at for column, at in columns.items() if left <= column <= right}
                if len(inside_rows) != bottom - top + 1 or len(inside) != right - left + 1 or len(inside) < 2:
                    continue
                yield from _compared(model, this, sheet, inside_rows, inside)


def _sums(sheet: Sheet) -> tuple[dict[tuple[int, int], dict[int, Place]], dict[tuple[int, int], dict[int, Place]]]:
    """Totals of rows by the columns that they add, and totals of columns by the rows."""
    across: dict[tuple[int, int], dict[int, Place]] = defaultdict(dict)
    down: dict[tuple[int, int], dict[int, Place]] = defaultdict(dict)
    for (row, column), shape in sheet.formulas.items():
        for ref in shape.ranges:
            if ref.function.function != "SUM":
                continue
            area = ref.at(sheet.title, row, column)
            if area.sheet != sheet.title:
                continue
            if area.rows == 1 and area.top == row and area.columns > 1:
                across[area.left, area.right].setdefault(row, (row, column))
            elif area.columns == 1 and area.left == column and area.rows > 1:
                down[area.top, area.bottom].setdefault(column, (row, column))
    return across, down


def _compared(
    model: Model, this: Point, sheet: Sheet, rows: Mapping[int, Place], columns: Mapping[int, Place]
) -> Iterator[Finding]:
    if not (_add_up(model, sheet, rows.values()) and _add_up(model, sheet, columns.values())):
        return
    by_row = [sheet.cells[place].number for place in rows.values()]
    by_column = [sheet.cells[place].number for place in columns.values()]
    first, last = next(iter(rows.values())), next(iter(columns.values()))
    where = f"{address(first)}, {address(last)}"
    one, other = [n for n in by_row if n is not None], [n for n in by_column if n is not None]
    if len(one) == len(by_row) and len(other) == len(by_column):
        a, b = sum(one), sum(other)
        if abs(a - b) > max(CENT, 1e-9 * abs(a)):
            yield this.finding(error, Words(f"{number(a)} by row and {number(b)} by column",
                                            f"按行合计 {number(a)},按列合计 {number(b)}"), sheet.title, where)  # fmt: skip
    column, totals = first[1], [place[0] for place in rows.values()]
    compared = any(
        ("-" in one.shape.operators or "=" in one.shape.operators) and one.area.top <= min(totals) and one.area.bottom >= max(totals)
        for one in model.readings.ranges
        if one.area.sheet == sheet.title and one.area.left == one.area.right == column
        and not (one.sheet is sheet and one.block.left == column)
    )  # fmt: skip
    if not compared:
        yield this.finding(note, Words("totals by row and by column that no check compares", "行合计与列合计之间没有检查公式"),
                           sheet.title, where)  # fmt: skip


def _add_up(model: Model, sheet: Sheet, places: Iterable[Place]) -> bool:
    """Whether most of the formulas are their sums, and not, as a margin is, something less these."""
    found = []
    for place in places:
        added = [ref.at(sheet.title, *place) for ref in sheet.formulas[place].ranges if ref.function.function == "SUM"]
        sums = [sum(model.numbers(area)) for area in added]
        value = sheet.cells[place].number
        found.append(value is None or any(abs(value - one) <= max(CENT, 1e-9 * abs(one)) for one in sums))
    return 2 * sum(found) > len(found)


@point(
    21, "M", ("Ranges of numbers hold only numbers", "数值区域只含数字"),
    ("Texts in ranges that are added up: sums skip them in silence. A number saved "
     "as text is found in any case, also where a single cell is computed with, other "
     "text where the rest of the range is numbers and no COUNT guards the total.",
     "检查求和区域中的文本:求和会静默跳过。以文本存储的数字一律查出(包括被单独引用计算的单元格);"
     "其他文本仅在区域其余为数字且合计未用 COUNT 把关时查出。"),
    ("a number, or a blank", "数字或空白"),
    ("type the number as a number, or guard the total with COUNT", "改为数字,或用 COUNT 为合计把关"),
)  # fmt: skip
def texts_among_numbers(model: Model, this: Point) -> Iterator[Finding]:
    told: set[tuple[str, Place]] = set()
    seen: set[tuple[Area, bool]] = set()
    for reading in model.readings.ranges:
        shape, ref, area = reading.shape, reading.ref, reading.area
        if ref.function.function not in ADDING - {"SUMPRODUCT", "MAX", "MIN"}:
            continue
        if ref.function.function in ("SUMIF", "SUMIFS", "AVERAGEIF", "AVERAGEIFS") and not _is_summed(ref):
            continue
        if any(step.function.startswith("IS") for step in ref.within):
            continue  # only asks whether there is an error
        guarded = bool({"COUNT", "N"} & set(shape.functions))
        if (area, guarded) in seen:
            continue
        seen.add((area, guarded))
        cells = list(model.cells_in(area))
        texts = [(place, cell) for place, cell in cells if cell.kind == "s" and str(cell.value).strip()]
        numbers = sum(cell.kind == "n" for _, cell in cells)
        found = [place for place, cell in texts if _is_wrong(cell, guarded, numbers, len(texts))]
        found = [place for place in found if (area.sheet, place) not in told]
        told |= {(area.sheet, place) for place in found}
        sheet = model.book.sheets[area.sheet] if found else None
        for where, places in ranges(found):
            assert sheet is not None
            text = cut(str(sheet.value(*places[0])), 30)
            yield this.finding(error, Words(f"the text {text!r} in a range that is added up", f"求和区域中的文本 {text!r}"),
                               area.sheet, where)  # fmt: skip


@also(21)
def texts_computed_with(model: Model, this: Point) -> Iterator[Finding]:
    """Numbers saved as text in cells that a formula computes with."""
    for sheet in model.sheets:
        texts = {place for place, cell in sheet.cells.items() if cell.shape is None and cell.kind == "s"
                 and model.read[sheet.title][place] and _LIKE_NUMBER.match(str(cell.value))}  # fmt: skip
        if not texts:
            continue
        found: set[Place] = set()
        for block in model.readings.blocks:
            for ref in block.shape.refs:
                if ref.is_cell and ref.function.function in _COMPUTING and set("+-*/^") & set(block.shape.operators):
                    hull = block.hull(ref)
                    found |= {place for place in texts if hull.sheet == sheet.title and hull.covers(*place)}
        for where, places in ranges(found):
            text = cut(str(sheet.value(*places[0])), 30)
            yield this.finding(
                error,
                Words(f"the text {text!r} where a formula computes", f"公式引用的文本 {text!r}"),
                sheet.title,
                where,
            )


def _is_summed(ref: Ref) -> bool:
    step = ref.function
    return step.argument == (2 if step.function in ("SUMIF", "AVERAGEIF") else 0)


def _is_wrong(cell: Cell, guarded: bool, numbers: int, texts: int) -> bool:
    if _LIKE_NUMBER.match(str(cell.value)):
        return True
    return not guarded and numbers > 2 * texts


@point(
    32, "M", ("One sign convention", "符号约定一致"),
    ("Amounts that one SUM adds and that are of both signs are listed.", "列出同一 SUM 中正负号不一的金额。"),
    ("one sign for all costs, stated on the cover", "所有成本同号,并在封面说明"),
    ("see whether the odd ones are refunds or slips", "确认异号金额是退款还是误填"),
    ("Is the sign convention stated, and do all cost lines keep to it?", "是否说明了符号约定,各成本行是否遵守?"),
)  # fmt: skip
def signs(model: Model, this: Point) -> Iterator[Finding]:
    told: set[tuple[str, Place]] = set()
    for reading in model.readings.ranges:
        ref, area = reading.ref, reading.area
        if ref.function.function != "SUM" or area.rows * area.columns < 4:
            continue
        typed = [(place, cell.value) for place, cell in model.cells_in(area) if cell.typed_number and cell.value]
        negative = [place for place, value in typed if value < 0 and (area.sheet, place) not in told]
        if negative and 5 * len(negative) <= len(typed):
            told |= {(area.sheet, place) for place in negative}
            for where, _ in ranges(negative):
                yield this.finding(
                    note, Words("negative numbers among positive ones", "正数之中的负数"), area.sheet, where
                )
