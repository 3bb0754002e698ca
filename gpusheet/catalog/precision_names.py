"""How engines, checkpoints and benchmarks spell the number formats of precisions.csv."""

from __future__ import annotations

import re

AS_STORED = ("", "auto", "default", "none", "n/a", "native", "unknown")  # as the checkpoint has it

# row of precisions.csv -> other spellings, without blanks, '-' and '_'; the first row that fits is taken
SPELLINGS: dict[str, str] = {
    "fp8_block": r"fp8block(wise)?|fp8perblock|fp8128x128",
    "fp8": r"fp8\w*|f8|float8\w*|e4m3\w*|e5m2\w*|w8a8(fp8|fp)|8bitfloat",
    "mxfp4": r"mxfp4\w*|w4a(16|8)mxfp4\w*|mx",
    "nvfp4": r"nvfp4\w*|w4a4|w4a(16|8)nvfp4",
    "fp4": r"fp4|float4|e2m1",
    "awq": r"awq\w*",
    "gptq-int8": r"gptqint8|gptq8bit|int8wo|int8weightonly|w8a16",
    "gptq-int4": r"gptq\w*",
    "int4-g32": r"int4g32",
    "bnb-4bit": r"bnb\w*|bitsandbytes\w*|nf4|unslothbnb4bit",
    "q8_0": r"q80|q8k?\w*",
    "q6_k": r"q6k?\w*",
    "q5_k_m": r"q5k?\w*",
    "q4_k_m": r"q4k?\w*|iq4\w*",
    "q3_k_m": r"q3k?\w*|iq3\w*",
    "q2_k": r"q2k?\w*|iq2\w*",
    "int4": r"int4\w*|w4a16\w*|w4a8\w*|4bit|hqq\w*",
    "int8": r"int8\w*|w8a8(int8)?|smoothquant|8bit|llmint8",
    "bf16": r"bf16|bfloat16|16bit|w16a16|half|f16|fp16|float16|fp32|float32|f32",
}
_ENDING = re.compile(
    r"(fp8[\s_-]block|nvfp4|mxfp4|fp8|fp4|awq|gptq[\s_-]int8|gptq|bnb[\s_-]4bit|int4|int8|w\da\d+)", re.IGNORECASE)


def as_stored(spelled: str) -> bool:
    """Whether a spelling leaves the format to the checkpoint.

    >>> as_stored("auto"), as_stored("fp8")
    (True, False)
    """
    return spelled.strip().casefold() in AS_STORED


def precision_of(spelled: str, model: str = "") -> str | None:
    """The row of precisions.csv that a spelling means; as stored: what the model's name ends in, else 16 bit.

    None where it means none of them.

    >>> precision_of("w4a16_mxfp4"), precision_of("FP8 (e4m3)"), precision_of("int4_wo"), precision_of("3 bit")
    ('mxfp4', 'fp8', 'int4', None)
    >>> precision_of("auto", "Qwen/Qwen3-32B-AWQ"), precision_of("auto", "Qwen/Qwen3-32B")
    ('awq', 'bf16')
    """
    word = re.sub(r"[(+].*|[\s_-]+", "", spelled.casefold())
    if as_stored(word):
        stored = _ENDING.findall(model)
        return precision_of(stored[-1]) if stored else "bf16"
    return next((row for row, spellings in SPELLINGS.items() if re.fullmatch(spellings, word)), None)
