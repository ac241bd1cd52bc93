"""A widget as a picture: pages that have no drawing on paper of their own."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint, QSize
from PySide6.QtGui import QImage, QPainter, QPalette, QRegion
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget


def widget_image(widget: QWidget, scale: int) -> QImage:
    """A widget as it is shown, drawn anew at a scale; null where there is not enough memory for it.

    Args:
        widget: What to draw.
        scale: Pixels for each pixel of the window.
    """
    image = QImage(widget.size() * scale, QImage.Format.Format_ARGB32_Premultiplied)
    if image.isNull():
        return image
    image.setDevicePixelRatio(scale)
    painter = QPainter(image)
    _draw(widget, painter)
    painter.end()
    return image


def widget_svg(widget: QWidget) -> bytes:
    """A widget as the bytes of an SVG file; ``QSvgGenerator`` writes what the widget paints."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(QSize(widget.width(), widget.height()))
    generator.setViewBox(widget.rect())
    generator.setTitle(widget.accessibleName() or widget.objectName())
    painter = QPainter(generator)
    _draw(widget, painter)
    painter.end()
    buffer.close()
    return bytes(data.data())


def _draw(widget: QWidget, painter: QPainter) -> None:
    """The widget on the ground it lies on in the window: a panel lies on a card."""
    role = QPalette.ColorRole.Window if widget.isWindow() else QPalette.ColorRole.Base
    painter.fillRect(widget.rect(), widget.palette().color(role))
    # Qt's own drawing by its full name, because panels have a ``render`` of their own.
    QWidget.render(widget, painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
