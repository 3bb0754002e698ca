"""What a budget is planned with beside workloads: scenarios, hourly curves, contracts, an earlier budget, spend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from gpusheet.catalog.assumptions import Assumptions
from gpusheet.catalog.load import DATA, read_table
from gpusheet.catalog.schema import CURRENCY, Day, Row, column, columns
from gpusheet.errors import UnknownName
from gpusheet.units import Cards, Days, Money, MoneyPerMonth, Months, Rate, Ratio, Share, Text

_METHODS = next(c.choices for c in columns(Assumptions) if c.name == "sizing_method")
HOURS = tuple(f"h{hour:02d}" for hour in range(24))


class Scenario(Row):
    """How one view of the future differs from what the workloads say; a blank or neutral row changes nothing.

    >>> Scenario(scenario="High", requests_factor=1.2).tokens_factor
    1.0
    """

    scenario: Text = column("Scenario", "情景", "Name of the scenario, as the Cover chooses it.", is_name=True)
    requests_factor: Ratio = column(
        "Requests x", "请求量倍数", "Users, requests a day and typed peaks of every workload are multiplied by this.",
        default=1.0, gt=0, low=0.5, high=2)
    growth_change: Share = column(
        "Growth +", "月增长率增减", "Added to the monthly growth of every workload.", default=0.0, ge=-1, le=1, low=-0.05,
        high=0.05)
    tokens_factor: Ratio = column(
        "Tokens x", "token 数倍数", "Input and output tokens of every workload are multiplied by this.", default=1.0, gt=0,
        low=0.5, high=2)
    peak_change: Ratio = column(
        "Peak factor x", "峰值系数倍数", "The peak factor of every workload is multiplied by this; it stays at least 1.",
        default=1.0, gt=0, low=0.8, high=1.5)
    price_drift: Share = column(
        "Price drift a year", "价格年变动率", "Yearly change of all prices of cards, compounding month by month from month 1.",
        default=0.0, gt=-1, low=-0.3, high=0.2)
    discount_change: Share = column(
        "Discount +", "折扣率增减", "Added to the discount of every workload; it stays from 0 to 100%.", default=0.0, ge=-1,
        le=1, low=-0.1, high=0.2)
    scenario_method: Text | None = column(
        "Sizing method", "测算方法", "Method for every workload; blank: each its own.", default=None, choices=_METHODS)
    notes: Text | None = column("Notes", "备注", "What the scenario supposes.", default=None)


def _hour(hour: int) -> Any:
    return column(f"{hour:02d}:00", f"{hour:02d}:00", f"Weight of the hour from {hour:02d}:00.", default=0.0, ge=0)


class TrafficCurve(Row):
    """How the requests of a day spread over its hours: weights, which need not add up to anything.

    >>> flat = TrafficCurve(curve="flat", **dict.fromkeys(HOURS, 1))
    >>> sum(flat.weights)
    24.0
    """

    curve: Text = column("Curve", "流量曲线", "Name of the curve, as workloads name it.", is_name=True)
    h00: Ratio = _hour(0)
    h01: Ratio = _hour(1)
    h02: Ratio = _hour(2)
    h03: Ratio = _hour(3)
    h04: Ratio = _hour(4)
    h05: Ratio = _hour(5)
    h06: Ratio = _hour(6)
    h07: Ratio = _hour(7)
    h08: Ratio = _hour(8)
    h09: Ratio = _hour(9)
    h10: Ratio = _hour(10)
    h11: Ratio = _hour(11)
    h12: Ratio = _hour(12)
    h13: Ratio = _hour(13)
    h14: Ratio = _hour(14)
    h15: Ratio = _hour(15)
    h16: Ratio = _hour(16)
    h17: Ratio = _hour(17)
    h18: Ratio = _hour(18)
    h19: Ratio = _hour(19)
    h20: Ratio = _hour(20)
    h21: Ratio = _hour(21)
    h22: Ratio = _hour(22)
    h23: Ratio = _hour(23)
    source: Text | None = column("Source", "来源", "Where the shape is from.", default=None)

    @property
    def weights(self) -> tuple[float, ...]:
        return tuple(getattr(self, hour) for hour in HOURS)


class Contract(Row):
    """What was agreed with a provider: one row per price list."""

    contract: Text = column("Contract", "合同", "Name or number of the contract.", is_name=True)
    price_list: Text = column("Price list", "价目表", "Price list that the contract is for.", is_name=True)
    signed_on: Day | None = column("Signed on", "签署日期", "Blank: not signed yet.", default=None)
    signed_by: Text | None = column("Signed by", "签署人", "Who signed for us.", default=None)
    start_date: Day = column("Start", "生效日期", "First day of the term.")
    term_months: Months = column("Term", "期限", "Months that the contract runs.", gt=0, whole=True)
    notice_days: Days = column("Notice", "续约通知期", "Days before the end on which renewal has to be decided.", default=30.0, ge=0,
                                whole=True)
    agreed_discount: Share | None = column(
        "Agreed discount", "协议折扣率", "Off the list price; workloads of this price list with a blank discount take it once the "
        "contract is signed, in the months of its term: from the month of its first day on, as many as the term has. Before and after, "
        "the assumed discount holds; renewal is not assumed.",
        default=None, ge=0, lt=1)
    agreed_cards: Cards = column("Cards agreed", "承诺卡数", "Cards that are paid for whether used or not.", default=0.0, ge=0,
                                 whole=True)
    agreed_per_month: MoneyPerMonth = column(
        "Least spend a month", "每月最低消费", "Amount owed each month whether used or not, in the budget currency.", default=0.0,
        ge=0)
    prepayment_share: Share = column(
        "Prepaid", "预付比例", "Share of the whole term's least spend that is paid on the first day.", default=0.0, ge=0, le=1)
    notes: Text | None = column("Notes", "备注", "What else was agreed.", default=None)


class Earlier(Row):
    """A workload as an earlier budget had it in its run-rate month: what a change of cost is explained against."""

    workload: Text = column("Workload", "业务", "Name of the workload.", is_name=True)
    gpu: Text = column("GPU", "GPU 型号", "Card of the earlier budget.", is_name=True)
    pricing_model: Text = column("Pricing model", "计费方式", "How the card was rented.")
    billed_cards: Cards = column("Cards billed", "计费卡数", "Cards to rent in the run-rate month.", ge=0)
    card_price: Money = column(
        "Price of a card", "单卡月价", "Cost of a card for the month after discount, in the currency quoted.", ge=0)
    currency: Text = column("Currency", "币种", "Currency of that price.", form=CURRENCY)
    rate: Rate = column("Rate", "汇率", "Budget units for one unit of that currency.", gt=0)
    budget_date: Day | None = column("Day of the budget", "编制日期", "Day on which the earlier budget was prepared.", default=None)
    source: Text | None = column("Source", "来源", "Which budget.", default=None)


class Actual(Row):
    """What was spent in a month, typed or taken from a bill."""

    month: Day = column("Month", "月份", "First day of the month.")
    workload: Text | None = column("Workload", "业务", "Workload that it was spent on; blank: not known.", default=None, is_name=True)
    cost_centre: Text | None = column("Cost centre", "成本中心", "Cost centre that was charged.", default=None)
    provider: Text | None = column("Provider", "供应商", "Who sent the bill (ServiceProviderName of FOCUS).", default=None)
    service: Text | None = column("Service", "服务", "What was billed (ServiceName of FOCUS).", default=None)
    amount: Money = column("Amount", "金额", "Spend of the month without tax; a credit is negative.")
    currency: Text = column("Currency", "币种", "Currency of the amount.", form=CURRENCY)
    source: Text | None = column("Source", "来源", "Invoice or file.", default=None)


class SignOff(Row):
    """One step of signing a budget off: who, and when."""

    step: Text = column("Step", "环节", "What is done: prepared, reviewed, approved.", is_name=True)
    signer: Text | None = column("Name", "姓名", "Who signs.", default=None)
    signed_on: Day | None = column("Date", "日期", "Blank: not signed yet.", default=None)
    signature: Text | None = column("Signature", "签名", "Typed, or blank to be signed on paper.", default=None)
    notes: Text | None = column("Notes", "备注", "Reservations, if any.", default=None)


@dataclass(frozen=True)
class Plans:
    """The planning tables of a budget.

    >>> [one.scenario for one in Plans.builtin().scenarios]
    ['Base', 'High', 'Low', 'Free 1', 'Free 2']
    """

    scenarios: Sequence[Scenario] = ()
    curves: Sequence[TrafficCurve] = ()
    contracts: Sequence[Contract] = ()
    earlier: Sequence[Earlier] = ()
    actuals: Sequence[Actual] = ()
    sign_offs: Sequence[SignOff] = ()

    @staticmethod
    @cache
    def builtin(lang: str = "en") -> Plans:
        """Five scenarios, some curves and the steps of signing off; the other tables are the user's to fill."""
        folder = DATA / "planning"
        return Plans(
            scenarios=tuple(read_table(Scenario, folder / f"scenarios.{lang}.csv")),
            curves=tuple(read_table(TrafficCurve, folder / f"curves.{lang}.csv")),
            sign_offs=tuple(read_table(SignOff, folder / f"sign_offs.{lang}.csv")),
        )

    def find_scenario(self, name: str | None) -> Scenario:
        """The scenario of that name; the first where none is named, one that changes nothing where there is none."""
        if name is None:
            return self.scenarios[0] if self.scenarios else NEUTRAL
        for one in self.scenarios:
            if one.scenario.casefold() == name.strip().casefold():
                return one
        raise UnknownName("scenario", name, [one.scenario for one in self.scenarios])

    def signed_contract(self, price_list: str | None) -> Contract | None:
        """The one signed contract with a discount for a price list; None where there is none, or more than one."""
        wanted = (price_list or "").casefold()
        found = [one for one in self.contracts
                 if one.price_list.casefold() == wanted and one.agreed_discount is not None and one.signed_on is not None]
        return found[0] if len(found) == 1 else None


NEUTRAL = Scenario(scenario="as typed")
# table of the workbook -> its row type, its field of Plans, the columns that name a row
PLANNING: Mapping[str, tuple[type[Row], str, tuple[str, ...]]] = {
    "Scenarios": (Scenario, "scenarios", ("scenario",)),
    "Curves": (TrafficCurve, "curves", ("curve",)),
    "Contracts": (Contract, "contracts", ("contract",)),
    "Earlier": (Earlier, "earlier", ("workload",)),
    "Actuals": (Actual, "actuals", ("month", "workload", "cost_centre", "provider", "service", "currency")),
    "SignOff": (SignOff, "sign_offs", ("step",)),
}
assert [one for _, one, _ in PLANNING.values()] == [one.name for one in fields(Plans)]
