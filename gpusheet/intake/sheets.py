"""A file as sheets of cells: what a workbook or a CSV file holds, before anything is understood."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from gpusheet.intake.findings import CannotRead, Finding, Place
from gpusheet.intake.sniff import Checked, Kind, WrongFile, encoding_of, read_checked

DELIMITERS = ",;\t|"


@dataclass(frozen=True)
class ErrorCell:
    """A cell that holds an error such as #REF!."""

    code: str

    def __str__(self) -> str:
        return self.code


@dataclass(frozen=True)
class Unsaved:
    """A formula whose value was not saved with the file."""

    formula: str

    def __str__(self) -> str:
        return self.formula


@dataclass
class Sheet:
    """Cells by row and column. `lines` are the rows that hold something, `numbers` their row numbers from 1."""

    name: str
    numbers: list[int] = field(default_factory=list)
    lines: list[list[Any]] = field(default_factory=list)
    formulas: Mapping[tuple[int, int], str] = field(default_factory=dict)  # (row, column) from 1, with the leading =
    formats: Mapping[tuple[int, int], str] = field(default_factory=dict)  # "%" or a currency that the format shows
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)
    merges: list[tuple[int, int, int, int]] = field(default_factory=list)  # top, left, bottom, right
    tables: list[SheetTable] = field(default_factory=list)
    epoch_1904: bool = False
    typed: bool = True  # a number may be a number; in CSV all is text
    hidden: bool = False


@dataclass(frozen=True)
class SheetTable:
    """An Excel table: its area with header, and how many rows of totals it ends with."""

    name: str
    top: int
    left: int
    bottom: int
    right: int
    totals: int = 0


@dataclass(frozen=True)
class Opened:
    """A file that was opened. Sheets are read when they are asked for."""

    file: str
    kind: Kind
    names: tuple[str, ...]
    read: Callable[[str], Sheet]
    hidden: frozenset[str] = frozenset()

    def sheets(self) -> list[Sheet]:
        return [self.read(name) for name in self.names]


def open_file(source: Path | str) -> Opened:
    """The sheets of a workbook, or the one of a CSV file; what cannot be read is refused with one line.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "prices.csv").write_bytes("型号;单价\\nL20;4\\n".encode("gb18030"))
    ...     open_file(f"{folder}/prices.csv").sheets()[0].lines
    [['型号', '单价'], ['L20', '4']]
    """
    checked = read_checked(source)
    if checked.kind is Kind.CSV:
        if Path(source).suffix.lower().startswith(".xls"):
            raise WrongFile("csv", f"{checked.name}: found text such as CSV in a file named as a workbook; rename it to "
                            f"{Path(source).stem}.csv, or save it in Excel as 'Excel Workbook (*.xlsx)'",
                            f"{checked.name}：内容是 CSV 之类的文本，却用了工作簿的扩展名；请改名为 {Path(source).stem}.csv，"
                            "或用 Excel 另存为“Excel 工作簿(*.xlsx)”")  # fmt: skip
        sheet = _csv_sheet(checked)
        return Opened(checked.name, checked.kind, ("",), lambda _: sheet)
    from gpusheet.intake.xlsx import Workbook

    book = Workbook(checked)
    return Opened(checked.name, checked.kind, book.names, book.sheet, book.hidden)


def _csv_sheet(checked: Checked) -> Sheet:
    encoding = encoding_of(checked.data) or "utf-8"
    try:
        text = checked.data.decode(encoding)
    except UnicodeDecodeError as error:
        raise _bad_csv(checked.name, f"byte {error.start + 1:,} is no {encoding.upper()} text",
                       f"第 {error.start + 1:,} 个字节不是 {encoding.upper()} 文本") from None  # fmt: skip
    sheet = Sheet("", typed=False)
    delimiter = _delimiter(text)
    try:
        for number, cells in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), 1):
            if number == 1 and len(cells) == 2 and cells[0].casefold() == "sep=":  # Excel's note of the delimiter
                continue
            if any(cell.strip() for cell in cells):
                sheet.numbers.append(number)
                sheet.lines.append([cell or None for cell in cells])
    except csv.Error as error:
        row = sheet.numbers[-1] + 1 if sheet.numbers else 1
        raise _bad_csv(checked.name, f"row {row} on: {error}, as where a quotation mark is not closed",
                       f"第 {row} 行起：{error}，例如引号未成对") from None  # fmt: skip
    return sheet


def _delimiter(text: str) -> str:
    """The mark that parts the cells: the one most seen in the first lines, outside quotes."""
    start = text[:20000]
    if start[:4].casefold() == "sep=" and start[4:5] in DELIMITERS and start[5:6] in "\r\n":
        return start[4]
    outside = "".join(start.split('"')[::2]).splitlines()[:50]
    return max(DELIMITERS, key=lambda mark: sum(min(line.count(mark), 20) for line in outside))


def _bad_csv(name: str, en: str, zh: str) -> CannotRead:
    return CannotRead([Finding("error", "bad-csv", Place(name), "", f"{en}; save it as 'CSV UTF-8'",
                               f"{zh}；请另存为“CSV UTF-8”")])  # fmt: skip


@cache
def column_number(letters: str) -> int:
    """A column's number from 1.

    >>> column_number("A"), column_number("AA")
    (1, 27)
    """
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


@cache
def column_letters(number: int) -> str:
    """The letters of a column.

    >>> column_letters(1), column_letters(28)
    ('A', 'AB')
    """
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters
