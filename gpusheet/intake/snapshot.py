"""Price snapshots of a person's own: a folder of CSV files, one for each import and day, which are added to and never changed.

The folder is named by whoever runs the command; it is never inside the installed package, which an update replaces.
"""

from __future__ import annotations

import csv
import datetime
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import gpusheet
from gpusheet.catalog import BadRow, Catalog, Price, columns
from gpusheet.catalog.load import csv_lines
from gpusheet.errors import GpusheetError, UnknownName
from gpusheet.files import creating
from gpusheet.intake.guard import csv_cell, like_a_formula
from gpusheet.intake.sniff import CSV_FILE, read_checked

FOLDER = Path("prices")  # of the current folder, where no other is named
_NAMED = re.compile(r"(\d{4}-\d\d-\d\d)(?:_.*)?", re.ASCII | re.DOTALL)
_HEADER = tuple(column.name for column in columns(Price))


def write(prices: Sequence[Price], folder: Path, name: str) -> list[Path]:
    """Writes the prices of each day to a new file of the folder; refuses where there is one of that day and name.

    >>> import tempfile
    >>> one = next(p for p in Catalog.builtin().prices if p.listing == "p5.48xlarge")
    >>> with tempfile.TemporaryDirectory() as made:
    ...     [file] = write([one], Path(made), "AWS us-east")
    ...     file.name, read_file(file) == [one]
    ('2026-09-06_aws-us-east.csv', True)
    """
    targets = plan(prices, folder, name)
    if not folder.exists():
        try:
            folder.mkdir()
        except OSError as error:
            raise GpusheetError(f"{folder}: the folder cannot be made ({error.strerror}); make it, or choose another") from None
    written: list[Path] = []
    for path, rows in targets.items():
        try:
            _write_one(path, rows)
        except GpusheetError as error:
            done = ", ".join(one.name for one in written)
            raise GpusheetError(f"{error}{f'; written before: {done}' if done else ''}") from None
        written.append(path)
    return written


def plan(prices: Sequence[Price], folder: Path, name: str) -> dict[Path, list[Price]]:
    """Which files would be written with which prices; what would be refused is refused here."""
    if not prices:
        raise GpusheetError("no price to write; see what was refused and why")
    if Path(os.path.realpath(folder)).is_relative_to(Path(gpusheet.__file__).resolve().parent):
        raise GpusheetError(f"{folder}: is inside the installed gpusheet, which an update replaces; choose a folder of your own")
    if folder.exists() and not folder.is_dir():
        raise GpusheetError(f"{folder}: is a file; give the folder of the snapshots")
    days: dict[datetime.date, list[Price]] = {}
    for price in prices:
        days.setdefault(price.snapshot_date, []).append(price)
    targets = {folder / file_name(day, name): rows for day, rows in sorted(days.items())}
    for path in targets:
        if path.exists():
            raise _exists(path)
    return targets


def file_name(day: datetime.date, name: str) -> str:
    """The file of a day.

    >>> file_name(datetime.date(2026, 10, 27), "AutoDL 西北B区"), file_name(datetime.date(2026, 10, 27), "")
    ('2026-10-27_autodl-西北b区.csv', '2026-10-27.csv')
    """
    plain = re.sub(r"[^\w.]+", "-", name.casefold()).strip("-._")[:60]
    return f"{day.isoformat()}_{plain}.csv" if plain else f"{day.isoformat()}.csv"


def read_file(path: Path) -> list[Price]:
    """The prices of a snapshot; each has to be of the day in the file's name."""
    read_checked(path, CSV_FILE)
    match = _NAMED.fullmatch(path.stem)
    lines = csv_lines(path)
    header = [str(cell).strip() for _, cells in [next(lines, (1, []))] for cell in cells]
    if header != list(_HEADER):
        raise GpusheetError(
            f"{path.name}: not a snapshot, whose columns are {', '.join(_HEADER)}; bring it in by gpusheet prices import")
    wrong: list[str] = []
    prices: list[Price] = []
    for number, cells in lines:
        place = f"{path.name} row {number}"
        if len(cells) != len(header):
            wrong.append(f"{place}: {len(cells)} cells under {len(header)} headers; put text with commas in quotes")
            continue
        try:
            price = Price.read({name: _unguarded(cell) for name, cell in zip(header, cells, strict=True)}, place)
        except BadRow as bad:
            wrong += bad.lines
            continue
        if match and price.snapshot_date.isoformat() != match[1]:
            wrong.append(f"{place}: found snapshot_date {price.snapshot_date}, allowed {match[1]}, as the file is named")
        prices.append(price)
    if wrong:
        raise BadRow(wrong)
    return prices


