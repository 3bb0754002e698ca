"""The VBA module compiled and run by LibreOffice's Basic: what it makes of ranges, results and failures.

Excel's ranges and xlwings' server are classes here; nothing was run in Excel.
"""

from __future__ import annotations

from pathlib import Path

import basic
import pytest

from gpusheet.xl.classic import vba

SOURCE = vba.module().replace("\r\n", "\n").split("\n", 1)[1]  # without its attribute, which is of files only

DESCRIBING = "Public Sub DescribeFunctions1()"

# answers by the name of the function, or by how often it was asked
SERVER = """
Option ClassModule
Option Explicit
Public Function CallUDF(ByVal modulename, ByVal functionname, ByVal given)
    asked = asked + 1
    Dim found(1, 1) As Variant
    Select Case functionname
    Case "CARD_TIER"
        If modulename <> "gpusheet_udfs" Then Err.Raise 1000, "x", "wrong module"
        CallUDF = given(0) + 1
    Case "AVERAGE_QPS"
        CallUDF = Told(given(0))
    Case "PEAK_QPS"
        Err.Raise 1000, "x", "File 'a.py', line 3: raise Failure('[[#NUM!]]') x [[#N/A]]: CARD_TIER [[#NUM!]]" & Chr(10)
    Case "TOKEN_DEMAND"
        found(0, 0) = "gpu" : found(0, 1) = "#N/A" : found(1, 0) = 2.5 : found(1, 1) = "#hash"
        CallUDF = found
    Case "CONTEXT_TOKENS"
        CallUDF = Array("#DIV/0!", 1.5, "text")
    Case "FIT_ALERT"
        CallUDF = "#REF!"
    Case "KV_ALERT"
        If asked < 3 Then Err.Raise 462, "x", "The remote server machine does not exist"
        CallUDF = "again " & started
    Case "WEIGHT_ALERT"
        Err.Raise 462, "x", "The remote server machine does not exist"
    End Select
End Function

Private Function Told(ByVal area) As String
    Dim r As Integer, c As Integer
    If Not IsArray(area) Then
        Told = TypeName(area) & " " & area
        Exit Function
    End If
    For r = LBound(area, 1) To UBound(area, 1)
        For c = LBound(area, 2) To UBound(area, 2)
            Told = Told & TypeName(area(r, c)) & " "
        Next c
        Told = Told & "/ "
    Next r
End Function
"""

XLWINGS = """
Option Explicit
Public asked As Integer
Public started As Integer
Public absent As Boolean
Public Function XLPy()
    If absent Then Err.Raise 1000, "x", "Could not load xlwings64.dll"
    started = started + 1
    Set XLPy = New FakeServer
End Function
"""

# a range of `rows` by `columns` cells at A1, of a sheet that is used down to row 3 and column 2
RANGE = """
Option ClassModule
Option Explicit
Public Row As Long
Public Column As Long
Public Height As Long
Public Width As Long
Public Parts As Long
Private Sub Class_Initialize()
    Row = 1 : Column = 1 : Parts = 1
End Sub
Public Function Areas()
    Set Areas = Counted(Parts)
End Function
Public Function Rows()
    Set Rows = Counted(Height)
End Function
Public Function Columns()
    Set Columns = Counted(Width)
End Function
Private Function Counted(ByVal number)
    Dim made As New FakeCount
    made.Count = number
    Set Counted = made
End Function
Public Function CountLarge()
    CountLarge = CDbl(Height) * Width
End Function
Public Function Worksheet()
    Set Worksheet = Me
End Function
Public Function UsedRange()
    Set UsedRange = NewRange(3, 2)
End Function
Public Function Resize(ByVal height1, ByVal width1)
    Set Resize = NewRange(height1, width1)
End Function
Public Function Value2()
    Value2 = Filled(False)
End Function
Public Function Value()
    Value = Filled(True)
End Function
Private Function Filled(ByVal dated As Boolean)
    Dim cells() As Variant
    Dim r As Long, c As Long
    If Height * Width = 1 Then
        If dated Then Filled = CDate(46322) Else Filled = 46322.0
        Exit Function
    End If
    ReDim cells(1 To Height, 1 To Width)
    For r = 1 To Height
        For c = 1 To Width
            If dated And c = 2 Then cells(r, c) = CDate(46322) Else cells(r, c) = 46322.0
        Next c
    Next r
    Filled = cells
End Function
"""
COUNT = "Option ClassModule\nPublic Count As Long\n"

MAIN = """
Option Explicit
Public Function NewRange(ByVal rows1, ByVal columns1)
    Dim made As New FakeRange
    made.Height = rows1
    made.Width = columns1
    Set NewRange = made
End Function

Private Function Shown(ByVal value) As String
    If IsError(value) Then Shown = CStr(value) Else Shown = TypeName(value) & " " & value
End Function

Sub Run
    Dim out As Integer
    out = FreeFile
    Open "{out}" For Output As out
{lines}
    Close out
End Sub
"""


