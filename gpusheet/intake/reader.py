"""The one reader of tables that finance edits or sends: any row type, from a workbook or a CSV file.

Columns are understood value by value, each distinct value once, so that long tables cost little more than short ones.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import Any

from gpusheet.catalog import BadRow, Column, Price, Row, columns
from gpusheet.intake.body import Body
from gpusheet.intake.findings import CannotRead, Finding, Place, raw_text
from gpusheet.intake.headers import Header, find_header, no_column, score_of
from gpusheet.intake.price_rows import price_entries
from gpusheet.intake.sheets import Opened, Sheet, column_letters, open_file
from gpusheet.intake.table import Places, Table, formula_note
from gpusheet.intake.understand import BLANK, Remark, Understood, two_ways, understand, understand_all

ALIKE = 0.6  # of the best sheet's score, from which another is taken for such a table as well
MOST_OF_A_KIND = 1000  # findings of one kind in one column that are listed singly

__all__ = ["Table", "read_sheet", "read_table"]


def read_table(
    source: Path | str,
    row_type: type[Row],
    *,
    sheet: str | None = None,
    mapping: Mapping[str, str] | None = None,
    fixed: Mapping[str, Any] | None = None,
) -> Table:
    """The rows of a table in a file. Rows that cannot be read are reported, the others load; a file, sheet or header
    that cannot be read at all raises CannotRead or another GpusheetError.

    `mapping` names the field of a header ("元": "price"; "" leaves a column out), `fixed` gives fields for all rows.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.csv").write_text("日期,供应商,型号,元/卡时\\n2026-11-01,甲,H20,13.94\\n2026-11-01,甲,L20,面议\\n")
    ...     table = read_table(f"{folder}/a.csv", Price)
    >>> [(row.gpu, row.price, row.per, row.period) for row in table.rows], table.present, table.reported
    ([('H20', 13.94, 'card', 'hour')], 2, 1)
    """
    opened = open_file(source)
    with _quick():
        chosen, others = _chosen(opened, row_type, sheet)
        table = read_sheet(opened.file, chosen, row_type, mapping=mapping, fixed=fixed)
    table.findings += others
    return table


@contextmanager
def _quick() -> Iterator[None]:
    """Without looking for cycles of objects, of which a million cells make none."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _chosen(opened: Opened, row_type: type[Row], name: str | None) -> tuple[Sheet, list[Finding]]:
    """The sheet that is asked for, else the one whose header fits best; the others that fit are named."""
    if name is not None:
        found = next((one for one in opened.names if one.strip().casefold() == name.strip().casefold()), None)
        if found is None:
            listed = ", ".join(opened.names)
            raise CannotRead([Finding("error", "no-sheet", Place(opened.file), name, f"found no sheet {name!r}; allowed: {listed}",
                                      f"没有工作表“{name}”；可用：{listed}")])  # fmt: skip
        return opened.read(found), []
    sheets = opened.sheets()
    if not any(sheet.lines for sheet in sheets):
        raise CannotRead([Finding("error", "empty", Place(opened.file), "", "found no cells with anything in them; give a file "
                                  "with a table", "没有任何内容；请提供含有表格的文件")])  # fmt: skip
    scores = {sheet.name: score_of(sheet, row_type) - sheet.hidden for sheet in sheets}
    best = max(sheets, key=lambda one: scores[one.name])
    also = [one.name for one in sheets if one is not best and scores[one.name] > ALIKE * scores[best.name] > 0]
    notes = [Finding("warning", "other-sheet", Place(opened.file, other), "",
                     f"this sheet has such a table as well; only {best.name!r} was read: name the other by --sheet if it is meant",
                     f"该表也有同类内容；只读了“{best.name}”，如应读该表请用 --sheet 指定")
             for other in also]  # fmt: skip
    return best, notes


def read_sheet(
    file: str,
    sheet: Sheet,
    row_type: type[Row],
    *,
    mapping: Mapping[str, str] | None = None,
    fixed: Mapping[str, Any] | None = None,
) -> Table:
    """The rows of one sheet's table."""
    given = dict(fixed or {})
    header = find_header(file, sheet, row_type, mapping, tuple(given))
    keys = [c.name for c in columns(row_type) if c.is_name and c.required and c.name != "price_list"] or [
        columns(row_type)[0].name]  # fmt: skip
    body = Body(file, sheet, header, keys)
    return _Reading(file, sheet, row_type, header, body, given).table()


