"""A report as one page of PDF: vectors, with the fonts embedded."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRectF
from PySide6.QtGui import QColor, QImage, QPageLayout, QPageSize, QPainter, QPdfWriter

from optmem_gui.gui.paper.page import PARTS, Content, compose, fitting
from optmem_gui.gui.paper.sheet import POINT, Sheet
from optmem_gui.gui.theme import LIGHT

PAPER_SIZES = {"A4": QPageSize.PageSizeId.A4, "Letter": QPageSize.PageSizeId.Letter}
"""Pages that are offered, by name."""

_RESOLUTION = round(72 * POINT)
_MARGIN = 40 * POINT
_FOOTER = 12 * POINT


def pdf_report(content: Content, paper: str = "A4") -> bytes:
    """Draw the whole report on one page.

    Args:
        content: What is drawn. Where it is long, letters and plot get smaller, and in the end notes are left
            out and counted: there is always one page.
        paper: Its size.
    """
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(_RESOLUTION)
    size = QPageSize(PAPER_SIZES[paper])
    writer.setPageLayout(QPageLayout(size, QPageLayout.Orientation.Portrait, QMarginsF(0, 0, 0, 0)))
    writer.setTitle(content.report.title)
    writer.setCreator(content.report.made)
    painter = QPainter(writer)
    _paint(painter, content, size)
    painter.end()
    buffer.close()
    return bytes(data.data())


def page_image(content: Content, paper: str, width: int) -> QImage:
    """The page as a picture of a width in pixels, to be looked at before it is saved."""
    size = QPageSize(PAPER_SIZES[paper])
    page = size.rectPixels(_RESOLUTION)
    scale = width / page.width()
    image = QImage(width, round(page.height() * scale), QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.card))
    painter = QPainter(image)
    painter.scale(scale, scale)
    _paint(painter, content, size)
    painter.end()
    return image


def _paint(painter: QPainter, content: Content, size: QPageSize) -> None:
    page = size.rectPixels(_RESOLUTION)
    width, height = page.width() - 2 * _MARGIN, page.height() - 2 * _MARGIN - _FOOTER
    parts = frozenset(PARTS)
    sheet = Sheet(painter, width, _MARGIN)
    compose(sheet, content, parts, fitting(content, parts, width, height), _MARGIN)
    footer = QRectF(_MARGIN, page.height() - _MARGIN - 2 * POINT, width, _FOOTER)
    sheet.write(footer, content.report.made, 7.5, colour=LIGHT.muted)
