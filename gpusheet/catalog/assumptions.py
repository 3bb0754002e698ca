"""The tunable factors: default, bounds, typical range and source of each. Datasheet facts are not here."""

from __future__ import annotations

from gpusheet.catalog.load import keys
from gpusheet.catalog.price import PRICING_MODELS
from gpusheet.catalog.schema import column
from gpusheet.catalog.serving_factors import ServingFactors
from gpusheet.catalog.settings import DECISIONS
from gpusheet.units import (
    KW,
    Cards,
    Days,
    GBPerCard,
    GiB,
    Hours,
    MoneyPerMonth,
    MonthNumber,
    Months,
    PerKWh,
    PerKWMonth,
    Ratio,
    Replicas,
    Seconds,
    Share,
    Text,
    Tokens,
    TokensPerRequest,
    TokensPerSecond,
)

A = "Token throughput article [A]"
B = "GPU concurrency calculator [B]"
C = "GPU selection article [C]"
_POWER = f"fit: 4 x L20 2.7 kW ({A} says 2.5-3 kW), 8 x H100 10.1 kW"


class Assumptions(ServingFactors):
    """One set of factors. Every field has a default; a workload may overrule the ones that it also has.

    >>> Assumptions(safety=0.7).safety, Assumptions().peak_factor
    (0.7, 2.0)
    """

    # demand
    busy_hours: Hours = column(
        "Busy hours a day", "每日忙时", "Hours in which the day's requests arrive.", default=10.0, gt=0, le=24, low=4,
        high=12, source=f"{A}, e-commerce example", group="demand")
    peak_factor: Ratio = column(
        "Peak factor", "峰值系数", "Peak requests a second over the average of the busy hours.", default=2.0, ge=1,
        low=1.5, high=4, source=f"{A}, first section and Q1", group="demand")
    peak_buffer: Ratio = column(
        "Peak buffer", "并发缓冲系数", "Reserve on top of the peak requests in flight.", default=1.5, ge=1, low=1,
        high=2, source=f"{C}, section 4, step 3", group="demand")
    monthly_growth: Share = column(
        "Monthly growth", "月增长率", "Growth of demand from month to month.", default=0.0, gt=-1, low=0, high=0.2,
        source="convention", group="demand")
    start_month: MonthNumber = column(
        "First month", "起始月", "Budget month in which the service starts; 1 is the first.", default=1.0, ge=1,
        whole=True, source="convention", group="demand")
    ramp_months: Months = column(
        "Ramp", "爬坡月数", "Months until full demand; 1 is at once.", default=1.0, ge=1, low=1, high=6, whole=True,
        source="convention", group="demand")
    length_distribution: Text = column(
        "Length distribution", "长度分布", "How request lengths spread.", default="normal",
        choices=keys("distributions"), source=f"{B}, section 2.4", group="demand")
    length_basis: Text = column(
        "Planned length", "长度口径", "Length planned for: that of 95% of requests, or the mean.", default="p95",
        choices=("p95", "mean"), source=f"{B}, section 5.3", group="demand")
    image_tokens: TokensPerRequest = column(
        "Image tokens", "图像 token", "Tokens of the images of a request, counted as input.", default=0.0, ge=0,
        source=f"{C}, section 4", group="demand")
    # memory
    weight_precision: Text = column(
        "Weight precision", "权重精度", "Number format of the weights.", default="fp16", choices=keys("precisions"),
        source=f"{B}, section 3.1", group="memory")
    kv_precision: Text = column(
        "KV precision", "KV 精度", "Number format of the KV cache.", default="fp16", choices=keys("precisions"),
        source=f"{B}, section 2.1", group="memory")
    memory_fraction: Share = column(
        "Usable memory", "显存可用比例", "Share of the cards' memory that the engine may use (gpu_memory_utilization).",
        default=0.8, gt=0, le=1, low=0.75, high=0.85, source=f"{B}, sections 3.2 and 5.4", group="memory")
    overhead_gb_per_card: GBPerCard = column(
        "Overhead per card", "单卡框架开销", "Memory of engine, CUDA context and buffers on each card.", default=2.0,
        ge=0, low=1, high=2, source=f"{C}, section 1", group="memory")
    weight_share_limit: Share = column(
        "Weight limit", "权重占比警戒线", "Share of memory that weights may take before an alert.", default=0.7, gt=0,
        le=1, source=f"{C}, section 1", group="memory")
    kv_share_limit: Share = column(
        "KV limit", "KV 占比警戒线", "Share of memory that the KV cache may take at peak before an alert.", default=0.4,
        gt=0, le=1, source=f"{C}, section 1", group="memory")
    batch_fill: Share = column(
        "Batch fill", "批处理显存填充率", "Share of memory that batching fills before cards are added.", default=0.8,
        gt=0, le=1, source=f"{A}, section on batching", group="memory")
    shared_prefix_tokens: Tokens = column(
        "Shared prefix", "公共前缀长度", "Tokens at the start that requests share (system prompt).", default=0.0, ge=0,
        source=f"{C}, section 3", group="memory")
    prefix_hit_rate: Share = column(
        "Prefix hit rate", "前缀命中率", "Share of requests that find the shared prefix in the cache.", default=0.0,
        ge=0, le=1, source=f"{C}, section 3", group="memory")
    # throughput
    fast_link_utilisation: Share = column(
        "Compute used, fast link", "算力利用率（高速互联）",
        "Share of peak compute that prefill reaches on one card or over a fast link.",
        default=0.4, gt=0, le=0.6, low=0.3, high=0.5, source=f"{B}, section 5.1", group="throughput")
    slow_link_utilisation: Share = column(
        "Compute used, slow link", "算力利用率（低速互联）",
        "Share of peak compute that prefill reaches on several cards over PCIe.",
        default=0.2, gt=0, le=0.6, source=f"{B}, section 4.4", group="throughput")
    slow_link_penalty: Share = column(
        "Slow-link penalty", "低速互联折减", "Factor on decoding throughput of several cards over PCIe.", default=0.3,
        gt=0, le=1, source=f"{B}, section 4.4", group="throughput")
    bandwidth_efficiency: Share = column(
        "Bandwidth used", "带宽效率系数", "Share of memory bandwidth that one stream of decoding reaches.",
        default=0.15, gt=0, le=1, low=0.1, high=0.2, source=f"{A}, step 1", group="throughput")
    batching_gain: Ratio = column(
        "Batching gain", "批处理增益", "Throughput with continuous batching over one stream.", default=7.5, ge=1, low=5,
        high=10, source=f"{A}, step 3", group="throughput")
    tokens_per_s: TokensPerSecond = column(
        "Tokens a second to a user", "单用户输出速度", "Speed at which a user must see the answer.", default=20.0, gt=0,
        low=20, high=50, source=f"{B}, section 3.3", group="throughput")
    ttft_target: Seconds = column(
        "First-token target", "首 token 时延目标", "Longest wait for the first token (TTFT).", default=1.0, gt=0,
        source=f"{A}, section on batching", group="throughput")
    tpot_target: Seconds = column(
        "Per-token target", "每 token 时延目标", "Longest time for each further token (TPOT).", default=0.05, gt=0,
        low=0.02, high=0.05, source=f"{B}, section 3.3 (20 tokens/s)", group="throughput")
    safety: Share = column(
        "Safety", "安全系数", "Share of the computed concurrency that is planned with.", default=0.8, gt=0, le=1,
        low=0.7, high=0.9, source=f"{B}, section 3.4", group="throughput")
    # cards
    sizing_method: Text = column(
        "Sizing method", "测算方法", "Which estimate decides the cards: serving, throughput [A], constraint [B] or segment [C].",
        default="serving", choices=("serving", "throughput", "constraint", "segment"), source="convention", group="cards")
    cards: Cards = column(
        "Cards per replica", "单副本卡数", "Cards that hold one copy of the model together.", default=1.0, ge=1,
        whole=True, source="convention", group="cards")
    min_replicas: Replicas = column(
        "Least replicas", "最少副本数", "Copies of the model kept while there is demand; 2 survives the loss of one.",
        default=1.0, ge=1, whole=True, source="convention", group="cards")
    owned_cards: Cards = column(
        "Owned cards", "自有卡数", "Cards already owned, which need not be rented.", default=0.0, ge=0, whole=True,
        source="convention", group="cards")
    committed_cards: Cards = column(
        "Committed cards", "已签约卡数", "Cards already under contract, which need not be rented again.", default=0.0,
        ge=0, whole=True, source="convention", group="cards")
    # money
    pricing_model: Text = column(
        "Pricing model", "计费方式", "How cards are rented.", default="on_demand", choices=PRICING_MODELS,
        source="convention", group="money")
    price_list: Text | None = column(
        "Price list", "价目表", "Price list (provider and region) to buy from.", default=None, is_name=True,
        source="convention", group="money")
    discount: Share = column(
        "Discount", "折扣率", "Negotiated discount off the list price.", default=0.0, ge=0, lt=1, low=0, high=0.5,
        source="convention", group="money")
    hours_per_month: Hours = column(
        "Hours a month", "每月计费小时", "Hours paid for in a month of on-demand rent.", default=720.0, gt=0, le=744,
        source=f"{C}, price table (month = 720 h)", group="money")
    days_per_month: Days = column(
        "Days a month", "每月天数", "Days of requests in a month.", default=30.0, gt=0, le=31, low=20, high=31,
        source="convention", group="money")
    contingency_rate: Share = column(
        "Contingency", "预备费率", "Reserve on the total, as a share of it.", default=0.0, ge=0, le=1, low=0, high=0.2,
        source="convention", group="money")
    fiscal_year_start: MonthNumber = column(
        "Fiscal year starts", "财年起始月", "Calendar month in which the fiscal year starts.", default=1.0, ge=1, le=12,
        whole=True, source="convention", group="money")
    # ownership
    node_power_kw: KW = column(
        "Power of a node", "整机基础功率", "Power of a server without its cards.", default=0.9, ge=0, low=0.5, high=2.5,
        source=_POWER, group="ownership")
    power_per_tdp: Ratio = column(
        "Power over TDP", "功率与 TDP 之比", "Power drawn for a card over its TDP, with the server's share.",
        default=1.65, gt=0, low=1, high=2, source=_POWER, group="ownership")
    pue: Ratio = column(
        "PUE", "PUE", "Power of the data centre over power of its servers.", default=1.3, ge=1, low=1.1, high=1.8,
        source="convention", group="ownership")
    electricity_price: PerKWh | None = column(
        "Electricity price", "电价", "Price of a kWh in the budget currency.", default=None, ge=0, source="convention",
        group="ownership")
    colocation_per_kw_month: PerKWMonth | None = column(
        "Hosting per kW", "每 kW 托管费", "Monthly rent of rack space for each kW.", default=None, ge=0,
        source="convention", group="ownership")
    network_per_month: MoneyPerMonth | None = column(
        "Network", "网络费", "Monthly cost of lines for owned servers.", default=None, ge=0, source="convention",
        group="ownership")
    maintenance_rate: Share = column(
        "Maintenance", "维保费率", "Yearly maintenance as a share of the purchase price.", default=0.05, ge=0, le=1,
        low=0.03, high=0.1, source="convention", group="ownership")
    discount_rate: Share = column(
        "Discount rate", "折现率", "Yearly rate at which later money is worth less.", default=0.08, ge=0, le=1,
        low=0.05, high=0.12, source="convention", group="ownership")
    useful_life_months: Months = column(
        "Useful life", "折旧月数", "Months over which a purchase is written off.", default=60.0, ge=1, low=36, high=60,
        whole=True, source="convention", group="ownership")
    residual_share: Share = column(
        "Residual value", "残值率", "Share of the purchase price that is left at the end of life.", default=0.1, ge=0,
        le=1, low=0, high=0.2, source="convention", group="ownership")
    # checks
    small_pool_gib: GiB = column(
        "Small KV pool", "KV 池警戒线", "KV pool per card under which an alert is shown.", default=5.0, ge=0, source="convention",
        group="checks")
    stale_price_days: Days = column(
        "Stale after", "价格过期天数", "Age of a price at which an alert is shown.", default=45.0, gt=0,
        source="convention", group="checks")
    # what only the sheets of decisions read
    lead_time_days: Days = column(
        "Lead time", "交付周期", "Days from an order of cards to their use.", default=60.0, ge=0, low=14, high=120, whole=True,
        source="convention", group=DECISIONS)
    vat_rate: Share = column(
        "VAT rate", "增值税税率", "Value-added tax on what the budget buys, by which Periods converts totals.", default=0.06, ge=0,
        le=1, low=0.06, high=0.13,
        source="China: 6% on information technology services, 13% on leasing of equipment (Cai Shui [2016] 36; Announcement 39 "
        "of 2019)", group=DECISIONS)
    horizon_months: Months = column(
        "Horizon", "比较期", "Months over which renting and buying are compared, from the run-rate month on.", default=48.0, ge=12,
        le=60, low=36, high=60, whole=True, source="convention", group=DECISIONS)
    staff_per_month: MoneyPerMonth = column(
        "Staff", "运维人工", "Monthly cost of people who run owned servers, beyond those who are paid anyway.", default=0.0, ge=0,
        source="convention: state your own", group=DECISIONS)
    rent_vat_rate: Share = column(
        "VAT on rents", "租金增值税率", "Rate of value-added tax on rents, to compare prices with and without it; 0 compares them "
        "as quoted.", default=0.0, ge=0, le=1, low=0, high=0.13, source="neutral; in China 6% on cloud services", group=DECISIONS)
    purchase_vat_rate: Share = column(
        "VAT in purchases", "购置增值税率", "Rate of value-added tax in purchase prices; 0 where they are typed without it.",
        default=0.0, ge=0, le=1, low=0, high=0.13, source="neutral; in China 13% on equipment", group=DECISIONS)
    vat_recovered: Share = column(
        "VAT recovered", "增值税可抵扣比例", "Share of value-added tax that the company gets back.", default=1.0, ge=0, le=1,
        source="convention: a general taxpayer recovers all", group=DECISIONS)
    profit_tax_rate: Share = column(
        "Profit tax", "所得税率", "Rate at which costs and depreciation lower the tax on profits; 0 compares before tax.",
        default=0.0, ge=0, lt=1, low=0, high=0.25, source="neutral; in China 25%, 15% for high-tech companies", group=DECISIONS)
    curve_tolerance: Share = column(
        "Peak off its curve", "峰值偏离容差", "By how much the typed peak and that of the traffic curve may differ before an alert.",
        default=0.25, ge=0, le=10, low=0.1, high=0.5, source="convention", group=DECISIONS)
