"""Drawing: thinning to pixels, pictures on disk, labels that can be copied, both themes, many repaints."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from xml.etree import ElementTree

import numpy as np
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from optmem_gui.gui.panels.breakdown import BreakdownPanel
from optmem_gui.gui.panels.comparison import ComparisonPanel
from optmem_gui.gui.panels.headline import HeadlinePanel
from optmem_gui.gui.panels.timeline import TimelinePanel
from optmem_gui.gui.theme import DARK, LIGHT, apply_theme, contrast
from optmem_gui.gui.widgets.export import widget_image, widget_svg
from optmem_gui.gui.widgets.labels import ValueLabel
from optmem_gui.gui.widgets.stacked_area import thinned
from tests.gui.result_samples import breakdown, comparison, snapshot

PANELS = (HeadlinePanel, BreakdownPanel, ComparisonPanel, TimelinePanel)


@pytest.fixture
def app(qapp: QApplication) -> Iterator[QApplication]:
    yield qapp
    apply_theme(qapp, "light")


def _panels(qtbot: QtBot) -> list[HeadlinePanel | BreakdownPanel | ComparisonPanel | TimelinePanel]:
    made = [panel() for panel in PANELS]
    for panel in made:
        qtbot.addWidget(panel)
        panel.resize(700, 320)
        if isinstance(panel, TimelinePanel):
            panel.plots.setCurrentWidget(panel.estimated)  # asking for the plot makes it
    return made


def _svg(data: bytes) -> ElementTree.Element:
    return ElementTree.fromstring(data)  # noqa: S314  # written by this test


@given(st.lists(st.tuples(st.integers(0, 20), st.floats(0, 1e18)), min_size=1, max_size=200))
def test_thinning_keeps_the_extremes_of_every_pixel(points: list[tuple[int, float]]) -> None:
    points.sort(key=lambda point: point[0])
    columns = np.array([column for column, _ in points], dtype=np.int64)
    heights = np.array([height for _, height in points], dtype=np.float64)
    kept = thinned(columns, heights)
    assert kept.tolist() == sorted(set(kept.tolist()))
    for column in np.unique(columns):
        before, after = heights[columns == column], heights[kept][columns[kept] == column]
        assert (before.min(), before.max()) == (after.min(), after.max())
        assert len(after) <= 4
    assert kept[0] == 0
    assert kept[-1] == len(points) - 1


def test_a_picture_has_the_asked_for_scale(qtbot: QtBot) -> None:
    for panel in _panels(qtbot):
        panel.render(snapshot(comparison=comparison()))
        picture = widget_image(panel, 3)
        assert (picture.width(), picture.height()) == (3 * panel.width(), 3 * panel.height())
        colours = {picture.pixel(x, y) for x in range(0, 2100, 7) for y in range(0, 960, 7)}
        assert len(colours) > 5


def test_svg_is_one_document_with_shapes_and_text(qtbot: QtBot) -> None:
    panel = HeadlinePanel()
    qtbot.addWidget(panel)
    panel.resize(800, 200)
    panel.render(snapshot())
    root = _svg(widget_svg(panel))
    assert root.tag.endswith("svg")
    assert root.get("viewBox") == "0 0 800 200"
    words = " ".join(element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text"))
    assert "65.2 GiB at the peak" in words
    assert "Optimizer state  26.1 GiB" in words


def test_timeline_as_svg(qtbot: QtBot) -> None:
    panel = TimelinePanel()
    qtbot.addWidget(panel)
    panel.resize(800, 300)
    panel.render(snapshot())
    assert panel.estimated.breakdown is not None  # asking for the plot makes it
    svg = _svg(widget_svg(panel))
    areas = list(svg.iter("{http://www.w3.org/2000/svg}polygon"))
    assert len(areas) == 4 + 3  # four components, three of them hatched
    assert len(list(svg.iter("{http://www.w3.org/2000/svg}pattern"))) == 3


def test_figures_can_be_selected_and_copied(qtbot: QtBot) -> None:
    for panel in _panels(qtbot):
        panel.render(snapshot(comparison=comparison()))
        for label in panel.findChildren(ValueLabel):
            flags = label.textInteractionFlags()
            assert flags & Qt.TextInteractionFlag.TextSelectableByMouse
            assert flags & Qt.TextInteractionFlag.TextSelectableByKeyboard


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_panels_follow_the_theme_while_they_are_open(app: QApplication, qtbot: QtBot, theme: str) -> None:
    apply_theme(app, "dark" if theme == "light" else "light")
    panels = _panels(qtbot)
    for panel in panels:
        panel.render(snapshot(comparison=comparison()))
        panel.grab()
    apply_theme(app, "light" if theme == "light" else "dark")
    app.processEvents()
    tone = LIGHT if theme == "light" else DARK
    for panel in panels:
        for label in panel.findChildren(ValueLabel):
            ground = app.palette().window().color()
            assert contrast(label.palette().windowText().color(), ground) >= 4.5
    timeline = panels[3]
    assert isinstance(timeline, TimelinePanel)
    timeline.estimated.grab()
    corner = timeline.estimated.grab().toImage().pixelColor(2, 2)
    assert corner.name() == tone.card


def test_a_larger_font_makes_everything_larger(app: QApplication, qtbot: QtBot) -> None:
    panels = _panels(qtbot)
    before = [panel.minimumSizeHint().height() for panel in panels]
    bars = panels[0].findChildren(QWidget, "peakBar")
    font = app.font()
    larger = app.font()
    larger.setPointSizeF(1.5 * font.pointSizeF())
    app.setFont(larger)
    try:
        after = [panel.minimumSizeHint().height() for panel in _panels(qtbot)]
        assert all(new > old for new, old in zip(after, before, strict=True))
        assert bars[0].sizeHint().height() > 0
    finally:
        app.setFont(font)


def test_a_thousand_repaints_neither_crash_nor_leak(qtbot: QtBot) -> None:
    """Guards the pinned pair of PySide6 and pyqtgraph: 6.12 aborts on Python 3.11 within 200 repaints."""
    panels = _panels(qtbot)
    shown = [snapshot(breakdown(count), comparison=comparison()) for count in (10**9, 7 * 10**9)]
    picture = QImage(700, 320, QImage.Format.Format_ARGB32_Premultiplied)

    def repaint(times: int) -> None:
        for number in range(times):
            for panel in panels:
                panel.render(shown[number % 2])
                QWidget.render(panel, picture)

    def grown() -> int:
        before = psutil.Process().memory_info().rss
        repaint(200)
        gc.collect()
        return psutil.Process().memory_info().rss - before

    grown()
    # What leaks is there in every round; what something else takes meanwhile, in some.
    assert min(grown() for _ in range(4)) < 3 << 20
