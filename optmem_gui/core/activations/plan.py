"""A training step reduced to what its activations depend on, small enough to be a cache key."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from optmem_gui.core.activations.choice import checkpoint_span
from optmem_gui.core.activations.program import Matrix
from optmem_gui.core.dtypes import F32, INT8, NF4, DType
from optmem_gui.core.layout import ALLOCATION_BYTES, Layout, is_target
from optmem_gui.core.model import Role, TensorGroup
from optmem_gui.core.scenario import Attention, Loss, Scenario
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


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything the arithmetic needs.

    Attributes:
        shape: Dimensions.
        batch: Sequences a micro-batch.
        sequence: Tokens of each.
        matrices: The weights of one layer and outside.
        autocast: Type of autocast's casts.
        attention: Kernel asked for.
        loss: Form of the loss.
        span: Layers recomputed as one unit, 0 for none.
        recompute_attention: Only the attention core is recomputed.
        keep_logits: The loop holds the logits through the step.
        cpu: The CPU's rules apply.
        accumulating: Gradients exist before the micro-batch that is described.
        inputs_need_grad: The embedding's output is made to need a gradient although its weights are
            frozen (PEFT with gradient checkpointing).
        unit: Allocation granularity, bytes.
        embeds: The embedding is on this GPU; else its output comes from another one.
        heads: The head and the loss are on this GPU; else the gradient comes from another one.
        along: Tensor-parallel ranks among which tokens of the residual stream are split (sequence parallel).
    """

    shape: TransformerShape
    batch: int
    sequence: int
    matrices: Matrices
    autocast: DType | None
    attention: Attention
    loss: Loss
    span: int
    recompute_attention: bool
    keep_logits: bool
    cpu: bool
    accumulating: bool
    inputs_need_grad: bool
    unit: int
    embeds: bool = True
    heads: bool = True
    along: int = 1

    @property
    def token_count(self) -> int:
        """Tokens of a micro-batch."""
        return self.batch * self.sequence

    @property
    def stream_count(self) -> int:
        """Tokens of the residual stream, on which norms and dropout work."""
        return self.batch * -(-self.sequence // self.along)

    def matrix(self, leaf: str) -> Matrix:
        """A weight by the name of its module."""
        return self.matrices.by_leaf[leaf]


def make_plan(shape: TransformerShape, scenario: Scenario, layout: Layout, batch: int, sequence: int) -> Plan:
    """Reduce a scenario.

    Raises:
        UserError: The kind of checkpointing is not known.
    """
    span = checkpoint_span(scenario.checkpointing)
    cpu = scenario.target == "cpu"
    return Plan(
        shape=shape,
        batch=batch,
        sequence=sequence,
        matrices=Matrices(tuple(_matrices(shape, scenario, layout))),
        autocast=layout.scheme.autocast,
        attention=scenario.attention,
        loss=scenario.loss,
        span=min(span, shape.layers),
        recompute_attention=scenario.checkpointing == "attention",
        keep_logits=scenario.keep_logits,
        cpu=cpu,
        accumulating=scenario.accumulate > 1 or not scenario.set_to_none,
        inputs_need_grad=scenario.lora is not None and span > 0,
        unit=1 if cpu else ALLOCATION_BYTES,
        along=scenario.parallel.tp if scenario.parallel.sequence_parallel else 1,
    )


def _matrices(shape: TransformerShape, scenario: Scenario, layout: Layout) -> Iterable[tuple[str, Matrix]]:
    hidden, ffn = shape.hidden, shape.ffn
    query, value = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    qkv, norm = shape.biases or shape.qkv_biases, shape.norm == "layer" and shape.biases
    rows: list[tuple[str, int, int, Role, bool]] = [
        ("embed_tokens", shape.vocab, hidden, Role.EMBEDDING, False),
        ("embed_positions", shape.positions, hidden, Role.EMBEDDING, False),
        ("q_proj", query, hidden, Role.ATTENTION, qkv),
        ("k_proj", value, hidden, Role.ATTENTION, qkv),
        ("v_proj", value, hidden, Role.ATTENTION, qkv),
        ("qkv_proj", query + 2 * value, hidden, Role.ATTENTION, qkv),
        ("o_proj", hidden, query, Role.ATTENTION, shape.biases),
        ("q_norm", shape.head_dim, 1, Role.NORM, False),
        ("k_norm", shape.head_dim, 1, Role.NORM, False),
        ("gate_proj", ffn, hidden, Role.MLP, shape.biases),
        ("up_proj", ffn, hidden, Role.MLP, shape.biases),
        ("gate_up_proj", 2 * ffn, hidden, Role.MLP, shape.biases),
        ("down_proj", hidden, ffn, Role.MLP, shape.biases),
        ("gate", shape.experts, hidden, Role.ROUTER, False),
        ("experts.gate_up_proj", shape.experts * 2 * ffn, hidden, Role.EXPERT, False),
        ("experts.down_proj", shape.experts * hidden, ffn, Role.EXPERT, False),
        ("input_layernorm", hidden, 1, Role.NORM, norm),
        ("post_attention_layernorm", hidden, 1, Role.NORM, norm),
        ("pre_feedforward_layernorm", hidden, 1, Role.NORM, norm),
        ("post_feedforward_layernorm", hidden, 1, Role.NORM, norm),
        ("norm", hidden, 1, Role.NORM, norm),
        ("lm_head", shape.vocab, hidden, Role.EMBEDDING if shape.tied_head else Role.HEAD, False),
        ("remainder", shape.remainder, 1, Role.OTHER, False),
    ]
    by_leaf = {placed.group.leaf: placed for placed in layout.placed if placed.group.field == "weight"}
    by_role = {placed.group.role: placed for placed in reversed(layout.placed)}
    if shape.tied_head and "embed_tokens" in by_leaf:
        by_leaf["lm_head"] = by_leaf["embed_tokens"]
    adapter = next((p.weights for p in layout.placed if p.group.role is Role.ADAPTER), F32)
    for leaf, out_features, in_features, role, bias in rows:
        placed = by_leaf.get(leaf) or by_role.get(role) or layout.placed[0]
        group = TensorGroup((out_features, in_features), F32, role, leaf, "weight", True, 1)
        linear = role not in _NO_MODULE
        targeted = linear and scenario.lora is not None and is_target(group, scenario.lora.targets)
        packed = placed.weights in (NF4, INT8)
        dtype = layout.scheme.compute if packed else placed.weights
        yield (
            leaf,
            Matrix(
                rows=out_features,
                columns=in_features,
                dtype=dtype,
                trained=placed.trainable,
                gradient=placed.gradients or dtype,
                bias=bias,
                packed=packed,
                keeps_input=placed.weights == INT8,
                rank=scenario.lora.rank if scenario.lora is not None and targeted else 0,
                adapter=adapter,
                waits=shape.tied_head and leaf == "lm_head",
            ),
        )
