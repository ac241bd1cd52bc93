"""The rows of the breakdown: every component with its formula and its reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from optmem_gui.core.activations import Activations
from optmem_gui.core.breakdown import COMPONENT_IDS, Component, Detail, Moment, Phase
from optmem_gui.core.dtypes import F32, NF4
from optmem_gui.core.ends import Ends
from optmem_gui.core.gradients import Gradients
from optmem_gui.core.layout import Layout, PlacedGroup
from optmem_gui.core.model import Role
from optmem_gui.core.optimizers.state import OptimizerState, Temporaries
from optmem_gui.core.phases import Standing, StepCost
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.messages import Message
from optmem_gui.core.sharding.share import Share


@dataclass(frozen=True, slots=True)
class Sizes:
    """Everything the rows are written from."""

    scenario: Scenario
    layout: Layout
    share: Share
    state: OptimizerState
    gradients: Gradients
    activations: Activations | None
    temporaries: Temporaries
    standing: Standing
    step: StepCost
    ends: Ends
    moments: Sequence[Moment]
    phases: tuple[Phase, ...]
    peak: Phase
    host: Mapping[str, int]
    messages: tuple[Message, ...] = ()
    uncounted: Reason | None = None

    def largest(self, component_id: str) -> int:
        """Largest size on the device in a steady step."""
        steady = (moment for moment in self.moments if moment.phase != "load")
        return max((moment.parts.get(component_id, 0) for moment in steady), default=0)


@dataclass(frozen=True, slots=True)
class _Text:
    """What a row says beside its numbers."""

    dtype: str
    formula: Reason
    why: Reason
    details: tuple[Detail, ...] = ()
    counted: bool = True


def component_rows(sizes: Sizes) -> tuple[Component, ...]:
    """One row a component, in the order of :data:`COMPONENT_IDS`."""
    return tuple(_row(component_id, sizes) for component_id in COMPONENT_IDS)


def _row(component_id: str, sizes: Sizes) -> Component:
    text = _TEXTS[component_id](sizes)
    host = sizes.host.get(component_id, 0)
    return Component(
        id=component_id,
        bytes=sizes.largest(component_id) + host,
        at_peak=sizes.peak.parts.get(component_id, 0),
        host_bytes=host,
        dtype=text.dtype,
        counted=text.counted,
        formula=text.formula,
        why=text.why,
        details=text.details,
    )


def _weights(sizes: Sizes) -> _Text:
    layout = sizes.share.weights
    details = _lora_details(layout) if sizes.scenario.lora is not None else ()
    why = Reason("why.weights_lora") if details else Reason(f"precision.{layout.scheme.id}")
    return _Text(
        _dtypes(p.weights.id for p in layout.placed), _per_group(layout.placed, "weights"), why, details
    )


def _lora_details(layout: Layout) -> tuple[Detail, ...]:
    """Base, what k-bit preparation lifts to fp32, and the adapters, each on a line of its own."""
    packed = [p for p in layout.placed if len(p.weight_blocks) > 1]
    adapters = [p for p in layout.placed if p.group.role is Role.ADAPTER]
    rest = [p for p in layout.placed if p not in packed and p not in adapters]
    lines = []
    if packed:
        bits = NF4.id if packed[0].weights is NF4 else packed[0].weights.id
        lines.append(_line("detail.base_packed", packed, dtype=bits))
        lines.append(_line("detail.upcast", rest, dtype=F32.id))
    else:
        lines.append(_line("detail.base", rest, dtype=_dtypes(p.weights.id for p in rest)))
    lines.append(_line("detail.adapters", adapters, dtype=_dtypes(p.weights.id for p in adapters)))
    return tuple(lines)


def _line(key: str, placed: Sequence[PlacedGroup], *, dtype: str) -> Detail:
    size = sum(p.weight_bytes for p in placed)
    count = sum(p.group.param_count for p in placed)
    return Detail(size, Reason(key, {"count": count, "dtype": dtype, "bytes": size}))


def _gradients(sizes: Sizes) -> _Text:
    trained = sizes.share.gradients.trained
    key = "why.gradients"
    if sizes.layout.scheme.persistent_gradients or sizes.share.gradients_stand:
        key = "why.gradients_persistent"
    elif sizes.gradients.in_forward:
        key = "why.gradients_accumulated" if sizes.scenario.accumulate > 1 else "why.gradients_zeroed"
    elif sizes.scenario.lora is not None:
        key = "why.gradients_lora"
    dtype = _dtypes(p.gradients.id for p in trained if p.gradients is not None)
    return _Text(dtype, _per_group(trained, "gradients"), Reason(key))


def _master(sizes: Sizes) -> _Text:
    held = [p for p in sizes.share.optimized.placed if p.master is not None]
    why = Reason("why.master") if held else Reason("why.no_master", {"precision": sizes.layout.scheme.id})
    return _Text(_dtypes(p.master.id for p in held if p.master is not None), _per_group(held, "master"), why)


def _state(sizes: Sizes) -> _Text:
    rows = sizes.state.rows
    details = tuple(Detail(row.bytes, row.why) for row in rows)
    names = ", ".join(row.name for row in rows) or "none"
    formula = Reason("formula.state", {"optimizer": sizes.scenario.optimizer, "states": names})
    if not rows:
        formula = Reason("formula.no_state", {"optimizer": sizes.scenario.optimizer})
    return _Text(_dtypes(row.dtype for row in rows if row.bytes), formula, sizes.state.why, details)


def _buffers(sizes: Sizes) -> _Text:
    groups = sizes.scenario.model.buffers
    count = sum(group.count for group in groups)
    dtype = _dtypes(group.dtype.id for group in groups)
    return _Text(dtype, Reason("formula.buffers", {"count": count}), Reason("why.buffers"))


def _activations(sizes: Sizes) -> _Text:
    found, scenario = sizes.activations, sizes.scenario
    if found is None:
        key = "why.activations_no_batch" if scenario.model.is_known else "why.activations_unknown"
        return _Text("", Reason("formula.not_counted"), sizes.uncounted or Reason(key), counted=False)
    details = tuple(Detail(item.bytes, item.why) for item in found.items)
    formula = Reason("formula.activations", {"batch": scenario.batch or 0, "sequence": scenario.tokens or 0})
    return _Text(sizes.layout.scheme.compute.id, formula, Reason("why.activations"), details)


def _copies(sizes: Sizes) -> _Text:
    scheme = sizes.layout.scheme
    if scheme.cached_weight_bits:
        return _Text("fp8_e4m3", Reason("formula.fp8_copies"), Reason("why.fp8_copies"))
    if scheme.autocast is None or sizes.largest("autocast_copies") == 0:
        return _Text("", Reason("formula.no_copies"), Reason("why.no_copies"))
    return _Text(
        scheme.autocast.id, Reason("formula.copies", {"dtype": scheme.autocast.id}), Reason("why.copies")
    )


def _temporaries(sizes: Sizes) -> _Text:
    if not sizes.temporaries.predicted:
        return _Text("", Reason("formula.not_counted"), sizes.temporaries.why, counted=False)
    details = []
    if sizes.temporaries.bytes:
        details.append(Detail(sizes.temporaries.bytes, sizes.temporaries.why))
    if sizes.gradients.step_copy_bytes:
        details.append(Detail(sizes.gradients.step_copy_bytes, Reason("detail.gradient_copy")))
    if sizes.gradients.clip_bytes:
        details.append(Detail(sizes.gradients.clip_bytes, Reason("detail.clip")))
    at_step = sizes.temporaries.bytes + sizes.gradients.step_copy_bytes
    most = sizes.largest("temporaries")
    formula = Reason("formula.temporaries", {"bytes": at_step})
    if most > at_step:
        formula = Reason("formula.temporaries_outside", {"bytes": most, "step_bytes": at_step})
    return _Text("", formula, sizes.temporaries.why, tuple(details))


def _communication(sizes: Sizes) -> _Text:
    parallel = sizes.scenario.parallel
    if parallel.gpus == 1:
        return _Text("", Reason("formula.one_gpu"), Reason("why.one_gpu"))
    buffers, moving = sizes.share.buffers, sizes.standing.messages
    values = {
        "standing_bytes": buffers.standing,
        "forward_bytes": buffers.forward + moving.forward,
        "backward_bytes": buffers.backward + moving.backward,
    }
    details = tuple(
        Detail(
            max(message.forward, message.backward),
            Reason(
                f"detail.sent.{message.name}",
                {"forward_bytes": message.forward, "backward_bytes": message.backward},
            ),
        )
        for message in sizes.messages
    )
    why = Reason(f"shard.{parallel.shard}.buffers")
    return _Text("", Reason("formula.communication", values), why, details)


def _workspace(sizes: Sizes) -> _Text:
    if sizes.activations is None:
        why = sizes.uncounted or Reason("why.workspace_no_batch")
        return _Text("", Reason("formula.not_counted"), why, counted=False)
    if sizes.scenario.target == "cpu":
        return _Text("", Reason("formula.workspace_cpu"), Reason("why.workspace_cpu"))
    formula = Reason("formula.workspace", {"bytes": sizes.standing.workspace // 2})
    return _Text("", formula, Reason("why.workspace"))


def _other_models(sizes: Sizes) -> _Text:
    residents = sizes.scenario.residents
    if not residents:
        return _Text("", Reason("formula.no_other_models"), Reason("why.no_other_models"))
    details = tuple(
        Detail(
            one.size_bytes,
            Reason("detail.resident", {"name": one.name, "count": one.count, "dtype": one.dtype}),
        )
        for one in residents
    )
    names = ", ".join(resident.name for resident in residents)
    formula = Reason("formula.other_models", {"names": names})
    dtypes = _dtypes(resident.dtype for resident in residents)
    return _Text(dtypes, formula, Reason("why.other_models"), details)


def _rounding(sizes: Sizes) -> _Text:
    key = "why.rounding" if sizes.scenario.target == "cuda" else "why.rounding_cpu"
    return _Text("", Reason("formula.rounding"), Reason(key))


_TEXTS: dict[str, Callable[[Sizes], _Text]] = {
    "weights": _weights,
    "gradients": _gradients,
    "master_weights": _master,
    "optimizer_state": _state,
    "buffers": _buffers,
    "activations": _activations,
    "autocast_copies": _copies,
    "temporaries": _temporaries,
    "communication": _communication,
    "workspace": _workspace,
    "other_models": _other_models,
    "rounding": _rounding,
}


def _dtypes(ids: Iterable[str]) -> str:
    return "+".join(dict.fromkeys(ids))


def _per_group(placed: Sequence[PlacedGroup], which: str) -> Reason:
    """``parameters x bytes`` where one type holds them all, else the parameter count and the types."""
    count = sum(p.group.param_count for p in placed)
    types = {_type_of(p, which) for p in placed}
    if not placed:
        return Reason("formula.none")
    bits = {bit for _, bit in types}
    if len(bits) == 1:
        return Reason("formula.per_parameter", {"count": count, "each": f"{bits.pop() / 8:g}"})
    return Reason("formula.mixed", {"count": count, "dtypes": "+".join(sorted(name for name, _ in types))})


def _type_of(placed: PlacedGroup, which: str) -> tuple[str, int]:
    dtype = {"weights": placed.weights, "gradients": placed.gradients, "master": placed.master}[which]
    assert dtype is not None  # noqa: S101  # only groups that hold this copy are asked
    return dtype.id, dtype.bits
