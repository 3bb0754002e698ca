"""A file that would fill the memory, hold the machine up or read other files is refused before anything loads it."""

from __future__ import annotations

import json
import re
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED, ZipFile

import openpyxl
import pytest
from openpyxl.workbook.workbook import Workbook

from gpusheet.intake import limits
from gpusheet.intake.sniff import WORKBOOK, WrongFile, check_limits, read_checked

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def parts_of(path: Path) -> dict[str, bytes]:
    with ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def book(path: Path, change: Callable[[dict[str, bytes]], None], packing: int = ZIP_DEFLATED) -> Path:
    """A small workbook whose parts were changed."""
    made = Workbook()
    made.worksheets[0].append(["gpu", "price"])
    made.worksheets[0].append(["H20", 13.94])
    made.save(path)
    parts = parts_of(path)
    change(parts)
    with ZipFile(path, "w", packing) as file:
        for name, part in parts.items():
            file.writestr(name, part)
    return path


def with_cells(xml: bytes) -> Callable[[dict[str, bytes]], None]:
    """Puts XML into the first sheet, at the end of its cells."""

    def change(parts: dict[str, bytes]) -> None:
        sheet = parts["xl/worksheets/sheet1.xml"]
        parts["xl/worksheets/sheet1.xml"] = sheet.replace(b"</sheetData>", xml + b"</sheetData>")

    return change


def after_cells(xml: bytes) -> Callable[[dict[str, bytes]], None]:
    def change(parts: dict[str, bytes]) -> None:
        sheet = parts["xl/worksheets/sheet1.xml"]
        parts["xl/worksheets/sheet1.xml"] = sheet.replace(b"</sheetData>", b"</sheetData>" + xml)

    return change


def before_part(part: str, xml: bytes) -> Callable[[dict[str, bytes]], None]:
    """Puts XML before the root element of a part."""

    def change(parts: dict[str, bytes]) -> None:
        root = re.search(rb"<(?!\?)", parts[part])
        assert root is not None
        parts[part] = parts[part][: root.start()] + xml + parts[part][root.start() :]

    return change


def refused(path: Path, words: str, code: str = "limit") -> None:
    with pytest.raises(WrongFile, match=words) as caught:
        check_limits(path, WORKBOOK)
    assert caught.value.code == code
    assert "\n" not in str(caught.value) and caught.value.zh.startswith(f"{path.name}：")


def test_a_workbook_as_people_have_it_is_within_the_limits(tmp_path: Path) -> None:
    whole = book(tmp_path / "book.xlsx", lambda parts: None)
    assert read_checked(whole, WORKBOOK).data == whole.read_bytes()
    check_limits(book(tmp_path / "stored.xlsx", lambda parts: None, ZIP_STORED), WORKBOOK)


# --- bombs ---


