"""The VBA module with a function for each of ours, which passes its cells to Python by way of xlwings.

xlwings writes such a module too, but its functions show a failure as text, and sums leave text out. Ours show the error.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpusheet import __version__
from gpusheet.xl.cells import CELL_ERRORS
from gpusheet.xl.classic.excel_errors import number_of
from gpusheet.xl.classic.vba_text import HEAD, TAIL
from gpusheet.xl.classic.vba_words import RESERVED
from gpusheet.xl.functions import CATEGORY, Function, functions

MODULE = "gpusheet"  # of VBA
UDF_MODULE = "gpusheet_udfs"  # of Python
MARK = "[[{code}]]"  # ends the text of a failure
WIDTH = 118  # of a line that can be continued anywhere
LINE = 900  # characters of a text in a line; VBA takes 1,023 in all
DESCRIBED_TOGETHER = 24  # functions in a procedure, which may not grow without bound

_ASCII = str.maketrans({
    "×": "x", "÷": "/", "≥": ">=", "≤": "<=", "–": "-", "—": "-", "−": "-", "’": "'", "“": "'", "”": "'", "…": "...",
    "≈": "about ", "→": "->", "·": ".", "|": "/", "\n": " ",
})  # fmt: skip


def module() -> str:
    """The source of the module: ASCII, since VBA takes files to be in the code page of the country, and CRLF at line ends.

    >>> print(*module().splitlines()[13:15], sep="\\n")
    Public Function REQUESTS_PER_DAY(ByVal daily_active_users, ByVal requests_per_user_per_day) As Variant
        REQUESTS_PER_DAY = Answer("REQUESTS_PER_DAY", "11", Array(daily_active_users, requests_per_user_per_day))
    """
    described = list(_chunks(list(functions().values())))
    text = HEAD.format(module=MODULE, version=__version__, udf_module=UDF_MODULE, category=CATEGORY)
    text += "\n".join(_function(function) for function in functions().values())
    text += "\n" + TAIL.format(
        cases="\n".join(f'        Case "{error}": ErrorNumber = {number_of(error)}' for error in CELL_ERRORS),
        calls="\n".join(f"    DescribeFunctions{number}" for number in range(1, len(described) + 1)),
        bad_argument=number_of("#VALUE!"), unreachable=number_of("#NAME?"),
    )  # fmt: skip
    text += "\n".join(_describing(number, chunk) for number, chunk in enumerate(described, 1))
    return text.replace("\n", "\r\n")


def safe_name(name: str) -> str:
    """The name of an argument as VBA can have it.

    >>> safe_name("cards"), safe_name("function")
    ('cards', 'function_')
    """
    return f"{name}_" if name.lower() in RESERVED else name


def _function(function: Function) -> str:
    names = [safe_name(argument.name) for argument in function.arguments]
    kinds = "".join("n" if argument.kind in ("table", "any") else "1" for argument in function.arguments)
    declared = []
    for argument, name in zip(function.arguments, names, strict=True):
        if argument.repeated:
            declared.append(f"ParamArray {name}() As Variant")
        else:
            declared.append(f"{'Optional ' if argument.optional else ''}ByVal {name}")
    head = _wrapped(f"Public Function {function.name}(", declared, ") As Variant")
    repeated = bool(function.arguments) and function.arguments[-1].repeated
    if not repeated:
        call = _wrapped(f'    {function.name} = Answer("{function.name}", "{kinds}", Array(', names, "))")
        return f"{head}\n{call}\nEnd Function\n"
    *fixed, more = names
    count = len(fixed)
    placed = "\n".join(_placed(f"    given({position}) = {name}", name) for position, name in enumerate(fixed))
    return f"""{head}
    Dim given() As Variant
    Dim position As Long

    ReDim given(0 To {count} + UBound({more}))
{placed}
    For position = 0 To UBound({more})
        If IsObject({more}(position)) Then
            Set given({count} + position) = {more}(position)
        Else
            given({count} + position) = {more}(position)
        End If
    Next position
    {function.name} = Answer("{function.name}", "{kinds}", given)
End Function
"""


def _placed(line: str, name: str) -> str:
    """An argument into an array; a range stays one."""
    return f"    If IsObject({name}) Then Set {line.strip()} Else {line.strip()}"


def _wrapped(start: str, words: list[str], end: str) -> str:
    """A list in brackets over as many lines as it needs, continued in VBA's way after commas.

    >>> _wrapped("Array(", ["one", "other"], ")")
    'Array(one, other)'
    """
    lines = [start]
    for position, word in enumerate(words):
        ending = end if position == len(words) - 1 else ", "
        if len(lines[-1] + word + ending) > WIDTH:
            lines.append("        ")
        lines[-1] += word + ending
    return " _\n".join(line.rstrip() for line in lines) if words else start + end


def _chunks(every: list[Function]) -> Iterator[list[Function]]:
    for first in range(0, len(every), DESCRIBED_TOGETHER):
        yield every[first : first + DESCRIBED_TOGETHER]


def _describing(number: int, chunk: list[Function]) -> str:
    lines = "\n".join(_described(function) for function in chunk)
    return f"Private Sub DescribeFunctions{number}()\n{lines}\nEnd Sub\n"


def _described(function: Function) -> str:
    texts = "|".join(plain(argument.help()) for argument in function.arguments)
    pieces = [texts[first : first + LINE] for first in range(0, len(texts), LINE)] or [""]
    return f"    Describe {_quoted(function.name)}, {_quoted(plain(function.help()))}, _\n        " + " & _\n        ".join(
        map(_quoted, pieces)
    )


def plain(text: str) -> str:
    """A help text in ASCII, as VBA files hold it; the gallery sheet has it in full."""
    return text.translate(_ASCII)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
