"""What an edited workbook holds that is not read: what of it goes along, and a line for each thing that does not."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from openpyxl.utils import range_boundaries

from gpusheet.workbook.carry import CarriedColumn, CarriedLog, CarriedNote, CarriedSheet, log_entries, log_header
from gpusheet.workbook.lambda_names import is_ours
from gpusheet.workbook.layout import OPTIONAL, SHEETS, role_of
from gpusheet.workbook.reading.cells import shown
from gpusheet.workbook.reading.edited import ANEW, Edited, cells_of, lost
from gpusheet.workbook.reading.features import (
    CHART,
    COMMENT,
    CONDITIONAL,
    TABLE,
    THREAD,
    VALIDATION,
    SheetPart,
    relations,
    rule_key,
    sheet_parts,
)
from gpusheet.workbook.reading.rows import CARRIED
from gpusheet.workbook.reading.strays import comments, links_and_fills, strays
from gpusheet.workbook.reading.typed_over import typed_over

COPY = "copy it into the new book in Excel"
LOCAL = "_xlnm"  # begins the names that programs keep for print areas and filters


@dataclass
class Rest:
    """What goes along, and what does not."""

    sheets: list[CarriedSheet] = field(default_factory=list)
    notes: list[CarriedNote] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


def rest_of(edited: Edited) -> Rest:
    """Everything but the inputs."""
    rest = Rest()
    log = _log(edited)
    if log is not None:
        rest.notes.append(log)
    for name in CARRIED:
        if name not in edited.tables:
            continue
        table = edited.tables[name]
        for title, values in table.own.items():
            column = CarriedColumn(name, title, tuple(values), tuple(table.formats[title]))
            if column.special:
                rest.notes.append(column)
    for part in sheet_parts(edited.package):
        title = part.title
        if title in OPTIONAL:
            continue  # static: it is not carried over, and the reader says so
        if title not in edited.our_sheets:
            reasons = _why_not(edited, part)
            if reasons:
                rest.lost.append(lost(title, f"the sheet is not carried over, as it has {', '.join(reasons)}", COPY))
            else:
                rest.sheets.append(CarriedSheet(edited.book[title]))
            continue
        if title in edited.input_sheets:
            rest.lost += [*strays(edited, title), *links_and_fills(edited, title)]
        elif edited.same_version:
            rest.lost += typed_over(edited, title)
        for comment in comments(edited, title):
            if isinstance(comment, str):
                rest.lost.append(comment)
            else:
                rest.notes.append(comment)
        rest.lost += _features(edited, part)
    rest.lost += _book(edited)
    rest.lost = list(dict.fromkeys(rest.lost))
    return rest


def _why_not(edited: Edited, part: SheetPart) -> list[str]:
    """What a sheet of the user's has that would be lost in a copy; nothing where it can be copied whole."""
    if part.kind != "worksheet" or part.title not in edited.book.sheetnames:
        return [f"no cells ({part.kind})"]
    sheet: Any = edited.book[part.title]
    reasons = []
    formulas = [cell.coordinate for cell in cells_of(sheet).values() if cell.data_type == "f"]
    if formulas:
        reasons.append(f"{len(formulas)} formula{'s' if len(formulas) > 1 else ''} (first at {formulas[0]})")
    reasons += [str(feature) for feature in part.features]
    reasons += [f"the name {name}" for name in sheet.defined_names if not name.startswith(LOCAL)]
    return list(dict.fromkeys(reasons))


def _log(edited: Edited) -> CarriedLog | None:
    """The version log of the Cover, where it has entries that the new book would not make itself."""
    if "Cover" not in edited.book.sheetnames:
        return None
    header = log_header(edited.book["Cover"])
    made = log_header(edited.made["Cover"])
    if header is None or made is None:
        return None
    entries = log_entries(edited.book["Cover"], header)
    edited.log.update(("Cover", header + 1 + row, column) for row in range(len(entries)) for column in range(1, 5))
    return CarriedLog(entries) if entries and entries != log_entries(edited.made["Cover"], made) else None


def _features(edited: Edited, part: SheetPart) -> Iterator[str]:
    """Lines for what was put on a sheet of ours beside cells."""
    title = part.title
    made = edited.made_sheet(title)
    rules = {"|".join(rule_key(rule.type, rule.operator, rule.formula))
             for area in made.conditional_formatting for rule in area.rules}  # fmt: skip
    drawn = [feature.at for feature in part.features if feature.kind == CHART]
    if len(drawn) > len(made._charts):
        what = f"found {len(drawn)} charts ({', '.join(drawn)}), of which gpusheet made {len(made._charts)}"
        yield lost(title, f"{what}; the others are not carried over", COPY)
    for feature in part.features:
        if feature.kind in (CHART, COMMENT, THREAD, TABLE):
            continue  # charts are counted, comments and the cells of tables named one by one
        if feature.kind == CONDITIONAL and feature.key and set(feature.key) <= rules:
            continue
        if feature.kind == VALIDATION and _on_our_columns(edited, title, feature.at):
            continue
        yield lost(title, f"{feature} is not carried over", ANEW)
    for name in edited.book[title].defined_names:
        if not name.startswith(LOCAL):
            yield lost(title, f"the name {name} is not carried over", ANEW)


def _on_our_columns(edited: Edited, title: str, areas: str) -> bool:
    """Whether a validation touches a column of ours, where our own is written anew."""
    chooser = edited.factors.chooser
    if chooser is not None and title == "Cover":
        return areas == str(chooser.coordinate)
    ours = {position for table in edited.tables_on(title) for position in table.area.at.values()}
    if edited.factors.sheet is not None and edited.factors.sheet.title == title:
        ours.add(edited.factors.column)
    for area in areas.split():
        left, _, right, _ = range_boundaries(area)
        if ours & set(range(left or 1, (right or 1) + 1)):
            return True
    return False


def _book(edited: Edited) -> Iterator[str]:
    """Lines for what belongs to no sheet."""
    package, book = edited.package, edited.book
    if not edited.same_version:
        titles = ", ".join(name for name in SHEETS if role_of(name) != "input")
        what = "the book does not say that this version of gpusheet wrote it; what was typed over formulas is not told"
        yield lost(titles, f"{what} apart", "compare the new book with this one")
    for name, defined in book.defined_names.items():
        ours = name in edited.made.defined_names or is_ours(name, defined.attr_text)
        if not ours and not defined.hidden and not name.startswith(LOCAL):
            yield lost(f"name {name}", f"defined as {shown(defined.attr_text)}, is not carried over", ANEW)
    names = package.names()
    if any(name.endswith("vbaProject.bin") for name in names):
        yield lost(package.name, "the macros are not carried over", "copy them in the editor of Excel (Alt+F11)")
    for name in names:
        if re.fullmatch(r"xl/externalLinks/[^/]+\.xml", name):
            target = posixpath.basename(next((target for _, _, target in relations(package, name)), ""))
            yield lost(package.name, f"the link to the workbook {target!r} is not carried over", "type the values in")
    if "xl/connections.xml" in names:
        yield lost(package.name, "data connections are not carried over", ANEW)
    if any(name.startswith("xl/model/") for name in names):
        yield lost(package.name, "the data model is not carried over", ANEW)