def bomb(path: Path, size: int = 268_000_000) -> Path:
    """A workbook of about 259 KB whose sheet unpacks to 268 MB."""
    return book(path, with_cells(b"<row><c/></row>" * (size // 15)))


MEASURED = """
import json, sys, time
from pathlib import Path
from gpusheet.cli import main
status = main(["budget", sys.argv[1], "-o", sys.argv[2]])
most = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(json.dumps({"status": status, "seconds": time.process_time(), "mb": int(most.split()[1]) / 1000}))
"""
linux = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="measures with the means of Linux")


def measured(path: Path, out: Path) -> tuple[dict[str, float], str]:
    """How `gpusheet budget` ends in a process of its own: status, processor time and memory of all of it."""
    done = subprocess.run([sys.executable, "-c", MEASURED, path, out], capture_output=True, text=True, check=True,
                          timeout=60)  # fmt: skip
    assert "Traceback" not in done.stderr
    return json.loads(done.stdout), done.stderr


@linux
def test_a_bomb_is_refused_at_once(tmp_path: Path) -> None:
    path = bomb(tmp_path / "bomb.xlsx")
    assert 200_000 < path.stat().st_size < 1_000_000
    found, said = measured(path, tmp_path / "out.xlsx")
    assert found["status"] == 1 and "found a file packed" in said
    assert found["seconds"] < 1 and found["mb"] < 200  # start and imports of the command included
    assert not (tmp_path / "out.xlsx").exists()


@linux
def test_a_bomb_that_lies_about_its_size_is_refused_at_once(tmp_path: Path) -> None:
    path = bomb(tmp_path / "bomb.xlsx")
    data = bytearray(path.read_bytes())
    with ZipFile(path) as file:
        entry = file.getinfo("xl/worksheets/sheet1.xml")
    small = struct.pack("<L", 60_000)
    data[entry.header_offset + 22 : entry.header_offset + 26] = small
    listed = data.rindex(b"xl/worksheets/sheet1.xml") - 46
    assert data[listed : listed + 4] == b"PK\x01\x02"
    data[listed + 24 : listed + 28] = small
    path.write_bytes(data)
    found, said = measured(path, tmp_path / "out.xlsx")
    assert found["status"] == 1 and "found a damaged or incomplete file" in said
    assert found["seconds"] < 1 and found["mb"] < 200


def test_a_bomb_below_the_ratio_is_refused_by_its_cells(tmp_path: Path) -> None:
    path = book(tmp_path / "bomb.xlsx", with_cells(b"<row r='9'>" + b"<c/>" * 5_100_000 + b"</row>"))
    refused(path, r"found more than 5,000,000 cells, allowed 5,000,000; delete formatted but empty rows")


def test_cells_are_counted_over_all_sheets_and_with_a_prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_CELLS", 100)

    def change(parts: dict[str, bytes]) -> None:
        parts["xl/worksheets/sheet2.xml"] = b'<x:worksheet xmlns:x="' + MAIN.encode() + b'"><x:sheetData><x:row>' + (
            b'<x:c r="A1"/>' * 60) + b"</x:row></x:sheetData></x:worksheet>"  # fmt: skip
        parts["xl/worksheets/sheet3.xml"] = parts["xl/worksheets/sheet2.xml"]

    refused(book(tmp_path / "book.xlsx", change), "found more than 100 cells")


def test_the_order_of_calculation_is_not_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_CELLS", 100)

    def change(parts: dict[str, bytes]) -> None:
        parts["xl/calcChain.xml"] = b'<calcChain xmlns="x">' + b'<c r="A1"/>' * 200 + b"</calcChain>"

    check_limits(book(tmp_path / "book.xlsx", change), WORKBOOK)


def test_rows(tmp_path: Path) -> None:
    refused(book(tmp_path / "many.xlsx", with_cells(b"<row/>" * 1_050_000)), "more than 1,048,576 rows on a sheet")
    far = with_cells(b'<row r="99999999999999999999"><c r="A99999999999999999999"/></row>')
    refused(book(tmp_path / "far.xlsx", far), "more than 1,048,576 rows on a sheet")
    check_limits(book(tmp_path / "last.xlsx", with_cells(b'<row r="1048576"/>')), WORKBOOK)


@pytest.mark.parametrize("element", ["mergeCell", "hyperlink", "x:mergeCell"])
def test_areas_that_a_reader_would_fill_cell_by_cell(element: str, tmp_path: Path) -> None:
    xml = f'<{element} ref="A1:XFD1048576"/>'.encode()
    refused(book(tmp_path / "book.xlsx", after_cells(xml)), "17,179,869,184 cells in merged areas and links")
    few = f'<{element} ref="A1:C3"/>'.encode() * 100
    check_limits(book(tmp_path / "book.xlsx", after_cells(few)), WORKBOOK)


def test_a_tag_that_falls_on_the_end_of_a_piece_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    xml = after_cells(b'<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>')
    for piece in range(40, 120, 7):
        monkeypatch.setattr(limits, "_PIECE", piece)
        refused(book(tmp_path / "book.xlsx", xml), "cells in merged areas")


def test_cells_are_counted_once_however_the_pieces_fall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = book(tmp_path / "book.xlsx", with_cells(b"<row>" + b'<c r="A9" s="1"/>' * 50 + b"</row>"))
    counts = set()
    for piece in (7, 64, 1000, 1 << 20):
        monkeypatch.setattr(limits, "_PIECE", piece)
        low, high = 0, 1000
        while low < high:  # the smallest limit that lets the file pass
            middle = (low + high) // 2
            monkeypatch.setattr(limits, "MOST_CELLS", middle)
            try:
                check_limits(path, WORKBOOK)
            except WrongFile:
                low = middle + 1
            else:
                high = middle
        counts.add(low)
    assert len(counts) == 1 and 54 <= counts.pop() < 200


def test_size_parts_and_ratio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = book(tmp_path / "book.xlsx", lambda parts: parts.update({f"x{i}": b"" for i in range(10_000)}))
    refused(path, r"found 10,\d\d\d parts, allowed 10,000")
    monkeypatch.setattr(limits, "MOST_BYTES", 1000)
    refused(path, "found 1 MB unpacked|found 0 MB unpacked")


def test_a_csv_of_too_many_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_CELLS", 100)
    (tmp_path / "prices.csv").write_bytes(b"a,b,c\n" * 33)
    assert read_checked(tmp_path / "prices.csv").data.count(b"\n") == 33
    (tmp_path / "prices.csv").write_bytes(b"a,b,c\n" * 34)
    with pytest.raises(WrongFile, match=r"^prices.csv: found about 102 cells, allowed 100; divide it and save it again$"):
        read_checked(tmp_path / "prices.csv")


# --- zips that are not what they say ---


def damaged(path: Path) -> None:
    refused(path, "^[^:]*: found a damaged or incomplete file", "damaged")


def test_a_part_of_which_a_byte_has_changed(tmp_path: Path) -> None:
    path = book(tmp_path / "book.xlsx", lambda parts: None, ZIP_STORED)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"13.94", b"13.95"))
    damaged(path)


