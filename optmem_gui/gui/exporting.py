"""Everything that leaves the window: reports, pictures, a PDF, tables on the clipboard."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from optmem_gui.core.errors import UserError
from optmem_gui.core.reasons import Reason
from optmem_gui.gui import settings as keys
from optmem_gui.gui.files import Files
from optmem_gui.gui.i18n import render_reason
from optmem_gui.gui.panels.headline import HeadlinePanel
from optmem_gui.gui.settings import Settings
from optmem_gui.gui.store import Store
from optmem_gui.gui.widgets.copy_actions import CopyActions
from optmem_gui.report.exporters import EXPORTERS, export
from optmem_gui.report.notations import NOTATIONS

if TYPE_CHECKING:  # made when they are meant: the window starts without them
    from optmem_gui.gui.paper.page import Content
    from optmem_gui.gui.tasks.export import ExportThread
    from optmem_gui.report.estimate_report import Exported

_TOLD_MS = 8000


class Exporting(QObject):
    """Asks how and where, makes the file, says that it is there or why not."""

    def __init__(  # noqa: PLR0917  # what it works with, each once
        self,
        window: QMainWindow,
        store: Store,
        settings: Settings,
        files: Files,
        headline: HeadlinePanel,
        page: Callable[[], QWidget | None],
    ) -> None:
        """Prepare.

        Args:
            window: Over which dialogs open, and whose status bar says what was saved.
            store: What is exported.
            settings: Remembers scale and page.
            files: Asks for names.
            headline: Whose sentences are those of the export.
            page: What is shown in place of the results, such as a memory snapshot; None for the results.
        """
        super().__init__(window)
        self._window, self._store, self._settings = window, store, settings
        self._files, self._headline, self._page = files, headline, page
        self._thread: ExportThread | None = None

    def slots(self, breakdown: CopyActions) -> dict[str, Callable[[], object]]:
        """What its actions do, by id.

        Args:
            breakdown: Copies the breakdown, for when no table has the keyboard.
        """
        slots: dict[str, Callable[[], object]] = {
            f"export.{name}": partial(self.ask, name) for name in EXPORTERS
        }
        slots |= {f"export.{name}": partial(self.ask_picture, f".{name}") for name in ("png", "svg", "pdf")}
        slots |= {f"copy_as.{name}": partial(_copy, name, breakdown) for name in NOTATIONS}
        return slots

    # -- reports

    def ask(self, exporter_id: str) -> None:
        """Let the user choose where to write the figures in one of the report formats."""
        exporter = EXPORTERS[exporter_id]
        exported = self._exported()
        path = self._files.ask_path(self.tr("Export"), self._stem(), exporter.suffix, exporter.title)
        if path is None or exported is None:
            return
        try:
            export(exporter_id, path, exported)
        except UserError as error:
            self._store.notice(error.reason)
        else:
            self._tell(path)

    def _exported(self) -> Exported | None:
        from optmem_gui.gui.exported import exported_from  # noqa: PLC0415  # as said above

        return exported_from(self._store.snapshot, self._headline)

    def _stem(self) -> str:
        scenario = self._store.snapshot.scenario
        return f"{scenario.model.title} {scenario.optimizer} {scenario.precision}"

    def _tell(self, path: Path) -> None:
        text = render_reason(Reason("export.saved", {"path": str(path)}))
        self._window.statusBar().showMessage(text, _TOLD_MS)

    # -- pictures

    def ask_picture(self, suffix: str) -> None:
        """Let the user choose how a picture or a PDF is made, and where it is saved.

        Args:
            suffix: The format that is proposed.
        """
        from optmem_gui.gui.export_dialog import Choice, ExportDialog  # noqa: PLC0415  # as said above
        from optmem_gui.gui.export_subjects import subject_of_content, subject_of_widget  # noqa: PLC0415  # same

        page = self._page() if suffix != ".pdf" else None
        if page is not None:
            subject = subject_of_widget(page)
        else:
            content = self._content()
            if content is None:
                return
            subject = subject_of_content(content)
        scale, paper = self._settings.get(keys.EXPORT_SCALE), self._settings.get(keys.EXPORT_PAPER)
        remembered = Choice(suffix, scale=scale, paper=paper)
        dialog = ExportDialog(subject, remembered, self._window)
        accepted, choice = dialog.exec(), dialog.choice
        dialog.deleteLater()
        if not accepted:
            return
        self._settings.set(keys.EXPORT_SCALE, choice.scale)
        self._settings.set(keys.EXPORT_PAPER, choice.paper)
        kind = choice.suffix[1:].upper()
        path = self._files.ask_path(self.tr("Export"), self._stem(), choice.suffix, kind)
        if path is not None:
            self._make(path, subject.prepare(choice))

    def _content(self) -> Content | None:
        from optmem_gui.gui.exported import content_from  # noqa: PLC0415  # as said above

        exported = self._exported()
        return None if exported is None else content_from(exported, self._headline)

    def _make(self, path: Path, draw: Callable[[], bytes]) -> None:
        """Draw and write in a thread."""
        from optmem_gui.gui.tasks.export import ExportThread  # noqa: PLC0415  # as said above
        from optmem_gui.report.files import write_whole  # noqa: PLC0415  # as said above

        self.close()
        thread = self._thread = ExportThread(lambda: write_whole(path, draw()), self)
        thread.finished.connect(partial(self._finished, thread, path))
        self._window.statusBar().showMessage(self.tr("Exporting..."))
        thread.start()

    def _finished(self, thread: ExportThread, path: Path) -> None:
        if self._thread is thread:
            self._thread = None
        thread.deleteLater()
        self._window.statusBar().clearMessage()
        if thread.defect is not None:
            raise thread.defect
        if thread.reason is not None:
            self._store.notice(thread.reason)
        else:
            self._tell(path)

    @property
    def is_busy(self) -> bool:
        """Whether a file is being made."""
        return self._thread is not None

    def close(self) -> None:
        """Wait for what is being made: a file is whole or not there."""
        if self._thread is not None:
            self._thread.wait()


def _copy(notation: str, breakdown: CopyActions) -> None:
    """Copy the table that has the keyboard, or else the breakdown."""
    focus, directly = QApplication.focusWidget(), Qt.FindChildOption.FindDirectChildrenOnly
    actions = None if focus is None else focus.findChild(CopyActions, options=directly)
    (breakdown if actions is None else actions).copy_as(notation)
