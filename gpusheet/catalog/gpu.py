"""What a card is: datasheet facts, per card as it is rented or bought."""

from __future__ import annotations

from gpusheet.catalog.load import keys
from gpusheet.catalog.schema import Row, column
from gpusheet.units import GB, TFLOPS, Cards, Flag, GBPerSecond, MiB, Money, Text, TokensPerSecond, Watts, Year

LINKS = ("nvlink", "pcie", "infinity-fabric", "roce", "hccs", "ici", "none")
CONFIDENCE = ("high", "medium", "low", "nominal")


class Gpu(Row):
    """One card. A card of two dies (MI250X, Ascend 910C) counts once, with both dies' memory and rate.

    >>> from gpusheet.catalog import Catalog
    >>> gpu = Catalog.builtin().find_gpu("H20 96G")
    >>> gpu.gpu, gpu.memory_gb, gpu.bandwidth_gbs
    ('H20-96G', 96.0, 4000.0)
    """

    gpu: Text = column("GPU", "GPU 型号", "Name by which prices and workloads find the card.", is_name=True)
    vendor: Text = column("Vendor", "厂商", "Maker of the chip.")
    description: Text = column("Description", "说明", "Full product name with form factor.")
    aliases: Text | None = column(
        "Aliases", "别名", "Other names of the card, parted by ';': what drivers, sellers and people call it.",
        default=None)
    generation: Text = column(
        "Generation", "架构代次", "Architecture, by which serving coefficients are looked up.", choices=keys("generations"))
    memory_gb: GB = column("Memory per card", "单卡显存", "Memory as the vendor prints it (80, 141).", gt=0)
    memory_mib: MiB | None = column(
        "Memory seen by the driver", "驱动显示显存", "Memory the driver reports for the whole card.", default=None,
        gt=0)
    bandwidth_gbs: GBPerSecond = column("Memory bandwidth", "显存带宽", "Peak memory bandwidth of a card.", gt=0)
    fp16_tflops: TFLOPS = column(
        "FP16 compute", "FP16 算力", "Dense FP16/BF16 tensor rate with FP32 accumulation (no sparsity).", gt=0)
    fp8_tflops: TFLOPS | None = column("FP8 compute", "FP8 算力", "Dense FP8 tensor rate.", default=None, gt=0)
    int8_tops: TFLOPS | None = column(
        "INT8 compute", "INT8 算力", "Dense INT8 tensor rate, in TOPS.", default=None, gt=0)
    fp4_tflops: TFLOPS | None = column("FP4 compute", "FP4 算力", "Dense FP4 tensor rate.", default=None, gt=0)
    link: Text = column(
        "Link between cards", "卡间互联", "How the cards of a node talk to each other.", choices=LINKS)
    link_gbs: GBPerSecond | None = column(
        "Link bandwidth", "互联带宽", "Bandwidth of the link, both directions together.", default=None, gt=0)
    pcie_gbs: GBPerSecond | None = column(
        "PCIe bandwidth", "PCIe 带宽", "PCIe bandwidth in one direction.", default=None, gt=0)
    max_cards_per_node: Cards = column(
        "Cards per node", "单机最多卡数", "Most cards of this kind in one server.", ge=1, whole=True)
    link_domain_cards: Cards | None = column(
        "Cards in one link domain", "互联域卡数", "Cards that the link joins, where that is more than a node (NVL72).",
        default=None, ge=1, whole=True)
    tdp_w: Watts | None = column("TDP", "单卡功耗", "Board power of a card.", default=None, gt=0)
    release_year: Year = column("Release year", "发布年份", "Year of first sale.", ge=2000, le=2100, whole=True)
    list_price_usd: Money | None = column(
        "List price (US$)", "参考购置价（美元）", "Launch or widely reported street price of a card, in US dollars.",
        default=None, gt=0)
    reference_throughput: TokensPerSecond | None = column(
        "Reference throughput", "参考吞吐", "Tokens a card serves each second with batching, as published.",
        default=None, gt=0)
    reference_weights_gb: GB | None = column(
        "Weights at reference", "参考吞吐对应权重", "Weights of the model with which the reference was stated.",
        default=None, gt=0)
    usage: Text = column(
        "Usage", "用途", "production, or development where driver or licence speaks against serving users with it.",
        choices=("production", "development"))
    gpu_measured: Flag = column(
        "Card measured", "显卡有实测", "1 where measurements of the card are behind the serving times.", default=0.0, ge=0, le=1,
        whole=True)
    confidence: Text = column(
        "Confidence", "可信度", "How well the facts are confirmed.", choices=CONFIDENCE)
    source: Text = column("Source", "来源", "Public references of the facts.")
    notes: Text | None = column("Notes", "备注", "What to know when using the figures.", default=None)
