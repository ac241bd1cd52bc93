"""The course of one training step: what is alive, phase by phase.

Peak is the largest moment, never the sum of the largest parts: activations are gone when the optimizer
steps, and step temporaries are gone when forward begins (pytorch tutorials, "optimizer step in
backward": the peak moves once the step's share shrinks).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from optmem_gui.core.activations import Activations
from optmem_gui.core.breakdown import PHASE_IDS, Moment, Phase
from optmem_gui.core.ends import NO_ENDS, Ends
from optmem_gui.core.gradients import Gradients
from optmem_gui.core.optimizers.state import Temporaries
from optmem_gui.core.sharding.share import NO_BUFFERS, Buffers

_SPANS = {
    "load": (0.0, 0.06),
    "forward": (0.06, 0.36),
    "backward": (0.36, 0.78),
    "optimizer_step": (0.78, 0.94),
    "between_steps": (0.94, 1.0),
}
"""Share of the time axis each phase is drawn with; schematic."""

Parts = dict[str, int]


@dataclass(frozen=True, slots=True)
class Standing:
    """What does not change within a steady step, bytes on the device.

    Attributes:
        weights: Weights of every parameter.
        master_weights: Copies the optimizer updates.
        optimizer_state: State, host scalars left out.
        buffers: Buffers.
        workspace: cuBLAS workspaces, kept once taken.
        load_rounding: Rounding of weights, master weights and buffers.
        state_rounding: Rounding of the state.
        gradient_rounding: Rounding of all gradients.
        weight_copies: Low-precision copies of matrices that forward makes and backward uses.
        kept_logits: Logits the training loop holds on to.
        state_at_load: The optimizer's constructor makes the state, not its first step.
        gradients_at_load: Gradients live in a buffer made before training.
        communication: What exists because there are other ranks.
        messages: More of it while layers run: what ranks that split one micro-batch send each other.
        waiting_activations: Activations of the other micro-batches that wait in a pipeline stage.
        other_models: What else lives on the GPU.
        gradient_share: Part of the gradients that is kept once they are shared out, as bytes kept and
            bytes made; None where all of them are kept.
    """

    weights: int
    master_weights: int
    optimizer_state: int
    buffers: int
    workspace: int
    load_rounding: int
    state_rounding: int
    gradient_rounding: int
    weight_copies: int
    kept_logits: int
    state_at_load: bool
    gradients_at_load: bool
    communication: Buffers = NO_BUFFERS
    messages: Buffers = NO_BUFFERS
    waiting_activations: int = 0
    other_models: int = 0
    gradient_share: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class StepCost:
    """Temporaries of the optimizer's step on the device, bytes.

    Attributes:
        temporaries: Of the update itself.
        gradient_copy: Copy of the gradients in the master's type.
        clip: Of gradient clipping, before the update.
        rounding: What the caching allocator's blocks add to the first two.
    """

    temporaries: int
    gradient_copy: int
    clip: int
    rounding: int = 0

    @classmethod
    def of(cls, need: Temporaries | None, gradients: Gradients, *, on_gpu: bool) -> StepCost:
        """The cost of one update.

        Args:
            need: Of the optimizer; None where it steps in host memory.
            gradients: Of the same rank.
            on_gpu: The caching allocator's blocks apply.
        """
        rounding = gradients.step_copy_rounding + (0 if need is None else need.rounded_bytes - need.bytes)
        return cls(
            0 if need is None else need.bytes,
            gradients.step_copy_bytes,
            gradients.clip_bytes,
            rounding if on_gpu else 0,
        )


def course(
    standing: Standing,
    gradients: Gradients,
    activations: Activations | None,
    step: StepCost,
    ends: Ends = NO_ENDS,
) -> tuple[Moment, ...]:
    """Every moment of loading and one steady step, in order.

    Args:
        standing: What does not change.
        gradients: Their size and lifetime.
        activations: Of a micro-batch, None where they are not counted.
        step: Temporaries of the optimizer's step.
        ends: What stays of segments with all that, where it is not part of it.
    """
    loaded = _parts(
        weights=standing.weights,
        master_weights=standing.master_weights,
        buffers=standing.buffers,
        communication=standing.communication.standing,
        other_models=standing.other_models,
        rounding=standing.load_rounding,
    )
    base = _parts(
        **{**loaded, "rounding": standing.load_rounding + standing.state_rounding},
        optimizer_state=standing.optimizer_state,
        workspace=standing.workspace,
    )
    work = list(_simple(standing, gradients) if activations is None else _traced(activations))
    forward, backward = (
        [_at(base, w, standing, gradients) for w in work if w.phase == phase]
        for phase in ("forward", "backward")
    )
    moments = [
        *_spread("load", [{}, _ended(_loaded(loaded, standing, gradients), ends.load)]),
        *_spread("forward", _rising(forward, base, ends.between, ends.forward)),
        *_spread("backward", _rising(backward, base, ends.between, ends.backward)),
        *_spread("optimizer_step", _step(base, standing, gradients, step, ends)),
        *_spread("between_steps", [_ended(_between(base, standing, gradients), ends.between)] * 2),
    ]
    return tuple(moments)


def _ended(parts: Parts, ends: int) -> Parts:
    return _parts(**{**parts, "rounding": parts.get("rounding", 0) + ends})


def _rising(course: Sequence[Parts], base: Parts, lowest: int, highest: int) -> list[Parts]:
    """Ends grow with what is alive, up to those of the largest moment."""
    sizes = [sum(parts.values()) - sum(base.values()) for parts in course]
    most = max(1, max(sizes, default=1))
    return [
        _ended(parts, lowest + (highest - lowest) * size // most)
        for parts, size in zip(course, sizes, strict=True)
    ]


def _loaded(loaded: Parts, standing: Standing, gradients: Gradients) -> Parts:
    """What is there before the first step; most optimizers have no state yet."""
    parts = dict(loaded)
    if standing.state_at_load:
        parts["optimizer_state"] = standing.optimizer_state
        parts["rounding"] = parts.get("rounding", 0) + standing.state_rounding
    if standing.gradients_at_load:
        parts["gradients"] = gradients.bytes
        parts["rounding"] = parts.get("rounding", 0) + standing.gradient_rounding
    return _parts(**parts)


def phases(moments: Iterable[Moment]) -> tuple[Phase, ...]:
    """The largest moment of each phase; the earliest of equals."""
    best: dict[str, tuple[int, Mapping[str, int]]] = {}
    for moment in moments:
        total = sum(moment.parts.values())
        if moment.phase not in best or total > best[moment.phase][0]:
            best[moment.phase] = (total, moment.parts)
    return tuple(Phase(phase, best[phase][1]) for phase in PHASE_IDS)


def peak_of(rows: Sequence[Phase]) -> Phase:
    """The largest phase of the step; the earliest of equals. Loading is not part of the step."""
    best = rows[1]
    for row in rows[2:]:
        if row.bytes > best.bytes:
            best = row
    return best if best.bytes >= rows[0].bytes else rows[0]


@dataclass(frozen=True, slots=True)
class _Work:
    """What forward and backward add at one moment."""

    phase: str
    activations: int
    copies: int
    gradients: int
    temporaries: int
    in_layer: bool = False


def _simple(standing: Standing, gradients: Gradients) -> Iterable[_Work]:
    """Without a batch: weight copies appear in forward, gradients replace them in backward."""
    yield _Work("forward", 0, 0, 0, 0)
    yield _Work("forward", 0, standing.weight_copies, 0, 0)
    yield _Work("backward", 0, standing.weight_copies, 0, 0)
    made = gradients.bytes if standing.gradient_share is None else standing.gradient_share[1]
    yield _Work("backward", 0, 0, made, gradients.arriving_bytes)


def _traced(activations: Activations) -> Iterable[_Work]:
    for m in activations.moments:
        yield _Work(m.phase, m.activations, m.autocast_copies, m.gradients, m.temporaries, m.in_layer)


def _at(base: Parts, work: _Work, standing: Standing, gradients: Gradients) -> Parts:
    made = work.gradients
    if standing.gradient_share is not None and standing.gradient_share[1]:
        made = made * standing.gradient_share[0] // standing.gradient_share[1]
    alive = gradients.bytes if gradients.in_forward else made
    buffers, sent = standing.communication, standing.messages if work.in_layer else NO_BUFFERS
    moving = buffers.forward + sent.forward
    if work.phase == "backward":
        moving = buffers.backward + sent.backward
    share = standing.gradient_rounding * alive // gradients.bytes if gradients.bytes else 0
    arriving = gradients.arriving_bytes if work.phase == "backward" else 0
    return _parts(
        **{
            **base,
            "rounding": base.get("rounding", 0) + share,
            "communication": buffers.standing + moving,
        },
        gradients=alive,
        activations=work.activations + standing.waiting_activations,
        autocast_copies=work.copies,
        temporaries=max(work.temporaries, arriving),
    )


def _step(
    base: Parts, standing: Standing, gradients: Gradients, step: StepCost, ends: Ends
) -> Sequence[Parts]:
    ready = _parts(
        **{**base, "rounding": base.get("rounding", 0) + standing.gradient_rounding + ends.ready},
        gradients=gradients.bytes,
        activations=standing.kept_logits,
    )
    course = [ready]
    if step.clip:
        course.append({**ready, "temporaries": step.clip})
    moving = standing.communication
    busy = _parts(
        **{
            **ready,
            "communication": moving.standing + moving.step,
            "rounding": ready.get("rounding", 0) + step.rounding + ends.step - ends.ready,
        },
        temporaries=step.temporaries + step.gradient_copy,
    )
    return [*course, busy, busy, ready]


def _between(base: Parts, standing: Standing, gradients: Gradients) -> Parts:
    if not gradients.between_steps:
        return base
    rounding = base.get("rounding", 0) + standing.gradient_rounding
    return _parts(**{**base, "rounding": rounding}, gradients=gradients.bytes)


def _parts(**sizes: int) -> Parts:
    """Only what is there."""
    return {name: size for name, size in sizes.items() if size}


def _spread(phase: str, course: Sequence[Parts]) -> Iterable[Moment]:
    start, end = _SPANS[phase]
    last = max(1, len(course) - 1)
    for index, parts in enumerate(course):
        yield Moment(phase, start + (end - start) * index / last, parts)
