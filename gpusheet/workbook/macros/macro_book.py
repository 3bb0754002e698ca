"""The empty template as a macro-enabled workbook: with our functions in VBA, the xlwings they need, and their gallery."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from openpyxl.utils.datetime import to_excel
from openpyxl.workbook.workbook import Workbook

from gpusheet.errors import GpusheetError
from gpusheet.files import check_target, replacing
from gpusheet.workbook.book import Outcome, build, outcome
from gpusheet.workbook.cached import cached_value, write_with_values
from gpusheet.workbook.examples import template
from gpusheet.workbook.gallery_sheet import SHEET, put_gallery
from gpusheet.workbook.macros.vba_project import THIS_WORKBOOK, Project
from gpusheet.workbook.package import repacked
from gpusheet.workbook.style import Look
from gpusheet.xl.classic import vba

SETTINGS_SHEET = "_xlwings.conf"  # without its underscore xlwings reads it
STANDALONE = "quickstart_standalone.xlsm"  # of xlwings: its VBA in a workbook
SAMPLE_MODULE = "Module1"  # in it, with a call of a script that we do not have

_PROJECT = "xl/vbaProject.bin"
_OVERRIDE = f'<Override PartName="/{_PROJECT}" ContentType="application/vnd.ms-office.vbaProject"/></Types>'
_PLAIN = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
_MACROS = "application/vnd.ms-excel.sheet.macroEnabled.main+xml"
_RELATION = (
    '<Relationship Id="rIdVba" Type="http://schemas.microsoft.com/office/2006/relationships/vbaProject" '
    'Target="vbaProject.bin"/></Relationships>'
)
_CELL = re.compile(rb'<c r="([A-Z]+[0-9]+)"([^>]*?)(?: t="\w+")?>(<f[^>]*>[^<]*</f>)<v>[^<]*</v></c>')


def write_macro_book(target: Path, lang: str = "en", force: bool = False) -> Outcome:
    """Writes the template with the sheet Functions and the VBA of all functions; it appears whole or not at all."""
    check_target(target, force)
    project = xlwings_project()
    inputs = template(lang)
    built = build(inputs, lang)
    gallery = put_gallery(built.book, Look(lang))
    _put_settings(built.book, lang)
    built.book.code_name = THIS_WORKBOOK
    names = [f"Sheet{number}" for number in range(1, len(built.book.worksheets) + 1)]
    for sheet, name in zip(built.book.worksheets, names, strict=True):
        sheet.sheet_properties.codeName = name
    part = f"xl/worksheets/{names[built.book.sheetnames.index(SHEET)].lower()}.xml"
    with replacing(target) as temporary, TemporaryDirectory(prefix="gpusheet-") as folder:
        plain = Path(folder, "plain.xlsx")
        values = write_with_values(built.book, plain, consume=True)
        packed = project.with_modules(names, [vba.module()], without=[SAMPLE_MODULE]).packed()
        repacked(plain, temporary, _Change(part, gallery.values))
        with ZipFile(temporary, "a", ZIP_DEFLATED) as package:
            entry = ZipInfo(_PROJECT, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.compress_type = 0, ZIP_DEFLATED
            package.writestr(entry, packed)
    return outcome(built, values, inputs, target)


def xlwings_project() -> Project:
    """The VBA project that the installed xlwings ships for workbooks that do without its add-in."""
    found = find_spec("xlwings")
    if found is None or found.origin is None:
        raise GpusheetError("xlwings is not installed, whose VBA the workbook needs; get it: python -m pip install xlwings")
    source = Path(found.origin).with_name(STANDALONE)
    try:
        with ZipFile(source) as package:
            return Project.read(package.read(_PROJECT))
    except (OSError, KeyError, BadZipFile) as error:
        hint = "install it anew: python -m pip install --force-reinstall xlwings"
        raise GpusheetError(f"{source}: xlwings' VBA cannot be read ({error}); {hint}") from None


def _put_settings(book: Workbook, lang: str) -> None:
    """Settings of this workbook only; xlwings leaves them until the sheet's name has lost its underscore."""
    sheet: Any = book.create_sheet(SETTINGS_SHEET)
    rows = (("Interpreter_Win", None), ("PYTHONPATH", None), ("UDF Modules", vba.UDF_MODULE), ("Show Console", False))
    for row in rows:
        sheet.append(row)
    note = {
        "en": "gpusheet udf install writes these settings for all workbooks. For this workbook alone: fill them in and "
        "rename the sheet to xlwings.conf.",
        "zh": "gpusheet udf install 会为所有工作簿写入这些设置。仅用于本工作簿时：填写后将工作表改名为 xlwings.conf。",
    }[lang]
    sheet["A7"] = note  # a blank row ends the settings
    Look(lang).text(sheet["A7"])
    sheet.column_dimensions["A"].width = 18
    sheet.column_dimensions["B"].width = 60


class _Change:
    """Makes the package one with macros, and puts the values of the functions into their cells."""

    def __init__(self, sheet_part: str, values: Mapping[str, Any]) -> None:
        self.sheet_part = sheet_part
        self.values = values

    def __call__(self, name: str, part: bytes) -> bytes:
        if name == "[Content_Types].xml":
            return _ended(part.replace(_PLAIN.encode(), _MACROS.encode()), "</Types>", _OVERRIDE)
        if name == "xl/_rels/workbook.xml.rels":
            return _ended(part, "</Relationships>", _RELATION)
        return self._sheet(part) if name == self.sheet_part else part

    def _sheet(self, part: bytes) -> bytes:
        part, count = _CELL.subn(self._cell, part)
        if count != len(self.values):
            raise AssertionError(f"{SHEET}: {count} of {len(self.values)} calls were given their value")
        return part

    def _cell(self, match: re.Match[bytes]) -> bytes:
        address, attributes, formula = match.groups()
        value = self.values[address.decode()]
        if isinstance(value, datetime.date):
            value = float(to_excel(value))
        written = cached_value(value)
        if written is None:
            raise AssertionError(f"{SHEET}!{address.decode()}: {value!r} is no value of a cell")
        kind, text = written
        return b'<c r="%b"%b%b>%b<v>%b</v></c>' % (address, attributes, kind, formula, text)


def _ended(part: bytes, end: str, other: str) -> bytes:
    """A part that ends in more; that it ended as it should is checked."""
    if part.count(end.encode()) != 1:
        raise AssertionError(f"a part does not end in {end}")
    return part.replace(end.encode(), other.encode())
