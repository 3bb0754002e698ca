"""Unit prices in a bill with the columns of FOCUS 1.x. What was paid is spend, not a price: see `gpusheet.intake.actuals`.

A bill states two prices of a machine: the list price (ListUnitPrice) and the price agreed with the account
(ContractedUnitPrice). What a commitment or a reservation made of it is only in the costs, so there is no reserved price.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from gpusheet.catalog import Price
from gpusheet.catalog.schema import CURRENCY
from gpusheet.errors import GpusheetError
from gpusheet.intake.dates import day_of
from gpusheet.intake.findings import raw_text
from gpusheet.intake.importers.lines import Line, Lines, Refused
from gpusheet.intake.importers.offers import Imported, Offers, Options, in_regions, needed, price_list

KIND = "FOCUS bill"
AGREED = " contract"  # ends the name of the price list with the prices that an account has agreed
COLUMNS = frozenset({"BilledCost", "ChargeCategory", "BillingCurrency"})
_PRICES = ("ListUnitPrice", "PricingUnit")
_PROVIDERS = {
    "aws": "aws", "amazon web services": "aws", "microsoft": "azure", "microsoft azure": "azure", "azure": "azure",
    "google cloud": "gcp", "google": "gcp", "gcp": "gcp", "oracle": "oci", "oracle cloud": "oci", "oci": "oci",
    "alibaba cloud": "aliyun", "tencent cloud": "tencent", "huawei cloud": "huawei",
}  # fmt: skip
_UNIT = re.compile(r"(?:(\d+)\s+)?(?:(gpu|card|accelerator|instance|vm|machine|node)s?[- ])?(hour|hr|month|mo)s?", re.IGNORECASE)
_TEXTS = ("SkuMeter", "x_SkuMeterName", "x_SkuDescription", "ChargeDescription", "x_UsageType", "ResourceType")
_CARD = ("gpu", "card", "accelerator")


def knows(header: Collection[str]) -> bool:
    return set(header) >= COLUMNS


def provider_of(line: Line) -> str:
    """The provider's name, short where it is one of the large ones."""
    name = line.text("ServiceProviderName", "ProviderName", "Provider", "PublisherName")
    return _PROVIDERS.get(name.casefold(), name)


def currency_of(line: Line) -> str:
    """The currency of a row's prices and costs."""
    currency = line.text("BillingCurrency").upper()
    if not re.fullmatch(CURRENCY[0], currency):
        raise Refused("unknown-currency", "BillingCurrency", raw_text(line.cell("BillingCurrency")),
                      f"allowed {CURRENCY[1]}", f"应为{CURRENCY[2]}")  # fmt: skip
    return currency


def read(lines: Lines, options: Options) -> Imported:
    """List prices and agreed prices of the GPU machines that a bill has usage of."""
    lacking = [name for name in _PRICES if name not in lines.at]
    if lacking:
        raise GpusheetError(
            f"{lines.file}: a bill without {' and '.join(lacking)} states what was paid, not what things cost; "
            "export it with all columns of FOCUS")  # fmt: skip
    day = options.date or _last_day(lines)
    offers = Offers(KIND, lines, options)
    for name, source in {
        "snapshot_date": day.isoformat(), "price_list": f"{options.provider or 'ProviderName'}/RegionId",
        "listing": "SkuPriceDetails, x_UsageType", "gpu": "SkuPriceDetails, x_UsageType, SkuMeter", "cards": "SkuPriceDetails",
        "price": f"ListUnitPrice; ContractedUnitPrice: '{options.provider or 'ProviderName'}{AGREED}'",
        "currency": "BillingCurrency", "per": "PricingUnit", "period": "PricingUnit", "pricing_model": "PricingCategory",
        "tax": "excluded",
    }.items():  # fmt: skip
        offers.understood(name, source)
    for line in lines:
        offers.present += 1
        if line.text("ChargeCategory").casefold() != "usage" or line.text("ChargeClass").casefold() == "correction":
            offers.told.pass_over("taxes, purchases, credits and corrections, which state no price of use",
                             "税费、预付购买、抵扣与更正，不含使用单价")  # fmt: skip
        elif not in_regions(line.text("RegionId", "RegionName", "Region"), options.regions):
            offers.told.pass_over("of other regions", "其他地域")
        else:
            _row(line, offers, day)
    made = offers.done()
    listed = {_offer(price): price.price for price in made.prices}
    # an agreed price that is the list price needs no list of its own
    prices = tuple(price for price in made.prices if listed.get(_offer(price, AGREED)) != price.price)
    return replace(made, prices=prices)


