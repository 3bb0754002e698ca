"""A table that a person made or a vendor sent: read by the one reader, then its cards by the catalog's names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from gpusheet.catalog import Gpu, Price
from gpusheet.errors import GpusheetError
from gpusheet.intake.findings import Finding, Place
from gpusheet.intake.importers.cards import Cards
from gpusheet.intake.importers.lines import Lines, Refused
from gpusheet.intake.importers.offers import Imported, Offers, Options, Quote, in_regions
from gpusheet.intake.reader import Table, read_table
from gpusheet.intake.sheets import column_letters
from gpusheet.intake.understand import as_text
from gpusheet.intake.vocabulary import BRACKETS, heads_of
from gpusheet.intake.words import fold, squeezed

KIND = "price table"
_MEMORY = {title for title, (name, _) in heads_of(Gpu).items() if name == "memory_gb"}
_GB = re.compile(r"(\d+(?:\.\d+)?)\s?gi?b?(?![a-z])", re.IGNORECASE)


def read(path: Path, options: Options) -> Imported:
    """The prices of a table, each with a card of the catalog."""
    said: dict[str, Any] = {"snapshot_date": options.date, "price_list": options.provider}
    fixed = {name: value for name, value in said.items() if value is not None} | dict(options.fixed)
    table = read_table(path, Price, sheet=options.sheet, mapping=options.mapping, fixed=fixed)
    _check(table, fixed)
    lines = Lines(path.name, table.sheet.name, table.header.titles, ())
    offers = Offers(KIND, lines, replace(options, mapping={}, fixed={}))
    for name, source in _columns(table, fixed).items():
        offers.understood(name, source)
    offers.present, offers.tell_repeats = table.present, True
    head = offers.columns.get("gpu", "gpu")
    called: set[tuple[str, str]] = set()
    memory = next((title for title in table.header.own().values() if squeezed(BRACKETS.sub("", title)) in _MEMORY), None)
    for index, price in enumerate(table.rows):
        if not in_regions(price.price_list.rpartition("/")[2], options.regions):
            offers.told.pass_over("of other regions", "其他地域")
            continue
        try:
            gpu = _card(offers.cards, price, head, None if memory is None else table.cells(index)[memory])
        except Refused as refused:
            offers.told.tell(table.place(index, "gpu"), refused)
            continue
        values = dict(price) | {"gpu": gpu, "notes": _notes(price, table.formulas.get(index, {}))}
        offers.quotes.append(Quote(index, table.places[index], values, cell=partial(table.place, index)))
        if gpu != price.gpu and (price.gpu, gpu) not in called:
            called.add((price.gpu, gpu))
            offers.told.add(Finding("note", "gpu-alias", table.place(index, "gpu"), price.gpu, f"{price.gpu!r} is the card {gpu}",
                                    f"“{price.gpu}”即 {gpu}"))  # fmt: skip
    made = offers.done()
    return replace(made, findings=(*table.findings, *made.findings, *_not_used(table, memory)))


def _card(cards: Cards, price: Price, head: str, memory: Any) -> str:
    """The card by its name and, where the row has it, its memory: that of one card, or of all cards of a machine."""
    text = fold(as_text(memory or ""))
    stated = [float(one) for one in _GB.findall(text)] or ([float(text)] if text.isdecimal() else [])
    if len(stated) != 1:
        return cards.named(price.gpu, head)
    try:
        return cards.find(head, [price.gpu], stated[0]).gpu
    except Refused:
        if price.cards == 1:
            raise
        return cards.find(head, [price.gpu], stated[0] / price.cards).gpu


def _not_used(table: Table, memory: str | None) -> Iterator[Finding]:
    """One line about the columns that no field was taken from."""
    told = {one.raw for one in table.header.findings if one.code in ("column-not-used", "price-not-read")} | {memory}
    own = {at: title for at, title in table.header.own().items() if title not in told}
    if own:
        cell = f"{column_letters(min(own) + 1)}{table.sheet.numbers[table.header.index]}"
        yield Finding(
            "note", "columns-not-used", Place(table.places.file, table.sheet.name, cell), ", ".join(own.values()),
            f"not used: the columns {', '.join(map(repr, own.values()))}", f"未使用的列：{'、'.join(own.values())}")  # fmt: skip


def _check(table: Table, fixed: Mapping[str, Any]) -> None:
    """What a table seldom says and an option does."""
    for name, option in (("snapshot_date", "--date YYYY-MM-DD"), ("price_list", "--provider NAME")):
        if name not in fixed and name not in table.header.at and table.present:
            what = "on which day the prices were seen" if name == "snapshot_date" else "whose prices these are"
            raise GpusheetError(f"{table.places.file}: no column says {what}; give {option}")


def _columns(table: Table, fixed: Mapping[str, Any]) -> dict[str, str]:
    """From which column each field is."""
    titles = table.header.titles
    found = {name: titles[at] for name, at in table.header.at.items()}
    if table.header.prices:
        found["price"] = ", ".join(titles[at] for at, _ in table.header.prices)
    return found | {name: str(value) for name, value in fixed.items()}


def _notes(price: Price, formulas: Mapping[str, str]) -> str | None:
    """A price that was computed in its sheet keeps the formula with it."""
    formula = formulas.get("price")
    return price.notes if formula is None else f"{f'{price.notes}; ' if price.notes else ''}price: {formula}"
