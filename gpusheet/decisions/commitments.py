"""What contracts oblige to spend, month by month, beside what the budget plans to spend at their price lists."""

from __future__ import annotations

import calendar
import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gpusheet.catalog.planning import Contract
from gpusheet.ops import NAN
from gpusheet.registry import find_rule


def edate(day: datetime.date, months: int) -> datetime.date:
    """The same day so many months later, at most the month's last day, as EDATE of spreadsheets.

    >>> edate(datetime.date(2027, 1, 31), 1), edate(datetime.date(2027, 3, 1), -3)
    (datetime.date(2027, 2, 28), datetime.date(2026, 12, 1))
    """
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return datetime.date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


@dataclass(frozen=True)
class Terms:
    """The days of a contract: its last day, and the one by which renewal has to be decided."""

    contract: Contract

    @property
    def last_day(self) -> datetime.date:
        """
        >>> year = Contract(contract="c", price_list="p", start_date="2027-01-01", term_months=12, notice_days=60)
        >>> str(Terms(year).last_day), str(Terms(year).decide_by)
        ('2027-12-31', '2027-11-01')
        """
        return edate(self.contract.start_date, int(self.contract.term_months)) - datetime.timedelta(days=1)

    @property
    def decide_by(self) -> datetime.date:
        return self.last_day - datetime.timedelta(days=int(self.contract.notice_days))

    def months_left(self, first: datetime.date) -> int:
        """Calendar months from the budget's first to that of the last day; 0 once it is over."""
        return max(0, (self.last_day.year - first.year) * 12 + self.last_day.month - first.month + 1)

    def in_force(self, month: datetime.date) -> int:
        """1 where a month of the contract begins in a budget month: so that a term has as many as it says."""
        last_month = edate(self.contract.start_date, int(self.contract.term_months) - 1)
        return int(edate(month, 1) > self.contract.start_date and month <= last_month)

    def starts(self, month: datetime.date) -> int:
        return int(month <= self.contract.start_date < edate(month, 1))

    def due(self, month: datetime.date) -> int:
        """1 in the budget month by which renewal has to be decided."""
        return int(month <= self.decide_by < edate(month, 1))


def commitments(
    contracts: Sequence[Contract], months: Sequence[datetime.date], lists: Sequence[str | None], costs: Any, cards: Any
) -> Any:
    """Each contract in each budget month, as a DataFrame.

    `lists` has the price list of each workload, `costs` and `cards` a row per workload and a column per month. What is
    planned at a price list is compared with what all its contracts oblige to, in the line of its first one.
    """
    import numpy
    import pandas

    costs, cards = (numpy.asarray(grid, dtype=float).reshape(len(lists), len(months)) for grid in (costs, cards))
    rows: list[dict[str, Any]] = []
    keys = [one.price_list.casefold() for one in contracts]
    for number, one in enumerate(contracts):
        terms = Terms(one)
        prepaid = find_rule("contract_prepayment")(one.agreed_per_month, one.term_months, one.prepayment_share)
        buys = [(name or "").casefold() == keys[number] for name in lists]
        spend, used = costs[buys].sum(axis=0).tolist(), cards[buys].sum(axis=0).tolist()
        for at, month in enumerate(months):
            running = terms.in_force(month)
            owed = find_rule("contract_owed")(one.agreed_per_month, running)
            rows.append({
                "contract": one.contract, "first": keys.index(keys[number]) == number, "month": at + 1, "in_force": running,
                "due": terms.due(month), "owed": owed,
                "cash": find_rule("contract_cash")(owed, one.prepayment_share, prepaid, terms.starts(month)),
                "planned": spend[at], "planned_cards": used[at],
                "idle_cards": find_rule("agreed_above_plan")(one.agreed_cards, running, used[at]),
            })  # fmt: skip
    names = ("contract", "first", "month", "in_force", "due", "owed", "cash", "planned", "planned_cards", "idle_cards")
    table = pandas.DataFrame(rows, columns=names)
    of_list = [keys[number] for number in range(len(contracts)) for _ in months]
    together = table["owed"].groupby([of_list, table["month"]]).transform("sum") if rows else table["owed"]
    for name, rule_name in (("above_plan", "owed_above_plan"), ("uncommitted", "planned_above_owed")):
        compared = find_rule(rule_name)(together, table["planned"])
        table[name] = compared.where(table["first"].astype(bool), 0.0)
        table.loc[table["planned"].isna(), name] = NAN
    return table
