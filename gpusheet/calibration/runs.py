"""Load tests from files: a plain table, or what vLLM, SGLang, GenAI-Perf, AIPerf and guidellm write."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from gpusheet.calibration import reports
from gpusheet.catalog import Workload, columns
from gpusheet.catalog.schema import is_blank
from gpusheet.errors import GpusheetError, nearest, shown
from gpusheet.intake.numbers import Amount, parse
from gpusheet.intake.sheets import open_file
from gpusheet.intake.understand import as_text, with_numbers
from gpusheet.serving_rows import COLUMNS

# what a run may have measured -> columns of a table in which it may stand, with what they are divided by
MEASURED: Mapping[str, Mapping[str, float]] = {
    "ttft_s": {"ttft_s": 1, "ttft_ms": 1000},
    "tpot_s": {"tpot_s": 1, "tpot_ms": 1000, "itl_ms": 1000},
    "output_tokens_per_s": {"output_tokens_per_s": 1},
    "kv_pool_tokens": {"kv_pool_tokens": 1},
    "kv_pool_gib_per_card": {"kv_pool_gib_per_card": 1},
}
LIKE = 0.84  # from here on a header is taken for a slip of the pen, not for a column of the user's own
_KNOWN = (*COLUMNS, *(column for spelled in MEASURED.values() for column in spelled))
_NO_UNIT = {"ttft": "ttft_s or ttft_ms", "tpot": "tpot_s or tpot_ms", "itl": "itl_ms", "throughput": "output_tokens_per_s"}


@dataclass(frozen=True)
class Run:
    """One load test: where it stands, how the replica was set up and loaded, and what was measured."""

    place: str
    cells: Mapping[str, Any]  # by the columns of gpusheet.serving_rows
    measured: Mapping[str, float]  # by the names of MEASURED, in their units
    remarks: tuple[str, ...] = field(default=())  # what speaks against it


def read_runs(paths: Sequence[Path], shared: Mapping[str, Any] | None = None) -> list[Run]:
    """The runs of all files. `shared` says what is the same for all: a table's own cells stand before it, a report's after it,
    as a report knows the model only by the name under which it was served, and the cards not at all.
    """
    common = {name: value for name, value in (shared or {}).items() if not is_blank(value)}
    runs = [run for path in paths for run in _runs_of(path, common)]
    if not runs:
        raise GpusheetError(f"{', '.join(map(str, paths))}: no run in it; write one in the row under the headers")
    return runs


def _runs_of(path: Path, common: Mapping[str, Any]) -> Iterator[Run]:
    if path.suffix.lower() in (".json", ".jsonl"):
        for place, document in _documents(path):
            for told in reports.read(document, place):
                yield Run(told.place, {**told.cells, **common}, told.measured, told.remarks)
        return
    sheet = open_file(path).sheets()[0]
    lines = [["" if cell is None else as_text(cell) for cell in line] for line in sheet.lines]
    if not lines:
        return
    header, *rest = lines
    if header[0] == "Metric":
        told = reports.of_metric_lines(lines, path.name)
        yield Run(told.place, {**told.cells, **common}, told.measured, told.remarks)
        return
    _check(header, path.name)
    for number, cells in zip(sheet.numbers[1:], rest, strict=True):
        row = {name: cell for name, cell in zip(header, cells, strict=False) if not is_blank(cell)}
        place = f"{path.name} row {number}"
        own = with_numbers({name: row[name] for name in COLUMNS if name in row}, columns(Workload))
        yield Run(place, {**common, **own}, _measured(row, place))


def _documents(path: Path) -> Iterator[tuple[str, Any]]:
    """The JSON values of a file: one, or one a line."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise GpusheetError(f"{path}: cannot be read ({error.strerror}); give the path of a report") from None
    except UnicodeDecodeError as error:
        raise GpusheetError(f"{path.name}: not UTF-8 text ({error.reason})") from None
    try:
        yield path.name, json.loads(text)
        return
    except json.JSONDecodeError as error:
        broken = error
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    try:
        found = [(f"{path.name} line {number}", json.loads(line)) for number, line in lines]
    except json.JSONDecodeError:
        raise GpusheetError(f"{path.name}, line {broken.lineno}: not JSON ({broken.msg}); save the report again") from None
    yield from found


def _check(header: Sequence[str], file: str) -> None:
    """Refuses headers that are almost ours, and measurements whose unit nobody says; others are the user's own."""
    wrong = []
    for name in header:
        if name in _KNOWN or not name:
            continue
        if name.casefold() in _NO_UNIT:
            wrong.append(f"{file} row 1, {name}: found no unit; name the column {_NO_UNIT[name.casefold()]}")
        elif (near := nearest(name, _KNOWN, 1)) and SequenceMatcher(None, name.casefold(), near[0]).ratio() >= LIKE:
            wrong.append(f"{file} row 1, {name}: no such column; did you mean {near[0]}?")
    if not any(name in spelled for spelled in MEASURED.values() for name in header):
        listed = ", ".join(column for spelled in MEASURED.values() for column in spelled)
        wrong.append(f"{file} row 1: nothing measured in it; give one of {listed}")
    if wrong:
        raise GpusheetError("\n".join(wrong))


def _measured(row: Mapping[str, str], place: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, spelled in MEASURED.items():
        for column, divisor in spelled.items():
            if column in row and name not in found:
                found[name] = number(row[column], f"{place}, {column}") / divisor
    return found


def number(cell: Any, place: str) -> float:
    """A measured figure: a number above 0."""
    read = parse(cell) if isinstance(cell, str) else None
    try:
        value = read.value if isinstance(read, Amount) and not read.beside else float(cell)
    except (TypeError, ValueError):
        value = 0.0
    if isinstance(cell, bool) or not 0 < value < 1e15:
        raise GpusheetError(f"{place}: found {shown(cell)}, allowed a number above 0")
    return value
