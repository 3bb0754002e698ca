"""gpuhunt's catalog, as dstack publishes and uses it: a row for each machine, region and way of renting, in US dollars an hour."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from gpusheet.intake.importers.lines import Line, Lines, Refused
from gpusheet.intake.importers.offers import Imported, Offers, Options, in_regions, needed, price_list

KIND = "gpuhunt catalog"
COLUMNS = frozenset({"instance_name", "location", "price", "gpu_count", "gpu_name", "gpu_memory", "spot"})
_SPOT = {"true": "spot", "false": "on_demand"}


def knows(header: Collection[str]) -> bool:
    return set(header) >= COLUMNS


def read(lines: Lines, options: Options) -> Imported:
    """The prices of a catalog file; every machine is priced as a whole."""
    if "provider" not in lines.at:
        needed(options.provider, "--provider, such as --provider aws", lines, "the file does not say whose prices these are")
    day = needed(options.date, "--date YYYY-MM-DD, the day of the catalog", lines, "the file has no date")
    offers = Offers(KIND, lines, options)
    for name, source in {
        "snapshot_date": day.isoformat(), "price_list": f"{options.provider or 'provider'}/location",
        "listing": "instance_name", "gpu": "gpu_name, gpu_memory", "cards": "gpu_count", "price": "price",
        "currency": "USD", "per": "instance", "period": "hour", "pricing_model": "spot",
        "tax": "unstated",
    }.items():  # fmt: skip
        offers.understood(name, source)
    for line in lines:
        offers.present += 1
        if line.text("gpu_count") in ("", "0", "0.0") and line.blank("gpu_name"):
            offers.told.pass_over("machines without a GPU", "无 GPU 的机型")
        elif not in_regions(line.text("location"), options.regions):
            offers.told.pass_over("of other regions", "其他地域")
        else:
            _row(line, offers, day)
    return offers.done()


def _row(line: Line, offers: Offers, day: Any) -> None:
    try:
        provider = offers.options.provider or line.text("provider")
        if not provider:
            raise Refused(
                "no-provider", "provider", "", "blank, so whose price this is is not said; give --provider",
                "为空，未说明供应商；请用 --provider 指定")  # fmt: skip
        name, machine = line.text("gpu_name"), line.text("instance_name")
        if not name:
            raise Refused("unknown-gpu", "gpu_name", "", "blank; the card has no name", "为空，未写明 GPU", severity="warning")
        spot = line.text("spot").casefold()
        if spot not in _SPOT:
            raise Refused("not-allowed", "spot", line.text("spot"), "allowed True or False", "允许 True 或 False")
        price = line.price_in("price")
        if price is None:
            raise Refused("no-price", "price", "", "blank; the row is left out", "为空；此行不用",
                          severity="warning")  # fmt: skip
        gpu = offers.cards.find("gpu_name", [name], line.number_in("gpu_memory"), machine)
        offers.take(
            line, "price", price=price, pricing_model=_SPOT[spot], snapshot_date=day,
            price_list=price_list(provider, line.text("location")), listing=machine, gpu=gpu.gpu,
            cards=line.count_in("gpu_count"), currency="USD", per="instance", period="hour", tax="unstated",
            source=f"{line.lines.file} ({KIND})")  # fmt: skip
    except Refused as refused:
        offers.told.refuse(line, refused)
