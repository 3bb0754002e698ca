"""Price tables and workbooks that something has happened to: the same ones for the same numbers, wherever they are made."""

from __future__ import annotations

import csv
import datetime
import io
import random
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from editing import _saved, small
from openpyxl.workbook.workbook import Workbook

LONGEST = 10  # seconds
HEADERS = [
    ["日期", "供应商", "型号", "卡数", "单价", "币种", "计价对象", "计价周期", "计费方式", "含税", "来源"],
    ["snapshot_date", "price_list", "gpu", "cards", "price", "currency", "per", "period", "pricing_model", "tax", "source"],
]  # fmt: skip
ROW = ["2026-10-27", "甲云", "H20-96G", 8, 13.94, "CNY", "card", "hour", "on_demand", "included", "报价单 17"]
NASTY: list[Any] = [
    13.94, 0, -1, 1e308, 5e-324, float(10**15), True, None, "", " ", "***", "- - -", "面议", "N/A", "#REF!", "¥1,020.00", "1 200",
    "1\xa0073", "￥１，９５６．５０",
    "10 800,00", "1.234.567,8", "12,5", "1e3", "0x10", "１２", "三百", "1/2", "50%", "$4/hr", "13.94元/卡时",
    "=1+1", "=E2*0.95", "=#REF!*2", "+1", "-1", "@SUM(1)", "\t=1", "'=1", "nan", "inf", "-inf", "1e400", "9" * 400, "a" * 40000,
    "\u202e1234", "\u0000", "\ufeff", "١٢٣", "½", "a\nb", '"', "'", ",", ";", "\r", "2026-10-27", "27.10.2026", "46322", 46322,
    datetime.datetime(2026, 10, 27), datetime.date(1900, 1, 1), datetime.time(12, 30), datetime.timedelta(days=3), "2026年10月27日",
    "2026-02-30", "H20", "h20 96g", "card", "单卡", "整机", "month", "月", "USD", "人民币", "RMB", "€",
]  # fmt: skip
SNIPPETS = [b"<", b">", b"&", b"\x00", b'"', b"\xff\xfe", b"<!DOCTYPE x [", b"&#0;", b"]]>", b'r="A1048577"', b'r="ZZZZ9"', b't="s"',
            b"<v>99999999</v>", b'ref="A1:XFD1048576"', b"<c/>", b"</row>", b"<row>", b"1e999", b"\n", b'"\n', b",,,,", b"=cmd|",
            b'style="9"',
            b's="9999"', b"-1", b"99999999999999999999"]  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A file to be read, and how many rows of prices it is known to have; None where that cannot be told."""

    path: Path
    kind: str
    rows: int | None = None


def mutant(number: int, folder: Path) -> Mutant:
    """The mutant of that number. Values and bytes of tables take turns; every 40th is a budget workbook."""
    chance = random.Random(number)
    if number % 40 == 39:
        path = folder / "budget.xlsx"
        path.write_bytes(_in_parts(chance, _saved("en")) if number % 80 == 39 else _in_bytes(chance, _saved("en")))
        return Mutant(path, "budget")
    make = (_csv_values, _workbook_values, _csv_bytes, _workbook_parts, _workbook_bytes)[number % 5]
    return make(chance, folder)


def _rows(chance: random.Random) -> list[list[Any]]:
    """A header and rows in whose last columns anything may stand; the first three say that a row is there."""
    header = list(chance.choice(HEADERS))
    rows = []
    for number in range(chance.randint(1, 12)):
        row: list[Any] = list(ROW)
        row[1] = f"甲云{number}"
        for _ in range(chance.randint(0, 4)):
            row[chance.randrange(3, len(row))] = chance.choice(NASTY)
        if chance.random() < 0.05:
            row[0] = chance.choice(NASTY)
        rows.append(row)
    if chance.random() < 0.3:
        order = list(range(len(header)))
        chance.shuffle(order)
        header, rows = [header[i] for i in order], [[row[i] for i in order] for row in rows]
    return [header, *rows]


def _csv(rows: list[list[Any]], chance: random.Random) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=chance.choice(",,,;\t"), lineterminator="\r\n")  # else a lone \r is not quoted
    writer.writerows([str(cell).replace("\x00", "") if cell is not None else "" for cell in row] for row in rows)
    return text.getvalue().encode(chance.choice(["utf-8", "utf-8-sig", "gb18030", "utf-16"]), "replace")


def _csv_values(chance: random.Random, folder: Path) -> Mutant:
    rows = _rows(chance)
    (folder / "prices.csv").write_bytes(_csv(rows, chance))
    return Mutant(folder / "prices.csv", "csv values", len(rows) - 1)


def _csv_bytes(chance: random.Random, folder: Path) -> Mutant:
    (folder / "prices.csv").write_bytes(_in_bytes(chance, _csv(_rows(chance), chance)))
    return Mutant(folder / "prices.csv", "csv bytes")


def _workbook(rows: list[list[Any]]) -> bytes:
    book, file = Workbook(), io.BytesIO()
    sheet = book.worksheets[0]
    for number, row in enumerate(rows, 1):
        for column, value in enumerate(row, 1):
            fits = value[:32000].replace("\x00", "") if isinstance(value, str) else value
            sheet.cell(number, column).value = fits
    book.save(file)
    return file.getvalue()


def _workbook_values(chance: random.Random, folder: Path) -> Mutant:
    rows = _rows(chance)
    (folder / "prices.xlsx").write_bytes(_workbook(rows))
    return Mutant(folder / "prices.xlsx", "workbook values", len(rows) - 1)


@cache
def _seed(number: int) -> bytes:
    return _workbook(_rows(random.Random(number)))


def _workbook_parts(chance: random.Random, folder: Path) -> Mutant:
    (folder / "prices.xlsx").write_bytes(_in_parts(chance, _seed(chance.randrange(50))))
    return Mutant(folder / "prices.xlsx", "workbook parts")


def _workbook_bytes(chance: random.Random, folder: Path) -> Mutant:
    (folder / "prices.xlsx").write_bytes(_in_bytes(chance, _seed(chance.randrange(50))))
    return Mutant(folder / "prices.xlsx", "workbook bytes")


def _in_bytes(chance: random.Random, data: bytes) -> bytes:
    """A few bytes changed, cut out, doubled or put in."""
    made = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 5, 20])):
        at, length = chance.randrange(len(made) + 1), chance.choice([1, 1, 2, 8, 100])
        deed = chance.randrange(6)
        if deed == 0:
            made[at : at + length] = chance.randbytes(length)
        elif deed == 1:
            del made[at : at + length]
        elif deed == 2:
            made[at:at] = made[at : at + length]
        elif deed == 3:
            made[at:at] = chance.choice(SNIPPETS)
        elif deed == 4 and at < len(made):
            made[at] ^= 1 << chance.randrange(8)
        elif deed == 5 and chance.random() < 0.2:
            del made[at:]
    return bytes(made)


def _in_parts(chance: random.Random, data: bytes) -> bytes:
    """Changes inside the parts of a workbook, whose checksums are then right; a part may go."""
    with ZipFile(io.BytesIO(data)) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    for name in chance.sample(sorted(parts), k=min(len(parts), chance.choice([1, 1, 2]))):
        part, deed = parts[name], chance.randrange(4)
        if deed == 0:
            parts[name] = _in_bytes(chance, part)
        elif deed == 1:
            found = list(re.finditer(rb'"[^"<>]*"', part))
            for match in chance.sample(found, k=min(len(found), 2)):
                value = chance.choice(SNIPPETS).replace(b'"', b"").replace(b"<", b"").replace(b"&", b"")
                parts[name] = part[: match.start() + 1] + value + part[match.end() - 1 :]
        elif deed == 2:
            found = list(re.finditer(rb"<[^<>]*/>|<(\w+)[^<>]*>[^<>]*</\1>", part))
            if found:
                match = chance.choice(found)
                parts[name] = part[: match.start()] + match[0] * chance.choice([0, 2, 3]) + part[match.end() :]
        elif chance.random() < 0.3:
            del parts[name]
    made = io.BytesIO()
    with ZipFile(made, "w", ZIP_DEFLATED) as file:
        for name, part in parts.items():
            file.writestr(name, part)
    return made.getvalue()


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Raises TimeoutError in what takes longer of the processor, where the system can."""
    if not hasattr(signal, "SIGPROF"):
        yield
        return

    def late(*_: Any) -> None:
        raise TimeoutError(f"not done after {seconds} s")

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def read_as_its_kind(path: Path) -> Any:
    """A table as prices are read; a budget workbook as it is, and as prices are brought into it: in place."""
    from gpusheet.catalog import Price
    from gpusheet.intake.reader import read_table

    if path.stem != "budget":
        return read_table(path, Price)
    from gpusheet.errors import GpusheetError
    from gpusheet.workbook.price_update import updated
    from gpusheet.workbook.reader import read_book

    day = datetime.date(2026, 12, 1)
    new = [price.model_copy(update={"price": 1.5 * price.price, "snapshot_date": day, "source": "=1+1"})
           for price in small().catalog.prices[:2]]  # fmt: skip
    try:
        made = updated(path, new, as_of=day)
    except GpusheetError:
        return read_book(path)
    with ZipFile(path) as old, ZipFile(io.BytesIO(made.data)) as changed:
        assert old.namelist() == changed.namelist()
        assert [name for name in old.namelist() if old.read(name) != changed.read(name)] == list(made.parts)
    return read_book(path)


def outcome(one: Mutant, read: Callable[[Path], Any]) -> str:
    """What becomes of a file: 'read', 'refused', or what is wrong with how it was read."""
    from gpusheet.errors import GpusheetError

    try:
        with at_most(LONGEST):
            table = read(one.path)
    except GpusheetError as error:
        return "refused" if str(error) and "Traceback" not in str(error) else f"{one.kind}: an error without words"
    except Exception as error:
        return f"{one.kind}: {type(error).__name__}: {error}"
    if not hasattr(table, "present"):
        return "read"
    if table.present != len(table.rows) + table.reported:
        return f"{one.kind}: {table.present} rows present, {len(table.rows)} read, {table.reported} reported"
    if one.rows is not None and table.present != one.rows:
        return f"{one.kind}: {one.rows} rows written, {table.present} found"
    return "read"
