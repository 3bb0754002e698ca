"""Finding the header of a table and what each of its columns is, whatever their order, wording and language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gpusheet.catalog import Column, Price, Row, columns
from gpusheet.errors import nearest
from gpusheet.intake.findings import CannotRead, Finding, Place, raw_text
from gpusheet.intake.header_units import OTHER_UNITS, UNIT_WORDS, like_a_price, units_of
from gpusheet.intake.sheets import ErrorCell, Sheet, column_letters
from gpusheet.intake.vocabulary import BRACKETS, REGION, heads_of, said_of_price
from gpusheet.intake.words import Said, fold, said_by, squeezed

DEEPEST = 60  # lines over which a header is looked for
LEFT_OUT = ("", "-")  # what a column is mapped to that is not to be read


@dataclass
class Header:
    """A header: `index` of its last line among the sheet's lines, and the position (from 0) of each field."""

    index: int
    titles: list[str]
    at: dict[str, int] = field(default_factory=dict)
    prices: list[tuple[int, Said]] = field(default_factory=list)  # columns of prices and what their headers say
    findings: list[Finding] = field(default_factory=list)
    lines: int = 1
    score: float = 0.0

    def own(self) -> dict[int, str]:
        """Columns that are nobody's, by position."""
        used = {*self.at.values(), *(position for position, _ in self.prices)}
        return {position: title for position, title in enumerate(self.titles) if title and position not in used}


def find_header(
    file: str, sheet: Sheet, row_type: type[Row], mapping: Mapping[str, str] | None = None, fixed: Sequence[str] = ()
) -> Header:
    """The header that knows most columns; refused where there is none, or where two columns claim one field.

    >>> from gpusheet.catalog import Price
    >>> sheet = Sheet("", [1, 3], [["报价单"], ["型号", "元/卡时", "供应商"]])
    >>> header = find_header("a.csv", sheet, Price)
    >>> header.index, header.at, header.prices[0][1].per
    (1, {'gpu': 0, 'price_list': 2}, 'card')
    """
    best: Header | None = None
    for header in _candidates(sheet, row_type, dict(mapping or {})):
        if best is None or header.score > best.score:
            best = header
    if best is None or not _enough(best, row_type):
        raise CannotRead([_no_header(file, sheet, row_type, best)])
    _checked(file, sheet, row_type, best, mapping or {}, fixed)
    return best


def score_of(sheet: Sheet, row_type: type[Row]) -> float:
    """How well a sheet's best header fits a row type: the share of the required columns; 0 where it does not at all."""
    required = [column.name for column in columns(row_type) if column.required]
    fits = [one for one in _candidates(sheet, row_type, {}) if _enough(one, row_type)]
    return max((len({*one.at, *(["price"] if one.prices else [])} & {*required}) / len(required) + len(one.at) / 1000 for one in fits),
               default=0.0)  # fmt: skip


def _candidates(sheet: Sheet, row_type: type[Row], mapping: Mapping[str, str]) -> list[Header]:
    found = []
    lines = sheet.lines[:DEEPEST]
    for index, line in enumerate(lines):
        titles = [_title(cell) for cell in line]
        if sum(bool(title) for title in titles) < 2:
            continue
        single = _assigned(index, titles, row_type, mapping)
        single.score += any(table.top == sheet.numbers[index] for table in sheet.tables)
        found.append(single)
        if index + 1 < len(lines) and sheet.numbers[index + 1] == sheet.numbers[index] + 1:
            double = _double(sheet, index, titles, row_type, mapping)
            if double is not None and double.score >= single.score:
                found.append(double)
    return found


def _title(cell: Any) -> str:
    if cell is None or isinstance(cell, ErrorCell | bool):
        return ""
    return fold(cell if isinstance(cell, str) else raw_text(cell))


def _double(
    sheet: Sheet, index: int, top: list[str], row_type: type[Row], mapping: Mapping[str, str]
) -> Header | None:
    """Two lines as one header: groups over names, or names over units."""
    under = sheet.lines[index + 1]
    if any(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in under):
        return None
    bottom = [_title(cell) for cell in under]
    width = max(len(top), len(bottom))
    top, bottom = [*top, *[""] * (width - len(top))], [*bottom, *[""] * (width - len(bottom))]
    merged = _spread(sheet, sheet.numbers[index], top, bottom)
    units = any(bottom) and all(is_unit(title) for title in bottom if title)
    titles = [f"{one} ({two})" if units and one and two else f"{one} {two}".strip() for one, two in zip(merged, bottom, strict=True)]
    double = _assigned(index + 1, titles, row_type, mapping)
    double.lines = 2
    if units:
        # a line of units is no row: it is taken where it costs no column
        double.score += 0.5
    else:
        # names under groups: the lower line alone has to know less
        alone = _assigned(index + 1, bottom, row_type, mapping)
        if alone.score >= double.score:
            return None
        over = _assigned(index, top, row_type, mapping)
        if len(double.at) + len(double.prices) <= len(over.at) + len(over.prices):
            return None  # the second line is a row
        double.score += 0.1
    return double


