"""Options that are settings of a budget, read as the settings' own columns."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from typing import Any

from gpusheet.catalog import columns
from gpusheet.catalog.settings import Settings
from gpusheet.errors import GpusheetError

# of an estimate: what prices are asked for
PRICE_SETTINGS = {c.name: c for c in columns(Settings) if c.name in ("currency", "as_of", "prepared_on")}


def price_settings(typed: Mapping[str, str]) -> dict[str, Any]:
    """The given ones of `currency`, `as_of` and `prepared_on`.

    >>> price_settings({"as_of": "2026-10-27"})
    {'as_of': datetime.date(2026, 10, 27)}
    """
    day = datetime.date.min  # the settings want dates that an estimate has no use for
    filled = {"prepared_on": day, "budget_start": day} | dict(typed)
    settings = changed(None, filled)
    return {name: getattr(settings, name) for name in PRICE_SETTINGS if name in typed}


def changed(settings: Settings | None, typed: Mapping[str, Any]) -> Settings:
    """The settings with what was typed in their place; the options are named in errors."""
    known = dict(settings) if settings is not None else {}
    return Settings.read(known | dict(typed), option_name)


def option_name(field: str) -> str:
    """The option of a field; blank where no single field is meant.

    >>> option_name("peak_factor")
    '--peak-factor'
    """
    return f"--{field.replace('_', '-')}" if field else ""


def first_month(text: str) -> datetime.date:
    """The first day of a month.

    >>> first_month("2027-01")
    datetime.date(2027, 1, 1)
    """
    match = re.fullmatch(r"(\d{4})-(\d{1,2})", text, re.ASCII)
    if match is None or not 1 <= int(match[2]) <= 12 or int(match[1]) < 1900:
        raise GpusheetError(f"--start: found {text!r}, allowed a month such as 2027-01")
    return datetime.date(int(match[1]), int(match[2]), 1)
