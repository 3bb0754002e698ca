"""Limits of a workbook file, held before anything loads it: size, packing, cells, and XML that hides more than it shows.

Every part is unpacked once, in pieces and counted, because what a zip says of itself need not be true.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from gpusheet.errors import GpusheetError

MOST_BYTES = 400_000_000  # of all parts together, unpacked
MOST_RATIO, RATIO_FROM = 200, 50_000_000  # packed far tighter than a workbook of numbers can be
MOST_PARTS = 10_000
MOST_CELLS = 5_000_000  # of all sheets
MOST_ROWS = 1_048_576  # of a sheet, as in Excel
MOST_SPREAD = 1_000_000  # cells that merged areas and links cover
_PIECE, _TAKEN = 1 << 20, 1 << 16  # unpacked and packed bytes at a time
_KEPT = _PIECE  # the most that is kept of a piece, for a tag that is cut in two
_HEADER = 30  # bytes of an entry's own header before its name

_XML = re.compile(r".*\.(xml|rels|vml)", re.IGNORECASE | re.DOTALL)
_DECLARED = re.compile(rb"""^<\?xml[^>]*?\sencoding\s*=\s*["']([\w.-]+)""")
_ENCODINGS = (b"utf-8", b"us-ascii", b"ascii", b"iso-8859-1", b"windows-1252")
_SPREAD = re.compile(
    rb"""<(?:\w+:)?(?:mergeCell|hyperlink)\s[^>]*?\bref\s*=\s*["']([A-Za-z]+)([0-9]+):([A-Za-z]+)([0-9]+)["']""")
_ROOT = re.compile(rb"<(\w+:)?worksheet\b")
_FAR = re.compile(rb"""<(?:\w+:)?row\s[^>]*?\br\s*=\s*["']0*([1-9][0-9]{6,})["']""")


class OverLimit(GpusheetError):
    """A file that is beyond a limit; `zh` is the message in Chinese."""

    def __init__(self, en: str, zh: str) -> None:
        super().__init__(en)
        self.zh = zh


def check_size(name: str, size: int) -> None:
    """Refuses more bytes than a workbook may have."""
    if size > MOST_BYTES:
        raise OverLimit(
            f"{name}: found {size / 1e6:,.0f} MB unpacked, allowed {MOST_BYTES / 1e6:,.0f} MB; delete what is not "
            "needed and save it again",
            f"{name}：解压后有 {size / 1e6:,.0f} MB，上限 {MOST_BYTES / 1e6:,.0f} MB；请删去不需要的内容后重新保存")  # fmt: skip


def check_zip(name: str, data: bytes) -> None:
    """Refuses a zip file that is beyond a limit, with one line; one that is damaged raises what zipfile raises."""
    with ZipFile(BytesIO(data)) as file:
        entries = file.infolist()
    _check_stated(name, data, entries)
    cells = 0
    for entry in entries:
        if entry.is_dir():
            continue
        counted = _Counted(name, entry.filename)
        checksum = 0
        for piece in _pieces(data, entry):
            checksum = zlib.crc32(piece, checksum)
            counted.add(piece)
            if cells + counted.cells > MOST_CELLS:
                raise _too_many(name, f"more than {MOST_CELLS:,} cells", f"{MOST_CELLS:,}",
                                f"超过 {MOST_CELLS:,} 个单元格", "delete formatted but empty rows and columns")  # fmt: skip
        if checksum != entry.CRC:
            raise BadZipFile("checksum")
        counted.end()
        cells += counted.cells


def check_text(name: str, data: bytes) -> None:
    """Refuses a CSV file with more cells than a workbook may have."""
    cells = data.count(b"\n") + max(map(data.count, (b",", b";", b"\t")))
    if cells > MOST_CELLS:
        raise _too_many(name, f"about {cells:,} cells", f"{MOST_CELLS:,}", f"约 {cells:,} 个单元格", "divide it")


def _check_stated(name: str, data: bytes, entries: list[ZipInfo]) -> None:
    """What the zip says of itself."""
    if len(entries) > MOST_PARTS:
        raise _too_many(name, f"{len(entries):,} parts", f"{MOST_PARTS:,}", f"{len(entries):,} 个部件")
    if len({entry.filename.casefold() for entry in entries}) < len(entries):
        raise BadZipFile("two parts of one name")
    size = sum(entry.file_size for entry in entries)
    check_size(name, size)
    if size > RATIO_FROM and size > MOST_RATIO * len(data):
        ratio = size / len(data)
        raise OverLimit(
            f"{name}: found a file packed {ratio:,.0f} to 1, allowed {MOST_RATIO} to 1, as it would fill the memory; "
            "delete formatted but empty rows and save it again",
            f"{name}：压缩比为 {ratio:,.0f}:1，上限 {MOST_RATIO}:1，展开会占满内存；请删去带格式的空行后重新保存")  # fmt: skip


