"""What is to be served: one service, its demand and how it is sized and paid."""

from __future__ import annotations

from typing import Any, Self

from pydantic import model_validator

from gpusheet.catalog.assumptions import Assumptions
from gpusheet.catalog.schema import Row, column, columns
from gpusheet.units import (
    Cards,
    GBPerRequest,
    Money,
    MonthNumber,
    PerUserPerDay,
    Requests,
    RequestsPerDay,
    Share,
    Text,
    Tokens,
    TokensPerRequest,
    TokensPerSecond,
    Users,
)

_ASSUMED = {c.name: c for c in columns(Assumptions)}


def from_assumption(name: str, group: str) -> Any:
    """The column of the assumption `name`, as one that may be left blank to take the assumption."""
    c = _ASSUMED[name]
    return column(
        c.en, c.zh, f"{c.doc} Blank: the assumption of the same name.", default=None, gt=c.gt, ge=c.ge, le=c.le,
        lt=c.lt, choices=c.choices or None, low=c.low, high=c.high, source=c.source, group=group, whole=c.whole,
        is_name=c.is_name, form=c.form, unit=c.unit)


class Workload(Row):
    """One service. Only name, GPU, model and mean lengths are required; blanks take the assumption of the same name.

    >>> bot = Workload(workload="bot", gpu="L20", model="Generic-7B", input_tokens=200, output_tokens=99, peak_factor=4)
    >>> bot.filled(Assumptions())["peak_factor"], bot.filled(Assumptions())["busy_hours"]
    (4.0, 10.0)
    """

    workload: Text = column("Workload", "业务", "Name of the service; each name once.", is_name=True, group="identity")
    project: Text | None = column("Project", "项目", "Project that pays.", default=None, group="identity")
    cost_centre: Text | None = column("Cost centre", "成本中心", "Cost centre that is charged.", default=None,
                                      group="identity")
    environment: Text = column(
        "Environment", "环境", "Production, acceptance test or development.", default="prod",
        choices=("prod", "uat", "dev"), group="identity")

    gpu: Text = column("GPU", "GPU 型号", "Name of the card as in GPUs.", is_name=True, group="hardware")
    model: Text = column("Model", "模型", "Name of the model as in Models.", is_name=True, group="hardware")
    weight_precision: str | None = from_assumption("weight_precision", "hardware")
    kv_precision: str | None = from_assumption("kv_precision", "hardware")
    cards: float | None = from_assumption("cards", "hardware")

    daily_active_users: Users | None = column(
        "Daily active users", "日活用户", "People who use the service on a day.", default=None, ge=0, group="demand")
    requests_per_user_per_day: PerUserPerDay | None = column(
        "Requests per user", "人均日请求", "Requests of a user on a day.", default=None, ge=0, group="demand")
    traffic_curve: Text | None = column(
        "Traffic curve", "流量曲线", "How the requests of a day spread over its hours, as in Curves; for the sheet Traffic.",
        default=None, is_name=True, group="demand")
    busy_hours: float | None = from_assumption("busy_hours", "demand")
    peak_factor: float | None = from_assumption("peak_factor", "demand")
    peak_buffer: float | None = from_assumption("peak_buffer", "demand")
    monthly_growth: float | None = from_assumption("monthly_growth", "demand")
    start_month: float | None = from_assumption("start_month", "demand")
    end_month: MonthNumber | None = column(
        "Last month", "结束月", "Last budget month of the service; blank: to the end.", default=None, ge=1, whole=True,
        group="demand")
    ramp_months: float | None = from_assumption("ramp_months", "demand")

    input_tokens: TokensPerRequest = column(
        "Input tokens", "输入 token", "Mean tokens of a request, with system prompt and history.", gt=0,
        group="lengths")
    output_tokens: TokensPerRequest = column(
        "Output tokens", "输出 token", "Mean tokens of an answer.", gt=0, group="lengths")
    input_p95: TokensPerRequest | None = column(
        "Input, P95", "输入 P95", "Tokens that 95% of requests keep to; blank: from the mean and the distribution.",
        default=None, gt=0, group="lengths")
    output_p95: TokensPerRequest | None = column(
        "Output, P95", "输出 P95", "Tokens that 95% of answers keep to; blank: from the mean and the distribution.",
        default=None, gt=0, group="lengths")
    length_distribution: str | None = from_assumption("length_distribution", "lengths")
    length_basis: str | None = from_assumption("length_basis", "lengths")
    image_tokens: float | None = from_assumption("image_tokens", "lengths")
    shared_prefix_tokens: float | None = from_assumption("shared_prefix_tokens", "lengths")
    prefix_hit_rate: float | None = from_assumption("prefix_hit_rate", "lengths")

    engine: str | None = from_assumption("engine", "serving")
    attention_dp_size: float | None = from_assumption("attention_dp_size", "serving")
    expert_parallel: float | None = from_assumption("expert_parallel", "serving")
    gpu_memory_utilization: Share | None = column(
        "Memory share of the engine", "引擎显存占比", "gpu_memory_utilization, mem_fraction_static or free-memory fraction; blank: "
        "the engine's default.", default=None, gt=0, le=1, group="serving")
    max_model_len: Tokens | None = column(
        "Longest request", "最大上下文长度", "max_model_len; blank: the planned context.", default=None, gt=0, group="serving")
    max_num_batched_tokens: Tokens | None = column(
        "Tokens of a batch", "批 token 上限", "max_num_batched_tokens; blank: the engine's default.", default=None, gt=0,
        group="serving")
    offered_concurrency: Requests | None = column(
        "Load of a replica", "单副本负载", "Requests in flight for which times and throughput are shown; blank: as many as run.",
        default=None, gt=0, group="serving")

    sizing_method: str | None = from_assumption("sizing_method", "method")
    safety: float | None = from_assumption("safety", "method")
    tokens_per_s: float | None = from_assumption("tokens_per_s", "method")
    ttft_target: float | None = from_assumption("ttft_target", "method")
    tpot_target: float | None = from_assumption("tpot_target", "method")
    min_replicas: float | None = from_assumption("min_replicas", "method")

    requests_per_day: RequestsPerDay | None = column(
        "Requests a day", "日请求数", "Known demand; replaces users x requests per user.", default=None, ge=0,
        group="overrides")
    peak_concurrency: Requests | None = column(
        "Peak concurrency", "峰值并发", "Known requests in flight at peak; replaces the estimate.", default=None, ge=0,
        group="overrides")
    kv_gb_per_request: GBPerRequest | None = column(
        "KV per request", "单请求 KV", "Known KV cache of a request; replaces the estimate.", default=None, gt=0,
        group="overrides")
    concurrency: Requests | None = column(
        "Concurrency of a replica", "单副本并发", "Measured concurrency; replaces the estimate.", default=None, gt=0,
        group="overrides")
    card_throughput: TokensPerSecond | None = column(
        "Card throughput", "单卡吞吐", "Measured tokens/s of a card; replaces the estimate.", default=None, gt=0,
        group="overrides")
    fixed_cards: Cards | None = column(
        "Cards, fixed", "指定卡数", "Decided number of cards; replaces the need computed.", default=None, ge=0,
        whole=True, group="overrides")
    override_reason: Text | None = column(
        "Reason of override", "覆盖原因", "Why a typed value replaces a rule.", default=None, group="overrides")

    price_list: str | None = from_assumption("price_list", "money")
    listing: Text | None = column(
        "Listing", "报价项", "Which offer of the price list, where it has several for the card.", default=None,
        is_name=True, group="money")
    pricing_model: str | None = from_assumption("pricing_model", "money")
    discount: float | None = from_assumption("discount", "money")
    hours_per_month: float | None = from_assumption("hours_per_month", "money")
    owned_cards: float | None = from_assumption("owned_cards", "money")
    committed_cards: float | None = from_assumption("committed_cards", "money")
    capex: Money | None = column(
        "Purchase price", "购置成本", "Purchase price of the cards to be owned, in the budget currency.", default=None,
        gt=0, group="money")

    notes: Text | None = column("Notes", "备注", "Anything worth knowing.", default=None, group="notes")

    @model_validator(mode="after")
    def _ends_after_start(self) -> Self:
        if self.start_month is not None and self.end_month is not None and self.end_month < self.start_month:
            allowed = f"a month from start_month, {self.start_month:.15g}, on"
            raise ValueError(f"{self.workload}, end_month: found {self.end_month:.15g}, allowed {allowed}")
        return self

    def filled(self, assumptions: Assumptions) -> dict[str, Any]:
        """The workload's values by name, blanks taken from the assumptions where these have the field."""
        values = dict(self)
        return values | {name: getattr(assumptions, name) for name in INHERITED if values[name] is None}


INHERITED: tuple[str, ...] = tuple(name for name in Workload.model_fields if name in _ASSUMED)
OVERRIDES: tuple[str, ...] = tuple(c.name for c in columns(Workload) if c.group == "overrides" and c.kind == "number")
