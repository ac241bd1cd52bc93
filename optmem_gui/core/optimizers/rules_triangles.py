"""Rules of PSGD-Kron: a factor for every axis of a parameter, a square for short axes, else a vector.

Source: ``_init_Q_exprs`` of timm/optim/kron.py 1.0.31, after psgd_torch. The triangular factors are held as
full squares. ``one_diag`` makes the longest axis a vector, ``smart_one_diag`` only where it is longer than
every other, ``all_diag`` every axis.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from optmem_gui.core.layout import Layout, PlacedGroup
from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.declare import Need, Option, Settings, ShapeRule, Subject
from optmem_gui.core.optimizers.temporaries import Round, exact, neighbours, seen_dtype
from optmem_gui.core.reasons import Reason

MAX_SIZE = Option("max_size_triangular", "int", 2048, ("state", "temporaries"), minimum=0)
MIN_AXES = Option("min_ndim_triangular", "int", 2, ("state", "temporaries"), minimum=0)
SAVE_MODE = Option(
    "memory_save_mode",
    "choice",
    None,
    ("state", "temporaries"),
    choices=("one_diag", "smart_one_diag", "all_diag"),
)


@dataclass(frozen=True, slots=True)
class Factors:
    """Shapes of the factors of one parameter, by the three options above."""

    def __call__(self, subject: Subject) -> tuple[Shape, ...]:
        """One factor an axis; a single number has one number."""
        axes = subject.shape
        if not axes:
            return ((),)
        settings = subject.settings
        few = len(axes) < settings.whole(MIN_AXES.name)
        vectors = self._vectors(axes, settings.values.get(SAVE_MODE.name))
        longest = settings.whole(MAX_SIZE.name)
        return tuple(
            (size,) if few or size == 1 or size > longest or axis in vectors else (size, size)
            for axis, size in enumerate(axes)
        )

    @staticmethod
    def _vectors(axes: Shape, mode: object) -> tuple[int, ...]:
        """Axes that the mode makes vectors. Of equally long ones any; the sizes are the same."""
        if mode == "all_diag":
            return tuple(range(len(axes)))
        longest = max(range(len(axes)), key=axes.__getitem__)
        alone = len(axes) > 1 and axes.count(axes[longest]) == 1
        return (longest,) if mode == "one_diag" or (mode == "smart_one_diag" and alone) else ()


def _own(subject: Subject) -> Shape:
    return subject.shape


FACTOR_AN_AXIS = ShapeRule("factor_an_axis", _own, several=Factors())
"""Squares and vectors, as many as the parameter has axes."""


@dataclass(frozen=True, slots=True)
class FactorSteps:
    """What one step makes: tensors of the parameter, of its largest square factor, of the parameter before.

    Counted on square and oblong matrices; contracting tensors of more axes can take more.

    Attributes:
        own: Tensors of the parameter.
        square: Tensors of its largest square factor.
        previous: Tensors of the parameter before it.
    """

    own: int
    square: int
    previous: int

    def __call__(self, layout: Layout, settings: Settings) -> Need:
        """Bytes of the largest parameter's update."""
        plain, blocks = (
            max((self._moment(*pair, settings, size) for pair in neighbours(layout)), default=0)
            for size in (exact, layout.rounded)
        )
        why = Reason("optimizer.temporaries.per_tensor", {"total_bytes": plain})
        return Need(plain, blocks, why, exact=False)

    def _moment(self, group: PlacedGroup, before: PlacedGroup | None, settings: Settings, size: Round) -> int:
        dtype, shape = seen_dtype(group), group.group.shape
        factors = Factors()(Subject(shape, dtype, settings=settings))
        square = max((prod(factor) for factor in factors if len(factor) > 1), default=0)
        held = 0 if before is None else size(seen_dtype(before).bytes_for(before.group.numel))
        own = self.own * size(dtype.bytes_for(group.group.numel))
        return own + self.square * size(dtype.bytes_for(square)) + self.previous * held
