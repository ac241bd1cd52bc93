"""Icons: our own SVG files, drawn in the colours of the palette."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from optmem_gui.gui.theme import is_dark, shades
from optmem_gui.paths import icon_file

_SIZES = (16, 20, 24, 32, 48, 64)
_APP_SIZES = (16, 24, 32, 48, 64, 128, 256)
_INK = "#000000"
"""The colour in the files that stands for the palette's text colour."""


def icon(name: str, colour: str | None = None) -> QIcon:
    """An icon in the text colour of the present theme; paler where it is disabled.

    Args:
        name: File in ``resources/icons`` without its suffix.
        colour: Another colour, for an icon on a coloured button.
    """
    drawing = icon_file(f"{name}.svg").read_text(encoding="utf-8")
    tone = shades(is_dark())
    result = QIcon()
    for mode, ink in ((QIcon.Mode.Normal, colour or tone.text), (QIcon.Mode.Disabled, tone.border)):
        renderer = _read(drawing.replace(_INK, ink))
        for size in _SIZES:
            result.addPixmap(_drawn(renderer, size), mode)
    return result


def app_icon() -> QIcon:
    """The program's own icon, in all the sizes that window managers ask for."""
    renderer = _read(icon_file("optmem.svg").read_text(encoding="utf-8"))
    result = QIcon()
    for size in _APP_SIZES:
        result.addPixmap(_drawn(renderer, size))
    return result


def _read(drawing: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(drawing.encode()))


def _drawn(renderer: QSvgRenderer, size: int) -> QPixmap:
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap
