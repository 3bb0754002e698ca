"""The estimation rules, one file per subject. `gpusheet.rules.card_tier(2.67)` calls one by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..registry import Rule

# in the order in which a person reads a calculation
SUBJECTS = (
    "demand", "architecture", "memory", "throughput", "concurrency", "cards", "money", "ownership", "calendar",
    "alerts",
)  # fmt: skip


def __getattr__(name: str) -> Rule:
    from ..registry import all_rules

    if name.startswith("_"):
        raise AttributeError(name)
    try:
        return all_rules()[name]
    except KeyError:
        from ..errors import UnknownName

        raise AttributeError(str(UnknownName("rule", name, all_rules()))) from None


def __dir__() -> list[str]:
    from ..registry import all_rules

    names: list[Any] = list(all_rules())
    return names
