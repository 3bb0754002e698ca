"""Which card of the catalog a provider's words mean: by the machine's name, then by the card's with its memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from gpusheet.catalog import Catalog, Gpu
from gpusheet.errors import UnknownName
from gpusheet.intake.importers.lines import Refused

_ALIKE = 0.13  # 180 or 192 GB of a B200 are one card, 80 and 94 GB of an H100 are two
_MACHINE = re.compile(r"(?=.*\d)(?=.*[a-z])[\w+-]*[._-][\w.+-]*", re.IGNORECASE)
_FAMILY = re.compile(r"([a-z]\w*(?:-\w+)?)\.\w[\w-]*", re.ASCII)  # AWS: p5.48xlarge


class Cards:
    """Finds cards, and remembers what it found: the same names come thousands of times."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._found: dict[tuple[str, ...], Gpu | Refused] = {}
        self._called: dict[str, Gpu | UnknownName] = {}

    def named(self, name: str, column: str) -> str:
        """The catalog's name of a card that a person named."""
        return self.find(column, [name]).gpu

    def find(self, column: str, names: Iterable[str], memory_gb: float | None = None, machine: str = "") -> Gpu:
        """The card of a machine that is known, else of the first name that fits the memory; `column` is blamed."""
        names = [name for name in names if name]
        key = (column, machine, str(memory_gb), *names)
        if key not in self._found:
            self._found[key] = self._look(column, names, memory_gb, machine)
        found = self._found[key]
        if isinstance(found, Refused):
            raise found
        return found

    def _look(self, column: str, names: list[str], memory_gb: float | None, machine: str) -> Gpu | Refused:
        known = self.machine(machine)
        if known is not None and _fits(known[0], memory_gb) and any(_first_word(n) == _first_word(known[0].gpu) for n in names):
            return known[0]
        for name in _spelled(names, memory_gb):
            card = self._call(name)
            if isinstance(card, Gpu) and _fits(card, memory_gb):
                return card
        return self._unknown(column, names, memory_gb)

    def _call(self, name: str) -> Gpu | UnknownName:
        """The card of a name, or the error with the nearest ones, which take time to find."""
        if name not in self._called:
            try:
                self._called[name] = self.catalog.find_gpu(name)
            except UnknownName as error:
                self._called[name] = error
        return self._called[name]

    def _unknown(self, column: str, names: list[str], memory_gb: float | None) -> Refused:
        near, near_zh = "", ""
        other = self._call(names[0])
        if isinstance(other, Gpu):
            near, near_zh = f"; {other.gpu} has {other.memory_gb:g} GB", f"；{other.gpu} 为 {other.memory_gb:g} GB"
        elif other.near:
            near, near_zh = f"; nearest: {', '.join(other.near)}", f"；相近：{'、'.join(other.near)}"
        memory = f" with {memory_gb:g} GB" if memory_gb else ""
        memory_zh = f"({memory_gb:g} GB)" if memory_gb else ""
        return Refused(
            "unknown-gpu", column, names[0],
            f"no such card{memory} in GPUs{near}; write a name of GPUs, or add the card there",
            f"GPU 表中没有此型号{memory_zh}{near_zh}；请改用表中名称，或在表中添加该型号", severity="warning")  # fmt: skip

    def machine(self, name: str) -> tuple[Gpu, float] | None:
        """The card and the number of cards of a machine that some price list has.

        >>> cards = Cards(Catalog.builtin())
        >>> cards.machine("Standard_NC24ads_A100_v4")[0].gpu, cards.machine("p5.48xlarge")[1]
        ('A100-80G-PCIe', 8.0)
        """
        return self._machines.get(_plain(name))

    def family(self, name: str) -> Gpu | None:
        """The card of a machine by its sisters, as in g5.12xlarge by g5.xlarge."""
        match = _FAMILY.fullmatch(_plain(name))
        return self._families.get(match[1]) if match else None

    def in_text(self, text: str) -> Gpu | None:
        """The card whose name stands in a description, if one alone does.

        >>> Cards(Catalog.builtin()).in_text("Standard_ND96isr_H200_v5 per hour").gpu
        'H200-141G-SXM'
        """
        words = [word for word in re.split(r"[^A-Za-z0-9]+", text) if word]
        found: dict[str, Gpu] = {}
        for length in (3, 2, 1):
            for start in range(len(words) - length + 1):
                name = " ".join(words[start : start + length])
                if not re.search("[A-Za-z].*[0-9]", name):
                    continue  # numbers alone are no name of a card in a sentence
                card = self._call(name)
                if isinstance(card, Gpu):
                    found[card.gpu] = card
            if found:
                break
        return next(iter(found.values())) if len(found) == 1 else None

    @cached_property
    def _machines(self) -> dict[str, tuple[Gpu, float]]:
        return {name: next(iter(found.values())) for name, found in self._listed() if len(found) == 1}

    @cached_property
    def _families(self) -> dict[str, Gpu]:
        cards: dict[str, dict[str, Gpu]] = {}
        for name, (card, _) in self._machines.items():
            match = _FAMILY.fullmatch(name)
            if match:
                cards.setdefault(match[1], {})[card.gpu] = card
        return {family: next(iter(found.values())) for family, found in cards.items() if len(found) == 1}

    def _listed(self) -> Iterator[tuple[str, dict[tuple[str, float], tuple[Gpu, float]]]]:
        listed: dict[str, dict[tuple[str, float], tuple[Gpu, float]]] = {}
        for price in self.catalog.prices:
            if price.per != "instance" or not price.listing or not _MACHINE.fullmatch(price.listing):
                continue
            card = self._call(price.gpu)
            if isinstance(card, Gpu):
                listed.setdefault(_plain(price.listing), {})[card.gpu, price.cards] = (card, price.cards)
        yield from listed.items()


def _plain(machine: str) -> str:
    return machine.strip().casefold().removeprefix("standard_")


def _first_word(name: str) -> str:
    """The word by which a maker calls a card, whatever its memory and form."""
    words = re.findall(r"[a-z0-9]+", name.casefold().removeprefix("nvidia"))
    return words[0] if words else ""


def _fits(card: Gpu, memory_gb: float | None) -> bool:
    return memory_gb is None or abs(card.memory_gb - memory_gb) <= _ALIKE * card.memory_gb


def _spelled(names: list[str], memory_gb: float | None) -> Iterator[str]:
    for name in names:
        if memory_gb:
            yield from (f"{name} {memory_gb:.0f}GB", f"{name} {memory_gb:.0f}G")
        yield name