def _offer(price: Price, without: str = "") -> tuple[Any, ...]:
    """What a price is of; `without` an ending of the price list's name."""
    provider, mark, region = price.price_list.partition("/")
    if without and not provider.endswith(without):
        return ()
    return (provider.removesuffix(without) + mark + region, price.listing, price.gpu, price.cards, price.pricing_model,
            price.currency, price.per, price.period)  # fmt: skip


def _last_day(lines: Lines) -> datetime.date:
    """The last day of use: on it the prices were valid."""
    days = [day for line in lines if isinstance(day := day_of(line.cell("ChargePeriodStart")), datetime.date)]
    found: datetime.date = needed(max(days, default=None), "--date YYYY-MM-DD", lines, "has no ChargePeriodStart that is a date")
    return found


def _row(line: Line, offers: Offers, day: datetime.date) -> None:
    try:
        machine = _machine(line, offers)
        if machine is None:
            offers.told.pass_over("usage that names no GPU machine", "未涉及 GPU 机型的用量")
            return
        offered = _offered(line, offers, machine, day)
        category = line.text("PricingCategory").casefold() or "standard"
        if category not in ("standard", "committed", "dynamic"):
            raise Refused(
                "not-allowed", "PricingCategory", line.text("PricingCategory"),
                "allowed Standard, Committed or Dynamic, as only these state a price",
                "仅 Standard、Committed、Dynamic 含单价")  # fmt: skip
        _take(line, offers, offered, category == "dynamic")
    except Refused as refused:
        offers.told.refuse(line, refused)


def _take(line: Line, offers: Offers, offered: dict[str, Any], spot: bool) -> None:
    share, region, provider = offered.pop("share"), offered.pop("region"), offered.pop("provider")
    when = line.text("ChargePeriodStart")
    listed, agreed = line.price_in("ListUnitPrice"), line.price_in("ContractedUnitPrice")
    if spot:
        # the list price of a spot row is that of the machine on demand
        if agreed is None:
            raise Refused(
                "no-price", "ContractedUnitPrice", "", "blank, and the price of a spot row is only here; the row is left out",
                "为空，竞价价格只在此列；此行不用", severity="warning")  # fmt: skip
        offers.take(line, "ContractedUnitPrice", when=when, price=agreed / share, pricing_model="spot",
                    price_list=price_list(provider, region), **offered)  # fmt: skip
        return
    if listed is None and agreed is None:
        raise Refused("no-price", "ListUnitPrice", "", "blank, as ContractedUnitPrice is; the row is left out",
                      "与 ContractedUnitPrice 均为空；此行不用", severity="warning")  # fmt: skip
    if listed is not None:
        offers.take(line, "ListUnitPrice", when=when, price=listed / share, pricing_model="on_demand",
                    price_list=price_list(provider, region), **offered)  # fmt: skip
    if agreed is not None:
        offers.take(line, "ContractedUnitPrice", when=when, price=agreed / share, pricing_model="on_demand",
                    price_list=price_list(provider + AGREED, region), **offered)  # fmt: skip


