"""What headers say of the units of their columns: another unit, thousands and 万, words that are not understood."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from gpusheet.catalog import Column, Row, columns
from gpusheet.intake.findings import Finding, Place, raw_text
from gpusheet.intake.sheets import Sheet, column_letters
from gpusheet.intake.vocabulary import BRACKETS
from gpusheet.intake.words import Said, fold, said_by, squeezed
from gpusheet.units import all_units

if TYPE_CHECKING:
    from gpusheet.intake.headers import Header

UNIT_WORDS = {squeezed(word): unit.symbol for unit in all_units().values() for word in (unit.symbol, unit.zh)}
OTHER_UNITS = frozenset(squeezed(word) for word in ("GiB", "MB", "TB", "TB/s", "GiB/s", "MB/s", "KB", "mW", "分钟", "minutes"))
_COUNT = re.compile(r"\d|^(?:[十百千万亿]+|k|hundred|thousand|million)$")
_OF_SHEET = re.compile(r"(?:单位|\bunits?\b|\b(?:amounts|prices|figures|all)?\s?\bin\b)\s*:?\s*(\S.{0,30})$", re.IGNORECASE)


def units_of(
    file: str, sheet: Sheet, row_type: type[Row], header: Header, named: Collection[str], place: Callable[[int], Place]
) -> list[Finding]:
    """The errors of a header's units; what is merely odd is noted in the header. `named` are headers that a person named."""
    errors = _other_units(row_type, header, place)
    for position, _ in header.prices:
        title = header.titles[position]
        words = not_understood(title)
        if not words or squeezed(title) in named or column_letters(position + 1).casefold() in named:
            continue
        en, zh = f"found {title!r}, of which {words!r} is not understood", f"“{title}”中的“{words}”无法识别"
        if _of_something_else(title):
            errors.append(Finding(
                "error", "words-of-header", place(position), title,
                f"{en}; rename the header, or name the column (prices import: --map price=COLUMN)",
                f"{zh}；请修改标题，或指明该列（prices import：--map price=列名）"))  # fmt: skip
        else:
            header.findings.append(Finding("warning", "words-of-header", place(position), title, f"{en}; passed over", f"{zh}，已略过"))
    return errors + _of_sheet(file, sheet, row_type, header)


def _other_units(row_type: type[Row], header: Header, place: Callable[[int], Place]) -> list[Finding]:
    known = {column.name: column for column in columns(row_type)}
    found = []
    for name, position in header.at.items():
        if name in known and (unit := wrong_unit(header.titles[position], known[name])):
            title, wanted = header.titles[position], known[name].unit
            found.append(Finding(
                "error", "unit-of-header", place(position), title,
                f"found {title!r} in {unit}, allowed {wanted.symbol}; convert the numbers and change the header",
                f"“{title}”的单位是 {unit}，应为 {wanted.zh}；请换算数值并修改标题"))  # fmt: skip
    return found


def wrong_unit(title: str, column: Column) -> str:
    """The unit that stands in a header's brackets, if it is another than the column's."""
    for bracket in BRACKETS.findall(title):
        word = bracket[1:-1].strip()
        symbol = UNIT_WORDS.get(squeezed(word))
        if column.kind == "number" and said_by(word).scale:
            return str(word)
        if column.kind == "number" and ((symbol and symbol != column.unit.symbol) or squeezed(word) in OTHER_UNITS):
            wanted = (squeezed(column.unit.symbol), squeezed(column.unit.zh))
            return "" if squeezed(word) in wanted else word
    return ""


def not_understood(title: str) -> str:
    """The words in the brackets of a price's header that say nothing that is known.

    >>> not_understood("价格(元/GB显存)"), not_understood("单价（元/卡时，含税）"), not_understood("单价(含机柜)")
    ('gb显存', '', '含机柜')
    """
    return " ".join(rest for bracket in BRACKETS.findall(title) if (rest := said_by(bracket[1:-1]).rest))


def like_a_price(title: str) -> bool:
    """Whether a header of unknown words has the unit of a price: 成本(元/卡时) may be what is paid.

    >>> like_a_price("成本(元/卡时)"), like_a_price("备注(元)")
    (True, False)
    """
    said = said_by(title)
    return said.currency is not None and (said.per or said.period) is not None


def _of_something_else(title: str) -> bool:
    """Whether what is not understood may be what the price is for: it stands behind a '/', or is a number, as in 元/百卡时."""
    for bracket in BRACKETS.findall(title):
        parts = [said_by(part) for part in fold(bracket[1:-1]).split("/")]
        if any(part.rest and replace(part, rest="") == Said() for part in parts[1:]) or any(
                _COUNT.search(part.rest) for part in parts):  # fmt: skip
            return True
    return False


def _of_sheet(file: str, sheet: Sheet, row_type: type[Row], header: Header) -> list[Finding]:
    """What a line over the header such as 单位：元/卡时 says is said of all prices; an error for 万元, where no header says so."""
    if all(not column.unit.symbol.startswith("currency") for column in columns(row_type)) or any(
            said.scale for _, said in header.prices):  # fmt: skip
        return []
    found: list[Finding] = []
    units: dict[Said, tuple[Place, str]] = {}
    for number, line in zip(sheet.numbers, sheet.lines[: header.index + 1 - header.lines], strict=False):
        for position, cell in enumerate(line):
            said = _OF_SHEET.search(fold(cell)) if isinstance(cell, str) else None
            if said is None:
                continue
            raw, place, unit = raw_text(cell), Place(file, sheet.name, f"{column_letters(position + 1)}{number}"), said_by(said[1])
            if unit.currency and not unit.rest and not unit.scale:
                units[unit] = place, raw
            if unit.scale:
                found.append(Finding(
                    "error", "unit-of-sheet", place, raw,
                    f"found {raw!r}, and no header says so; write {said[1]!r} into the header of the price, or delete the line if the "
                    "numbers are in full", f"“{raw}”，而标题没有说明；请把“{said[1]}”写进价格标题，如本来就是完整数字，"
                    "请删去此说明"))  # fmt: skip
    if len(units) == 1 and header.prices:
        [(unit, (place, raw))] = units.items()
        unit = Said(**{name: value for name, value in vars(unit).items() if name not in header.at})
        header.prices = [(at, own.over(unit)) for at, own in header.prices]
        if unit != Said():
            header.findings.append(Finding(
                "note", "unit-of-sheet", place, raw, f"found {raw!r}; taken for all prices whose header does not say otherwise",
                f"“{raw}”；标题没有另写的价格均按此"))  # fmt: skip
    return found
