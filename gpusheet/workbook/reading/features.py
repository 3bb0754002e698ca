"""What a sheet has beside cells and plain formats, read from the file itself: openpyxl drops part of it unsaid."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from xml.etree import ElementTree

from openpyxl.utils import get_column_letter

from gpusheet.workbook.reading.opening import Package

Element = ElementTree.Element
CHART, COMMENT, CONDITIONAL, VALIDATION = "chart", "comment", "conditional format", "data validation"
TABLE, THREAD = "table", "comment thread"

# elements of a sheet that are copied, or that nobody misses
_COPIED = {
    "sheetPr", "dimension", "sheetViews", "sheetFormatPr", "cols", "sheetData", "sheetCalcPr", "sheetProtection",
    "autoFilter", "sortState", "mergeCells", "phoneticPr", "hyperlinks", "printOptions", "pageMargins", "pageSetup",
    "headerFooter", "rowBreaks", "colBreaks", "customProperties", "cellWatches", "ignoredErrors", "smartTags",
    "legacyDrawing",  # the boxes of comments, and of controls, which are named by elements of their own
}  # fmt: skip
_ELEMENTS = {
    "oleObjects": "embedded object", "controls": "form control", "AlternateContent": "form control",
    "picture": "background picture", "legacyDrawingHF": "picture in the header", "scenarios": "what-if scenario",
    "customSheetViews": "custom view", "protectedRanges": "protected range", "webPublishItems": "web publishing",
    "dataConsolidate": "consolidation", "slicerList": "slicer", "timelineRefs": "timeline",
    "sparklineGroups": "sparkline", "conditionalFormattings": CONDITIONAL, "dataValidations": VALIDATION,
}  # fmt: skip
_RELATIONS = {"comments": COMMENT, "threadedComment": THREAD, "pivotTable": "pivot table", "table": TABLE,
              "queryTable": "data query", "slicer": "slicer", "timeline": "timeline"}  # fmt: skip
_DRAWN = {"pic": "picture", "sp": "shape", "cxnSp": "line", "grpSp": "group of shapes", "contentPart": "ink drawing"}
_CELLS = re.compile(rb"<(?:\w+:)?sheetData\b[^>]*?(?:/>|>.*</(?:\w+:)?sheetData>)", re.DOTALL)


@dataclass(frozen=True)
class Feature:
    """One thing on a sheet: its kind, the cells it is at, its own words if it has any."""

    kind: str
    at: str = ""
    text: str = ""
    key: tuple[str, ...] = ()  # by which a rule is the same as another

    def __str__(self) -> str:
        article = "an" if self.kind[0] in "aeiou" else "a"
        at, text = self.at and f"at {self.at}", self.text and f"({self.text})"
        return " ".join(part for part in (article, self.kind, at, text) if part)


@dataclass(frozen=True)
class SheetPart:
    """A sheet as it stands in the file."""

    package: Package = field(repr=False)
    title: str
    kind: str  # worksheet, chartsheet, dialogsheet, xlMacrosheet
    name: str

    @cached_property
    def relations(self) -> list[tuple[str, str, str]]:
        return relations(self.package, self.name)

    @cached_property
    def features(self) -> list[Feature]:
        """All there is beside cells, formats and print settings."""
        xml = self.package.read(self.name)
        root = ElementTree.fromstring(_CELLS.sub(b"", xml))
        found = [Feature(_RELATIONS[kind]) for _, kind, _ in self.relations if kind in _RELATIONS]
        for element in root:
            found += self._element(element)
        if re.search(rb'<c [^>]*\bvm="', xml):
            found.append(Feature("picture or data type in a cell"))
        return found

    def _element(self, element: Element) -> Iterator[Feature]:
        name = _local(element.tag)
        if name in _COPIED or name == "tableParts":
            return
        if name == "extLst":
            for extension in element:
                for child in extension:
                    yield from self._element(child)
        elif name == "conditionalFormattings":
            for child in element:
                yield _conditional(child)
        elif name == "conditionalFormatting":
            yield _conditional(element)
        elif name == "dataValidations":
            for child in element:
                yield Feature(VALIDATION, _area(child))
        elif name == "sparklineGroups":
            for child in element.iter():
                if _local(child.tag) == "sparkline":
                    yield Feature("sparkline", _area(child))
        elif name == "drawing":
            targets = {identity: target for identity, _, target in self.relations}
            for value in element.attrib.values():
                if value in targets:
                    yield from _drawn(ElementTree.fromstring(self.package.read(targets[value])))
        else:
            yield Feature(_ELEMENTS.get(name, name))


def sheet_parts(package: Package) -> list[SheetPart]:
    """The sheets of the file in the order of their tabs."""
    main = next((target for _, kind, target in relations(package, "") if kind == "officeDocument"), "")
    by_id = {identity: (kind, target) for identity, kind, target in relations(package, main)}
    found = []
    for element in ElementTree.fromstring(package.read(main)).iter():
        if _local(element.tag) == "sheet":
            identity = next((value for name, value in element.attrib.items() if _local(name) == "id"), "")
            kind, target = by_id.get(identity, ("", ""))
            found.append(SheetPart(package, element.attrib["name"], kind, target))
    return found


def relations(package: Package, part: str) -> list[tuple[str, str, str]]:
    """What a part refers to: id, kind and the target's name ('' is the package itself)."""
    folder, name = posixpath.split(part)
    path = f"{folder}/_rels/{name}.rels".lstrip("/")
    if path not in package.names():
        return []
    found = []
    for one in ElementTree.fromstring(package.read(path)):
        kind, target = one.attrib["Type"].rpartition("/")[2], one.attrib["Target"]
        if one.attrib.get("TargetMode") != "External":
            target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
        found.append((one.attrib["Id"], kind, target))
    return found


