"""Temporaries of libraries that update one parameter after another, from counts that were measured.

Where torch's own optimizers have rules read line by line, those of other libraries say how many tensors as
large as a parameter are alive at the highest moment. That is a close estimate, not a proof: shapes that
differ along the way, 0-d tensors and what an operator allocates inside itself are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

from optmem_gui.core.dtypes import F32
from optmem_gui.core.layout import Layout, PlacedGroup
from optmem_gui.core.optimizers.declare import Need, Predicate, Settings, TemporariesRule, never
from optmem_gui.core.optimizers.temporaries import Round, exact, neighbours, seen_dtype
from optmem_gui.core.reasons import Reason


@dataclass(frozen=True, slots=True)
class PerTensor:
    """So many tensors of the current parameter, and of the one before it that Python still holds.

    Attributes:
        own: Tensors in the type of the parameter.
        fp32: Tensors in fp32, whatever the type of the parameter.
        cast: Further fp32 tensors where the parameter is not fp32: copies of it and of its gradient.
        previous: Tensors of the parameter before it, in its type.
        previous_fp32: The same in fp32.
        more: Conditions that add one tensor in the parameter's type each.
        lists: Lists as large as all parameters that foreach makes; None where there is no foreach.
        lists_cast: Further fp32 lists of the parameters that are not fp32.
        foreach_default: Whether foreach is what CUDA gets when nothing is said.
        all_at_once: There is no for-loop: the lists are made on every device, and the tensors of one
            parameter on top of them.
    """

    own: float = 0
    fp32: float = 0
    cast: float = 0
    previous: float = 0
    previous_fp32: float = 0
    more: tuple[Predicate, ...] = ()
    lists: float | None = None
    lists_cast: float = 0
    foreach_default: bool = True
    all_at_once: bool = False

    def __call__(self, layout: Layout, settings: Settings) -> Need:
        """Bytes of the largest parameter's update, or of all at once with foreach."""
        if self.lists is not None and (self.all_at_once or self._foreach(settings)):
            return self._all(layout, settings, self.lists)
        plain, blocks = (self._highest(layout, settings, size) for size in (exact, layout.rounded))
        if not plain:
            return Need(0, 0, Reason("optimizer.temporaries.none"))
        why = Reason("optimizer.temporaries.per_tensor", {"total_bytes": plain})
        return Need(plain, blocks, why, exact=False)

    def _foreach(self, settings: Settings) -> bool:
        chosen = settings.values.get("foreach")
        return bool(chosen) if chosen is not None else settings.target == "cuda" and self.foreach_default

    def _all(self, layout: Layout, settings: Settings, lists: float) -> Need:
        count = lists if self.all_at_once else lists + sum(condition(settings) for condition in self.more)
        plain, blocks = (
            sum(self._list_bytes(group, count, size) * group.group.count for group in layout.trained)
            + (self._highest(layout, settings, size) if self.all_at_once else 0)
            for size in (exact, layout.rounded)
        )
        if not plain:
            return Need(0, 0, Reason("optimizer.temporaries.foreach_in_place"))
        values: dict[str, str | int] = {"lists": f"{count:g}", "total_bytes": plain}
        key = "lists_and_one" if self.all_at_once else "all_tensors"
        return Need(plain, blocks, Reason(f"optimizer.temporaries.{key}", values), exact=False)

    def _highest(self, layout: Layout, settings: Settings, size: Round) -> int:
        own = self.own + sum(condition(settings) for condition in self.more)
        return max((self._moment(*pair, own, size) for pair in neighbours(layout)), default=0)

    def _list_bytes(self, group: PlacedGroup, count: float, size: Round) -> int:
        wide = self.lists_cast if seen_dtype(group) is not F32 else 0
        return int(count * _own_bytes(group, size) + wide * _fp32_bytes(group, size))

    def _moment(self, group: PlacedGroup, before: PlacedGroup | None, own: float, size: Round) -> int:
        wide = self.fp32 + (self.cast if seen_dtype(group) is not F32 else 0)
        alive = own * _own_bytes(group, size) + wide * _fp32_bytes(group, size)
        if before is not None:
            alive += self.previous * _own_bytes(before, size)
            alive += self.previous_fp32 * _fp32_bytes(before, size)
        return int(alive)


def _own_bytes(group: PlacedGroup, size: Round) -> int:
    return size(seen_dtype(group).bytes_for(group.group.numel))


def _fp32_bytes(group: PlacedGroup, size: Round) -> int:
    return size(F32.bytes_for(group.group.numel))


@dataclass(frozen=True, slots=True)
class KernelOnGpu:
    """A kernel of the library's own updates in place on a GPU; elsewhere tensors are made.

    Attributes:
        elsewhere: What a step takes without the kernel.
        unless: Conditions under which the kernel does not run on a GPU either.
    """

    elsewhere: TemporariesRule
    unless: Predicate = never

    def __call__(self, layout: Layout, settings: Settings) -> Need:
        """Nothing where the kernel runs."""
        if settings.target == "cuda" and not self.unless(settings):
            return Need(0, 0, Reason("optimizer.temporaries.kernel"))
        return self.elsewhere(layout, settings)
