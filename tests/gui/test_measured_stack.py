"""The measured course, stacked by what is allocated."""

from __future__ import annotations

import numpy as np
from pytestqt.qtbot import QtBot

from optmem_gui.core.protocol import PhaseSample
from optmem_gui.gui.widgets.measured_plot import MeasuredPlot
from optmem_gui.gui.widgets.recording import Recording

SECOND = 10**9

LOAD = PhaseSample(
    0, "load", SECOND, 2 * SECOND, 0, 8, 8, points=((SECOND, 8),), parts={"weights": (8,)}, alloc_count=1
)
FORWARD = PhaseSample(
    1,
    "forward",
    3 * SECOND,
    5 * SECOND,
    8,
    14,
    24,
    points=((3 * SECOND, 24), (4 * SECOND, 14)),
    parts={"weights": (8, 8), "activations": (6, 6), "temporaries": (10, 0)},
)
IDLE = PhaseSample(1, "between_steps", 5 * SECOND, 6 * SECOND, 14, 14, 14)


def test_every_component_is_known_at_every_moment() -> None:
    """Both ends of a phase keep what was there; where a component is not there yet it is 0."""
    recording = Recording()
    recording.feed((LOAD, FORWARD, IDLE))
    times, layers = recording.stack()
    sizes = {component: list(values) for component, values in layers}
    # start of load, its point, its end; start of forward, its two points, its end; both ends of the pause
    assert list(times) == [0, 0, 1, 2, 2, 3, 4, 4, 5]
    assert sizes["weights"] == [0, 8, 8, 8, 8, 8, 8, 8, 8]
    assert sizes["activations"] == [0, 0, 0, 0, 6, 6, 6, 6, 6]
    assert sizes["temporaries"] == [0, 0, 0, 0, 10, 0, 0, 0, 0]
    assert [component for component, _ in layers] == ["weights", "activations", "temporaries"]


def test_a_run_without_single_allocations_has_no_areas() -> None:
    recording = Recording()
    recording.feed((IDLE,))
    times, layers = recording.stack()
    assert times.size == 0
    assert layers == []


def test_the_plot_tells_the_parts_of_the_peak_and_of_a_moment(qtbot: QtBot) -> None:
    plot = MeasuredPlot()
    qtbot.addWidget(plot)
    plot.resize(400, 300)
    plot.show_samples((LOAD, FORWARD, IDLE), None, "GiB")
    assert plot.parts_at(None) == {"weights": 8, "activations": 6, "temporaries": 10}
    assert plot.parts_at(0.5) == {"weights": 8, "activations": 0, "temporaries": 0}
    assert plot.parts_at(-1.0) == {}
    drawn = plot.area.boundingRect()
    scale = 24 / drawn.height()
    assert np.isclose(drawn.width(), 5)
    assert scale > 0
    again = MeasuredPlot()
    qtbot.addWidget(again)
    again.show_samples((IDLE,), None, "GiB")
    assert again.parts_at(None) == {}
