"""Gemma: Llama with norms that scale by one plus their weight, and later ones after each sublayer, too.

Source of names, order, shapes and defaults: ``modeling_*.py``, ``configuration_*.py`` of transformers 5.24.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from optmem_gui.architectures.decoders import (
    BLOCK_NORMS,
    QKVO,
    attention,
    dense,
    dimensions,
    head_norms,
    language_model,
    norms,
    stack,
    ties,
)
from optmem_gui.architectures.fields import Fields
from optmem_gui.architectures.rows import Layout, Row, gated
from optmem_gui.core.layer_form import LayerForm
from optmem_gui.core.transformer import TransformerShape

FOUR_NORMS = (*BLOCK_NORMS, "pre_feedforward_layernorm", "post_feedforward_layernorm")


def gemma(fields: Fields) -> Layout:
    """Gemma 1: Llama's tensors, a head that is tied."""
    shape = replace(dimensions(fields, tied=True), norm_offset=True)
    biased = QKVO if fields.flag("attention_bias") else ()
    return dense(fields, shape, biased=biased, known=True)


def gemma2(fields: Fields) -> Layout:
    """Gemma 2: four norms a layer, caps on scores and logits, every other layer looks back at a window."""
    shape = replace(
        dimensions(fields, tied=True),
        norm_offset=True,
        norms_after=True,
        window=fields.count("sliding_window", 4096),
        form=_capped(fields),
    )
    biased = QKVO if fields.flag("attention_bias") else ()
    return dense(fields, shape, biased=biased, names=FOUR_NORMS, known=True)


def _capped(fields: Fields) -> LayerForm:
    """The caps, which the class has unless its config says null."""
    return LayerForm(
        scores="softmax" if fields.says_null("attn_logit_softcapping") else "capped",
        capped_logits=not fields.says_null("final_logit_softcapping"),
    )


def gemma3_block(shape: TransformerShape, bias: bool) -> Callable[[str, int], list[Row]]:
    """A layer of Gemma 3: four norms, and one over each query and key head."""

    def block(prefix: str, _layer: int) -> list[Row]:
        return [
            *attention(prefix, shape, QKVO if bias else ()),
            *head_norms(prefix, shape.head_dim, shape.head_dim),
            *gated(f"{prefix}mlp.", shape.hidden, shape.ffn),
            *norms(prefix, shape.hidden, FOUR_NORMS),
        ]

    return block


def gemma3_text(fields: Fields) -> Layout:
    """Gemma 3 without its image tower."""
    shape = gemma3_shape(fields)
    rows = stack(fields, shape, gemma3_block(shape, fields.flag("attention_bias")))
    return Layout(tuple(rows), gemma3_known(fields, shape), tied=ties(fields, shape))


def gemma3_shape(fields: Fields) -> TransformerShape:
    """Dimensions of Gemma 3: five layers of six look back at a window."""
    return replace(
        dimensions(fields, tied=True),
        norm_offset=True,
        norms_after=True,
        head_norms=True,
        window=fields.count("sliding_window", 4096),
    )


def gemma3_known(fields: Fields, shape: TransformerShape) -> TransformerShape | None:
    """The dimensions, where the rules for activations hold: no caps on logits."""
    capped = any(fields.flag(name) for name in ("final_logit_softcapping", "attn_logit_softcapping"))
    return None if capped else language_model(fields, shape)
