"""Every number that a budget rests on, 5% up and 5% down: does something follow, and do the checks stay green?

The numbers are those typed in Workloads and Assumptions, and of the other tables those of rows that a workload names.
A count moves by one. Nothing has to follow in Lookup, which only repeats inputs. Run in the checkout, with PYTHONPATH=. .
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from openpyxl.utils import column_index_from_string, coordinate_to_tuple

from gpusheet.catalog import Assumptions, Column, columns
from gpusheet.catalog.settings import Settings
from gpusheet.workbook.book import Built, build
from gpusheet.workbook.evaluate import Frame, engine_of, engine_values
from gpusheet.workbook.fetches import FETCHES
from gpusheet.workbook.inputs import Inputs, sample
from gpusheet.workbook.layout import FIRST_COLUMN
from gpusheet.workbook.lookup_offers import OFFERS
from gpusheet.workbook.package import pack
from gpusheet.workbook.reading.areas import ROW_TYPES

STEP = 0.05
ECHOES = {"Lookup", "Workloads", "Assumptions", *ROW_TYPES}


@dataclass(frozen=True)
class Number:
    """A typed number: where it stands and what it is."""

    sheet: str
    address: str
    column: Column
    value: float

    def shocked(self, sign: int) -> float | None:
        """The number after a shock; None where its field does not allow that."""
        moved = self.value + sign if self.column.whole else self.value * (1 + sign * STEP)
        low, high = self.column.ge, self.column.le
        inside = (low is None or moved >= low) and (high is None or moved <= high)
        above = self.column.gt is None or moved > self.column.gt
        return moved if inside and above and (self.column.lt is None or moved < self.column.lt) else None


def inputs() -> Inputs:
    """The sample, with its first two workloads once more as the serving method sizes them."""
    made = sample("en")
    again = [one.model_copy(update={"workload": f"{one.workload}, served", "sizing_method": "serving", "requests_per_day": 40_000.0,
                                    "concurrency": None}) for one in made.workloads[:2]]  # fmt: skip
    return replace(made, workloads=(*made.workloads, *again))


def numbers(built: Built, values: Mapping[str, Any]) -> Iterator[Number]:
    """The numbers on which the workloads rest."""
    sheet: Any = built.book["Assumptions"]
    for column in (*columns(Settings), *columns(Assumptions)):
        if column.kind == "number" and column.name in built.lookup.cells.rows:
            cell = sheet.cell(built.lookup.cells.rows[column.name], 3)
            if isinstance(cell.value, int | float):
                yield Number("Assumptions", cell.coordinate, column, float(cell.value))
    asked = referenced(built, values)
    for table, placed in built.placed.items():
        row_type = ROW_TYPES.get(table)
        if row_type is None or table in ("Earlier", "Actuals", "SignOff", "Contracts"):
            continue
        own: Any = built.book[placed.sheet]
        for number, row in enumerate(range(placed.first, placed.last + 1), 1):
            if number not in asked.get(table, {number}):
                continue
            for column in columns(row_type):
                cell = own[f"{placed.letters[column.name]}{row}"]
                if column.kind == "number" and isinstance(cell.value, int | float):
                    yield Number(placed.sheet, cell.coordinate, column, float(cell.value))


def referenced(built: Built, values: Mapping[str, Any]) -> dict[str, set[Any]]:
    """The numbers of the rows that Lookup found, by table; tables that it does not ask are not there."""
    lines = [(fetch.table, f"{fetch.prefix}_row") for fetch in FETCHES] + [("Prices", f"{offer}_line") for offer in OFFERS]
    found: dict[str, set[Any]] = defaultdict(set)
    for table, line in lines:
        found[table].update(values["Lookup"][built.lookup.rows[line] - 1][FIRST_COLUMN - 1 :])
    return found


def main() -> None:
    built = build(inputs(), "en", 12)
    with TemporaryDirectory() as folder:
        package = Path(folder, "book.xlsx")
        pack(built.book, package)
        frame = Frame.of(built.book)
        engine = engine_of(package, frame)
    engine.evaluate_all()

    def values() -> dict[str, Any]:
        return {title: engine_values(engine, title, *size) for title, size in frame.sizes.items() if title not in ECHOES}

    looked_up = {"Lookup": engine_values(engine, "Lookup", *frame.sizes["Lookup"])}
    before, still, red, tried = values(), [], [], 0
    for one in numbers(built, looked_up):
        row, column = coordinate_to_tuple(one.address)
        moved = False
        for sign in (1, -1):
            wanted = one.shocked(sign)
            if wanted is None or wanted == one.value:
                continue
            engine.set_value(one.sheet, row, column, wanted)
            engine.evaluate_all()
            after, tried = values(), tried + 1
            moved |= any(after[title] != before[title] for title in after)
            if after["Checks"][2][column_index_from_string("D") - 1] != "OK":
                failed = [line[1] for line in after["Checks"][6:] if len(line) > 5 and line[5] == 0.0]
                red.append(f"{one.sheet}!{one.address} {one.column.name} {one.value:g} -> {wanted:g}: {', '.join(map(str, failed))}")
        engine.set_value(one.sheet, row, column, one.value)
        if not moved:
            still.append(f"{one.sheet}!{one.address} {one.column.name} {one.value:g}")
    engine.evaluate_all()
    assert values() == before, "the book came back otherwise"
    print(f"{tried} shocks of {STEP:.0%}; nothing follows {len(still)} numbers; {len(red)} shocks turn a check red")
    for line in (*still, *red):
        print(" ", line)


if __name__ == "__main__":
    main()
