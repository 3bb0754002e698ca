"""Files as providers and tools write them, made for the tests, and what is compared of a result."""

from __future__ import annotations

import csv
import datetime
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gpusheet.intake.importers import Imported, Options

DAY = datetime.date(2026, 11, 20)
TODAY = datetime.date(2026, 11, 21)
AWS = Options(provider="aws", date=DAY, today=TODAY)
SKYPILOT = ("InstanceType", "vCPUs", "MemoryGiB", "AcceleratorName", "AcceleratorCount", "GpuInfo", "Region",
            "AvailabilityZone", "Price", "SpotPrice")  # fmt: skip
GPUHUNT = ("instance_name", "location", "price", "cpu", "memory", "gpu_count", "gpu_name", "gpu_memory", "spot",
           "disk_size", "gpu_vendor", "flags")  # fmt: skip
FOCUS = ("BilledCost", "BillingAccountName", "BillingCurrency", "BillingPeriodStart", "ChargeCategory", "ChargeClass",
         "ChargeDescription", "ChargePeriodStart", "ContractedUnitPrice", "EffectiveCost", "ListUnitPrice",
         "PricingCategory", "PricingQuantity", "PricingUnit", "ProviderName", "RegionId", "ServiceName", "SkuId", "SkuMeter",
         "SkuPriceDetails", "SkuPriceId", "SubAccountName", "Tags", "x_UsageType")  # fmt: skip
_MACHINE = {"InstanceType": "p5.48xlarge", "vCPUs": "192", "MemoryGiB": "2048", "AcceleratorName": "H100",
            "AcceleratorCount": "8.0", "Region": "us-east-1", "AvailabilityZone": "us-east-1a", "Price": "55.04",
            "SpotPrice": "20.5"}  # fmt: skip
_ITEM = {"instance_name": "gpu_8x_h100", "location": "us-west-2", "price": "23.92", "cpu": "208", "memory": "1800",
         "gpu_count": "8", "gpu_name": "H100", "gpu_memory": "80.0", "spot": "False", "gpu_vendor": "nvidia"}  # fmt: skip
_CHARGE = {
    "BilledCost": "55.04", "BillingAccountName": "corp", "BillingCurrency": "USD",
    "BillingPeriodStart": "2026-09-01T00:00:00Z", "ChargeCategory": "Usage", "ChargePeriodStart": "2026-09-03T00:00:00Z",
    "ContractedUnitPrice": "55.04", "EffectiveCost": "50", "ListUnitPrice": "55.04", "PricingCategory": "Standard",
    "PricingQuantity": "1", "PricingUnit": "Hours", "ProviderName": "AWS", "RegionId": "us-east-1",
    "ServiceName": "Amazon EC2", "SubAccountName": "research", "Tags": json.dumps({"team": "chat"}),
    "x_UsageType": "USE1-BoxUsage:p5.48xlarge",
}  # fmt: skip


def info(name: str, size: float, count: float = 8.0) -> str:
    """SkyPilot's GpuInfo."""
    gpus = [{"Name": name, "Manufacturer": "NVIDIA", "Count": count, "MemoryInfo": {"SizeInMiB": size}}]
    return str({"Gpus": gpus, "TotalGpuMemoryInMiB": size})


def machine(**changed: str) -> dict[str, str]:
    return _MACHINE | changed


def item(**changed: str) -> dict[str, str]:
    return _ITEM | changed


def charge(**changed: str) -> dict[str, str]:
    return _CHARGE | changed


def details(**found: Any) -> str:
    """SkuPriceDetails."""
    return json.dumps(found)


def csv_file(path: Path, header: Sequence[str], rows: Sequence[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, header, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path


def taken(made: Imported, *names: str) -> list[tuple[Any, ...]]:
    """These fields of all prices."""
    return [tuple(getattr(price, name) for name in names) for price in made.prices]


def told(made: Any) -> list[tuple[str, str, str, str]]:
    """Severity, kind, cell and raw text of all findings but the notes on rows passed over and on what is only odd."""
    aside = ("passed-over", "price-changed", "price-far-off", "stale-date")
    return [(one.severity, one.code, one.place.cell, one.raw) for one in made.findings if one.code not in aside]


def counts(made: Imported) -> tuple[int, int, int, int]:
    """Rows that are present, used, reported and passed over; none may be lost."""
    assert made.present == made.used + made.reported + made.passed
    return made.present, made.used, made.reported, made.passed
