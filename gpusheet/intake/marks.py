"""A copy of a workbook with a comment on every cell about which there is something to say.

Only what carries comments is written: every other part of the file is copied byte for byte.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from io import BytesIO
from pathlib import Path
from xml.parsers import expat
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

from gpusheet.errors import GpusheetError
from gpusheet.files import check_target, replacing
from gpusheet.intake.findings import SEVERITIES, SEVERITY_WORDS, Finding
from gpusheet.intake.sheets import column_number
from gpusheet.intake.sniff import WORKBOOK, read_checked
from gpusheet.intake.xlsx import Workbook

MOST_COMMENTS = 2000  # on a sheet; beyond, a program opens it slowly and nobody reads it
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_AFTER = ("legacyDrawingHF", "drawingHF", "picture", "oleObjects", "controls", "webPublishItems", "tableParts", "extLst")
_CELL = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_VML = (
    '<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" '
    'xmlns:x="urn:schemas-microsoft-com:office:excel"></xml>')  # fmt: skip
_SHAPE_TYPE = (
    '<v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe">'
    '<v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>')  # fmt: skip


def write_marked(source: Path, out: Path, findings: Iterable[Finding], lang: str = "en", force: bool = False) -> int:
    """Writes the copy and returns how many cells are marked. A CSV file has no comments and is refused."""
    if source.suffix.lower() != out.suffix.lower():
        raise GpusheetError(f"--mark: found {str(out)!r}, allowed a file name that ends in {source.suffix}, as {source.name} does")
    if out.exists() and out.samefile(source):
        raise GpusheetError(f"{out}: is the file that is read; give the copy another name")
    checked = read_checked(source, WORKBOOK)
    check_target(out, force)
    by_sheet = _texts(findings, lang)
    book = Workbook(checked)
    with ZipFile(BytesIO(checked.data)) as old:
        changed = _Marking(old, {name: book.part(name) for name in by_sheet if name in book.names}).parts(by_sheet)
        with replacing(out) as temporary, ZipFile(temporary, "x", ZIP_DEFLATED) as new:
            for info in old.infolist():
                new.writestr(info, changed.pop(info.filename, b"") or old.read(info))
            for name, data in changed.items():
                new.writestr(name, data)
    return sum(map(len, by_sheet.values()))


def _texts(findings: Iterable[Finding], lang: str) -> dict[str, dict[str, str]]:
    """What to say by sheet and cell, the worst first."""
    found: dict[str, dict[str, list[str]]] = {}
    order = {severity: rank for rank, severity in enumerate(SEVERITIES)}
    for one in sorted(findings, key=lambda one: order[one.severity]):
        if _CELL.fullmatch(one.place.cell):
            cells = found.setdefault(one.place.sheet, {})
            if one.place.cell in cells or len(cells) < MOST_COMMENTS:
                word = SEVERITY_WORDS[one.severity][lang == "zh"]
                cells.setdefault(one.place.cell, []).append(f"{word}: {one.zh if lang == 'zh' else one.en}")
    return {sheet: {cell: "\n".join(lines) for cell, lines in cells.items()} for sheet, cells in found.items()}


class _Marking:
    """The parts of a package that change when cells get comments."""

    def __init__(self, package: ZipFile, sheets: Mapping[str, str]) -> None:
        self.package, self.sheets = package, sheets
        self.names = {name.lstrip("/"): name for name in package.namelist()}
        self.changed: dict[str, bytes] = {}

    def parts(self, texts: Mapping[str, Mapping[str, str]]) -> dict[str, bytes]:
        """New contents by the name of the entry."""
        types = []
        for number, (name, part) in enumerate(self.sheets.items(), 1):
            types += self._sheet(number, part, texts[name])
        entry = self.names["[Content_Types].xml"]
        text = self._read(entry)
        for kind, addition in types:
            if kind not in text:
                head = re.search(r"<(?:\w+:)?Types\b[^>]*>", text)
                assert head
                text = text[: head.end()] + addition + text[head.end() :]
        self.changed[entry] = text.encode()
        return self.changed

    def _read(self, entry: str) -> str:
        return (self.changed.get(entry) or self.package.read(entry)).decode("utf-8-sig")

    def _sheet(self, number: int, part: str, cells: Mapping[str, str]) -> list[tuple[str, str]]:
        folder, base = posixpath.split(part)
        links = self.names.get(f"{folder}/_rels/{base}.rels", f"{folder}/_rels/{base}.rels")
        rels = self._read(links) if links in self.package.namelist() else f'<Relationships xmlns="{_PACKAGE}"></Relationships>'
        comments, drawing = _target(rels, "comments", folder), _target(rels, "vmlDrawing", folder)
        drawn_id = _legacy(self._read(self.names[part]))
        types = []
        if drawing is None or drawn_id is None:
            drawing, drawn_id = f"{folder}/gpusheetMarks{number}.vml", f"gpusheetMarks{number}"
            rels = _related(rels, drawn_id, "vmlDrawing", posixpath.basename(drawing))
            self.changed[self.names[part]] = _with_legacy(self._read(self.names[part]), drawn_id).encode()
            kind = "application/vnd.openxmlformats-officedocument.vmlDrawing"
            types.append(('Extension="vml"', f'<Default Extension="vml" ContentType="{kind}"/>'))
        if comments is None:
            comments = f"{folder}/gpusheetComments{number}.xml"
            rels = _related(rels, f"gpusheetComments{number}", "comments", posixpath.basename(comments))
            kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.comments+xml"
            types.append((f'"/{comments}"', f'<Override PartName="/{comments}" ContentType="{kind}"/>'))
        self.changed[links] = rels.encode()
        said = self._read(self.names[comments]) if comments in self.names else (
            f'<comments xmlns="{_MAIN}"><authors></authors><commentList></commentList></comments>')  # fmt: skip
        said, new = _commented(said, cells)
        self.changed[self.names.get(comments, comments)] = said.encode()
        shapes = self._read(self.names[drawing]) if drawing in self.names else _VML
        self.changed[self.names.get(drawing, drawing)] = _drawn(shapes, new, number).encode()
        return types


def _target(rels: str, kind: str, folder: str) -> str | None:
    """The part of a kind that relations name."""
    for tag in re.findall(r"<(?:\w+:)?Relationship\b[^>]*>", rels):
        if re.search(rf'Type="[^"]*/{kind}"', tag) and (target := re.search(r'Target="([^"]*)"', tag)):
            return posixpath.normpath(posixpath.join("/", folder, target[1])).lstrip("/")
    return None


def _related(rels: str, link: str, kind: str, target: str) -> str:
    new = f'<Relationship xmlns="{_PACKAGE}" Id="{link}" Type="{_R}/{kind}" Target="{target}"/>'
    rels = re.sub(r"<((?:\w+:)?Relationships\b[^>]*)/>", r"<\1></Relationships>", rels)
    return re.sub(r"(</(?:\w+:)?Relationships>)", lambda found: new + found[1], rels, count=1)


def _legacy(xml: str) -> str | None:
    """The relation of the sheet's comment drawing."""
    found = re.search(r'<(?:\w+:)?legacyDrawing\b[^>]*\bid="([^"]*)"', xml)
    return found[1] if found else None


