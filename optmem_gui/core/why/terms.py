"""The numbers that go into each component, as they stand in this scenario."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from optmem_gui.core.breakdown import Component
from optmem_gui.core.components import Sizes
from optmem_gui.core.dtypes import DType
from optmem_gui.core.layout import PlacedGroup
from optmem_gui.core.reasons import Reason, Value
from optmem_gui.core.why.answer import Operation, Term

_COPIES = "weight_copy"
"""Item of the activations that is a component of its own."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A component taken apart: its terms, and how they make it."""

    terms: tuple[Term, ...]
    operation: Operation = "sum"


def component_terms(row: Component, sizes: Sizes) -> Taken:
    """Take one row of the breakdown apart.

    The terms make exactly ``row.bytes``; what is not counted has none.

    Args:
        row: The row.
        sizes: What the rows of the same rank were written from.
    """
    if not row.counted:
        return Taken(())
    if row.id == "temporaries":
        return Taken(tuple(_temporaries(row, sizes)), "largest")
    return Taken(tuple(_TERMS[row.id](row, sizes)))


def parts_terms(parts: Mapping[str, int]) -> tuple[Term, ...]:
    """What is alive at one moment, the largest first."""
    ordered = sorted(parts.items(), key=lambda item: -item[1])
    return tuple(Term.exact(Reason("term.component", {"component": name}), size) for name, size in ordered)


def _by_type(placed: Iterable[PlacedGroup], type_of: Callable[[PlacedGroup], DType | None]) -> Iterator[Term]:
    """One term a type: so many parameters of so many bytes."""
    counts: dict[DType, int] = {}
    sizes: dict[DType, int] = {}
    for group in placed:
        dtype = type_of(group)
        if dtype is not None:
            counts[dtype] = counts.get(dtype, 0) + group.group.param_count
            sizes[dtype] = sizes.get(dtype, 0) + group.bytes_in(dtype)
    for dtype, count in counts.items():
        yield _parameters(count, dtype, sizes[dtype])


def _parameters(count: int, dtype: DType, size_bytes: int) -> Term:
    each = dtype.bits / 8 if dtype.block == 1 else size_bytes / count
    values: dict[str, Value] = {"count": count, "each": f"{each:.4g}", "dtype": dtype.id}
    return Term.exact(Reason("term.parameters", values), size_bytes)


def _weights(row: Component, sizes: Sizes) -> Iterator[Term]:
    del row
    packed = [group for group in sizes.share.weights.placed if len(group.weight_blocks) > 1]
    plain = [group for group in sizes.share.weights.placed if len(group.weight_blocks) == 1]
    yield from _by_type(plain, lambda group: group.weights)
    if packed:
        count = sum(group.group.param_count for group in packed)
        total = sum(group.weight_bytes for group in packed)
        codes = sum(group.weight_blocks[0] * group.group.count for group in packed)
        yield _parameters(count, packed[0].weights, codes)
        yield Term.exact(Reason("term.scales", {"dtype": packed[0].weights.id}), total - codes)


def _gradients(row: Component, sizes: Sizes) -> Iterator[Term]:
    del row
    yield from _by_type(sizes.share.gradients.trained, lambda group: group.gradients)


def _master(row: Component, sizes: Sizes) -> Iterator[Term]:
    del row
    yield from _by_type(sizes.share.optimized.placed, lambda group: group.master)


def _state(row: Component, sizes: Sizes) -> Iterator[Term]:
    del row
    for state in sizes.state.rows:
        yield Term.exact(state.why, state.bytes)


def _buffers(row: Component, sizes: Sizes) -> Iterator[Term]:
    count = sum(group.count for group in sizes.scenario.model.buffers)
    if count:
        yield Term.exact(Reason("term.buffers", {"count": count}), row.bytes)


