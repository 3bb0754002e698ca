"""LibreOffice as the second engine of the parity tests: recalculates a workbook, or prints it to pictures."""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import openpyxl
import pytest
from openpyxl.utils.datetime import to_excel
from openpyxl.workbook.workbook import Workbook

from gpusheet.workbook.evaluate import CellError, Value, Values

# 0 = always: without it LibreOffice shows the values that a file of another program carries
PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop>
</item>
</oor:items>
"""
CACHED = re.compile(rb"<c\b([^>]*)>(<f\b[^>]*?(?:/>|>[^<]*</f>))<v\b[^>]*?(?:/>|>[^<]*</v>)")
TYPE = re.compile(rb" t=\"\w+\"")


def needed(program: str) -> str:
    """The path of `program`; without it the test is skipped, or fails where GPUSHEET_REQUIRE_PARITY=1."""
    found = shutil.which(program)
    if found:
        return found
    message = f"{program} is not installed, so this workbook cannot be recalculated by LibreOffice"
    if os.environ.get("GPUSHEET_REQUIRE_PARITY") == "1":
        pytest.fail(f"{message} (GPUSHEET_REQUIRE_PARITY=1)")
    pytest.skip(message)


@cache
def _profile() -> TemporaryDirectory[str]:
    # one profile per test process: LibreOffice refuses to share one, and making it takes a second
    folder = TemporaryDirectory(prefix="gpusheet-soffice-")
    (Path(folder.name) / "user").mkdir()
    (Path(folder.name) / "user" / "registrymodifications.xcu").write_text(PROFILE, encoding="utf-8")
    return folder


def _convert(path: Path, form: str, folder: Path, seconds: int) -> Path:
    soffice = needed("soffice")
    command = [soffice, f"-env:UserInstallation={Path(_profile().name).as_uri()}", "--headless", "--norestore"]
    command += ["--convert-to", form, "--outdir", str(folder), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    out = folder / f"{path.stem}.{form}"
    assert out.exists(), f"soffice wrote no {out.name}: {done.stdout}{done.stderr}"
    return out


def without_values(path: Path, copy: Path) -> None:
    """Copies a workbook without the cached values of its formula cells (LibreOffice trusts some it is given)."""
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as target:
        for name in source.namelist():
            part = source.read(name)
            if name.startswith("xl/worksheets/") and name.endswith(".xml"):
                part = CACHED.sub(lambda cell: b"<c" + TYPE.sub(b"", cell.group(1)) + b">" + cell.group(2), part)
            target.writestr(name, part)


@contextmanager
def _bare_copy(path: Path) -> Iterator[Path]:
    with TemporaryDirectory(prefix="gpusheet-parity-") as name:
        copy = Path(name) / "bare" / f"{path.stem}.xlsx"
        copy.parent.mkdir()
        without_values(path, copy)
        yield copy


def recalculate(path: Path, seconds: int = 300) -> Workbook:
    """The workbook with the values that LibreOffice calculates for it. An empty text is None, as openpyxl reads it."""
    with _bare_copy(path) as copy:
        return openpyxl.load_workbook(_convert(copy, "xlsx", copy.parent.parent, seconds), data_only=True)


def to_pictures(path: Path, folder: Path, dots_per_inch: int = 60, seconds: int = 300) -> list[Path]:
    """Prints the recalculated workbook, one PNG per page, into `folder`; the files in page order."""
    pdftoppm = needed("pdftoppm")
    folder.mkdir(parents=True, exist_ok=True)
    with _bare_copy(path) as copy:
        pdf = _convert(copy, "pdf", copy.parent.parent, seconds)
        subprocess.run([pdftoppm, "-r", str(dots_per_inch), "-png", str(pdf), str(folder / path.stem)], check=True)
    return sorted(folder.glob(f"{path.stem}-*.png"))


def differences(book: Workbook, values: Values, recalculated: Workbook) -> list[str]:
    """The formula cells of `book` whose value in `values` is not the one in `recalculated`, one line each."""
    found = []
    for sheet in book.worksheets:
        others = recalculated[sheet.title]
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type != "f":
                    continue
                ours, theirs = values.at(sheet.title, cell.coordinate), others[cell.coordinate].value
                if not _same(ours, theirs, 1e-8 if sheet.title == "Checks" else 1e-15):  # sums less sums
                    found.append(f"{sheet.title}!{cell.coordinate} {cell.value}: {ours!r}, LibreOffice: {theirs!r}")
    return found


def _same(ours: Value, theirs: object, smallest: float) -> bool:
    if isinstance(theirs, datetime | date | time):
        theirs = to_excel(theirs)  # day 0 is read as a time
    if isinstance(ours, float) and isinstance(theirs, int | float):
        return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=smallest)
    return (None if ours == "" else ours) == theirs if not isinstance(ours, CellError) else ours.text == theirs
