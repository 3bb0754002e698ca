"""All tables together, and the three look-ups: a card, a model, a price."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial

from gpusheet.catalog.fx import Fx
from gpusheet.catalog.gpu import Gpu
from gpusheet.catalog.load import DATA, read_table
from gpusheet.catalog.model import Model
from gpusheet.catalog.names import (
    Names,
    aliases_of,
    engine_words,
    month_of,
    plain_cards,
    plain_names,
    short_of_experts,
    version_of,
)
from gpusheet.catalog.price import PRICING_MODELS, Price, Unpriced
from gpusheet.catalog.serving import Engine, Generation
from gpusheet.catalog.tables import Distribution, Precision, Season, Tier
from gpusheet.constants import TIERS
from gpusheet.errors import GpusheetError, UnknownName


class AmbiguousPrice(GpusheetError):
    """Several prices answer; which one is meant has to be said."""


@dataclass(frozen=True)
class Catalog:
    """Facts and prices by name.

    >>> catalog = Catalog.builtin()
    >>> catalog.find_gpu("NVIDIA H100 80GB HBM3").gpu
    'H100-80G-SXM'
    >>> catalog.find_price("H20 96G", "monthly").price
    4464.0
    """

    gpus: Sequence[Gpu] = ()
    models: Sequence[Model] = ()
    prices: Sequence[Price] = ()
    precisions: Sequence[Precision] = ()
    distributions: Sequence[Distribution] = ()
    tiers: Sequence[Tier] = ()
    seasons: Sequence[Season] = ()
    fx: Sequence[Fx] = ()
    engines: Sequence[Engine] = ()
    generations: Sequence[Generation] = ()
    unpriced: Sequence[Unpriced] = ()  # lines of prices without one, as an edited workbook may have them

    @staticmethod
    @cache
    def builtin() -> Catalog:
        """The tables that come with gpusheet, read on first use. FX is empty: rates are the user's to state."""
        return Catalog(
            gpus=tuple(read_table(Gpu, DATA / "gpus.csv")),
            models=tuple(read_table(Model, DATA / "models.csv")),
            prices=tuple(_snapshots()),
            precisions=tuple(read_table(Precision, DATA / "precisions.csv")),
            distributions=tuple(read_table(Distribution, DATA / "distributions.csv")),
            tiers=tuple(Tier(tier=step, source="GPU selection article [C], section 3") for step in TIERS),
            seasons=tuple(read_table(Season, DATA / "seasons.csv")),
            engines=tuple(read_table(Engine, DATA / "engines.csv")),
            generations=tuple(read_table(Generation, DATA / "generations.csv")),
        )

    def find_gpu(self, name: str) -> Gpu:
        """The card of that name or alias; case, blanks, '-', '_' and a leading 'NVIDIA' do not matter.

        >>> Catalog.builtin().find_gpu("H200-141GB (inferred)").gpu
        'H200-141G-SXM'
        """
        return self._gpu_names.find(name)

    def find_model(self, name: str) -> Model:
        """The model of that name, alias or Hugging Face id, with or without its owner.

        What follows the name of a quantised copy, or a release date, is passed over when nothing else answers.

        >>> Catalog.builtin().find_model("/workspace/Qwen3-32B-FP8-dynamic").model
        'Qwen3-32B'
        """
        return self._model_names.find(name)

    def find_engine(self, name: str, version: str | None = None) -> Engine:
        """The engine of that name, as it is from the newest version on that is not above the one wanted.

        A version may stand in the name ("vLLM 0.19.0"), and may be a month of release; without one it is the newest.
        """
        exact = {engine.engine.casefold(): engine for engine in self.engines}
        if version is None and name.strip().casefold() in exact:
            return exact[name.strip().casefold()]
        makes = dict.fromkeys(engine.engine.rpartition("-")[0] for engine in self.engines)
        make, in_name = engine_words(name, makes)
        if make is None:
            raise UnknownName("engine", name, makes)
        rows = sorted((row for row in self.engines if row.engine.rpartition("-")[0] == make), key=_from_version)
        asked = version or in_name or ""
        if month := month_of(asked):
            fitting = [row for row in rows if (row.released or "") <= month]
        else:
            fitting = [row for row in rows if _from_version(row) <= version_of(asked)]
        return fitting[-1] if fitting else rows[0]

    def find_price(
        self,
        gpu: str,
        pricing_model: str,
        as_of: datetime.date | None = None,
        price_list: str | None = None,
        listing: str | None = None,
    ) -> Price | None:
        """The newest price at or before `as_of` (of all dates without it); None where there is none.

        Without `price_list` the card may be priced in one list only: the newest snapshot must not choose the provider.
        """
        return self.quoted_price(self.find_gpu(gpu).gpu, pricing_model, as_of, price_list, listing)

    def quoted_price(
        self, card: str, pricing_model: str, as_of: datetime.date | None, price_list: str | None, listing: str | None
    ) -> Price | None:
        """As `find_price`, for a card by the name that the prices have."""
        _known("pricing_model", pricing_model, PRICING_MODELS)
        if price_list is not None:
            _known("price_list", price_list, (p.price_list for p in self.prices))
        named = [price_list] if price_list is not None else dict.fromkeys(p.price_list for p in self.prices)
        found = [p for one in named for p in self._quoted(one, card, pricing_model, as_of, listing)]
        what = f"price of {card}, {pricing_model}"
        lists = {p.price_list.casefold(): p.price_list for p in found}
        if len(lists) > 1:
            names = ", ".join(sorted(lists.values()))
            raise AmbiguousPrice(f"{what}: found in {len(lists)} price lists ({names}); name one as price_list")
        found = _newest(found)
        if found and self.unusable(found[0].price_list, card, pricing_model, as_of, listing):
            return None
        if len(found) > 1:
            offers = ", ".join(sorted(p.listing or "(no listing)" for p in found))
            raise AmbiguousPrice(
                f"{what}: found {len(found)} in {found[0].price_list} on {found[0].snapshot_date} ({offers}); name one as listing")
        return found[0] if found else None

    def offers(
        self, price_list: str, gpu: str, pricing_model: str, as_of: datetime.date | None, listing: str | None = None
    ) -> list[Price]:
        """The prices of a list's newest day at or before `as_of`, as a workbook finds them: one is wanted."""
        return _newest(self._quoted(price_list, gpu, pricing_model, as_of, listing))

    def unusable(
        self, price_list: str, gpu: str, pricing_model: str, as_of: datetime.date | None, listing: str | None = None
    ) -> list[Unpriced]:
        """The lines without a price that would be of the newest day: an older price must not take their place."""
        found = self.offers(price_list, gpu, pricing_model, as_of, listing)
        wanted = _price_key(price_list, gpu, pricing_model)
        return [
            one for one in self.unpriced
            if _price_key(one.line.price_list, one.line.gpu, one.line.pricing_model) == wanted
            and (listing is None or (one.line.listing is not None and _same(one.line.listing, listing)))
            and _between(one.line.snapshot_date, found[0].snapshot_date if found else None, as_of)
        ]  # fmt: skip

    @property
    def price_lines(self) -> list[Price]:
        """The prices, and between them the lines without one, each at its place."""
        lines = list(self.prices)
        for one in sorted(self.unpriced, key=lambda one: one.index):
            lines.insert(one.index, one.line)
        return lines

    def _quoted(
        self, price_list: str, gpu: str, pricing_model: str, as_of: datetime.date | None, listing: str | None
    ) -> list[Price]:
        key = _price_key(price_list, gpu, pricing_model)
        return [
            price for price in self._by_key.get(key, ())
            if (as_of is None or price.snapshot_date <= as_of)
            and (listing is None or (price.listing is not None and _same(price.listing, listing)))
        ]  # fmt: skip

    @cached_property
    def newest_day(self) -> datetime.date | None:
        """The day of the newest snapshot of prices."""
        days = (line.snapshot_date for line in self.price_lines)
        return max((day for day in days if day is not None), default=None)

    @cached_property
    def _by_key(self) -> dict[tuple[str, ...], list[Price]]:
        index: dict[tuple[str, ...], list[Price]] = {}
        for price in self.prices:
            key = _price_key(price.price_list, price.gpu, price.pricing_model)
            index.setdefault(key, []).append(price)
        return index

    @cached_property
    def _gpu_names(self) -> Names[Gpu]:
        return Names("gpu", [(g.gpu, aliases_of(g.aliases), g) for g in self.gpus], plain_cards)

    @cached_property
    def _model_names(self) -> Names[Model]:
        ids = [[m.hf_id, m.hf_id.rpartition("/")[2]] if m.hf_id else [] for m in self.models]
        entries = [(m.model, [*aliases_of(m.aliases), *hf, *short_of_experts(m.model)], m)
                   for m, hf in zip(self.models, ids, strict=True)]  # fmt: skip
        return Names("model", entries, partial(plain_names, copies=True))


