"""What stands on the input sheets beside the inputs, and what inputs have beside their values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from openpyxl.utils import column_index_from_string, get_column_letter

from gpusheet.workbook.assumptions_sheet import VALID
from gpusheet.workbook.carry import CarriedComment
from gpusheet.workbook.reading.areas import COMPUTED
from gpusheet.workbook.reading.cells import blocks, formula_of, shown, text_of
from gpusheet.workbook.reading.edited import Edited, cells_of, lost
from gpusheet.workbook.reading.rows import CARRIED, Table
from gpusheet.workbook.reading.typed_over import spelling
from gpusheet.workbook.recalculation.deviations import digits

LABELS = 6  # columns of Assumptions after the value that gpusheet writes: unit to flag


def strays(edited: Edited, title: str) -> Iterator[str]:
    """Lines for the cells of an input sheet that are neither read nor written by us."""
    texts, numbers = _known(edited, title)
    heads = {table.area.header: table for table in edited.tables_on(title)}
    skipped = _skipped(edited, title)
    found: dict[tuple[int, int], Any] = {}
    for (row, column), cell in cells_of(edited.book[title]).items():
        value = cell.value
        if value is None or (title, row, column) in edited.inputs or (row, column) in skipped:
            continue
        if isinstance(value, str) and (not value.strip() or _plain(text_of(value)) in texts):
            continue
        if row in heads:
            yield from _head(heads[row], column, text_of(value))
            continue
        above = (table for table in heads.values() if row > table.area.header)
        computed = next((table for table in above if column in _computed(table)), None)
        if computed is not None:
            if cell.data_type != "f":
                place = computed.area.place(_computed(computed)[column], row)
                yield lost(place, f"typed {shown(value)} over a formula; it is not read", "change the row's inputs")
        elif (column, _kept(value)) not in numbers:
            found[row, column] = cell
    for where, members in blocks(found):
        cell = found[members[0]]
        what = shown(formula_of(cell) or cell.value)
        what += f" and {len(members) - 1} more cells" if len(members) > 1 else ""
        yield lost(f"{title}!{where}", f"{what} beside the inputs is not carried over")


def _known(edited: Edited, title: str) -> tuple[set[str], set[tuple[int, Any]]]:
    """Our texts on an input sheet, and our numbers with their columns."""
    cells = cells_of(edited.made_sheet(title))
    texts = {_plain(cell.value) for cell in cells.values() if isinstance(cell.value, str)}
    return texts, {(column, _kept(cell.value)) for (_, column), cell in cells.items() if not isinstance(cell.value, str)}


def _kept(value: Any) -> Any:
    """A value as every program keeps it."""
    return digits(value) if isinstance(value, float) else value


def _plain(text: str) -> str:
    """A text to compare by; formulas without what programs spell differently."""
    return spelling(text) if text.startswith("=") else text.strip()


def _skipped(edited: Edited, title: str) -> set[tuple[int, int]]:
    """Cells about which something is said elsewhere, or which another version of gpusheet may have written."""
    factors = edited.factors
    found: set[tuple[int, int]] = set()
    for table in edited.tables_on(title):
        if table.area.name not in CARRIED:  # the header names what is lost
            found |= {(row, at) for row in table.numbers for at in table.area.own.values()}
        if not edited.same_version:
            width = range(1, max(table.area.positions.values()) + 1)
            found |= {(row, column) for row in range(1, table.area.header) for column in width}
    if factors.sheet is not None and factors.sheet.title == title:
        found |= factors.said
        flags = column_index_from_string(VALID)
        cells = cells_of(edited.book[title])
        found |= {at for at, cell in cells.items() if at[1] == flags and cell.data_type == "f"}
        if not edited.same_version:
            width = range(1, factors.column + LABELS + 1)
            found |= {(row, column) for row in range(1, factors.end + 1) for column in width}
    return found


def _computed(table: Table) -> dict[int, str]:
    names = COMPUTED.get(table.area.name, set())
    return {position: name for name, position in table.area.at.items() if name in names}


def _head(table: Table, column: int, title: str) -> Iterator[str]:
    area = table.area
    if column in area.at.values() or (area.name in CARRIED and column in area.own.values()):
        return
    place = f"{area.sheet.title}!{get_column_letter(column)}{area.header}"
    yield lost(place, f"the column {title!r} of the table {area.name} is not carried over")


def links_and_fills(edited: Edited, title: str) -> Iterator[str]:
    """Lines for links and colours of inputs: the values stay, these do not."""
    book: Any = edited.book
    made: Any = edited.made
    cells = cells_of(book[title])
    fills = {_color(fill) for fill in made._fills}
    marked = []
    for row, column in [(row, column) for name, row, column in edited.inputs if name == title]:
        cell = cells.get((row, column))
        if cell is None:
            continue
        link = cell.hyperlink and (cell.hyperlink.target or cell.hyperlink.location)
        if link and link != cell.value:
            yield lost(f"{title}!{cell.coordinate}", f"the link to {link} is not carried over", "type it as text")
        if _color(book._fills[cell._style.fillId]) not in fills:
            marked.append((row, column))
    if marked:
        where = ", ".join(area for area, _ in blocks(marked))
        yield lost(f"{title}!{where}", "the fill colour of inputs is not carried over", "colour them anew")


def _color(fill: Any) -> str:
    """A fill's colour without its transparency; '' for no fill."""
    if getattr(fill, "fill_type", "gradient") is None:
        return ""
    color = getattr(fill, "fgColor", None)
    if color is None:
        return "gradient"
    return str(color.rgb)[-6:] if color.type == "rgb" else f"{color.type} {color.value} {color.tint}"


def comments(edited: Edited, title: str) -> Iterator[CarriedComment | str]:
    """Comments on inputs, to be carried; a line for each other one, and for threads."""
    for (row, column), cell in cells_of(edited.book[title]).items():
        comment = getattr(cell, "comment", None)
        if comment is None:
            continue
        author, text = str(comment.author or ""), text_of(comment.text)
        target = edited.inputs.get((title, row, column))
        threaded = author.startswith("tc=")  # so Excel marks the stand-in of a thread
        if target is not None and not threaded:
            yield CarriedComment(*target, text, author)
        else:
            kind = "comment thread" if threaded else "comment"
            yield lost(f"{title}!{cell.coordinate}", f"the {kind} {shown(text)} is not carried over")
