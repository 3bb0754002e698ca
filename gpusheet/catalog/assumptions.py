"""The tunable factors: default, bounds, typical range and source of each. Datasheet facts are not here."""

from __future__ import annotations

from gpusheet.catalog.load import keys
from gpusheet.catalog.price import PRICING_MODELS
from gpusheet.catalog.schema import Row, column
from gpusheet.units import (
    KW,
    Cards,
    Days,
    Flag,
    GBPerCard,
    GBPerSecond,
    GiB,
    Hours,
    Microseconds,
    MoneyPerMonth,
    MonthNumber,
    Months,
    PerKWh,
    PerKWMonth,
    Ratio,
    Replicas,
    Requests,
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
_FIT = "fitted to published measurements of vLLM, SGLang and TensorRT-LLM"
_SPREAD = "published measurements that the fit had not seen"
_CALIBRATED = "1: as estimated; gpusheet calibrate finds it from load tests"
_POWER = f"fit: 4 x L20 2.7 kW ({A} says 2.5-3 kW), 8 x H100 10.1 kW"


class Assumptions(Row):
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
    # serving
    engine: Text = column(
        "Engine", "推理引擎", "Serving engine, with the version from which it is like this.", default="vllm-0.21",
        choices=keys("engines"), source="convention", group="serving")
    attention_dp_size: Cards = column(
        "Attention data parallelism", "注意力数据并行", "Copies of the attention in a replica (data_parallel_size with expert "
        "parallelism).", default=1.0, ge=1, whole=True, source="convention", group="serving")
    expert_parallel: Flag = column(
        "Expert parallelism", "专家并行", "1 where experts are spread over the cards instead of split.", default=0.0, ge=0, le=1,
        whole=True, source="convention", group="serving")
    attention_group_cards: Cards = column(
        "Cards of an attention group", "注意力组卡数", "Most cards over which attention is split in a rack-wide link domain.",
        default=8.0, ge=1, whole=True, source="published NVL72 deployments", group="serving")
    large_card_gib: GiB = column(
        "Large card from", "大显存卡下限", "Memory from which engines take large default batches.", default=70.0, gt=0,
        source="vLLM arg_utils.get_batch_defaults", group="serving")
    tp_nvlink_gib: GiB = column(
        "Memory of ranks, fast link", "并行通信显存（高速互联）", "Memory of the collective library on each of several cards.",
        default=1.9, ge=0, low=1.8, high=3.9, source="vLLM start-up logs; PR 10511", group="serving")
    tp_pcie_gib: GiB = column(
        "Memory of ranks, PCIe", "并行通信显存（PCIe）", "The same over PCIe.", default=0.2, ge=0, low=0.1, high=0.25,
        source="vLLM start-up logs", group="serving")
    block_tokens: Tokens = column(
        "Block", "KV 块大小", "Tokens of a block of the cache.", default=16.0, ge=1, whole=True, source="vLLM block_size",
        group="serving")
    routing_evenness: Ratio = column(
        "Routing evenness", "路由均匀度", "How unlike the tokens of a batch choose experts; 1 is at random.", default=0.584, gt=0,
        le=1, low=0.4, high=1, source=_FIT, group="serving")
    overlap_loss: Share = column(
        "Not overlapped", "未重叠比例", "Part of the shorter of reading and computing that is not hidden by the longer.",
        default=0.615, ge=0, le=1, low=0.3, high=0.7, source=_FIT, group="serving")
    decode_utilisation: Share = column(
        "Compute used, decoding", "解码算力利用率", "Share of peak compute that batched decoding reaches.", default=0.564, gt=0, le=1,
        low=0.4, high=0.8, source=_FIT, group="serving")
    expert_decode_utilisation: Share = column(
        "Compute used, experts", "专家解码算力利用率", "The same for experts.", default=0.642, gt=0, le=1, low=0.3, high=0.7,
        source=_FIT, group="serving")
    attention_utilisation: Share = column(
        "Compute used, attention", "注意力算力利用率", "Share of 16-bit peak compute that attention over a prompt reaches.",
        default=0.536, gt=0, le=1, low=0.3, high=0.7, source=f"{_FIT}; kernel measurements", group="serving")
    utilisation_16bit: Share = column(
        "Prompt compute, 16 bit", "预填充算力利用率（16 位）", "Share of peak compute that prompts reach in 16 bit.", default=0.619,
        gt=0, le=1, low=0.5, high=0.8, source=_FIT, group="serving")
    utilisation_8bit: Share = column(
        "Prompt compute, 8 bit", "预填充算力利用率（8 位）", "The same in 8 bit.", default=0.471, gt=0, le=1, low=0.35, high=0.6,
        source=_FIT, group="serving")
    utilisation_4bit: Share = column(
        "Prompt compute, 4 bit", "预填充算力利用率（4 位）", "The same in 4 bit.", default=0.446, gt=0, le=1, low=0.3, high=0.6,
        source=_FIT, group="serving")
    expert_prompt_16bit: Ratio = column(
        "Expert prompts, 16 bit", "专家预填充系数（16 位）", "Prompt compute of mixture-of-experts models against dense ones.",
        default=0.792, gt=0, le=1.5, source=_FIT, group="serving")
    expert_prompt_8bit: Ratio = column(
        "Expert prompts, 8 bit", "专家预填充系数（8 位）", "The same in 8 bit.", default=0.549, gt=0, le=1.5, source=_FIT,
        group="serving")
    expert_prompt_4bit: Ratio = column(
        "Expert prompts, 4 bit", "专家预填充系数（4 位）", "The same in 4 bit.", default=0.642, gt=0, le=1.5, source=_FIT,
        group="serving")
    latent_layer_us: Microseconds = column(
        "More per latent layer", "MLA 层附加耗时", "Fixed time that latent attention adds to a layer.", default=22.0, ge=0,
        source=_FIT, group="serving")
    hybrid_layer_us: Microseconds = column(
        "More per hybrid layer", "混合注意力层附加耗时", "Fixed time that linear attention adds to a layer.", default=5.09, ge=0,
        source=_FIT, group="serving")
    collective_us: Microseconds = column(
        "Collective", "集合通信固定延迟", "Latency of a collective.", default=10.3, ge=0, source=f"{_FIT}; all-reduce measurements",
        group="serving")
    rank_us: Microseconds = column(
        "Collective, per card", "集合通信每卡延迟", "More latency per card, up to 8.", default=1.68, ge=0,
        source=f"{_FIT}; all-reduce measurements", group="serving")
    expert_parallel_us: Microseconds = column(
        "Collective of experts", "专家并行附加延迟", "More latency where experts are spread.", default=60.6, ge=0,
        source=_FIT, group="serving")
    pcie_us: Microseconds = column(
        "Collective over PCIe", "PCIe 附加延迟", "More latency over PCIe.", default=10.0, ge=0, source="all-reduce measurements",
        group="serving")
    link_share: Share = column(
        "Link used", "互联带宽利用率", "Share of the link's rate that collectives reach.", default=0.792, gt=0, le=1, low=0.7, high=1,
        source=_FIT, group="serving")
    pcie_link_gbs: GBPerSecond = column(
        "PCIe link rate", "PCIe 互联速率", "Rate of collectives over PCIe, both directions.", default=40.0, gt=0, low=20, high=50,
        source="all-reduce measurements", group="serving")
    fabric_gbs: GBPerSecond = column(
        "Fabric link rate", "互联基准速率", "Rate of Infinity Fabric, and least rate of other fast links.", default=300.0, gt=0,
        source=_FIT, group="serving")
    activation_passes: Ratio = column(
        "Passes of a prompt", "激活读写次数", "Times that a layer moves the activations of a prompt.", default=34.1, ge=0,
        source=_FIT, group="serving")
    expert_passes: Ratio = column(
        "Passes per expert", "每专家激活读写次数", "More passes for each expert that a token uses.", default=17.8, ge=0,
        source=_FIT, group="serving")
    eager_layer_us: Microseconds = column(
        "Layer of a mixed step", "混合步每层耗时", "Time of a layer in a step with a prompt, which is not replayed as a graph.",
        default=130.0, ge=0, source=_FIT, group="serving")
    queue_factor: Ratio = column(
        "Queue factor", "排队系数", "Mean wait against the time until a running request ends.", default=0.584, ge=0, le=1,
        source=_FIT, group="serving")
    serving_efficiency: Share = column(
        "Serving efficiency", "服务效率", "Share of the throughput that times alone would give.", default=0.911, gt=0, le=1,
        source=_FIT, group="serving")
    calibration_step: Ratio = column(
        "Calibration, step", "校准系数：解码步", "Time of a decode step as measured over the estimate.", default=1.0, ge=0.2, le=5,
        low=0.7, high=1.4, source=_CALIBRATED, group="serving")
    calibration_prompt: Ratio = column(
        "Calibration, prompts", "校准系数：预填充", "Time of a prompt as measured over the estimate.", default=1.0, ge=0.2, le=5,
        low=0.7, high=1.5, source=_CALIBRATED, group="serving")
    calibration_first_token: Ratio = column(
        "Calibration, first token", "校准系数：首 token", "Time to the first token without others, measured over the estimate.",
        default=1.0, ge=0.1, le=10, low=0.6, high=2, source=_CALIBRATED, group="serving")
    calibration_pool: Ratio = column(
        "Calibration, KV pool", "校准系数：KV 池", "KV pool in the engine's log over the estimate.", default=1.0, ge=0.2, le=5,
        low=0.9, high=1.1, source=_CALIBRATED, group="serving")
    tpot_low: Ratio = column(
        "TPOT, low", "TPOT 下限系数", "10th percentile of measured over estimated TPOT, dense models.", default=0.89, gt=0, le=1,
        source=_SPREAD, group="serving")
    tpot_high: Ratio = column(
        "TPOT, high", "TPOT 上限系数", "90th percentile.", default=1.19, ge=1, source=_SPREAD, group="serving")
    tpot_low_experts: Ratio = column(
        "TPOT, low, experts", "TPOT 下限系数（专家模型）", "10th percentile, mixture-of-experts models.", default=0.75, gt=0, le=1,
        source=_SPREAD, group="serving")
    tpot_high_experts: Ratio = column(
        "TPOT, high, experts", "TPOT 上限系数（专家模型）", "90th percentile.", default=1.34, ge=1, source=_SPREAD, group="serving")
    ttft_low: Ratio = column(
        "TTFT, low", "TTFT 下限系数", "10th percentile of measured over estimated TTFT.", default=0.6, gt=0, le=1, source=_SPREAD,
        group="serving")
    ttft_high: Ratio = column(
        "TTFT, high", "TTFT 上限系数", "90th percentile.", default=2.1, ge=1, source=_SPREAD, group="serving")
    throughput_low: Ratio = column(
        "Throughput, low", "吞吐下限系数", "10th percentile of measured over estimated throughput, dense models.", default=0.72,
        gt=0, le=1, source=_SPREAD, group="serving")
    throughput_high: Ratio = column(
        "Throughput, high", "吞吐上限系数", "90th percentile.", default=1.3, ge=1, source=_SPREAD, group="serving")
    throughput_low_experts: Ratio = column(
        "Throughput, low, experts", "吞吐下限系数（专家模型）", "10th percentile, mixture-of-experts models.", default=0.42, gt=0,
        le=1, source=_SPREAD, group="serving")
    throughput_high_experts: Ratio = column(
        "Throughput, high, experts", "吞吐上限系数（专家模型）", "90th percentile.", default=1.6, ge=1, source=_SPREAD,
        group="serving")
    unmeasured_widening: Ratio = column(
        "Wider where not measured", "未实测放宽系数", "How much wider ranges are for each of card, model, engine, format and load that "
        "no measurement has.", default=0.5, ge=0, le=3, source="leave-one-out errors over those of rows alike", group="serving")
    rare_load: Requests = column(
        "Rare load", "罕见负载", "Requests of a replica from which on few measurements are.", default=2048.0, gt=0,
        source="published measurements", group="serving")
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
