"""Budget against actual: the difference, and two forecasts of the year."""

from __future__ import annotations

from gpusheet.registry import rule
from gpusheet.units import Flag, Money, MoneyPerMonth, Rate, Ratio, Share


@rule(en="Spend in the budget currency", zh="折合预算币种支出", source="amount x exchange rate", line=False)
def converted_spend(amount: Money, rate: Rate) -> Money:
    """An amount of a bill in the budget currency.

    >>> converted_spend(1000, 7.1)
    7100.0
    """
    return amount * rate


@rule(en="Variance", zh="差异", source="actual - budget", line=False)
def spend_variance(actual: MoneyPerMonth, budget: MoneyPerMonth) -> MoneyPerMonth:
    """What was spent above the budget; negative where less was spent.

    >>> spend_variance(110, 100)
    10
    """
    return actual - budget


@rule(en="Variance in percent", zh="差异率", source="variance / budget", line=False)
def variance_share(variance: MoneyPerMonth, budget: MoneyPerMonth) -> Share:
    """The variance against the budget; missing where nothing was budgeted.

    >>> variance_share(10, 100)
    0.1
    """
    return variance / budget


@rule(en="Actual / budget to date", zh="累计实际与预算之比", source="closed months", line=False)
def spend_ratio(actual: Money, budget: Money) -> Ratio:
    """Spend of the closed months against their budget.

    >>> spend_ratio(110, 100)
    1.1
    """
    return actual / budget


@rule(en="Forecast: rest as budgeted", zh="预测：余月按预算", source="actual + remaining budget", line=False)
def forecast_as_budgeted(closed: Flag, actual: MoneyPerMonth, budget: MoneyPerMonth) -> MoneyPerMonth:
    """Forecast of a month: what was spent where the month is closed, else its budget.

    >>> forecast_as_budgeted(1, 110, 100), forecast_as_budgeted(0, 0, 100)
    (110, 100)
    """
    return closed * actual + (1 - closed) * budget


@rule(en="Forecast: rest at the ratio to date", zh="预测：余月按累计比例", source="actual + remaining budget x ratio", line=False)
def forecast_at_ratio(closed: Flag, actual: MoneyPerMonth, budget: MoneyPerMonth, ratio: Ratio) -> MoneyPerMonth:
    """Forecast of a month: what was spent where the month is closed, else its budget times actual / budget to date.

    >>> forecast_at_ratio(0, 0, 100, 1.5)
    150.0
    """
    return closed * actual + (1 - closed) * budget * ratio


@rule(en="Remaining budget", zh="剩余预算", source="months without actual spend", line=False)
def remaining_budget(closed: Flag, budget: MoneyPerMonth) -> MoneyPerMonth:
    """Budget of a month that is still to come; nothing of a closed one.

    >>> remaining_budget(0, 100), remaining_budget(1, 100)
    (100, 0)
    """
    return (1 - closed) * budget