def answers(folder: Path, *calls: str, source: str = SOURCE, before: str = "", seconds: int = 120) -> list[str]:
    """What cells would show for these calls, run in their order."""
    out = folder / "out.txt"
    lines = [before, *(f"    Print #out, {call}" for call in calls)]
    # LibreOffice takes so many bytes of a module at most: the descriptions stand in one of their own, and are seen from ours
    functions, describing, descriptions = source.replace("Private Sub Describe", "Public Sub Describe").partition(DESCRIBING)
    modules = {
        "gpusheet": functions, "described": f"Option Explicit\n{describing}{descriptions}",
        "FakeServer": SERVER, "xlwings": XLWINGS, "FakeRange": RANGE, "FakeCount": COUNT,
        "Main": MAIN.format(out=out, lines="\n".join(lines)),
    }  # fmt: skip
    told = basic.run(modules, "Main.Run", out, folder / "profile", seconds)
    return [line.strip() for line in told.splitlines()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("basic")


def test_numbers_and_errors(folder: Path) -> None:
    """The error is the one at the end of the text, whatever stands before."""
    found = answers(
        folder, "Shown(CARD_TIER(2.5, Empty))", "Shown(PEAK_QPS(1, 2))", "Shown(FIT_ALERT(1))",
        "Shown(TOKEN_DEMAND(1, 2)(0, 0))", "Shown(TOKEN_DEMAND(1, 2)(0, 1))", "Shown(TOKEN_DEMAND(1, 2)(1, 0))",
        "Shown(TOKEN_DEMAND(1, 2)(1, 1))", "Shown(CONTEXT_TOKENS(1, 2)(0))", "Shown(CONTEXT_TOKENS(1, 2)(2))", "asked",
    )  # fmt: skip
    assert found == [
        "Double 3.5", "Error 2036", "Error 2023", "String gpu", "Error 2042", "Double 2.5", "String #hash", "Error 2007",
        "String text", "9",
    ]  # fmt: skip


def test_ranges(folder: Path) -> None:
    """One cell is its value, dates stay dates, whole columns end with the sheet; too many cells never reach Python."""
    found = answers(
        folder, "Shown(AVERAGE_QPS(NewRange(1, 1), 2))", "Shown(CARD_TIER(NewRange(2, 1), Empty))",
        "Shown(CARD_TIER(NewRange(1048576, 16384), Empty))", "asked",
        "Shown(ESTIMATE(NewRange(1048576, 16384), Empty, Empty, Empty, Empty, Empty))",
        "Shown(ERROR_REASON(\"CARD_TIER\", NewRange(1048576, 1)))", "asked",
        source=SOURCE.replace('Answer("ESTIMATE"', 'Answer("AVERAGE_QPS"').replace('Answer("ERROR_REASON", "1n", given)',
            'Answer("AVERAGE_QPS", "n1", Array(given(1), given(0)))'),
    )  # fmt: skip
    assert found[0].startswith("String Date ")
    assert found[1:4] == ["Error 2015", "Error 2015", "1"]
    assert found[4:] == ["String " + "Double Date / " * 2 + "Double Date /", "String " + "Double / " * 2 + "Double /", "3"]


def test_many_cells_do_not_become_one(folder: Path) -> None:
    """Below or beside what is used there is nothing; the reason must still see that it was given too many cells."""
    low = "    Dim low As Object\n    Set low = NewRange(1048576, 1)\n    low.Row = 3"
    source = SOURCE.replace('Answer("ERROR_REASON", "1n", given)', 'Answer("AVERAGE_QPS", "n1", Array(given(1), given(0)))')
    found = answers(folder, 'Shown(ERROR_REASON("CARD_TIER", low))', source=source, before=low)
    assert found == ["String Double / Double /"]


def test_two_areas_are_too_many(folder: Path) -> None:
    two = "    Dim two As Object\n    Set two = NewRange(1, 1)\n    two.Parts = 2"
    assert answers(folder, "Shown(CARD_TIER(two, Empty))", "asked", before=two) == ["Error 2015", "0"]


def test_python_started_anew_is_found_again(folder: Path) -> None:
    found = answers(folder, "Shown(CARD_TIER(1, Empty))", "started", "Shown(KV_ALERT(1, 2))", "started")
    assert found == ["Double 2", "1", "String again 2", "2"]


def test_python_that_cannot_be_reached_is_asked_no_more_for_a_while(folder: Path) -> None:
    found = answers(folder, "Shown(WEIGHT_ALERT(1, 2))", "asked", *["Shown(CARD_TIER(1, Empty))"] * 3, "asked", "started")
    assert found == ["Error 2029", "2", "Error 2029", "Error 2029", "Error 2029", "2", "2"]
    absent = answers(folder, "Shown(CARD_TIER(1, Empty))", "Shown(CARD_TIER(1, Empty))", "started", before="    absent = True")
    assert absent == ["Error 2029", "Error 2029", "0"]


def test_a_module_that_does_not_compile_is_seen(tmp_path: Path) -> None:
    """So that these tests mean something: a name that is not declared is one too many for Option Explicit."""
    spoilt = SOURCE.replace("    Dim asking As Boolean\n", "")
    assert spoilt != SOURCE
    found = answers(tmp_path, "Shown(CARD_TIER(1, Empty))", source=spoilt, seconds=15)
    assert found in ([], ["Error 2015"])
