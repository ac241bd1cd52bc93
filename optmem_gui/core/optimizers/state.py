"""How many bytes an optimizer keeps, and how many its step takes beside that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from math import prod

from optmem_gui.core.dtypes import DType
from optmem_gui.core.errors import UserError
from optmem_gui.core.layout import Layout, PlacedGroup
from optmem_gui.core.optimizers.declare import Implementation, Settings, State, Subject, one
from optmem_gui.core.optimizers.options import checked
from optmem_gui.core.optimizers.temporaries import seen_dtype
from optmem_gui.core.precision import PrecisionScheme
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Options, Target


@dataclass(frozen=True, slots=True)
class StateRow:
    """All tensors of one name and type in the optimizer's state.

    Attributes:
        name: Key in ``optimizer.state[parameter]``.
        dtype: Id of the type.
        tensor_count: How many tensors.
        element_count: Elements of all of them.
        bytes: Bytes of all of them.
        rounded_bytes: Bytes of all of them with every tensor in 512-byte blocks of its own.
        host: They live in host memory while the parameters are on a GPU.
        why: The formula.
        dtype_why: Why they have that type.
    """

    name: str
    dtype: str
    tensor_count: int
    element_count: int
    bytes: int
    rounded_bytes: int
    host: bool
    why: Reason
    dtype_why: Reason


@dataclass(frozen=True, slots=True)
class OptimizerState:
    """What an optimizer keeps from step to step.

    Attributes:
        rows: Tensors by name.
        why: The state in one sentence.
        late_bytes: Part of ``bytes`` that is not there yet after the first step (LBFGS's history).
        warnings: What to know before relying on it.
    """

    rows: tuple[StateRow, ...]
    why: Reason
    late_bytes: int = 0
    warnings: tuple[Reason, ...] = ()
    bytes: int = field(init=False, default=0)
    host_bytes: int = field(init=False, default=0)
    device_bytes: int = field(init=False, default=0)
    device_rounded_bytes: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        host = sum(row.bytes for row in self.rows if row.host)
        total = sum(row.bytes for row in self.rows)
        blocks = sum(row.rounded_bytes for row in self.rows if not row.host)
        object.__setattr__(self, "bytes", total)
        object.__setattr__(self, "host_bytes", host)
        object.__setattr__(self, "device_bytes", total - host)
        object.__setattr__(self, "device_rounded_bytes", blocks)


@dataclass(frozen=True, slots=True)
class Temporaries:
    """What one step takes on the device beside weights, gradients and state.

    Attributes:
        bytes: Requested bytes at the highest moment of a steady step.
        first_step_bytes: The same for the first step, all state that it makes counted as state.
        rounded_bytes: As ``bytes``, every tensor in 512-byte blocks of its own.
        exact: False where it depends on the data or on more of the order; it is then a bound.
        why: The formula.
        warnings: What to know before relying on it.
        predicted: False where another runtime runs the step; the bytes are 0 then.
    """

    bytes: int
    first_step_bytes: int
    rounded_bytes: int
    exact: bool
    why: Reason
    warnings: tuple[Reason, ...] = ()
    predicted: bool = True


def optimizer_state(
    implementation: Implementation,
    options: Options,
    layout: Layout,
    target: Target,
    steps: int | None = None,
) -> OptimizerState:
    """Bytes of the optimizer's state, tensor name by tensor name.

    Args:
        implementation: The optimizer.
        options: Options that differ from its defaults.
        layout: Who is trained, in which type.
        target: ``cuda`` puts scalars in host memory where the implementation does; on ``cpu`` there is one
            memory and nothing counts as host.
        steps: After how many steps, for state that grows; None for the steady state.

    Raises:
        UserError: An option is wrong, or a parameter cannot be trained with this optimizer.
    """
    settings = _settings(implementation, options, layout, target)
    rows = tuple(_rows(implementation, settings, layout, steps))
    total = first = sum(row.bytes for row in rows)
    if any(state.count is not one for state in implementation.states):
        first = sum(row.bytes for row in _rows(implementation, settings, layout, 1))
    why = Reason("optimizer.state", {"optimizer": implementation.id, "total_bytes": total})
    if not rows:
        why = Reason("optimizer.stateless", {"optimizer": implementation.id})
    warnings = (*_cautions(implementation), *implementation.notices(layout, settings))
    return OptimizerState(rows, why, max(0, total - first), warnings)


def step_temporaries(
    implementation: Implementation, options: Options, layout: Layout, target: Target
) -> Temporaries:
    """Device bytes that one step takes beside weights, gradients and state.

    Raises:
        UserError: An option is wrong, or a parameter cannot be trained with this optimizer.
    """
    settings = _settings(implementation, options, layout, target)
    need = implementation.temporaries(layout, settings)
    first = need.bytes if need.first_step_bytes is None else need.first_step_bytes
    return Temporaries(
        need.bytes,
        first,
        need.rounded_bytes,
        need.exact,
        need.why,
        _cautions(implementation),
        predicted=need.predicted,
    )


def _cautions(implementation: Implementation) -> tuple[Reason, ...]:
    return tuple(Reason(key, {"optimizer": implementation.id}) for key in implementation.cautions)


def state_of_each(
    implementation: Implementation, options: Options, layout: Layout, target: Target
) -> tuple[tuple[int, ...], ...]:
    """Device bytes of each state tensor of one parameter, for every trained group in its order.

    What is made once for all parameters together is left out.

    Raises:
        UserError: An option is wrong, or a parameter cannot be trained with this optimizer.
    """
    settings = _settings(implementation, options, layout, target)
    each: list[list[int]] = [[] for _ in layout.trained]
    for state, forced in _forced_states(implementation, settings, layout):
        count = state.count(settings, None)
        for place, group in enumerate(layout.trained if count and not state.whole else ()):
            for _, _, size, host in _tensors(state, _subject(group, settings), settings, forced):
                if not host:
                    each[place] += [size] * count
    return tuple(tuple(sizes) for sizes in each)


def _settings(implementation: Implementation, options: Options, layout: Layout, target: Target) -> Settings:
    """Options checked against the implementation, the device and the parameters."""
    settings = implementation.settings(checked(implementation, options), target)
    if target == "cpu" and settings.on("capturable"):
        raise UserError("optimizer.capturable_on_cpu", optimizer=implementation.id)
    check_shapes(implementation, layout)
    return settings


def check_shapes(implementation: Implementation, layout: Layout) -> None:
    """Refuse parameters of a shape that the optimizer does not train.

    Raises:
        UserError: Names the first of them.
    """
    requirement = implementation.requirement
    if requirement is None:
        return
    for group in layout.trained:
        if not requirement.accepts(group.group):
            name = f"{group.group.leaf}.{group.group.field}".strip(".")
            shape = " x ".join(map(str, group.group.shape)) or "a single number"
            raise UserError(requirement.key, optimizer=implementation.id, tensor=name, shape=shape)


def _rows(
    implementation: Implementation, settings: Settings, layout: Layout, steps: int | None
) -> Iterable[StateRow]:
    subjects = tuple((_subject(p, settings), p.group.count) for p in layout.trained)
    whole = Subject((layout.trained_count,), subjects[0][0].dtype, settings=settings) if subjects else None
    flat = ((whole, 1),) if whole else ()
    for state, forced in _forced_states(implementation, settings, layout):
        found = flat if state.whole else subjects
        yield from _state_rows(state, found, settings, steps=steps, forced=forced, block=layout.rounded)


def _subject(placed: PlacedGroup, settings: Settings) -> Subject:
    group = placed.group
    return Subject(
        group.shape, seen_dtype(placed), group.role, group.leaf, settings, group.field, placed.whole
    )


def _forced_states(
    implementation: Implementation, settings: Settings, layout: Layout
) -> Iterator[tuple[State, DType | None]]:
    """The states that exist, and the type that the precision scheme forces on each."""
    full_size = 0
    for state in implementation.states:
        if state.when(settings):
            yield state, _forced(layout.scheme, full_size) if state.shape.full_size else None
            full_size += state.shape.full_size


def _tensors(
    state: State, subject: Subject, settings: Settings, forced: DType | None
) -> Iterator[tuple[DType, int, int, bool]]:
    """Type, elements, bytes and whether it lives in host memory, of each tensor that one subject has."""
    for shape in state.shape.tensors(subject):
        dtype = forced or state.dtype.dtype(subject)
        numel = prod(shape)
        host = settings.target == "cuda" and (state.host(settings) or state.paged(subject))
        yield dtype, numel, dtype.bytes_for(numel), host


def _forced(scheme: PrecisionScheme, place: int) -> DType | None:
    """Type that a scheme forces on the first and the second full-size state (MS-AMP)."""
    moments = (scheme.first_moment, scheme.second_moment)
    return moments[place] if place < len(moments) else None


def _state_rows(
    state: State,
    subjects: Iterable[tuple[Subject, int]],
    settings: Settings,
    *,
    steps: int | None,
    forced: DType | None,
    block: Callable[[int], int],
) -> Iterable[StateRow]:
    each = state.count(settings, steps)
    sums: dict[tuple[DType, bool], list[int]] = {}
    for subject, count in subjects:
        tensors = each * count
        for dtype, numel, size, host in _tensors(state, subject, settings, forced) if tensors else ():
            held = sums.setdefault((dtype, host), [0, 0, 0, 0])
            held[0] += tensors
            held[1] += tensors * numel
            held[2] += tensors * size
            held[3] += tensors * block(size)
    for (dtype, host), (tensors, elements, total, blocks) in sums.items():
        why = Reason(
            f"optimizer.shape.{state.shape.key}" + (".host" if host else ""),
            {
                "state": state.name,
                "dtype": dtype.id,
                "tensor_count": tensors,
                "element_count": elements,
                "total_bytes": total,
            },
        )
        dtype_key = "forced" if forced else state.dtype.key
        dtype_why = Reason(f"optimizer.dtype.{dtype_key}", {"dtype": dtype.id})
        yield StateRow(state.name, dtype.id, tensors, elements, total, blocks, host, why, dtype_why)


def constructor_keywords(implementation: Implementation, options: Options) -> Options:
    """The options that go to the constructor under their own names, and those it is always given."""
    keywords = {option.name for option in implementation.options if option.keyword}
    chosen = {name: value for name, value in checked(implementation, options) if name in keywords}
    return tuple({**dict(implementation.arguments), **chosen}.items())
