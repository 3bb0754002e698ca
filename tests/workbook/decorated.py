"""A budget workbook as people decorate it: with what openpyxl does not know, or drops when it saves."""

from __future__ import annotations

import hashlib
import re
import struct
import zlib
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import openpyxl
from editing import table, written
from openpyxl.comments import Comment
from openpyxl.formatting.rule import DataBarRule
from openpyxl.workbook.defined_name import DefinedName

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MS07 = "http://schemas.microsoft.com/office/2007/relationships"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
X14 = "http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"
XM = "http://schemas.microsoft.com/office/excel/2006/main"
TYPE = "application/vnd.openxmlformats-officedocument"
TYPES = {  # kind of part -> content type
    "drawings/drawing": f"{TYPE}.drawing+xml",
    "pivotTables/pivotTable": f"{TYPE}.spreadsheetml.pivotTable+xml",
    "pivotCache/pivotCacheDefinition": f"{TYPE}.spreadsheetml.pivotCacheDefinition+xml",
    "pivotCache/pivotCacheRecords": f"{TYPE}.spreadsheetml.pivotCacheRecords+xml",
    "slicers/slicer": "application/vnd.ms-excel.slicer+xml",
    "slicerCaches/slicerCache": "application/vnd.ms-excel.slicerCache+xml",
    "persons/person": "application/vnd.ms-excel.person+xml",
}
TEXT_BOX = """<xdr:twoCellAnchor><xdr:from><xdr:col>22</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>4</xdr:row>
<xdr:rowOff>0</xdr:rowOff>
</xdr:from><xdr:to><xdr:col>25</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>10</xdr:row><xdr:rowOff>0</xdr:rowOff>
</xdr:to><xdr:sp macro=""
 textlink=""><xdr:nvSpPr><xdr:cNvPr id="2" name="TextBox 1"/><xdr:cNvSpPr txBox="1"/></xdr:nvSpPr><xdr:spPr>
<a:prstGeom prst="rect"><a:avLst/>
</a:prstGeom></xdr:spPr><xdr:txBody><a:bodyPr/><a:lstStyle/><a:p><a:r><a:rPr lang="zh-CN"/><a:t>口径: 含税, 勿删</a:t>
</a:r></a:p></xdr:txBody>
</xdr:sp><xdr:clientData/></xdr:twoCellAnchor>"""
PICTURE = """<xdr:oneCellAnchor><xdr:from><xdr:col>22</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>12</xdr:row>
<xdr:rowOff>0</xdr:rowOff></xdr:from>
<xdr:ext cx="95250" cy="95250"/><xdr:pic><xdr:nvPicPr><xdr:cNvPr id="3" name="Logo"/><xdr:cNvPicPr/></xdr:nvPicPr>
<xdr:blipFill><a:blip
 r:embed="rId1"/><a:stretch><a:fillRect/></a:stretch></xdr:blipFill><xdr:spPr><a:prstGeom prst="rect"><a:avLst/>
</a:prstGeom></xdr:spPr></xdr:pic>
<xdr:clientData/></xdr:oneCellAnchor>"""
EXTENSIONS = f"""<extLst><ext xmlns:x14="{X14}" uri="{{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}}">
<x14:dataValidations xmlns:xm="{XM}" count="1">
<x14:dataValidation type="list" allowBlank="1"><x14:formula1><xm:f>FX!$A$7:$A$9</xm:f></x14:formula1>
<xm:sqref>BA7:BA12</xm:sqref>
</x14:dataValidation></x14:dataValidations></ext>
<ext xmlns:x14="{X14}" uri="{{05C60535-1F16-4fd2-B633-F4F36F0B64E0}}"><x14:sparklineGroups
 xmlns:xm="{XM}"><x14:sparklineGroup displayEmptyCellsAs="gap"><x14:sparklines><x14:sparkline><xm:f>Prices!F7:F12
</xm:f><xm:sqref>V7</xm:sqref>
</x14:sparkline></x14:sparklines></x14:sparklineGroup></x14:sparklineGroups></ext><ext xmlns:x14="{X14}"
 uri="{{A8765BA9-456A-4dab-B4F3-ACF838C121DE}}"><x14:slicerList><x14:slicer xmlns:r="{OFFICE}" r:id="rId903"/>
</x14:slicerList></ext></extLst>"""
PIVOT_CACHE = f"""
<pivotCacheDefinition xmlns="{MAIN}" xmlns:r="{OFFICE}" r:id="rId1" refreshOnLoad="1" recordCount="1">
<cacheSource type="worksheet">
<worksheetSource name="Prices"/></cacheSource><cacheFields count="1"><cacheField name="gpu" numFmtId="0">
<sharedItems count="1"><s v="L20"/>
</sharedItems></cacheField></cacheFields></pivotCacheDefinition>"""
PIVOT = f"""<pivotTableDefinition xmlns="{MAIN}" name="PivotTable1" cacheId="7" dataCaption="Values">
<location ref="B2:B4" firstHeaderRow="1"
 firstDataRow="1" firstDataCol="0"/><pivotFields count="1"><pivotField axis="axisRow" showAll="0"><items count="2">
<item x="0"/>
<item t="default"/></items></pivotField></pivotFields></pivotTableDefinition>"""


