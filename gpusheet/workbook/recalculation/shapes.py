"""Formulas that are alike but for the row that they stand in: what holds for one of them holds for all."""

from __future__ import annotations

import re
from collections.abc import Iterable

ROW = b"\0"  # in the place of the row's number; in no XML

_QUOTED = re.compile(rb"\"[^\"\0]*+\"|'[^'\0]*+'")
_COLUMN = rb"(?:[A-Z]{1,2}|[A-W][A-Z]{2}|X(?:[A-E][A-Z]|F[A-D]))"
_BEFORE, _AFTER = rb"(?<![\w.$\\\0\x80-\xff%b])", rb"(?![\w(.!#\[\0\x80-\xff%b])"
# the row of a cell, or a number by itself
_CLEAR = re.compile(rb"%b\$?%b\$?\0%b|%b\0%b" % (_BEFORE % b"", _COLUMN, _AFTER % b"", _BEFORE % b":", _AFTER % b":"))


def is_clear(shape: bytes) -> bool:
    """Whether every number in the place of which ROW stands is the row of a cell or a number by itself; then it may be
    another row's without a change of what the formula is made of.

    >>> [is_clear(shape) for shape in (b"SUM($A$1:A\\0)*\\0", b"LOG\\0(A\\0)", b'A\\0&"\\0"', b"A\\0" b"0", b"T[\\0]", b"1")]
    [True, False, False, False, False, True]
    """
    if ROW not in shape:
        return True
    if b"[" in shape or b"&quot;" in shape or b"&apos;" in shape or b"&#" in shape:
        return False
    bare = _QUOTED.sub(b"", shape)
    return b'"' not in bare and b"'" not in bare and ROW not in _CLEAR.sub(b"", bare)


def alike(shapes: Iterable[tuple[bytes, list[tuple[int, int]]]]) -> dict[bytes, list[tuple[int, int]]]:
    """The places of formulas by their texts, in which ROW may be any row; given with texts in which it stands for the
    row's digits wherever they are.

    >>> alike([(b"A\\0", [(7, 1), (8, 1)]), (b"LOG\\0(2)", [(9, 1), (10, 1)])])
    {b'A\\x00': [(7, 1), (8, 1)], b'LOG9(2)': [(9, 1)], b'LOG10(2)': [(10, 1)]}
    """
    found: dict[bytes, list[tuple[int, int]]] = {}
    for shape, places in shapes:
        parts: Iterable[tuple[bytes, list[tuple[int, int]]]] = [(shape, places)]
        if not is_clear(shape):
            parts = ((shape.replace(ROW, b"%d" % place[0]), [place]) for place in places)
        for text, members in parts:
            found.setdefault(text, []).extend(members)
    return found
