"""From the rows of a provider's file to prices: every row is used, passed over or refused with a reason; none is lost."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from gpusheet.catalog import Catalog, Price, columns
from gpusheet.errors import GpusheetError, UnknownName, shown
from gpusheet.intake.findings import Finding, Place, raw_text
from gpusheet.intake.headers import LEFT_OUT
from gpusheet.intake.importers.cards import Cards
from gpusheet.intake.importers.lines import Line, Lines, Refused
from gpusheet.intake.importers.told import Told
from gpusheet.intake.plausibility import implausible
from gpusheet.intake.vocabulary import REGION

_PRICE = {column.name: column for column in columns(Price)}
_REQUIRED = {column.name for column in columns(Price) if column.required}


@dataclass(frozen=True)
class Options:
    """What a person said of a file. `mapping` is column of the file -> field, `fixed` field -> value of all rows."""

    provider: str | None = None
    date: datetime.date | None = None
    mapping: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    regions: Collection[str] = ()
    sheet: str | None = None
    today: datetime.date | None = None  # what the age of prices is counted to; None: the day on which it is asked
    catalog: Catalog = field(default_factory=Catalog.builtin, repr=False)

    def __post_init__(self) -> None:
        for what, names in (("--map", self.mapping.values()), ("--set", self.fixed)):
            for name in names:
                if name not in _PRICE and not (what == "--map" and name in (REGION, *LEFT_OUT)):
                    raise UnknownName(what, name, _PRICE)
        both = [name for name in self.mapping.values() if name in self.fixed]
        if both:
            raise GpusheetError(f"{both[0]}: given by --map and by --set; leave one")
        for name, value in self.fixed.items():
            if _read(name, value) is None:
                raise GpusheetError(f"--set {name}: found {shown(value)}, allowed {_PRICE[name].allowed()}")


@dataclass(frozen=True)
class Imported:
    """What a file gave: present == used + reported + passed."""

    kind: str
    prices: tuple[Price, ...]
    findings: tuple[Finding, ...]
    columns: Mapping[str, str]  # field -> the column of the file that it is from, or the value it was set to
    present: int  # rows
    used: int  # rows that a price was taken from
    reported: int  # rows refused, each told in `findings`
    passed: int  # rows that are no price of a card, counted in `findings`


@dataclass(frozen=True)
class Quote:
    """A price of a row before it is compared with the others."""

    line: int
    place: Place
    values: Mapping[str, Any]
    zone: str = ""
    when: str = ""  # of a bill: the later one is the price
    cell: Callable[[str], Place] | None = None  # of a field, where the row's own place is not all that is known

    def at(self, name: str) -> Place:
        """The cell of a field."""
        return self.cell(name) if self.cell is not None else self.place

    @property
    def key(self) -> tuple[Any, ...]:
        return tuple(
            self.values.get(name) for name in ("snapshot_date", "price_list", "listing", "gpu", "cards", "per", "period",
                                               "pricing_model", "currency", "tax"))  # fmt: skip


class Offers:
    """Takes the rows of one file."""

    def __init__(self, kind: str, lines: Lines, options: Options) -> None:
        self.kind, self.lines, self.options = kind, lines, options
        self.cards = Cards(options.catalog)
        self.columns: dict[str, str] = {}
        self.quotes: list[Quote] = []
        self.present = 0
        self.tell_repeats = False  # of a table that a person made; providers list an offer by zone
        self.told = Told(lines)
        self.mapped = {name: column for column, name in options.mapping.items()}
        for column, name in options.mapping.items():
            if column not in lines.header:
                raise UnknownName(f"{lines.file}: --map {name}, column", column, lines.header)
            if name not in _PRICE or name == "price" or self.mapped[name] != column:
                raise GpusheetError(f"{lines.file}: --map {name}={column}: not for a {kind}, whose columns are known; leave it out")

    def understood(self, name: str, what: str) -> None:
        """Says where a field is from."""
        self.columns[name] = what

    def take(self, line: Line, column: str, *, zone: str = "", when: str = "", **values: Any) -> None:
        """A price of a row, whose `gpu` is a name of the catalog. What is given by --map and --set stands above."""
        for name, source in self.mapped.items():
            if not line.blank(source):
                values[name] = line.cell(source)
        values = {name: value for name, value in values.items() if value not in (None, "")} | dict(self.options.fixed)
        if "gpu" in self.mapped or "gpu" in self.options.fixed:
            values["gpu"] = self.cards.named(str(values["gpu"]), self.mapped.get("gpu", column))
        for name, value in values.items():
            read = _read(name, value)
            if read is None:
                raise Refused(
                    "not-allowed", self.mapped.get(name, column), raw_text(value),
                    f"allowed {_PRICE[name].allowed()} ({name})", f"{_PRICE[name].zh}允许 {_PRICE[name].allowed('zh')}")  # fmt: skip
            values[name] = read
        if lacking := _REQUIRED - values.keys():
            name = min(lacking)
            raise Refused("blank", self.mapped.get(name, column), "", f"nothing says {name}; allowed {_PRICE[name].allowed()}",
                          f"没有{_PRICE[name].zh}；允许 {_PRICE[name].allowed('zh')}")  # fmt: skip
        self.quotes.append(Quote(line.number, line.place(column), values, zone, when))

    def done(self) -> Imported:
        """All prices, each once; of an offer with several prices all, as nobody but a person knows which is right."""
        named = {name: f"--set {value}" for name, value in self.options.fixed.items()}
        named |= self.mapped
        kept: list[Quote] = []
        used: set[int] = set()
        for quotes in _grouped(self.quotes).values():
            kept += self._one_each(quotes)
            used |= {quote.line for quote in quotes}
        prices = tuple(Price.model_construct(**quote.values) for quote in kept)  # every value has been read by its column
        odd = implausible(prices, lambda row, name: kept[row].at(name), catalog=self.options.catalog, today=self.options.today)
        told = (*self.told.findings(), *(one for one in odd if one.code != "same-offer"))  # which is told for all rows at once
        return Imported(
            self.kind, prices, told, self.columns | named, self.present, len(used),
            self.present - self.told.passed - len(used), self.told.passed)  # fmt: skip

    def _one_each(self, quotes: list[Quote]) -> list[Quote]:
        """The one price of an offer; one for each zone where zones differ."""
        latest = max(quote.when for quote in quotes)
        newest = [quote for quote in quotes if quote.when == latest]
        if len({quote.values["price"] for quote in newest}) == 1:
            self._tell_change(quotes, newest[-1])
            if self.tell_repeats and len(newest) > 1:
                self._tell_repeat(newest)
            return newest[:1]
        zones = {quote.zone for quote in newest}
        if len(zones) > 1 and "" not in zones:
            named = [replace(quote, zone="", values={**quote.values, "listing": _of_zone(quote)}) for quote in newest]
            return [one for group in _grouped(named).values() for one in self._one_each(group)]
        several = {quote.values["price"]: quote for quote in reversed(newest)}
        self._tell_several(newest)
        return sorted(several.values(), key=lambda quote: quote.line)

    def _tell_change(self, quotes: list[Quote], newest: Quote) -> None:
        first = min(quotes, key=lambda quote: quote.when)
        if first.values["price"] != newest.values["price"]:
            old, new = shown(first.values["price"]), shown(newest.values["price"])
            self.told.add(Finding(
                "note", "changed-in-bill", newest.place, new,
                f"{_name(newest)}: {old} from {first.when[:10]}, {new} from {newest.when[:10]}; the later one is taken",
                f"{_name(newest)}：{first.when[:10]} 为 {old}，{newest.when[:10]} 为 {new}；取较晚者"))  # fmt: skip

    def _tell_repeat(self, quotes: list[Quote]) -> None:
        first, *others = quotes
        price = shown(first.values["price"])
        self.told.add(Finding(
            "warning", "same-offer", others[0].place, price,
            f"{_name(first)}: the same price stands in {len(quotes)} rows, first in {first.place.cell}; it is taken once",
            f"{_name(first)}：同一价格在 {len(quotes)} 行中出现，首见于 {first.place.cell}；只取一次"))  # fmt: skip

    def _tell_several(self, quotes: list[Quote]) -> None:
        found = sorted({quote.values["price"] for quote in quotes})
        few = ", ".join(shown(one) for one in found[:5]) + (", ..." if len(found) > 5 else "")
        self.told.add(Finding(
            "warning", "several-prices", quotes[0].place, few,
            f"{_name(quotes[0])}: one offer has {len(found)} prices, {few}; a budget takes none of them until one is left, or "
            "each has a listing of its own",
            f"{_name(quotes[0])}：同一报价项有 {len(found)} 个价格({few})；"
            "只保留一个，或各写不同的报价项名称后，预算才能取用"))  # fmt: skip


def in_regions(region: str, wanted: Collection[str]) -> bool:
    """Whether a region is asked for, whatever its case; all are where none is named.

    >>> in_regions("us-east-1", []), in_regions("us-east-1", ["US-East-1"]), in_regions("", ["us-east-1"])
    (True, True, False)
    """
    return not wanted or region.casefold() in {one.strip().casefold() for one in wanted}


def price_list(provider: str, region: str) -> str:
    """A price list's name, as in all snapshots: the same from one day to the next.

    >>> price_list("aws", "us-east-1"), price_list("lambda", "")
    ('aws/us-east-1', 'lambda')
    """
    return f"{provider}/{region}" if region else provider


def needed(value: Any, option: str, lines: Lines, what: str) -> Any:
    """What only a person can say of a file."""
    if value is None or value == "":
        raise GpusheetError(f"{lines.file}: {what}; give {option}")
    return value


@lru_cache(maxsize=65536, typed=True)
def _read(name: str, value: Any) -> Any:
    """A value as its column has it; None where it is not allowed."""
    column = _PRICE[name]
    try:
        read = column.read(value)
    except (ValueError, TypeError, KeyError, OverflowError):
        return None
    return None if isinstance(read, float) and (math.isnan(read) or column.outside(read)) else read


def _grouped(quotes: Iterable[Quote]) -> dict[tuple[Any, ...], list[Quote]]:
    groups: dict[tuple[Any, ...], list[Quote]] = {}
    for quote in quotes:
        groups.setdefault(quote.key, []).append(quote)
    return groups


def _of_zone(quote: Quote) -> str:
    return f"{quote.values.get('listing') or ''} ({quote.zone})".strip()


def _name(quote: Quote) -> str:
    named = (quote.values.get(name) for name in ("price_list", "listing", "gpu", "pricing_model"))
    return " ".join(str(one) for one in named if one)