def _xml(text: str) -> bytes:
    return b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' + text.replace("\n", "").encode()


def _relations(*targets: tuple[str, str]) -> bytes:
    """A part of relations: kind with its namespace, target; ids count from rId1."""
    inside = "".join(f'<Relationship Id="rId{i}" Type="{kind}" Target="{to}"/>' for i, (kind, to) in enumerate(targets, 1))
    return _xml(f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{inside}</Relationships>')


def _png() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0\x7f")) + chunk(b"IEND", b"")


ADDED = {
    "xl/drawings/drawing9.xml": _xml(
        '<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" '
        f'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="{OFFICE}">{TEXT_BOX}{PICTURE}</xdr:wsDr>'),
    "xl/drawings/_rels/drawing9.xml.rels": _relations((f"{OFFICE}/image", "/xl/media/image9.png")),
    "xl/media/image9.png": _png(),
    "xl/pivotCache/pivotCacheDefinition1.xml": _xml(PIVOT_CACHE),
    "xl/pivotCache/_rels/pivotCacheDefinition1.xml.rels": _relations(
        (f"{OFFICE}/pivotCacheRecords", "/xl/pivotCache/pivotCacheRecords1.xml")),
    "xl/pivotCache/pivotCacheRecords1.xml": _xml(f'<pivotCacheRecords xmlns="{MAIN}" count="1"><r><x v="0"/></r></pivotCacheRecords>'),
    "xl/pivotTables/pivotTable1.xml": _xml(PIVOT),
    "xl/pivotTables/_rels/pivotTable1.xml.rels": _relations(
        (f"{OFFICE}/pivotCacheDefinition", "/xl/pivotCache/pivotCacheDefinition1.xml")),
    "xl/slicers/slicer1.xml": _xml(
        f'<slicers xmlns="{X14}"><slicer name="gpu" cache="Slicer_gpu" caption="gpu" rowHeight="241300"/></slicers>'),
    "xl/slicerCaches/slicerCache1.xml": _xml(
        f'<slicerCacheDefinition xmlns="{X14}" name="Slicer_gpu" sourceName="gpu"><pivotTables><pivotTable tabId="14" '
        'name="PivotTable1"/></pivotTables><data><tabular pivotCacheId="7"><items count="1"><i x="0" s="1"/></items></tabular></data>'
        "</slicerCacheDefinition>"),
    "xl/persons/person1.xml": _xml('<personList xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"/>'),
    "customXml/item1.xml": _xml('<plan xmlns="urn:finance"/>'),
}  # fmt: skip
MACROS = {"xl/vbaProject.bin": bytes.fromhex("D0CF11E0A1B11AE1") + bytes(range(256)) * 4}
FEATURES = {"comment", "sparkline", "text box", "picture", "slicer", "pivot table", "data validation", "conditional format", "table"}


def decorated(path: Path) -> Path:
    """The small budget workbook with comments, pictures, text boxes, sparklines, slicers, pivots and, where the name
    ends in .xlsm, macros."""
    book = openpyxl.load_workbook(written(path), rich_text=True)
    sheet, _ = table(book, "Prices")
    sheet["F7"].comment = Comment("问过供应商", "Ann")
    sheet.conditional_formatting.add("F7:F18", DataBarRule("min", None, "max", None, "FF638EC6"))
    sheet["V6"] = "trend"
    sheet.column_dimensions["V"].hidden = True
    book.create_sheet("Pivot")["A1"] = "pivot below"
    book.defined_names["fx_usd"] = DefinedName("fx_usd", attr_text="FX!$C$7")
    book.save(path)
    with ZipFile(path) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    prices, pivot = f"xl{sheet.path[3:]}", f"xl/worksheets/sheet{len(book.worksheets)}.xml"
    macros = path.suffix == ".xlsm"
    _insert(parts, prices, rb"<legacyDrawing", f'<drawing xmlns:r="{OFFICE}" r:id="rId902"/>'.encode())
    _insert(parts, prices, rb"</worksheet>", EXTENSIONS.replace("\n", "").encode())
    _relate(parts, prices, (f"{OFFICE}/drawing", "/xl/drawings/drawing9.xml"), (f"{MS07}/slicer", "/xl/slicers/slicer1.xml"))
    _relate(parts, pivot, (f"{OFFICE}/pivotTable", "/xl/pivotTables/pivotTable1.xml"))
    _relate(parts, "xl/workbook.xml", (f"{OFFICE}/pivotCacheDefinition", "/xl/pivotCache/pivotCacheDefinition1.xml"),
            (f"{MS07}/slicerCache", "/xl/slicerCaches/slicerCache1.xml"),
            ("http://schemas.microsoft.com/office/2017/10/relationships/person", "/xl/persons/person1.xml"),
            ("http://schemas.microsoft.com/office/2006/relationships/vbaProject", "/xl/vbaProject.bin"))  # fmt: skip
    if not macros:
        rels = "xl/_rels/workbook.xml.rels"
        parts[rels] = re.sub(rb"<Relationship [^>]*vbaProject[^>]*/>", b"", parts[rels])
    caches = f'<pivotCaches><pivotCache cacheId="7" xmlns:r="{OFFICE}" r:id="rId902"/></pivotCaches><extLst><ext xmlns:x14="{X14}" ' \
        f'uri="{{BBE1A952-AA13-448e-AADC-164F8A28A991}}"><x14:slicerCaches><x14:slicerCache xmlns:r="{OFFICE}" r:id="rId903"/>' \
        "</x14:slicerCaches></ext></extLst>"  # fmt: skip
    _insert(parts, "xl/workbook.xml", rb"</workbook>", caches.encode())
    added = ADDED | (MACROS if macros else {})
    kinds = [(f"/{name}", TYPES[kind]) for name in added for kind in TYPES if re.fullmatch(rf"xl/{kind}\d\.xml", name)]
    types = "".join(f'<Override PartName="{name}" ContentType="{kind}"/>' for name, kind in kinds)
    types += '<Default Extension="bin" ContentType="application/vnd.ms-office.vbaProject"/>' * macros
    if b'Extension="png"' not in parts["[Content_Types].xml"]:
        types += '<Default Extension="png" ContentType="image/png"/>'
    _insert(parts, "[Content_Types].xml", rb"</Types>", types.encode())
    if macros:
        parts["[Content_Types].xml"] = parts["[Content_Types].xml"].replace(
            f"{TYPE}.spreadsheetml.sheet.main+xml".encode(), b"application/vnd.ms-excel.sheet.macroEnabled.main+xml")  # fmt: skip
    with ZipFile(path, "w", ZIP_DEFLATED) as file:
        for name, part in (parts | added).items():
            file.writestr(name, part)
    return path


def _insert(parts: dict[str, bytes], part: str, before: bytes, xml: bytes) -> None:
    assert before in parts[part], (part, before)
    parts[part] = parts[part].replace(before, xml + before, 1)


def _relate(parts: dict[str, bytes], part: str, *targets: tuple[str, str]) -> None:
    """Adds relations, whose ids count from rId902."""
    folder, _, name = part.rpartition("/")
    rels = f"{folder}/_rels/{name}.rels"
    parts.setdefault(rels, _relations())
    xml = "".join(f'<Relationship Id="rId{i}" Type="{kind}" Target="{to}"/>' for i, (kind, to) in enumerate(targets, 902))
    if parts[rels].rstrip().endswith(b"/>"):
        parts[rels] = parts[rels].replace(b"/>", b"></Relationships>")
    _insert(parts, rels, b"</Relationships>", xml.encode())


def inventory(path: Path) -> dict[str, str]:
    """Every part of the file, in order, with a hash of its bytes."""
    with ZipFile(path) as file:
        return {name: hashlib.sha256(file.read(name)).hexdigest() for name in file.namelist()}


def differing(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """The parts that differ; none may have come or gone, or moved."""
    assert list(before) == list(after)
    return [name for name in before if before[name] != after[name]]
