"""The stacked bar: geometry, keyboard, hover, and a picture that shows what it says."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from optmem_gui.gui.theme import component_style, is_dark
from optmem_gui.gui.widgets import stacked_bar
from optmem_gui.gui.widgets.stacked_bar import BarContent, Segment, StackedBar


@pytest.fixture(autouse=True)
def tips(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What tooltips said; the offscreen platform cannot raise a real one."""
    said: list[str] = []

    class Recorder:
        @staticmethod
        def showText(_place: QPoint, text: str, _widget: QWidget) -> None:  # noqa: N802  # Qt's name
            said.append(text)

        @staticmethod
        def hideText() -> None:  # noqa: N802  # Qt's name
            said.append("")

    monkeypatch.setattr(stacked_bar, "QToolTip", Recorder)
    return said


WEIGHTS = Segment("weights", "Weights", 300, "300 B", "<b>Weights</b>")
NOTHING = Segment("buffers", "Buffers", 0, "0 B", "<b>Buffers</b>")
STATE = Segment("optimizer_state", "Optimizer state", 600, "600 B", "<b>State</b>")
GRADIENTS = Segment("gradients", "Gradients", 100, "100 B", "<b>Gradients</b>")


def _bar(qtbot: QtBot, *segments: Segment, usable: int | None = 2000) -> StackedBar:
    bar = StackedBar()
    qtbot.addWidget(bar)
    bar.resize(1000, bar.sizeHint().height())
    bar.show_bar(BarContent(segments, usable, "usable 2000 B", "0", "All of it."))
    return bar


def _current_id(bar: StackedBar) -> str | None:
    return bar.current.id if bar.current else None


def test_lengths_are_in_proportion(qtbot: QtBot) -> None:
    bar = _bar(qtbot, WEIGHTS, NOTHING, STATE)
    areas = {part.id: area for part, area in bar.segment_areas()}
    assert list(areas) == ["weights", "optimizer_state"]
    # The scale ends 5 % beyond the capacity: 2000 + 100.
    full = bar.bar_area().width()
    assert abs(areas["weights"].width() - full * 300 / 2100) < 1e-6
    assert abs(areas["optimizer_state"].width() - full * 600 / 2100) < 1e-6
    assert areas["weights"].right() == areas["optimizer_state"].left()


def test_sizes_beyond_floating_point_still_fit(qtbot: QtBot) -> None:
    huge = Segment("weights", "Weights", 10**30, "10^30 B", "")
    tiny = Segment("buffers", "Buffers", 1, "1 B", "")
    areas = _bar(qtbot, huge, tiny, usable=80).segment_areas()
    assert areas[1][1].width() == 1.0  # what is there is seen
    assert areas[0][1].width() < 1000


def test_arrow_keys_walk_over_the_segments(qtbot: QtBot, tips: list[str]) -> None:
    bar = _bar(qtbot, WEIGHTS, NOTHING, STATE, GRADIENTS)
    seen: list[str] = []
    bar.focused_segment.connect(seen.append)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_End, Qt.Key.Key_Left, Qt.Key.Key_Home):
        QTest.keyClick(bar, key)
    assert seen == ["weights", "optimizer_state", "gradients", "optimizer_state", "weights"]
    assert bar.accessibleDescription() == "Weights 300 B. All of it."
    assert tips == [WEIGHTS.tip, STATE.tip, GRADIENTS.tip, STATE.tip, WEIGHTS.tip]


def test_the_segment_with_the_focus_keeps_it(qtbot: QtBot) -> None:
    bar = _bar(qtbot, WEIGHTS, STATE, GRADIENTS)
    QTest.keyClick(bar, Qt.Key.Key_End)
    bar.show_bar(BarContent((WEIGHTS, GRADIENTS), 2000, "", "0", "Less."))
    assert _current_id(bar) == "gradients"
    bar.show_bar(BarContent((WEIGHTS,), 2000, "", "0", "Least."))
    assert _current_id(bar) is None


def test_hover_explains_the_segment_below_the_pointer(qtbot: QtBot, tips: list[str]) -> None:
    bar = _bar(qtbot, WEIGHTS, STATE)
    place = bar.segment_areas()[1][1].center().toPoint()
    QApplication.sendEvent(bar, QHelpEvent(QEvent.Type.ToolTip, place, bar.mapToGlobal(place)))
    outside = QPoint(bar.width() - 5, place.y())
    QApplication.sendEvent(bar, QHelpEvent(QEvent.Type.ToolTip, outside, bar.mapToGlobal(outside)))
    assert tips == [STATE.tip, ""]
    assert bar.segment_at(QPointF(outside)) is None


def test_picture_shows_the_colour_of_each_segment(qtbot: QtBot) -> None:
    bar = _bar(qtbot, WEIGHTS, STATE)
    picture = bar.grab().toImage()
    area = bar.segment_areas()[0][1]
    ratio = picture.devicePixelRatio()
    found = picture.pixelColor(round((area.right() - 4) * ratio), round((area.top() + 2) * ratio))
    assert found == component_style("weights", is_dark(bar)).colour


def test_hatch_tells_segments_apart_without_colour(qtbot: QtBot) -> None:
    """Gradients are hatched, so their area has two colours; weights are plain and have one."""
    bar = _bar(qtbot, Segment("weights", "", 900, "", ""), Segment("gradients", "", 900, "", ""))
    picture = bar.grab().toImage()
    colours = []
    for _, area in bar.segment_areas():
        box = area.adjusted(8, 4, -8, -4).toRect()
        colours.append({picture.pixel(x, box.center().y()) for x in range(box.left(), box.right())})
    assert len(colours[0]) == 1
    assert len(colours[1]) > 1


def test_an_empty_bar_paints_and_ignores_keys(qtbot: QtBot) -> None:
    bar = _bar(qtbot, usable=None)
    QTest.keyClick(bar, Qt.Key.Key_Right)
    assert bar.current is None
    assert not bar.grab().isNull()
