"""What the program shows when it has a defect: everything needed to report it, nothing sent."""

from __future__ import annotations

import platform
import traceback
from pathlib import Path
from types import TracebackType

import PySide6
from PySide6.QtCore import qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from optmem_gui import __version__
from optmem_gui.gui.desktop import open_folder
from optmem_gui.gui.masking import masked
from optmem_gui.logs import LOG_FILE, log_dir

_LOG_LINES = 50
_CRASH_CHARACTERS = 20_000
"""A crash names each of its threads; the first of them is the one that ended the process."""


def report_text(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> str:
    """The report: versions, traceback, the end of the log; user, home and host are masked."""
    return _report([line.rstrip() for line in traceback.format_exception(kind, error, trace)])


def crash_text(path: Path) -> str:
    """The report of a crash that an earlier run left in this file."""
    try:
        found = path.read_text(encoding="utf-8", errors="replace")[:_CRASH_CHARACTERS]
    except OSError as error:
        found = f"{path}: {error.strerror}"
    return _report(found.splitlines())


def _report(what: list[str]) -> str:
    lines = [
        f"OptMem {__version__}",
        f"Python {platform.python_version()}, PySide6 {PySide6.__version__}, Qt {qVersion()}",
        f"{platform.platform()}, Qt platform {QGuiApplication.platformName()}",
        "",
        *what,
        "",
        *_log_tail(),
    ]
    return masked("\n".join(lines))


def _log_tail() -> list[str]:
    try:
        text = (log_dir() / LOG_FILE).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return text.splitlines()[-_LOG_LINES:]


class ReportDialog(QDialog):
    """A text that helps to find a cause, to be copied by whoever wants to send it."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.said = QLabel(self)
        self.said.setWordWrap(True)
        self.text = QPlainTextEdit(text, self)
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(self.tr("Report"))
        self.said.setBuddy(self.text)
        self.buttons = QDialogButtonBox(self)
        self.copy = self.add_button(self.tr("&Copy"), QDialogButtonBox.ButtonRole.ActionRole)
        self.folder = self.add_button(
            self.tr("Open &folder of the log"), QDialogButtonBox.ButtonRole.ActionRole
        )
        self.folder.setEnabled(log_dir().is_dir())
        self.copy.clicked.connect(self._copy)
        self.folder.clicked.connect(lambda: open_folder(log_dir()))
        column = QVBoxLayout(self)
        column.addWidget(self.said)
        column.addWidget(self.text)
        column.addWidget(self.buttons)
        em = self.fontMetrics().height()
        self.resize(44 * em, 26 * em)

    def add_button(self, text: str, role: QDialogButtonBox.ButtonRole) -> QPushButton:
        """A button below the text."""
        button = QPushButton(text, self)
        self.buttons.addButton(button, role)
        return button

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())


class ErrorReport(ReportDialog):
    """One dialog for a defect: copy the text, go on or quit."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setObjectName("errorReport")
        self.setWindowTitle(self.tr("OptMem has a defect"))
        self.said.setText(
            self.tr(
                "Something failed that should not. What you entered is still there. The text below helps to "
                "find the cause; it stays on this computer unless you copy it."
            )
        )
        self.go_on = self.add_button(self.tr("Co&ntinue"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.quit = self.add_button(self.tr("&Quit"), QDialogButtonBox.ButtonRole.RejectRole)
        self.go_on.setDefault(True)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self._quit)

    def _quit(self) -> None:
        self.reject()
        QApplication.exit(1)


class CrashReport(ReportDialog):
    """What an earlier run left when it crashed; the user may copy it, delete it, or keep it for later."""

    def __init__(self, path: Path, parent: QWidget | None = None) -> None:
        super().__init__(crash_text(path), parent)
        self.setObjectName("crashReport")
        self._path = path
        self.setWindowTitle(self.tr("OptMem ended unexpectedly"))
        self.said.setText(
            self.tr(
                "The last time OptMem ran, it ended without being asked to. The text below says where; it "
                "stays on this computer unless you copy it."
            )
        )
        self.delete = self.add_button(self.tr("&Delete"), QDialogButtonBox.ButtonRole.DestructiveRole)
        self.close_button = self.add_button(self.tr("C&lose"), QDialogButtonBox.ButtonRole.RejectRole)
        self.close_button.setDefault(True)
        self.delete.clicked.connect(self._delete)
        self.buttons.rejected.connect(self.reject)

    def _delete(self) -> None:
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            self.said.setText(
                self.tr("{path} cannot be deleted: {why}").format(path=self._path, why=error.strerror)
            )
            return
        self.accept()
