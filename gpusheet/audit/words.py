"""Figures and formulas as findings show them."""

from __future__ import annotations

LONGEST = 70


def cut(text: str, most: int = LONGEST) -> str:
    """A text on one line, cut where it is long.

    >>> cut("=SUM(A1:A9)  +1"), cut("x" * 80, 5)
    ('=SUM(A1:A9) +1', 'xxxxx...')
    """
    line = " ".join(text.split())
    return line if len(line) <= most else line[:most] + "..."


def number(value: object) -> str:
    """A number as a person would type it.

    >>> number(1234.0), number(0.1)
    ('1234', '0.1')
    """
    return f"{value:.15g}" if isinstance(value, float | int) else str(value)
