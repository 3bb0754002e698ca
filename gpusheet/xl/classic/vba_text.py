"""The VBA that all functions share: what hands their cells to Python, and what becomes of the answer.

`CallUDF` of xlwings' server is given values, not ranges: a range would be read back from Python, cell by cell, and a
currency format would round it. The server is kept between calls and looked for again once where it has gone.
"""

from __future__ import annotations

HEAD = """\
Attribute VB_Name = "{module}"
' The functions of gpusheet {version} for Excel on Windows, written by: gpusheet udf vba
' They need xlwings: its add-in, ticked under Tools > References, or its module "xlwings" in this project.
' A cell shows #NAME? where Python cannot be reached: run the macro GpusheetStatus (Alt+F8), it says why.
Option Explicit

Private Const UDF_MODULE As String = "{udf_module}"
Private Const HELP_CATEGORY As String = "{category}"
Private Const PAUSE_SECONDS As Integer = 20

Private python As Object
Private pausedUntil As Date

"""

TAIL = """\
' kinds: for each argument "1" where it takes one cell, "n" where it takes a range
Private Function Answer(ByVal functionName As String, ByVal kinds As String, ByVal given As Variant) As Variant
    Dim values() As Variant
    Dim position As Long
    Dim asking As Boolean
    Dim again As Boolean
    Dim told As String

    On Error GoTo failed
    ReDim values(0 To UBound(given))
    For position = 0 To UBound(given)
        If Not IsObject(given(position)) Then
            values(position) = given(position)
        ElseIf TooLarge(given(position), Mid$(kinds, position + 1, 1)) Then
            Answer = CVErr({bad_argument})
            Exit Function
        Else
            values(position) = ValuesOf(given(position))
        End If
    Next position
    If Now < pausedUntil Then
        Answer = CVErr({unreachable})
        Exit Function
    End If
    asking = True

ask:
    If python Is Nothing Then Set python = XLPy()
    Answer = WithErrors(python.CallUDF(UDF_MODULE, functionName, values))
    Exit Function

failed:
    told = ErrorIn(Err.Description)
    If Not asking Then
        Answer = CVErr({bad_argument})
    ElseIf told <> "" Then
        Answer = CVErr(ErrorNumber(told))
    ElseIf Not again And Not python Is Nothing Then
        again = True ' Python was started anew since the last call
        Set python = Nothing
        Resume ask
    Else
        Set python = Nothing
        pausedUntil = DateAdd("s", PAUSE_SECONDS, Now) ' so that a sheet of calls does not wait for each of them
        Answer = CVErr({unreachable})
    End If
End Function

Private Function TooLarge(ByVal area As Object, ByVal kind As String) As Boolean
    TooLarge = area.Areas.Count <> 1
    If kind = "1" And Not TooLarge Then TooLarge = area.CountLarge <> 1
End Function

' Without the empty end of whole columns and rows; numbers as they are, also where the format is a currency
Private Function ValuesOf(ByVal area As Object) As Variant
    Dim used As Object
    Dim rowCount As Long
    Dim columnCount As Long
    Dim exact As Variant
    Dim dated As Variant
    Dim r As Long
    Dim c As Long

    If area.CountLarge > 1 Then
        Set used = area.Worksheet.UsedRange
        rowCount = Between(used.Row + used.Rows.Count - area.Row, area.Rows.Count)
        columnCount = Between(used.Column + used.Columns.Count - area.Column, area.Columns.Count)
        ' Many cells do not become one
        If rowCount = 1 And columnCount = 1 Then
            If area.Rows.Count > 1 Then rowCount = 2 Else columnCount = 2
        End If
        Set area = area.Resize(rowCount, columnCount)
    End If
    exact = area.Value2
    dated = area.Value
    If IsArray(exact) Then
        For r = 1 To UBound(exact, 1)
            For c = 1 To UBound(exact, 2)
                If VarType(dated(r, c)) = vbDate Then exact(r, c) = dated(r, c)
            Next c
        Next r
    ElseIf VarType(dated) = vbDate Then
        exact = dated
    End If
    ValuesOf = exact
End Function

Private Function Between(ByVal wanted As Long, ByVal most As Long) As Long
    Between = wanted
    If Between > most Then Between = most
    If Between < 1 Then Between = 1
End Function

' Texts such as "#N/A" become errors, in one cell or in all
Private Function WithErrors(ByVal result As Variant) As Variant
    Dim r As Long
    Dim c As Long

    If Not IsArray(result) Then
        result = CellOf(result)
    ElseIf IsGrid(result) Then
        For r = LBound(result, 1) To UBound(result, 1)
            For c = LBound(result, 2) To UBound(result, 2)
                If VarType(result(r, c)) = vbString Then result(r, c) = CellOf(result(r, c))
            Next c
        Next r
    Else
        For c = LBound(result) To UBound(result)
            If VarType(result(c)) = vbString Then result(c) = CellOf(result(c))
        Next c
    End If
    WithErrors = result
End Function

Private Function IsGrid(ByRef result As Variant) As Boolean
    Dim last As Long

    On Error GoTo oneRow
    last = UBound(result, 2)
    IsGrid = True
oneRow:
End Function

Private Function CellOf(ByVal value As Variant) As Variant
    CellOf = value
    If VarType(value) = vbString Then
        If Left$(value, 1) = "#" Then
            If ErrorNumber(value) <> 0 Then CellOf = CVErr(ErrorNumber(value))
        End If
    End If
End Function

' The error that a failure names at its end, as in: ... [[#N/A]]
Private Function ErrorIn(ByVal told As String) As String
    Dim first As Long
    Dim last As Long

    first = InStrRev(told, "[[#")
    If first > 0 Then last = InStr(first, told, "]]")
    If last > 0 Then ErrorIn = Mid$(told, first + 2, last - first - 2)
End Function

Private Function ErrorNumber(ByVal told As String) As Long
    Select Case told
{cases}
    End Select
End Function

' Whether Python answers, and if it does not, why
Public Sub GpusheetStatus()
    On Error GoTo failed
    pausedUntil = 0
    Set python = XLPy()
    MsgBox python.Str(python.Call(python.Module(UDF_MODULE), "status", python.Tuple())), vbInformation, UDF_MODULE
    Exit Sub

failed:
    Set python = Nothing
    MsgBox "Python cannot be reached: " & Err.Description, vbExclamation, UDF_MODULE
End Sub

' Runs when a person opens the workbook. Where it has an Auto_Open already, delete this one and call RegisterGpusheet there
Public Sub Auto_Open()
    RegisterGpusheet
End Sub

' What the function wizard shows of each function
Public Sub RegisterGpusheet()
    Dim wasSaved As Boolean

    wasSaved = ThisWorkbook.Saved
{calls}
    ThisWorkbook.Saved = wasSaved
End Sub

Private Sub Describe(ByVal functionName As String, ByVal help As String, ByVal arguments As String)
    Dim macro As String

    On Error Resume Next ' a function without its help still computes
    macro = "'" & Replace(ThisWorkbook.Name, "'", "''") & "'!" & functionName
    Application.MacroOptions Macro:=macro, Description:=help, Category:=HELP_CATEGORY, _
        ArgumentDescriptions:=Split(arguments, "|")
End Sub

"""
