"""How a library puts its blocks together, operation by operation, as far as memory follows from it.

The defaults are Llama's. Every other word names a way in which some family of transformers 5.24 computes the
same thing with other tensors in between; :mod:`optmem_gui.core.activations` says what each keeps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Norm = Literal["rms", "rms_wide", "layer", "layer_wide", "layer_steps"]
"""Kinds of norm: ``wide`` works in fp32 up to its end, ``layer_steps`` is written out in elementary steps."""

Rotary = Literal[
    "none",
    "halves",
    "halves_wide",
    "joined",
    "chunks",
    "pairs",
    "pairs_each",
    "pairs_wide",
    "latent",
    "complex",
]
"""How positions are turned in: Llama, OLMo, NeoX, gpt-oss, GLM-4, GPT-J, Cohere, DeepSeek-V3 and V2."""

Scores = Literal["softmax", "native", "wide", "capped", "sinks", "alibi", "masked", "local"]
"""Eager attention between its two products: Llama, GPT-2, GPT-J, Gemma 2, gpt-oss, BLOOM, MPT, GPT-Neo."""

Activation = Literal["function", "relu", "steps", "fast", "recomputed"]
"""What an MLP without gate keeps: SiLU and GELU their input, as BLOOM's own does; ReLU its result; and GELU
written out in steps (``gelu_new``, ``gelu_fast``) more."""

Drops = Literal["everywhere", "branches"]
"""Where dropout is active: on attention and both branches, or on these alone."""

Residual = Literal["serial", "parallel", "parallel_norms"]
"""Attention and MLP one after the other, side by side after one norm, or each after a norm of its own."""

Router = Literal["softmax", "wide_softmax", "wide_sigmoid", "chosen"]
"""Shares from all scores (Qwen, Mixtral), the same in fp32 (DeepSeek), or from chosen scores (gpt-oss)."""


@dataclass(frozen=True, slots=True)
class LatentAttention:
    """Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434).

    Attributes:
        query_rank: Width that queries are compressed to; 0 if they are not.
        rank: Width that keys and values are compressed to.
        rotary_dim: Elements of a head that carry the position; one key of them serves all heads.
        plain_dim: The other elements of a head of queries and keys.
        value_dim: Elements of a head of values.
    """

    query_rank: int
    rank: int
    rotary_dim: int
    plain_dim: int
    value_dim: int


@dataclass(frozen=True, slots=True)
class Mixture:
    """What surrounds the routed experts.

    Attributes:
        router: How shares are made.
        normed: The shares of the visited experts are divided by their sum.
        grouped: Groups of experts are chosen first and the scores of the others masked.
        shared_ffn: Width of the expert that every token visits; 0 for none.
        shared_gate: A share of its own weighs that expert.
        dense_layers: First layers that have a plain MLP in place of experts.
        dense_ffn: Width of that MLP.
        biased: Experts carry biases, and their gate is clamped (gpt-oss).
    """

    router: Router = "softmax"
    normed: bool = True
    grouped: bool = False
    shared_ffn: int = 0
    shared_gate: bool = False
    dense_layers: int = 0
    dense_ffn: int = 0
    biased: bool = False


@dataclass(frozen=True, slots=True)
class LayerForm:
    """The parts of a block that differ from Llama's.

    Attributes:
        rotary: How positions are turned in; None: as Llama does beside RMS norms, else not at all.
        rotary_dim: Elements of a head that are turned; 0 for all.
        joined_heads: Query, key and value are parts of one product whose gradients one node joins
            (``split``); else every part is a slice with a node of its own.
        fused_gate: Gate and up come from one product although query, key and value do not (GLM-4).
        scores: Eager attention between its two products.
        activation: What the function of an MLP without gate keeps.
        residual: Where attention and MLP stand.
        norms_before: A norm before each sublayer.
        whole_head_norms: Head norms go over all heads together (OLMo 2).
        capped_logits: Logits are bent by a tanh (Gemma 2).
        scaled_logits: Logits are multiplied by a number (Cohere, Granite).
        scaled_branches: Sublayers are multiplied by a number before they are added (Granite).
        scaled_queries: Queries are multiplied by a number before attention (OPT).
        embedding_norm: A norm after the embedding (BLOOM).
        masked: The mask is always made, so that no kernel without one can run (Falcon).
        drops: Where dropout is active.
        position_rows: Every sequence of a batch looks its positions up itself (OPT).
    """

    rotary: Rotary | None = None
    rotary_dim: int = 0
    joined_heads: bool = True
    fused_gate: bool = False
    scores: Scores = "softmax"
    activation: Activation = "function"
    residual: Residual = "serial"
    norms_before: bool = True
    whole_head_norms: bool = False
    capped_logits: bool = False
    scaled_logits: bool = False
    scaled_branches: bool = False
    scaled_queries: bool = False
    embedding_norm: bool = False
    masked: bool = False
    drops: Drops = "everywhere"
    position_rows: bool = False


LLAMA_FORM = LayerForm()
ONE_MLP = Mixture()
