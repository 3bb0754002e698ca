"""The sample with contracts, an earlier budget, spend, sign-off and a second snapshot of prices, and random ones."""

from __future__ import annotations

import datetime
import random
from dataclasses import replace
from typing import Any

from lean_inputs import lean
from parity import random_inputs

from gpusheet.catalog import Fx
from gpusheet.catalog.planning import Actual, Contract, Earlier, Plans, SignOff
from gpusheet.workbook.inputs import Inputs, sample


def filled(lang: str = "en", *, earlier: bool = True) -> Inputs:
    """The sample, planned and partly spent: January to March closed but for February, of which nothing was billed."""
    inputs = lean(sample(lang))
    names = [one.workload for one in inputs.workloads]
    centres = [one.cost_centre for one in inputs.workloads]
    contracts = [
        Contract(contract="C-17", price_list="极智算", signed_on="2026-12-01", signed_by="Ann", start_date="2027-01-01",
                 term_months=12, notice_days=60, agreed_discount=0.1, agreed_cards=24, agreed_per_month=90000, prepayment_share=0.25),
        Contract(contract="C-18", price_list="gongjiyun", start_date="2027-03-15", term_months=6, agreed_per_month=30000),
        Contract(contract="C-19", price_list="gongjiyun", start_date="2026-01-31", term_months=24, agreed_per_month=100),
    ]  # fmt: skip
    old = [
        Earlier(workload=names[0], gpu="L20", pricing_model="on_demand", billed_cards=4, card_price=4100, currency="CNY", rate=1,
                source="last year.xlsx"),
        Earlier(workload=names[1], gpu="H20-96G", pricing_model="monthly", billed_cards=2, card_price=1500, currency="USD", rate=7.2),
        Earlier(workload=names[3], gpu="H100-80G-SXM", pricing_model="monthly", billed_cards=8, card_price=15000, currency="CNY",
                rate=1),
        Earlier(workload="Retired pilot", gpu="A100-80G-PCIe", pricing_model="monthly", billed_cards=3, card_price=900, currency="USD",
                rate=7.0),
    ]  # fmt: skip
    spend = [
        Actual(month="2027-01-01", workload=names[0], provider="gongjiyun", service="GPU", amount=11000, currency="CNY"),
        Actual(month="2027-01-01", cost_centre=centres[2], provider="jz", service="GPU", amount=81000, currency="CNY"),
        Actual(month="2027-01-31", provider="jz", service="Network", amount=900, currency="USD"),
        Actual(month="2027-03-01", workload=names[2], cost_centre="Group", provider="jz", service="GPU", amount=90500, currency="CNY"),
        Actual(month="2027-03-01", workload="Shadow service", provider="jz", service="GPU", amount=4000, currency="CNY"),
        Actual(month="2027-03-01", provider="jz", service="Credit", amount=-1500, currency="CNY"),
        Actual(month="2026-12-01", provider="jz", service="GPU", amount=70000, currency="CNY"),
    ]  # fmt: skip
    steps = [one.step for one in inputs.plans.sign_offs]
    signed = [SignOff(step=steps[0], signer="Ann", signed_on="2026-11-02", signature="Ann"), SignOff(step=steps[1], signer="Bo"),
              SignOff(step=steps[2])]  # fmt: skip
    workloads = list(inputs.workloads)
    workloads[1] = workloads[1].model_copy(update={"concurrency": 40.0})
    wanted = ("极智算", "H20-96G", "monthly")
    quoted = next(one for one in inputs.catalog.prices if (one.price_list, one.gpu, one.pricing_model) == wanted)
    before = {"snapshot_date": quoted.snapshot_date.replace(month=8), "price": 11000.0}
    prices = [*inputs.catalog.prices, quoted.model_copy(update=before)]
    fx = [Fx(currency="USD", budget_currency="CNY", rate=7.1, rate_date="2026-10-30", source="drawn")]
    plans = replace(inputs.plans, contracts=contracts, earlier=old if earlier else (), actuals=spend, sign_offs=signed)
    return replace(inputs, workloads=workloads, catalog=replace(inputs.catalog, prices=prices, fx=fx), plans=plans)


def drawn(seed: int, count: int, *, complete: bool = True, earlier: bool = True) -> Inputs:
    """Random workloads with random contracts, earlier budget and spend."""
    draw = random.Random(seed)
    inputs = random_inputs(seed, count, complete=complete)
    names, lists = [one.workload for one in inputs.workloads], ["north", "south", "east"]
    workloads = [one.model_copy(update={"cost_centre": draw.choice([None, "c1", "C1", "c2", "c3"])}) for one in inputs.workloads]
    contracts = [
        Contract(contract=f"k{n}", price_list=draw.choice(lists), signed_on=draw.choice([None, "2026-11-01"]),
                 start_date=draw.choice(["2026-01-31", "2027-04-01", "2027-05-15", "2027-12-31"]),
                 term_months=draw.choice([1, 6, 12, 36]), notice_days=draw.choice([0, 30, 90]), agreed_cards=draw.choice([0, 5, 40]),
                 agreed_per_month=draw.choice([0, 5000, 1e6]), prepayment_share=draw.choice([0, 0.3, 1]))
        for n in range(5)
    ]  # fmt: skip
    old = [
        Earlier(workload=name, gpu=draw.choice(inputs.catalog.gpus).gpu, pricing_model="on_demand", billed_cards=draw.choice([0, 1, 8]),
                card_price=draw.choice([0, 5000.5, 9e3]), currency=draw.choice(["CNY", "CNY", "USD"]), rate=draw.choice([1, 7.3]))
        for name in (*draw.sample(names, count // 2), "gone 1", "gone 2")
    ]  # fmt: skip
    spend: list[Any] = [
        Actual(month=draw.choice(["2027-03-31", "2027-04-01", "2027-05-09", "2027-07-01"]), provider="p", service="s",
               workload=draw.choice([None, *names, "nobody"]), cost_centre=draw.choice([None, None, "c1", "c9"]),
               amount=draw.choice([-10, 0, 999.9, 5e4]), currency=draw.choice(["CNY", "USD"]))
        for _ in range(3 * count)
    ]  # fmt: skip
    cheaper = [one.model_copy(update={"snapshot_date": datetime.date(2026, 7, 1), "price": one.price * draw.choice([0.5, 1, 1.25])})
               for one in inputs.catalog.prices if draw.random() < 0.7]  # fmt: skip
    inputs = replace(inputs, catalog=replace(inputs.catalog, prices=[*inputs.catalog.prices, *cheaper]))
    plans = replace(Plans.builtin(), contracts=contracts, earlier=old if earlier else (), actuals=spend)
    return replace(inputs, workloads=workloads, plans=plans)
