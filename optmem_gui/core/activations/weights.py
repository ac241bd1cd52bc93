"""The weights of a step, found among those of the model by the names that families give them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from optmem_gui.core.activations.program import Matrix
from optmem_gui.core.dtypes import F32, INT8, NF4
from optmem_gui.core.layout import Layout, PlacedGroup, is_target
from optmem_gui.core.model import Role, TensorGroup
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.transformer import TransformerShape

_NO_MODULE = (Role.ROUTER, Role.EXPERT)
"""Weights that transformers 5 keeps outside of linear layers, which adapters therefore pass over."""


@dataclass(frozen=True, slots=True)
class Matrices:
    """The weights of one layer and outside, hashed once: every size of a micro-batch has the same.

    Attributes:
        rows: Module names and weights.
        by_leaf: The same to look up.
    """

    rows: tuple[tuple[str, Matrix], ...]
    by_leaf: dict[str, Matrix] = field(init=False, repr=False, compare=False)
    _hashed: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_leaf", dict(self.rows))
        object.__setattr__(self, "_hashed", hash(self.rows))

    def __hash__(self) -> int:
        return self._hashed


class _Row(NamedTuple):
    """One weight.

    Attributes:
        name: How the programs call it.
        out: Output features.
        into: Input features.
        role: What it does.
        leaves: Other names that families give its module.
    """

    name: str
    out: int
    into: int
    role: Role
    leaves: tuple[str, ...] = ()


def find_matrices(shape: TransformerShape, scenario: Scenario, layout: Layout) -> Matrices:
    """The weights of one layer and outside.

    Args:
        shape: Dimensions.
        scenario: The set-up.
        layout: Where its parameters live.
    """
    return Matrices(tuple(_matrices(shape, scenario, layout)))


def _rows(shape: TransformerShape) -> Iterator[_Row]:
    hidden = shape.hidden
    head = Role.EMBEDDING if shape.tied_head else Role.HEAD
    yield _Row("embed_tokens", shape.vocab, hidden, Role.EMBEDDING, ("wte", "word_embeddings", "embed_in"))
    yield _Row("embed_positions", shape.positions, hidden, Role.EMBEDDING, ("wpe",))
    yield from _attention_rows(shape)
    yield from _mlp_rows(shape)
    first, second = ("ln_1", "ln_attn", "self_attn_layer_norm", "norm_1"), ("ln_2", "ln_mlp", "norm_2")
    yield _Row("input_layernorm", hidden, 1, Role.NORM, first)
    yield _Row("post_attention_layernorm", hidden, 1, Role.NORM, (*second, "post_self_attn_layernorm"))
    yield _Row("pre_feedforward_layernorm", hidden, 1, Role.NORM)
    yield _Row("post_feedforward_layernorm", hidden, 1, Role.NORM, ("post_mlp_layernorm",))
    last = ("ln_f", "final_layernorm", "final_layer_norm", "norm_f")
    yield _Row("norm", hidden, 1, Role.NORM, last)
    yield _Row("embed_norm", hidden, 1, Role.NORM, ("word_embeddings_layernorm",))
    yield _Row("lm_head", shape.vocab, hidden, head, ("embed_out",))
    yield _Row("remainder", shape.remainder, 1, Role.OTHER)


def _attention_rows(shape: TransformerShape) -> Iterator[_Row]:
    hidden, latent, role = shape.hidden, shape.latent, Role.ATTENTION
    query, key = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    yield _Row("q_proj", query, hidden, role)
    yield _Row("k_proj", key, hidden, role)
    yield _Row("v_proj", key, hidden, role)
    yield _Row("qkv_proj", query + 2 * key, hidden, role, ("query_key_value", "c_attn", "Wqkv"))
    result = shape.heads * shape.value_dim
    yield _Row("o_proj", hidden, result, role, ("out_proj", "dense", "c_proj"))
    # one number for each element of a head, or of all heads
    whole = shape.form.whole_head_norms or shape.norm == "layer_steps"
    yield _Row("q_norm", query if whole else shape.head_dim, 1, Role.NORM)
    yield _Row("k_norm", key if whole else shape.head_dim, 1, Role.NORM)
    if latent is None:
        return
    yield _Row("q_a_proj", latent.query_rank, hidden, role)
    yield _Row("q_a_layernorm", latent.query_rank, 1, Role.NORM)
    yield _Row("q_b_proj", query, latent.query_rank, role)
    yield _Row("kv_a_proj_with_mqa", latent.rank + latent.rotary_dim, hidden, role)
    yield _Row("kv_a_layernorm", latent.rank, 1, Role.NORM)
    yield _Row("kv_b_proj", shape.heads * (latent.plain_dim + latent.value_dim), latent.rank, role)


def _mlp_rows(shape: TransformerShape) -> Iterator[_Row]:
    hidden, ffn, role, mixture = shape.hidden, shape.ffn, Role.MLP, shape.mixture
    inner = mixture.dense_ffn or ffn
    yield _Row("gate_proj", inner, hidden, role)
    yield _Row("up_proj", inner, hidden, role, ("fc1", "fc_in", "dense_h_to_4h", "c_fc"))
    yield _Row("gate_up_proj", 2 * inner, hidden, role)
    yield _Row("down_proj", hidden, inner, role, ("fc2", "fc_out", "dense_4h_to_h", "c_proj"))
    if not shape.experts:
        return
    yield _Row("gate", shape.experts, hidden, Role.ROUTER, ("router",))
    yield _Row("experts.gate_up_proj", shape.experts * 2 * ffn, hidden, Role.EXPERT)
    yield _Row("experts.down_proj", shape.experts * hidden, ffn, Role.EXPERT)
    shared = mixture.shared_ffn
    yield _Row("shared.gate_proj", shared, hidden, Role.EXPERT, ("gate_proj",))
    yield _Row("shared.up_proj", shared, hidden, Role.EXPERT, ("up_proj",))
    yield _Row("shared.down_proj", hidden, shared, Role.EXPERT, ("down_proj",))
    yield _Row("shared_expert_gate", 1, hidden, Role.ROUTER)


class _Found:
    """The parameters of a layout, looked up by what they are."""

    def __init__(self, shape: TransformerShape, layout: Layout) -> None:
        weights = [placed for placed in layout.placed if placed.group.field == "weight"]
        self._exact = {(placed.group.leaf, placed.group.role): placed for placed in weights}
        self._by_leaf = {placed.group.leaf: placed for placed in weights}
        self._by_role = {placed.group.role: placed for placed in reversed(layout.placed)}
        self._biased = {placed.group.leaf for placed in layout.placed if placed.group.field == "bias"}
        self._first = layout.placed[0]
        self._tied = shape.tied_head

    def weight(self, row: _Row) -> PlacedGroup:
        """The group of a weight; where none has its name, one that does the same."""
        if self._tied and row.name == "lm_head":
            row = row._replace(name="embed_tokens", leaves=("wte", "word_embeddings", "embed_in"))
        names = (row.name, *row.leaves)
        exact = (self._exact[name, row.role] for name in names if (name, row.role) in self._exact)
        close = (self._by_leaf[name] for name in names if name in self._by_leaf)
        return next(exact, None) or next(close, None) or self._by_role.get(row.role) or self._first

    def has_bias(self, row: _Row, placed: PlacedGroup) -> bool:
        """Whether its module has a bias, too."""
        leaf = placed.group.leaf
        return leaf in self._biased and leaf in (row.name, *row.leaves)


def _matrices(shape: TransformerShape, scenario: Scenario, layout: Layout) -> Iterable[tuple[str, Matrix]]:
    found = _Found(shape, layout)
    adapter = next((p.weights for p in layout.placed if p.group.role is Role.ADAPTER), F32)
    for row in _rows(shape):
        placed = found.weight(row)
        leaf = placed.group.leaf if placed.group.leaf in row.leaves else row.name
        group = TensorGroup((row.out, row.into), F32, row.role, leaf, "weight", True, 1)
        linear = row.role not in _NO_MODULE
        targeted = linear and scenario.lora is not None and is_target(group, scenario.lora.targets)
        packed = placed.weights in (NF4, INT8)
        dtype = layout.scheme.compute if packed else placed.weights
        yield (
            row.name,
            Matrix(
                rows=row.out,
                columns=row.into,
                dtype=dtype,
                trained=placed.trainable,
                gradient=placed.gradients or dtype,
                bias=found.has_bias(row, placed),
                packed=packed,
                keeps_input=placed.weights == INT8,
                rank=scenario.lora.rank if scenario.lora is not None and targeted else 0,
                adapter=adapter,
                waits=shape.tied_head and row.name == "lm_head",
            ),
        )
