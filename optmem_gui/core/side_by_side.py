"""Two scenarios beside each other: what the second changes, component by component."""

from __future__ import annotations

from dataclasses import dataclass

from optmem_gui.core.breakdown import Breakdown


@dataclass(frozen=True, slots=True)
class SideRow:
    """One size in both scenarios.

    Attributes:
        id: A component, or ``peak``.
        first: Bytes in the first; None where it is not counted.
        second: Bytes in the second; None where it is not counted.
    """

    id: str
    first: int | None
    second: int | None

    @property
    def difference(self) -> int | None:
        """What the second has more, bytes; None where one of them is not counted."""
        return None if self.first is None or self.second is None else self.second - self.first

    @property
    def share(self) -> float | None:
        """The difference relative to the first; None where there is nothing to be relative to."""
        return None if self.difference is None or not self.first else self.difference / self.first


def side_by_side(first: Breakdown, second: Breakdown) -> tuple[SideRow, ...]:
    """Every component that either has, at its largest in a steady step, and the peak of the whole last."""
    rows = (
        SideRow(one.id, one.bytes if one.counted else None, other.bytes if other.counted else None)
        for one, other in zip(first.components, second.components, strict=True)
    )
    return (
        *(row for row in rows if row.first != 0 or row.second != 0),
        SideRow("peak", first.peak_bytes, second.peak_bytes),
    )
