"""State in a low-rank space: a projector for each matrix, and moments of the projected gradient.

A matrix of m x n with rank r is projected from the right (projector r x n, moments m x r) or from the left
(projector m x r, moments r x n). ``std`` projects the longer way: from the right where m >= n.

Projectors from a singular value decomposition are cut to ``min(r, m, n)``; they are slices of a factor in
fp32. Where the gradient is fp32 the slice is a view that keeps the whole factor alive; where it is 16-bit
the slice is copied to that type and the factor is freed. Random projectors are made in their own size and
are not cut. Source: galore_torch/galore_projector.py, apollo_torch/random_projector.py.

Of a matrix whose rows are shared out as a sharded tensor, the decomposition is that of the whole matrix, on
every rank (torch/distributed/tensor/_ops/_math_ops.py: ``aten._linalg_svd`` replicates), so every rank keeps
the projectors whole. Projected from the right, the rows of the moments stay shared out; from the left the
product is a sum over the ranks, and what begins as zeros like it is whole on each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import prod

from optmem_gui.core.dtypes import F32
from optmem_gui.core.layout import Layout
from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.declare import Need, Option, Settings, ShapeRule, Subject
from optmem_gui.core.optimizers.rules_split import chosen, subjects
from optmem_gui.core.reasons import Reason

SIDES = ("std", "reverse_std", "left", "right", "full")
RANK = Option("rank", "int", 128, ("state", "temporaries"), minimum=1, maximum=1_000_000, keyword=False)
SIDE = Option("proj_type", "choice", "std", ("state", "temporaries"), choices=SIDES, keyword=False)
PROJECTOR = Option("proj", "choice", "random", ("state",), choices=("random", "svd"), keyword=False)


def side_of(subject: Subject) -> str:
    """``left``, ``right`` or ``full`` for one matrix."""
    rows, columns = subject.together
    asked = str(subject.settings.values.get("proj_type", "std"))
    if asked == "std":
        return "right" if rows >= columns else "left"
    if asked == "reverse_std":
        return "left" if rows >= columns else "right"
    return asked


def _random(subject: Subject) -> bool:
    return subject.settings.values.get("proj", "svd") == "random"


def rank_of(subject: Subject) -> int:
    """The rank one matrix really gets: cut to its shorter side, unless the projector is random."""
    asked = subject.settings.whole("rank")
    return asked if _random(subject) else min(asked, *subject.together)


def moment(subject: Subject) -> Shape:
    """Shape of the projected gradient; the parameter's own where it is not projected."""
    if not chosen(subject):
        return subject.shape
    rows, columns = subject.shape
    rank = rank_of(subject)
    return {"right": (rows, rank), "left": (rank, columns), "full": (rank, rank)}[side_of(subject)]


def projectors(keeps_factor: Callable[[Subject], bool]) -> Callable[[Subject], Iterable[Shape]]:
    """Shapes of what one matrix's projectors keep alive: those of the whole matrix.

    Args:
        keeps_factor: Whether the slice is a view, so that the whole factor stays.
    """

    def shapes(subject: Subject) -> Iterable[Shape]:
        if not chosen(subject):
            return
        rows, columns = subject.together
        side, rank = side_of(subject), rank_of(subject)
        length = min(rows, columns) if keeps_factor(subject) else rank
        if side in ("left", "full"):
            yield rows, length
        if side in ("right", "full"):
            yield length, columns

    return shapes


def _view_of_fp32(subject: Subject) -> bool:
    return subject.dtype is F32 and not _random(subject)


def _none(subject: Subject) -> None:
    del subject


MOMENT = ShapeRule("low_rank_moment", moment)
"""As many elements as the projected gradient; as the parameter where it is not projected."""

PROJECTORS = ShapeRule("projector", _none, several=projectors(_view_of_fp32))
"""The projectors of one matrix: the slice with 16-bit gradients, the whole factor with fp32 ones."""

FACTORS = ShapeRule("projector", _none, several=projectors(lambda subject: True))
"""The same where the step works on fp32 copies, so the whole factor always stays."""

CHOSEN_NUMBER = ShapeRule("one_a_matrix", lambda subject: () if chosen(subject) else None)
"""One number for each projected matrix."""

ROWS = ShapeRule("rows_of_projected", lambda subject: _cut(moment(subject), -1))
"""Row averages of the projected gradient."""

COLUMNS = ShapeRule("columns_of_projected", lambda subject: _cut(moment(subject), -2))
"""Column averages of the projected gradient."""


def _cut(shape: Shape, axis: int) -> Shape | None:
    if len(shape) < 2:
        return None
    place = len(shape) + axis
    return (*shape[:place], *shape[place + 1 :])


def notices(layout: Layout, settings: Settings) -> Iterable[Reason]:
    """A rank larger than a side, and a split that leaves nothing to project."""
    asked = settings.whole("rank")
    projected = [subject for subject, _ in subjects(layout, settings) if chosen(subject)]
    if not projected:
        yield Reason("optimizer.nothing_projected")
        return
    shorter = [subject for subject in projected if min(subject.together) < asked]
    if shorter:
        smallest = min(shorter, key=lambda subject: min(subject.together))
        key = "optimizer.rank_kept" if _random(smallest) else "optimizer.rank_cut"
        shape = " x ".join(map(str, smallest.together))
        yield Reason(key, {"rank": asked, "shape": shape, "matrix_count": len(shorter)})


def _back(subject: Subject) -> Shape:
    """Shape of the update projected back: from the left out of whole factors, so whole on every rank."""
    return subject.shape if not chosen(subject) or side_of(subject) == "right" else subject.together


@dataclass(frozen=True, slots=True)
class Projected:
    """Temporaries of one projected update, and of one that is not projected.

    Attributes:
        full: Tensors as large as the matrix, in its type: the update projected back.
        low: Tensors as large as the projected gradient.
        plain: Tensors as large as a parameter that is not projected.
        wide: Work is done in fp32 whatever the type of the parameter.
        cast: Further fp32 tensors as large as a parameter that is not fp32.
    """

    full: float
    low: float
    plain: float
    wide: bool = False
    cast: float = 0

    def __call__(self, layout: Layout, settings: Settings) -> Need:
        """Bytes of the largest update in a step that makes no new projector."""
        plain, blocks = 0, 0
        for subject, _ in subjects(layout, settings):
            dtype = F32 if self.wide else subject.dtype
            whole, low = dtype.bytes_for(prod(_back(subject))), dtype.bytes_for(prod(moment(subject)))
            cast = self.cast if subject.dtype is not F32 else 0
            counts = (self.full + cast, self.low) if chosen(subject) else (self.plain + cast, 0.0)
            plain = max(plain, int(counts[0] * whole + counts[1] * low))
            blocks = max(blocks, int(counts[0] * layout.rounded(whole) + counts[1] * layout.rounded(low)))
        why = Reason("optimizer.temporaries.projected", {"total_bytes": plain})
        return Need(plain, blocks, why, exact=False)
