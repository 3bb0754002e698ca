"""Which lines under a header are rows: blank lines, totals, notes, headings and headers again are none, and are named."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from typing import Any

from gpusheet.intake.findings import Finding, Place, raw_text
from gpusheet.intake.headers import Header, is_unit
from gpusheet.intake.sheets import Sheet, column_letters
from gpusheet.intake.vocabulary import said_of_price
from gpusheet.intake.words import fold, is_placeholder, said_by, squeezed

_TOTAL = re.compile(
    r"(?:[\w（()）.\- ]{0,12}(?:合计|总计|小计|累计|共计|汇总)|合\s?计|总\s?计|小\s?计|平均值?|均价|总和|sum|(?:grand |sub-?)?totals?|"
    r"average|avg|mean)"
    r"(?:[（(].*[）)])?\s*[:：]?", re.IGNORECASE)  # fmt: skip
_NOTE = re.compile(
    r"(注|备注|说明|附注|数据来源|来源|更新|制表|审核|※|\*|#|notes?\b|sources?\b|remarks?\b|updated|disclaimer)", re.IGNORECASE)
_DAY = re.compile(r"\s*\d{1,4}[-/.年]\d")
LONG = 12  # characters from which a text that stands alone is taken for a note


class Body:
    """The rows of a table, by index among the sheet's lines, and findings about the lines that are none."""

    def __init__(self, file: str, sheet: Sheet, header: Header, keys: Iterable[str]) -> None:
        self.file, self.sheet, self.header = file, sheet, header
        self.keys = [header.at[name] for name in keys if name in header.at]
        self.findings: list[Finding] = []
        self.indexes: list[int] = []
        self.moved: set[int] = set()  # lines whose cells do not stand under their headers
        _fill_merged(sheet, header, self.findings, file)
        totals = self._totals()
        inside = set(header.at.values()) | {position for position, _ in header.prices}
        again = [squeezed(title) for title in header.titles]
        first_cell = next(cell for cell in sheet.lines[header.index] if isinstance(cell, str) and cell.strip())
        titled = [position for position, title in enumerate(header.titles) if title]
        wide = max(titled) + 1
        full = len(titled) == wide
        headed = self._headed()
        for index in range(header.index + 1, len(sheet.lines)):
            line = sheet.lines[index]
            if len(line) > wide or not full:
                line = [line[position] for position in titled if position < len(line)]
            filled = len(line) - line.count(None)
            if not sheet.typed and len(sheet.lines[index]) > wide and any(
                    cell is not None and cell.strip() for cell in sheet.lines[index][wide:]):
                self._beyond(index, wide)
            if not filled:
                self._say(index, "beside-table", "stands beside the table; not read", "在表格之外，未读入")
            elif index in totals:
                self._say(index, "total-row", "a row of totals; not read", "合计行，未读入")
            elif filled == 1 and len(inside) > 2 and index not in headed and self._is_note(sheet.lines[index]):
                self._say(index, "note-row", "a note or a heading; not read", "说明或分组标题，未读入")
                self._other_currency(index)
            elif (filled > 1 and first_cell in line and self._is_header(line, again)) or index in headed:
                if self._differs(index, again):
                    self._stop(index)
                    break
                self._say(index, "header-again", "the header again; not read", "重复的标题行，未读入")
            elif filled and not (filled <= 3 and all(cell is None or not fold(str(cell)) for cell in line)):
                self.indexes.append(index)
        self._hidden()

    def _say(self, index: int, code: str, en: str, zh: str) -> None:
        line = self.sheet.lines[index]
        position, cell = next((at, cell) for at, cell in enumerate(line) if cell is not None)
        self.findings.append(Finding(
            "note", code, Place(self.file, self.sheet.name, f"{column_letters(position + 1)}{self.sheet.numbers[index]}"),
            raw_text(cell), f"found {raw_text(cell)!r}: {en}", f"“{raw_text(cell)}”：{zh}"))  # fmt: skip

    def _beyond(self, index: int, wide: int) -> None:
        """A line of a CSV file with more cells than headers: a comma inside a cell has moved all that follow."""
        cells = len(self.sheet.lines[index])
        self.moved.add(index)
        self.findings.append(Finding(
            "error", "beyond-header", Place(self.file, self.sheet.name, f"{column_letters(wide + 1)}{self.sheet.numbers[index]}"),
            raw_text(self.sheet.lines[index][wide]), f"found {cells} cells under {wide} headers; put text and numbers with commas in "
            "quotes", f"{wide} 个标题下有 {cells} 个单元格；含逗号的文字和数字请加引号"))  # fmt: skip

    def _totals(self) -> set[int]:
        """Lines of totals: an Excel table's own, and those that say so and name no card."""
        lines, numbers = self.sheet.lines, self.sheet.numbers
        header_row = numbers[self.header.index]
        found = set()
        for table in self.sheet.tables:
            if table.top == header_row and table.totals:
                rows = range(table.bottom - table.totals + 1, table.bottom + 1)
                found |= {index for index, number in enumerate(numbers) if number in rows}
        for index in self._nameless():
            words = [cell for cell in lines[index] if isinstance(cell, str) and len(cell) < 40 and _TOTAL.fullmatch(fold(cell))]
            if any(self._names_nothing(lines[index], word) for word in words):
                found.add(index)
        return found

    def _nameless(self) -> list[int]:
        """Lines under the header in which a name is blank, or is no name but the word for a total."""
        lines = self.sheet.lines
        if not self.keys:
            return list(range(self.header.index + 1, len(lines)))
        columns = [[line[position] if position < len(line) else None for line in lines] for position in self.keys]
        blank = {cell for column in columns for cell in set(column)
                 if cell is None or (isinstance(cell, str) and (not squeezed(cell) or _TOTAL.fullmatch(fold(cell))))}  # fmt: skip
        return [index for index, cells in enumerate(zip(*columns, strict=True))
                if index > self.header.index and not blank.isdisjoint(cells)]  # fmt: skip

    def _names_nothing(self, line: list[Any], label: str) -> bool:
        """Whether a line says what it is about only by the label, which may stand under any header."""
        return all(position >= len(line) or line[position] in (None, label) or not fold(str(line[position]))
                   or squeezed(str(line[position])) in ("-", "") for position in self.keys)  # fmt: skip

    def _is_note(self, line: list[Any]) -> bool:
        position, cell = next((at, cell) for at, cell in enumerate(line) if cell is not None)
        if not isinstance(cell, str):
            return False
        text = fold(cell)
        return bool(_NOTE.match(text)) or len(text) >= LONG or position not in self.keys or (
            position == min(self.keys, default=-1) and self._spans(cell))  # fmt: skip

    def _spans(self, cell: str) -> bool:
        """Whether a text stands in an area merged across columns, as headings do."""
        return any(left < right and any(cell in line for number, line in zip(self.sheet.numbers, self.sheet.lines, strict=True)
                                        if number == top) for top, left, _, right in self.sheet.merges)  # fmt: skip

    def _is_header(self, line: list[Any], again: list[str]) -> bool:
        known = [title for title in again if title]
        cells = [squeezed(cell) for cell in line if isinstance(cell, str)]
        return len(set(cells) & set(known)) * 2 > len(set(known))

    def _headed(self) -> set[int]:
        """Lines with the header of a price where prices should stand, and no number."""
        found = set()
        for position, _ in self.header.prices:
            for index, line in enumerate(self.sheet.lines):
                cell = line[position] if position < len(line) else None
                if type(cell) is str and not cell[-1:].isdigit() and not cell[:1].isdigit() and index > self.header.index:
                    found.add(index)
        return {index for index in found if self._heads_prices(self.sheet.lines[index])}

    def _heads_prices(self, line: list[Any]) -> bool:
        cells = [line[position] for position, _ in self.header.prices if position < len(line)]
        if all(cell is None or (isinstance(cell, str) and is_unit(fold(cell))) for cell in line):
            return True
        if any(isinstance(cell, int | float | datetime.date) or (isinstance(cell, str) and _DAY.match(cell)) for cell in line):
            return False
        return any(
            isinstance(cell, str) and not re.search(r"\d", fold(cell).rpartition("(")[0]) and said_of_price(cell) is not None
            and not is_placeholder(fold(cell)) for cell in cells)  # fmt: skip

    def _differs(self, index: int, again: list[str]) -> bool:
        """Whether a second header has other titles over the columns that are read, in any of its lines."""
        if self.header.lines == 1:
            return self._titles(index) != [again[position] for position in self._used()]
        upper, lower = self._titles(self.header.index - 1), self._titles(self.header.index)
        here = self._titles(index)
        return here != lower and (here != upper or self._titles(index + 1) != lower)

    def _used(self) -> list[int]:
        return sorted({*self.header.at.values(), *(position for position, _ in self.header.prices)})

    def _titles(self, index: int) -> list[str]:
        """A line's cells over the columns that are read, to compare by."""
        line = self.sheet.lines[index] if index < len(self.sheet.lines) else []
        return [squeezed(str(line[position] if position < len(line) and line[position] is not None else ""))
                for position in self._used()]  # fmt: skip

    def _other_currency(self, index: int) -> None:
        """A heading or note among the rows that names another currency than the header of the prices."""
        position, cell = next((at, cell) for at, cell in enumerate(self.sheet.lines[index]) if cell is not None)
        found, wanted = said_by(str(cell)).currency, {said.currency for _, said in self.header.prices} - {None}
        if found and wanted and found not in wanted:
            raw, read = raw_text(cell), ", ".join(sorted(filter(None, wanted)))
            place = Place(self.file, self.sheet.name, f"{column_letters(position + 1)}{self.sheet.numbers[index]}")
            self.findings.append(Finding(
                "warning", "other-currency", place, raw, f"found {raw!r}, which says {found}, while the header says {read}; all rows "
                f"are read as {read}: put those in {found} on a sheet of their own",
                f"“{raw}”写的是 {found}，而标题为 {read}；各行均按 {read} 读入：请把 {found} 报价放到单独的工作表"))  # fmt: skip

    def _stop(self, index: int) -> None:
        """A second table under the first, with another header: its rows are there, and none is read."""
        under = range(index + 1, len(self.sheet.lines))
        self.indexes += under
        self.moved |= set(under)
        line = self.sheet.lines[index]
        position, cell = next((at, cell) for at, cell in enumerate(line) if cell is not None)
        self.findings.append(Finding(
            "error", "other-header", Place(self.file, self.sheet.name, f"{column_letters(position + 1)}{self.sheet.numbers[index]}"),
            raw_text(cell), f"found another header than in row {self.sheet.numbers[self.header.index]}; the "
            f"{'row' if len(under) == 1 else f'{len(under)} rows'} under it {'is' if len(under) == 1 else 'are'} not read: put what "
            "belongs to it on a sheet of its own",
            f"标题与第 {self.sheet.numbers[self.header.index]} 行不同；其下 {len(under)} "
            "行未读入：请放到单独的工作表"))  # fmt: skip

    def _hidden(self) -> None:
        if not self.sheet.hidden_rows:
            return
        rows = [self.sheet.numbers[index] for index in self.indexes if self.sheet.numbers[index] in self.sheet.hidden_rows]
        if rows:
            listed = _runs(rows)
            self.findings.append(Finding(
                "warning", "hidden-rows", Place(self.file, self.sheet.name, f"A{rows[0]}"), listed,
                f"{len(rows)} rows are hidden or filtered out ({listed}); they are read like the others: delete them if "
                "they are not to count", f"有 {len(rows)} 行被隐藏或筛掉（{listed}），同样读入；如不应计入，请删除"))  # fmt: skip


