"""Text that can be selected and copied, in the few roles the window uses."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QEvent, QPointF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QIcon,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QPixmap,
    QPolygonF,
)
from PySide6.QtWidgets import QApplication, QLabel, QSizePolicy, QVBoxLayout, QWidget

from optmem_gui.gui.theme import is_dark, scaled_font, shades, tint
from optmem_gui.gui.widgets.painting import em

Tone = Literal["text", "muted", "good", "caution", "bad"]
Sign = Literal["yes", "tight", "no", "none"]

TONE_OF_SIGN: dict[Sign, Tone] = {"yes": "good", "tight": "caution", "no": "bad", "none": "muted"}


class ValueLabel(QLabel):
    """A read-only label whose text can be selected by mouse and keyboard.

    Args:
        tone: Which text colour of the theme it takes.
        factor: Size relative to the program's font.
        bold: Whether it is set in a heavier weight.
        wrap: Whether long text breaks into lines.
    """

    def __init__(
        self,
        text: str = "",
        *,
        tone: Tone = "text",
        factor: float = 1.0,
        bold: bool = False,
        wrap: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text, parent)
        self._tone = tone
        self._factor, self._bold = factor, bold
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setWordWrap(wrap)
        if wrap:
            policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
            policy.setHeightForWidth(True)
            self.setSizePolicy(policy)
        self._apply_font()
        self._apply_tone()

    def set_tone(self, tone: Tone) -> None:
        """Change the text colour."""
        if tone != self._tone:
            self._tone = tone
            self._apply_tone()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow a change of theme or of the program's font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._apply_tone()
        elif event.type() == QEvent.Type.ApplicationFontChange:
            self._apply_font()

    def _apply_font(self) -> None:
        if self._factor != 1.0 or self._bold:
            self.setFont(scaled_font(QApplication.font(), self._factor, bold=self._bold))

    def _apply_tone(self) -> None:
        tone = shades(is_dark())
        colours = {
            "text": tone.text,
            "muted": tone.muted,
            "good": tone.good,
            "caution": tone.caution,
            "bad": tone.bad,
        }
        tint(self, QPalette.ColorRole.WindowText, colours[self._tone])


class VerdictMark(QWidget):
    """The shape of a verdict (tick, triangle, cross, dash), so that its colour is not the only cue.

    It is drawn, not typed, because not every font has these signs. The sentence beside it says the same.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sign: Sign = "none"
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    @property
    def sign(self) -> Sign:
        """The verdict it shows."""
        return self._sign

    def set_sign(self, sign: Sign) -> None:
        """Show another verdict."""
        if sign != self._sign:
            self._sign = sign
            self.update()

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """A square as high as a line of text."""
        side = QFontMetrics(self.font()).height()
        return QSize(side, side)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """Draw the sign."""
        del event
        painter = QPainter(self)
        draw_sign(painter, self._sign, em(self), dark=is_dark(self))
        painter.end()


def draw_sign(painter: QPainter, sign: Sign, side: float, *, dark: bool) -> None:
    """Draw the shape of a verdict.

    Args:
        painter: Where.
        sign: The verdict.
        side: Width and height, pixels.
        dark: It stands on a dark surface.
    """
    tone = shades(dark)
    colour = {"yes": tone.good, "tight": tone.caution, "no": tone.bad, "none": tone.muted}[sign]
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(side, side)
    painter.setPen(QPen(QColor(colour), 0.125, c=Qt.PenCapStyle.RoundCap, j=Qt.PenJoinStyle.RoundJoin))
    for stroke in _STROKES[sign]:
        painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in stroke]))


def sign_icon(sign: Sign) -> QIcon:
    """The shape of a verdict for a table, in the colours of the present theme."""
    side = 4 * QFontMetrics(QApplication.font()).height()  # sharp on a screen that magnifies
    pixmap = QPixmap(side, side)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    draw_sign(painter, sign, side, dark=is_dark())
    painter.end()
    return QIcon(pixmap)


_STROKES: dict[Sign, tuple[tuple[tuple[float, float], ...], ...]] = {
    "yes": (((0.15, 0.55), (0.4, 0.8), (0.85, 0.22)),),
    "tight": (
        ((0.5, 0.14), (0.9, 0.84), (0.1, 0.84), (0.5, 0.14)),
        ((0.5, 0.4), (0.5, 0.56)),
        ((0.5, 0.7), (0.5, 0.7)),
    ),
    "no": (((0.2, 0.2), (0.8, 0.8)), ((0.8, 0.2), (0.2, 0.8))),
    "none": (((0.2, 0.5), (0.8, 0.5)),),
}
"""Strokes of each sign in a square of side 1."""


class NumberTile(QWidget):
    """One of the numbers that stand side by side: what it is, the number, and a note."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        right = Qt.AlignmentFlag.AlignRight
        self.caption = ValueLabel(tone="muted", factor=0.9)
        self.number = ValueLabel(factor=1.35, bold=True)
        self.note = ValueLabel(tone="muted", factor=0.9)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for label in (self.caption, self.number, self.note):
            label.setAlignment(right)
            layout.addWidget(label)
        layout.addStretch(1)

    def show_number(self, caption: str, number: str, note: str, tip: str = "") -> None:
        """Put the three lines up, and a longer word in the tooltip; only what differs is laid out again."""
        self.setToolTip(tip)
        for label, text in ((self.caption, caption), (self.number, number), (self.note, note)):
            if label.text() != text:
                label.setText(text)
        self.number.setAccessibleName(f"{caption} {number} {note}".strip())
