"""Serving: how a number format is computed and read on a card."""

from __future__ import annotations

from gpusheet.ops import choose, either, if_given, where
from gpusheet.registry import rule
from gpusheet.units import TFLOPS, Flag, Ratio, Share, Text


@rule(en="Compute for matrix products", zh="矩阵算力", source="dense peak of the number format")
def matmul_tflops(
    matmul: Text, fp16_tflops: TFLOPS, fp8_tflops: TFLOPS, int8_tops: TFLOPS, fp4_tflops: TFLOPS
) -> TFLOPS:
    """Peak rate of a card for the weights' format; formats that it lacks are computed in 16 bit.

    >>> matmul_tflops("fp8", 989, 1979, 1979, None), matmul_tflops("fp4", 989, 1979, 1979, None)
    (1979.0, 989.0)
    """
    return choose(
        matmul, fp16=fp16_tflops, fp8=either(fp8_tflops, fp16_tflops), int8=either(int8_tops, fp16_tflops),
        fp4=either(fp4_tflops, fp16_tflops),
    )  # fmt: skip


@rule(en="Prompt utilisation", zh="提示算力利用率", source="fitted; kernel measurements", most=1)
def prompt_utilisation(
    matmul: Text, fp8_tflops: TFLOPS, fp4_tflops: TFLOPS, utilisation_16bit: Share, utilisation_8bit: Share,
    utilisation_4bit: Share,
) -> Share:  # fmt: skip
    """Share of that peak which prompts reach.

    >>> prompt_utilisation("fp8", 1979, None, 0.65, 0.46, 0.49)
    0.46
    """
    return choose(
        matmul, fp16=utilisation_16bit, fp8=if_given(fp8_tflops, utilisation_8bit, utilisation_16bit),
        int8=utilisation_16bit, fp4=if_given(fp4_tflops, utilisation_4bit, utilisation_16bit),
    )  # fmt: skip


@rule(en="Expert prompts", zh="专家预填充系数", source="fitted")
def expert_prompt_factor(
    matmul: Text, fp8_tflops: TFLOPS, fp4_tflops: TFLOPS, expert_prompt_16bit: Ratio, expert_prompt_8bit: Ratio,
    expert_prompt_4bit: Ratio,
) -> Ratio:  # fmt: skip
    """Share of the prompt utilisation that experts reach, by the format in which they are computed.

    >>> expert_prompt_factor("fp8", None, None, 0.75, 0.45, 0.8)
    0.75
    """
    return choose(
        matmul, fp16=expert_prompt_16bit, fp8=if_given(fp8_tflops, expert_prompt_8bit, expert_prompt_16bit),
        int8=expert_prompt_16bit, fp4=if_given(fp4_tflops, expert_prompt_4bit, expert_prompt_16bit),
    )  # fmt: skip


@rule(en="Read factor of weights", zh="权重读取效率", source="fitted")
def weight_read_factor(new_formats: Flag, read_factor_new: Ratio, read_factor: Ratio) -> Ratio:
    """Bandwidth that weights of the format reach against 16 bit, on this generation.

    >>> weight_read_factor(1, 0.8, 1.1), weight_read_factor(0, 0.8, 1.1)
    (0.8, 1.1)
    """
    return where(new_formats, read_factor_new, read_factor)


@rule(en="Read factor of experts", zh="专家读取效率", source="fitted")
def experts_read_factor(new_formats: Flag, expert_read_factor_new: Ratio, expert_read_factor: Ratio) -> Ratio:
    """The same for experts.

    >>> experts_read_factor(1, 0.8, 1.1)
    0.8
    """
    return where(new_formats, expert_read_factor_new, expert_read_factor)