def test_two_parts_of_one_name(tmp_path: Path) -> None:
    path = book(tmp_path / "book.xlsx", lambda parts: parts.update({"xl/Styles.xml": b"<x/>"}))
    damaged(path)


def test_packed_in_another_way(tmp_path: Path) -> None:
    damaged(book(tmp_path / "book.xlsx", lambda parts: None, ZIP_BZIP2))


@pytest.mark.parametrize("stated", [-10, 10])
def test_another_size_than_stated(stated: int, tmp_path: Path) -> None:
    path = book(tmp_path / "book.xlsx", lambda parts: None)
    data = bytearray(path.read_bytes())
    listed = data.rindex(b"xl/worksheets/sheet1.xml") - 46
    size = struct.unpack("<L", data[listed + 24 : listed + 28])[0]
    data[listed + 24 : listed + 28] = struct.pack("<L", size + stated)
    path.write_bytes(data)
    damaged(path)


# --- XML that is more than it shows ---

ENTITIES = b'<!DOCTYPE x [<!ENTITY a "ha">' + b"".join(
    b'<!ENTITY %c "%b">' % (98 + i, b"&%c;" % (97 + i) * 10) for i in range(9)) + b"]>"  # fmt: skip
XML_PARTS = ["xl/worksheets/sheet1.xml", "xl/workbook.xml", "xl/styles.xml", "[Content_Types].xml",
             "xl/_rels/workbook.xml.rels", "docProps/core.xml"]  # fmt: skip


@pytest.mark.parametrize("part", XML_PARTS)
def test_entities_that_multiply(part: str, tmp_path: Path) -> None:
    refused(book(tmp_path / "book.xlsx", before_part(part, ENTITIES)), "found XML with definitions of its own")


@pytest.mark.parametrize("part", XML_PARTS)
def test_entities_from_elsewhere(part: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    outside = f'<!DOCTYPE x [<!ENTITY a SYSTEM "{secret.as_uri()}">]>'.encode()
    refused(book(tmp_path / "book.xlsx", before_part(part, outside)), "found XML with definitions of its own")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "cp037", "utf-7"])
