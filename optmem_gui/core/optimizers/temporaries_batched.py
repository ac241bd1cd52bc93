"""Temporaries of libraries that update all parameters in batches on any device unless told not to.

torch's own optimizers choose foreach on a GPU only; pytorch_optimizer chooses it everywhere, so a step takes
lists as large as all parameters by default. The counts of lists and of tensors were measured: peaks of steps
over 1, 2, 3, 6 and 10 equal tensors give what grows with all of them and what with one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from optmem_gui.core.layout import Layout
from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.declare import Need, Predicate, Settings, TemporariesRule, always, never
from optmem_gui.core.optimizers.temporaries import ForeachOrLoop, Form, Mode, Round, exact, seen_dtype
from optmem_gui.core.reasons import Reason


@dataclass(frozen=True, slots=True)
class BatchedOrLoop(ForeachOrLoop):
    """foreach by default on any device; the rest is torch's common shape.

    Attributes:
        anywhere: Whether foreach is the default without a GPU too.
        unless: Options under which the class takes one parameter after another whatever it is told.
        apart: Tensors of one parameter at a moment when the lists are gone; the higher moment counts.
        always_all: The class has batches only, and no option for it.
        narrow: The rule for 16-bit parameters where it is another.
        close: The counts are a bound or an average (dimensions that matter are left out): not exact.
    """

    anywhere: bool = True
    unless: Predicate = never
    apart: int = 0
    always_all: bool = False
    narrow: TemporariesRule | None = None
    close: bool = False

    def mode(self, settings: Settings) -> Mode:
        """Which way runs: what ``foreach`` says, else the library's own choice."""
        chosen = settings.values.get("foreach", self.always_all)
        if self.unless(settings):
            return "loop"
        if chosen is None:
            chosen = self.foreach_default and (self.anywhere or settings.target == "cuda")
        return "foreach" if chosen else "loop"

    def __call__(self, layout: Layout, settings: Settings) -> Need:
        """Bytes of one step."""
        if self.narrow is not None and _is_narrow(layout):
            return self.narrow(layout, settings)
        need = ForeachOrLoop.__call__(self, layout, settings)
        if self.apart and self.mode(settings) == "foreach":
            alone = BatchedOrLoop(loop=(Form(self.apart),), unless=always)(layout, settings)
            need = max(need, alone, key=lambda each: each.bytes)
        return replace(need, exact=False) if self.close else need


def _is_narrow(layout: Layout) -> bool:
    """Whether any parameter the optimizer sees is of a 16-bit type."""
    return any(seen_dtype(group).bits == 16 for group in layout.trained)


def batched(
    lists: int,
    *loop: tuple[int, int],
    one: int = 0,
    more: tuple[Predicate, ...] = (),
    anywhere: bool = True,
    unless: Predicate = never,
    apart: int = 0,
    narrow: TemporariesRule | None = None,
    close: bool = False,
) -> BatchedOrLoop:
    """The rule in its usual form.

    Args:
        lists: Lists as large as all parameters that the batched step makes.
        loop: Moments of the step without batches: tensors of the current parameter, and of the one before.
        one: Further tensors of the largest parameter that the batched step makes.
        more: Conditions that add a list each.
        anywhere: Batches are the default without a GPU too.
        unless: Options under which there are no batches.
        apart: Tensors of one parameter at a moment when the lists are gone.
        narrow: The rule for 16-bit parameters where it is another.
        close: Not exact.
    """
    return BatchedOrLoop(
        lists=lists,
        more_lists=more,
        loop=tuple(Form(*moment) for moment in loop),
        foreach_moment=Form(one) if one else None,
        anywhere=anywhere,
        unless=unless,
        apart=apart,
        narrow=narrow,
        close=close,
    )


def looped(*loop: tuple[int, int], close: bool = False) -> BatchedOrLoop:
    """The rule of a class that takes one parameter after another whatever it is told."""
    return BatchedOrLoop(loop=tuple(Form(*moment) for moment in loop), unless=always, close=close)


@dataclass(frozen=True, slots=True)
class BatchedByShape:
    """Parameters of one shape are stacked and updated together, one shape after another.

    Attributes:
        many: Tensors as large as all parameters of one shape, where there are several.
        single: Tensors as large as the parameter, where its shape is the only one of its kind.
        loop: Tensors of the current parameter and of the one before it, without batches.
        anywhere: Stacks are the default without a GPU too.
        narrow: The rule for 16-bit parameters where it is another.
    """

    many: int
    single: int
    loop: tuple[int, int]
    anywhere: bool = True
    narrow: TemporariesRule | None = None

    def __call__(self, layout: Layout, settings: Settings) -> Need:
        """Bytes of the largest stack, or of the largest parameter."""
        if self.narrow is not None and _is_narrow(layout):
            return self.narrow(layout, settings)
        chosen = settings.values.get("foreach")
        if chosen is False or (chosen is None and not self.anywhere and settings.target == "cpu"):
            return looped(self.loop, close=True)(layout, settings)
        plain, blocks = (max(self._stacks(layout, size), default=0) for size in (exact, layout.rounded))
        why = Reason("optimizer.temporaries.stacked", {"total_bytes": plain})
        return Need(plain, blocks, why, exact=False)

    def _stacks(self, layout: Layout, size: Round) -> list[int]:
        stacks: dict[tuple[Shape, str], list[int]] = {}
        for group in layout.trained:
            dtype = seen_dtype(group)
            one = dtype.bytes_for(group.group.numel)
            held = stacks.setdefault((group.group.shape, dtype.id), [0, one])
            held[0] += group.group.count
        return [
            self.many * size(count * one) if count > 1 else self.single * size(one)
            for count, one in stacks.values()
        ]
