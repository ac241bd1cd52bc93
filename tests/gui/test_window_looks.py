"""How the window looks: nothing cut, nothing blank, and in its place after a restart."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, QTranslator
from PySide6.QtGui import QFont, QGuiApplication, QScreen
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QLabel,
)
from pytestqt.qtbot import QtBot

from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.store import Store
from tests.allocator.recorder import as_snapshot
from tests.gui.conftest import settle
from tests.gui.simulation_samples import simulated
from tests.gui.test_memory_snapshots import open_in, program
from tests.gui.test_translations import STATES

MakeWindow = Callable[..., MainWindow]


_LOOKS = 20


def stays_cut(look: Callable[[], list[str]]) -> list[str]:
    """What is still cut once layouts have settled.

    They take several turns of the loop, and a thread's answer changes a text in any of them.
    """
    for _ in range(_LOOKS):
        if not (cut := look()):
            break
        settle()
    return cut


def cut_texts(window: MainWindow) -> list[str]:
    """Texts that have less room than they need, and do not get it."""
    return stays_cut(lambda: _cut_now(window))


def _cut_now(window: MainWindow) -> list[str]:
    cut = []
    for label in window.inputs.findChildren(QLabel):
        if not label.isVisible() or not label.text():
            continue
        needed = label.heightForWidth(label.width()) if label.wordWrap() else label.sizeHint().height()
        if label.height() < needed or (not label.wordWrap() and label.width() < label.sizeHint().width()):
            cut.append(label.text())
    cut += [
        button.text()
        for button in window.findChildren(QAbstractButton)
        if button.isVisible() and button.text() and button.width() < button.minimumSizeHint().width()
    ]
    return cut


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("size", [(1280, 800), (853, 533)], ids=["100%", "150%"])
def test_no_label_is_cut(make_window: MakeWindow, theme: str, language: str, size: tuple[int, int]) -> None:
    """1280 x 800 at 150 % leaves 853 x 533 of the units in which widgets are laid out."""
    window = make_window(language, theme, size)
    assert (window.width(), window.height()) == size
    assert cut_texts(window) == []


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("size", [(1280, 800), (853, 533)], ids=["100%", "150%"])
def test_nothing_is_cut_beside_a_simulation(
    make_window: MakeWindow, language: str, size: tuple[int, int]
) -> None:
    """Where the lower row has no room for two views side by side, they stand above each other."""
    window = make_window(language, "light", size)
    window.store.set_simulation(simulated(window.store.snapshot))
    settle()
    assert (window.width(), window.height()) == size
    assert cut_texts(window) == []
    view, panel = window.results.parentWidget(), window.results.panel("simulation")
    assert view is not None
    assert panel is not None
    assert window.results.width() <= view.width()  # nothing lies beyond the right edge
    assert panel.isVisible()


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_nothing_scrolls_beside_a_measurement(make_window: MakeWindow, language: str) -> None:
    """At 1280 x 800 everything is on screen at once, in every state; bars do not come and go meanwhile."""
    window = make_window(language, "light", (1280, 800))
    view = window.results.parentWidget()
    assert view is not None
    for name, state in STATES.items():
        window.store.set_measurement(state)
        settle()
        assert (name, window.results.size()) == (name, view.size())


@pytest.mark.parametrize("size", [(1280, 800), (853, 533)], ids=["100%", "150%"])
def test_a_memory_snapshot_leaves_the_window_as_large_as_it_is(
    make_window: MakeWindow, qtbot: QtBot, tmp_path: Path, size: tuple[int, int]
) -> None:
    path = tmp_path / "run.pickle"
    path.write_bytes(pickle.dumps(as_snapshot(program().recording())))
    window = make_window("en", "dark", size)
    page = open_in(window, path, qtbot)
    for place in range(4):
        page.pages.show_page(place)
        settle()
        assert (window.width(), window.height()) == size
        assert cut_texts(window) == []


class LongerTexts(QTranslator):
    """A language in which everything takes 40 % more room than in English."""

    def isEmpty(self) -> bool:  # noqa: N802  # Qt's name
        return False

    def translate(
        self,
        context: str,
        sourceText: str,  # noqa: N803  # Qt's name
        disambiguation: str | None = None,
        n: int = -1,
    ) -> str:
        del context, disambiguation, n
        return sourceText + " noch" * -(-len(sourceText) * 2 // 25)


def test_no_label_is_cut_in_a_language_with_longer_words(window: MainWindow, qapp: QApplication) -> None:
    longer = LongerTexts()
    qapp.installTranslator(longer)
    try:
        settle()
        assert window.inputs.model.title.text() == "Model noch"
        assert cut_texts(window) == []
    finally:
        qapp.removeTranslator(longer)
        settle()


def test_no_label_is_cut_with_larger_letters(make_window: MakeWindow, qapp: QApplication) -> None:
    font = qapp.font()
    larger = QFont(font)
    larger.setPointSizeF(font.pointSizeF() * 1.5)
    qapp.setFont(larger)
    try:
        window = make_window(size=(1280, 800))
        assert cut_texts(window) == []
    finally:
        qapp.setFont(font)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_picture_of_the_window_is_not_blank(make_window: MakeWindow, theme: str) -> None:
    image = make_window("en", theme).grab().toImage()
    colours = {
        image.pixelColor(x, y).name() for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)
    }
    assert len(colours) > 20


def test_a_thousand_repaints_end_well(window: MainWindow, store: Store) -> None:
    """Some pairs of Qt and Python abort after a few hundred plot repaints: an upgrade is a deliberate act."""
    for number in range(1000):
        if number % 10 == 0:
            store.edit("batch", str(1 + number % 7))
            window.repaint()
        window.results.timeline.repaint()
    assert store.snapshot.scenario.batch == 1 + 990 % 7


# Shape


def test_the_shape_is_remembered(make_window: MakeWindow) -> None:
    first = make_window(size=(760, 500))
    first.columns.setSizes([390, 370])
    settle()
    sizes = first.columns.sizes()
    first.close()
    from optmem_gui.gui.app import build_window
    from optmem_gui.gui.settings import Settings

    app = QApplication.instance()
    assert isinstance(app, QApplication)
    again = build_window(app, Settings(first._settings.path), "en", "light")
    again.show()
    settle()
    try:
        assert (again.width(), again.height()) == (760, 500)
        assert again.columns.sizes() == sizes
        again.shape.reset()
        assert again.columns.sizes() != sizes
    finally:
        again.close()
        again.deleteLater()


def test_a_window_off_screen_comes_back(window: MainWindow) -> None:
    window.move(20_000, 20_000)
    window.shape.come_onto_screen()
    screen: QScreen = QGuiApplication.primaryScreen()
    assert screen.availableGeometry().intersects(QRect(window.pos(), window.size()))


@pytest.mark.parametrize("place", [(-3000, 100), (100, -200), (-1240, 300), (700, 5000)])
def test_a_title_bar_out_of_reach_comes_back(window: MainWindow, place: tuple[int, int]) -> None:
    """A corner that can be seen is not enough: the window is moved by its title bar."""
    window.move(*place)
    window.shape.come_onto_screen()
    assert window.pos() == QGuiApplication.primaryScreen().availableGeometry().topLeft()


def test_a_window_that_can_be_reached_stays_where_it_is(window: MainWindow) -> None:
    window.move(60, 40)
    window.shape.come_onto_screen()
    assert (window.x(), window.y()) == (60, 40)


def test_the_title_tells_model_and_changes(window: MainWindow, store: Store) -> None:
    assert "7B parameters" in window.windowTitle()
    assert not window.isWindowModified()
    store.edit("clip", True)
    assert window.isWindowModified()
    store.undo_stack.undo()
    assert not window.isWindowModified()
