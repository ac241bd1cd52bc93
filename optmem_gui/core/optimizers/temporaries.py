"""What a step takes beside weights, gradients and state: the rules.

A torch optimizer runs in one of three ways. *Fused* kernels update in place and take nothing. *foreach*
works on lists, and each list it makes is as large as all parameters together. The *for-loop* takes
parameters one after another; Python still holds the previous one's last tensors while it makes the next
one's, so the cost depends on which parameters stand next to each other.

All numbers are in bytes of the parameter the optimizer sees. Zero-dimensional intermediates are left out.
Read in torch/optim of torch 2.13.0 and compared there with the bytes alive in real steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

from optmem_gui.core.dtypes import BF16, INT64, DType
from optmem_gui.core.layout import Layout, PlacedGroup
from optmem_gui.core.optimizers.declare import Need, Predicate, Settings, always, never
from optmem_gui.core.reasons import Reason

Mode = Literal["fused", "foreach", "loop"]
Round = Callable[[int], int]


def exact(size_bytes: int) -> int:
    """Requested bytes as they are, where ``Layout.rounded`` would round them."""
    return size_bytes


def nothing(layout: Layout, settings: Settings) -> Need:
    """The rule of an implementation that works in place."""
    del layout, settings
    return Need(0, 0, Reason("optimizer.temporaries.none"))


@dataclass(frozen=True, slots=True)
class Form:
    """Tensors alive at one moment of the for-loop.

    Attributes:
        current: Tensors as large as the current parameter.
        previous: Tensors as large as the parameter before it, still held by Python.
        masks: Boolean tensors of the current parameter's shape, one byte an element.
        when: Options under which that moment exists.
    """

    current: int
    previous: int = 0
    masks: int = 0
    when: Predicate = always


@dataclass(frozen=True, slots=True)
class ForeachOrLoop:
    """The common shape of torch's optimizers.

    Attributes:
        lists: Lists as large as all parameters that foreach makes.
        more_lists: Conditions that add one more list each.
        loop: Moments of the for-loop that can be its highest.
        copied: Whether the for-loop holds a changed copy of the current gradient all along.
        foreach_moment: A moment inside foreach that handles one parameter at a time on top of the lists.
        foreach_default: Whether foreach is what CUDA gets when nothing is said.
        loop_forced: Conditions under which nothing said means the for-loop even on CUDA.
    """

    lists: int = 0
    more_lists: tuple[Predicate, ...] = ()
    loop: tuple[Form, ...] = ()
    copied: Predicate = never
    foreach_moment: Form | None = None
    foreach_default: bool = True
    loop_forced: Predicate = never

    def mode(self, settings: Settings) -> Mode:
        """Which of the three ways runs.

        ``fused=False`` said out loud turns the automatic foreach off too: torch only chooses when neither
        was given (``_default_to_fused_or_foreach``, torch/optim/optimizer.py).
        """
        fused, foreach = settings.values.get("fused"), settings.values.get("foreach")
        if fused:
            return "fused"
        if foreach is not None:
            return "foreach" if foreach else "loop"
        automatic = fused is None and settings.target == "cuda" and self.foreach_default
        return "foreach" if automatic and not self.loop_forced(settings) else "loop"

    def __call__(self, layout: Layout, settings: Settings) -> Need:
        """Bytes of one step."""
        mode = self.mode(settings)
        if mode == "fused":
            return Need(0, 0, Reason("optimizer.temporaries.fused"))
        if mode == "foreach":
            return self._foreach(layout, settings)
        return self._loop(layout, settings)

    def _foreach(self, layout: Layout, settings: Settings) -> Need:
        lists = self.lists + sum(condition(settings) for condition in self.more_lists)
        runs = (_largest_run(layout, exact), _largest_run(layout, layout.rounded))
        one = (self._inside(layout, exact), self._inside(layout, layout.rounded))
        plain, blocks = (lists * run + inside for run, inside in zip(runs, one, strict=True))
        if not plain:
            return Need(0, 0, Reason("optimizer.temporaries.foreach_in_place"))
        key = "foreach_and_one" if one[0] else "foreach"
        values = {"lists": lists, "list_bytes": runs[0], "one_bytes": one[0], "total_bytes": plain}
        single_type = len({seen_dtype(group) for group in layout.trained}) == 1
        return Need(
            plain, blocks, Reason(f"optimizer.temporaries.{key}", values), exact=single_type or lists == 1
        )

    def _inside(self, layout: Layout, size: Round) -> int:
        if self.foreach_moment is None:
            return 0
        return max((_alive(group, None, self.foreach_moment, size) for group in layout.trained), default=0)

    def _loop(self, layout: Layout, settings: Settings) -> Need:
        extra = int(self.copied(settings))
        forms = [
            Form(form.current + extra, form.previous, form.masks) for form in self.loop if form.when(settings)
        ]
        (plain, form), (blocks, _) = (highest(layout, forms, size) for size in (exact, layout.rounded))
        if not plain:
            return Need(0, 0, Reason("optimizer.temporaries.loop_in_place"))
        values = {"current": form.current, "previous": form.previous, "total_bytes": plain}
        return Need(plain, blocks, Reason("optimizer.temporaries.loop", values))


def neighbours(layout: Layout) -> Iterator[tuple[PlacedGroup, PlacedGroup | None]]:
    """Every trained group by itself, and with each group that stands right before it."""
    for group in layout.trained:
        yield group, None
    for before, after in layout.neighbours:
        yield layout.placed[after], layout.placed[before]


def highest(layout: Layout, forms: Sequence[Form], size: Round) -> tuple[int, Form]:
    """Most bytes alive over all moments and all parameters, and the moment."""
    most, at = 0, Form(0)
    for group, before in neighbours(layout):
        for form in forms:
            alive = _alive(group, before, form, size)
            if alive > most:
                most, at = alive, form
    return most, at


def _alive(group: PlacedGroup, before: PlacedGroup | None, form: Form, size: Round) -> int:
    masks = form.masks * size(group.group.numel)
    held = 0 if before is None else form.previous * size(_one_bytes(before))
    return form.current * size(_one_bytes(group)) + held + masks


def seen_dtype(group: PlacedGroup) -> DType:
    """Type of the parameter the optimizer sees.

    Raises:
        ValueError: The group is frozen; no optimizer sees it.
    """
    if group.optimized is None:
        raise ValueError(f"{group.group.leaf or group.group.field} is frozen")
    return group.optimized


def _one_bytes(group: PlacedGroup) -> int:
    return seen_dtype(group).bytes_for(group.group.numel)


def _largest_run(layout: Layout, size: Round) -> int:
    """Bytes of one list. Tensors are taken type by type; the list before is alive while the next is made.

    Where several lists are made at once, not all of the lists before are alive any more: then it is a bound.
    """
    by_type: dict[str, int] = {}
    for group in layout.trained:
        key = seen_dtype(group).id
        by_type[key] = by_type.get(key, 0) + size(_one_bytes(group)) * group.group.count
    sizes = list(by_type.values())
    return max((before + after for before, after in zip([0, *sizes], sizes, strict=False)), default=0)


@dataclass(frozen=True, slots=True)
class AdafactorSteps(ForeachOrLoop):
    """torch's Adafactor: the variance is rebuilt in full size from its row and column factors.

    The for-loop holds, for a matrix, the rebuilt variance, the row and column means and their mean, and the
    rebuilt variance of the parameter before; for a vector two tensors of its size. With ``maximize`` one more
    copy. Python also holds the square of the last vector's gradient until the next vector; the largest is
    counted, as a bound. foreach makes one list of rebuilt variances, and the means of the row factors.
    foreach is not what CUDA gets by default: ``adafactor()`` only asks ``if foreach``
    (torch/optim/_adafactor.py).
    """

    foreach_default: bool = False
    lists: int = 1

    def _inside(self, layout: Layout, size: Round) -> int:
        return sum(_mean_bytes(group, size) * group.group.count for group in layout.trained)

    def _loop(self, layout: Layout, settings: Settings) -> Need:
        copy = int(self.copied(settings))
        vectors = [group for group in layout.trained if len(group.group.shape) < 2]
        plain, blocks = (
            max((self._moment(*pair, copy, size) for pair in neighbours(layout)), default=0)
            + max((size(_one_bytes(group)) for group in vectors), default=0)
            for size in (exact, layout.rounded)
        )
        why = Reason("optimizer.temporaries.adafactor_loop", {"total_bytes": plain})
        return Need(plain, blocks, why, exact=not vectors)

    @staticmethod
    def _moment(group: PlacedGroup, before: PlacedGroup | None, copy: int, size: Round) -> int:
        own = size(_one_bytes(group)) * (copy + (1 if len(group.group.shape) > 1 else 2)) + _factors(
            group, size
        )
        if before is None:
            return own
        held = size(_one_bytes(before))
        negated = copy * (size(_one_bytes(group)) + 2 * held + _factors(before, size))
        return max(own + held, negated)


def _factors(group: PlacedGroup, size: Round) -> int:
    """Bytes of the row means and the column means of one matrix, and of the mean of its row factor."""
    shape, dtype = group.group.shape, seen_dtype(group)
    if len(shape) < 2 or not group.group.numel:
        return 0
    sides = sum(size(dtype.bytes_for(group.group.numel // axis)) for axis in shape[-2:])
    return sides + _mean_bytes(group, size)


def _mean_bytes(group: PlacedGroup, size: Round) -> int:
    """Bytes of one number for each matrix in the last two axes; vectors have none."""
    shape = group.group.shape
    return size(seen_dtype(group).bytes_for(prod(shape[:-2]))) if len(shape) > 1 else 0


@dataclass(frozen=True, slots=True)
class NewtonSchulz:
    """torch's Muon: five bf16 Newton-Schulz iterations on one matrix of m x n, m <= n, at a time.

    Alive at the highest moment: the update (with Nesterov a tensor of its own), its bf16 copy (none where
    the update is bf16 already), the products X X^T and its polynomial (m x m), and the next X (m x n). From
    the second iteration on the X before is a tensor of its own. Source: torch/optim/_muon.py.
    """

    nesterov: Predicate

    def __call__(self, layout: Layout, settings: Settings) -> Need:
        """Bytes of the largest matrix's update."""
        update = int(self.nesterov(settings))
        plain, blocks = (
            max((self._matrix(group, update, size) for group in layout.trained), default=0)
            for size in (exact, layout.rounded)
        )
        return Need(plain, blocks, Reason("optimizer.temporaries.newton_schulz", {"total_bytes": plain}))

    @staticmethod
    def _matrix(group: PlacedGroup, update: int, size: Round) -> int:
        side = min(group.group.shape, default=1)
        square, full = size(BF16.bytes_for(side * side)), size(BF16.bytes_for(group.group.numel))
        return update * size(_one_bytes(group)) + 2 * square + 2 * full


