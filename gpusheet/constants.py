"""Unit constants and counts, named once: formulas and sheets spell them by these names."""

from __future__ import annotations

from gpusheet.expr import NamedConstant
from gpusheet.ops import TINY
from gpusheet.units import (
    GB,
    Bytes,
    Cards,
    Elements,
    FLOPs,
    GiB,
    Hours,
    MiB,
    Microseconds,
    Milliseconds,
    Months,
    Number,
    Ratio,
    Seconds,
    Share,
    Tokens,
    Watts,
)

BYTES_PER_GIB = NamedConstant("bytes_per_gib", 2**30, Bytes, "Bytes in a GiB", "每 GiB 字节数")
GB_PER_GIB = NamedConstant("gb_per_gib", 2**30 / 1e9, GB, "GB in a GiB", "每 GiB 折合 GB")
MIB_PER_GIB = NamedConstant("mib_per_gib", 1024, MiB, "MiB in a GiB", "每 GiB 折合 MiB")
MIB_PER_GB = NamedConstant("mib_per_gb", 1e9 / 2**20, MiB, "MiB in a GB", "每 GB 折合 MiB")
BYTES_PER_GB = NamedConstant("bytes_per_gb", 1e9, Bytes, "Bytes in a GB", "每 GB 字节数")
WIDE_BYTES = NamedConstant("wide_bytes", 2, Bytes, "Of a number in 16 bit", "16 位数的字节数")
US_PER_SECOND = NamedConstant("us_per_second", 1e6, Microseconds, "Microseconds in a second", "每秒微秒数")
MS_PER_SECOND = NamedConstant("ms_per_second", 1000, Milliseconds, "Milliseconds in a second", "每秒毫秒数")
SECONDS_PER_HOUR = NamedConstant("seconds_per_hour", 3600, Seconds, "Seconds in an hour", "每小时秒数")
HOURS_PER_DAY = NamedConstant("hours_per_day", 24, Hours, "Hours in a day", "每天小时数")
MONTHS_PER_YEAR = NamedConstant("months_per_year", 12, Months, "Months in a year", "每年月数")
MONTHS_PER_QUARTER = NamedConstant("months_per_quarter", 3, Months, "Months in a quarter", "每季度月数")
MONTH_IN_YEARS = NamedConstant("month_in_years", 1 / 12, Number, "Years in a month", "每月折合年数")
WATTS_PER_KW = NamedConstant("watts_per_kw", 1000, Watts, "Watts in a kW", "每 kW 瓦数")
MILLION = NamedConstant("million", 1e6, Number, "A million", "百万")
PARAMS_PER_BILLION = NamedConstant("params_per_billion", 1e9, Number, "Parameters in a billion", "每十亿的参数数")
FLOPS_PER_TFLOPS = NamedConstant("flops_per_tflops", 1e12, FLOPs, "Operations in a TFLOP", "每 TFLOP 运算数")
FLOPS_PER_PARAM = NamedConstant(
    "flops_per_param", 2, FLOPs, "Multiplication and addition per parameter and token", "每参数每 token 的乘加")
FLOPS_PER_SCORE = NamedConstant(
    "flops_per_score", 4, FLOPs, "Of score and value, per query element and token looked at", "每查询元素与所看 token 的计算量")
KEY_AND_VALUE = NamedConstant("key_and_value", 2, Number, "Tensors that attention caches per head", "每头缓存的张量数")
QUERY_AND_OUTPUT = NamedConstant(
    "query_and_output", 2, Number, "Projections of attention beside key and value", "键值以外的注意力投影数")
FFN_PARTS = NamedConstant("ffn_parts", 3, Number, "Gate, up and down of a feed-forward layer", "前馈层的门、升、降三部分")
HIDDEN_COPIES = NamedConstant("hidden_copies", 3, Number, "Hidden states of a token held at once", "同时保留的隐藏状态份数")
HALFWAY = NamedConstant("halfway", 0.5, Ratio, "Mean of what grows evenly from nothing", "匀速增长量的平均占比")
READ_AND_WRITTEN = NamedConstant("read_and_written", 2, Number, "Passes over a constant state in a step", "每步读写常量状态的次数")
LAYER_COLLECTIVES = NamedConstant("layer_collectives", 2, Number, "Collectives of a layer", "每层集合通信次数")
RING_PASSES = NamedConstant("ring_passes", 2, Number, "Times that a ring moves its data", "环形归约的传输遍数")
LINK_DIRECTIONS = NamedConstant("link_directions", 2, Number, "Directions in a link's rate", "互联速率包含的方向数")
LINK_RANKS = NamedConstant("link_ranks", 8, Cards, "Cards up to which a collective takes longer", "通信延迟随卡数增长的上限")
PAD_HIDDEN = NamedConstant("pad_hidden", 256, Elements, "Multiple of hidden size in mxfp4 (vLLM)", "mxfp4 隐藏维度对齐（vLLM）")
PAD_INNER = NamedConstant("pad_inner", 128, Elements, "Multiple of feed-forward size in mxfp4 (vLLM)", "mxfp4 前馈维度对齐（vLLM）")
NEARLY = NamedConstant(
    "nearly_equal", 1.25, Ratio, "Kinds of layers that vLLM groups by the larger", "vLLM 按较多一类分组的层数比")
SGL_BASE = NamedConstant("sgl_base_mib", 512, MiB, "SGLang keeps free", "SGLang 固定预留")
SGL_TOKEN = NamedConstant("sgl_token_mib", 1.5, MiB, "SGLang keeps free for a token of a batch", "SGLang 每批 token 预留")
SGL_TOKENS = NamedConstant("sgl_tokens", 2048, Tokens, "Tokens of a batch that SGLang counts at least", "SGLang 计入的批 token 下限")
SGL_SLOT = NamedConstant("sgl_slot_mib", 2, MiB, "SGLang keeps free for a request", "SGLang 每请求预留")
SGL_CARD = NamedConstant("sgl_card_mib", 128, MiB, "SGLang keeps free for a card", "SGLang 每卡预留")
SGL_LEAST = NamedConstant("sgl_least_mib", 10240, MiB, "SGLang keeps free at least on large cards", "SGLang 大显存卡最少预留")
SGL_LARGE = NamedConstant("sgl_large_gib", 60, GiB, "Memory above which SGLang takes a card for large", "SGLang 大显存卡界限")
MOST_TOUCHED = NamedConstant("most_touched", 500, Tokens, "Tokens that touch every expert", "激活全部专家的 token 数")
LEAST_LEFT = NamedConstant("least_left", 0.3, Share, "Experts that a token leaves alone, at least", "未激活专家的最小占比")
MD1_WAIT = NamedConstant("md1_wait", 0.5, Ratio, "Mean wait of M/D/1 against M/M/1", "M/D/1 相对 M/M/1 的平均等待")

TIERS = (0.0, 1.0, 2.0, 4.0, 8.0)  # numbers of cards that are sold [C]; none first, a whole node last

NAMED = (TINY, *(value for value in list(globals().values()) if isinstance(value, NamedConstant) and value is not TINY))
NAMES = frozenset(constant.name for constant in NAMED)
