"""Dimensions of a transformer, and the parameter tensors that follow from them."""

from __future__ import annotations

from dataclasses import dataclass

from optmem_gui.core.layer_form import (
    LLAMA_FORM,
    ONE_MLP,
    LatentAttention,
    LayerForm,
    Mixture,
    Norm,
    Rotary,
)


@dataclass(frozen=True, slots=True)
class TransformerShape:
    """What activations and tensor shapes follow from.

    Attributes:
        vocab: Rows of the token embedding and of the head.
        hidden: Width of the residual stream.
        layers: Transformer blocks.
        heads: Query heads.
        kv_heads: Key and value heads; fewer than ``heads`` with grouped-query attention.
        head_dim: Elements of one head.
        ffn: Width inside the MLP.
        gated: Three matrices (gate, up, down) instead of two.
        norm: Kind of norm; ``layer`` has a weight and, with ``biases``, a bias.
        biases: Linear layers and norms carry biases.
        qkv_biases: Query, key and value projections carry biases (Qwen 2).
        tied_head: The head shares the token embedding's storage.
        positions: Rows of a learned position embedding, 0 for rotary or none.
        remainder: Elements of one more vector that brings the total to an exact count.
        dropout: Dropout is active on attention and both residual branches.
        fused: Query, key and value come from one product, and so do gate and up (GPT-2, Phi-3).
        gelu_steps: GELU's tanh form is written out in elementary operations (``gelu_new`` of GPT-2).
        norm_offset: Norms scale with one plus their weight, in fp32 (Gemma).
        norms_after: A norm after each sublayer, too (Gemma 2 and 3).
        window: Tokens that some layers look back at most; 0 for all.
        head_norms: A norm over each query and key head (Qwen 3).
        experts: Routed experts of every layer, in place of the MLP; ``ffn`` is the width of each. 0 for none.
        experts_used: Experts that a token visits.
        router_fp32: Shares of the experts stay fp32 whatever the model's type (Mixtral).
        form: How a block is put together.
        mixture: What surrounds the routed experts.
        latent: Keys and values are made from a compressed tensor; ``head_dim`` is that of queries and keys.
    """

    vocab: int
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn: int
    gated: bool = True
    norm: Norm = "layer"
    biases: bool = False
    qkv_biases: bool = False
    tied_head: bool = False
    positions: int = 0
    remainder: int = 0
    dropout: float = 0.0
    fused: bool = False
    gelu_steps: bool = False
    norm_offset: bool = False
    norms_after: bool = False
    window: int = 0
    head_norms: bool = False
    experts: int = 0
    experts_used: int = 0
    router_fp32: bool = False
    form: LayerForm = LLAMA_FORM
    mixture: Mixture = ONE_MLP
    latent: LatentAttention | None = None

    @property
    def is_own(self) -> bool:
        """Whether the program's own module is this transformer, operation by operation."""
        others = (self.fused, self.gelu_steps, self.norm_offset, self.norms_after, self.experts)
        return not any(others) and self.form == LLAMA_FORM and self.norm in ("rms", "layer")

    @property
    def rotary(self) -> Rotary:
        """How positions are turned into queries and keys."""
        if self.form.rotary is not None:
            return self.form.rotary
        if self.norm != "rms" or self.positions:
            return "none"
        return "joined" if self.fused else "halves"

    @property
    def most_tokens(self) -> int | None:
        """Longest sequence with a learned position for every token; None where positions are computed.

        OPT's table begins with two rows that no token has (``OPTLearnedPositionalEmbedding``).
        """
        if not self.positions:
            return None
        return max(1, self.positions - 2) if self.form.position_rows else self.positions

    @property
    def turned_dim(self) -> int:
        """Elements of a head that carry the position."""
        return self.form.rotary_dim or self.head_dim

    @property
    def fused_gate(self) -> bool:
        """Whether gate and up come from one product."""
        return self.fused or self.form.fused_gate

    @property
    def attention_dropout(self) -> float:
        """Probability with which attention drops."""
        return self.dropout if self.form.drops == "everywhere" else 0.0

    @property
    def value_dim(self) -> int:
        """Elements of a head of values."""
        return self.latent.value_dim if self.latent is not None else self.head_dim

    @property
    def cached_count(self) -> int:
        """Elements of keys and values that one layer caches for one token when it generates."""
        if self.latent is not None:
            return self.latent.rank + self.latent.rotary_dim
        return 2 * self.kv_heads * self.head_dim
