"""Tables as finance keeps them: read strictly, every doubtful cell named, nothing dropped in silence.

>>> from gpusheet import intake
>>> intake.Cost.billed.value
'BilledCost'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpusheet.intake.actuals import Actual, Actuals, Cost, read_actuals
    from gpusheet.intake.checking import check_file
    from gpusheet.intake.reader import read_table

# loaded on first use: much of gpusheet takes a small part of this package
_HOMES = {"Actual": "actuals", "Actuals": "actuals", "Cost": "actuals", "read_actuals": "actuals", "check_file": "checking",
          "read_table": "reader"}  # fmt: skip

__all__ = ["Actual", "Actuals", "Cost", "check_file", "read_actuals", "read_table"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f"gpusheet.intake.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'gpusheet.intake' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
