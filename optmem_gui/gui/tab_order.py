"""The order in which Tab visits what the keyboard can reach: as it is laid out, and nothing twice."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLayout, QMainWindow, QScrollArea, QSplitter, QToolBar, QWidget


def order_tabs(window: QMainWindow) -> None:
    """Chain everything that takes the focus in reading order: tool bar, then columns from the left.

    Qt's own order is that of construction, which moving widgets into layouts and building some of them
    later has little to do with.
    """
    bars = window.findChildren(QToolBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    stops = [stop for bar in bars for stop in _stops(bar)]
    stops += _stops(window.centralWidget())
    for before, after in pairwise(stops):
        QWidget.setTabOrder(before, after)


def _stops(widget: QWidget) -> Iterator[QWidget]:
    """What takes the focus inside a widget, the widget itself included, in layout order."""
    proxied = widget.focusProxy() is not None
    if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and not proxied:
        yield widget
        return
    if isinstance(widget, QScrollArea):
        inner = [widget.widget()]
    elif isinstance(widget, QSplitter):
        inner = [widget.widget(place) for place in range(widget.count())]
    else:
        layout = widget.layout()
        inner = [] if layout is None else list(_widgets(layout))
    for part in inner:
        if part is not None:
            yield from _stops(part)


def _widgets(layout: QLayout) -> Iterator[QWidget]:
    for place in range(layout.count()):
        item = layout.itemAt(place)
        if item is None:
            continue
        widget, nested = item.widget(), item.layout()
        if widget is not None:
            yield widget
        elif nested is not None:
            yield from _widgets(nested)
