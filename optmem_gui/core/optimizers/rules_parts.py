"""Shape rules of states that hold a part of each parameter: every n-th element, one vector an axis, factors.

And the rule that keeps another rule to some of the parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

from optmem_gui.core.dtypes import BF16, F16, F32, DType
from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.declare import DTypeRule, Predicate, Settings, ShapeRule, Subject, always

Choice = Callable[[Subject], bool]


@dataclass(frozen=True, slots=True)
class IsSet:
    """The condition that an option has a value, be it 0: the library asks whether it is None."""

    option: str

    def __call__(self, settings: Settings) -> bool:
        """Whether it is not None."""
        return settings.values.get(self.option) is not None


def only(rule: ShapeRule, chosen: Choice, key: str | None = None) -> ShapeRule:
    """The same rule for some subjects, nothing for the others.

    Args:
        rule: How large the state is where it exists.
        chosen: Which subjects have it.
        key: Name of its formula; that of the rule where none is given.
    """

    def shape(subject: Subject) -> Shape | None:
        return rule.shape(subject) if chosen(subject) else None

    return ShapeRule(key or rule.key, shape, full_size=rule.full_size)


def every_nth(option: str) -> ShapeRule:
    """One element out of so many: ``parameter.flatten()[::n]`` has ceil(numel / n).

    Args:
        option: The option that says how many.
    """

    def shape(subject: Subject) -> Shape:
        return (-(-prod(subject.shape) // subject.settings.whole(option)),)

    return ShapeRule("every_nth", shape)


def every_nth_of(number: int) -> ShapeRule:
    """The same where the library fixes the number."""

    def shape(subject: Subject) -> Shape:
        return (-(-prod(subject.shape) // number),)

    return ShapeRule("every_nth", shape)


def along_axis(axis: int) -> ShapeRule:
    """One number for each index along one axis (SM3's covers). A single number has its first axis.

    Args:
        axis: Which axis, from 0.
    """

    def shape(subject: Subject) -> Shape | None:
        if axis < len(subject.shape):
            return (subject.shape[axis],)
        return () if axis == 0 else None

    return ShapeRule("along_axis", shape)


@dataclass(frozen=True, slots=True)
class TwoLargest:
    """Second moments factored over the two largest axes, where a tensor is large enough.

    Attributes:
        least: A tensor is factored if any axis is at least so long.
        when: Whether factoring is switched on.
    """

    least: int
    when: Predicate = always

    def factored(self, subject: Subject) -> bool:
        """Whether this parameter is factored."""
        axes = subject.shape
        return len(axes) > 1 and max(axes) >= self.least and self.when(subject.settings)

    @property
    def rows(self) -> ShapeRule:
        """The parameter with its largest axis averaged away."""
        return ShapeRule("rows_of_two_largest", lambda subject: self._without(subject, -1))

    @property
    def columns(self) -> ShapeRule:
        """The parameter with its second largest axis averaged away."""
        return ShapeRule("columns_of_two_largest", lambda subject: self._without(subject, -2))

    @property
    def rest(self) -> ShapeRule:
        """As many elements as the parameter where it is not factored, else nothing."""
        return ShapeRule("not_factored", lambda subject: None if self.factored(subject) else subject.shape)

    def _without(self, subject: Subject, place: int) -> Shape | None:
        if not self.factored(subject):
            return None
        axes = subject.shape
        away = sorted(range(len(axes)), key=lambda axis: (axes[axis], axis))[place]
        return tuple(1 if axis == away else length for axis, length in enumerate(axes))


def _wide_or_same(option: str) -> Callable[[Subject], DType]:
    def dtype(subject: Subject) -> DType:
        return F32 if subject.settings.on(option) else subject.dtype

    return dtype


def fp32_if(option: str) -> DTypeRule:
    """fp32 while an option is on, else the type of the parameter."""
    return DTypeRule("fp32_if", _wide_or_same(option))


AT_MOST_16_BITS = DTypeRule(
    "at_most_16_bits", lambda subject: BF16 if subject.dtype is F32 else subject.dtype
)
"""bf16 for fp32 parameters, else the type of the parameter."""

FP32_FOR_FP16 = DTypeRule("fp32_for_fp16", lambda subject: F32 if subject.dtype is F16 else subject.dtype)
"""fp32 for fp16 parameters, else the type of the parameter."""
