"""Queries, keys and values: from three products, from one, or from compressed tensors.

Source: the attention classes in ``modeling_*.py`` of transformers 5.24.
"""

from __future__ import annotations

from optmem_gui.core.activations.norms import apply_norm
from optmem_gui.core.activations.plan import Plan
from optmem_gui.core.activations.program import Program
from optmem_gui.core.activations.rotary import rotate
from optmem_gui.core.activations.tape import Op, Value
from optmem_gui.core.dtypes import DType
from optmem_gui.core.layer_form import LatentAttention

QueryKeyValue = tuple[Value, Value, Value]


def project(program: Program, plan: Plan, x: Value, stream: DType) -> QueryKeyValue:
    """Queries, keys and values with their positions.

    Args:
        program: Where to.
        plan: The step.
        x: What attention reads.
        stream: Type of the residual stream, which the rotary tables are made in.
    """
    shape = plan.shape
    if shape.latent is not None:
        return _latent(program, plan, x, shape.latent, stream)
    q, k, v = _from_one(program, plan, x) if shape.fused else _from_three(program, plan, x)
    if shape.form.scaled_queries:
        q = program.scale(q, "attention")
    if shape.rotary != "none":
        q, k = (rotate(program, plan, part, stream) for part in (q, k))
    return q, k, v


def _from_one(program: Program, plan: Plan, x: Value) -> QueryKeyValue:
    """Views of one product."""
    shape, tokens = plan.shape, plan.token_count
    both = program.linear(x, plan.matrix("qkv_proj"), tokens, "attention")
    counts = [tokens * heads * shape.head_dim for heads in (shape.heads, shape.kv_heads, shape.kv_heads)]
    q, k, v = program.views(both, counts, joined=shape.form.joined_heads)
    return q, k, v


def _from_three(program: Program, plan: Plan, x: Value) -> QueryKeyValue:
    """With head norms each is normed before the next is projected."""
    shape, tokens = plan.shape, plan.token_count
    found = []
    for leaf, heads in (("q_proj", shape.heads), ("k_proj", shape.kv_heads), ("v_proj", 0)):
        part = program.linear(x, plan.matrix(leaf), tokens, "attention")
        if shape.head_norms and heads:
            rows = tokens * (1 if shape.form.whole_head_norms else heads)
            part = apply_norm(program, plan, part, f"{leaf[0]}_norm", rows=rows, label="attention")
        found.append(part)
    q, k, v = found
    return q, k, v


def _latent(program: Program, plan: Plan, x: Value, latent: LatentAttention, stream: DType) -> QueryKeyValue:
    """Multi-head latent attention: keys are written into a new tensor, values stay a view."""
    tokens, heads = plan.token_count, plan.shape.heads
    if latent.query_rank:
        small = program.linear(x, plan.matrix("q_a_proj"), tokens, "attention")
        small = apply_norm(program, plan, small, "q_a_layernorm", rows=tokens)
        whole = program.linear(small, plan.matrix("q_b_proj"), tokens, "attention")
    else:
        whole = program.linear(x, plan.matrix("q_proj"), tokens, "attention")
    sizes = tuple(tokens * heads * width for width in (latent.plain_dim, latent.rotary_dim))
    q_pass, q_turn = program.views(whole, sizes, joined=True)
    both = program.linear(x, plan.matrix("kv_a_proj_with_mqa"), tokens, "attention")
    small, k_turn = program.views(both, (tokens * latent.rank, tokens * latent.rotary_dim), joined=True)
    small = apply_norm(program, plan, small, "kv_a_layernorm", rows=tokens)
    q_turn, k_turn = (rotate(program, plan, part, stream) for part in (q_turn, k_turn))
    q = program.join((q_pass, q_turn), "attention")
    wide = program.linear(small, plan.matrix("kv_b_proj"), tokens, "attention")
    sizes = tuple(tokens * heads * width for width in (latent.plain_dim, latent.value_dim))
    k_pass, v = program.views(wide, sizes, joined=True)
    k = program.value(q.count, wide.dtype, wide.needs_grad or k_turn.needs_grad, "attention")
    # written part by part (``CopySlices``): each copies the whole gradient before it takes its part
    program.ops.append(Op((k_pass, k_turn), k, backward_scratch=k.size_bytes))
    return q, k, v
