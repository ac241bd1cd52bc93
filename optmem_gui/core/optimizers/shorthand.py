"""States and conditions that tables of many small declarations repeat."""

from __future__ import annotations

from dataclasses import dataclass, replace

from optmem_gui.core.optimizers.declare import DTypeRule, Option, Predicate, Settings, State, always
from optmem_gui.core.optimizers.rules import LIKE_DTYPE, LIKE_PARAMETER, SCALAR
from optmem_gui.core.scenario import OptionValue


def full(*names: str, when: Predicate = always, dtype: DTypeRule = LIKE_DTYPE) -> tuple[State, ...]:
    """States as large as the parameter.

    Args:
        names: Their keys.
        when: Whether they exist.
        dtype: Which type they have; that of the parameter where none is given.
    """
    return tuple(State(name, LIKE_PARAMETER, dtype, when=when) for name in names)


def numbers(
    *names: str, when: Predicate = always, dtype: DTypeRule = LIKE_DTYPE, whole: bool = False
) -> tuple[State, ...]:
    """States of one number a parameter, or one for the whole optimizer.

    Args:
        names: Their keys.
        when: Whether they exist.
        dtype: Which type they have; that of the parameter where none is given.
        whole: One for the whole optimizer.
    """
    return tuple(State(name, SCALAR, dtype, when=when, whole=whole) for name in names)


def inert(option: Option, default: OptionValue) -> Option:
    """An option that a class takes with a default of its own and that changes nothing in memory."""
    return replace(option, affects=(), default=default)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The condition that an option has one value.

    Attributes:
        option: Its name.
        value: That value.
    """

    option: str
    value: OptionValue

    def __call__(self, settings: Settings) -> bool:
        """Whether it has."""
        return settings.values.get(self.option) == self.value
