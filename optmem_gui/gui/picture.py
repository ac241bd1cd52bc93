"""Charts of a result as a picture for documents: PNG at any scale, SVG; light, and as wide as a page."""

from __future__ import annotations

import math
import re
from html import escape

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRect, QRectF, QSize
from PySide6.QtGui import QColor, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator

from optmem_gui.gui.i18n import labelled
from optmem_gui.gui.paper.page import Content, Looks, Part, compose, height_of
from optmem_gui.gui.paper.sheet import POINT, Sheet, paper_families
from optmem_gui.gui.theme import LIGHT

WIDTH = 640
"""Width of a picture at scale 1, in pixels."""
SCALES = range(1, 9)
"""Scales of a PNG that are offered."""

_MARGIN = 14 * POINT
_PER_PIXEL = POINT
"""Units of the drawing in a pixel at scale 1."""


def picture_size(content: Content, parts: frozenset[Part], scale: int = 1) -> QSize:
    """Size of a picture in pixels."""
    inner = WIDTH * _PER_PIXEL - 2 * _MARGIN
    height = math.ceil((height_of(content, parts, inner, Looks()) + 2 * _MARGIN + 14 * POINT) / _PER_PIXEL)
    return QSize(WIDTH * scale, height * scale)


def picture(content: Content, parts: frozenset[Part], scale: int) -> QImage:
    """Draw a picture; an image that is null where there is not enough memory for it."""
    size = picture_size(content, parts, scale)
    image = QImage(size, QImage.Format.Format_RGB32)
    if image.isNull():
        return image
    for key, text in _described(content).items():
        image.setText(key, text)
    dots = round(scale * 96 / 0.0254)
    image.setDotsPerMeterX(dots)
    image.setDotsPerMeterY(dots)
    image.fill(QColor(LIGHT.card))
    painter = QPainter(image)
    painter.scale(scale / _PER_PIXEL, scale / _PER_PIXEL)
    _draw(painter, content, parts, size.height() / scale * _PER_PIXEL)
    painter.end()
    return image


def png(image: QImage) -> bytes:
    """A picture as the bytes of a PNG file."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, QByteArray(b"png"))
    if not writer.write(image):
        raise OSError(writer.errorString())
    buffer.close()
    return bytes(data.data())


def svg(content: Content, parts: frozenset[Part]) -> bytes:
    """A picture as the bytes of an SVG file whose text is text."""
    size = picture_size(content, parts)
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    # Clipping came with version 1.1 of the format; Qt's default, SVG Tiny, has none.
    generator = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)
    generator.setOutputDevice(buffer)
    generator.setResolution(96)
    generator.setSize(size)
    units = QRect(0, 0, round(size.width() * _PER_PIXEL), round(size.height() * _PER_PIXEL))
    generator.setViewBox(units)
    described = _described(content)
    generator.setTitle(described["Title"])
    generator.setDescription(described["Description"])
    painter = QPainter(generator)
    painter.fillRect(QRectF(units), QColor(LIGHT.card))
    _draw(painter, content, parts, units.height())
    painter.end()
    buffer.close()
    return _with_families(bytes(data.data()))


def _with_families(data: bytes) -> bytes:
    """The drawing with its font families named once and more than one of them.

    Qt names one family, at every text; where another computer lacks it, a serif font would take its place.
    """
    bare = re.sub(rb' ?font-family="[^"]*"', b"", data)
    names = [name.partition(" [")[0].replace("'", "") for name in paper_families()]
    families = ", ".join((*(f"'{name}'" for name in names), "Helvetica", "Arial", "sans-serif"))
    return bare.replace(b"<svg", f'<svg style="font-family: {escape(families, quote=False)}"'.encode(), 1)


def _draw(painter: QPainter, content: Content, parts: frozenset[Part], height: float) -> None:
    width = WIDTH * _PER_PIXEL - 2 * _MARGIN
    sheet = Sheet(painter, width, _MARGIN)
    compose(sheet, content, parts, Looks(), _MARGIN)
    line = sheet.line_height(7.0)
    sheet.write(
        QRectF(_MARGIN, height - _MARGIN - line, width, line), content.report.made, 7.0, colour=LIGHT.muted
    )


def _described(content: Content) -> dict[str, str]:
    """What a picture carries beside its pixels: what was assumed, and how it was proven."""
    report = content.report
    notes = [labelled(section.title, line) for section in report.sections for line in section.lines]
    return {
        "Title": report.title,
        "Software": report.made,
        "Description": "\n".join((*report.answer, *(labelled(n, v) for n, v in report.facts), *notes)),
    }
