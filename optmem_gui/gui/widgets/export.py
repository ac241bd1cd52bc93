"""Pictures of a widget for documents: PNG at any scale, SVG."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QPoint, QSaveFile, QSize
from PySide6.QtGui import QImage, QImageWriter, QPainter, QPalette, QRegion
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

from optmem_gui.core.errors import UserError


def save_png(widget: QWidget, path: Path, scale: float = 2.0) -> None:
    """Write a PNG of a widget as it is shown, without touching an existing file until it is complete.

    Args:
        widget: What to draw.
        path: File to write.
        scale: Pixels for each pixel of the window.

    Raises:
        UserError: The file cannot be written.
    """
    image = QImage(widget.size() * scale, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(scale)
    painter = QPainter(image)
    _draw(widget, painter)
    painter.end()
    file = QSaveFile(str(path))
    opened = file.open(QSaveFile.OpenModeFlag.WriteOnly)
    if not opened or not QImageWriter(file, QByteArray(b"png")).write(image) or not file.commit():
        raise UserError("output.not_written", path=str(path), why=file.errorString())


def save_svg(widget: QWidget, path: Path) -> None:
    """Write an SVG of a widget; ``QSvgGenerator`` writes what the widget paints.

    Raises:
        UserError: The file cannot be written.
    """
    file = QSaveFile(str(path))
    if not file.open(QSaveFile.OpenModeFlag.WriteOnly):
        raise UserError("output.not_written", path=str(path), why=file.errorString())
    generator = QSvgGenerator()
    generator.setOutputDevice(file)
    generator.setSize(QSize(widget.width(), widget.height()))
    generator.setViewBox(widget.rect())
    generator.setTitle(widget.accessibleName() or widget.objectName())
    painter = QPainter(generator)
    _draw(widget, painter)
    painter.end()
    if not file.commit():
        raise UserError("output.not_written", path=str(path), why=file.errorString())


def _draw(widget: QWidget, painter: QPainter) -> None:
    """The widget on the ground it lies on in the window: a panel lies on a card."""
    role = QPalette.ColorRole.Window if widget.isWindow() else QPalette.ColorRole.Base
    painter.fillRect(widget.rect(), widget.palette().color(role))
    # Qt's own drawing by its full name, because panels have a ``render`` of their own.
    QWidget.render(widget, painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
