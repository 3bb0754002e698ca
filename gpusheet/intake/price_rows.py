"""Rows of prices: each column of prices gives one, so that hourly and monthly columns side by side become rows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpusheet.catalog import Column
from gpusheet.intake.numbers import scaled
from gpusheet.intake.prices import FIELDS, Settled, assumed, header_scale, settle, sign_taken
from gpusheet.intake.understand import MISSING_PRICE, Remark, Understood, missing_price
from gpusheet.intake.vocabulary import REGION
from gpusheet.intake.words import SHARED_SIGNS, Said, fold

if TYPE_CHECKING:
    from gpusheet.intake.reader import _Reading

Entry = tuple[list[int], dict[str, list[Any]], int, set[int]]
_SHARING = {"$": {"USD", "HKD", "SGD", "TWD", "AUD", "CAD", "NZD", "MXN"}, "¥": {"CNY", "JPY"}}


def price_entries(reading: _Reading) -> list[Entry]:
    """For each column of prices: the rows in which it has one, all fields, its position, the rows that lack one."""
    fields = {column.name: column for column in reading.fields}
    header = reading.header
    stated = {name: reading.column(fields[name]) for name in FIELDS}
    _say_more(reading, fields["per"], stated)
    common = {name: reading.column(fields[name])
              for name in ("snapshot_date", "listing", "gpu", "available", "notes")}  # fmt: skip
    common["price_list"] = _price_lists(reading, fields["price_list"])
    common["source"] = reading.column(fields["source"])
    if "source" not in header.at and "source" not in reading.given:
        common["source"] = [f"{reading.file}"] * len(reading.lines)
    for name in ("snapshot_date", "price_list", "gpu", "source"):
        reading.require(fields[name], common[name])
    if not header.prices:
        reading.findings.append(reading.no_column(fields["price"]))
        reading.bad |= set(range(len(reading.lines)))
        return [(list(range(len(reading.lines))), {name: [None] * len(reading.lines) for name in fields}, 0, set())]
    says = {name: name in header.at or name in reading.given or any(getattr(said, name, None) for _, said in header.prices)
            for name in ("pricing_model", "tax", "source")}  # fmt: skip
    for name, remark in assumed(says, reading.file):
        if reading.lines:
            reading.say(0, header.prices[0][0], replace(remark, code=f"assumed-{name}"))
    cells = {position: reading.understood(fields["price"], position) for position, _ in header.prices}
    blank = {position: [one.value is None and not one.remarks for one in found] for position, found in cells.items()}
    none_at_all = [all(flags) for flags in zip(*blank.values(), strict=True)]
    shared_bad = set(reading.bad)
    entries = []
    kept_out: dict[int, set[int]] = {}
    for number, (position, said) in enumerate(header.prices):
        reading.bad = set()
        standing = [row for row, empty in enumerate(blank[position]) if not empty or (none_at_all[row] and number == 0)]
        one = _Offers(reading, position, said, cells[position], stated, shared_bad)
        settled = one.settled(standing)
        lists = {name: [values[row] for row in standing] for name, values in common.items()}
        lists["price"] = [one.price(row) for row in standing]
        for name in FIELDS:
            lists[name] = [None if this is None else this.values[name] for this in settled]
        kept_out[position] = reading.bad | shared_bad
        entries.append((standing, {name: lists[name] for name in fields}, position, one.lacking))
    return _without_bad(reading, entries, kept_out)


def _without_bad(reading: _Reading, entries: list[Entry], kept_out: Mapping[int, set[int]]) -> list[Entry]:
    """What is bad of one column of prices leaves the others of the row good: marks its values, not the row."""
    reading.bad = set.intersection(*kept_out.values()) if kept_out else set()
    found: list[Entry] = []
    for rows, lists, position, lacking in entries:
        standing = rows
        out = kept_out[position] - reading.bad
        if out:
            # such rows are present, but stand for nothing: a row number that is always kept out
            reading.bad.add(-1)
            standing = [-1 if row in out else row for row in rows]
        found.append((standing, lists, position, lacking))
    return found


class _Offers:
    """The prices of one column."""

    def __init__(
        self, reading: _Reading, position: int, said: Said, cells: list[Understood], stated: Mapping[str, list[Any]],
        hopeless: set[int],
    ) -> None:  # fmt: skip
        self.reading, self.position, self.said, self.cells, self.stated = reading, position, said, cells, stated
        self.hopeless = hopeless
        self.title = reading.header.titles[position]
        self.lacking: set[int] = set()
        first = next((row for row, cell in enumerate(cells) if cell.value is not None and not (cell.said and cell.said.scale)), None)
        if said.scale and first is not None:
            reading.say(first, position, header_scale(self.title, cells[first].value, said.scale))

    def price(self, row: int) -> float | None:
        """The price of a row, whatever its header says that it is counted in."""
        value, scale = self.cells[row].value, self.said.scale
        return value if scale is None or value is None else scaled(value, scale)

    def settled(self, standing: list[int]) -> list[Settled | None]:
        """For each row what is settled of its price; None where there is no price."""
        reading, known = self.reading, {}
        formats = reading.sheet.formats
        found: list[Settled | None] = []
        columns_ = [self.stated[name] for name in FIELDS]
        for row in standing:
            cell = self.cells[row]
            if cell.remarks or cell.value is None:
                self._speak(row, cell)
                if cell.value is None:
                    reading.bad.add(row)
                    found.append(None)
                    continue
            mark = formats.get((reading.sheet.numbers[reading.indexes[row]], self.position + 1), "") if formats else ""
            key = (cell.said, mark, *[values[row] for values in columns_])
            if key not in known:
                known[key] = self._settle(cell.said, mark, dict(zip(FIELDS, key[2:], strict=True)), row)
            one = known[key]
            if one.remarks and row not in self.hopeless:
                for remark in one.remarks:
                    if remark.severity != "note" or not reading.kinds[remark.code, self.position]:  # a note is said once
                        reading.say(row, self.position, remark)
            if one.bad:
                reading.bad.add(row)
            found.append(one)
        return found

    def _speak(self, row: int, cell: Understood) -> None:
        remarks = cell.remarks or (missing_price(""),)
        for remark in remarks:
            self.reading.say(row, self.position, remark)
        if remarks[0].code == MISSING_PRICE:
            self.lacking.add(row)

    def _settle(self, said: Said | None, mark: str, stated: dict[str, Any], row: int) -> Settled:
        """Signs that several currencies share give way to what the column says."""
        currency = stated["currency"]
        text = _text(self.reading, row, self.position)
        soft = said and softened(said, text, currency or _plainly(self.said, self.title))
        return settle(soft, softened(self.said, self.title, currency), stated, mark) if (
            currency or not (soft or self.said).currency) else self._with_sign(soft, mark, stated, text)  # fmt: skip

    def _with_sign(self, said: Said | None, mark: str, stated: dict[str, Any], text: str) -> Settled:
        settled = settle(said, self.said, stated, mark)
        sign = _sign_in(text) if said and said.currency else _sign_in(self.title)
        if sign and not settled.bad and not (said and said.currency and self.said.currency):
            remark = sign_taken(sign, str(settled.values["currency"]))
            if not any(one.code == remark.code for one in self.reading.findings):
                return replace(settled, remarks=(*settled.remarks, remark))
        return settled


def _text(reading: _Reading, row: int, position: int) -> str:
    line = reading.lines[row]
    return line[position] if position < len(line) and isinstance(line[position], str) else ""


def _sign_in(text: str) -> str:
    """The sign of several currencies that a text shows without saying whose it is."""
    folded = fold(text)
    for sign in SHARED_SIGNS:
        if sign in folded and not re.search(rf"[A-Za-z]\s?{re.escape(sign)}|元|USD|CNY|RMB|人民币|美元", folded):
            return sign
    return ""


def softened(said: Said, text: str, currency: str | None) -> Said:
    """What is said, without the currency of a sign that may be of `currency` as well: $ of HKD, ¥ of JPY."""
    sign = _sign_in(text)
    if sign and currency in _SHARING[sign]:
        return replace(said, currency=None)
    return said


def _plainly(said: Said, title: str) -> str | None:
    return None if _sign_in(title) else said.currency


def _say_more(reading: _Reading, per: Column, stated: dict[str, list[Any]]) -> None:
    """A column of units may say more than card or instance: '元/卡时' also says the currency and the hour."""
    position = reading.header.at.get("per")
    if position is None or "per" in reading.given:
        return
    for row, one in enumerate(reading.understood(per, position)):
        if one.said is not None:
            for name in ("currency", "period", "pricing_model", "tax"):
                if stated[name][row] is None:
                    stated[name][row] = getattr(one.said, name)


def _price_lists(reading: _Reading, column: Column) -> list[Any]:
    """The provider, with the region where the table has one."""
    lists = reading.column(column)
    position = reading.header.at.get(REGION)
    if position is None:
        return lists
    regions = reading.understood(replace(column, required=False), position)
    reading.report(regions, position)
    return [f"{name}/{region.value}" if name is not None and region.value else name
            for name, region in zip(lists, regions, strict=True)]  # fmt: skip


__all__ = ["Entry", "Remark", "price_entries"]
