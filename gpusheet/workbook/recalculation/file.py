"""Recalculating a workbook file: into a file with its values, or into pandas frames."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZipFile

from gpusheet.errors import GpusheetError
from gpusheet.files import check_target, replacing
from gpusheet.workbook.package import packed
from gpusheet.workbook.reading.opening import open_package
from gpusheet.workbook.recalculation.calculate import calculate
from gpusheet.workbook.recalculation.cells import address
from gpusheet.workbook.recalculation.findings import Finding, cut, errors, not_calculated
from gpusheet.workbook.recalculation.parts import book_of
from gpusheet.workbook.recalculation.patch import patched
from gpusheet.xl.functions import functions

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Recalculated:
    """A workbook file with the values of its formulas, `errors` that cells show, and the cells without a value."""

    data: bytes
    formulas: int
    errors: tuple[Finding, ...]
    not_calculated: tuple[Finding, ...]
    remarks: tuple[str, ...]


def recalculated(path: Path | str) -> Recalculated:
    """Calculates a workbook of any program; the file stays as it is.

    Only values change in it: in formula cells and in cells that array formulas fill. A cell that cannot be calculated
    here, or that depends on one, has no value afterwards, rather than an old one.
    """
    package = open_package(path, kind="workbook")
    with ZipFile(BytesIO(package.data)) as archive:
        entries = archive.infolist()
        parts = {entry.filename: archive.read(entry) for entry in entries}
    book = book_of(package.name, parts)
    if book.signed:
        raise GpusheetError(
            f"{package.name}: is digitally signed, and new values would break the signature; remove it in Excel: File, Info"
        )
    result = calculate(book, parts, functions())
    without = not_calculated(result)
    changed = {
        part: patched(result, title, {place for sheet, place in without if sheet == title})
        for part, title in book.sheets.items()
    }
    remarks = cut(result)
    if book.links:
        remarks.append("values of other workbooks are those that were saved in this file")
    return Recalculated(
        data=packed(entries, parts | changed),
        formulas=sum(len(sheet.formulas) for sheet in result.sheets.values()),
        errors=tuple(errors(result, without)),
        not_calculated=tuple(Finding(f"{title}!{address(place)}", "", without[title, place])
                             for title in result.sheets for sheet, place in sorted(without) if sheet == title),
        remarks=tuple(remarks),
    )  # fmt: skip


def write_recalculated(path: Path | str, output: Path | str | None = None, force: bool = False) -> Recalculated:
    """Calculates a workbook and writes it with its values to `output`, or, with `force` only, over itself."""
    source = Path(path)
    target = source if output is None else Path(output)
    if source.exists() and target.exists() and target.samefile(source) and not force:
        raise GpusheetError(f"{path}: its values would be replaced; name another file with -o, or add --force")
    if target.suffix.lower() != source.suffix.lower():
        raise GpusheetError(f"{target}: found the ending {target.suffix!r}, allowed {source.suffix!r} as {source.name} has")
    check_target(target, force)
    done = recalculated(source)
    with replacing(target) as temporary:
        temporary.write_bytes(done.data)
    return done


def recalculate(path: Path | str, header: int | None = 0) -> dict[str, pandas.DataFrame]:
    """Calculates a workbook and returns its sheets as `pandas.read_excel(path, sheet_name=None)` would read them if
    the values had been saved; the file stays as it is.

    Cells that are errors are NaN; `frame.attrs["errors"]` says why for each, by address, as it does for cells that
    could not be calculated. `header` is the row of the column names, from 0, or None.

    >>> import openpyxl, tempfile
    >>> book = openpyxl.Workbook()
    >>> book.active.append(["cards", "tier"])
    >>> book.active.append([2.67, "=CARD_TIER(A2)"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     book.save(f"{folder}/cards.xlsx")
    ...     recalculate(f"{folder}/cards.xlsx")["Sheet"]["tier"].tolist()
    [4]
    """
    import pandas

    done = recalculated(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl's, of what it leaves out
        frames = pandas.read_excel(BytesIO(done.data), sheet_name=None, header=header, engine="openpyxl")
    for title, frame in frames.items():
        cells = [(*one.cell.rpartition("!"), one.why) for one in (*done.errors, *done.not_calculated)]
        frame.attrs["errors"] = {address: why for sheet, _, address, why in cells if sheet == title}
    return frames
