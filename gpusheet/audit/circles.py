"""Formulas that lead back to themselves.

Formulas that are filled along are looked at together first: only where these could close a circle, their single cells
are followed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TypeVar

from gpusheet.audit.cells import Place
from gpusheet.audit.model import Model
from gpusheet.audit.shapes import Area, Ref, Shape

Node = TypeVar("Node")
Cell = tuple[str, int, int]
_PLACES = {"ROW", "ROWS", "COLUMN", "COLUMNS", "CELL", "ISFORMULA", "FORMULATEXT", "SHEET"}
MOST = 200_000  # links between single cells that are followed


def circles(model: Model) -> list[list[Cell]]:
    """The cells of each circle, in the order in which they read each other."""
    groups: list[tuple[str, Shape, list[Place]]] = [
        (sheet.title, shape, places) for sheet in model.sheets for shape, places in model.groups(sheet)
    ]
    by_sheet: dict[str, list[tuple[Area, int]]] = defaultdict(list)
    for index, (title, _, places) in enumerate(groups):
        by_sheet[title].append((_hull(title, places), index))
    links: dict[int, set[int]] = {index: set() for index in range(len(groups))}
    for index, (title, shape, places) in enumerate(groups):
        for ref in _values(shape):
            ends = [ref.at(title, *place) for place in (*_corners(places),)]
            read = Area(ends[0].sheet, min(a.top for a in ends), min(a.left for a in ends),
                        max(a.bottom for a in ends), max(a.right for a in ends))  # fmt: skip
            links[index] |= {other for hull, other in by_sheet.get(read.sheet, ()) if _meet(read, hull)}
    found = []
    for part in _components(links):
        if len(part) > 1 or part[0] in links[part[0]]:
            found += _among([groups[index] for index in part])
    return found


def _values(shape: Shape) -> Iterator[Ref]:
    """The references whose cells' values matter, not only where they are."""
    yield from (ref for ref in shape.refs if ref.function.function not in _PLACES)


def _hull(title: str, places: list[Place]) -> Area:
    rows, columns = [row for row, _ in places], [column for _, column in places]
    return Area(title, min(rows), min(columns), max(rows), max(columns))


def _corners(places: list[Place]) -> Iterator[Place]:
    hull = _hull("", places)
    yield from ((row, column) for row in {hull.top, hull.bottom} for column in {hull.left, hull.right})


def _meet(a: Area, b: Area) -> bool:
    return a.top <= b.bottom and b.top <= a.bottom and a.left <= b.right and b.left <= a.right


def _among(groups: list[tuple[str, Shape, list[Place]]]) -> list[list[Cell]]:
    """The circles among the single cells of some groups."""
    cells = {(title, *place): shape for title, shape, places in groups for place in places}
    rows: dict[tuple[str, int], list[int]] = defaultdict(list)
    for title, row, column in cells:
        rows[title, row].append(column)
    links: dict[Cell, list[Cell]] = {}
    count = 0
    for cell, shape in cells.items():
        links[cell] = []
        for ref in _values(shape):
            area = ref.at(*cell)
            for row in range(area.top, min(area.bottom, area.top + MOST) + 1):
                for column in rows.get((area.sheet, row), ()):
                    if area.left <= column <= area.right:
                        links[cell].append((area.sheet, row, column))
        count += len(links[cell])
        if count > MOST:
            break
    links = {cell: [one for one in read if one in links] for cell, read in links.items()}
    return [_path(part, links) for part in _components(links) if len(part) > 1 or part[0] in links[part[0]]]


def _path(part: list[Cell], links: Mapping[Cell, list[Cell]]) -> list[Cell]:
    """One circle within cells that all reach each other."""
    inside, path = set(part), [min(part)]
    while True:
        after = next(one for one in links[path[-1]] if one in inside)
        if after in path:
            return path[path.index(after) :]
        path.append(after)


def _components(links: Mapping[Node, list[Node] | set[Node]]) -> list[list[Node]]:
    """Sets of nodes that all reach each other (Tarjan's way, without recursion)."""
    number: dict[Node, int] = {}
    low: dict[Node, int] = {}
    stack: list[Node] = []
    open_: set[Node] = set()
    found: list[list[Node]] = []
    for root in links:
        if root in number:
            continue
        number[root] = low[root] = len(number)
        stack.append(root)
        open_.add(root)
        work = [(root, iter(links[root]))]
        while work:
            node, rest = work[-1]
            for after in rest:
                if after not in number:
                    number[after] = low[after] = len(number)
                    stack.append(after)
                    open_.add(after)
                    work.append((after, iter(links[after])))
                    break
                if after in open_:
                    low[node] = min(low[node], number[after])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    part: list[Node] = []
                    while not part or part[-1] != node:
                        part.append(stack.pop())
                        open_.discard(part[-1])
                    found.append(part)
    return found
