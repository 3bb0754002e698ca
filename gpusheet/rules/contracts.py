"""What contracts with providers oblige to pay, against what the budget plans to spend."""

from __future__ import annotations

from gpusheet.ops import maximum
from gpusheet.registry import rule
from gpusheet.units import Cards, Flag, Money, MoneyPerMonth, MonthNumber, Months, Ratio, Share


@rule(en="Prepayment", zh="预付款", source="contract terms", line=False)
def contract_prepayment(agreed_per_month: MoneyPerMonth, term_months: Months, prepayment_share: Share) -> Money:
    """What is paid on the first day of a contract: a share of the least spend of its whole term.

    >>> contract_prepayment(20000, 12, 0.25)
    60000.0
    """
    return agreed_per_month * term_months * prepayment_share


@rule(en="Least spend owed in a month", zh="当月最低消费", source="contract terms", line=False)
def contract_owed(agreed_per_month: MoneyPerMonth, in_force: Flag) -> MoneyPerMonth:
    """What a contract obliges to spend in a month, used or not; nothing while it does not run.

    >>> contract_owed(20000, 1), contract_owed(20000, 0)
    (20000, 0)
    """
    return agreed_per_month * in_force


@rule(en="Contract cash of a month", zh="当月合同付款", source="contract terms", line=False)
def contract_cash(owed: MoneyPerMonth, prepayment_share: Share, prepayment: Money, starts: Flag) -> MoneyPerMonth:
    """Cash of a month for the least spend: the part not prepaid, and the prepayment in the month in which the term begins.

    >>> contract_cash(20000, 0.25, 60000, 1), contract_cash(20000, 0.25, 60000, 0)
    (75000.0, 15000.0)
    """
    return owed * (1 - prepayment_share) + prepayment * starts


@rule(en="Month of the budget", zh="预算第几月", source="months after the run-rate month", line=False)
def budget_month(cash_month: MonthNumber, run_rate_month: MonthNumber) -> MonthNumber:
    """The month of the budget's calendar that a month of the cash flow is: its month 1 is the run-rate month.

    >>> budget_month(1, 12), budget_month(3, 12)
    (12, 14)
    """
    return run_rate_month + cash_month - 1


@rule(en="Contract price against the run-rate month", zh="合同价格与稳态月之比", source="the term of the signed contract", line=False)
def rent_factor(contract_factor: Ratio, run_rate_factor: Ratio) -> Ratio:
    """What the contract's term makes of the rent of a month, against that of the run-rate month.

    >>> rent_factor(1.25, 1), rent_factor(1, 1.25)
    (1.25, 0.8)
    """
    return contract_factor / run_rate_factor


@rule(en="Owed above plan", zh="承诺超出计划", source="least spend against the budget", line=False)
def owed_above_plan(owed: MoneyPerMonth, planned: MoneyPerMonth) -> MoneyPerMonth:
    """Least spend that the budget does not use, and that is paid all the same.

    >>> owed_above_plan(20000, 15000), owed_above_plan(20000, 25000)
    (5000.0, 0.0)
    """
    return maximum(0, owed - planned)


@rule(en="Planned above commitment", zh="承诺外支出", source="the budget against least spend", line=False)
def planned_above_owed(owed: MoneyPerMonth, planned: MoneyPerMonth) -> MoneyPerMonth:
    """Planned spend that no least spend covers: it can still be cancelled, moved or negotiated.

    >>> planned_above_owed(20000, 25000), planned_above_owed(20000, 15000)
    (5000.0, 0.0)
    """
    return maximum(0, planned - owed)


@rule(en="Agreed cards not planned", zh="未使用的承诺卡数", source="agreed cards against the budget", line=False)
def agreed_above_plan(agreed_cards: Cards, in_force: Flag, planned_cards: Cards) -> Cards:
    """Cards that are paid for under a contract in a month and that the budget does not bill.

    >>> agreed_above_plan(8, 1, 5), agreed_above_plan(8, 0, 5), agreed_above_plan(8, 1, 12)
    (3.0, 0.0, 0.0)
    """
    return maximum(0, agreed_cards * in_force - planned_cards)
