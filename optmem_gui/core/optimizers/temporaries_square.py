"""Temporaries of steps that decompose square matrices, one parameter after another.

Counted in tensors as large as the parameter and in matrices as wide as its widest square; what LAPACK or
cuSOLVER take inside an operator is left out, so the number is not exact.
"""

from __future__ import annotations

from dataclasses import dataclass

from optmem_gui.core.dtypes import F32
from optmem_gui.core.layout import Layout, PlacedGroup
from optmem_gui.core.optimizers.declare import Need, Settings, ShapeRule, Subject
from optmem_gui.core.optimizers.temporaries import Round, exact, seen_dtype
from optmem_gui.core.reasons import Reason


@dataclass(frozen=True, slots=True)
class LargestSquare:
    """The parameter that takes most.

    Attributes:
        state: The rule of the square matrices that are kept; others of its shapes are passed over.
        own: Tensors as large as the parameter, in its type.
        squares: Matrices as large as its largest square.
        plain: Tensors as large as the parameter where it has no square.
        wide: The matrices are decomposed in fp32 whatever the type of the parameter.
        wide_own: So are the tensors as large as the parameter.
        cast: Further fp32 matrices where the parameter has 16 bits.
    """

    state: ShapeRule
    own: int
    squares: int
    plain: int = 0
    wide: bool = False
    wide_own: bool = False
    cast: int = 0

    def __call__(self, layout: Layout, settings: Settings) -> Need:
        """Bytes at the highest moment of one step."""
        plain, blocks = (
            max((self._moment(group, settings, size) for group in layout.trained), default=0)
            for size in (exact, layout.rounded)
        )
        why = Reason("optimizer.temporaries.squares", {"total_bytes": plain})
        return Need(plain, blocks, why, exact=False)

    def _moment(self, group: PlacedGroup, settings: Settings, size: Round) -> int:
        seen, shape = seen_dtype(group), group.group.shape
        subject = Subject(shape, seen, group.group.role, group.group.leaf, settings)
        width = max((each[0] for each in self.state.tensors(subject) if len(each) == 2), default=0)
        own = size((F32 if self.wide_own else seen).bytes_for(group.group.numel))
        square = size((F32 if self.wide else seen).bytes_for(width * width))
        cast = size(F32.bytes_for(width * width)) if seen.bits == 16 else 0
        return (self.own if width else self.plain) * own + self.squares * square + self.cast * cast
