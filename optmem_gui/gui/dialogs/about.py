"""What this is, in which version, made of what."""

from __future__ import annotations

import platform

from PySide6.QtCore import qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from optmem_gui import __version__
from optmem_gui.gui.theme import scaled_font
from optmem_gui.licences import Part, licence_text, parts


def versions() -> str:
    """Every version that matters in a report, one a line."""
    lines = [_line(part) for part in parts()]
    return "\n".join([*lines, f"Qt {qVersion()}, {platform.platform()}"])


def _line(part: Part) -> str:
    if not part.version:
        return f"{part.name}: not installed"
    return f"{part.name} {part.version} ({part.licence})" if part.licence else f"{part.name} {part.version}"


class AboutDialog(QDialog):
    """Name, purpose, versions to be copied, and the licence of every part."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("about")
        self.setWindowTitle(self.tr("About OptMem"))
        name = QLabel(f"OptMem {__version__}", self)
        name.setFont(scaled_font(self.font(), 1.6, bold=True))
        purpose = QLabel(
            self.tr(
                "How much GPU memory training takes, where it goes, and whether it fits. "
                "The program works offline: nothing leaves this computer."
            ),
            self,
        )
        purpose.setWordWrap(True)
        self.text = self._text(versions(), self.tr("Versions and licences"))
        pages = QTabWidget(self)
        pages.setAccessibleName(self.tr("Versions and licences"))
        pages.addTab(self.text, self.tr("&Versions"))
        pages.addTab(self._licences(), self.tr("&Licences"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        copy = buttons.addButton(self.tr("&Copy"), QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(lambda: self._copy(pages.currentIndex()))
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        for widget in (name, purpose, pages, buttons):
            column.addWidget(widget)
        em = self.fontMetrics().height()
        self.resize(36 * em, 28 * em)

    def _licences(self) -> QWidget:
        page = QWidget(self)
        self.part = QComboBox(page)
        self.part.addItems([part.name for part in parts() if part.version])
        caption = QLabel(self.tr("&Part"), page)
        caption.setBuddy(self.part)
        self.part.setAccessibleName(self.tr("Part whose licence is shown"))
        self.licence = self._text("", self.tr("Text of the licence"))
        self.part.currentTextChanged.connect(self._show_licence)
        self._show_licence(self.part.currentText())
        line = QHBoxLayout()
        line.addWidget(caption)
        line.addWidget(self.part, 1)
        column = QVBoxLayout(page)
        column.addLayout(line)
        column.addWidget(self.licence)
        return page

    def _text(self, text: str, name: str) -> QPlainTextEdit:
        shown = QPlainTextEdit(text, self)
        shown.setReadOnly(True)
        shown.setTabChangesFocus(True)
        shown.setAccessibleName(name)
        return shown

    def _show_licence(self, name: str) -> None:
        missing = self.tr("{name} carries no text of its licence.").format(name=name)
        self.licence.setPlainText(licence_text(name) or missing)

    def _copy(self, page: int) -> None:
        QGuiApplication.clipboard().setText((self.text, self.licence)[page].toPlainText())
