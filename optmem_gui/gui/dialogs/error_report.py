"""What the program shows when it has a defect: everything needed to report it, nothing sent."""

from __future__ import annotations

import getpass
import logging
import platform
import sys
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
from optmem_gui.logs import log_dir

_log = logging.getLogger(__name__)
_LOG_LINES = 50


def report_text(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> str:
    """The report: versions, traceback, the end of the log; the user's name and home are masked."""
    lines = [
        f"OptMem {__version__}",
        f"Python {platform.python_version()}, PySide6 {PySide6.__version__}, Qt {qVersion()}",
        f"{platform.platform()}, Qt platform {QGuiApplication.platformName()}",
        "",
        *(line.rstrip() for line in traceback.format_exception(kind, error, trace)),
        "",
        *_log_tail(),
    ]
    return _masked("\n".join(lines))


def _log_tail() -> list[str]:
    try:
        text = (log_dir() / "optmem.log").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return text.splitlines()[-_LOG_LINES:]


def _masked(text: str) -> str:
    text = text.replace(str(Path.home()), "~")
    try:
        user = getpass.getuser()
    except (OSError, KeyError):  # no such user in a container
        return text
    return text.replace(f"/{user}/", "/USER/") if len(user) > 2 else text


class ErrorReport(QDialog):
    """One dialog for a defect: copy the text, go on or quit."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("errorReport")
        self.setWindowTitle(self.tr("OptMem has a defect"))
        said = QLabel(
            self.tr(
                "Something failed that should not. What you entered is still there. The text below helps to "
                "find the cause; it stays on this computer unless you copy it."
            ),
            self,
        )
        said.setWordWrap(True)
        self.text = QPlainTextEdit(text, self)
        self.text.setReadOnly(True)
        self.text.setAccessibleName(self.tr("Report"))
        said.setBuddy(self.text)
        buttons = QDialogButtonBox(self)
        self.copy = QPushButton(self.tr("Copy"), self)
        self.go_on = QPushButton(self.tr("Continue"), self)
        self.quit = QPushButton(self.tr("Quit"), self)
        buttons.addButton(self.copy, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.addButton(self.go_on, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.addButton(self.quit, QDialogButtonBox.ButtonRole.RejectRole)
        self.copy.clicked.connect(self._copy)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self._quit)
        column = QVBoxLayout(self)
        column.addWidget(said)
        column.addWidget(self.text)
        column.addWidget(buttons)
        em = self.fontMetrics().height()
        self.resize(44 * em, 26 * em)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())

    def _quit(self) -> None:
        self.reject()
        QApplication.exit(1)


class ExceptionHook:
    """Logs whatever was not caught and shows one report; further ones are counted, not stacked."""

    def __init__(self) -> None:
        self.count = 0
        self._open: ErrorReport | None = None

    def install(self) -> None:
        """Take the place of Python's own hook; a slot's exception arrives here too."""
        sys.excepthook = self

    def __call__(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Handle one exception."""
        if issubclass(kind, KeyboardInterrupt):
            QApplication.exit(130)
            return
        self.count += 1
        _log.error("not caught", exc_info=(kind, error, trace))
        if self._open is not None or QApplication.instance() is None:
            return
        self._open = ErrorReport(report_text(kind, error, trace), QApplication.activeWindow())
        try:
            self._open.exec()
        finally:
            self._open.deleteLater()
            self._open = None
