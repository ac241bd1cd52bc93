"""Segments as they stood at the end of a recording: how full each is, and where its blocks lie."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRectF
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from optmem_gui.allocator.recording import RecordedSegment
from optmem_gui.core.units import SizeUnit, format_bytes, format_count
from optmem_gui.gui.theme import component_style, is_dark, shades
from optmem_gui.gui.widgets.painting import fill
from optmem_gui.gui.widgets.text_table import Heads, Index, TextRow, TextTableModel

MAP = 4
"""The column in which the blocks are drawn."""
MOST_SEGMENTS = 5_000
"""Segments that are listed, the largest first."""


class SegmentModel(TextTableModel):
    """A row a segment, the largest first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._segments: tuple[RecordedSegment, ...] = ()

    def show_segments(self, segments: tuple[RecordedSegment, ...], unit: SizeUnit) -> None:
        """Show other segments."""
        self._segments = tuple(sorted(segments, key=lambda segment: -segment.size)[:MOST_SEGMENTS])
        heads = Heads(
            (
                self.tr("segment at"),
                self.tr("size"),
                self.tr("in use"),
                self.tr("largest free"),
                self.tr("blocks: filled where in use"),
            ),
            (self.tr("size, bytes"), self.tr("in use, bytes")),
            frozenset({1, 2, 3}),
        )
        self.show_rows(heads, tuple(self._row(segment, unit) for segment in self._segments))

    def segment_at(self, row: int) -> RecordedSegment | None:
        """The segment of a row."""
        return self._segments[row] if 0 <= row < len(self._segments) else None

    def _row(self, segment: RecordedSegment, unit: SizeUnit) -> TextRow:
        used = used_bytes(segment)
        free = largest_free_bytes(segment)
        kind = self.tr("small requests") if segment.small else self.tr("large requests")
        if segment.expandable:
            kind = self.tr("{kind}, expandable").format(kind=kind)
        tip = self.tr("{count} blocks, stream {stream}, {kind}: {used} of {size} bytes in use").format(
            count=format_count(len(segment.blocks)),
            stream=segment.stream,
            kind=kind,
            used=format_count(used),
            size=format_count(segment.size),
        )
        share = f"{100 * used / segment.size:.1f} %" if segment.size else ""
        cells = (
            f"{segment.address:#x}",
            format_bytes(segment.size, unit),
            share,
            format_bytes(free, unit),
            "",
        )
        return TextRow(cells, (str(segment.size), str(used)), tip)


def used_bytes(segment: RecordedSegment) -> int:
    """Bytes of its blocks that are in use or wait for another stream."""
    return sum(block.size for block in segment.blocks if block.allocated or block.awaiting)


def largest_free_bytes(segment: RecordedSegment) -> int:
    """Bytes of its largest free block: the largest request it could serve."""
    return max((b.size for b in segment.blocks if not (b.allocated or b.awaiting)), default=0)


class SegmentDelegate(QStyledItemDelegate):
    """Draws the blocks of a segment from its first to its last byte."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw the cell, then the blocks over it; neighbours that are in use are one piece."""
        super().paint(painter, option, index)
        model = index.model()
        segment = model.segment_at(index.row()) if isinstance(model, SegmentModel) else None
        if segment is None or not segment.size:
            return
        dark = is_dark()
        style = component_style("weights", dark)
        room = QRectF(option.rect).adjusted(2, 3, -2, -3)
        painter.save()
        painter.setClipRect(room)
        scale = room.width() / segment.size
        start: float | None = None
        for block in segment.blocks:
            left = room.left() + (block.address - segment.address) * scale
            if (block.allocated or block.awaiting) and start is None:
                start = left
            elif not (block.allocated or block.awaiting) and start is not None:
                fill(painter, QRectF(start, room.top(), max(1.0, left - start), room.height()), style)
                start = None
        if start is not None:
            fill(painter, QRectF(start, room.top(), room.right() - start, room.height()), style)
        painter.setClipping(False)
        painter.setPen(QPen(QColor(shades(dark).muted), 1))
        painter.drawRect(room)
        painter.restore()
