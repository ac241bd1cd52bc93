"""A recorded memory snapshot over its events: what was in use, and what the caching allocator held."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget

from optmem_gui.core.units import SizeUnit, format_bytes, format_count
from optmem_gui.gui.widgets.curve import CurveItem
from optmem_gui.gui.widgets.curve_style import CURVES, curve_name
from optmem_gui.gui.widgets.memory_plot import MemoryPlot
from optmem_gui.gui.widgets.plot_marks import Marks, Spot
from optmem_gui.gui.widgets.readout import Entry
from optmem_gui.gui.widgets.stacked_area import Floats
from optmem_gui.report.replay_document import Replayed


class RecordedPlot(MemoryPlot):
    """Two lines over the events; point 0 is the state before the first."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: tuple[Replayed, SizeUnit] | None = None
        self.box.setMouseEnabled(x=True, y=False)
        self.curves = {name: CurveItem(CURVES[name]) for name in ("reserved", "allocated")}
        for curve in self.curves.values():
            self.add(curve)

    def show_replay(self, replayed: Replayed, unit: SizeUnit) -> None:
        """Show a replayed recording."""
        if self._shown is not None and self._shown[0] is replayed and self._shown[1] == unit:
            return
        other = self._shown is None or self._shown[0] is not replayed
        self._shown = (replayed, unit)
        replay = replayed.replay
        allocated = np.array(replay.allocated, dtype=np.float64)
        reserved = np.array(replay.reserved, dtype=np.float64)
        highest = int(max(allocated.max(initial=0), reserved.max(initial=0)))
        scale = self.set_scale(highest, unit)
        x = np.arange(allocated.size, dtype=np.float64)
        for name, sizes in (("allocated", allocated), ("reserved", reserved)):
            self.curves[name].set_data(*_as_steps(x, sizes / scale))
        self.set_points(x, allocated / scale)
        peak = replayed.peak_event + 1
        label = str(self.tr("peak {size}")).format(size=format_bytes(int(allocated[peak]), unit))
        self.set_marks(Marks(peak=Spot(float(peak), float(allocated[peak]) / scale, label)))
        self.bottom.setLabel(str(self.tr("events")))
        if other:
            self.show_all()

    def show_all(self) -> None:
        """Take the zoom back."""
        if self._shown is not None:
            self.box.setXRange(0, max(1, len(self._shown[0].replay.allocated) - 1), padding=0)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Take the zoom back."""
        super().mouseDoubleClickEvent(event)
        self.show_all()

    def read_out(self) -> tuple[str, tuple[Entry, ...]]:
        """Figures at the cursor, at the peak without one: a title and a line for each curve."""
        if self._shown is None:
            return "", ()
        replayed, unit = self._shown
        at_cursor = self.cursor_index
        place = at_cursor if at_cursor >= 0 else replayed.peak_event + 1
        when = format_count(place)
        template = (
            self.tr("After event {number}") if at_cursor >= 0 else self.tr("Peak, after event {number}")
        )
        title = str(template).format(number=when)
        held, used = replayed.replay.reserved[place], replayed.replay.allocated[place]
        entries = [
            Entry(CURVES[name], curve_name(name), format_bytes(size, unit), self._bytes(size))
            for name, size in (("reserved", held), ("allocated", used))
        ]
        entries.append(
            Entry("", str(self.tr("unused")), format_bytes(held - used, unit), self._bytes(held - used))
        )
        if 0 < place <= len(replayed.recording.events):
            event = replayed.recording.events[place - 1]
            entries.append(Entry("", event.action, format_bytes(event.size, unit), self._place(place - 1)))
        return title, tuple(entries)

    def _bytes(self, size: int) -> str:
        return str(self.tr("{count} bytes")).format(count=format_count(size))

    def _place(self, event: int) -> str:
        """Where in the program an event came from."""
        if self._shown is None or not self._shown[0].recording.stacks:
            return ""
        return "\n".join(self._shown[0].recording.stacks[event])


def _as_steps(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Between two events nothing changes: each value holds until the next event."""
    if x.size < 2:
        return np.append(x, x + 1), np.append(y, y)
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