def rule_key(kind: Any, operator: Any, formulas: Any) -> tuple[str, ...]:
    return (str(kind or ""), str(operator or ""), *(str(formula or "") for formula in formulas or ()))


def _conditional(element: Element) -> Feature:
    rules = [one for one in element.iter() if _local(one.tag) == "cfRule"]
    keys: list[str] = []
    for rule in rules:
        formulas = [one.text for one in rule.iter() if _local(one.tag) in ("formula", "f")]
        keys += ["|".join(rule_key(rule.attrib.get("type"), rule.attrib.get("operator"), formulas))]
    return Feature(CONDITIONAL, _area(element), key=tuple(sorted(keys)))


def _area(element: Element) -> str:
    named = next((value for name, value in element.attrib.items() if _local(name) == "sqref"), None)
    inside = next((one.text for one in element.iter() if _local(one.tag) == "sqref"), None)
    return (named or inside or "").strip()


def _drawn(root: Element) -> Iterator[Feature]:
    for anchor in root:
        start = next((one for one in anchor if _local(one.tag) == "from"), None)
        place = {_local(one.tag): int(one.text or 0) for one in start} if start is not None else {}
        at = f"{get_column_letter(place['col'] + 1)}{place['row'] + 1}" if {"col", "row"} <= set(place) else ""
        for one in anchor.iter():
            name = _local(one.tag)
            if name == "graphicFrame":
                uris = {part.attrib.get("uri", "") for part in one.iter()}
                kinds = {"/chart": CHART, "slicer": "slicer"}
                yield Feature(next((kinds[mark] for mark in kinds for uri in uris if mark in uri), "diagram"), at)
                break
            if name in _DRAWN:
                words = " ".join(part.text.strip() for part in one.iter() if _local(part.tag) == "t" and part.text)
                yield Feature("text box" if words and name == "sp" else _DRAWN[name], at, words and repr(words))
                break


def _local(tag: Any) -> str:
    """The name of an XML element or attribute without its namespace."""
    return str(tag).rpartition("}")[2]
