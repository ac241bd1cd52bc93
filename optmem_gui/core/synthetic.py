"""A transformer of exactly N parameters, for when only a number is known.

The proportions are those of published decoders: head size 128, one layer a 128 units of width, an MLP
of 8/3 of the width with three matrices (Touvron et al., arXiv 2302.13971), an untied head. What the
grid of widths and depths leaves over goes into the MLP width, then the vocabulary, and the last few
elements into one vector, so that every total is met exactly.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from optmem_gui.core.dtypes import F32, DType
from optmem_gui.core.model import (
    ModelRef,
    ModelSpec,
    ParameterTensor,
    Role,
    Source,
    fingerprint,
    group_model,
)
from optmem_gui.core.transformer import TransformerShape
from optmem_gui.core.units import format_short_count

_FULL_VOCAB = 32_000
_WIDTHS = (
    *range(16, 64, 16),
    *range(64, 512, 64),
    *range(512, 2048, 256),
    *range(2048, 8192, 512),
    *range(8192, 32768, 1024),
    *range(32768, 262_145, 8192),
)


def synthetic_shape(param_count: int) -> TransformerShape | None:
    """Dimensions whose parameters sum to exactly ``param_count``; None below the smallest transformer."""
    best: TransformerShape | None = None
    for hidden in _WIDTHS:
        shape = _smallest(hidden, param_count)
        if shape_count(shape) > param_count:
            break
        best = shape
    return None if best is None else _stretch(best, param_count)


def shape_count(shape: TransformerShape) -> int:
    """Parameters of a shape, from the tensors themselves."""
    layer = sum(tensor.numel for tensor in layer_tensors(shape, 0))
    rest = sum(tensor.numel for tensor in outer_tensors(shape))
    return shape.layers * layer + rest


def synthetic_title(param_count: int) -> str:
    """What a model made from its size alone is called."""
    return f"{format_short_count(param_count)} parameters"


def synthetic_model(param_count: int) -> ModelSpec:
    """A model of exactly ``param_count`` parameters.

    Args:
        param_count: At least 1. Below the smallest transformer (3,632) it is a single vector.
    """
    title = synthetic_title(param_count)
    shape = synthetic_shape(param_count)
    if shape is None:
        vector = ParameterTensor("remainder", (param_count,), F32)
        return ModelSpec(title, Source.SYNTHETIC, (vector,))
    return ModelSpec(title, Source.SYNTHETIC, transformer_tensors(shape), architecture=shape)


def transformer_ref(title: str, source: Source, shape: TransformerShape, dtype: DType = F32) -> ModelRef:
    """The groups of a decoder without a row for every layer: two blocks are laid out and counted up."""
    few = min(2, shape.layers)
    spec = ModelSpec(
        title, source, transformer_tensors(replace(shape, layers=few), dtype), architecture=shape
    )
    ref = group_model(spec)
    inner = {(t.shape, t.name.split(".")[-2]) for t in layer_tensors(shape, 0)}
    groups = tuple(
        replace(group, count=group.count // few * shape.layers)
        if (group.shape, group.leaf) in inner
        else group
        for group in ref.groups
    )
    return replace(ref, groups=groups, fingerprint=fingerprint(groups))


def synthetic_ref(param_count: int) -> ModelRef:
    """The groups of :func:`synthetic_model`, at a cost that does not depend on the count."""
    shape = synthetic_shape(param_count)
    if shape is None:
        return group_model(synthetic_model(param_count))
    return transformer_ref(synthetic_title(param_count), Source.SYNTHETIC, shape)


def _smallest(hidden: int, param_count: int) -> TransformerShape:
    head_dim = 128 if hidden >= 1024 and hidden % 128 == 0 else min(64, hidden)
    heads = hidden // head_dim
    vocab = max(32, min(_FULL_VOCAB, param_count // (8 * hidden)) // 32 * 32)
    ffn = max(32, round(8 * hidden / 3 / 32) * 32)
    layers = max(1, hidden // 128)
    return TransformerShape(vocab, hidden, layers, heads, heads, head_dim, ffn)


def _stretch(shape: TransformerShape, param_count: int) -> TransformerShape:
    """Spend what is left over on depth, then MLP width, then vocabulary, then the last vector."""
    layer = sum(tensor.numel for tensor in layer_tensors(shape, 0))
    shape = replace(shape, layers=shape.layers + (param_count - shape_count(shape)) // layer)
    step = 32
    wider = (param_count - shape_count(shape)) // (3 * shape.hidden * shape.layers * step)
    shape = replace(shape, ffn=shape.ffn + step * wider)
    rows = (param_count - shape_count(shape)) // (2 * shape.hidden)
    shape = replace(shape, vocab=shape.vocab + rows)
    return replace(shape, remainder=param_count - shape_count(shape))


def transformer_tensors(shape: TransformerShape, dtype: DType = F32) -> tuple[ParameterTensor, ...]:
    """Every parameter of a decoder, in the order ``nn.Module.parameters`` gives them."""
    outer = outer_tensors(shape, dtype)
    first = tuple(t for t in outer if t.role is Role.EMBEDDING)
    last = tuple(t for t in outer if t.role is not Role.EMBEDDING)
    blocks = tuple(tensor for layer in range(shape.layers) for tensor in layer_tensors(shape, layer, dtype))
    return (*first, *blocks, *last)


def layer_tensors(shape: TransformerShape, layer: int, dtype: DType = F32) -> tuple[ParameterTensor, ...]:
    """Parameters of one block, named as Hugging Face's Llama names them."""
    hidden, ffn = shape.hidden, shape.ffn
    query, value = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    qkv = shape.biases or shape.qkv_biases
    gate = [_Module("mlp.gate_proj", (ffn, hidden), Role.MLP, shape.biases)] if shape.gated else []
    names = ("q_norm", "k_norm") if shape.head_norms else ()
    modules = [
        _Module("self_attn.q_proj", (query, hidden), Role.ATTENTION, qkv),
        _Module("self_attn.k_proj", (value, hidden), Role.ATTENTION, qkv),
        _Module("self_attn.v_proj", (value, hidden), Role.ATTENTION, qkv),
        _Module("self_attn.o_proj", (hidden, query), Role.ATTENTION, shape.biases),
        *(_Module(f"self_attn.{name}", (shape.head_dim,), Role.NORM, False) for name in names),
        *gate,
        _Module("mlp.up_proj", (ffn, hidden), Role.MLP, shape.biases),
        _Module("mlp.down_proj", (hidden, ffn), Role.MLP, shape.biases),
        _Module("input_layernorm", (hidden,), Role.NORM, _norm_bias(shape)),
        _Module("post_attention_layernorm", (hidden,), Role.NORM, _norm_bias(shape)),
    ]
    return tuple(tensor for module in modules for tensor in module.tensors(f"model.layers.{layer}.", dtype))


