"""The dimensions of a transformer as ``.optmem`` files hold them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import msgspec

from optmem_gui.core.layer_form import (
    LLAMA_FORM,
    ONE_MLP,
    Activation,
    Drops,
    LatentAttention,
    LayerForm,
    Mixture,
    Norm,
    Residual,
    Rotary,
    Router,
    Scores,
)
from optmem_gui.core.transformer import TransformerShape
from optmem_gui.core.units import MAX_PARAM_COUNT

Positive = Annotated[int, msgspec.Meta(ge=1, le=MAX_PARAM_COUNT)]
Whole = Annotated[int, msgspec.Meta(ge=0, le=MAX_PARAM_COUNT)]


class Stored(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of what a file holds: a field that is not known is a mistake, not something to pass over."""


class StoredForm(Stored, frozen=True, omit_defaults=True):
    """How a block is put together."""

    rotary: Rotary | None = None
    rotary_dim: Whole = 0
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


class StoredMixture(Stored, frozen=True, omit_defaults=True):
    """What surrounds routed experts."""

    router: Router = "softmax"
    normed: bool = True
    grouped: bool = False
    shared_ffn: Whole = 0
    shared_gate: bool = False
    dense_layers: Whole = 0
    dense_ffn: Whole = 0
    biased: bool = False


class StoredLatent(Stored, frozen=True):
    """Multi-head latent attention."""

    query_rank: Whole
    rank: Positive
    rotary_dim: Positive
    plain_dim: Positive
    value_dim: Positive


class StoredTransformer(Stored, frozen=True, omit_defaults=True):
    """Dimensions; a program that does not know a word refuses the file, so usual ones are left out."""

    vocab: Positive
    hidden: Positive
    layers: Positive
    heads: Positive
    kv_heads: Positive
    head_dim: Positive
    ffn: Positive
    gated: bool
    norm: Norm
    biases: bool
    qkv_biases: bool
    tied_head: bool
    positions: Whole
    remainder: Whole
    dropout: Annotated[float, msgspec.Meta(ge=0, le=1)]
    fused: bool = False
    gelu_steps: bool = False
    norm_offset: bool = False
    norms_after: bool = False
    window: Whole = 0
    head_norms: bool = False
    experts: Whole = 0
    experts_used: Whole = 0
    router_fp32: bool = False
    form: StoredForm | None = None
    mixture: StoredMixture | None = None
    latent: StoredLatent | None = None


def store_shape(shape: TransformerShape) -> StoredTransformer:
    """A transformer as a file holds it; what is as in most is left out."""
    values = asdict(shape)
    values |= {"form": None} if shape.form == LLAMA_FORM else {}
    values |= {"mixture": None} if shape.mixture == ONE_MLP else {}
    return msgspec.convert(values, StoredTransformer)


def restore_shape(stored: StoredTransformer) -> TransformerShape:
    """A transformer from what a file holds."""
    values = msgspec.structs.asdict(stored)
    form, mixture, latent = stored.form, stored.mixture, stored.latent
    values |= {
        "form": LLAMA_FORM if form is None else LayerForm(**msgspec.structs.asdict(form)),
        "mixture": ONE_MLP if mixture is None else Mixture(**msgspec.structs.asdict(mixture)),
        "latent": None if latent is None else LatentAttention(**msgspec.structs.asdict(latent)),
    }
    return TransformerShape(**values)
