"""Workbook files written part by part, with what other programs put into them and openpyxl does not."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
DYNAMIC = (
    f'{HEAD}<metadata xmlns="{MAIN}" xmlns:xda="http://schemas.microsoft.com/office/spreadsheetml/2017/dynamicarray">'
    '<metadataTypes count="1"><metadataType name="XLDAPR" minSupportedVersion="120000" cellMeta="1"/></metadataTypes>'
    '<futureMetadata name="XLDAPR" count="1"><bk><extLst><ext uri="{bdbb8cdc-fa1e-496e-a857-3c3f30c029c3}">'
    '<xda:dynamicArrayProperties fDynamic="1" fCollapsed="0"/></ext></extLst></bk></futureMetadata>'
    '<cellMetadata count="1"><bk><rc t="1" v="0"/></bk></cellMetadata></metadata>'
)


def rels(*related: tuple[str, str, str]) -> str:
    lines = "".join(
        f'<Relationship Id="rId{number}" Type="{OFFICE}/{kind}" Target="{target}"{mode}/>'
        for number, (kind, target, mode) in enumerate(related, 1)
    )
    return f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">{lines}</Relationships>'


def raw_book(path: Path, rows: str, *, names: str = "", settings: str = "", links: bool = False,
             parts: Mapping[str, str] | None = None, sheet: str | None = None) -> Path:  # fmt: skip
    """A workbook with one sheet "S" of the given rows of XML, and whatever other parts."""
    inside = f'{HEAD}<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>'
    external = '<externalReferences><externalReference r:id="rId3"/></externalReferences>' if links else ""
    related = [("worksheet", "worksheets/sheet1.xml", ""), ("sheetMetadata", "metadata.xml", "")]
    if links:
        related.append(("externalLink", "externalLinks/externalLink1.xml", ""))
    content = {
        "[Content_Types].xml": f'{HEAD}<Types xmlns="{PACKAGE}/content-types">'
        f'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{KIND}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{KIND}.worksheet+xml"/>'
        f'<Override PartName="/xl/externalLinks/externalLink1.xml" ContentType="{KIND}.externalLink+xml"/></Types>',
        "_rels/.rels": rels(("officeDocument", "xl/workbook.xml", "")),
        "xl/workbook.xml": f'{HEAD}<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}">{settings}'
        f'<sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets>{external}'
        f"<definedNames>{names}</definedNames></workbook>",
        "xl/_rels/workbook.xml.rels": rels(*related),
        "xl/metadata.xml": DYNAMIC,
        "xl/worksheets/sheet1.xml": sheet or inside,
        **(parts or {}),
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in content.items():
            archive.writestr(name, part)
    return path


def sheet_of(data: bytes | Path, part: str = "xl/worksheets/sheet1.xml") -> str:
    """The XML of a sheet in a workbook's bytes or file."""
    import io

    with zipfile.ZipFile(io.BytesIO(data) if isinstance(data, bytes) else data) as archive:
        return archive.read(part).decode()