def _runs(numbers: list[int], most: int = 8) -> str:
    """Row numbers as runs: '3, 5-9'."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    shown = ", ".join(str(one) if one == two else f"{one}-{two}" for one, two in runs[:most])
    return shown + (", ..." if len(runs) > most else "")


def _fill_merged(sheet: Sheet, header: Header, findings: list[Finding], file: str) -> None:
    """Gives every row of an area that is merged downward the value that its first row shows."""
    if not sheet.merges:
        return
    by_number = {number: index for index, number in enumerate(sheet.numbers)}
    used = {*header.at.values(), *(position for position, _ in header.prices)}
    for top, left, bottom, right in sheet.merges:
        start = by_number.get(top)
        if start is None or start <= header.index or top == bottom or left != right or left - 1 not in used:
            continue
        line = sheet.lines[start]
        value = line[left - 1] if left <= len(line) else None
        if value is None:
            continue
        filled = [by_number[number] for number in range(top + 1, bottom + 1) if number in by_number]
        for index in filled:
            other = sheet.lines[index]
            other.extend([None] * (left - len(other)))
            other[left - 1] = value
        price = any(position == left - 1 for position, _ in header.prices)
        findings.append(Finding(
            "warning" if price else "note", "merged-cells", Place(file, sheet.name, f"{column_letters(left)}{top}"), raw_text(value),
            f"found {raw_text(value)!r} in cells merged down to row {bottom}; read for each of the {len(filled) + 1} rows",
            f"“{raw_text(value)}”的合并单元格到第 {bottom} 行为止；{len(filled) + 1} 行都按此值读入"))  # fmt: skip