def _machine(line: Line, offers: Offers) -> tuple[str, str, float] | None:
    """Machine, card and number of cards of a row; None where it is no GPU machine."""
    details = _details(line.cell("SkuPriceDetails"))
    used = line.text("x_UsageType").rpartition(":")[2]
    machine = _first(details, "InstanceType", "F_InstanceType", "x_InstanceType") or used
    stated = _first(details, "GpuCount", "F_GpuCount")
    if mapped := offers.mapped.get("gpu"):
        if line.blank(mapped):
            return None
        gpu = offers.cards.named(line.text(mapped), mapped)
        return machine or line.text("SkuMeter", "x_SkuMeterName"), gpu, _cards(line, stated, 1.0)
    known = offers.cards.machine(machine)
    if known is not None:
        return machine, known[0].gpu, _cards(line, stated, known[1])
    text = " ".join([machine, *(line.text(name) for name in _TEXTS)])
    if stated and float(stated if _is_number(stated) else 1) > 0:
        card = offers.cards.family(machine) or offers.cards.in_text(text)
        if card is None:
            raise Refused(
                "unknown-gpu", "SkuPriceDetails", machine or text.strip()[:60],
                "which card this machine has is not known; add a column with its name and give --map gpu=COLUMN",
                "不知此机型用何种 GPU；请增加一列写明型号，并用 --map gpu=列名 指定", severity="warning")  # fmt: skip
        return machine, card.gpu, _cards(line, stated, 1.0)
    if re.search(r"\bgpus?\b", text, re.IGNORECASE):
        column = next((name for name in _TEXTS if re.search(r"\bgpus?\b", line.text(name), re.IGNORECASE)), "SkuMeter")
        raise Refused(
            "accelerator-alone", column, line.text(column)[:60],
            "the price of a card without the machine that carries it, or of a machine that is not known; write the sum as "
            "a price list of your own",
            "仅为加速卡价格(主机另行计费)，或机型未知；请将合计价写入自己的价目表", severity="warning")  # fmt: skip
    return None


def _offered(line: Line, offers: Offers, machine: tuple[str, str, float], day: datetime.date) -> dict[str, Any]:
    listing, gpu, cards = machine
    system = str(_first(_details(line.cell("SkuPriceDetails")), "OperatingSystem", "F_OperatingSystem"))
    if system and system.casefold() != "linux":
        listing = f"{listing} ({system})"  # its licence is in the price
    unit = _UNIT.fullmatch(line.text("PricingUnit"))
    if unit is None or not int(unit[1] or 1):
        raise Refused(
            "unknown-unit", "PricingUnit", line.text("PricingUnit"), "allowed hours or months, such as Hours",
            "允许小时或月，如 Hours")  # fmt: skip
    provider = offers.options.provider or provider_of(line)
    if not provider:
        raise Refused("no-provider", "ProviderName", "", "blank, so whose price this is is not said; give --provider",
                      "为空，未说明供应商；请用 --provider 指定")  # fmt: skip
    return {
        "share": float(unit[1] or 1), "provider": provider, "region": line.text("RegionId", "RegionName", "Region"),
        "snapshot_date": day, "listing": listing, "gpu": gpu, "cards": cards,
        "currency": currency_of(line),
        "per": "card" if (unit[2] or "").casefold() in _CARD else "instance",
        "period": "hour" if unit[3].casefold().startswith("h") else "month", "tax": "excluded",
        "source": f"{line.lines.file} ({KIND})",
    }  # fmt: skip


def _cards(line: Line, stated: str, known: float) -> float:
    if not stated:
        return known
    cards = float(stated) if _is_number(stated) else 0.0
    if cards < 1 or not cards.is_integer():
        raise Refused("part-of-a-card", "SkuPriceDetails", stated, "allowed a whole number of cards as GpuCount",
                      "GpuCount 应为整数张卡", severity="warning")  # fmt: skip
    return cards


def _is_number(text: str) -> bool:
    return re.fullmatch(r"\d+(\.\d+)?", text, re.ASCII) is not None


@lru_cache(maxsize=4096)
def _details(value: Any) -> Mapping[str, Any]:
    try:
        found = json.loads(value) if isinstance(value, str) and value.strip() else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _first(details: Mapping[str, Any], *names: str) -> str:
    return next((str(details[name]).strip() for name in names if details.get(name) not in (None, "")), "")
