"""Rotary positions: how each family turns queries and keys, and which tables all layers share.

Nothing of the queries and keys is saved, only the cosines and sines that they are multiplied with. Families
that lay these tables out anew in every layer keep them once a layer. Source: ``apply_rotary_pos_emb`` in
``modeling_*.py`` of transformers 5.24; backward of a slice from ``derivatives.yaml`` (``slice_backward``).
"""

from __future__ import annotations

from collections.abc import Callable

from optmem_gui.core.activations.plan import Plan
from optmem_gui.core.activations.program import Program, promote
from optmem_gui.core.activations.tape import Op, Value
from optmem_gui.core.dtypes import F32, DType
from optmem_gui.core.layer_form import Rotary

HEADS_FIRST: frozenset[Rotary] = frozenset(("joined", "chunks", "pairs", "latent", "complex"))
"""Kinds whose result ``cat`` lays out anew, heads before tokens, and attention's result after it."""

_OWN_TABLES: dict[Rotary, int] = {"pairs": 2, "pairs_each": 4}
"""Tables that every layer makes for itself, for queries and keys together."""


def table_bytes(plan: Plan, dtype: DType) -> tuple[int, int]:
    """Bytes of one table that all layers share, and how many there are.

    Args:
        plan: The step.
        dtype: Type of the residual stream, which tables are made in.
    """
    kind, count = plan.shape.rotary, plan.sequence * plan.shape.turned_dim
    if kind == "none" or (kind in _OWN_TABLES and not plan.span):
        return 0, 0
    if kind == "pairs_each":  # sine and cosine of half the width, which recomputed layers are given
        return dtype.bytes_for(count), 1
    if kind == "halves_wide":
        return F32.bytes_for(count), 2
    if kind == "complex":  # one complex number of two fp32 for each pair
        return F32.bytes_for(count), 1
    return dtype.bytes_for(count // 2 if kind == "chunks" else count), 2


def rotate(program: Program, plan: Plan, x: Value, dtype: DType) -> Value:
    """Turn the part of every head that carries the position.

    Args:
        program: Where to.
        plan: The step.
        x: Queries or keys.
        dtype: Type of the tables.
    """
    shape = plan.shape
    turn = _TURNS[shape.rotary]
    if shape.rotary not in ("joined", "pairs", "pairs_each"):
        return turn(program, plan, x, dtype)
    heads = x.count // shape.head_dim
    turned, rest = program.views(
        x, (heads * shape.turned_dim, heads * (shape.head_dim - shape.turned_dim)), joined=False
    )
    return program.join((turn(program, plan, turned, dtype), rest), "attention")


def _halves(program: Program, _plan: Plan, x: Value, dtype: DType) -> Value:
    """``x * cos + cat(-x2, x1) * sin``: backward makes a full-size zero tensor for each of the two slices."""
    half = program.value(x.count // 2, x.dtype, x.needs_grad)
    program.ops.append(Op((x,), half, backward_scratch=x.size_bytes))
    swapped = program.value(x.count, x.dtype, x.needs_grad)
    program.ops.append(Op((half, x), swapped))
    return _sum_of_products(program, x, swapped, dtype)


def _halves_wide(program: Program, plan: Plan, x: Value, _dtype: DType) -> Value:
    """OLMo: with tables of fp32, and back."""
    return program.cast(_halves(program, plan, x, F32), x.dtype, "attention")


def _sum_of_products(program: Program, x: Value, swapped: Value, dtype: DType) -> Value:
    wide = promote(x.dtype, dtype)
    by_cos, by_sin = (program.value(x.count, wide, x.needs_grad) for _ in range(2))
    program.ops.append(Op((x,), by_cos))
    program.ops.append(Op((swapped,), by_sin))
    return program.add(by_cos, by_sin, "attention")


def _own_tables(program: Program, plan: Plan, x: Value, dtype: DType) -> Value:
    """Even and odd elements are pairs; cosines and sines are repeated for them in every layer."""
    count, shape = plan.sequence * plan.shape.turned_dim, plan.shape
    # queries and keys share two tables (GLM-4) or have two each (GPT-J): half of all for each of the two
    tables = [program.value(count, dtype, False, "rotary") for _ in range(_OWN_TABLES[shape.rotary] // 2)]
    half = program.value(x.count // 2, x.dtype, x.needs_grad)
    program.ops.append(Op((x,), half, backward_scratch=x.size_bytes))
    swapped = program.value(x.count, x.dtype, x.needs_grad)
    program.ops.append(Op((half, x), swapped, tuple(tables) if x.needs_grad else (), tuple(tables)))
    return _sum_of_products(program, x, swapped, dtype)


def _pairs_wide(program: Program, plan: Plan, x: Value, dtype: DType) -> Value:
    """Cohere: in fp32 and back."""
    return program.cast(
        _halves(program, plan, program.cast(x, F32, "attention"), dtype), x.dtype, "attention"
    )


def _chunks(program: Program, _plan: Plan, x: Value, dtype: DType) -> Value:
    """Both halves of a head, each a difference or a sum of two products, and joined."""
    first, second = program.views(x, (x.count // 2, x.count // 2), joined=True)
    return program.join(
        [_two_products(program, a, b, dtype) for a, b in ((first, second), (second, first))], "attention"
    )


def _even_odd(program: Program, _plan: Plan, x: Value, dtype: DType) -> Value:
    """DeepSeek-V3: the same with even and odd elements, which are slices."""
    even, odd = program.views(x, (x.count // 2, x.count // 2), joined=False)
    return program.join(
        [_two_products(program, a, b, dtype) for a, b in ((even, odd), (odd, even))], "attention"
    )


def _two_products(program: Program, a: Value, b: Value, dtype: DType) -> Value:
    wide, needs = promote(a.dtype, dtype), a.needs_grad
    left, right = (program.value(a.count, wide, needs) for _ in range(2))
    program.ops.append(Op((a,), left))
    program.ops.append(Op((b,), right))
    return program.add(left, right, "attention")


def _complex(program: Program, _plan: Plan, x: Value, _dtype: DType) -> Value:
    """DeepSeek-V2: pairs are complex numbers in fp32; the product is copied back."""
    wide = program.cast(x, F32, "attention")
    turned = program.scale(wide, "attention")
    return program.cast(turned, x.dtype, "attention")


_TURNS: dict[Rotary, Callable[[Program, Plan, Value, DType], Value]] = {
    "halves": _halves,
    "halves_wide": _halves_wide,
    "joined": _halves,
    "chunks": _chunks,
    "pairs": _own_tables,
    "pairs_each": _own_tables,
    "pairs_wide": _pairs_wide,
    "latent": _even_odd,
    "complex": _complex,
}