def outer_tensors(shape: TransformerShape, dtype: DType = F32) -> tuple[ParameterTensor, ...]:
    """Parameters outside the blocks: embeddings, last norm, head, remainder."""
    modules = [_Module("model.embed_tokens", (shape.vocab, shape.hidden), Role.EMBEDDING, False)]
    if shape.positions:
        modules.append(
            _Module("model.embed_positions", (shape.positions, shape.hidden), Role.EMBEDDING, False)
        )
    modules.append(_Module("model.norm", (shape.hidden,), Role.NORM, _norm_bias(shape)))
    if not shape.tied_head:
        modules.append(_Module("lm_head", (shape.vocab, shape.hidden), Role.HEAD, False))
    tensors = tuple(tensor for module in modules for tensor in module.tensors("", dtype))
    if shape.remainder:
        tensors += (ParameterTensor("remainder", (shape.remainder,), dtype),)
    return tensors


def _norm_bias(shape: TransformerShape) -> bool:
    return shape.norm == "layer" and shape.biases


class _Module(NamedTuple):
    """A module with a weight and perhaps a bias."""

    name: str
    shape: tuple[int, ...]
    role: Role
    bias: bool

    def tensors(self, prefix: str, dtype: DType) -> tuple[ParameterTensor, ...]:
        """Its parameters under a prefix."""
        name = f"{prefix}{self.name}"
        weight = ParameterTensor(f"{name}.weight", self.shape, dtype, self.role)
        if not self.bias:
            return (weight,)
        kind = Role.NORM if self.role is Role.NORM else Role.BIAS
        return (weight, ParameterTensor(f"{name}.bias", self.shape[:1], dtype, kind))