def test_definitions_in_another_encoding(encoding: str, tmp_path: Path) -> None:
    def change(parts: dict[str, bytes]) -> None:
        text = parts["xl/workbook.xml"].decode()
        text = f'<?xml version="1.0" encoding="{encoding}"?>' + ENTITIES.decode() + re.sub(r"^<\?xml.*?\?>", "", text)
        parts["xl/workbook.xml"] = text.encode("utf-8" if encoding in ("cp037", "utf-7") else encoding)

    path = book(tmp_path / "book.xlsx", change)
    with pytest.raises(WrongFile):
        check_limits(path, WORKBOOK)


def test_xml_of_other_programs_may_be_in_any_encoding(tmp_path: Path) -> None:
    item = '<?xml version="1.0" encoding="utf-16"?><x/>'.encode("utf-16")
    check_limits(book(tmp_path / "book.xlsx", lambda parts: parts.update({"customXml/item1.xml": item})), WORKBOOK)


# --- other files ---


def test_other_files_are_never_opened(tmp_path: Path) -> None:
    """A link to another workbook is read as it stands, whatever it names."""
    linked = tmp_path / "linked.xlsx"
    Workbook().save(linked)

    def change(parts: dict[str, bytes]) -> None:
        rels = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
        package = "http://schemas.openxmlformats.org/package/2006"
        parts["xl/externalLinks/externalLink1.xml"] = (
            f'<externalLink xmlns="{MAIN}"><externalBook xmlns:r="{rels}" r:id="rId1"/></externalLink>').encode()
        parts["xl/externalLinks/_rels/externalLink1.xml.rels"] = (
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="rId1" Type="{rels}/externalLinkPath" '
            f'Target="{linked.as_uri()}" TargetMode="External"/></Relationships>').encode()
        parts["[Content_Types].xml"] = parts["[Content_Types].xml"].replace(
            b"</Types>", b'<Override PartName="/xl/externalLinks/externalLink1.xml" ContentType="application/vnd.'
            b'openxmlformats-officedocument.spreadsheetml.externalLink+xml"/></Types>')
        parts["xl/_rels/workbook.xml.rels"] = parts["xl/_rels/workbook.xml.rels"].replace(
            b"</Relationships>", f'<Relationship Id="rId99" Type="{rels}/externalLink" '
            'Target="externalLinks/externalLink1.xml"/></Relationships>'.encode())
        parts["xl/workbook.xml"] = parts["xl/workbook.xml"].replace(
            b"</sheets>", f'</sheets><externalReferences><externalReference xmlns:r="{rels}" r:id="rId99"/>'
            "</externalReferences>".encode())
        with_cells(b'<row r="3"><c r="B3"><f>[1]Sheet!A1</f><v>7</v></c></row>')(parts)

    path = book(tmp_path / "book.xlsx", change)
    code = "\n".join([
        "import sys; from gpusheet.workbook.reading.opening import open_package",
        "opened = []",
        "sys.addaudithook(lambda event, args: opened.append(str(args)) if event == 'open' or event.startswith(",
        "    ('socket.', 'urllib.')) else None)",
        "book = open_package(sys.argv[1], 'workbook').load(values=True)",
        "assert book.active['B3'].value == 7 and len(book._external_links) == 1",
        "print(any('linked.xlsx' in one for one in opened), any('book.xlsx' in one for one in opened))",
        "print(any('socket' in one for one in opened))",
    ])  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "False"]


def test_what_is_counted_is_what_is_there() -> None:
    """The pieces of a part are the part."""
    parts = {"a.xml": b"<x>" + bytes(range(1, 60)) * 5000 + b"</x>", "b.bin": b""}
    for packing in (ZIP_STORED, ZIP_DEFLATED):
        file = BytesIO()
        with ZipFile(file, "w", packing) as archive:
            for name, part in parts.items():
                archive.writestr(name, part)
            entries = archive.infolist()
        for entry in entries:
            pieces = list(limits._pieces(file.getvalue(), entry))
            assert b"".join(pieces) == parts[entry.filename]
            assert zlib.crc32(b"".join(pieces)) == entry.CRC


def test_openpyxl_still_fills_merged_areas_cell_by_cell() -> None:
    """The reason for that limit: should this no longer hold, the limit may go."""
    sheet = openpyxl.Workbook().worksheets[0]
    sheet.merge_cells("A1:C3")
    assert len(sheet._cells) == 9
