"""How engines, checkpoints and benchmarks spell the number formats of precisions.csv."""

from __future__ import annotations

import re

AS_STORED = re.compile(  # as the checkpoint has it
    r"|auto|default|none|n/?a|null|nan|unknown|unquantized|same(asmodel)?|model|aspublished|compressedtensors|modelopt|quark|-|"
    r".*(native|unstated|notstated|notshown).*")

# row of precisions.csv -> other spellings, without blanks, '-' and '_'; the first row that fits is taken
SPELLINGS: dict[str, str] = {
    "fp8_block": r"fp8block(wise)?|fp8perblock|fp8128x128|blockfp8",
    "fp8": r"(mx)?fp8\w*|f8|float8\w*|e4m3\w*|e5m2\w*|w8a8(fp8|fp)|8bitfloat",
    "mxfp4": r"mxfp4\w*|w4a(16|8)mxfp4\w*|mx",
    "nvfp4": r"nvfp4\w*|w4a4|w4a(16|8)nvfp4",
    "fp4": r"fp4|float4|e2m1",
    "awq": r"awq\w*",
    "gptq-int8": r"gptqint8|gptq8bit|int8wo|int8weightonly|w8a16|(bnb|bitsandbytes|llm)(int8|8bit)",
    "gptq-int4": r"gptq\w*",
    "int4-g32": r"int4g32|int4nativeqat",
    "bnb-4bit": r"bnb\w*|bitsandbytes\w*|nf4|unslothbnb4bit",
    "q4_0": r"q4[01]|iq4nl\w*",
    "q8_0": r"q80|q8k?\w*",
    "q6_k": r"q6k?\w*",
    "q5_k_m": r"q5k?\w*",
    "q4_k_m": r"q4k?\w*|iq4\w*|gguf",  # llama.cpp fetches Q4_K_M where a GGUF repository is named alone
    "q3_k_m": r"q3k?\w*|iq3\w*",
    "q2_k": r"q2k?\w*|iq2\w*",
    "int4": r"int4\w*|w4a16\w*|w4a8\w*|w4afp8|4bit\w*|hqq\w*",
    "int8": r"int8\w*|w8a8(int8)?|smoothquant|8bit",
    "bf16": r"bf16|bfloat16|16bit|w16a16|half|f16|fp16|float16|fp32|float32|f32",
}
_NOISE = re.compile(r"\b(torch\.|ud-|modelopt[\s_-]|weights?\b|quanti[sz]ed\b|checkpoint\b)|[(+,].*|[\s_-]+")
_ENDING = re.compile(
    r"(fp8[\s_-]block|nvfp4|mxfp4|fp8|fp4|awq|gptq[\s_-]int8|gptq|bnb[\s_-][48]bit|int4|int8|w\da\d+|[48][\s_-]?bit|bf16|fp16|gguf)",
    re.IGNORECASE)  # fmt: skip


def as_stored(spelled: str) -> bool:
    """Whether a spelling leaves the format to the checkpoint.

    >>> as_stored("auto"), as_stored("fp8/fp4 native"), as_stored("fp8")
    (True, True, False)
    """
    return bool(AS_STORED.fullmatch(re.sub(r"[\s_-]+|[(+].*", "", spelled.casefold())))


def precision_of(spelled: str, model: str = "", published: str = "bf16") -> str | None:
    """The row of precisions.csv that a spelling means; as stored: what the model's name ends in, else as it is published.

    None where it means none of them.

    >>> precision_of("w4a16_mxfp4"), precision_of("FP8 (e4m3)"), precision_of("int4_wo"), precision_of("3 bit")
    ('mxfp4', 'fp8', 'int4', None)
    >>> precision_of("auto", "Qwen/Qwen3-32B-AWQ"), precision_of("auto", "Qwen/Qwen3-32B"), precision_of("BF16/FP16")
    ('awq', 'bf16', 'bf16')
    """
    if as_stored(spelled):
        stored = _ENDING.findall(model)
        return precision_of(stored[-1]) if stored else published
    found = {_row(part) for part in spelled.split("/")}
    return found.pop() if len(found) == 1 else None


def _row(spelled: str) -> str | None:
    word = _NOISE.sub("", spelled.casefold())
    return next((row for row, spellings in SPELLINGS.items() if re.fullmatch(spellings, word)), None)
