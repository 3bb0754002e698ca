"""Compound files (Microsoft's MS-CFB, version 3): the container of streams that a VBA project is kept in.

Own code, because what PyPI has either writes no stream that grew (olefile), may not be used in a closed product
(cfbwrite) or leaves bytes out (ms-ovba-compression, on which ms-ovba stands).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gpusheet.errors import GpusheetError

Path = tuple[str, ...]  # the storages above a stream and its own name

SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
SECTOR, MINI, CUTOFF = 512, 64, 4096  # streams below the cut-off are kept in mini sectors
FREE, END, FAT, NONE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFF
_HEADER = struct.Struct("<8s16x5H6x9I109I")
_ENTRY = struct.Struct("<64sHBB3I36xIQ")
_STORAGE, _STREAM, _ROOT = 1, 2, 5


def read(data: bytes) -> dict[Path, bytes]:
    """Every stream of a compound file, by its path.

    >>> read(write({("PROJECT",): b"Name", ("VBA", "dir"): bytes(5000)}))[("PROJECT",)]
    b'Name'
    """
    try:
        return _Reader(data).streams()
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise GpusheetError(f"this is no compound file that can be read ({error}); take a fresh copy of it") from None


class _Reader:
    def __init__(self, data: bytes) -> None:
        if data[:8] != SIGNATURE:
            raise GpusheetError("this is no compound file: it begins otherwise; take a fresh copy of it")
        numbers = _HEADER.unpack_from(data)
        if numbers[4] != SECTOR.bit_length() - 1:
            raise GpusheetError("this compound file is not of version 3; save it once with Excel")
        self.data = data
        _, directory, _, _, mini_fat, _, _, _ = numbers[7:15]
        fat_sectors = [sector for sector in numbers[15:] if sector != FREE]
        self.fat = self._numbers(b"".join(map(self._sector, fat_sectors)))
        self.mini_fat = self._numbers(self._chain(mini_fat)) if mini_fat != END else ()
        raw = self._chain(directory)
        self.entries = [_ENTRY.unpack_from(raw, place) for place in range(0, len(raw), _ENTRY.size)]
        root = self.entries[0]
        self.minis = self._chain(root[7]) if root[8] else b""

    def _sector(self, number: int) -> bytes:
        return self.data[(number + 1) * SECTOR : (number + 2) * SECTOR]

    @staticmethod
    def _numbers(raw: bytes) -> tuple[int, ...]:
        return struct.unpack(f"<{len(raw) // 4}I", raw)

    def _chain(self, first: int) -> bytes:
        return b"".join(map(self._sector, _followed(first, self.fat)))

    def streams(self) -> dict[Path, bytes]:
        found: dict[Path, bytes] = {}
        waiting: list[tuple[int, Path]] = [(self.entries[0][6], ())]
        while waiting:
            number, above = waiting.pop()
            if number == NONE:
                continue
            name, length, kind, _, left, right, child, first, size = self.entries[number]
            size &= 0xFFFFFFFF  # the rest is undefined in this version
            path = (*above, name[: length - 2].decode("utf-16-le"))
            waiting += [(left, above), (right, above)]
            if kind == _STREAM:
                found[path] = self._stream(first, size)
            else:
                waiting.append((child, path))
        return found

    def _stream(self, first: int, size: int) -> bytes:
        if size >= CUTOFF:
            return self._chain(first)[:size]
        minis = _followed(first, self.mini_fat) if size else []
        return b"".join(self.minis[mini * MINI : (mini + 1) * MINI] for mini in minis)[:size]


def _followed(first: int, table: Sequence[int]) -> list[int]:
    found: list[int] = []
    while first != END:
        if len(found) > len(table):
            raise GpusheetError("this compound file goes in a circle; take a fresh copy of it")
        found.append(first)
        first = table[first]
    return found


@dataclass
class _Entry:
    """A line of the directory: a storage with what is in it, or a stream."""

    name: str
    kind: int
    inside: list[_Entry] = field(default_factory=list)
    first: int = END
    size: int = 0
    number: int = 0
    black: bool = True
    left: int = NONE
    right: int = NONE
    child: int = NONE

    def packed(self) -> bytes:
        name = self.name.encode("utf-16-le")
        first = 0 if self.kind == _STORAGE else self.first
        return _ENTRY.pack(
            name, len(name) + 2, self.kind, self.black, self.left, self.right, self.child, first, self.size
        )  # fmt: skip


def write(streams: Mapping[Path, bytes]) -> bytes:
    """A compound file of these streams; equal streams make equal bytes."""
    root = _Entry("Root Entry", _ROOT)
    entries = [root]
    storages: dict[Path, _Entry] = {(): root}
    fat: list[int] = []
    mini_fat: list[int] = []
    sectors, minis = bytearray(), bytearray()
    for path, data in streams.items():
        for depth in range(1, len(path)):
            if path[:depth] not in storages:
                storages[path[:depth]] = _placed(_Entry(path[depth - 1], _STORAGE), storages[path[: depth - 1]], entries)
        entry = _placed(_Entry(path[-1], _STREAM, size=len(data)), storages[path[:-1]], entries)
        if data:
            small = len(data) < CUTOFF
            entry.first = _append(data, minis, mini_fat, MINI) if small else _append(data, sectors, fat, SECTOR)
    for storage in storages.values():
        storage.child = _tree(sorted(storage.inside, key=lambda one: (len(one.name), one.name.upper())))
    root.size = len(minis)
    root.first = _append(bytes(minis), sectors, fat, SECTOR) if minis else END
    directory = b"".join(entry.packed() for entry in entries)
    unused = _ENTRY.pack(b"", 0, 0, 0, NONE, NONE, NONE, 0, 0)
    directory += unused * (-len(entries) % (SECTOR // _ENTRY.size))
    first_directory = _append(directory, sectors, fat, SECTOR)
    packed_minis = struct.pack(f"<{len(mini_fat)}I", *mini_fat)
    packed_minis += struct.pack("<I", FREE) * (-len(mini_fat) % (SECTOR // 4))
    first_mini = _append(packed_minis, sectors, fat, SECTOR) if mini_fat else END
    return _with_header(bytes(sectors), fat, first_directory, first_mini, len(packed_minis) // SECTOR)


def _placed(entry: _Entry, storage: _Entry, entries: list[_Entry]) -> _Entry:
    if len(entry.name) > 31:
        raise GpusheetError(f"{entry.name}: the name of a stream has 31 characters at most")
    entry.number = len(entries)
    entries.append(entry)
    storage.inside.append(entry)
    return entry


def _append(data: bytes, to: bytearray, table: list[int], size: int) -> int:
    """Puts data at the end, in sectors that follow each other; the number of the first."""
    first, count = len(table), -(-len(data) // size)
    to += data + bytes(-len(data) % size)
    table += [*range(first + 1, first + count), END]
    return first


def _tree(entries: Sequence[_Entry]) -> int:
    """A red-black tree of sorted entries: the number of its root. Only the last, incomplete level is red."""
    levels = len(entries).bit_length()
    full = len(entries) + 1 == 1 << levels

    def grown(low: int, high: int, level: int) -> int:
        if low == high:
            return NONE
        middle = (low + high) // 2
        entry = entries[middle]
        entry.black = full or level < levels
        entry.left, entry.right = grown(low, middle, level + 1), grown(middle + 1, high, level + 1)
        return entry.number

    return grown(0, len(entries), 1)


def _with_header(sectors: bytes, fat: list[int], directory: int, mini_fat: int, mini_sectors: int) -> bytes:
    """The file: header, sectors, and last the table of sectors, which lists its own too."""
    per_sector = SECTOR // 4
    count = 1
    while len(fat) + count > count * per_sector:
        count += 1
    if count > 109:
        raise GpusheetError(f"a VBA project of {len(sectors)} bytes is too large to be written here")
    places = range(len(fat), len(fat) + count)
    table = [*fat, *[FAT] * count]
    table += [FREE] * (count * per_sector - len(table))
    header = _HEADER.pack(
        SIGNATURE, 0x3E, 3, 0xFFFE, 9, 6, 0, count, directory, 0, CUTOFF, mini_fat, mini_sectors, END, 0,
        *places, *[FREE] * (109 - count),
    )  # fmt: skip
    return header + sectors + struct.pack(f"<{len(table)}I", *table)
