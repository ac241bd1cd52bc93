"""How the curves of a measurement look and what they are called."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QColor, QPen


@dataclass(frozen=True, slots=True)
class CurveStyle:
    """How a line is drawn, by theme; the dash tells lines apart without colour.

    Attributes:
        light: Colour on a light surface.
        dark: Colour on a dark surface.
        dash: Pixels that are drawn, left out, drawn ...; empty for a plain line.
        width: Pixels.
    """

    light: str
    dark: str
    dash: tuple[int, ...] = ()
    width: float = 2.0

    def pen(self, dark: bool) -> QPen:
        """Pen for one theme, dashes included: for the sample in a legend."""
        pen = QPen(self.colour(dark), self.width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if self.dash:
            pen.setDashPattern([pixels / self.width for pixels in self.dash])
        return pen

    def colour(self, dark: bool) -> QColor:
        """Colour for one theme."""
        return QColor(self.dark if dark else self.light)


CURVES: dict[str, CurveStyle] = {
    "device": CurveStyle("#58626d", "#a7b0ba", (9, 4)),
    "process": CurveStyle("#8a5200", "#f0b44c", (9, 3, 2, 3)),
    "rss": CurveStyle("#6b5bab", "#a99be6", (9, 3, 2, 3)),
    "reserved": CurveStyle("#146c31", "#69d391", (3, 3)),
    "allocated": CurveStyle("#2563d9", "#79adff"),
}
"""Every series that can be plotted, in the order it is listed; each has a dash of its own."""


def curve_name(series: str) -> str:
    """A series as the reader knows it, in the current language."""
    return {
        "device": QCoreApplication.translate("Curves", "device used"),
        "process": QCoreApplication.translate("Curves", "process used"),
        "rss": QCoreApplication.translate("Curves", "resident in host memory"),
        "reserved": QCoreApplication.translate("Curves", "torch reserved"),
        "allocated": QCoreApplication.translate("Curves", "torch allocated"),
    }[series]
