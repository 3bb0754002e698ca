"""Serving: how a number format is computed and read on a card."""

from __future__ import annotations

from typing import cast

from gpusheet.ops import above, choose, either, if_given, one_of, pick, where
from gpusheet.registry import rule
from gpusheet.units import TFLOPS, Flag, Number, Ratio, Share, Text


@rule(en="Peak in the weights' format", zh="权重格式峰值算力", source="dense peak of the number format")
def format_tflops(
    matmul: Text, fp16_tflops: TFLOPS, fp8_tflops: TFLOPS, int8_tops: TFLOPS, fp4_tflops: TFLOPS
) -> TFLOPS:
    """Peak rate of a card in the format of the weights; missing where the card lacks it.

    >>> format_tflops("fp8", 2250, 4500, 4500, 9000), format_tflops("fp4", 989, 1979, 1979, None)
    (4500.0, nan)
    """
    return choose(matmul, fp16=fp16_tflops, fp8=fp8_tflops, int8=int8_tops, fp4=fp4_tflops)


@rule(en="Compute for matrix products", zh="矩阵算力", source="dense peak of the number format")
def matmul_tflops(format_tflops: TFLOPS, fp16_tflops: TFLOPS) -> TFLOPS:
    """Peak rate of a card for the weights' format; formats that it lacks are computed in 16 bit.

    >>> matmul_tflops(1979, 989), matmul_tflops(None, 989)
    (1979.0, 989.0)
    """
    return either(format_tflops, fp16_tflops)


@rule(en="Halvings of 16 bit", zh="相对 16 位的减半次数", source="format in which prompts are computed")
def format_halvings(matmul: Text, fp8_tflops: TFLOPS, fp4_tflops: TFLOPS) -> Number:
    """How often 16 bits are halved in the format that prompts are computed in: 0, in 8 bit 1, in 4 bit 2.

    Formats that a card lacks are computed in 16 bit; so are prompts in int8, by what was measured.

    >>> format_halvings("fp8", 1979, None), format_halvings("fp4", 1979, None), format_halvings("fp4", 4500, 9000)
    (1.0, 0.0, 2.0)
    """
    eight, four = if_given(fp8_tflops, 1, 0), if_given(fp4_tflops, 1, 0)
    return one_of(matmul, "fp8") * eight + one_of(matmul, "fp4") * (four + four)


def _format(halvings: float) -> float:
    """0, 1 or 2, whatever the number."""
    return above(halvings, 0) + above(halvings, 1)


@rule(en="Prompt utilisation", zh="提示算力利用率", source="fitted; kernel measurements", most=1)
def prompt_utilisation(
    format_halvings: Number, utilisation_16bit: Share, utilisation_8bit: Share, utilisation_4bit: Share
) -> Share:
    """Share of that peak which prompts reach.

    >>> prompt_utilisation(1, 0.65, 0.46, 0.49)
    0.46
    """
    return cast(float, pick(_format(format_halvings), utilisation_16bit, utilisation_8bit, utilisation_4bit))


@rule(en="Expert prompts", zh="专家预填充系数", source="fitted")
def expert_prompt_factor(
    format_halvings: Number, expert_prompt_16bit: Ratio, expert_prompt_8bit: Ratio, expert_prompt_4bit: Ratio
) -> Ratio:
    """Share of the prompt utilisation that experts reach, by the format in which they are computed.

    >>> expert_prompt_factor(0, 0.75, 0.45, 0.8)
    0.75
    """
    return cast(float, pick(_format(format_halvings), expert_prompt_16bit, expert_prompt_8bit, expert_prompt_4bit))


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
