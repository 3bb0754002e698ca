"""What a model is: size and attention shape, from which weights and KV cache follow."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from gpusheet.catalog.gpu import CONFIDENCE
from gpusheet.catalog.load import keys
from gpusheet.catalog.schema import Row, column
from gpusheet.units import BillionParams, Bytes, Elements, ElementsPerToken, Experts, Flag, Heads, Layers, Text, Tokens

ATTENTION = ("mha", "gqa", "mqa", "mla", "sliding", "hybrid")


class Model(Row):
    """One model. Names follow the Hugging Face config, shortened.

    >>> from gpusheet.catalog import Catalog
    >>> model = Catalog.builtin().find_model("Qwen/Qwen3-32B")
    >>> model.params_b, model.layers, model.kv_heads, model.head_dim
    (32.76, 64.0, 8.0, 128.0)
    """

    model: Text = column("Model", "模型", "Name by which workloads find the model.", is_name=True)
    hf_id: Text | None = column("Hugging Face id", "Hugging Face 编号", "Owner and name on the hub.", default=None)
    aliases: Text | None = column("Aliases", "别名", "Other names of the model, parted by ';'.", default=None)
    params_b: BillionParams = column("Parameters", "参数量", "All parameters, which have to be in memory.", gt=0)
    active_params_b: BillionParams = column(
        "Active parameters", "激活参数量", "Parameters used for a token: fewer than all where there are experts.", gt=0)
    layers: Layers = column("Layers", "层数", "Transformer layers (num_hidden_layers).", ge=1, whole=True)
    hidden: Elements | None = column("Hidden size", "隐藏维度", "hidden_size.", default=None, gt=0, whole=True)
    q_heads: Heads | None = column(
        "Query heads", "查询头数", "num_attention_heads.", default=None, ge=1, whole=True)
    kv_heads: Heads = column("KV heads", "KV 头数", "num_key_value_heads.", ge=1, whole=True)
    head_dim: Elements = column("Head dimension", "头维度", "Elements of a key or value of one head.", gt=0, whole=True)
    attention_kind: Text = column(
        "Attention", "注意力类型",
        "Which layers keep what: all heads (mha), groups (gqa), one (mqa), a compressed latent "
        "(mla), a window in some layers (sliding), a fixed state in some layers (hybrid).", choices=ATTENTION)
    kv_lora_rank: Elements = column(
        "KV latent rank", "KV 压缩维度", "kv_lora_rank of latent attention, 0 elsewhere.", default=0.0, ge=0,
        whole=True)
    qk_rope_head_dim: Elements = column(
        "Rotary dimension", "旋转位置维度", "qk_rope_head_dim kept beside the latent, 0 elsewhere.", default=0.0, ge=0,
        whole=True)
    full_attention_layers: Layers = column(
        "Full-attention layers", "全注意力层数", "Layers whose cache grows with the whole context.", ge=0, whole=True)
    sliding_layers: Layers = column(
        "Window layers", "滑动窗口层数", "Layers whose cache is bounded by the window.", default=0.0, ge=0, whole=True)
    window_tokens: Tokens = column(
        "Window", "窗口长度", "Tokens that a window layer keeps.", default=0.0, ge=0, whole=True)
    state_elements: Elements = column(
        "State per request", "单请求固定状态", "Elements of the constant state of linear layers, whatever the context.",
        default=0.0, ge=0)
    vocab: Elements | None = column("Vocabulary", "词表大小", "vocab_size.", default=None, gt=0, whole=True)
    intermediate: Elements | None = column(
        "Feed-forward size", "前馈维度", "intermediate_size, of one expert where there are experts.", default=None,
        gt=0, whole=True)
    n_experts: Experts | None = column(
        "Experts", "专家数", "Routed experts of a layer.", default=None, ge=1, whole=True)
    experts_per_token: Experts | None = column(
        "Experts per token", "每 token 专家数", "Routed experts a token uses.", default=None, ge=1, whole=True)
    max_context: Tokens | None = column(
        "Longest context", "最大上下文", "max_position_embeddings.", default=None, gt=0, whole=True)
    kv_elements_per_token: ElementsPerToken | None = column(
        "KV elements per token", "每 token KV 元素数",
        "Typed value for layers that keep the whole context; blank: computed from the shape.", default=None, ge=0)
    windowed_kv_elements_per_token: ElementsPerToken | None = column(
        "Window KV elements per token", "窗口层每 token KV 元素数",
        "Typed value for layers bounded by the window; blank: computed from the shape.", default=None, ge=0)
    tied_embeddings: Flag = column(
        "Tied embeddings", "共享词嵌入", "1 where the output layer is the embedding (tie_word_embeddings).", default=0.0,
        ge=0, le=1, whole=True)
    dense_layers: Layers = column(
        "Layers without experts", "无专家层数", "Layers of a mixture of experts that have none.", default=0.0, ge=0,
        whole=True)
    embedding_params_b: BillionParams | None = column(
        "Embedding parameters", "词嵌入参数量", "Typed value for embedding and output layer; blank: computed.",
        default=None, ge=0)
    attention_params_b: BillionParams | None = column(
        "Attention parameters", "注意力参数量",
        "Typed value for query and output projections and linear attention; blank: computed from the heads.",
        default=None, ge=0)
    kv_projection_params_b: BillionParams | None = column(
        "KV projection parameters", "KV 投影参数量", "Typed value for key and value projections; blank: computed.",
        default=None, ge=0)
    expert_params_b: BillionParams | None = column(
        "Expert parameters", "专家参数量", "Typed value for all routed experts; blank: computed.", default=None, ge=0)
    latent_params_b: BillionParams = column(
        "Latent parameters", "压缩投影参数量", "Down-projections of latent attention, which every rank holds.",
        default=0.0, ge=0)
    replicated_params_b: BillionParams = column(
        "Replicated parameters", "复制参数量", "Norms and routers, which every rank holds.", default=0.0, ge=0)
    vision_params_b: BillionParams = column(
        "Vision parameters", "视觉参数量", "Encoder of images, which stays 16 bit.", default=0.0, ge=0)
    published_precision: Text = column(
        "Published precision", "发布权重精度", "Number format of the published weights: what blank or native means in load tests.",
        default="bf16", choices=keys("precisions"))
    four_bit_scope: Text = column(
        "What 4-bit formats cover", "4 位量化范围",
        "Layers that published 4-bit weights quantise: all, feed-forward (ffn) or routed experts alone (experts).",
        default="all", choices=("all", "ffn", "experts"))
    state_bytes_per_request: Bytes = column(
        "State bytes per request", "单请求状态字节数",
        "Bytes of the constant state of linear layers, in the precision in which engines keep it.", default=0.0, ge=0)
    index_bytes_per_token: Bytes = column(
        "Index bytes per token", "每 token 索引字节数", "Bytes that a sparse-attention indexer caches per token.",
        default=0.0, ge=0)
    model_measured: Flag = column(
        "Model measured", "模型有实测", "1 where measurements of the model are behind the serving times.", default=0.0, ge=0,
        le=1, whole=True)
    confidence: Text = column("Confidence", "可信度", "How well the facts are confirmed.", choices=CONFIDENCE)
    source: Text = column("Source", "来源", "Public references of the facts.")
    notes: Text | None = column("Notes", "备注", "What to know when using the figures.", default=None)

    def heads_apart(self, ranks: float) -> str:
        """Why the heads cannot be shared out evenly to so many ranks; empty where they can.

        >>> from gpusheet.catalog import Catalog
        >>> Catalog.builtin().find_model("Qwen2.5-7B").heads_apart(8)
        '28 query heads over 8'
        """
        if self.q_heads and self.q_heads % ranks:
            return f"{self.q_heads:.15g} query heads over {ranks:.15g}"
        if not self.kv_lora_rank and self.kv_heads % ranks and ranks % self.kv_heads:
            return f"{self.kv_heads:.15g} KV heads over {ranks:.15g}"
        return ""

    @model_validator(mode="after")
    def _shape_agrees(self) -> Self:
        kind, kept = self.attention_kind, self.full_attention_layers + self.sliding_layers
        if self.active_params_b > self.params_b:
            self._refuse("active_params_b", self.active_params_b, f"at most params_b, {self.params_b:.15g}")
        if kept > self.layers or (kind != "hybrid" and kept != self.layers):
            found = f"{self.full_attention_layers:.15g} full and {self.sliding_layers:.15g} window layers"
            raise ValueError(f"{self.model}: found {found}, allowed {self.layers:.15g} together as in layers")
        if self.sliding_layers and not self.window_tokens:
            self._refuse("window_tokens", 0, "a number above 0 where there are window layers")
        if kind == "mla" and not self.kv_lora_rank:
            self._refuse("kv_lora_rank", 0, "a number above 0 where attention_kind is mla")
        if kind == "mqa" and self.kv_heads != 1:
            self._refuse("kv_heads", self.kv_heads, "1 where attention_kind is mqa")
        if kind == "mha" and self.q_heads is not None and self.kv_heads != self.q_heads:
            self._refuse("kv_heads", self.kv_heads, f"q_heads, {self.q_heads:.15g}, where attention_kind is mha")
        return self

    def _refuse(self, name: str, found: float, allowed: str) -> None:
        raise ValueError(f"{self.model}, {name}: found {found:.15g}, allowed {allowed}")
