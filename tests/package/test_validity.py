"""The shipped workbooks are valid files, whole, and written in formulas that a person can read."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import Any

import pytest
from openpyxl.formula.tokenizer import Token, Tokenizer
from openpyxl.formula.translate import Translator
from openpyxl.utils import range_boundaries
from openxml_audit import FileFormat, OpenXmlValidator, ValidationError, ValidationSeverity
from shipped import FILES, FOLDER, formula_cells, formulas, parts

from gpusheet.catalog.planning import PLANNING
from gpusheet.constants import NAMED
from gpusheet.workbook.layout import SHEETS, role_of

TABLES = {
    "Workloads": ["Workloads"], "GPUs": ["GPUs"], "Models": ["Models"],
    "Engines": ["Engines"], "Generations": ["Generations"], "Prices": ["Prices"], "FX": ["FX"],
    "Assumptions": ["CardTiers", "Distributions", "OtherCosts", "Precisions", "Seasons"],
    **{name: [name] for name in PLANNING},
}  # fmt: skip
CHARTS = {"Budget", "Outcomes", "Sensitivity", "Compare", "RentOrBuy", "Traffic", "PriceBridge", "Variance"}
LONGEST, SHORT, SHORT_SHARE = 300, 120, 0.95
VOLATILE = {"INDIRECT(", "OFFSET(", "NOW(", "TODAY(", "RAND(", "RANDBETWEEN(", "RANDARRAY(", "CELL(", "INFO("}
WHOLE = re.compile(r"\$?[A-Z]{1,3}:\$?[A-Z]{1,3}|\$?[0-9]+:\$?[0-9]+")
FORMULA = re.compile(rb'<c r="([A-Z]+[0-9]+)"([^>]*)><f[^>]*>[^<]*</f>(<v>[^<]*</v>)?')

every_file = pytest.mark.parametrize("file", FILES)


def findings(file: str) -> list[ValidationError]:
    return OpenXmlValidator(FileFormat.OFFICE_2016, max_errors=0).validate(FOLDER / file).errors


@every_file
def test_no_error_is_found_in_the_file(file: str) -> None:
    """Of the warnings there is one kind: texts stand in their cells, where Excel moves them to a list when it saves."""
    found = findings(file)
    assert [str(one) for one in found if one.severity is ValidationSeverity.ERROR] == []
    assert {"inline-string" in one.description for one in found} <= {True}, Counter(one.description for one in found)


@every_file
def test_sheets_tables_and_panes_are_in_place(file: str) -> None:
    book = formulas(file)
    assert book.sheetnames == list(SHEETS)
    for sheet in book.worksheets:
        assert sorted(sheet.tables) == TABLES.get(sheet.title, [])
        for table in sheet.tables.values():
            left, top, right, bottom = range_boundaries(table.ref)
            heads = [cell.value for cell in sheet[top][left - 1 : right]]
            assert heads == table.column_names and len(set(heads)) == len(heads)
            assert bottom > top
        assert (sheet.freeze_panes is None) == (sheet.title == "Cover")
        assert sheet.sheet_state == "visible"
        assert sheet.protection.sheet == (role_of(sheet.title) != "input")
        assert bool(sheet.data_validations.dataValidation) == (role_of(sheet.title) in ("input", "cover"))
        assert len(sheet._charts) == (sheet.title in CHARTS)


@every_file
def test_dropdowns_offer_what_is_there(file: str) -> None:
    """A list that is a range holds texts; no validation has an error message left out."""
    book = formulas(file)
    lists = 0
    for sheet in book.worksheets:
        for rule in sheet.data_validations.dataValidation:
            assert rule.showErrorMessage and rule.error, f"{sheet.title}!{rule.sqref}"
            if rule.type == "list" and not rule.formula1.startswith('"'):
                name, _, area = rule.formula1.lstrip("=").rpartition("!")
                area = area.replace("$", "")
                offered = [cell.value for row in book[name.strip("'") or sheet.title][area] for cell in row]
                assert any(isinstance(one, str) for one in offered), rule.formula1
                lists += 1
    assert lists >= 3


@every_file
def test_names_and_links_lead_somewhere(file: str) -> None:
    book = formulas(file)
    assert {constant.name for constant in NAMED} <= set(book.defined_names)
    for name, defined in book.defined_names.items():
        assert not re.fullmatch(r"[A-Za-z]{1,3}[0-9]+", name)
        (place,) = list(defined.destinations)
        cells = book[place[0]][place[1].replace("$", "")]
        first: Any = cells[0][0] if isinstance(cells, tuple) else cells
        assert first.value is not None, name
    links = [cell.hyperlink for sheet in book.worksheets for row in sheet.iter_rows() for cell in row if cell.hyperlink]
    assert len(links) >= len(SHEETS)
    for link in links:
        if link.target:
            assert link.target.startswith("https://"), link.target
            continue
        title, _, address = link.location.rpartition("!")
        cell = book[title.strip("'")][address]  # an input that may be blank has its name in the first column
        assert cell.value is not None or book[title.strip("'")].cell(cell.row, 1).value is not None, link.location
    assert {link.location.rpartition("!")[0].strip("'") for link in links if link.location} >= set(SHEETS) - {"Cover"}


@every_file
def test_every_formula_has_its_value_in_the_file(file: str) -> None:
    """An empty text is a value too; what is not a text is not blank."""
    count = 0
    for name, part in parts(FOLDER / file).items():
        if not name.startswith("xl/worksheets/sheet"):
            continue
        for address, attributes, value in FORMULA.findall(part):
            assert value and (b't="str"' in attributes or value != b"<v></v>"), f"{name} {address.decode()}"
            assert b't="e"' not in attributes, f"{name} {address.decode()} is an error"
            count += 1
    assert count == len(formula_cells(file)) > 2000


# --- the formulas themselves ------------------------------------------------------------------------------------------


@cache
def distinct(file: str) -> dict[str, str]:
    """One place for each formula that says something else than its neighbours, which are it filled along."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for sheet, address, formula in formula_cells(file):
        moved = Translator(formula, origin=address).translate_formula("ZZ9999")
        found.setdefault((sheet, moved), (f"{sheet}!{address}", formula))
    return dict(found.values())