def _with_legacy(xml: str, link: str) -> str:
    """The sheet with its comment drawing named, at the place that the format has for it."""
    data = xml.encode()
    parser, depth, at, end = expat.ParserCreate(), 0, -1, -1

    def start(name: str, _: object) -> None:
        nonlocal depth, at
        depth += 1
        if depth == 2 and at < 0 and name.rpartition(":")[2] in _AFTER:
            at = parser.CurrentByteIndex

    def stop(_: str) -> None:
        nonlocal depth, end
        depth -= 1
        if depth == 0:
            end = parser.CurrentByteIndex

    parser.StartElementHandler, parser.EndElementHandler = start, stop
    parser.Parse(data, True)
    place = at if at >= 0 else end
    new = f'<legacyDrawing xmlns="{_MAIN}" xmlns:r="{_R}" r:id="{link}"/>'.encode()
    return (data[:place] + new + data[place:]).decode()


def _commented(xml: str, cells: Mapping[str, str]) -> tuple[str, list[str]]:
    """The comments with ours: in front of what somebody said of the cell, or new. Returns the cells that are new."""
    head = re.search(r"<(\w+:)?comments\b", xml)
    mark = (head[1] or "") if head else ""
    xml = re.sub(rf"<{mark}(authors|commentList)\s*/>", rf"<{mark}\1></{mark}\1>", xml)
    author = len(re.findall(rf"<{mark}author\b", xml))
    xml = xml.replace(f"</{mark}authors>", f"<{mark}author>gpusheet</{mark}author></{mark}authors>", 1)
    fresh, new = [], []
    for cell, text in sorted(cells.items(), key=lambda one: _row_column(one[0])):
        run = f'<{mark}r><{mark}t xml:space="preserve">{escape(_clean(text))}</{mark}t></{mark}r>'
        known = re.search(rf'<{mark}comment\b[^>]*\bref="{cell}"[^>]*>\s*<{mark}text>', xml)
        if known:
            after = f'<{mark}r><{mark}t xml:space="preserve">\n</{mark}t></{mark}r>'
            rest = re.sub(rf"^\s*(<{mark}t\b[^>]*>[^<]*</{mark}t>)", rf"<{mark}r>\1</{mark}r>", xml[known.end() :])
            xml = xml[: known.end()] + run + after + rest
            continue
        new.append(cell)
        fresh.append(f'<{mark}comment ref="{cell}" authorId="{author}"><{mark}text>{run}</{mark}text></{mark}comment>')
    return xml.replace(f"</{mark}commentList>", f"{''.join(fresh)}</{mark}commentList>", 1), new


def _clean(text: str) -> str:
    """Text without what XML cannot hold."""
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "", text)


def _row_column(cell: str) -> tuple[int, int]:
    found = _CELL.fullmatch(cell)
    assert found
    return int(found[2]), column_number(found[1])


def _drawn(vml: str, cells: Iterable[str], number: int) -> str:
    """The drawing with a hidden note for each new comment."""
    shapes = [] if "_x0000_t202" in vml else [_SHAPE_TYPE]
    for count, cell in enumerate(cells, 1):
        row, column = _row_column(cell)
        shapes.append(
            f'<v:shape id="_x0000_s{60000 + 4000 * number + count}" type="#_x0000_t202" style="position:absolute;margin-left:60pt;'
            'margin-top:2pt;width:260pt;height:90pt;z-index:1;visibility:hidden" fillcolor="#ffffe1" o:insetmode="auto">'
            '<v:fill color2="#ffffe1"/><v:shadow on="t" color="black" obscured="t"/><v:path o:connecttype="none"/>'
            '<v:textbox style="mso-direction-alt:auto"><div style="text-align:left"></div></v:textbox>'
            '<x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/>'
            f'<x:Anchor>{column}, 12, {row - 1}, 4, {column + 4}, 12, {row + 4}, 4</x:Anchor><x:AutoFill>False</x:AutoFill>'
            f'<x:Row>{row - 1}</x:Row><x:Column>{column - 1}</x:Column></x:ClientData></v:shape>')  # fmt: skip
    vml = re.sub(r"<xml\b([^>]*)/>", r"<xml\1></xml>", vml)
    return vml[: vml.rindex("</xml>")] + "".join(shapes) + "</xml>"
