"""What serving depends on beside card and model: the engine, and the generation of the chip.

Fitted coefficients say so in their source; a team's own load tests replace them (`gpusheet calibrate`).
"""

from __future__ import annotations

from gpusheet.catalog.schema import Row, column
from gpusheet.units import Bytes, Flag, GiB, Microseconds, Milliseconds, Number, Ratio, Requests, Share, Text, Tokens

POOLS = ("of_total", "of_free_before", "of_free_after")


class Engine(Row):
    """A serving engine from some version on: how it shares out memory, and what its scheduler costs.

    >>> from gpusheet.catalog import Catalog
    >>> Catalog.builtin().find_engine("vLLM 0.19.0").engine
    'vllm-0.17'
    """

    engine: Text = column("Engine", "推理引擎", "Name by which workloads find the engine; a version follows a '-'.", is_name=True)
    released: Text | None = column(
        "Released", "发布月份", "Month of that version (YYYY-MM), for versions that are said by their date.", default=None)
    pool_kind: Text = column(
        "Memory share of", "显存占比口径",
        "What the memory share is of: all memory (vLLM), what is free before loading (SGLang) or after (TensorRT-LLM).",
        choices=POOLS)
    default_fraction: Share | None = column(
        "Memory share", "默认显存占比",
        "gpu_memory_utilization, mem_fraction_static or free-memory fraction by default; blank: by the size of the card.",
        default=None, gt=0, le=1)
    slots_large_card: Requests = column(
        "Requests, large card", "大显存卡请求上限", "max_num_seqs by default from 70 GiB on.", ge=1, whole=True)
    slots: Requests = column("Requests", "请求上限", "max_num_seqs by default.", ge=1, whole=True)
    batched_tokens_large_card: Tokens = column(
        "Batched tokens, large card", "大显存卡批 token", "max_num_batched_tokens by default from 70 GiB on.", ge=1, whole=True)
    batched_tokens: Tokens = column(
        "Batched tokens", "批 token", "max_num_batched_tokens by default.", ge=1, whole=True)
    whole_prompt: Flag = column(
        "Whole prompts", "整段预填充", "1 where a prompt is not chunked, so that the longest one is held at once.", ge=0, le=1,
        whole=True)
    sampler_bytes: Bytes = column(
        "Sampler bytes", "采样字节数", "Bytes per request slot and vocabulary entry while sampling.", ge=0)
    context_gib: GiB = column("Context", "上下文显存", "Non-torch memory of a rank.", ge=0)
    graph_gib: GiB = column("CUDA graphs", "CUDA 图显存", "Memory of CUDA graphs that the pool gives up.", ge=0)
    second_head: Flag = column(
        "Second head", "另存输出层", "1 where a tied output layer is stored again.", ge=0, le=1, whole=True)
    pool_low_gib: GiB = column(
        "KV pool, less", "KV 池下限差", "GiB by which the KV pool of a card may be smaller than estimated.", default=2.0, ge=0)
    pool_high_gib: GiB = column(
        "KV pool, more", "KV 池上限差", "GiB by which it may be larger.", default=1.2, ge=0)
    engine_measured: Flag = column(
        "Engine measured", "引擎有实测", "1 where measurements of the engine are behind the times.", default=0.0, ge=0, le=1,
        whole=True)
    groups_layers: Flag = column(
        "Groups layers", "按组分配窗口层", "1 where tokens are counted as if window layers kept everything (vLLM).", ge=0, le=1,
        whole=True)
    layer_split: Flag = column(
        "Splits by layers", "按层切分", "1 where cards hold whole layers and take turns (llama.cpp).", default=0.0, ge=0, le=1,
        whole=True)
    layer_us: Microseconds = column("Time per layer", "每层固定耗时", "Fixed time of a layer in a step.", ge=0)
    moe_layer_us: Microseconds = column("More per expert layer", "专家层附加耗时", "More for a layer of experts.", ge=0)
    sequence_us: Microseconds = column("Time per request", "每请求耗时", "Time per request and step outside the layers.", gt=0)
    step_ms: Milliseconds = column("Time per step", "每步固定耗时", "Fixed time of a step.", ge=0)
    mixing_factor: Ratio = column(
        "Prefill interference", "预填充干扰系数", "Part of the prompts' time that decoding requests wait for.", ge=0)
    request_ms: Milliseconds = column("Time to take a request", "请求接入耗时", "Time before the first step.", ge=0)
    ttft_layer_ms: Milliseconds = column("First token, per layer", "首 token 每层耗时", "More time per layer.", ge=0)
    prompt_factor: Ratio = column("Own prompt", "自身提示系数", "Times the prompt's own prefill time.", ge=0)
    burst_share: Ratio = column("Prompts ahead", "排队提示占比", "Share of the other requests' prompts ahead in the queue.", ge=0)
    first_token_steps: Number = column("Steps to the first token", "首 token 步数", "Steps of the batch before it.", ge=0)
    source: Text = column("Source", "来源", "Where the figures are from.")


class Generation(Row):
    """A generation of chips: what share of its peaks serving reaches."""

    generation: Text = column("Generation", "架构代次", "Name of the architecture.", is_name=True)
    weight_bandwidth_share: Share = column(
        "Bandwidth for weights", "权重带宽利用率", "Share of the peak bandwidth at which weights are read.", gt=0, le=1)
    kv_bandwidth_share: Share = column(
        "Bandwidth for KV", "KV 带宽利用率", "Share of the peak bandwidth at which the cache is read.", gt=0, le=1)
    launch_factor: Ratio = column("Launch factor", "启动开销系数", "Fixed times of layers against those of Hopper.", gt=0)
    sequence_factor: Ratio = column("Host factor", "主机开销系数", "Times per request against those of the engine's row.", gt=0)
    prefill_factor: Ratio = column("Prefill factor", "预填充系数", "Prefill utilisation against that of Hopper.", gt=0)
    driver_reserved_gib: GiB = column(
        "Driver reserve", "驱动保留显存", "Memory that the driver keeps of what it reports.", ge=0)
    large_batches: Flag = column(
        "Large batches", "默认大批次", "1 where engines take large default batches from 70 GiB on (not on A100).", ge=0, le=1,
        whole=True)
    new_formats: Flag = column(
        "Native 4 and 8 bit", "原生 4/8 位", "1 for chips made for 4-bit and 8-bit weights.", ge=0, le=1, whole=True)
    source: Text = column("Source", "来源", "Where the figures are from.")