def read_folder(folder: Path) -> list[Price]:
    """All prices of a folder of snapshots, the oldest first."""
    if not folder.is_dir():
        raise GpusheetError(f"{folder}: there is no such folder; bring prices in by gpusheet prices import FILE --to {folder}")
    try:
        files = sorted(path for path in folder.glob("*.csv") if path.is_file() and not path.name.startswith("."))
    except OSError as error:
        raise GpusheetError(f"{folder}: cannot be read ({error.strerror})") from None
    strange = [path.name for path in files if not _NAMED.fullmatch(path.stem)]
    if strange:
        raise GpusheetError(
            f"{folder / strange[0]}: a snapshot's name begins with its day, such as {file_name(datetime.date(2026, 10, 27), 'aws')}; "
            "rename it, or move it elsewhere")  # fmt: skip
    if not files:
        raise GpusheetError(f"{folder}: has no snapshot; bring prices in by gpusheet prices import FILE --to {folder}")
    return [price for path in files for price in read_file(path)]


def with_snapshots(catalog: Catalog, folder: Path, own_first: bool = False) -> Catalog:
    """A catalog with a folder's prices beside its own; of one offer on one day, the folder's stands, or its own."""
    added = read_folder(folder)
    for price in added:
        try:
            catalog.find_gpu(price.gpu)
        except UnknownName as error:
            raise GpusheetError(f"{folder}: {error}") from None
    prices = merged(catalog.prices, added) if own_first else merged(added, catalog.prices)
    return replace(catalog, prices=tuple(prices))


def merged(prices: Sequence[Price], others: Iterable[Price]) -> list[Price]:
    """Prices, and after them those of others that have no offer of the same day among them."""
    known = {_offer(price) for price in prices}
    return [*prices, *(price for price in others if _offer(price) not in known)]


def valid(prices: Iterable[Price], day: datetime.date) -> list[Price]:
    """What was valid on a day: of each list, card and pricing model the newest at or before it."""
    rows = [price for price in prices if price.snapshot_date <= day]
    newest: dict[tuple[str, ...], datetime.date] = {}
    for row in rows:
        newest[_key(row)] = max(row.snapshot_date, newest.get(_key(row), row.snapshot_date))
    return [row for row in rows if newest[_key(row)] == row.snapshot_date]


def _key(price: Price) -> tuple[str, ...]:
    return price.price_list.casefold(), price.gpu.casefold(), price.pricing_model


def _offer(price: Price) -> tuple[Any, ...]:
    return *_key(price), (price.listing or "").casefold(), price.cards, price.period, price.snapshot_date


def _exists(path: Path) -> GpusheetError:
    return GpusheetError(
        f"{path}: there is a snapshot of that day already, and snapshots are never changed; give another --date, or "
        "delete the file yourself if it is wrong")  # fmt: skip


def _write_one(path: Path, prices: Sequence[Price]) -> None:
    try:
        with creating(path) as temporary, temporary.open("x", encoding="utf-8-sig", newline="") as file:
            writer = csv.writer(file, lineterminator="\r\n")
            writer.writerow(_HEADER)
            writer.writerows([_guarded(value) for value in _values(price)] for price in prices)
    except FileExistsError:
        raise _exists(path) from None
    except UnicodeEncodeError as error:
        raise GpusheetError(f"{path}: {error.object[error.start:error.end]!r} is no character; type the text anew") from None


def _values(price: Price) -> Iterator[Any]:
    row: Mapping[str, Any] = dict(price)
    return (row[name] for name in _HEADER)


def _guarded(value: Any) -> str:
    if isinstance(value, str) and _unguarded(value) != value:
        return f"'{value}"  # an apostrophe of the person's own stays one
    return csv_cell(value)


def _unguarded(cell: str) -> str:
    rest = cell[1:]
    return rest if cell.startswith("'") and (like_a_formula(rest) or _unguarded(rest) != rest) else cell