class _Reading:
    """One table while it is read."""

    def __init__(
        self, file: str, sheet: Sheet, row_type: type[Row], header: Header, body: Body, given: Mapping[str, Any]
    ) -> None:
        self.file, self.sheet, self.row_type, self.header, self.given = file, sheet, row_type, header, given
        self.lines = [sheet.lines[index] for index in body.indexes]
        self.indexes = body.indexes
        self.narrowest = min(map(len, self.lines), default=0)
        self.findings = [*header.findings, *body.findings]
        self.bad = {row for row, index in enumerate(body.indexes) if index in body.moved}  # rows of `lines` that are kept out
        self.moved = frozenset(self.bad)
        self.kinds: Counter[tuple[str, int]] = Counter()
        self.fields = columns(row_type)

    def table(self) -> Table:
        """All rows, built and counted."""
        if self.row_type is Price:
            return self._assembled(price_entries(self))
        lists = {c.name: self.column(c) for c in self.fields}
        for c in self.fields:
            self.require(c, lists[c.name])
        return self._assembled([(range(len(self.lines)), lists, next(iter(self.header.at.values()), 0), set())])

    def column(self, column: Column, position: int | None = None) -> list[Any]:
        """The values of a field in all rows; what is wrong with one is said, and its row kept out."""
        if column.name in self.given:
            return [self._given(column)] * len(self.lines)
        position = self.header.at.get(column.name) if position is None else position
        if position is None:
            return [None] * len(self.lines)
        found = self.understood(column, position)
        self.report(found, position)
        return [one.value for one in found]

    def _given(self, column: Column) -> Any:
        understood = understand(self.given[column.name], column, typed=False)
        if understood.bad:
            raise CannotRead([Finding(one.severity, one.code, Place(), raw_text(self.given[column.name]), f"{column.name}: {one.en}",
                                      f"{column.zh}：{one.zh}") for one in understood.remarks])  # fmt: skip
        return understood.value

    def understood(self, column: Column, position: int) -> list[Understood]:
        """The cells of a column, each distinct value understood once."""
        if position < self.narrowest:
            cells = [line[position] for line in self.lines]
        else:
            cells = [line[position] if position < len(line) else None for line in self.lines]
        typed, epoch = self.sheet.typed, self.sheet.epoch_1904
        truths = {}
        if bool in set(map(type, cells)):  # True is 1 to a dictionary
            truths = {_Truth(cell): understand(cell, column, typed, epoch) for cell in (True, False)}
            cells = [_Truth(cell) if isinstance(cell, bool) else cell for cell in cells]
        known = truths | understand_all(set(cells) - truths.keys(), column, typed, epoch)
        if column.kind == "number":
            two_ways(known, column)
        known[None] = BLANK
        found = [known[cell] for cell in cells]
        if column.kind == "number" and column.name != "price" and self.sheet.formats:
            self._percents(column, position, found)
        return found

    def _percents(self, column: Column, position: int, found: list[Understood]) -> None:
        """A percentage in a column that is none: 80% is no 0.8 GB."""
        if column.unit.symbol in ("%", "ratio"):
            return
        for row, index in enumerate(self.indexes):
            if self.sheet.formats.get((self.sheet.numbers[index], position + 1)) == "%" and not found[row].bad:
                remark = Remark("error", "percent", f"the cell is formatted as a percentage; allowed {column.allowed()}",
                                f"单元格是百分比格式；应为{column.allowed('zh')}")  # fmt: skip
                found[row] = Understood(None, (remark,), True)

    def report(self, found: list[Understood], position: int) -> None:
        """Says what there is to say of a column's cells."""
        if not any(one.remarks for one in {id(one): one for one in found}.values()):
            return
        for row, one in enumerate(found):
            for remark in one.remarks:
                self.say(row, position, remark)
            if one.bad:
                self.bad.add(row)

    def say(self, row: int, position: int, remark: Remark) -> None:
        """One finding about a cell of a row."""
        if row in self.moved:
            return  # what stands under which header is not known
        self.kinds[remark.code, position] += 1
        if self.kinds[remark.code, position] > MOST_OF_A_KIND:
            return
        line = self.lines[row]
        raw = raw_text(line[position]) if position < len(line) else ""
        formula = self.sheet.formulas.get((self.sheet.numbers[self.indexes[row]], position + 1))
        if formula and remark.code == "error-cell":
            remark = replace(remark, en=f"the formula {formula} gives {remark.en}", zh=f"公式 {formula} 的结果是{remark.zh}")
        self.findings.append(Finding(remark.severity, remark.code, self.place(row, position), raw, remark.en, remark.zh))

    def place(self, row: int, position: int) -> Place:
        number = self.sheet.numbers[self.indexes[row]]
        return Place(self.file, self.sheet.name, f"{column_letters(position + 1)}{number}")

    def require(self, column: Column, values: list[Any]) -> None:
        """Keeps out rows without a value that has to be there."""
        if not column.required or (values.count(None) == 0 and values):
            return
        position = self.header.at.get(column.name)
        if position is None:
            self.findings.append(self.no_column(column))
            self.bad |= set(range(len(self.lines)))
            return
        for row, value in enumerate(values):
            line = self.lines[row]
            if value is None and (position >= len(line) or understand(line[position], column) is BLANK):
                self.say(row, position, Remark("error", "blank", f"found blank, allowed {column.allowed()}",
                                               f"是空白，应为{column.allowed('zh')}"))  # fmt: skip
                self.bad.add(row)

    def no_column(self, column: Column) -> Finding:
        """The error for a column that is not there, which keeps all rows out."""
        return no_column(Place(self.file, self.sheet.name, f"A{self.sheet.numbers[self.header.index]}"), self.header, column)

    def _assembled(self, entries: Sequence[tuple[Sequence[int], Mapping[str, list[Any]], int, set[int]]]) -> Table:
        """Rows of all entries: the rows they stand in, the values by field, the position of their main cell, and the
        rows that only lack a price."""
        rows: list[Any] = []
        origins: list[tuple[int, int]] = []
        formulas: dict[int, dict[str, str]] = {}
        present = missing = 0
        for standing, lists, position, lacking in entries:
            present += len(standing)
            missing += len(lacking)
            for row, values in self._built(standing, lists):
                if self.sheet.formulas:
                    self._formulas(len(rows), row, position, formulas)
                rows.append(values)
                origins.append((self.indexes[row], position))
        self._more()
        places = Places(self.file, self.sheet, origins)
        reported = present - len(rows)
        self.findings += formula_note(places, formulas)
        return Table(self.row_type, self.sheet, self.header, rows, places, self.findings, present, reported, missing, formulas)

    def _built(self, standing: Any, lists: Mapping[str, list[Any]]) -> Iterator[tuple[int, Any]]:
        """The rows that are good, as their type."""
        names = tuple(lists)
        defaults = {c.name: c.default for c in self.fields}
        for name, values in lists.items():
            if defaults[name] is not None and None in values:
                lists = {**lists, name: [defaults[name] if value is None else value for value in values]}
        checked = _checks_itself(self.row_type)
        given = set(names)
        make, put = self.row_type.__new__, object.__setattr__
        for row, one in zip(standing, zip(*lists.values(), strict=True) if lists else repeat(()), strict=True):
            if row in self.bad:
                continue
            if checked:
                if (valid := self._validated(row, dict(zip(names, one, strict=True)))) is not None:
                    yield row, valid
                continue
            # every value has been read by its column, so pydantic has nothing left to do
            made = make(self.row_type)
            put(made, "__dict__", dict(zip(names, one, strict=True)))
            put(made, "__pydantic_fields_set__", given)
            put(made, "__pydantic_extra__", None)
            put(made, "__pydantic_private__", None)
            yield row, made

    def _validated(self, row: int, values: dict[str, Any]) -> Any:
        """A row whose fields have to agree with each other."""
        try:
            return self.row_type.read(values)
        except BadRow as bad:
            for line in bad.lines:
                self.say(row, 0, Remark("error", "row", line, f"该行各列相互矛盾：{line}"))
            return None

    def _formulas(self, made: int, row: int, position: int, formulas: dict[int, dict[str, str]]) -> None:
        number = self.sheet.numbers[self.indexes[row]]
        for name, at in ({**self.header.at, "price": position} if self.header.prices else self.header.at).items():
            if formula := self.sheet.formulas.get((number, at + 1)):
                formulas.setdefault(made, {})[name] = formula

    def _more(self) -> None:
        """One line for the findings of a kind that are too many to list."""
        for (code, position), count in self.kinds.items():
            if count > MOST_OF_A_KIND:
                shown = next(one for one in self.findings if one.code == code)
                cell = f"{column_letters(position + 1)}{self.sheet.numbers[self.indexes[0]]}"
                more = count - MOST_OF_A_KIND
                self.findings.append(replace(
                    shown, place=Place(self.file, self.sheet.name, cell), raw="", en=f"{more:,} more cells of the column: {shown.en}",
                    zh=f"本列还有 {more:,} 个同类单元格：{shown.zh}"))  # fmt: skip


class _Truth:
    """TRUE or FALSE as a key of its own."""

    def __init__(self, value: bool) -> None:
        self.value = value

    def __hash__(self) -> int:
        return hash(("truth", self.value))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Truth) and other.value is self.value


def _checks_itself(row_type: type[Row]) -> bool:
    """Whether a row type has rules over several fields."""
    found = row_type.__pydantic_decorators__.model_validators.values()
    return any(one.info.mode == "after" for one in found)
