"""The errors of cells as Excel's own programming interfaces number them."""

from __future__ import annotations

from gpusheet.xl.cells import BAD_ARGUMENT, CELL_ERRORS

# Microsoft's XlCVError: what VBA's CVErr takes
NUMBERS = {
    "#NULL!": 2000, "#DIV/0!": 2007, "#VALUE!": 2015, "#REF!": 2023, "#NAME?": 2029, "#NUM!": 2036, "#N/A": 2042,
    "#GETTING_DATA": 2043, "#SPILL!": 2045, "#CONNECT!": 2046, "#BLOCKED!": 2047, "#UNKNOWN!": 2048, "#FIELD!": 2049,
    "#CALC!": 2050,
}  # fmt: skip
_TEXTS = {number: text for text, number in NUMBERS.items()}
_FIRST = -0x7FF60000  # COM hands an error over as 0x800A0000 and its number, which is negative in 32 bits


def number_of(error: str) -> int:
    """The number of an error's text; an error that has none known here is passed on as a bad argument.

    >>> number_of("#N/A"), number_of("#PYTHON!")
    (2042, 2015)
    """
    return NUMBERS.get(error, NUMBERS[BAD_ARGUMENT])


def from_com(value: int) -> str | None:
    """The error's text for the whole number that pywin32 makes of an error in a cell; None for other numbers.

    >>> from_com(-2146826246), from_com(8)
    ('#N/A', None)
    """
    number = value - _FIRST
    return _TEXTS.get(number, BAD_ARGUMENT) if 2000 <= number < 2300 else None


assert set(NUMBERS) <= set(CELL_ERRORS)
