"""SkyPilot's catalog (vms.csv): a row for each machine and zone, with its price and its spot price in US dollars an hour."""

from __future__ import annotations

import ast
from collections.abc import Collection
from functools import lru_cache
from typing import Any

from gpusheet.intake.importers.lines import Line, Lines, Refused
from gpusheet.intake.importers.offers import Imported, Offers, Options, in_regions, needed, price_list

KIND = "SkyPilot catalog"
COLUMNS = frozenset({"InstanceType", "AcceleratorName", "AcceleratorCount", "Price"})
_MODELS = {"Price": "on_demand", "SpotPrice": "spot"}
# names of SkyPilot's own that say more, or less, than they seem to
_NAMES = {"A100": "A100 40GB", "A100-80GB-SXM": "A100 80GB", "H100-MEGA": "H100 SXM"}


def knows(header: Collection[str]) -> bool:
    return set(header) >= COLUMNS


def read(lines: Lines, options: Options) -> Imported:
    """The prices of a catalog file; every machine is priced as a whole."""
    provider = needed(options.provider, "--provider, such as --provider aws", lines, "the file does not say whose prices these are")
    day = needed(options.date, "--date YYYY-MM-DD, the day of the catalog", lines, "the file has no date")
    offers = Offers(KIND, lines, options)
    for name, source in {
        "snapshot_date": day.isoformat(), "price_list": f"{provider}/Region", "listing": "InstanceType",
        "gpu": "AcceleratorName, GpuInfo", "cards": "AcceleratorCount", "price": "Price, SpotPrice", "currency": "USD",
        "per": "instance", "period": "hour", "pricing_model": "Price: on_demand, SpotPrice: spot", "tax": "unstated",
    }.items():  # fmt: skip
        offers.understood(name, source)
    for line in lines:
        offers.present += 1
        if line.blank("AcceleratorName"):
            offers.told.pass_over("machines without a GPU", "无 GPU 的机型")
        elif not in_regions(line.text("Region"), options.regions):
            offers.told.pass_over("of other regions", "其他地域")
        else:
            _row(line, offers, provider, day)
    return offers.done()


def _row(line: Line, offers: Offers, provider: str, day: Any) -> None:
    try:
        values = _values(line, offers)
    except Refused as refused:
        offers.told.refuse(line, refused)
        return
    values |= {"snapshot_date": day, "price_list": price_list(provider, line.text("Region"))}
    found = 0
    for column, model in _MODELS.items():
        try:
            price = line.price_in(column)
            if price is None:
                continue
            found += 1
            offers.take(line, column, zone=line.text("AvailabilityZone"), price=price, pricing_model=model, **values)
        except Refused as refused:
            found += 1
            offers.told.refuse(line, refused)
    if not found:
        offers.told.refuse(line, Refused(
            "no-price", "Price", "", "blank, as SpotPrice is; the row is left out", "与 SpotPrice 均为空；此行不用",
            severity="warning"))  # fmt: skip


def _values(line: Line, offers: Offers) -> dict[str, Any]:
    name, machine = line.text("AcceleratorName"), line.text("InstanceType")
    if not machine:
        # on Google Cloud the machine that carries the card is a row, and a price, of its own
        raise Refused(
            "accelerator-alone", "AcceleratorName", name,
            "which is priced without the machine that carries it; the row is left out, so write the sum "
            "of both as a price list of your own",
            "仅为加速卡价格，承载它的主机另行计费；此行不用，请将两者之和写入自己的价目表", severity="warning")  # fmt: skip
    other, memory = _info(line.cell("GpuInfo") or line.cell("GPUInfo"))
    cards = line.count_in("AcceleratorCount")
    gpu = offers.cards.find("AcceleratorName", [other, _NAMES.get(name, name), name], memory, machine)
    return {
        "listing": machine, "gpu": gpu.gpu, "cards": cards, "currency": "USD", "per": "instance", "period": "hour",
        "tax": "unstated", "source": f"{line.lines.file} ({KIND})",
    }  # fmt: skip


@lru_cache(maxsize=4096)
def _info(text: Any) -> tuple[str, float | None]:
    """The card's name and memory in GB of a GpuInfo; memory is there in MiB, in GB, or as 0 for unknown.

    >>> _info("{'Gpus': [{'Name': 'A100 PCIe', 'Count': 1, 'MemoryInfo': {'SizeInMiB': 80}}]}")
    ('A100 PCIe', 80.0)
    >>> _info("{'Gpus': [{'Name': 'V100', 'Count': 8.0, 'MemoryInfo': {'SizeInMiB': 16384}}]}"), _info("")
    (('V100', 16.0), ('', None))
    """
    try:
        [first, *_] = ast.literal_eval(str(text))["Gpus"]
        name = str(first["Name"])
        size = float(first.get("MemoryInfo", {}).get("SizeInMiB") or 0)
    except (ValueError, SyntaxError, TypeError, KeyError, AttributeError, RecursionError, MemoryError, OverflowError):
        return "", None
    if not 1 <= size < 1e7:
        return name, None
    return name, size if size < 1024 else size / 1024
