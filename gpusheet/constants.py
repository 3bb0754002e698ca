"""Unit constants, named once: formulas and sheets spell them by these names."""

from __future__ import annotations

from gpusheet.expr import NamedConstant
from gpusheet.ops import TINY

SECONDS_PER_HOUR = NamedConstant("seconds_per_hour", 3600)
HOURS_PER_DAY = NamedConstant("hours_per_day", 24)
MONTHS_PER_YEAR = NamedConstant("months_per_year", 12)
WATTS_PER_KW = NamedConstant("watts_per_kw", 1000)
MONTHS_PER_QUARTER = NamedConstant("months_per_quarter", 3)
MONTH_IN_YEARS = NamedConstant("month_in_years", 1 / 12)
MILLION = NamedConstant("million", 1e6)
BYTES_PER_GB = NamedConstant("bytes_per_gb", 1e9)
BYTES_PER_GIB = NamedConstant("bytes_per_gib", 2**30)
GB_PER_GIB = NamedConstant("gb_per_gib", 2**30 / 1e9)
MIB_PER_GIB = NamedConstant("mib_per_gib", 1024)
MIB_PER_GB = NamedConstant("mib_per_gb", 1e9 / 2**20)
WIDE_BYTES = NamedConstant("wide_bytes", 2)  # of a number in 16 bit
US_PER_SECOND = NamedConstant("us_per_second", 1e6)
MS_PER_SECOND = NamedConstant("ms_per_second", 1000)
PARAMS_PER_BILLION = NamedConstant("params_per_billion", 1e9)
FLOPS_PER_TFLOPS = NamedConstant("flops_per_tflops", 1e12)
KEY_AND_VALUE = NamedConstant("key_and_value", 2)  # tensors that attention caches per head
FLOPS_PER_PARAM = NamedConstant("flops_per_param", 2)  # a multiplication and an addition per parameter and token
PAD_HIDDEN = NamedConstant("pad_hidden", 256)  # to whose multiples vLLM pads experts in mxfp4
PAD_INNER = NamedConstant("pad_inner", 128)
NEARLY = NamedConstant("nearly_equal", 1.25)  # kinds of layers that vLLM puts into groups of the larger size
SGL_BASE = NamedConstant("sgl_base_mib", 512)  # what SGLang keeps free: in all,
SGL_TOKEN = NamedConstant("sgl_token_mib", 1.5)  # for a token of a batch,
SGL_TOKENS = NamedConstant("sgl_tokens", 2048)  # at least for so many,
SGL_SLOT = NamedConstant("sgl_slot_mib", 2)  # for a request,
SGL_CARD = NamedConstant("sgl_card_mib", 128)  # for a card,
SGL_LEAST = NamedConstant("sgl_least_mib", 10240)  # and at least on cards
SGL_LARGE = NamedConstant("sgl_large_gib", 60)  # of more than that
MOST_TOUCHED = NamedConstant("most_touched", 500)  # tokens that touch every expert
LEAST_LEFT = NamedConstant("least_left", 0.3)  # share of the experts that a token leaves alone, at least
LINK_RANKS = NamedConstant("link_ranks", 8)  # cards up to which a collective takes longer
MD1_WAIT = NamedConstant("md1_wait", 0.5)  # mean wait of M/D/1 against M/M/1

TIERS = (0.0, 1.0, 2.0, 4.0, 8.0)  # numbers of cards that are sold [C]; none first, a whole node last

NAMED = (
    TINY, BYTES_PER_GIB, GB_PER_GIB, MIB_PER_GIB, MIB_PER_GB, WIDE_BYTES, US_PER_SECOND, MS_PER_SECOND,
    SECONDS_PER_HOUR, HOURS_PER_DAY, MONTHS_PER_YEAR, MONTHS_PER_QUARTER, MONTH_IN_YEARS, WATTS_PER_KW, MILLION,
    BYTES_PER_GB,
    PARAMS_PER_BILLION, FLOPS_PER_TFLOPS, KEY_AND_VALUE, FLOPS_PER_PARAM, MD1_WAIT, PAD_HIDDEN, PAD_INNER, NEARLY,
    SGL_BASE, SGL_TOKEN, SGL_TOKENS, SGL_SLOT, SGL_CARD, SGL_LEAST, SGL_LARGE, MOST_TOUCHED, LEAST_LEFT, LINK_RANKS,
)  # fmt: skip