def _spread(sheet: Sheet, row: int, top: list[str], bottom: list[str]) -> list[str]:
    """The upper line with a group's name over all its columns: its merged area, or up to the next name."""
    spread = list(top)
    over: dict[int, str] = {}
    for first, left, last, right in sheet.merges:
        if first <= row <= last:
            over |= {column - 1: top[left - 1] for column in range(left, right + 1) if left <= len(top)}
    for position, title in enumerate(top):
        if title:
            continue
        if position in over:
            spread[position] = over[position]
        elif position and bottom[position] and not sheet.merges and spread[position - 1] and bottom[position - 1]:
            spread[position] = spread[position - 1]
    return spread


def is_unit(title: str) -> bool:
    """Whether a cell says a unit and nothing else."""
    bare = title.strip("()（）[]【】 ")
    said = said_by(bare)
    return squeezed(bare) in UNIT_WORDS or squeezed(bare) in OTHER_UNITS or (not said.rest and said != Said())


def _assigned(index: int, titles: list[str], row_type: type[Row], mapping: Mapping[str, str]) -> Header:
    """What each column of a line would be, if it were the header."""
    header = Header(index, titles)
    known = heads_of(row_type)
    mapped = {squeezed(title): name for title, name in mapping.items()}
    ranks: dict[str, int] = {}
    for position, title in enumerate(titles):
        if not title:
            continue
        name = mapped.get(squeezed(title)) or mapped.get(column_letters(position + 1).casefold())
        if name is not None or squeezed(title) in mapped:
            if name and name not in LEFT_OUT:
                _take(header, ranks, name, position, -1, title)
            continue
        field_, rank = known.get(squeezed(title)) or known.get(squeezed(BRACKETS.sub("", title))) or ("", 0)
        if field_ == "price":
            header.prices.append((position, said_by(title)))
        elif field_:
            _take(header, ranks, field_, position, rank, title)
        elif row_type is Price and (said := said_of_price(title)) is not None:
            header.prices.append((position, said))
    bare = [one for one in header.prices if replace(one[1], rest="") == Said()]
    if len(header.prices) > 1 and len(bare) == 1 and {"per", "period"} <= header.at.keys():
        header.prices = bare  # the columns beside it say what it is; the others are computed from it
    required = {column.name for column in columns(row_type) if column.required}
    named = [*header.at, *(["price"] if header.prices else [])]
    exact = sum(0.1 if ranks[name] == 0 else 0.01 for name in header.at if ranks[name] <= 1)
    header.score = sum(1 + (name in required) for name in named) + exact + 0.001 * len(header.prices)
    return header


def _take(header: Header, ranks: dict[str, int], name: str, position: int, rank: int, title: str) -> None:
    """Gives a field its column; of two the surer, and of two by the same word none: that is an error later."""
    if name == "price":
        header.prices.append((position, said_by(title)))
    elif name not in header.at or rank < ranks[name]:
        header.at[name], ranks[name] = position, rank


