"""The model families whose tensors follow from their config, each checked against transformers itself.

Source of names, shapes and defaults: ``modeling_*.py`` and ``configuration_*.py`` of transformers 5.24.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from optmem_gui.architectures.fields import Fields
from optmem_gui.core.dtypes import DType
from optmem_gui.core.model import ParameterTensor, Role, Shape
from optmem_gui.core.synthetic import transformer_tensors
from optmem_gui.core.transformer import TransformerShape

Tensors = Callable[[DType], tuple[ParameterTensor, ...]]
Family = Callable[[Fields], tuple[TransformerShape | None, Tensors]]

_Row = tuple[str, Shape, Role]

_CORRECTION = "e_score_correction_bias"
"""DeepSeek-V3's router correction: a parameter in its own code, moved by a rule and never by a gradient."""


def _decoder(fields: Fields, *, qkv_biases: bool = False) -> TransformerShape:
    hidden, heads = fields.count("hidden_size"), fields.count("num_attention_heads")
    return TransformerShape(
        vocab=fields.count("vocab_size"),
        hidden=hidden,
        layers=fields.layers("num_hidden_layers"),
        heads=heads,
        kv_heads=fields.count("num_key_value_heads", heads),
        head_dim=fields.count("head_dim", max(1, hidden // heads)),
        ffn=fields.count("intermediate_size"),
        norm="rms",
        qkv_biases=qkv_biases,
        tied_head=fields.flag("tie_word_embeddings"),
        dropout=fields.ratio("attention_dropout"),
    )


def _llama(fields: Fields) -> tuple[TransformerShape | None, Tensors]:
    """Llama, Mistral: no biases unless ``attention_bias`` or ``mlp_bias`` asks for them."""
    shape = _decoder(fields)
    attention, mlp = fields.flag("attention_bias"), fields.flag("mlp_bias")
    if not attention and not mlp:
        return shape, partial(transformer_tensors, shape)
    rows = [row for layer in range(shape.layers) for row in _block(shape, layer, attention, mlp)]
    return None, partial(_with_outer, shape, rows)


def _qwen2(fields: Fields) -> tuple[TransformerShape | None, Tensors]:
    """Qwen 2 and 2.5: biases on query, key and value only."""
    shape = _decoder(fields, qkv_biases=True)
    return shape, partial(transformer_tensors, shape)


def _qwen3(fields: Fields) -> tuple[TransformerShape | None, Tensors]:
    """Qwen 3: no biases, a norm over each query and key head."""
    shape = _decoder(fields)
    bias = fields.flag("attention_bias")
    rows = []
    for layer in range(shape.layers):
        rows += _block(shape, layer, bias, False)
        rows += _head_norms(shape, layer)
    return None, partial(_with_outer, shape, rows)


def _mixtral(fields: Fields) -> tuple[TransformerShape | None, Tensors]:
    """Mixtral: every MLP is a router and a set of experts, held fused as transformers 5 does."""
    shape = _decoder(fields)
    experts = fields.count("num_local_experts")
    rows = []
    for layer in range(shape.layers):
        rows += _attention(shape, layer, False)
        rows += _experts(f"model.layers.{layer}.mlp.", experts, shape.hidden, shape.ffn)
        rows += _norms(shape, layer)
    return None, partial(_with_outer, shape, rows)


def _qwen3_moe(fields: Fields) -> tuple[TransformerShape | None, Tensors]:
    """Qwen 3 with experts in every layer."""
    shape = _decoder(fields)
    experts, width = fields.count("num_experts"), fields.count("moe_intermediate_size")
    rows = []
    for layer in range(shape.layers):
        rows += _attention(shape, layer, fields.flag("attention_bias"))
        rows += _head_norms(shape, layer)
        rows += _experts(f"model.layers.{layer}.mlp.", experts, shape.hidden, width)
        rows += _norms(shape, layer)
    return None, partial(_with_outer, shape, rows)


def _gpt_oss(fields: Fields) -> tuple[TransformerShape | None, Tensors]:
    """gpt-oss: biases on attention, router and experts, one attention sink a head."""
    shape = _decoder(fields)
    hidden, width = shape.hidden, shape.ffn
    experts = fields.count("num_local_experts")
    rows: list[_Row] = []
    for layer in range(shape.layers):
        prefix = f"model.layers.{layer}."
        rows += _attention(shape, layer, True)
        rows += [
            (f"{prefix}self_attn.sinks", (shape.heads,), Role.ATTENTION),
            (f"{prefix}mlp.router.weight", (experts, hidden), Role.ROUTER),
            (f"{prefix}mlp.router.bias", (experts,), Role.ROUTER),
            (f"{prefix}mlp.experts.gate_up_proj", (experts, hidden, 2 * width), Role.EXPERT),
            (f"{prefix}mlp.experts.gate_up_proj_bias", (experts, 2 * width), Role.EXPERT),
            (f"{prefix}mlp.experts.down_proj", (experts, width, hidden), Role.EXPERT),
            (f"{prefix}mlp.experts.down_proj_bias", (experts, hidden), Role.EXPERT),
            *_norms(shape, layer),
        ]
    return None, partial(_with_outer, shape, rows)


def _deepseek_v3(fields: Fields) -> tuple[TransformerShape | None, Tensors]:
    """DeepSeek-V3: multi-head latent attention, dense layers first, then experts; without the MTP module."""
    hidden, heads = fields.count("hidden_size"), fields.count("num_attention_heads")
    layers, dense = fields.layers("num_hidden_layers"), fields.count("first_k_dense_replace", 0, least=0)
    experts, width = fields.count("n_routed_experts"), fields.count("moe_intermediate_size")
    shared = fields.count("n_shared_experts") * width
    rows: list[_Row] = [("model.embed_tokens.weight", (fields.count("vocab_size"), hidden), Role.EMBEDDING)]
    for layer in range(layers):
        prefix = f"model.layers.{layer}."
        rows += _latent_attention(fields, f"{prefix}self_attn.", hidden, heads)
        if layer < dense:
            rows += _gated(f"{prefix}mlp.", hidden, fields.count("intermediate_size"), Role.MLP)
        else:
            rows.append((f"{prefix}mlp.gate.{_CORRECTION}", (experts,), Role.ROUTER))
            rows += _experts(f"{prefix}mlp.", experts, hidden, width)
            rows += _gated(f"{prefix}mlp.shared_experts.", hidden, shared, Role.EXPERT)
        rows += [
            (f"{prefix}input_layernorm.weight", (hidden,), Role.NORM),
            (f"{prefix}post_attention_layernorm.weight", (hidden,), Role.NORM),
        ]
    rows.append(("model.norm.weight", (hidden,), Role.NORM))
    if not fields.flag("tie_word_embeddings"):
        rows.append(("lm_head.weight", (fields.count("vocab_size"), hidden), Role.HEAD))
    return None, partial(_build, tuple(rows))


def _latent_attention(fields: Fields, prefix: str, hidden: int, heads: int) -> list[_Row]:
    rope, nope = fields.count("qk_rope_head_dim"), fields.count("qk_nope_head_dim")
    value, query_rank = fields.count("v_head_dim"), fields.count("q_lora_rank")
    rank = fields.count("kv_lora_rank")
    return [
        (f"{prefix}q_a_proj.weight", (query_rank, hidden), Role.ATTENTION),
        (f"{prefix}q_a_layernorm.weight", (query_rank,), Role.NORM),
        (f"{prefix}q_b_proj.weight", (heads * (rope + nope), query_rank), Role.ATTENTION),
        (f"{prefix}kv_a_proj_with_mqa.weight", (rank + rope, hidden), Role.ATTENTION),
        (f"{prefix}kv_a_layernorm.weight", (rank,), Role.NORM),
        (f"{prefix}kv_b_proj.weight", (heads * (nope + value), rank), Role.ATTENTION),
        (f"{prefix}o_proj.weight", (hidden, heads * value), Role.ATTENTION),
    ]


def _gpt2(fields: Fields) -> tuple[TransformerShape | None, Tensors]:
    """GPT-2: fused query, key and value in Conv1D layers (in, out), learned positions, tied head."""
    hidden, heads = fields.count("n_embd", 768), fields.count("n_head", 12)
    shape = TransformerShape(
        vocab=fields.count("vocab_size", 50257),
        hidden=hidden,
        layers=fields.layers("n_layer"),
        heads=heads,
        kv_heads=heads,
        head_dim=max(1, hidden // heads),
        ffn=fields.count("n_inner", 4 * hidden),
        gated=False,
        norm="layer",
        biases=True,
        tied_head=fields.flag("tie_word_embeddings", True),
        positions=fields.count("n_positions", 1024),
        dropout=fields.ratio("resid_pdrop", 0.1),
    )
    return shape, partial(_gpt2_tensors, shape)


def _gpt2_tensors(shape: TransformerShape, dtype: DType) -> tuple[ParameterTensor, ...]:
    hidden, ffn = shape.hidden, shape.ffn
    rows: list[_Row] = [
        ("transformer.wte.weight", (shape.vocab, hidden), Role.EMBEDDING),
        ("transformer.wpe.weight", (shape.positions, hidden), Role.EMBEDDING),
    ]
    for layer in range(shape.layers):
        prefix = f"transformer.h.{layer}."
        rows += _with_bias(f"{prefix}ln_1", (hidden,), hidden, Role.NORM)
        rows += _with_bias(f"{prefix}attn.c_attn", (hidden, 3 * hidden), 3 * hidden, Role.ATTENTION)
        rows += _with_bias(f"{prefix}attn.c_proj", (hidden, hidden), hidden, Role.ATTENTION)
        rows += _with_bias(f"{prefix}ln_2", (hidden,), hidden, Role.NORM)
        rows += _with_bias(f"{prefix}mlp.c_fc", (hidden, ffn), ffn, Role.MLP)
        rows += _with_bias(f"{prefix}mlp.c_proj", (ffn, hidden), hidden, Role.MLP)
    rows += _with_bias("transformer.ln_f", (hidden,), hidden, Role.NORM)
    if not shape.tied_head:
        rows.append(("lm_head.weight", (shape.vocab, hidden), Role.HEAD))
    return _build(tuple(rows), dtype)


def _phi3(fields: Fields) -> tuple[TransformerShape | None, Tensors]:
    """Phi-3 and Phi-4-mini: Llama's matrices, query, key and value fused, gate and up fused."""
    shape = _decoder(fields)
    query, value = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    rows: list[_Row] = []
    for layer in range(shape.layers):
        prefix = f"model.layers.{layer}."
        rows += [
            (f"{prefix}self_attn.o_proj.weight", (shape.hidden, query), Role.ATTENTION),
            (f"{prefix}self_attn.qkv_proj.weight", (query + 2 * value, shape.hidden), Role.ATTENTION),
            (f"{prefix}mlp.gate_up_proj.weight", (2 * shape.ffn, shape.hidden), Role.MLP),
            (f"{prefix}mlp.down_proj.weight", (shape.hidden, shape.ffn), Role.MLP),
            *_norms(shape, layer),
        ]
    return shape, partial(_with_outer, shape, rows)


def _gpt_neox(fields: Fields) -> tuple[TransformerShape | None, Tensors]:
    """GPT-NeoX and Pythia: biases everywhere, fused query, key and value, both sublayers in parallel."""
    hidden, ffn = fields.count("hidden_size"), fields.count("intermediate_size")
    embedding = (fields.count("vocab_size"), hidden)
    rows: list[_Row] = [("gpt_neox.embed_in.weight", embedding, Role.EMBEDDING)]
    for layer in range(fields.layers("num_hidden_layers")):
        prefix = f"gpt_neox.layers.{layer}."
        fused = (3 * hidden, hidden)
        rows += _with_bias(f"{prefix}input_layernorm", (hidden,), hidden, Role.NORM)
        rows += _with_bias(f"{prefix}post_attention_layernorm", (hidden,), hidden, Role.NORM)
        rows += _with_bias(f"{prefix}attention.query_key_value", fused, fused[0], Role.ATTENTION)
        rows += _with_bias(f"{prefix}attention.dense", (hidden, hidden), hidden, Role.ATTENTION)
        rows += _with_bias(f"{prefix}mlp.dense_h_to_4h", (ffn, hidden), ffn, Role.MLP)
        rows += _with_bias(f"{prefix}mlp.dense_4h_to_h", (hidden, ffn), hidden, Role.MLP)
    rows += _with_bias("gpt_neox.final_layer_norm", (hidden,), hidden, Role.NORM)
    if not fields.flag("tie_word_embeddings"):
        rows.append(("lm_head.weight", embedding, Role.HEAD))
    return None, partial(_build, tuple(rows))


def _block(shape: TransformerShape, layer: int, attention_bias: bool, mlp_bias: bool) -> list[_Row]:
    prefix = f"model.layers.{layer}.mlp."
    mlp = _gated(prefix, shape.hidden, shape.ffn, Role.MLP)
    if mlp_bias:
        mlp += [(name.replace("weight", "bias"), size[:1], Role.BIAS) for name, size, _ in mlp]
    return [*_attention(shape, layer, attention_bias), *mlp, *_norms(shape, layer)]


def _attention(shape: TransformerShape, layer: int, bias: bool) -> list[_Row]:
    prefix = f"model.layers.{layer}.self_attn."
    query, value = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    sizes = {
        "q_proj": (query, shape.hidden),
        "k_proj": (value, shape.hidden),
        "v_proj": (value, shape.hidden),
        "o_proj": (shape.hidden, query),
    }
    rows: list[_Row] = [(f"{prefix}{name}.weight", size, Role.ATTENTION) for name, size in sizes.items()]
    if bias:
        rows += [(f"{prefix}{name}.bias", size[:1], Role.BIAS) for name, size in sizes.items()]
    return rows


def _head_norms(shape: TransformerShape, layer: int) -> list[_Row]:
    prefix = f"model.layers.{layer}.self_attn."
    return [(f"{prefix}{name}_norm.weight", (shape.head_dim,), Role.NORM) for name in ("q", "k")]


def _norms(shape: TransformerShape, layer: int) -> list[_Row]:
    names = ("input_layernorm", "post_attention_layernorm")
    return [(f"model.layers.{layer}.{name}.weight", (shape.hidden,), Role.NORM) for name in names]


def _gated(prefix: str, hidden: int, width: int, role: Role) -> list[_Row]:
    return [
        (f"{prefix}gate_proj.weight", (width, hidden), role),
        (f"{prefix}up_proj.weight", (width, hidden), role),
        (f"{prefix}down_proj.weight", (hidden, width), role),
    ]


def _experts(prefix: str, experts: int, hidden: int, width: int) -> list[_Row]:
    return [
        (f"{prefix}gate.weight", (experts, hidden), Role.ROUTER),
        (f"{prefix}experts.gate_up_proj", (experts, 2 * width, hidden), Role.EXPERT),
        (f"{prefix}experts.down_proj", (experts, hidden, width), Role.EXPERT),
    ]


def _with_bias(name: str, shape: Shape, width: int, role: Role) -> list[_Row]:
    bias = Role.NORM if role is Role.NORM else Role.BIAS
    return [(f"{name}.weight", shape, role), (f"{name}.bias", (width,), bias)]


def _with_outer(shape: TransformerShape, rows: list[_Row], dtype: DType) -> tuple[ParameterTensor, ...]:
    head = () if shape.tied_head else (("lm_head.weight", (shape.vocab, shape.hidden), Role.HEAD),)
    whole = (
        ("model.embed_tokens.weight", (shape.vocab, shape.hidden), Role.EMBEDDING),
        *rows,
        ("model.norm.weight", (shape.hidden,), Role.NORM),
        *head,
    )
    return _build(whole, dtype)


def _build(rows: tuple[_Row, ...], dtype: DType) -> tuple[ParameterTensor, ...]:
    return tuple(
        ParameterTensor(name, shape, dtype, role, trainable=not name.endswith(_CORRECTION))
        for name, shape, role in rows
    )


FAMILIES: dict[str, Family] = {
    "llama": _llama,
    "mistral": _llama,
    "ministral": _llama,
    "qwen2": _qwen2,
    "qwen3": _qwen3,
    "qwen3_moe": _qwen3_moe,
    "mixtral": _mixtral,
    "gpt_oss": _gpt_oss,
    "deepseek_v3": _deepseek_v3,
    "phi3": _phi3,
    "gpt_neox": _gpt_neox,
    "gpt2": _gpt2,
}
"""By ``model_type``. To add a family, add one function and one line here."""