def _from_version(engine: Engine) -> tuple[int, ...]:
    return version_of(engine.engine.rpartition("-")[2])


def _newest(prices: Sequence[Price]) -> list[Price]:
    day = max((price.snapshot_date for price in prices), default=None)
    return [price for price in prices if price.snapshot_date == day]


def _price_key(*parts: str | None) -> tuple[str, ...]:
    return tuple((part or "").strip().casefold() for part in parts)


def _between(day: datetime.date | None, first: datetime.date | None, last: datetime.date | None) -> bool:
    """Whether a day is one of those from first to last; so is a day that is not known."""
    return day is None or ((first is None or first <= day) and (last is None or day <= last))


def _same(one: str, other: str) -> bool:
    return one.casefold() == other.strip().casefold()  # as spreadsheets compare text


def _known(what: str, name: str, allowed: Iterable[str]) -> None:
    names = dict.fromkeys(allowed)
    if not any(_same(one, name) for one in names):
        raise UnknownName(what, name, names)


def _snapshots() -> Iterator[Price]:
    """Every snapshot file; each holds the prices of the day it is named after."""
    for path in sorted((DATA / "prices").glob("*.csv")):
        for price in read_table(Price, path):
            if price.snapshot_date.isoformat() != path.stem:
                raise GpusheetError(f"{path.name}: found snapshot_date {price.snapshot_date}, allowed {path.stem}")
            yield price
