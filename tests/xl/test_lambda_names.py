"""A workbook with the names of the rules: nothing else of it changes, and any program still opens it."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import libreoffice
import openpyxl
import pytest
from ironcalc_sheet import Written, calculate, values_at
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.workbook.workbook import Workbook
from openpyxl.worksheet.table import Table
from openxml_audit import FileFormat, OpenXmlValidator, ValidationSeverity

from gpusheet.errors import GpusheetError
from gpusheet.workbook.book import LANGUAGES, build, write
from gpusheet.workbook.evaluate import evaluate
from gpusheet.workbook.inputs import sample
from gpusheet.workbook.lambda_names import put_lambdas
from gpusheet.workbook.reader import read_book
from gpusheet.xl.lambdas import lambdas

DOCS = Path(__file__).parents[2] / "docs"
LONGEST_COMMENT = 255  # Excel refuses the file where one is longer

every_language = pytest.mark.parametrize("lang", LANGUAGES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample with and without names, in both languages."""
    made = tmp_path_factory.mktemp("names")
    for lang in LANGUAGES:
        for functions in ("none", "lambda"):
            write(sample(lang), made / f"{functions}.{lang}.xlsx", lang=lang, months=2, functions=functions)
    return made


@every_language
def test_only_the_list_of_names_differs(folder: Path, lang: str) -> None:
    """The values in the cells too: the engine that calculates them does not stumble over the names."""
    plain, named = folder / f"none.{lang}.xlsx", folder / f"lambda.{lang}.xlsx"
    with ZipFile(plain) as one, ZipFile(named) as other:
        assert one.namelist() == other.namelist()
        assert [name for name in one.namelist() if one.read(name) != other.read(name)] == ["xl/workbook.xml"]


@every_language
def test_every_rule_is_a_name_with_its_help(folder: Path, lang: str) -> None:
    book = openpyxl.load_workbook(folder / f"lambda.{lang}.xlsx")
    names = {name: book.defined_names[name] for name in lambdas()}
    assert {name: defined.attr_text for name, defined in names.items()} == lambdas()
    for name, defined in names.items():
        assert not defined.hidden
        assert 0 < len(defined.comment) <= LONGEST_COMMENT, name
        assert any("一" <= character <= "鿿" for character in defined.comment) == (lang == "zh"), name
    tables = [table for sheet in book.worksheets for table in sheet.tables]
    everything = [name.casefold() for name in (*book.defined_names, *tables)]
    assert len(set(everything)) == len(everything)


@every_language
def test_the_file_is_valid(folder: Path, lang: str) -> None:
    for form in (FileFormat.OFFICE_2016, FileFormat.MICROSOFT_365):
        found = OpenXmlValidator(form, max_errors=0).validate(folder / f"lambda.{lang}.xlsx").errors
        assert [str(one) for one in found if one.severity is ValidationSeverity.ERROR] == []


def test_libreoffice_shows_the_same_cells(folder: Path) -> None:
    """It knows no LAMBDA, and need not."""
    plain, named = (libreoffice.recalculate(folder / f"{functions}.en.xlsx") for functions in ("none", "lambda"))

    def shown(book: Workbook) -> dict[tuple[str, str], Any]:
        return {(sheet.title, cell.coordinate): cell.value for sheet in book.worksheets
                for row in sheet.iter_rows() for cell in row if cell.value is not None}  # fmt: skip

    cells = shown(plain)
    assert len(cells) > 5000 and shown(named) == cells


def test_cells_of_the_book_call_them(folder: Path, tmp_path: Path) -> None:
    """Also on the book's own tiers, which are its table's as edited, not those that are built in."""
    path = tmp_path / "called.xlsx"
    book = openpyxl.load_workbook(folder / "lambda.en.xlsx")
    formulas = ("=CARD_TIER(5)", "=CARD_TIER(5,tiers)", '=LINK_PENALTY(8,"pcie",0.3)', "=REPLICAS(16,0)")
    sheet = book.create_sheet("Mine", 0)
    for row, formula in enumerate(formulas, 1):
        sheet.cell(row, 1, formula)
    area = book.defined_names["tiers"].attr_text
    title, _, cells = area.rpartition("!")
    book[title.strip("'")][cells.replace("$", "").partition(":")[2]].value = 6
    book.save(path)
    assert values_at(path, 0, [(row, 1) for row in range(1, 5)]) == [8, 6, 0.3, "#NUM!"]


def test_names_go_into_any_book_and_stay_out_of_the_way() -> None:
    """Formulas beside them are calculated as ever."""
    book = Workbook()
    put_lambdas(book)
    sheet: Any = book.active
    sheet["A1"], sheet["B1"] = 3, "=A1*2"
    assert evaluate(book).at("Sheet", "B1") == 6


@pytest.mark.parametrize("taken", ["card_tier", "Card_Tier"])
def test_a_name_that_is_taken_is_not_overwritten(taken: str) -> None:
    book = Workbook()
    book.defined_names[taken] = DefinedName(taken, attr_text="Sheet!$A$1")
    with pytest.raises(GpusheetError, match=r"name CARD_TIER: is taken in this workbook; give"):
        put_lambdas(book)
    other = Workbook()
    sheet: Any = other.active
    sheet.append(["a"])
    sheet.append([1])
    sheet.add_table(Table(displayName=taken, ref="A1:A2"))
    with pytest.raises(GpusheetError, match="name CARD_TIER"):
        put_lambdas(other)


def test_a_book_that_has_them_keeps_them(folder: Path) -> None:
    read = read_book(folder / "lambda.zh.xlsx")
    assert (read.functions, read.lost) == ("lambda", ())
    assert read_book(folder / "none.zh.xlsx").functions == "none"


def test_a_name_of_the_users_own_is_told(folder: Path, tmp_path: Path) -> None:
    """Also where it is called like a rule but is no function."""
    path = tmp_path / "own.xlsx"
    book = openpyxl.load_workbook(folder / "none.en.xlsx")
    book.defined_names["CARD_TIER"] = DefinedName("CARD_TIER", attr_text="Cover!$B$2")
    book.defined_names["TWICE"] = DefinedName("TWICE", attr_text="_xlfn.LAMBDA(_xlpm.x,2*_xlpm.x)")
    book.save(path)
    read = read_book(path)
    assert read.functions == "none"
    assert [line.partition(":")[0] for line in read.lost if line.startswith("name ")] == ["name CARD_TIER", "name TWICE"]


@pytest.mark.parametrize("page", ["lambda.md", "lambda.zh.md"])
def test_the_pages_tell_what_happens(page: str) -> None:
    """The calls that they show have a result, and the Python that they show runs."""
    path = DOCS / page
    assert doctest.testfile(str(path), module_relative=False, encoding="utf-8") == (0, 6)
    calls = set(re.findall(r"`=(\w+)\(([0-9.,{}]+)\)`", path.read_text(encoding="utf-8")))
    assert {name for name, _ in calls} == {"CARD_TIER", "THROUGHPUT_CARDS"}
    shown = calculate([(name, [Written(arguments)]) for name, arguments in sorted(calls)], lambdas())
    assert shown == [4, 3]


def test_functions_that_are_not_there_are_refused() -> None:
    with pytest.raises(GpusheetError, match="functions: found 'xll', allowed none or lambda"):
        build(sample(), functions="xll")
