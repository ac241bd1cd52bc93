"""What this is, in which version, made of what."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from PySide6.QtCore import qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from optmem_gui import __version__
from optmem_gui.gui.theme import scaled_font

_PARTS = (
    ("PySide6-Essentials", "LGPL-3.0"),
    ("pyqtgraph", "MIT"),
    ("numpy", "BSD-3-Clause"),
    ("nvidia-ml-py", "BSD-3-Clause"),
    ("msgspec", "BSD-3-Clause"),
    ("platformdirs", "MIT"),
    ("psutil", "BSD-3-Clause"),
    ("torch", "BSD-3-Clause"),
)
"""What the program is made of, with the licence of each part."""


def versions() -> str:
    """Every version that matters in a report, one a line."""
    lines = [f"OptMem {__version__} (Apache-2.0)", f"Python {platform.python_version()}, Qt {qVersion()}"]
    lines += [f"{name} {_version(name)} ({licence})" for name, licence in _PARTS]
    return "\n".join([*lines, platform.platform()])


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


class AboutDialog(QDialog):
    """Name, purpose, versions and licences, to be copied."""

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
        self.text = QPlainTextEdit(versions(), self)
        self.text.setReadOnly(True)
        self.text.setAccessibleName(self.tr("Versions and licences"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        copy = buttons.addButton(self.tr("Copy"), QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(self._copy)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        for widget in (name, purpose, self.text, buttons):
            column.addWidget(widget)
        em = self.fontMetrics().height()
        self.resize(30 * em, 22 * em)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
