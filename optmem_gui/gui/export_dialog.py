"""Before a picture or a PDF is saved: what is on it, how large it is, and how it will look."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QFrame,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from optmem_gui.core.units import format_count
from optmem_gui.gui.paper.page import PARTS, Part
from optmem_gui.gui.pdf_report import PAPER_SIZES
from optmem_gui.gui.picture import SCALES
from optmem_gui.gui.widgets.painting import em

_DRAWN_FIRST: tuple[Part, ...] = ("bar", "breakdown", "course")
"""Parts of a picture until others are chosen."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen.

    Attributes:
        suffix: ``.png``, ``.svg`` or ``.pdf``.
        parts: What is on a picture; a PDF holds everything.
        scale: Pixels of a PNG for each pixel of the drawing.
        paper: Page of a PDF.
    """

    suffix: str
    parts: frozenset[Part] = frozenset(_DRAWN_FIRST)
    scale: int = 2
    paper: str = "A4"


@dataclass(frozen=True, slots=True)
class Subject:
    """What can be drawn.

    Attributes:
        draw: Draws a choice to be looked at, about as wide as asked for.
        size: Size of a PNG in pixels.
        image: Draws a choice at its scale; null where memory does not reach.
        prepare: Draws what only this thread may draw, and gives back what makes the file's bytes in any.
        suffixes: Formats it can be saved in.
        has_parts: Whether its parts can be chosen.
    """

    draw: Callable[[Choice, int], QImage]
    size: Callable[[Choice], QSize]
    image: Callable[[Choice], QImage]
    prepare: Callable[[Choice], Callable[[], bytes]]
    suffixes: tuple[str, ...] = (".png", ".svg", ".pdf")
    has_parts: bool = True


class Preview(QLabel):
    """A picture, as large as there is room for it, on a light ground."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._image = QImage()
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_image(self, image: QImage) -> None:
        """Show another picture."""
        self._image = image
        self._fit()

    def _fit(self) -> None:
        if self._image.isNull():
            return
        ratio = self.devicePixelRatioF()
        room = self.contentsRect().size() * ratio
        scaled = self._image.scaled(
            room, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
        )
        scaled.setDevicePixelRatio(ratio)
        self.setPixmap(QPixmap.fromImage(scaled))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        """Use the room there is."""
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """About a page."""
        line = round(em(self))
        return QSize(24 * line, 30 * line)

    def minimumSizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """Still something to see."""
        line = round(em(self))
        return QSize(12 * line, 14 * line)


class ExportDialog(QDialog):
    """Asks how a picture or a PDF is made, and shows it.

    Attributes:
        choice: What stands in the fields.
    """

    def __init__(self, subject: Subject, choice: Choice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("exportDialog")
        self._subject = subject
        self.format, self.scale, self.paper = QComboBox(self), QSpinBox(self), QComboBox(self)
        self.parts: dict[Part, QCheckBox] = {part: QCheckBox(self) for part in PARTS}
        self.pixels, self.preview = QLabel(self), Preview(self)
        self._parts_box = QGroupBox(self)
        self._form = QFormLayout()
        self._labels = [QLabel(self) for _ in range(3)]
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, parent=self)
        self.save = QPushButton(self)
        self.copy = QPushButton(self)
        self._lay_out()
        self._fill(choice)
        self._retranslate()
        self._connect()
        self._show()

    def _lay_out(self) -> None:
        for label, field in zip(self._labels, (self.format, self.scale, self.paper), strict=True):
            label.setBuddy(field)
            self._form.addRow(label, field)
        column = QVBoxLayout()
        column.addLayout(self._form)
        column.addWidget(self.pixels)
        inside = QVBoxLayout(self._parts_box)
        for box in self.parts.values():
            inside.addWidget(box)
        column.addWidget(self._parts_box)
        column.addStretch(1)
        halves = QHBoxLayout()
        halves.addLayout(column)
        halves.addWidget(self.preview, 1)
        self.buttons.addButton(self.save, QDialogButtonBox.ButtonRole.AcceptRole)
        self.buttons.addButton(self.copy, QDialogButtonBox.ButtonRole.ActionRole)
        layout = QVBoxLayout(self)
        layout.addLayout(halves, 1)
        layout.addWidget(self.buttons)
        self.save.setDefault(True)

    def _fill(self, choice: Choice) -> None:
        for suffix in self._subject.suffixes:
            self.format.addItem(suffix[1:].upper(), suffix)
        self.format.setCurrentIndex(max(0, self.format.findData(choice.suffix)))
        self.scale.setRange(SCALES[0], SCALES[-1])
        self.scale.setSuffix("x")
        self.scale.setValue(choice.scale)
        for size in PAPER_SIZES:
            self.paper.addItem(size, size)
        self.paper.setCurrentIndex(self.paper.findData(choice.paper))
        for part, box in self.parts.items():
            box.setChecked(part in choice.parts)

    def _connect(self) -> None:
        self.format.currentIndexChanged.connect(self._show)
        self.scale.valueChanged.connect(self._show)
        self.paper.currentIndexChanged.connect(self._show)
        for box in self.parts.values():
            box.toggled.connect(self._show)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.copy.clicked.connect(self._copy)

    @property
    def choice(self) -> Choice:
        """What stands in the fields."""
        return Choice(
            suffix=str(self.format.currentData()),
            parts=frozenset(part for part, box in self.parts.items() if box.isChecked()),
            scale=self.scale.value(),
            paper=str(self.paper.currentData()),
        )

    def _show(self) -> None:
        """Put up what belongs to the format, and the picture."""
        choice = self.choice
        is_png, is_page = choice.suffix == ".png", choice.suffix == ".pdf"
        self._form.setRowVisible(self.scale, is_png)
        self._form.setRowVisible(self.paper, is_page)
        self._parts_box.setVisible(self._subject.has_parts and not is_page)
        size = self._subject.size(choice)
        self.pixels.setVisible(is_png)
        self.pixels.setText(
            self.tr("{width} x {height} pixels").format(
                width=format_count(size.width()), height=format_count(size.height())
            )
        )
        self.copy.setVisible(is_png)
        self.preview.show_image(self._subject.draw(choice, 2 * self.preview.sizeHint().width()))

    def _copy(self) -> None:
        """Put the picture on the clipboard; nothing happens where memory does not reach for it."""
        image = self._subject.image(self.choice)
        if not image.isNull():
            QGuiApplication.clipboard().setImage(image)

    def _retranslate(self) -> None:
        self.setWindowTitle(self.tr("Export"))
        texts = (self.tr("&Format:"), self.tr("&Scale:"), self.tr("&Page:"))
        for label, text in zip(self._labels, texts, strict=True):
            label.setText(text)
        self._parts_box.setTitle(self.tr("On the picture"))
        words: dict[Part, str] = {
            "bar": self.tr("&Bar"),
            "breakdown": self.tr("B&reakdown"),
            "course": self.tr("One s&tep"),
            "notes": self.tr("&Notes and proofs"),
        }
        for part, box in self.parts.items():
            box.setText(words[part])
        self.save.setText(self.tr("Sa&ve..."))
        self.copy.setText(self.tr("&Copy picture"))
        self.preview.setAccessibleName(self.tr("How it will look"))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
            self._show()
