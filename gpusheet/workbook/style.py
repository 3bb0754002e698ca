"""How cells look: colours by role, fonts for both languages, number formats by unit, widths, printing."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable
from copy import copy
from functools import cache
from typing import Any

from openpyxl.cell import Cell
from openpyxl.styles import Alignment, Border, Font, PatternFill, Protection, Side
from openpyxl.styles.cell_style import StyleArray
from openpyxl.styles.numbers import FORMAT_GENERAL
from openpyxl.utils import get_column_letter, range_boundaries
from openpyxl.worksheet.worksheet import Worksheet

from gpusheet.units import Unit

# role -> colour of its tab and of its title band
ROLES = {
    "cover": "1F3864",
    "input": "2F5597",
    "calculation": "595959",
    "output": "385723",
    "static": "7F6000",  # numbers that were written and stay
    "check": "C55A11",
}
INPUT, FORMULA, LINK = "0000FF", "000000", "00803C"
FONT_NAMES = {"en": "Calibri", "zh": "Microsoft YaHei"}

_THIN = Side(style="thin", color="BFBFBF")
_TOP = Border(top=Side(style="thin", color="404040"))
UNLOCKED = Protection(locked=False)


@cache
def font(lang: str, color: str = FORMULA, bold: bool = False, size: float = 10, italic: bool = False) -> Font:
    return Font(name=FONT_NAMES[lang], size=size, bold=bold, italic=italic, color=color)


@cache
def fill(color: str) -> PatternFill:
    return PatternFill("solid", start_color=color, end_color=color)


def _inset(on: bool, shrink: bool = False) -> dict[str, Any]:
    """Text stands off the number at its left."""
    return {"horizontal": "left", "indent": 1, "shrink_to_fit": shrink} if on else {}


INPUT_FILL, HEADER_FILL, GROUP_FILL = "FFFBE6", "D9E2F3", "EDEDED"


class SharedStyle(StyleArray):  # type: ignore[misc]  # openpyxl has no types here
    """The style of many cells, one object for all: a copy for each would be a third of the memory of a big book."""

    __slots__ = ()

    def __setitem__(self, *_: Any) -> None:
        raise TypeError("this style is shared by other cells: copy it, as the methods of Look do")


class Look:
    """Styles cells of a workbook in one language."""

    def __init__(self, lang: str) -> None:
        self.lang = lang
        self._styles: dict[Any, Any] = {}

    def title(self, sheet: Worksheet, text: str, hint: str, role: str) -> None:
        """Row 1: the sheet's title; row 2: what it is for."""
        sheet["A1"] = text
        sheet["A1"].font = font(self.lang, "FFFFFF", bold=True, size=14)
        sheet.row_dimensions[1].height = 24
        sheet["A2"] = hint
        sheet["A2"].font = font(self.lang, "595959", italic=True)
        sheet.sheet_properties.tabColor = ROLES[role]
        sheet.sheet_view.showGridLines = False
        sheet.sheet_view.zoomScale = 90

    def band(self, sheet: Worksheet, role: str, columns: int) -> None:
        """The coloured band behind the title, as wide as the sheet."""
        for column in range(1, columns + 1):
            sheet.cell(1, column).fill = fill(ROLES[role])
            sheet.cell(1, column).alignment = Alignment(vertical="center")

    def text(
        self, cell: Any, bold: bool = False, color: str = FORMULA, wrap: bool = False, italic: bool = False,
        indent: bool = False,
    ) -> None:  # fmt: skip
        def dress() -> None:
            cell.font = font(self.lang, color, bold, italic=italic)
            cell.alignment = Alignment(wrap_text=wrap, vertical="center", **_inset(indent))

        self._dressed(cell, ("text", bold, color, wrap, italic, indent), dress)

    def _dressed(self, cell: Any, kind: tuple[Any, ...], dress: Callable[[], None]) -> None:
        """Dresses a cell. One without a style takes that of the first of its kind, in a tenth of the time."""
        key = (id(cell.parent.parent), *kind)
        plain = not cell.has_style
        if plain and key in self._styles:
            cell._style = copy(self._styles[key])
            return
        _own_style(cell)
        dress()
        if plain:
            self._styles[key] = copy(cell._style)

    def header(self, cell: Any, wrap: bool = True, shrink: bool = False) -> None:
        def dress() -> None:
            cell.font = font(self.lang, bold=True)
            cell.fill = fill(HEADER_FILL)
            cell.alignment = Alignment(wrap_text=wrap, shrink_to_fit=shrink, vertical="center", horizontal="center")
            cell.border = Border(bottom=_THIN)

        self._dressed(cell, ("header", wrap, shrink), dress)

    def group(self, sheet: Worksheet, row: int, text: str, columns: int) -> None:
        """A row that begins a group of lines."""
        for column in range(1, columns + 1):
            sheet.cell(row, column).fill = fill(GROUP_FILL)
        cell = sheet.cell(row, 1, text)
        cell.font = font(self.lang, bold=True)

    def input(self, cell: Any, unit: Unit | None) -> None:
        _own_style(cell)
        cell.font = font(self.lang, INPUT)
        cell.fill = fill(INPUT_FILL)
        cell.border = Border(bottom=_THIN)
        cell.protection = UNLOCKED
        cell.number_format = number_format(unit)
        cell.alignment = Alignment(vertical="center", **_inset(is_text(unit)))

    def formula(self, cell: Any, unit: Unit | None, bold: bool = False) -> None:
        """Black, or green where the formula reads another sheet."""
        link = is_link(str(cell.value))

        def dress() -> None:
            cell.font = font(self.lang, LINK if link else FORMULA, bold)
            cell.number_format = "General" if is_text(unit) else number_format(unit)
            cell.alignment = Alignment(vertical="center", **_inset(is_text(unit), shrink=True))

        self._dressed(cell, ("formula", link, unit, bold), dress)

    def formula_style(self, sheet: Worksheet, formula: str, unit: Unit) -> Any:
        """The style that `formula` gives, made once for each book, kind of formula and unit."""
        key = (id(sheet.parent), is_link(formula), unit)
        if key not in self._styles:
            cell: Any = Cell(sheet, 1, 1)
            cell._value = formula
            self.formula(cell, unit)
            self._styles[key] = SharedStyle(cell._style)
        return self._styles[key]

    def input_style(
        self, sheet: Worksheet, unit: Unit, number_format: str | None = None, quoted: bool = False, wrap: bool = False
    ) -> Any:
        """The style that `input` gives, with another number format where one is given, made once for each."""
        key = (id(sheet.parent), unit, number_format, quoted, wrap)
        if key not in self._styles:
            cell: Any = Cell(sheet, 1, 1)
            self.input(cell, unit)
            if number_format:
                cell.number_format = number_format
            cell.quotePrefix = quoted
            if wrap:
                cell.alignment = Alignment(vertical="center", wrap_text=True, **_inset(True))
            self._styles[key] = SharedStyle(cell._style)
        return self._styles[key]

    def total(self, cell: Any, unit: Unit | None) -> None:
        self.formula(cell, unit, bold=True)
        cell.border = _TOP