def _enough(header: Header, row_type: type[Row]) -> bool:
    required = [column.name for column in columns(row_type) if column.required]
    has = sum(name in header.at or (name == "price" and bool(header.prices)) for name in required)
    return has >= max(1, len(required) // 4) and len(header.at) + len(header.prices) >= 2


def _no_header(file: str, sheet: Sheet, row_type: type[Row], best: Header | None) -> Finding:
    wanted = [column for column in columns(row_type) if column.required]
    en, zh = (", ".join(column.label(lang) for column in wanted) for lang in ("en", "zh"))
    seen = [title for title in best.titles if title] if best else []
    found = f"found {', '.join(seen[:8])}" if seen else "found no line of headers"
    found_zh = f"只看到 {'、'.join(seen[:8])}" if seen else "没有标题行"
    return Finding(
        "error", "no-header", Place(file, sheet.name), "", f"{found}; allowed a header row with columns such as {en}",
        f"{found_zh}；应有含 {zh} 等列的标题行")  # fmt: skip


def no_column(place: Place, header: Header, column: Column) -> Finding:
    """The error for a column that is not there; one that may be meant for a price is named."""
    titles = "、".join(title for title in header.titles if title)
    likely = [title for title in header.titles if column.name == "price" and like_a_price(title)]
    todo, todo_zh = "add the column", "请增加该列"
    if likely:
        named = ", ".join(map(repr, likely))
        todo = f"if it is {named}, head it 'price', or name it (prices import: --map price=COLUMN)"
        todo_zh = f"如果就是“{'”或“'.join(likely)}”，请把标题改为“价格”，或指明该列（prices import：--map price=列名）"
    return Finding(
        "error", "no-column", place, "",
        f"no column says {column.en.lower()} ({column.name}); allowed {column.allowed()}: {todo}",
        f"没有“{column.zh}”列（现有：{titles}）；应为{column.allowed('zh')}：{todo_zh}")  # fmt: skip


def _checked(
    file: str, sheet: Sheet, row_type: type[Row], header: Header, mapping: Mapping[str, str], fixed: Sequence[str]
) -> None:
    """Refuses a header with columns that claim one field; notes what else there is to say of it."""
    row = sheet.numbers[header.index]

    def place(position: int) -> Place:
        return Place(file, sheet.name, f"{column_letters(position + 1)}{row}")

    def raw(position: int) -> str:
        line = sheet.lines[header.index]
        alone = header.lines == 1 and position < len(line)
        return raw_text(line[position]) if alone else header.titles[position]

    errors = [*_mapping_errors(file, sheet, row_type, header, mapping)]
    seen: dict[str, int] = {}
    fields = {position: name for name, position in header.at.items()}
    fields |= {position: "price" for position, _ in header.prices}
    for position, title in enumerate(header.titles):
        first = seen.setdefault(squeezed(title), position)
        if first != position and title and (first in fields or position in fields):
            errors.append(_twice(place(position), raw(position), place(first), raw(first)))
    of_price: dict[Said, int] = {}
    for position, said in header.prices:
        key = replace(said, rest="")
        first = of_price.setdefault(key, position)
        if first != position and squeezed(header.titles[first]) != squeezed(header.titles[position]):
            errors.append(_twice(place(position), raw(position), place(first), raw(first)))
    errors += units_of(file, sheet, row_type, header, {squeezed(title) for title in mapping}, place)
    if errors:
        raise CannotRead(errors)
    left = {squeezed(title) for title in mapping}
    for position, title in header.own().items():
        if squeezed(title) in heads_of(row_type):
            other = heads_of(row_type)[squeezed(title)][0]
            taken = header.titles[header.at[other]] if other in header.at else ""
            header.findings.append(Finding(
                "note", "column-not-used", place(position), title,
                f"the column {title!r} is not used, as {taken!r} is read for {other}",
                f"未使用“{title}”列，{other} 取自“{taken}”列"))  # fmt: skip
        elif header.prices and squeezed(title) not in left and column_letters(position + 1).casefold() not in left and (
                like_a_price(title)):  # fmt: skip
            read, listed = (mark.join(header.titles[at] for at, _ in header.prices) for mark in (", ", "、"))
            header.findings.append(Finding(
                "warning", "price-not-read", place(position), title,
                f"the column {title!r} is not read, only {read} is taken for the price; if this is what is paid, delete the other, or "
                "name it (prices import: --map price=COLUMN)",
                f"未读“{title}”列，价格取自“{listed}”；如实际支付的是该列，请删去另一列，"
                "或指明该列（prices import：--map price=列名）"))  # fmt: skip
    for name in fixed:
        if name in header.at and name != REGION:
            header.findings.append(Finding(
                "note", "column-not-used", place(header.at[name]), header.titles[header.at[name]],
                f"the column {header.titles[header.at[name]]!r} is not used, as {name} was given",
                f"未使用“{header.titles[header.at[name]]}”列，因为已另外给出 {name}"))  # fmt: skip


def _twice(place: Place, title: str, other: Place, first: str) -> Finding:
    same = "the same column" if squeezed(title) == squeezed(first) else "columns of the same meaning"
    return Finding(
        "error", "duplicate-header", place, title,
        f"found {title!r} and, in {other.cell}, {first!r}: {same}; rename or delete one, or say which is meant (prices import: --map "
        "price=COLUMN --map -=COLUMN)",
        f"“{title}”与 {other.cell} 的“{first}”含义相同；请改名或删去其中一列，或指明用哪一列")  # fmt: skip


def _mapping_errors(
    file: str, sheet: Sheet, row_type: type[Row], header: Header, mapping: Mapping[str, str]
) -> list[Finding]:
    titles = [title for title in header.titles if title]
    allowed = [column.name for column in columns(row_type)] + ([REGION] if row_type is Price else [])
    errors = []
    heads = {squeezed(title) for title in titles}
    letters = {column_letters(position + 1).casefold() for position in range(len(header.titles))}
    for title, name in mapping.items():
        if squeezed(title) not in heads and title.casefold() not in letters:
            near = ", ".join(nearest(title, titles) or titles)
            errors.append(Finding("error", "unknown-column", Place(file, sheet.name), title,
                                  f"found no column {title!r}; allowed: {near}", f"没有“{title}”列；可用的列：{near}"))  # fmt: skip
        if name not in (*allowed, *LEFT_OUT):
            near = ", ".join(nearest(name, allowed) or allowed)
            errors.append(Finding("error", "unknown-field", Place(file, sheet.name), name,
                                  f"found no field {name!r}; allowed: {near}", f"没有字段“{name}”；可用：{near}"))  # fmt: skip
    return errors
