"""Files of providers with bytes and cells changed at random: a result in which no row is lost, or one line; no traceback.

GPUSHEET_FUZZ=20000 runs as many of each kind; without it a few hundred.
"""

from __future__ import annotations

import contextlib
import os
import random
import time
from pathlib import Path

import pytest
from provider_files import DAY, FOCUS, GPUHUNT, SKYPILOT, charge, counts, csv_file, details, info, item, machine

from gpusheet.errors import GpusheetError
from gpusheet.intake.actuals import read_actuals
from gpusheet.intake.importers import Options, read_prices

TRIES = int(os.environ.get("GPUSHEET_FUZZ", "300"))
OPTIONS = Options(provider="cloud", date=DAY)
KINDS = {
    "skypilot": (SKYPILOT, [machine(), machine(AvailabilityZone="b", GpuInfo=info("H100", 81559)), machine(AcceleratorName="L4")]),
    "gpuhunt": (GPUHUNT, [item(), item(spot="True", price="9"), item(gpu_count="0", gpu_name="")]),
    "focus": (FOCUS, [charge(), charge(ChargeCategory="Tax"), charge(PricingCategory="Dynamic"),
                      charge(SkuPriceDetails=details(InstanceType="g5.12xlarge", GpuCount=4))]),
    "general": (("date", "provider", "gpu", "cards", "price", "currency", "per", "period", "notes"),
                [{"date": "2026-11-20", "provider": "cloud", "gpu": "L20", "cards": "1", "price": "4.5", "currency": "CNY",
                  "per": "card", "period": "hour", "notes": "quote 17"}]),
}  # fmt: skip
CELLS = ("", " ", "0", "-1", "1e400", "nan", "inf", "1,5", "１２", "***", "#N/A", "=1+1", "'", "True", "{}", "[]", "{'Gpus': [{}]}",
         "{\"GpuCount\": []}", "null", "9" * 400, "\x00", "\u202e1", "2026-13-45", "USD", "a|b", "*", "(" * 300, "\ud83d\ude00"
         .encode("utf-16", "surrogatepass").decode("utf-16"))  # fmt: skip


def bytes_changed(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randint(1, 12)):
        at = chance.randrange(len(changed) + 1)
        what = chance.randrange(4)
        if what == 0:
            changed[at:at] = bytes(chance.choices(b'",;\n\r\t\x00\xff\xfe\xe4|=', k=chance.randint(1, 4)))
        elif what == 1:
            del changed[at : at + chance.randint(1, 40)]
        elif what == 2 and at < len(changed):
            changed[at] = chance.randrange(256)
        else:
            start = chance.randrange(len(changed) + 1)
            changed[at:at] = changed[start : start + chance.randint(1, 80)]
    return bytes(changed)


@pytest.mark.parametrize("kind", KINDS)
def test_changed_bytes(kind: str, tmp_path: Path) -> None:
    header, rows = KINDS[kind]
    path = csv_file(tmp_path / "file.csv", header, rows * 20)
    whole, chance = path.read_bytes(), random.Random(kind)
    read = 0
    for _ in range(TRIES):
        path.write_bytes(bytes_changed(whole, chance))
        started = time.monotonic()
        with contextlib.suppress(GpusheetError):
            counts(read_prices(path, OPTIONS))
            read += 1
        with contextlib.suppress(GpusheetError):
            made = read_actuals(path, "team")
            assert made.present == made.used + made.reported
        assert time.monotonic() - started < 10
    assert read > TRIES / 10, "some files have to be read for the others to mean anything"


@pytest.mark.parametrize("kind", KINDS)
def test_changed_cells(kind: str, tmp_path: Path) -> None:
    header, rows = KINDS[kind]
    path, chance = tmp_path / "file.csv", random.Random(kind)
    read = 0
    for _ in range(TRIES):
        changed = [dict(row) for row in rows * 20]
        for _ in range(chance.randint(1, 6)):
            chance.choice(changed)[chance.choice(header)] = chance.choice(CELLS)
        csv_file(path, header, changed)
        with contextlib.suppress(GpusheetError):
            made = read_prices(path, OPTIONS)
            counts(made)
            assert made.reported == 0 or any(one.severity != "note" for one in made.findings)
            assert all(price.price > 0 for price in made.prices)
            read += 1
        with contextlib.suppress(GpusheetError):
            read_actuals(path, "team")
    assert read > TRIES / 2
