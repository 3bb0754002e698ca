"""A workbook of any program as the checks see it: every cell with its formula, its value and its style."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from xml.etree.ElementTree import Element, fromstring

from openpyxl.formula.translate import Translator
from openpyxl.styles.numbers import is_date_format
from openpyxl.workbook.workbook import Workbook

from gpusheet.audit.parsing import Shapes
from gpusheet.audit.shapes import Area, Shape
from gpusheet.workbook.recalculation.cells import address, area_of
from gpusheet.workbook.recalculation.parts import Book

Place = tuple[int, int]  # row and column
_CHART = re.compile(rb"<(?:\w+:)?f(?:\s[^>]*)?>([^<]+)</")
_PIVOT = re.compile(rb"<worksheetSource\b[^>]*>")


@dataclass(slots=True)
class Cell:
    """A cell that is not blank. `kind`: n number (a date too), s text, b flag, e error, "" a formula without a value."""

    value: Any
    kind: str
    style: int
    shape: Shape | None = None

    @property
    def typed_number(self) -> bool:
        return self.shape is None and self.kind == "n"

    @property
    def number(self) -> float | None:
        return self.value if self.kind == "n" else None


@dataclass
class Sheet:
    """A worksheet. `stub` is openpyxl's, without cells."""

    title: str
    cells: dict[Place, Cell]
    stub: Any
    hidden_rows: frozenset[int]  # but for grouped ones
    styled: frozenset[Place]  # blank cells that a person is meant to fill in
    shapes: Shapes
    links: tuple[tuple[str, str], ...] = ()  # cells with a link inside the book, and where it leads
    rows: dict[int, list[int]] = field(default_factory=dict)  # the filled columns of each row, ascending
    columns: dict[int, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for row, column in sorted(self.cells):
            self.rows.setdefault(row, []).append(column)
            self.columns.setdefault(column, []).append(row)

    @cached_property
    def formulas(self) -> dict[Place, Shape]:
        return {place: cell.shape for place, cell in self.cells.items() if cell.shape and not cell.shape.filled}

    @cached_property
    def size(self) -> Place:
        return max(self.rows, default=0), max(self.columns, default=0)

    def value(self, row: int, column: int) -> Any:
        cell = self.cells.get((row, column))
        return cell.value if cell else None

    def text(self, row: int, column: int) -> str:
        """The text of a cell; empty where it holds something else."""
        cell = self.cells.get((row, column))
        return str(cell.value).strip() if cell and cell.kind == "s" else ""

    def formula(self, place: Place) -> str:
        """The formula of a cell as it stands there; empty where it has none of its own."""
        shape = self.formulas.get(place)
        if shape is None:
            return ""
        _, row, column = shape.place
        return str(Translator(shape.text, origin=address((row, column))).translate_formula(address(place)))

    @cached_property
    def tables(self) -> list[tuple[str, Area, int]]:
        """Name, whole range and number of header rows of each table."""
        found = []
        for table in self.stub.tables.values():
            top, left, bottom, right = area_of(table.ref)
            header = 1 if table.headerRowCount is None else table.headerRowCount
            found.append((table.displayName, Area(self.title, top, left, bottom, right), header))
        return found

    def in_table(self, row: int, column: int) -> bool:
        return any(area.covers(row, column) for _, area, _ in self.tables)


@dataclass
class AuditBook:
    """A workbook to be judged."""

    name: str
    parts: Mapping[str, bytes]
    outline: Book
    stub: Workbook
    shapes: Shapes
    sheets: dict[str, Sheet]

    @cached_property
    def ours(self) -> bool:
        """Whether gpusheet has written it."""
        noted: Any = self.stub
        return any(one.name == "gpusheet_version" for one in noted.custom_doc_props.props)

    def number_format(self, cell: Cell) -> str:
        return self._formats[cell.style] if cell.style < len(self._formats) else "General"

    def is_date(self, cell: Cell) -> bool:
        return cell.kind == "n" and self._dates[cell.style] if cell.style < len(self._dates) else False

    def font(self, style: int) -> Any:
        stub: Any = self.stub
        styles = stub._cell_styles
        return stub._fonts[styles[style].fontId] if style < len(styles) else None

    def color(self, style: int) -> str:
        """RRGGBB of the font; empty for the automatic one and for theme colours."""
        if style not in self._colors:
            font = self.font(style)
            value = font.color.rgb if font is not None and font.color is not None and font.color.type == "rgb" else ""
            self._colors[style] = str(value)[-6:].upper()
        return self._colors[style]

    def unlocked(self, style: int) -> bool:
        stub: Any = self.stub
        styles = stub._cell_styles
        if style >= len(styles):
            return False
        protection = stub._protections[styles[style].protectionId]
        return protection.locked is False

    def is_bold(self, style: int) -> bool:
        font = self.font(style)
        return bool(font is not None and font.bold)

    @cached_property
    def _formats(self) -> list[str]:
        from openpyxl.styles.numbers import BUILTIN_FORMATS, BUILTIN_FORMATS_MAX_SIZE

        stub: Any = self.stub
        own = stub._number_formats
        found = []
        for style in stub._cell_styles:
            number = style.numFmtId
            if number < BUILTIN_FORMATS_MAX_SIZE:
                found.append(BUILTIN_FORMATS.get(number, "General"))
            else:
                at = number - BUILTIN_FORMATS_MAX_SIZE
                found.append(own[at] if at < len(own) else "General")
        return found

    @cached_property
    def _dates(self) -> list[bool]:
        return [is_date_format(one) for one in self._formats]

    @cached_property
    def _colors(self) -> dict[int, str]:
        return {}

    @cached_property
    def chart_areas(self) -> list[Area]:
        """What charts and pivot tables read."""
        first = next(iter(self.sheets), "")
        found = []
        for name, part in self.parts.items():
            if name.startswith("xl/charts/"):
                for text in _CHART.findall(part):
                    found += self.shapes.areas_of(plain(text), first)
            elif name.startswith("xl/pivotCache/"):
                for source in _PIVOT.findall(part):
                    found += self._pivot_source(fromstring(source if source.endswith(b"/>") else source[:-1] + b"/>"))
        return found

    def _pivot_source(self, source: Element) -> list[Area]:
        sheet, ref, name = source.get("sheet"), source.get("ref"), source.get("name")
        text = f"'{sheet}'!{ref}" if sheet and ref else f"{name}[#All]" if name else ""
        return self.shapes.areas_of(text, next(iter(self.sheets))) if text else []

    def where(self, sheet: str, row: int, column: int) -> str:
        return f"{sheet}!{address((row, column))}"


def plain(text: bytes) -> str:
    """What an attribute or a formula says, without the escapes of XML."""
    return text.decode().replace("&amp;", "&").replace("&apos;", "'").replace("&quot;", '"')
