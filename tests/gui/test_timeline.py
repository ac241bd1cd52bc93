"""The timeline: phases, cursor, readout, and a measurement beside the estimate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from optmem_gui.core.protocol import PhaseSample, Sample
from optmem_gui.core.units import GIB
from optmem_gui.gui.panels.timeline import TimelinePanel
from optmem_gui.gui.snapshot import MeasurementState, MeasureStage
from optmem_gui.gui.widgets.curve import STEEP, dashed
from optmem_gui.gui.widgets.curve_style import CURVES
from optmem_gui.gui.widgets.recording import Recording, extremes
from tests.gui.result_samples import breakdown, snapshot

SECOND = 1_000_000_000


@pytest.fixture
def panel(qtbot: QtBot) -> TimelinePanel:
    made = TimelinePanel()
    qtbot.addWidget(made)
    made.resize(900, 320)
    return made


def _listed(panel: TimelinePanel) -> dict[str, str]:
    return {entry.name: entry.value for entry in panel.readout.entries}


def _run(count: int = 50) -> tuple[Sample | PhaseSample, ...]:
    """Half a second of a run: the driver at 100 Hz, two phases of one step."""
    driver = tuple(
        Sample(7 * SECOND + index * 10_000_000, (40 + index) * GIB, None if index % 2 else 30 * GIB)
        for index in range(count)
    )
    forward = PhaseSample(1, "forward", 7 * SECOND, 7 * SECOND + 200_000_000, GIB, 2 * GIB, 5 * GIB, 6 * GIB)
    points = ((7 * SECOND + 300_000_000, 9 * GIB),)
    backward = PhaseSample(
        1,
        "backward",
        7 * SECOND + 200_000_000,
        7 * SECOND + 500_000_000,
        2 * GIB,
        3 * GIB,
        9 * GIB,
        None,
        None,
        points,
    )
    return (*driver, forward, backward)


def _measuring(samples: tuple[Sample | PhaseSample, ...]) -> MeasurementState:
    return MeasurementState(MeasureStage.RUNNING, "cuda:0", samples=samples, breakdown=breakdown())


def test_without_a_cursor_the_peak_is_read_out(panel: TimelinePanel) -> None:
    panel.render(snapshot())
    assert panel.readout.title.text() == "Peak, optimizer step: 65.2 GiB"
    assert _listed(panel) == {
        "Temporaries": "13.0 GiB",
        "Optimizer state": "26.1 GiB",
        "Gradients": "13.0 GiB",
        "Weights": "13.0 GiB",
    }


def test_the_plot_follows_the_first_paint(panel: TimelinePanel, qtbot: QtBot) -> None:
    """Figures are there at once; what the plot needs is loaded afterwards."""
    panel.render(snapshot())
    assert panel.readout.title.text().startswith("Peak")
    assert panel.plots.count() == 0
    panel.grab()
    qtbot.waitUntil(lambda: panel.plots.count() == 1)
    assert panel.plots.currentWidget() is panel.estimated
    assert panel.estimated.breakdown is not None


def test_arrow_keys_walk_through_the_step(panel: TimelinePanel) -> None:
    result = breakdown()
    panel.render(snapshot(result))
    QTest.keyClick(panel.estimated, Qt.Key.Key_Home)
    assert panel.readout.title.text() == "load: 0 B"
    QTest.keyClick(panel.estimated, Qt.Key.Key_Right)
    assert _listed(panel)["Weights"] == "13.0 GiB"
    assert _listed(panel)["Gradients"] == "-"
    QTest.keyClick(panel.estimated, Qt.Key.Key_End)
    assert panel.estimated.cursor_index == len(result.timeline) - 1
    QTest.keyClick(panel.estimated, Qt.Key.Key_Escape)
    assert panel.readout.title.text().startswith("Peak")


def test_pointer_reads_the_nearest_moment(panel: TimelinePanel) -> None:
    panel.render(snapshot())
    panel.grab()  # lays the plot out
    box = panel.estimated.box
    panel.estimated.scene().sigMouseMoved.emit(box.mapViewToScene(QPointF(0.57, 1.0)))
    assert panel.readout.title.text().startswith("backward: ")
    panel.estimated.scene().sigMouseMoved.emit(QPointF(-5, -5))
    assert panel.readout.title.text().startswith("Peak")


def test_where_two_phases_meet_the_side_of_the_pointer_counts(panel: TimelinePanel) -> None:
    """forward ends and backward begins at 0.36."""
    panel.render(snapshot())
    panel.grab()
    box = panel.estimated.box
    for place, phase in ((0.355, "forward"), (0.365, "backward")):
        panel.estimated.scene().sigMouseMoved.emit(box.mapViewToScene(QPointF(place, 1.0)))
        assert panel.readout.title.text().startswith(phase)


@pytest.mark.parametrize("count", [1, 10**6, 10**18])
def test_axis_takes_the_unit_that_suits(panel: TimelinePanel, count: int) -> None:
    panel.render(snapshot(breakdown(count, gpu=None), gpu=None))
    assert panel.estimated.scale_name == {1: "B", 10**6: "MiB", 10**18: "TiB"}[count]
    assert not panel.grab().isNull()


def test_a_capacity_far_above_does_not_flatten_the_curve(panel: TimelinePanel) -> None:
    """On 79 GiB, a step of 9.5 MiB would be a line on the ground."""
    panel.render(snapshot(breakdown(1_000_000)))
    assert panel.estimated.box.viewRange()[1][1] < 20  # MiB
    panel.render(snapshot(breakdown(4_000_000_000)))
    assert panel.estimated.box.viewRange()[1][1] > 79  # GiB


def test_picture_shows_areas_and_capacity(panel: TimelinePanel) -> None:
    panel.render(snapshot())
    picture = panel.estimated.grab().toImage()
    colours = {
        picture.pixel(x, y) for x in range(0, picture.width(), 3) for y in range(0, picture.height(), 3)
    }
    assert len(colours) > 8


def test_components_of_zero_bytes_are_not_listed(panel: TimelinePanel) -> None:
    panel.render(snapshot(breakdown(each={"weights": 2, "gradients": 2, "optimizer_state": 0})))
    assert set(_listed(panel)) == {"Gradients", "Weights"}


def test_measured_is_off_until_there_is_something_to_show(panel: TimelinePanel) -> None:
    panel.render(snapshot())
    assert not panel.show_measured.isEnabled()
    panel.render(snapshot(measurement=_measuring(_run())))
    assert panel.show_measured.isChecked()
    assert panel.plots.currentWidget() is panel.measured
    assert not panel.grab().isNull()


def test_the_users_view_is_kept_while_a_run_goes_on(panel: TimelinePanel) -> None:
    panel.render(snapshot(measurement=_measuring(_run(10))))
    panel.show_estimated.click()
    panel.render(snapshot(measurement=_measuring(_run(20))))
    assert panel.plots.currentWidget() is panel.estimated


def test_readout_of_a_run(panel: TimelinePanel) -> None:
    panel.render(snapshot(measurement=_measuring(_run())))
    assert _listed(panel) == {
        "device used": "89.0 GiB",
        "process used": "30.0 GiB",
        "torch reserved": "6.00 GiB",
        "torch allocated": "9.00 GiB",
    }
    QTest.keyClick(panel.measured, Qt.Key.Key_Home)
    assert panel.readout.title.text() == "0.00 s, step 1, forward"
    assert _listed(panel)["torch reserved"] == "-"


def test_a_run_is_shown_from_its_first_step_until_the_user_zooms(panel: TimelinePanel) -> None:
    """Ten seconds of loading before one second of steps."""
    load = PhaseSample(0, "load", 0, 10 * SECOND, 0, GIB, GIB)
    step = PhaseSample(1, "forward", 10 * SECOND, 11 * SECOND, GIB, GIB, GIB)
    panel.render(snapshot(measurement=_measuring((load, step))))
    start, end = panel.measured.box.viewRange()[0]
    assert 9.5 < start < 10
    assert 11 <= end < 11.1
    panel.measured.box.sigRangeChangedManually.emit(None)  # as the wheel does
    panel.measured.box.setXRange(0, 5, padding=0)
    panel.render(snapshot(measurement=_measuring((load, step, replace(step, step=2)))))
    assert panel.measured.box.viewRange()[0] == [0, 5]
    QTest.mouseDClick(panel.measured.viewport(), Qt.MouseButton.LeftButton)
    assert panel.measured.box.viewRange()[0][0] > 9


def test_every_series_has_a_dash_and_colours_of_its_own() -> None:
    assert len({curve.light for curve in CURVES.values()}) == len(CURVES)
    together = [CURVES[name].dash for name in ("device", "process", "reserved", "allocated")]
    assert len(set(together)) == 4  # rss stands in for process on a CPU


def test_dashes_cut_a_straight_line_evenly() -> None:
    """Dash 4, gap 2 from 0 to 12 along y = x: drawn 0-4 and 6-10."""
    x, y, drawn = dashed(np.array([0.0, 12.0]), np.array([0.0, 2.0]), (4, 2))
    assert x.tolist() == [0, 4, 6, 10, 12]
    assert np.allclose(y, x / 6)
    assert drawn.tolist() == [True, False, True, False]


def test_a_peak_inside_a_gap_is_still_drawn() -> None:
    """Up and down by more than a few pixels between 5.2 and 5.8, in the gap from 4 to 6."""
    x = np.array([0.0, 5.2, 5.5, 5.8, 12.0])
    y = np.array([0.0, 0.0, 10 * STEEP, 0.0, 0.0])
    cut_x, cut_y, drawn = dashed(x, y, (4, 2))
    steep = np.abs(np.diff(cut_y)) > STEEP
    assert steep.sum() == 2
    assert drawn[steep].all()
    assert not drawn[(cut_x[:-1] == 4.0)].any()


def test_gaps_are_left_out_and_peaks_kept() -> None:
    recording = Recording()
    recording.feed(_run(4))
    series = recording.series()
    assert series["process"].times.tolist() == [0.0, 0.02]
    assert "rss" not in series
    assert series["allocated"].sizes.max() == 9 * GIB
    # Without a recorded course the peak of a phase stands half-way through it.
    assert series["allocated"].at(0.1) == 5 * GIB
    assert series["allocated"].at(-1.0) is None


def test_a_growing_run_is_the_same_as_the_whole_run() -> None:
    samples = _run()
    piecewise, whole = Recording(), Recording()
    for end in (1, 7, 30, len(samples)):
        piecewise.feed(samples[:end])
    whole.feed(samples)
    for name, series in whole.series().items():
        assert np.array_equal(piecewise.series()[name].times, series.times)
        assert np.array_equal(piecewise.series()[name].sizes, series.sizes)
    assert piecewise.phases() == whole.phases()


def test_another_run_starts_over() -> None:
    recording = Recording()
    recording.feed(_run(30))
    other = (Sample(99 * SECOND, GIB), Sample(100 * SECOND, GIB))
    recording.feed(other)
    assert recording.series()["device"].times.tolist() == [0.0, 1.0]
    assert recording.steps() == ()


def test_micro_batches_are_one_span_a_phase() -> None:
    first = PhaseSample(1, "forward", 0, SECOND, 0, 1, 1)
    recording = Recording()
    recording.feed((first, replace(first, start_ns=SECOND, end_ns=3 * SECOND)))
    assert [(span.start, span.end) for span in recording.phases()] == [(0.0, 3.0)]
    assert [(step, span.end) for step, span in recording.steps()] == [(1, 3.0)]


@given(st.lists(st.integers(0, 1 << 50), min_size=1, max_size=300), st.integers(1, 40))
def test_a_thinned_series_keeps_ends_and_extremes(sizes: list[int], block: int) -> None:
    values = np.array(sizes, dtype=np.float64)
    kept = extremes(values, block)
    assert kept.tolist() == sorted(set(kept.tolist()))
    assert kept[0] == 0
    assert kept[-1] == len(values) - 1
    for start in range(0, len(values), block):
        inside = kept[(kept >= start) & (kept < start + block)]
        stretch = values[start : start + block]
        assert (values[inside].min(), values[inside].max()) == (stretch.min(), stretch.max())


def test_a_long_run_is_thinned_until_a_part_of_it_is_looked_at(panel: TimelinePanel) -> None:
    """20,000 samples, one of which is higher than all others."""
    samples = (Sample(n * 1_000_000, 7 << 20 if n == 12_345 else 5 << 20) for n in range(20_000))
    panel.render(snapshot(measurement=_measuring(tuple(samples))))
    plot = panel.measured
    thinned = plot.series["device"]
    assert thinned.times.size < 5_000
    assert thinned.sizes.max() == 7 << 20
    assert thinned.times[thinned.sizes.argmax()] == 12.345
    plot.box.sigRangeChangedManually.emit(None)  # as the wheel does
    assert plot.series["device"].times.size == 20_000
    QTest.mouseDClick(plot.viewport(), Qt.MouseButton.LeftButton)
    assert plot.series["device"].times.size < 5_000
