"""gpusheet: size and cost GPU capacity for LLM inference, in Python, in Excel and in budget workbooks.

    >>> import gpusheet
    >>> gpusheet.rules.card_tier(2.67)
    4.0
    >>> gpusheet.solve({"requests_per_day": 80000, "busy_hours": 10, "peak_factor": 4})["peak_qps"]
    8.88888888888889
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpusheet import rules
    from gpusheet.catalog import Assumptions, Catalog, Workload
    from gpusheet.errors import GpusheetError
    from gpusheet.lookup import Context, estimate
    from gpusheet.registry import Rule, all_rules, find_rule
    from gpusheet.serving import cards_for_slo
    from gpusheet.solver import solve, why
    from gpusheet.workbook.recalculation import recalculate

__version__ = "0.1.0"

# loaded on first use, so that `import gpusheet` stays light
_HOMES = {
    "Assumptions": "catalog", "Catalog": "catalog", "Workload": "catalog", "GpusheetError": "errors",
    "Context": "lookup", "estimate": "lookup", "Rule": "registry", "all_rules": "registry", "cards_for_slo": "serving",
    "find_rule": "registry", "recalculate": "workbook.recalculation", "solve": "solver", "why": "solver",
}  # fmt: skip

__all__ = [
    "Assumptions", "Catalog", "Context", "GpusheetError", "Rule", "Workload", "all_rules", "cards_for_slo", "estimate",
    "find_rule", "recalculate", "rules", "solve", "why",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "rules":
        return import_module("gpusheet.rules")
    if name in _HOMES:
        value = getattr(import_module(f"gpusheet.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'gpusheet' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
