"""Modules as rectangles as large as what they take: one painted widget, zoomed by click or keyboard."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from optmem_gui.core.module_tree import ROOT, ModuleTree
from optmem_gui.core.units import SizeUnit, format_bytes, format_count
from optmem_gui.gui.i18n import listed
from optmem_gui.gui.plain import plain_tip
from optmem_gui.gui.theme import is_dark, scaled_font, shades
from optmem_gui.gui.widgets import painting
from optmem_gui.gui.widgets.module_tree_model import part_name, shape_text
from optmem_gui.gui.widgets.treemap_tiles import (
    LEGEND_EMS,
    Tile,
    lay_out,
    legend_lines,
    paint_legend,
    paint_tiles,
)


class Treemap(QWidget):
    """The treemap: hovering explains, a click or Enter goes into a module, Backspace out again.

    Emits:
        chosen: The node that a click or the keyboard stands on.
        zoomed: The node that fills the widget now.
    """

    chosen = Signal(int)
    zoomed = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tree: ModuleTree | None = None
        self._unit: SizeUnit = "GiB"
        self._root = ROOT
        self._tiles: list[Tile] = []
        self._legend: list[list[str]] = []
        self._current = self._hovered = -1
        self._picture: QPixmap | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_tree(self, tree: ModuleTree | None, unit: SizeUnit) -> None:
        """Show another tree from its top; the same one stays where it was zoomed to."""
        if tree is not self._tree:
            self._tree, self._unit = tree, unit
            self.zoom(self._top)
        elif unit != self._unit:
            self._unit = unit
            self._arrange()

    @property
    def tree(self) -> ModuleTree | None:
        """What it shows."""
        return self._tree

    @property
    def can_zoom_out(self) -> bool:
        """Whether there is something around the present module."""
        return self._tree is not None and self._root != self._top

    @property
    def root(self) -> int:
        """The node that fills the widget."""
        return self._root

    @property
    def _top(self) -> int:
        """The whole model, or what alone is in it."""
        tree, node = self._tree, ROOT
        while tree is not None and len(below := tree.children(node)) == 1 and not tree.is_tensor(below[0]):
            node = below[0]
        return node

    @property
    def tiles(self) -> list[Tile]:
        """What is drawn."""
        return self._tiles

    @property
    def current(self) -> int:
        """The node that the keyboard stands on; -1 for none."""
        return self._current

    def zoom(self, node: int) -> None:
        """Fill the widget with a module."""
        before, self._root = self._root, node
        self._current = before if self._tree is not None and before in self._below() else -1
        self._hovered = -1
        self._arrange()
        self.zoomed.emit(node)
        self._describe()

    def zoom_out(self) -> None:
        """Fill the widget with what holds the present module."""
        if self._tree is not None and self.can_zoom_out:
            self.zoom(max(ROOT, self._tree.parent(self._root)))

    def mark(self, node: int) -> None:
        """Show where a node is, where it can be seen from here; nothing is emitted."""
        if any(tile.node == node for tile in self._tiles):
            self._current = node
            self.update()

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """Large enough to tell modules apart."""
        line = QFontMetrics(self.font()).height()
        return QSize(30 * line, 14 * line)

    def minimumSizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """A few rectangles and the legend."""
        line = QFontMetrics(self.font()).height()
        return QSize(12 * line, 9 * line)

    # -- arranging

    def _below(self) -> tuple[int, ...]:
        return () if self._tree is None else self._tree.children(self._root)

    def _small_font(self) -> QFont:
        return scaled_font(self.font(), 0.9)

    def _legend_height(self) -> float:
        return LEGEND_EMS * QFontMetricsF(self._small_font()).height() * len(self._legend)

    def _arrange(self) -> None:
        self._picture = None
        self._tiles = []
        if self._tree is not None:
            metrics = QFontMetricsF(self._small_font())
            full = QRectF(0, 0, self.width(), max(1, self.height()))
            seen = lay_out(self._tree, self._root, full, metrics.height())
            self._legend = legend_lines(self._tree, seen, self.width(), metrics)
            full.setBottom(max(1.0, full.bottom() - self._legend_height()))
            self._tiles = lay_out(self._tree, self._root, full, metrics.height())
            drawn = legend_lines(self._tree, self._tiles, self.width(), metrics)
            if len(drawn) == len(self._legend):  # what is too small beside the legend needs no entry in it
                self._legend = drawn
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        """Arrange for the room there is."""
        super().resizeEvent(event)
        self._arrange()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow theme, font and language."""
        super().changeEvent(event)
        kinds = (QEvent.Type.PaletteChange, QEvent.Type.FontChange, QEvent.Type.LanguageChange)
        if event.type() in kinds:
            self._arrange()
            self._describe()

    # -- pointing

    def tile_at(self, place: QPointF) -> Tile | None:
        """The innermost rectangle under a point."""
        return next((tile for tile in reversed(self._tiles) if tile.area.contains(place)), None)

    def event(self, event: QEvent) -> bool:
        """Explain what is under the pointer."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            tile = self.tile_at(QPointF(event.pos()))
            if tile is None:
                QToolTip.hideText()
            else:
                QToolTip.showText(event.globalPos(), plain_tip(self.about(tile.node)), self)
            return True
        return super().event(event)

    def about(self, node: int) -> str:
        """A node in a few lines."""
        tree = self._tree
        if tree is None:
            return ""
        whole = tree.stored_bytes[ROOT]
        lines = [
            tree.path(node) or self.tr("whole model"),
            self.tr("{size} in the file ({share}), {count} parameters in {tensors} tensors").format(
                size=format_bytes(tree.stored_bytes[node], self._unit),
                share=f"{100 * tree.stored_bytes[node] / whole:.1f} %" if whole else "0 %",
                count=format_count(tree.param_counts[node]),
                tensors=format_count(tree.tensor_counts[node]),
            ),
            f"{listed(tree.dtypes(node))}: {listed(part_name(part) for part in tree.parts(node))}",
        ]
        kind = tree.kind(node)
        if kind is not None and tree.is_tensor(node):
            lines.append(shape_text(kind.shape))
        return "\n".join(lines)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Outline what is under the pointer."""
        tile = self.tile_at(event.position())
        node = -1 if tile is None else tile.node
        if node != self._hovered:
            self._hovered = node
            self.update()

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Outline nothing."""
        super().leaveEvent(event)
        self._hovered = -1
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """A click goes into the outermost module under it, the right button out again."""
        if event.button() == Qt.MouseButton.RightButton:
            self.zoom_out()
            return
        tile = next((each for each in self._tiles if each.area.contains(event.position())), None)
        if tile is not None:
            self._stand_on(tile.node)
            self.zoom_in()

    def zoom_in(self) -> None:
        """Go into the module that the keyboard stands on."""
        if self._tree is not None and self._current >= 0 and not self._tree.is_tensor(self._current):
            self.zoom(self._current)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        """Arrows move among modules side by side, Enter goes in, Backspace out."""
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.zoom_in()
        elif key is Qt.Key.Key_Backspace:
            self.zoom_out()
        elif not self._move(key):
            super().keyPressEvent(event)

    def _move(self, key: Qt.Key) -> bool:
        order = [tile.node for tile in self._tiles if tile.depth == 1]
        at = order.index(self._current) if self._current in order else -1
        last = len(order) - 1
        places = {
            Qt.Key.Key_Right: min(at + 1, last),
            Qt.Key.Key_Down: min(at + 1, last),
            Qt.Key.Key_Left: max(at - 1, 0),
            Qt.Key.Key_Up: max(at - 1, 0),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        if key not in places or last < 0:
            return False
        self._stand_on(order[places[key]])
        tile = next(each for each in self._tiles if each.node == self._current)
        corner = QPoint(round(tile.area.left()), round(tile.area.top() + 2 * painting.em(self)))
        QToolTip.showText(self.mapToGlobal(corner), plain_tip(self.about(self._current)), self)
        return True

    def _stand_on(self, node: int) -> None:
        self._current = node
        self._describe()
        self.chosen.emit(node)
        self.update()

    def _describe(self) -> None:
        self.setAccessibleDescription(self.about(self._current if self._current >= 0 else self._root))

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """Draw the rectangles, once for each arrangement, and the outlines over them."""
        del event
        if self._tree is None:
            return
        tone = shades(is_dark(self))
        ratio = self.devicePixelRatioF()
        if self._picture is None or self._picture.devicePixelRatioF() != ratio:
            self._picture = QPixmap(self.size() * ratio)
            self._picture.setDevicePixelRatio(ratio)
            self._picture.fill(QColor(tone.card))
            canvas = QPainter(self._picture)
            canvas.setFont(self._small_font())
            paint_tiles(canvas, self._tree, self._tiles, self._unit, dark=is_dark(self))
            paint_legend(canvas, self._legend, self.height() - self._legend_height(), dark=is_dark(self))
            canvas.end()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._picture)
        self._outline(painter, self._hovered, QPen(QColor(tone.text), 1.5))
        if self._current >= 0:
            self._outline(painter, self._current, QPen(QColor(tone.card), 5))
            self._outline(painter, self._current, QPen(QColor(tone.accent), 2.5))
        elif self.hasFocus():
            painter.setPen(QPen(QColor(tone.accent), 2))
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))

    def _outline(self, painter: QPainter, node: int, pen: QPen) -> None:
        tile = next((each for each in self._tiles if each.node == node), None)
        if tile is not None:
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(tile.area.adjusted(1.5, 1.5, -1.5, -1.5))