def tokens(file: str) -> list[tuple[str, Token]]:
    return [(place, token) for place, formula in distinct(file).items() for token in Tokenizer(formula).items]


def _lengths(file: str) -> list[tuple[int, str]]:
    """How long each distinct formula is, and where it stands; printed as a distribution."""
    found = sorted((len(formula), place) for place, formula in distinct(file).items())
    parts_of_all = {part: found[int(part * (len(found) - 1))][0] for part in (0.5, 0.75, 0.9, 0.95, 0.99, 1)}
    shown = ", ".join(f"{part:.0%}: {length}" for part, length in parts_of_all.items())
    print(f"{file}: {len(found)} distinct formulas; lengths at {shown}")
    return found


@every_file
def test_no_formula_is_long(file: str) -> None:
    assert [pair for pair in _lengths(file) if pair[0] > LONGEST] == []


@every_file
def test_most_formulas_are_short(file: str) -> None:
    lengths = [len(formula) for _, _, formula in formula_cells(file)]
    assert sum(length <= SHORT for length in lengths) >= SHORT_SHARE * len(lengths)


@every_file
def test_most_different_formulas_are_short(file: str) -> None:
    """A rule that is long is so in every case of Cases and Drivers again, so that these have more of them."""
    lengths = [length for length, _ in _lengths(file)]
    assert sum(length <= SHORT for length in lengths) >= 0.94 * len(lengths)


@every_file
def test_formulas_are_of_all_programs_and_never_volatile(file: str) -> None:
    for place, token in tokens(file):
        if token.type == Token.FUNC and token.subtype == Token.OPEN:
            assert token.value not in VOLATILE, place
            assert not token.value.startswith("_"), f"{place}: {token.value} is not in Excel 2016"


@every_file
def test_formulas_read_no_other_file_and_no_whole_column(file: str) -> None:
    assert [name for name in parts(FOLDER / file) if "externalLink" in name] == []
    ranges = [(place, token.value) for place, token in tokens(file) if token.subtype == Token.RANGE]
    assert len(ranges) > 500
    titles = {f"{title}!" for title in SHEETS}
    for place, text in ranges:
        sheet, mark, area = text.rpartition("!")
        assert not WHOLE.fullmatch(area), f"{place}: {text}"
        assert not mark or f"{sheet}!" in titles, f"{place}: {text}"
        assert ".xls" not in text and not re.match(r"\[\d", text), f"{place}: {text}"
