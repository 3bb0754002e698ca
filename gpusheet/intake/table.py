"""What was read of one table: its rows, where each stood, and what there is to say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gpusheet.catalog import Row
from gpusheet.intake.findings import CannotRead, Finding, Place
from gpusheet.intake.headers import Header
from gpusheet.intake.sheets import Sheet, column_letters


class Places(Sequence[Place]):
    """Where each row stood: its price, or the first cell that was read of it."""

    def __init__(self, file: str, sheet: Sheet, origins: list[tuple[int, int]]) -> None:
        self.file, self.sheet, self.origins = file, sheet, origins

    def __len__(self) -> int:
        return len(self.origins)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[one] for one in range(*index.indices(len(self)))]
        return self.at(index, self.origins[index][1])

    def at(self, index: int, position: int) -> Place:
        """The cell of a row at a column's position."""
        number = self.sheet.numbers[self.origins[index][0]]
        return Place(self.file, self.sheet.name, f"{column_letters(position + 1)}{number}")


@dataclass
class Table:
    """The rows that were read; `present` are all that stood there, `reported` those that could not be read."""

    row_type: type[Row]
    sheet: Sheet
    header: Header
    rows: list[Any]
    places: Places
    findings: list[Finding]
    present: int
    reported: int
    missing: int = 0  # of those reported: rows that only lack their price
    formulas: Mapping[int, Mapping[str, str]] = field(default_factory=dict)  # by index of the row and field

    @property
    def errors(self) -> list[Finding]:
        return [one for one in self.findings if one.severity == "error"]

    def place(self, index: int, name: str) -> Place:
        """The cell that a field of a row was read from; the row's own where the table has no such column."""
        position = self.header.at.get(name)
        return self.places[index] if name == "price" or position is None else self.places.at(index, position)

    def cells(self, index: int) -> dict[str, Any]:
        """The cells of a row under headers that are nobody's, as they stand there."""
        line = self.sheet.lines[self.places.origins[index][0]]
        return {title: line[at] if at < len(line) else None for at, title in self.header.own().items()}

    def whole(self) -> list[Any]:
        """The rows, for whoever needs all of them, as a total does; refused where one could not be read."""
        if self.reported:
            file = Place(self.places.file, self.sheet.name)
            blocked = Finding(
                "error", "blocked", file, "", f"blocked: {self.reported} of {self.present} rows could not be read",
                f"已中止：{self.present} 行中有 {self.reported} 行无法读入")  # fmt: skip
            causes = [one for one in self.findings if one.severity == "error" or one.code == "missing-price"]
            raise CannotRead([blocked, *causes])
        return self.rows


def formula_note(places: Places, formulas: Mapping[int, Mapping[str, str]]) -> list[Finding]:
    """One line about prices that are computed in their sheet."""
    rows = [row for row, fields in formulas.items() if "price" in fields]
    if not rows:
        return []
    first = formulas[rows[0]]["price"]
    some, some_zh = (f"{len(rows):,} prices are formulas, such as", f"{len(rows):,} 个价格是公式，如") if len(rows) > 1 else (
        "the price is the formula", "价格是公式")  # fmt: skip
    return [Finding("note", "formula-price", places[rows[0]], first, f"{some} {first}; read by the value saved with it",
                    f"{some_zh} {first}；按文件中保存的结果读入")]  # fmt: skip
