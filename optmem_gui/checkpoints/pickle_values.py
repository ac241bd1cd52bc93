"""What a pickle describes, as inert values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Value = Any
"""Whatever a pickle can describe."""

Rebuild = Callable[[tuple[Value, ...]], Value]


@dataclass(frozen=True, slots=True)
class Symbol:
    """The name of a class or function, as text."""

    path: str


@dataclass(slots=True, eq=False, repr=False)
class Made:
    """An object that would have been made by a call, described instead of made.

    Attributes:
        maker: What would have been called.
        args: Its arguments.
        state: What would have been set on the result.
        items: Keys and values that would have been stored in it.
        elements: Values that would have been appended to it.
    """

    maker: Value
    args: Value = ()
    state: Value = None
    items: dict[Value, Value] = field(default_factory=dict)
    elements: list[Value] = field(default_factory=list)

    def __repr__(self) -> str:
        """Short whatever it holds: what is shared many times over would be written out each time."""
        return f"<{self.path or 'object'}>"

    @property
    def path(self) -> str:
        """Name of the class, empty where it is not a plain name."""
        return self.maker.path if isinstance(self.maker, Symbol) else ""


@dataclass(frozen=True, slots=True)
class Persistent:
    """A reference to something stored outside the pickle."""

    identity: Value
