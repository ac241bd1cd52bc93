"""Every text that a window shows or speaks, read from its widgets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from PySide6.QtCore import QAbstractItemModel, QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QGraphicsScene,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTableView,
    QTextBrowser,
    QWidget,
)

from optmem_gui.gui.widgets.memory_plot import MemoryPlot
from optmem_gui.gui.widgets.stacked_bar import StackedBar

_ROLES = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.AccessibleTextRole,
)


def texts_shown(top: QWidget) -> dict[str, str]:
    """Texts by the place they stand in; hidden widgets are read too, since they may show any moment."""
    found: dict[str, str] = {}
    count: Counter[str] = Counter()
    things: list[QWidget | QAction] = [top, *top.findChildren(QWidget), *top.findChildren(QAction)]
    for thing in things:
        if isinstance(thing.parent(), QGraphicsScene):
            continue  # a menu that pyqtgraph makes and the plots never open
        path = _path(thing)
        if "timelineReadout" in path and isinstance(thing, QLabel) and thing.isHidden():
            continue  # a spare line, written anew before it is shown
        count[path] += 1
        texts = _of_action(thing) if isinstance(thing, QAction) else _of_widget(thing)
        # What is elided hangs on a pixel of width; the tip beside it has the whole text.
        found |= {
            f"{path} {count[path]} {name}": text for name, text in texts if text.rstrip("…") == text != ""
        }
    return found


def _path(thing: QObject) -> str:
    """Where something hangs: its own name and those above it, which stay when siblings come and go."""
    parts = [f"{type(thing).__name__}.{thing.objectName()}"]
    above = thing.parent()
    while above is not None:
        if above.objectName():
            parts.append(above.objectName())
        above = above.parent()
    return "/".join(reversed(parts))


def _of_widget(widget: QWidget) -> Iterator[tuple[str, str]]:
    yield "tip", widget.toolTip()
    yield "name", widget.accessibleName()
    if not (isinstance(widget, MemoryPlot) and widget.isHidden()):  # written when the plot comes to the front
        yield "description", widget.accessibleDescription()
    if widget.isWindow():
        yield "window title", widget.windowTitle()
    if isinstance(widget, QLabel | QAbstractButton):
        yield "text", widget.text()
    elif isinstance(widget, QLineEdit):
        yield "placeholder", widget.placeholderText()
    elif isinstance(widget, QTextBrowser | QPlainTextEdit):
        yield "text", widget.toPlainText()
    elif isinstance(widget, QMenu):
        yield "title", widget.title()
    elif isinstance(widget, QComboBox):
        yield from _of_model(widget.model())
    elif isinstance(widget, StackedBar):
        for part in widget.drawn:
            yield f"segment {part.id}", part.name
            yield f"segment {part.id} tip", part.tip
        yield "usable", widget._content.usable_label
    elif isinstance(widget, MemoryPlot):
        marks = widget.marks._marks
        yield from ((f"span {number}", span.name) for number, span in enumerate(marks.spans + marks.groups))
        yield "capacity", marks.capacity_label
        yield "peak", marks.peak.label if marks.peak else ""
    elif isinstance(widget, QTableView):
        yield from _of_model(widget.model())


def _of_model(model: QAbstractItemModel) -> Iterator[tuple[str, str]]:
    for column in range(model.columnCount()):
        for role in _ROLES[:2]:
            head = model.headerData(column, Qt.Orientation.Horizontal, role)
            yield f"head {column} {role.name}", head if isinstance(head, str) else ""
        for row in range(model.rowCount()):
            for role in _ROLES:
                text = model.index(row, column).data(role)
                yield f"cell {row} {column} {role.name}", text if isinstance(text, str) else ""


def _of_action(action: QAction) -> Iterator[tuple[str, str]]:
    yield "text", action.text()
    yield "icon text", action.iconText()
    yield "tip", action.toolTip()
    yield "status tip", action.statusTip()
