"""The tunable factors of serving: fitted to measurements, with their ranges; a team's own load tests replace them."""

from __future__ import annotations

from gpusheet.catalog.load import keys
from gpusheet.catalog.schema import Row, column
from gpusheet.units import (
    Cards,
    Flag,
    GBPerSecond,
    GiB,
    Microseconds,
    Ratio,
    Requests,
    Share,
    Text,
    Tokens,
)

_FIT = "fitted to published measurements of vLLM, SGLang and TensorRT-LLM"
_SPREAD = "published measurements that the fit had not seen"
_CALIBRATED = "1: as estimated; gpusheet calibrate finds it from load tests"


class ServingFactors(Row):
    """What serving assumes. They are part of `Assumptions`.

    >>> ServingFactors().engine.startswith("vllm")
    True
    """

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
        "Routing evenness", "路由均匀度", "How unlike the tokens of a batch choose experts; 1 is at random.", default=0.567, gt=0,
        le=1, low=0.4, high=1, source=_FIT, group="serving")
    overlap_loss: Share = column(
        "Not overlapped", "未重叠比例", "Part of the shorter of reading and computing that is not hidden by the longer.",
        default=0.612, ge=0, le=1, low=0.3, high=0.7, source=_FIT, group="serving")
    decode_utilisation: Share = column(
        "Compute used, decoding", "解码算力利用率", "Share of peak compute that batched decoding reaches.", default=0.562, gt=0, le=1,
        low=0.4, high=0.8, source=_FIT, group="serving")
    expert_decode_utilisation: Share = column(
        "Compute used, experts", "专家解码算力利用率", "The same for experts.", default=0.641, gt=0, le=1, low=0.3, high=0.7,
        source=_FIT, group="serving")
    attention_utilisation: Share = column(
        "Compute used, attention", "注意力算力利用率", "Share of 16-bit peak compute that attention over a prompt reaches.",
        default=0.535, gt=0, le=1, low=0.3, high=0.7, source=f"{_FIT}; kernel measurements", group="serving")
    utilisation_16bit: Share = column(
        "Prompt compute, 16 bit", "预填充算力利用率（16 位）", "Share of peak compute that prompts reach in 16 bit.", default=0.62,
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
        "Expert prompts, 8 bit", "专家预填充系数（8 位）", "The same in 8 bit.", default=0.547, gt=0, le=1.5, source=_FIT,
        group="serving")
    expert_prompt_4bit: Ratio = column(
        "Expert prompts, 4 bit", "专家预填充系数（4 位）", "The same in 4 bit.", default=0.643, gt=0, le=1.5, source=_FIT,
        group="serving")
    latent_layer_us: Microseconds = column(
        "More per latent layer", "MLA 层附加耗时", "Fixed time that latent attention adds to a layer.", default=23.0, ge=0,
        source=_FIT, group="serving")
    hybrid_layer_us: Microseconds = column(
        "More per hybrid layer", "混合注意力层附加耗时", "Fixed time that linear attention adds to a layer.", default=5.07, ge=0,
        source=_FIT, group="serving")
    collective_us: Microseconds = column(
        "Collective", "集合通信固定延迟", "Latency of a collective.", default=10.3, ge=0, source=f"{_FIT}; all-reduce measurements",
        group="serving")
    rank_us: Microseconds = column(
        "Collective, per card", "集合通信每卡延迟", "More latency per card, up to 8.", default=1.65, ge=0,
        source=f"{_FIT}; all-reduce measurements", group="serving")
    expert_parallel_us: Microseconds = column(
        "Collective of experts", "专家并行附加延迟", "More latency where experts are spread.", default=60.7, ge=0,
        source=_FIT, group="serving")
    pcie_us: Microseconds = column(
        "Collective over PCIe", "PCIe 附加延迟", "More latency over PCIe.", default=10.0, ge=0, source="all-reduce measurements",
        group="serving")
    link_share: Share = column(
        "Link used", "互联带宽利用率", "Share of the link's rate that collectives reach.", default=0.79, gt=0, le=1, low=0.7, high=1,
        source=_FIT, group="serving")
    pcie_link_gbs: GBPerSecond = column(
        "PCIe link rate", "PCIe 互联速率", "Rate of collectives over PCIe, both directions.", default=40.0, gt=0, low=20, high=50,
        source="all-reduce measurements", group="serving")
    fabric_gbs: GBPerSecond = column(
        "Fabric link rate", "互联基准速率", "Rate of Infinity Fabric, and least rate of other fast links.", default=300.0, gt=0,
        source=_FIT, group="serving")
    activation_passes: Ratio = column(
        "Passes of a prompt", "激活读写次数", "Times that a layer moves the activations of a prompt.", default=34.2, ge=0,
        source=_FIT, group="serving")
    expert_passes: Ratio = column(
        "Passes per expert", "每专家激活读写次数", "More passes for each expert that a token uses.", default=17.9, ge=0,
        source=_FIT, group="serving")
    eager_layer_us: Microseconds = column(
        "Layer of a mixed step", "混合步每层耗时", "Time of a layer in a step with a prompt, which is not replayed as a graph.",
        default=130.0, ge=0, source=_FIT, group="serving")
    queue_factor: Ratio = column(
        "Queue factor", "排队系数", "Mean wait against the time until a running request ends.", default=0.583, ge=0, le=1,
        source=_FIT, group="serving")
    serving_efficiency: Share = column(
        "Serving efficiency", "服务效率", "Share of the throughput that times alone would give.", default=0.912, gt=0, le=1,
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
