"""The VBA module keeps to the limits of VBA and Excel, and so does the one that xlwings makes of our functions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from vba_rules import LIKE_A_CELL, broken, procedures, statements
from windows import ERRORS, xlwings_on_windows

from gpusheet.cli import main
from gpusheet.xl.cells import CELL_ERRORS
from gpusheet.xl.classic import vba
from gpusheet.xl.classic.excel_errors import from_com, number_of
from gpusheet.xl.classic.vba_words import RESERVED
from gpusheet.xl.functions import functions

SOURCE = vba.module()


@pytest.fixture(scope="module")
def udfs() -> Iterator[ModuleType]:
    pytest.importorskip("xlwings")
    with xlwings_on_windows() as module:
        yield module


def test_the_module_breaks_no_limit() -> None:
    assert broken(SOURCE) == []


def test_the_limits_are_seen() -> None:
    """Each of them, on a source that is spoilt."""
    head = "Public Function CARD_TIER(ByVal cards_needed, Optional ByVal tiers) As Variant"
    assert SOURCE.count(head) == 1
    spoilt = {
        "characters": SOURCE + "' " + "x" * 1022,
        "continuations": SOURCE + "' _\r\n" * 25,
        "the module has": SOURCE + "' comment\r\n" * 66_000,
        "CARD_TIER has": SOURCE.replace(head, head + "\r\n" + "    x = 1\r\n" * 12000),
        "of Excel's own": SOURCE.replace(head, head.replace("CARD_TIER", "NPV")),
        "61 arguments": SOURCE.replace("ByVal cards_needed", ", ".join(f"ByVal a_{n}" for n in range(60))),
        "characters long": SOURCE.replace("ByVal cards_needed", f"ByVal {'a' * 250}"),
        "no name in VBA": SOURCE.replace("ByVal cards_needed", "ByVal _cards"),
        "a word of VBA's own": SOURCE.replace("ByVal cards_needed", "ByVal next"),
        "address of a cell": SOURCE.replace(head, head.replace("CARD_TIER", "H100")),
        "like the function": SOURCE.replace("ByVal cards_needed", "ByVal card_tier"),
        "is there twice": SOURCE + f"{head}\r\nEnd Function\r\n",
        "of If": SOURCE.replace("    End If\r\n", "", 1),
        "no end": SOURCE.replace('<> ""', '<> "', 1),
    }
    for told, source in spoilt.items():
        assert source != SOURCE
        assert any(told in line for line in broken(source)), told
    assert all(LIKE_A_CELL.fullmatch(word) for word in ("A100", "h20", "RTX4090", "r1c1", "C5"))


def test_the_file_is_ascii_with_windows_line_ends() -> None:
    """VBA takes a file to be in the code page of the country."""
    assert SOURCE.isascii()
    assert SOURCE.count("\n") == SOURCE.count("\r\n") == len(SOURCE.splitlines())
    assert SOURCE.startswith('Attribute VB_Name = "gpusheet"\r\n')
    assert SOURCE.splitlines()[4] == "Option Explicit"
    assert "\t" not in SOURCE


def test_there_is_a_function_for_each_of_ours() -> None:
    public = {one.name: one for one in procedures(SOURCE) if f"Public Function {one.name}(" in one.body}
    assert set(public) == set(functions())
    for name, function in functions().items():
        assert list(public[name].arguments) == [vba.safe_name(one.name) for one in function.arguments]
        head = public[name].body.splitlines()[0]
        for argument in function.arguments:
            word = "ParamArray " if argument.repeated else "Optional ByVal " if argument.optional else "ByVal "
            assert re.search(rf"[(,] ?{word}{vba.safe_name(argument.name)}\b", head)
        kinds = "".join("n" if one.kind in ("table", "any") else "1" for one in function.arguments)
        assert f'Answer("{name}", "{kinds}", ' in public[name].body
    macros = {one.name for one in procedures(SOURCE) if f"Public Sub {one.name}(" in one.body}
    assert macros == {"Auto_Open", "RegisterGpusheet", "GpusheetStatus"}


def test_every_function_is_described() -> None:
    """With help as long as Excel takes it, for the function and for each argument."""
    told = {}
    for line in statements(SOURCE):
        if line.startswith('Describe "'):
            texts = [text.replace('""', '"') for text in re.findall(r'"((?:[^"]|"")*)"', line.replace('" & "', ""))]
            told[texts[0]] = texts[1:]
    assert set(told) == set(functions())
    for name, (text, arguments) in told.items():
        function = functions()[name]
        assert text == vba.plain(function.help()) and 0 < len(text) <= 255
        helps = arguments.split("|")
        assert helps == [vba.plain(one.help()) for one in function.arguments]
        assert all(0 < len(one) <= 255 for one in helps)
    called = {one.name for one in procedures(SOURCE) if one.name.startswith("DescribeFunctions")}
    assert called == set(re.findall(r"^    (DescribeFunctions\d+)\r?$", SOURCE, re.MULTILINE))


def test_every_error_has_its_number() -> None:
    for error in CELL_ERRORS:
        assert f'Case "{error}": ErrorNumber = {number_of(error)}\r\n' in SOURCE
    for error, number in ERRORS.items():
        assert from_com(number) == error
        assert number == number_of(error) - 2146828288
    assert from_com(2042) is None and from_com(-1) is None


def test_names_that_vba_has_itself_are_changed() -> None:
    assert vba.safe_name("function") == "function_" and vba.safe_name("cards") == "cards"
    used = {vba.safe_name(one.name) for function in functions().values() for one in function.arguments}
    assert not {name.lower() for name in used} & RESERVED


def test_what_xlwings_makes_of_our_functions_breaks_no_limit_either(udfs: ModuleType) -> None:
    """Who prefers its button Import Functions gets a module that compiles; it shows failures as text."""
    from xlwings.udfs import generate_vba_wrapper

    file = StringIO()
    generate_vba_wrapper("gpusheet_udfs", udfs, file, SimpleNamespace(Name="book.xlsm"))
    source = file.getvalue()
    assert {one.name for one in procedures(source)} == set(functions())
    assert [line for line in broken(source) if "the module has" not in line] == []


def test_the_command_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "gpusheet.bas"
    assert main(["udf", "vba", "-o", str(target)]) == 0
    assert target.read_bytes() == SOURCE.encode("ascii")
    assert main(["udf", "vba", "-o", str(target)]) == 1
    assert "exists already" in capsys.readouterr().err
    assert main(["udf", "vba", "-o", str(target), "--force"]) == 0
    assert main(["udf", "vba", "-o", str(tmp_path / "gpusheet.txt")]) == 1
    assert "ends in .bas" in capsys.readouterr().err
