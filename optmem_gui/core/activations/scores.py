"""What eager attention does between its two products, family by family.

Source: ``eager_attention_forward`` and the attention classes in ``modeling_*.py`` of transformers 5.24; saved
tensors from ``derivatives.yaml``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from optmem_gui.core.activations.program import Program
from optmem_gui.core.activations.tape import Op, Value
from optmem_gui.core.dtypes import F32, INT64
from optmem_gui.core.layer_form import Scores

LABEL = "attention_scores"
WIDE_PRODUCT: frozenset[Scores] = frozenset(("wide", "local"))
"""Kinds that widen queries and keys to fp32 before the first product."""

LIKE_QUERIES: frozenset[Scores] = frozenset(("softmax", "capped", "alibi"))
"""Kinds that give probabilities the type of the queries; the others give them that of the values."""


class Rows(Protocol):
    """What this module asks of the sizes of a call."""

    @property
    def row_count(self) -> int:
        """Rows of the score matrix."""

    @property
    def heads(self) -> int:
        """Query heads."""


def bend(program: Program, scores: Value, mask: Value, sizes: Rows, kind: Scores) -> Value:
    """Append everything between the products; returns the probabilities.

    Args:
        program: Where to.
        scores: The first product.
        mask: Added to it.
        sizes: Dimensions.
        kind: What the family does.
    """
    return _KINDS[kind](program, scores, mask, sizes)


def _softmax(program: Program, scores: Value, mask: Value, _sizes: Rows) -> Value:
    """Scale, mask, fp32 softmax."""
    return _wide_softmax(program, _masked(program, program.scale(scores, LABEL), mask))


def _masked(program: Program, scores: Value, mask: Value) -> Value:
    masked = program.add(scores, mask, LABEL)
    program.hold(scores)
    return masked


def _wide_softmax(program: Program, masked: Value) -> Value:
    weights = program.result(program.cast(masked, F32, LABEL), LABEL)
    program.hold(masked)
    return weights


def _native(program: Program, scores: Value, mask: Value, _sizes: Rows) -> Value:
    """GPT-2, GPT-J: softmax in the type that the scores have; autocast runs it in fp32."""
    masked = _masked(program, program.scale(scores, LABEL), mask)
    if program.autocast is not None:
        return _wide_softmax(program, masked)
    weights = program.result(masked, LABEL)
    program.hold(masked)
    return weights


def _capped(program: Program, scores: Value, mask: Value, _sizes: Rows) -> Value:
    """Gemma 2: divided by the cap, bent by a tanh, which is kept, and multiplied by the cap."""
    scaled = program.scale(scores, LABEL)
    bent = program.result(program.scale(scaled, LABEL), LABEL)
    return _wide_softmax(program, _masked(program, program.scale(bent, LABEL), mask))


def _sinks(program: Program, scores: Value, mask: Value, sizes: Rows) -> Value:
    """gpt-oss: one more column for the sink of every head; the largest of each row is taken off first."""
    masked = _masked(program, program.scale(scores, LABEL), mask)
    rows, needs = sizes.row_count, masked.needs_grad
    joined = program.value(masked.count + rows, masked.dtype, needs, LABEL)
    program.ops.append(Op((masked,), joined, joined=True))
    largest = program.value(rows, masked.dtype, needs, LABEL)
    places = program.value(rows, INT64, False, LABEL)
    program.ops.append(Op((joined,), largest, (places,) if needs else (), (places,)))
    lowered = program.value(joined.count, joined.dtype, needs, LABEL)
    program.ops.append(Op((joined, largest), lowered, passes=True))
    wide = program.cast(lowered, F32 if program.autocast is not None else lowered.dtype, LABEL)
    probabilities = program.result(wide, LABEL)
    program.hold(masked, lowered)
    return program.views(probabilities, (masked.count, rows), joined=False)[0]


def _alibi(program: Program, scores: Value, mask: Value, _sizes: Rows) -> Value:
    """BLOOM: the product is added to the biases of the positions and scaled at once."""
    return _wide_softmax(program, _masked(program, scores, mask))


def _biased(program: Program, scores: Value, _mask: Value, sizes: Rows) -> Value:
    """MPT: scaled, fp32 biases of the positions are added, and what is masked is overwritten."""
    scaled = program.scale(scores, LABEL)
    wide = program.value(scaled.count, F32, scaled.needs_grad, LABEL)
    program.ops.append(Op((scaled,), wide, passes=True))
    program.hold(scaled)
    masked = program.scale(wide, LABEL)
    program.hold(wide)
    return _wide_softmax(program, masked)


def _local(program: Program, scores: Value, mask: Value, sizes: Rows) -> Value:
    """GPT-Neo: what the layer's own mask covers is replaced, and the model's mask is added."""
    replaced = program.scale(scores, LABEL)
    program.hold(scores)
    masked = _masked(program, replaced, mask)
    if program.autocast is not None:
        return _wide_softmax(program, masked)
    weights = program.result(masked, LABEL)
    program.hold(masked)
    return weights


_KINDS: dict[Scores, Callable[[Program, Value, Value, Rows], Value]] = {
    "softmax": _softmax,
    "native": _native,
    "wide": _native,
    "capped": _capped,
    "sinks": _sinks,
    "alibi": _alibi,
    "masked": _biased,
    "local": _local,
}