def _pieces(data: bytes, entry: ZipInfo) -> Iterator[bytes]:
    """A part unpacked piece by piece, never more of it than it has said to be."""
    start = entry.header_offset
    header = data[start : start + _HEADER]
    if len(header) < _HEADER or not header.startswith(b"PK\x03\x04"):
        raise BadZipFile("no entry where one should be")
    start += _HEADER + int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
    packed = memoryview(data)[start : start + entry.compress_size]
    if len(packed) < entry.compress_size:
        raise BadZipFile("cut off")
    if entry.compress_type == ZIP_STORED:
        if entry.file_size != entry.compress_size:
            raise BadZipFile("another size than stated")
        for at in range(0, len(packed), _PIECE):
            yield bytes(packed[at : at + _PIECE])
        return
    if entry.compress_type != ZIP_DEFLATED:
        raise BadZipFile("packed in a way that workbooks are not")
    left = entry.file_size
    unpacker = zlib.decompressobj(-15)
    for at in range(0, len(packed), _TAKEN):
        waiting: bytes | memoryview = packed[at : at + _TAKEN]
        while waiting and not unpacker.eof:
            piece = unpacker.decompress(waiting, min(_PIECE, left + 1))
            waiting = unpacker.unconsumed_tail
            left -= len(piece)
            if left < 0:
                raise BadZipFile("larger than stated")
            yield piece
    if left or not unpacker.eof:
        raise BadZipFile("smaller than stated")


class _Counted:
    """What the pieces of a part hold, as they go by."""

    def __init__(self, name: str, part: str) -> None:
        self.name = name
        self.xml = _XML.fullmatch(part) is not None
        self.own = part.lower().startswith("customxml/")  # of other programs; nothing here reads it
        self.kept = b""
        self.prefix = b""
        self.first = True
        self.chain = False  # the order of calculation, which names cells as a sheet does
        self.cells = self.rows = self.spread = 0

    def add(self, piece: bytes) -> None:
        """Looks through the next piece, but for a tag at its end, which waits for the rest of it."""
        if not self.xml:
            return
        whole = self.kept + piece
        if self.first:
            self._check_encoding(whole)
            self.chain = b"calcChain" in whole[:1000]
            root = _ROOT.search(whole[:1000])
            self.prefix = root[1] if root and root[1] else b""
            self.first = False
        cut = max(whole.rfind(b"<"), len(whole) - _KEPT)
        self.kept = whole[cut:]
        self._look(whole[:cut])

    def end(self) -> None:
        self._look(self.kept)

    def _look(self, whole: bytes) -> None:
        if b"<!DOCTYPE" in whole or b"<!ENTITY" in whole:
            raise self._strange("XML with definitions of its own (DOCTYPE)", "自带定义(DOCTYPE)的 XML")
        if not self.chain:
            self._count(whole)

    def _check_encoding(self, start: bytes) -> None:
        if self.own:
            return
        encoding = _DECLARED.match(start.removeprefix(b"\xef\xbb\xbf"))
        if b"\x00" in start[:4] or start[:2] in (b"\xff\xfe", b"\xfe\xff") or (
                encoding is not None and encoding[1].lower() not in _ENCODINGS):  # fmt: skip
            raise self._strange("XML in another encoding than UTF-8", "编码不是 UTF-8 的 XML")

    def _count(self, whole: bytes) -> None:
        self.cells += whole.count(b"<" + self.prefix + b"c")  # and a few elements more that begin so
        row = b"<" + self.prefix + b"row"
        self.rows += whole.count(row)
        far = _FAR.match(whole, max(0, whole.rfind(row)))
        if self.rows > MOST_ROWS or (far and int(far[1][:12]) > MOST_ROWS):
            raise _too_many(self.name, f"more than {MOST_ROWS:,} rows on a sheet", f"{MOST_ROWS:,}",
                            f"一张工作表超过 {MOST_ROWS:,} 行")  # fmt: skip
        if b"mergeCell" in whole or b"hyperlink" in whole:
            self.spread += sum(map(_area, _SPREAD.finditer(whole)))
        if self.spread > MOST_SPREAD:
            raise _too_many(self.name, f"{self.spread:,} cells in merged areas and links", f"{MOST_SPREAD:,}",
                            f"合并单元格和超链接覆盖 {self.spread:,} 个单元格")  # fmt: skip

    def _strange(self, what: str, zh: str) -> OverLimit:
        return OverLimit(
            f"{self.name}: found {what}, which no spreadsheet writes; open it in Excel and save it there as 'Excel "
            "Workbook (*.xlsx)'",
            f"{self.name}：发现{zh}，表格软件不会这样保存；请用 Excel 打开，另存为“Excel 工作簿(*.xlsx)”")  # fmt: skip


def start_of(file: ZipFile, entry: ZipInfo | None, most: int) -> bytes:
    """The first bytes of a part; nothing where there is none."""
    if entry is None:
        return b""
    with file.open(entry) as part:
        return part.read(most)


def _area(match: re.Match[bytes]) -> int:
    left, top, right, bottom = match.groups()
    return (abs(_column(right) - _column(left)) + 1) * (abs(int(bottom[:9]) - int(top[:9])) + 1)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters.upper()[:4]:
        number = number * 26 + letter - 64
    return number


def _too_many(name: str, what: str, allowed: str, zh: str, todo: str = "delete what is not needed") -> OverLimit:
    return OverLimit(f"{name}: found {what}, allowed {allowed}; {todo} and save it again",
                     f"{name}：{zh}，上限 {allowed}；请删去不需要的内容后重新保存")  # fmt: skip