@dataclass(frozen=True, slots=True)
class FlatVectors:
    """torch's LBFGS: every vector is as long as all parameters end to end.

    Without a line search a step of one iteration holds the flat gradient and a new history pair; where the
    gradient is evaluated again also the step it measures, and from the second iteration on the direction that
    the state still holds beside the new one: min(5, 2 + max_iter) once the history is full. The first step
    makes no pair in its first iteration: 2 vectors where that is its only one, 3 while the history fills, 4
    where it is full before the step ends. The strong-Wolfe search also holds a copy of the parameters and the
    gradients at both ends of its bracket, as many as it comes to need: 10 at most. Source:
    torch/optim/lbfgs.py.
    """

    searching: Predicate

    def __call__(self, layout: Layout, settings: Settings) -> Need:
        """Bytes of the vectors."""
        one = sum(_one_bytes(group) * group.group.count for group in layout.trained)
        searching = self.searching(settings)
        count, first = (10, 10) if searching else self._vectors(settings)
        key = "flat_vectors_search" if searching else "flat_vectors"
        values = {"vectors": count, "vector_bytes": one, "total_bytes": count * one}
        why = Reason(f"optimizer.temporaries.{key}", values)
        return Need(count * one, count * layout.rounded(one), why, first * one, exact=not searching)

    @staticmethod
    def _vectors(settings: Settings) -> tuple[int, int]:
        """Vectors of a steady step and of the first one, without a line search."""
        pairs, history = lbfgs_iterations(settings) - 1, settings.whole("history_size")
        first = 2 if not pairs else 3 if pairs <= history else 4
        return min(5, 2 + settings.whole("max_iter")), first


