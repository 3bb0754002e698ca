"""What VBA and Excel allow in a module, as Microsoft documents it; each rule is a function that gives what breaks it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from openpyxl.utils import FORMULAE

from gpusheet.xl.classic.vba_words import RESERVED

LONGEST_LINE = 1023
MOST_CONTINUATIONS = 24
LARGEST = 65_536  # bytes of a procedure
MOST_LINES = 65_534  # of a module, which may have more than 64 KB: that of xlwings' own add-in has 117
LONGEST_NAME = 255
MOST_ARGUMENTS = 60
LONGEST_SIGNATURE = 254  # of the arguments' names with their commas, which the function wizard is told
LIKE_A_CELL = re.compile(r"[A-Za-z]{1,3}[0-9]{1,7}|[Rr][0-9]*[Cc][0-9]*|[RrCc][0-9]+")
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
HEAD = re.compile(r"^(?:(?:Public|Private) )?(Function|Sub) (\w+)\((.*?)\)(?: As \w+)?$")
BLOCKS = (
    (r"(?:(?:Public|Private) )?Function \w+\(", "End Function"), (r"(?:(?:Public|Private) )?Sub \w+\(", "End Sub"),
    (r"If .* Then$", "End If"), (r"For ", r"Next\b"), (r"Select Case ", "End Select"), (r"#If ", "#End If"),
)  # fmt: skip


@dataclass(frozen=True)
class Procedure:
    kind: str
    name: str
    arguments: tuple[str, ...]
    body: str


def statements(source: str) -> list[str]:
    """The logical lines: continued ones as one, without comments' lines."""
    joined = re.sub(r" _\r?\n\s*", " ", source)
    return [line.strip() for line in joined.splitlines() if line.strip() and not line.strip().startswith("'")]


def procedures(source: str) -> Iterator[Procedure]:
    lines = statements(source)
    begun: int | None = None
    for position, line in enumerate(lines):
        if HEAD.match(line):
            begun = position
        elif line in ("End Function", "End Sub"):
            assert begun is not None, line
            head = HEAD.match(lines[begun])
            assert head
            words = [re.sub(r"\b(Optional|ByVal|ByRef|ParamArray)\b|\(\)| As \w+", "", one) for one in head[3].split(",")]
            arguments = tuple(word.strip() for word in words if word.strip())
            yield Procedure(head[1], head[2], arguments, "\n".join(lines[begun : position + 1]))
            begun = None
    assert begun is None


def broken(source: str) -> list[str]:
    """Every rule that the source breaks, one line each."""
    found = []
    for number, line in enumerate(source.splitlines(), 1):
        if len(line) > LONGEST_LINE:
            found.append(f"line {number} has {len(line)} characters")
    for run in re.findall(r"(?:^.* _\r?\n)+", source, re.MULTILINE):
        if run.count("\n") > MOST_CONTINUATIONS:
            found.append(f"{run.count(chr(10))} continuations: {run[:60]}")
    if source.count("\n") > MOST_LINES:
        found.append(f"the module has {source.count(chr(10))} lines")
    for begin, end in BLOCKS:
        begun = sum(bool(re.match(begin, line)) for line in statements(source))
        ended = sum(bool(re.match(end, line)) for line in statements(source))
        if begun != ended:
            found.append(f"{begun} of {begin}, {ended} of {end}")
    if any(line.count('"') % 2 for line in statements(source)):
        found.append("a text has no end")
    every = list(procedures(source))
    names = [one.name.lower() for one in every]
    found += [f"{name} is there twice" for name in sorted({name for name in names if names.count(name) > 1})]
    for procedure in every:
        found += _broken_by(procedure)
    return found


def _broken_by(procedure: Procedure) -> Iterator[str]:
    name = procedure.name
    if len(procedure.body) > LARGEST:
        yield f"{name} has {len(procedure.body)} bytes"
    if name.upper() in FORMULAE:
        yield f"{name} is a function of Excel's own, which cells would call instead"
    if len(procedure.arguments) > MOST_ARGUMENTS:
        yield f"{name} has {len(procedure.arguments)} arguments"
    if len(",".join(procedure.arguments)) > LONGEST_SIGNATURE:
        yield f"the arguments of {name} are {len(','.join(procedure.arguments))} characters long"
    for word in (name, *procedure.arguments):
        if len(word) > LONGEST_NAME or not NAME.fullmatch(word):
            yield f"{name}: {word} is no name in VBA"
        if word.lower() in RESERVED:
            yield f"{name}: {word} is a word of VBA's own"
        if LIKE_A_CELL.fullmatch(word):
            yield f"{name}: {word} is the address of a cell"
    lowered = [word.lower() for word in procedure.arguments]
    if len(set(lowered)) < len(lowered) or name.lower() in lowered:
        yield f"{name}: an argument is named like another or like the function"