def _own_style(cell: Any) -> None:
    if isinstance(cell._style, SharedStyle):
        cell._style = copy(cell._style)


_OWN_ROW = re.compile(r"\[\[#(This Row|Headers)\],[^=<>*+&/]*?\]\]")


def is_link(formula: str) -> bool:
    """Whether a formula reads another sheet, by its name or by one of its tables; its own row of a table is here."""
    elsewhere = _OWN_ROW.sub("", formula)
    return "!" in elsewhere or "[" in elsewhere


def is_text(unit: Unit | None) -> bool:
    return unit is None or unit.number_format == "@"


def number_format(unit: Unit | None) -> str:
    return unit.number_format if unit else FORMAT_GENERAL


def width_of(text: object) -> float:
    """Columns that a text takes; a wide character counts two.

    >>> width_of("GPU"), width_of("显存")
    (3, 4)
    """
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in str(text))


STANDARD_WIDTH = 8.43  # of a column, in characters
PAGE_WIDTH = 330.0  # characters on an A4 page in landscape, where the print is just readable
SLACK = 0.15  # of a page, for which the print is made smaller instead


def set_widths(sheet: Worksheet, widths: Iterable[float], first: int = 1) -> None:
    for offset, width in enumerate(widths):
        sheet.column_dimensions[get_column_letter(first + offset)].width = width


def printing(
    sheet: Worksheet, lang: str, title_rows: str, area: str, title_columns: str | None = None, tall: int = 0
) -> None:
    """A4 landscape, titles repeated, page numbers in the footer; as many pages wide as leave the print readable.

    `tall` is how many pages high the sheet may be; 0 leaves it to its rows.
    """
    sheet.page_setup.paperSize = sheet.PAPERSIZE_A4
    sheet.page_setup.orientation = "landscape"
    properties: Any = sheet.sheet_properties.pageSetUpPr
    properties.fitToPage = True
    sheet.page_setup.fitToWidth = _pages_wide(sheet, area, title_columns)
    sheet.page_setup.fitToHeight = tall
    sheet.print_title_rows = title_rows
    if title_columns:
        sheet.print_title_cols = title_columns
    sheet.print_area = area
    footer: Any = sheet.oddFooter
    footer.center.text = "第 &P 页 / 共 &N 页" if lang == "zh" else "Page &P of &N"
    footer.left.text = "&A"
    sheet.page_margins.left = sheet.page_margins.right = 0.4
    sheet.page_margins.top, sheet.page_margins.bottom, sheet.page_margins.footer = 0.5, 0.8, 0.35


def _pages_wide(sheet: Worksheet, area: str, title_columns: str | None) -> int:
    """Pages side by side on which the columns of an area are printed at no less than some 45%; those of titles stand on each."""
    left, _, right, _ = range_boundaries(area)
    _, _, last_title, _ = range_boundaries(title_columns) if title_columns else (0, 0, 0, 0)
    widths = [float(sheet.column_dimensions[get_column_letter(column)].width or STANDARD_WIDTH) for column in range(left, right + 1)]
    titles = sum(widths[:last_title])
    return max(1, math.ceil((sum(widths) - titles) / (PAGE_WIDTH - titles) - SLACK))


def protect(sheet: Worksheet) -> None:
    """Against slips, without a password; outlines, columns and filters stay usable."""
    sheet.protection.sheet = True
    sheet.protection.formatColumns = False
    sheet.protection.formatRows = False
    sheet.protection.autoFilter = False
    sheet.protection.sort = False
