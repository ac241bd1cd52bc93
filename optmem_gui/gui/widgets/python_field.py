"""The field for the Python that simulates and measures: a path, a button, and what that Python is."""

from __future__ import annotations

import sys

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from optmem_gui.core.reasons import Reason
from optmem_gui.engine.pythons import PythonInfo
from optmem_gui.gui import settings as keys
from optmem_gui.gui.cards import IssueLabel, MutedLabel
from optmem_gui.gui.i18n import render_reason
from optmem_gui.gui.pythons import needs_python
from optmem_gui.gui.settings import Settings
from optmem_gui.gui.tasks.python import PythonThread
from optmem_gui.paths import bundles_torch

_PAUSE_MS = 500
"""After the last letter, before the path is looked at."""


class PythonField(QWidget):
    """Asks the Python it shows what it is, while it is visible.

    Attributes:
        edit: Where its path is typed; empty for the one that is taken without a choice.
        state: What it is, and what it cannot do.
        issue: Why it cannot be used.
    """

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._found = settings.get(keys.FOUND_PYTHON) if needs_python() else ""
        self._thread: PythonThread | None = None
        self.edit = QLineEdit(settings.get(keys.WORKER_PYTHON), self)
        self.edit.setPlaceholderText(self._found or self._unchosen())
        self.state = MutedLabel(self)
        self.state.setAccessibleName(self.tr("What this Python is"))
        self.issue = IssueLabel(self)
        self.choose = QPushButton(self.tr("Choose..."), self)
        self.choose.setAutoDefault(False)
        self.choose.clicked.connect(self._choose)
        row = QHBoxLayout()
        row.addWidget(self.edit, 1)
        row.addWidget(self.choose)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(row)
        column.addWidget(self.state)
        column.addWidget(self.issue)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_PAUSE_MS)
        self._later.timeout.connect(self.check)
        self.edit.textChanged.connect(self._later.start)

    def _unchosen(self) -> str:
        if needs_python():
            return self.tr("the first one found that has torch")
        return self.tr("the one this program runs in")

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802  # Qt's name
        """Look at it as soon as it is seen."""
        super().showEvent(event)
        self.check()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802  # Qt's name
        """Nothing is asked for a reader who is gone."""
        super().hideEvent(event)
        self._later.stop()
        self._drop()

    def check(self) -> None:
        """Ask the Python in the field what it is; the answer to an older question is dropped."""
        self._later.stop()
        self._drop()
        given = self.edit.text().strip()
        if not given and bundles_torch():
            self._show(self.tr("The torch of this program"))
            return
        python = given or self._found or ("" if needs_python() else sys.executable)
        self._show(self.tr("Looking..."))
        self._thread = PythonThread(python, self, search=not given and needs_python())
        self._thread.finished.connect(self._answered)
        self._thread.start()

    def _drop(self) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.finished.disconnect(self._answered)
            thread.end()
            thread.deleteLater()

    def _answered(self) -> None:
        thread, self._thread = self._thread, None
        if thread is None:
            return
        thread.deleteLater()
        outcome = thread.outcome
        if isinstance(outcome, Exception):
            raise outcome
        if isinstance(outcome, Reason):
            self._show("", render_reason(outcome))
        elif isinstance(outcome, PythonInfo):
            shown = self.tr("Python {version}, torch {torch}").format(
                version=outcome.version, torch=", ".join((outcome.torch, *outcome.accelerators))
            )
            remark = outcome.remark
            self._show(shown if remark is None else f"{shown}\n{render_reason(remark)}")
            if not self.edit.text().strip() and needs_python():
                self.edit.setPlaceholderText(outcome.path)

    def _show(self, state: str, issue: str = "") -> None:
        self.state.setText(state)
        self.state.setVisible(bool(state))
        self.issue.show_issue(issue)
        self._make_room()

    def _make_room(self) -> None:
        """Let the dialog grow with what is said; a layout alone does not make its window higher."""
        window = self.window()
        layout = window.layout()
        if layout is None or not self.isVisible():
            return
        for widget in (self, window):
            inner = widget.layout()
            if inner is not None:
                inner.invalidate()
                inner.activate()
        needed = layout.totalHeightForWidth(window.width())
        if needed > window.height():
            window.resize(window.width(), needed)

    def _choose(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self,
            self.tr("Python with torch"),
            self.edit.text(),
            options=QFileDialog.Option.DontResolveSymlinks,  # an environment's Python is a link to another
        )
        if name:
            self.edit.setText(name)
            self.check()
