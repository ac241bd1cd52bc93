"""Temporaries of steps that decompose square matrices, one parameter after another.

Counted in tensors as large as the parameter and in square matrices as wide as its longest axis; what LAPACK
or cuSOLVER take inside an operator is left out, so the number is not exact.
"""

from __future__ import annotations

from dataclasses import dataclass

from optmem_gui.core.dtypes import F32
from optmem_gui.core.layout import Layout, PlacedGroup, rounded
from optmem_gui.core.optimizers.declare import Need, Settings
from optmem_gui.core.optimizers.temporaries import Round, exact, seen_dtype
from optmem_gui.core.reasons import Reason


@dataclass(frozen=True, slots=True)
class LargestSquare:
    """The parameter that takes most.

    Attributes:
        own: Tensors as large as the parameter, in its type.
        squares: Square matrices as wide as its longest axis that has one.
        limit: Option that says up to which length an axis has one; None where all have.
        least_axes: Parameters of fewer axes have none.
        most_axes: Parameters of more axes have none.
        wide: The matrices are decomposed in fp32 whatever the type of the parameter.
        lists: Lists as large as all parameters beside that.
    """

    own: int
    squares: int
    limit: str | None = None
    least_axes: int = 1
    most_axes: int = 5
    wide: bool = False
    lists: int = 0

    def __call__(self, layout: Layout, settings: Settings) -> Need:
        """Bytes at the highest moment of one step."""
        plain, blocks = (
            max((self._moment(group, settings, size) for group in layout.trained), default=0)
            + self.lists * sum(_bytes(group, size) * group.group.count for group in layout.trained)
            for size in (exact, rounded)
        )
        why = Reason("optimizer.temporaries.squares", {"total_bytes": plain})
        return Need(plain, blocks, why, exact=False)

    def _moment(self, group: PlacedGroup, settings: Settings, size: Round) -> int:
        shape = group.group.shape
        width = 0
        if self.least_axes <= len(shape) <= self.most_axes:
            limit = settings.whole(self.limit) if self.limit is not None else max(shape, default=0)
            width = max((length for length in shape if length <= limit), default=0)
        dtype = F32 if self.wide else seen_dtype(group)
        return self.own * _bytes(group, size) + self.squares * size(dtype.bytes_for(width * width))


def _bytes(group: PlacedGroup, size: Round) -> int:
    return size(seen_dtype(group).bytes_for(group.group.numel))