def lbfgs_iterations(settings: Settings) -> int:
    """Iterations of one LBFGS step that does not converge.

    ``max_eval`` is 5/4 of ``max_iter``, rounded down, and the first evaluation counts, so with ``max_iter`` 2
    and 3 it ends the step one iteration early.
    """
    most = settings.whole("max_iter")
    return min(most, max(1, most * 5 // 4 - 1))


@dataclass(frozen=True, slots=True)
class TouchedRows:
    """torch's SparseAdam: every tensor holds the rows that the batch touched; all rows is the most it can be.

    Two moments can be the highest: six tensors of the values and one of the int64 indices of the current
    parameter; or four of its values and two of its indices beside three of the values that are left of the
    parameter before. Source: torch/optim/_functional.py.
    """

    def __call__(self, layout: Layout, settings: Settings) -> Need:
        """Bytes if the batch touches every row once."""
        del settings
        plain, blocks = (
            max((self._rows(*pair, size) for pair in neighbours(layout)), default=0)
            for size in (exact, layout.rounded)
        )
        why = Reason("optimizer.temporaries.touched_rows", {"total_bytes": plain})
        return Need(plain, blocks, why, exact=False)

    @staticmethod
    def _rows(group: PlacedGroup, before: PlacedGroup | None, size: Round) -> int:
        values, indices = size(_one_bytes(group)), _index_bytes(group, size)
        held = 0 if before is None else 3 * size(_one_bytes(before))
        return max(6 * values + indices, 4 * values + 2 * indices + held)


def _index_bytes(group: PlacedGroup, size: Round) -> int:
    """Bytes of one int64 index a row."""
    return size(INT64.bytes_for(group.group.shape[0])) if group.group.shape else 0
