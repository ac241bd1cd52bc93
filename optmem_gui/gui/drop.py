"""Files dropped on the window: what is accepted, and a frame that says so while they hover."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from optmem_gui.core.reasons import Reason
from optmem_gui.gui.i18n import render_reason
from optmem_gui.gui.theme import is_dark, scaled_font, shades
from optmem_gui.paths import SCENARIO_SUFFIX, SNAPSHOT_SUFFIXES


def dropped_path(mime: QMimeData) -> Path | Reason:
    """The one file or folder that was dropped, or why it is not opened.

    A name without a suffix is accepted: caches store checkpoints under a digest, and the reader looks at
    the content.
    """
    local = [Path(url.toLocalFile()) for url in mime.urls() if url.isLocalFile()]
    if not local:
        return Reason("drop.nothing_local")
    if len(local) > 1:
        return Reason("drop.several", {"number_count": len(local)})
    from optmem_gui.checkpoints.registry import READERS  # noqa: PLC0415  # readers are loaded when a file is meant, not before the window

    path = local[0]
    suffixes = {suffix for reader in READERS for suffix in reader.suffixes} | {
        ".json",
        SCENARIO_SUFFIX,
        *SNAPSHOT_SUFFIXES,
        "",
    }
    if not path.is_dir() and path.suffix.lower() not in suffixes:
        return Reason("drop.unknown_kind", {"name": path.name})
    return path


class DropFrame(QWidget):
    """Lies over the window while something hovers, with what will happen in words."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._window = parent
        self.setObjectName("dropFrame")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.text = ""
        self._refused = False
        self.hide()

    def show_for(self, found: Path | Reason) -> None:
        """Say what dropping would do."""
        self._refused = isinstance(found, Reason)
        if isinstance(found, Reason):
            self.text = render_reason(found)
        else:
            self.text = self.tr("Open {name}").format(name=found.name)
        self.setGeometry(self._window.rect())
        self.raise_()
        self.show()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """Draw the frame and the words."""
        tone = shades(is_dark(self))
        edge = QColor(tone.bad if self._refused else tone.accent)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        veil = QColor(tone.window)
        veil.setAlphaF(0.82)
        painter.fillRect(self.rect(), veil)
        em = self.fontMetrics().height()
        line = Qt.PenStyle.DashLine if self._refused else Qt.PenStyle.SolidLine
        painter.setPen(QPen(edge, 3.0, line))
        painter.drawRoundedRect(
            QRectF(self.rect()).adjusted(em / 2, em / 2, -em / 2, -em / 2), em / 2, em / 2
        )
        painter.setPen(edge)
        painter.setFont(scaled_font(self.font(), 1.4, bold=True))
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(self.rect().adjusted(3 * em, em, -3 * em, -em), flags, self.text)
        painter.end()
