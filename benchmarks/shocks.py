"""Every number that a budget rests on, 5% up and 5% down: does something follow, and do the checks of the sums stay green?

The numbers are those of Workloads and Assumptions, and of the other tables those that Lookup has of the rows it found. A count
moves by one; of 0 there is no 5%. What nothing follows is moved further as well: limits that decide between two outcomes move
nothing until they are crossed. Nothing has to follow in Lookup, which only repeats inputs.
Run in the checkout, with PYTHONPATH=. .
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from openpyxl.utils import coordinate_to_tuple

from benchmarks.shocked_book import inputs
from gpusheet.catalog import Assumptions, Column, columns
from gpusheet.catalog.planning import HOURS
from gpusheet.catalog.settings import Settings
from gpusheet.workbook.book import Built, build
from gpusheet.workbook.checks_sheet import FIRST
from gpusheet.workbook.evaluate import calculated, engine_values
from gpusheet.workbook.fetches import FETCHES
from gpusheet.workbook.layout import FIRST_COLUMN
from gpusheet.workbook.lookup_offers import OFFERS
from gpusheet.workbook.reading.areas import ROW_TYPES

STEP = 0.05
FURTHER = (0.5, 2.0, 1e-3, 1e3)
ECHOES = {"Lookup", "Workloads", "Assumptions", *ROW_TYPES}
REFUSED = {  # checks of what is typed: a shock that makes it impossible has to turn them red
    "Settings, assumptions and constants that are not valid", "Workloads with incomplete or impossible inputs",
    "Calendar months with more than one season factor", "Workloads without a number of cards",
    "Settings and assumptions of the sheets of decisions that are not valid",
    "Values of scenarios that are no number within their bounds",
}  # fmt: skip
FOLLOWING = "Months without a budget total"


@dataclass(frozen=True)
class Number:
    """A typed number: where it stands and what it is."""

    sheet: str
    address: str
    column: Column
    value: float

    def shocked(self, factor: float) -> float | None:
        """The number after a shock; None where its field does not allow that."""
        moved = self.value * factor
        if self.column.whole:
            moved = round(moved) if factor in FURTHER else self.value + (1 if factor > 1 else -1)
        low, high = self.column.ge, self.column.le
        inside = (low is None or moved >= low) and (high is None or moved <= high)
        above = self.column.gt is None or moved > self.column.gt
        return moved if inside and above and (self.column.lt is None or moved < self.column.lt) else None

    def __str__(self) -> str:
        return f"{self.sheet}!{self.address} {self.column.name} {self.value:g}"


class Book:
    """The budget in an engine that calculates what depends on a changed cell."""

    def __init__(self) -> None:
        self.built = build(inputs(), "en", 12)
        self.engine, self.frame = calculated(self.built.book)
        self.before = self.values()

    def values(self) -> dict[str, Any]:
        return {title: self.sheet(title) for title in self.frame.sizes if title not in ECHOES}

    def sheet(self, title: str) -> Any:
        return engine_values(self.engine, title, *self.frame.sizes[title])

    def put(self, number: Number, value: float) -> None:
        self.engine.set_value(number.sheet, *coordinate_to_tuple(number.address), value)
        self.engine.evaluate_all()

    @staticmethod
    def failed(values: Mapping[str, Any]) -> set[str]:
        """The names of the checks that are red."""
        red = set()
        for line in values["Checks"][FIRST - 1 :]:
            if not isinstance(line[0], int | float):
                break  # the alerts come after a gap
            if line[5] != 1:
                red.add(str(line[1]))
        return red


def numbers(built: Built, found: Any) -> Iterator[Number]:
    """The numbers on which the workloads rest; `found` is what Lookup holds."""
    sheet: Any = built.book["Assumptions"]
    for column in (*columns(Settings), *columns(Assumptions)):
        if column.kind == "number" and column.name in built.lookup.cells.rows:
            cell = sheet.cell(built.lookup.cells.rows[column.name], 3)
            if isinstance(cell.value, int | float):
                yield Number("Assumptions", cell.coordinate, column, float(cell.value))
    asked = referenced(built, found)
    for table, placed in built.placed.items():
        row_type = ROW_TYPES.get(table)
        if row_type is None:
            continue
        own: Any = built.book[placed.sheet]
        every = {column.name for column in columns(row_type)}
        for number, row in enumerate(range(placed.first, placed.last + 1), 1):
            wanted = asked[table].get(number, set()) if table in asked else every
            if table == "Prices" and own[f"{placed.letters['per']}{row}"].value == "card":
                wanted = wanted - {"cards"}
            for column in columns(row_type):
                cell = own[f"{placed.letters[column.name]}{row}"]
                if column.name in wanted and column.kind == "number" and isinstance(cell.value, int | float) and cell.value:
                    yield Number(placed.sheet, cell.coordinate, column, float(cell.value))


def referenced(built: Built, found: Any) -> dict[str, dict[Any, set[str]]]:
    """The columns that Lookup asks for, by table and number of the row; tables that it does not ask are not there."""
    asked: dict[str, dict[Any, set[str]]] = defaultdict(lambda: defaultdict(set))
    for fetch in FETCHES:
        named = set(fetch.renamed) or {c.name for c in columns(fetch.row_type)} & set(built.lookup.rows) | set(fetch.also)
        for number in found[built.lookup.rows[f"{fetch.prefix}_row"] - 1][FIRST_COLUMN - 1 :]:
            asked[fetch.table][number] |= named
    for offer in OFFERS:
        for number in found[built.lookup.rows[f"{offer}_line"] - 1][FIRST_COLUMN - 1 :]:
            asked["Prices"][number] |= {"price", "cards"}
    made = inputs()
    curve = next(one.traffic_curve for one in made.workloads if one.workload == made.settings.looked_at)
    for number, one in enumerate(made.plans.curves, 1):
        asked["Curves"][number] |= set(HOURS) if one.curve == curve else set()
    return asked


def main() -> None:
    book, count = Book(), Counter[str]()
    print("red before:", sorted(book.failed(book.before)))
    said: dict[str, list[str]] = {"nothing follows": [], "a limit": [], "refused": [], "red": []}
    for one in numbers(book.built, book.sheet("Lookup")):
        followed = False
        for factor in (1 + STEP, 1 - STEP, *FURTHER):
            wanted, limit = one.shocked(factor), factor in FURTHER
            if wanted is None or (limit and followed):
                continue
            book.put(one, wanted)
            after = book.values()
            count["shocks"] += 1
            moved = after != book.before
            if moved and limit:
                said["a limit"].append(f"{one} -> {wanted:g}")
            followed |= moved
            red = book.failed(after) - book.failed(book.before)
            if red:
                kind = "refused" if red & REFUSED and not red - REFUSED - {FOLLOWING} else "red"
                said[kind].append(f"{one} -> {wanted:g}: {', '.join(sorted(red))}")
        book.put(one, one.value)
        count["numbers"] += 1
        if not followed:
            said["nothing follows"].append(str(one))
    assert book.values() == book.before, "the book came back otherwise"
    print(f"{count['numbers']} numbers, {count['shocks']} shocks of {STEP:.0%} and more")
    for kind, lines in said.items():
        print(f"{kind}: {len(lines)}", *lines, sep="\n  ")


if __name__ == "__main__":
    main()
