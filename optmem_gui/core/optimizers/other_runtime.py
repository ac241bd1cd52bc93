"""What declarations of optimizers share that run outside torch: in TensorFlow, or in JAX.

Of those only the state is predicted. Their state is made when the optimizer is built or initialized, has
the type of the variable unless said otherwise, and is listed here under the last part of its name.
"""

from __future__ import annotations

from collections.abc import Iterable

from optmem_gui.core.dtypes import BF16, F16, F32, DType
from optmem_gui.core.layout import Layout
from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.declare import (
    DTypeRule,
    Need,
    Option,
    Predicate,
    Settings,
    ShapeRule,
    State,
    Subject,
    always,
)
from optmem_gui.core.optimizers.rules import LIKE_DTYPE, LIKE_PARAMETER, SCALAR, fixed
from optmem_gui.core.reasons import Reason

STATE_ONLY = "warn.state_only"

SCHEDULE = Option("schedule", "bool", False, ("state",), keyword=False)


def not_predicted(layout: Layout, settings: Settings) -> Need:
    """The temporaries of a step that does not run in torch."""
    del layout, settings
    return Need(0, 0, Reason("optimizer.temporaries.not_predicted"), exact=False, predicted=False)


def slots(*names: str, dtype: DTypeRule = LIKE_DTYPE, when: Predicate = always) -> tuple[State, ...]:
    """Tensors as large as the variable."""
    return tuple(State(name, LIKE_PARAMETER, dtype, when=when) for name in names)


def shared(*names: str, dtype: DType | None = None, when: Predicate = always) -> tuple[State, ...]:
    """Single numbers for the whole optimizer; without a type, in that of the first variable."""
    rule = LIKE_DTYPE if dtype is None else fixed(dtype)
    return tuple(State(name, SCALAR, rule, when=when, whole=True) for name in names)


def listed(name: str, length: int, dtype: DType) -> State:
    """One vector for the whole optimizer."""
    shape: Shape = (length,)
    return State(name, ShapeRule("vector", lambda subject: shape), fixed(dtype), whole=True)


def covers(subject: Subject) -> Iterable[Shape]:
    """One vector for each axis (SM3)."""
    return ((length,) for length in subject.shape)


COVERS = ShapeRule("covers", lambda subject: None, several=covers)
"""One number for each index along each axis."""


def placeholders(number: int, shape: Shape, *, matrices: bool) -> ShapeRule:
    """Tensors of one element that stand where a variable has no state of that kind.

    Args:
        number: How many.
        shape: Their shape, ``()`` or ``(1,)``.
        matrices: For variables of two axes or more; else for the others.
    """

    def several(subject: Subject) -> Iterable[Shape]:
        return (shape,) * number if (len(subject.shape) > 1) is matrices else ()

    return ShapeRule("placeholder", lambda subject: None, several=several)


def typed(option: str, default: DTypeRule = LIKE_DTYPE) -> DTypeRule:
    """The type an option names, else that of another rule."""
    names = {"float32": F32, "bfloat16": BF16, "float16": F16}

    def dtype(subject: Subject) -> DType:
        asked = subject.settings.values.get(option)
        return names[str(asked)] if asked is not None else default.dtype(subject)

    return DTypeRule("named", dtype)


def dtype_option(name: str) -> Option:
    """An option that names a type; none stands for the rule's own."""
    return Option(name, "choice", None, ("state",), choices=("float32", "bfloat16", "float16"))