def _activations(row: Component, sizes: Sizes) -> Iterator[Term]:
    """What waits for backward at the end of forward, and what the largest moment holds beyond that."""
    found = sizes.activations
    items = [] if found is None else [item for item in found.items if item.name != _COPIES]
    for item in sorted(items, key=lambda item: -item.bytes):
        yield Term.exact(item.why, item.bytes)
    waiting = sizes.standing.waiting_activations
    if waiting:
        yield Term.exact(Reason("term.waiting"), waiting)
    rest = row.bytes - waiting - sum(item.bytes for item in items)
    if rest:
        yield Term.exact(Reason("term.in_work" if rest > 0 else "term.not_at_once"), rest)


def _copies(row: Component, sizes: Sizes) -> Iterator[Term]:
    scheme = sizes.layout.scheme
    bits = scheme.cached_weight_bits or (scheme.autocast.bits if scheme.autocast is not None else 0)
    if row.bytes and bits:
        values: dict[str, Value] = {
            "count": row.bytes * 8 // bits,
            "each": f"{bits / 8:g}",
            "dtype": row.dtype,
        }
        yield Term.exact(Reason("term.copies", values), row.bytes)


def _temporaries(row: Component, sizes: Sizes) -> Iterator[Term]:
    step = sizes.step
    at_step = step.temporaries + step.gradient_copy
    outside = max(
        (m.parts.get(row.id, 0) for m in sizes.moments if m.phase in ("forward", "backward")), default=0
    )
    if outside:
        yield Term.exact(Reason("term.temporaries_pass"), outside)
    if step.clip:
        yield Term.exact(Reason("term.temporaries_clip"), step.clip)
    values = {"update_bytes": step.temporaries, "copy_bytes": step.gradient_copy}
    yield Term.exact(Reason("term.temporaries_step", values), at_step)


def _communication(row: Component, sizes: Sizes) -> Iterator[Term]:
    """What is kept, and the largest of what forward, backward and the step add for a while."""
    buffers, moving = sizes.share.buffers, sizes.standing.messages
    if buffers.standing:
        yield Term.exact(Reason("term.kept"), buffers.standing)
    more = {
        "forward": buffers.forward + moving.forward,
        "backward": buffers.backward + moving.backward,
        "optimizer_step": buffers.step,
    }
    phase = max(more, key=lambda name: more[name])
    if more[phase]:
        yield Term.exact(Reason("term.more_in", {"phase": phase}), row.bytes - buffers.standing)


def _workspace(row: Component, sizes: Sizes) -> Iterator[Term]:
    del sizes
    if row.bytes:
        yield Term.exact(Reason("term.workspace", {"each_bytes": row.bytes // 2}), row.bytes)


def _other_models(row: Component, sizes: Sizes) -> Iterator[Term]:
    del sizes
    for part in row.details:
        yield Term.exact(part.why, part.bytes)


def _rounding(row: Component, sizes: Sizes) -> Iterator[Term]:
    """Blocks of what stands, and of what the largest moment holds beside it."""
    standing = sizes.standing
    parts = {
        "term.rounding_weights": standing.load_rounding,
        "term.rounding_state": standing.state_rounding,
        "term.rounding_gradients": standing.gradient_rounding,
    }
    for key, size in parts.items():
        if size:
            yield Term.exact(Reason(key), size)
    rest = row.bytes - sum(parts.values())
    ends = min(rest, _ends(sizes))
    if ends:
        yield Term.exact(Reason("term.rounding_ends"), ends)
    rest -= ends
    if rest:
        yield Term.exact(Reason("term.rounding_step"), rest)


def _ends(sizes: Sizes) -> int:
    """Ends of segments in the phase in which blocks add the most."""
    steady = (moment for moment in sizes.moments if moment.phase != "load")
    most = max(steady, key=lambda moment: moment.parts.get("rounding", 0))
    return sizes.ends.at(most.phase)


_TERMS: dict[str, Callable[[Component, Sizes], Iterable[Term]]] = {
    "weights": _weights,
    "gradients": _gradients,
    "master_weights": _master,
    "optimizer_state": _state,
    "buffers": _buffers,
    "activations": _activations,
    "autocast_copies": _copies,
    "communication": _communication,
    "workspace": _workspace,
    "other_models": _other_models,
    "rounding": _rounding,
}
