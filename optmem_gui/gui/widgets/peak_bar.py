"""The peak of an optimizer as a bar against what the GPU can give, with the number on its right."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, QSortFilterProxyModel, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from optmem_gui.core.optimizer_rows import OptimizerRow
from optmem_gui.gui.theme import is_dark, shades
from optmem_gui.gui.widgets.comparison_model import ROW_ROLE, ComparisonModel

Index = QModelIndex | QPersistentModelIndex


class PeakBarDelegate(QStyledItemDelegate):
    """Draws the peak as a bar against what the GPU can give, with the number on its right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802  # Qt's name
        """Room for a bar beside the number."""
        hint = super().sizeHint(option, index)
        return QSize(hint.width() + 6 * option.fontMetrics.height(), hint.height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw number, bar and capacity."""
        super().paint(painter, option, index)
        row = index.data(ROW_ROLE)
        model = index.model()
        source = model.sourceModel() if isinstance(model, QSortFilterProxyModel) else model
        if not isinstance(row, OptimizerRow) or not isinstance(source, ComparisonModel):
            return
        if row.refused or row.state_only:
            return
        metrics, area = option.fontMetrics, QRectF(option.rect)
        number = metrics.horizontalAdvance(source.longest_peak) + metrics.height()
        track = area.adjusted(0.3 * metrics.height(), 0.28 * area.height(), -number, -0.28 * area.height())
        if track.width() < metrics.height():
            return
        self._paint_bar(painter, track, row, source, selected=_is_selected(option))

    @staticmethod
    def _paint_bar(
        painter: QPainter, track: QRectF, row: OptimizerRow, model: ComparisonModel, *, selected: bool
    ) -> None:
        tone = shades(is_dark())
        longest, usable = model.longest_bytes, model.usable_bytes
        length = track.width() * min(1.0, row.peak_bytes / longest)
        bar = QRectF(track.left(), track.top(), max(1.0, length), track.height())
        colour = QColor(tone.accent if row.optimizer == model.chosen else tone.muted)
        if selected:
            colour = QColor(tone.on_accent)
        painter.save()
        painter.fillRect(bar, colour)
        if usable is not None and row.peak_bytes > usable:
            beyond = QRectF(bar)
            beyond.setLeft(track.left() + track.width() * min(1.0, usable / longest))
            hatch = QColor(tone.accent if selected else tone.card)
            painter.fillRect(beyond, QBrush(hatch, Qt.BrushStyle.BDiagPattern))
        if usable is not None and usable <= longest:
            x = track.left() + track.width() * (usable / longest)
            painter.setPen(QPen(QColor(tone.on_accent if selected else tone.text), 1, Qt.PenStyle.DashLine))
            painter.drawLine(round(x), round(track.top() - 3), round(x), round(track.bottom() + 3))
        painter.restore()


def _is_selected(option: QStyleOptionViewItem) -> bool:
    return bool(option.state & QStyle.StateFlag.State_Selected)
