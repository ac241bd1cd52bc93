"""The measurements that are kept, as the window sees them: kept as they end, listed on a page of their own.

The page is made when it is first looked at; a measurement is kept whether it was or not.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QMessageBox, QStackedWidget, QWidget

from optmem_gui.core.errors import UserError
from optmem_gui.core.observing import OtherProcess
from optmem_gui.core.reasons import Reason
from optmem_gui.gui.files import Files
from optmem_gui.gui.i18n import kept_title
from optmem_gui.gui.page_place import PagePlace
from optmem_gui.gui.resident_edits import taken
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.store import Store
from optmem_gui.paths import CALIBRATIONS_FILE, results_dir

if TYPE_CHECKING:  # made when a measurement ends or is looked at: the window opens without them
    from optmem_gui.gui.panels.results_list import ResultsPage
    from optmem_gui.report.kept_result import KeptResult
    from optmem_gui.report.results_store import ResultsStore


class MeasuredResults(QObject):
    """Keeps, lists, compares and exports measurements, and holds what they calibrate.

    Emits:
        shown: Whether the page is shown, as that changes.
        picture_wanted: A picture of what is selected is to be saved.
    """

    shown = Signal(bool)
    picture_wanted = Signal()

    def __init__(  # what it works with, each once
        self, stack: QStackedWidget, store: Store, files: Files, settings_folder: Path, window: QWidget
    ) -> None:
        super().__init__(window)
        self._place, self._store, self._files, self._window = PagePlace(stack), store, files, window
        self._calibrations = settings_folder / CALIBRATIONS_FILE
        self._kept: ResultsStore | None = None
        self._selected: tuple[KeptResult, ...] = ()
        self._last: str = ""
        self._followed: KeptResult | None = None
        self.page: ResultsPage | None = None
        store.measurement_changed.connect(self._follow)
        store.changed.connect(self._render)
        if self._calibrations.exists():
            self.apply_calibrations()

    @property
    def is_shown(self) -> bool:
        """Whether the page is shown."""
        return self._place.is_shown

    @property
    def pictured(self) -> QWidget | None:
        """What a picture is taken of: what is selected, or the whole page."""
        return self.page.detail if self.page is not None and self._selected else self.page

    @property
    def results(self) -> ResultsStore:
        """What is kept."""
        if self._kept is None:
            from optmem_gui.report.results_store import ResultsStore  # noqa: PLC0415  # as said above

            self._kept = ResultsStore(results_dir())
        return self._kept

    # -- the page

    def toggle(self) -> None:
        """Show the page, or go back to the estimate."""
        if self.is_shown:
            self.leave()
        else:
            self.show()

    def show(self) -> None:
        """Show the list, with the latest measurement selected where none is."""
        page = self._ready()
        self._list()
        if not page.selected_ids():
            entries = self.results.listed().entries
            page.select(self._last or (entries[0].id if entries else ""))
        self._place.show()
        self.shown.emit(True)

    def leave(self) -> None:
        """Go back to the estimate."""
        self._place.leave()
        self.shown.emit(False)

    def open(self, path: Path) -> None:
        """Keep a measurement that was exported, and show it; what is no measurement is said in one line."""
        from optmem_gui.report.results_store import load_result  # noqa: PLC0415  # as said above

        try:
            kept = load_result(path)
        except UserError as error:
            self._store.notice(error.reason)
            return
        self._tell(self.results.adopt(kept))
        self._last = kept.id
        self.show()
        self._ready().select(kept.id)

    def _ready(self) -> ResultsPage:
        if self.page is None:
            from optmem_gui.gui.panels.results_list import ResultsPage  # noqa: PLC0415  # as said above

            self.page = page = ResultsPage()
            self._place.put(page)
            page.leave_wanted.connect(self.leave)
            page.open_wanted.connect(self._ask_file)
            page.selected.connect(self._select)
            page.take_wanted.connect(self._take)
            page.detail.processes_wanted.connect(self._take_processes)
            page.describe_wanted.connect(self._describe)
            page.export_wanted.connect(self._export)
            page.picture_wanted.connect(self.picture_wanted)
            page.delete_wanted.connect(self._delete)
            page.forget_wanted.connect(self.forget)
            self.apply_calibrations()
        return self.page

    def _list(self) -> None:
        if self.page is not None:
            self.page.show_listing(self.results.listed(), self._store.snapshot.unit)

    def _render(self, _snapshot: Snapshot) -> None:
        if self.is_shown:
            self._list()

    def _select(self, ids: tuple[str, ...]) -> None:
        if self.page is None:
            return
        problem: Reason | None = None
        try:
            self._selected = tuple(map(self.results.load, ids)) if len(ids) in (1, 2) else ()
        except UserError as error:
            self._selected, problem = (), error.reason
        self.page.show_selected(self._selected, problem)

    # -- what is done with what is selected

    def _take(self) -> None:
        """Put what was measured into the fields, as one edit that can be undone."""
        try:
            scenario = self._selected[0].asked()
        except UserError as error:
            self._store.notice(error.reason)
            return
        self._store.take_scenario(scenario)
        self.leave()

    def _take_processes(self, seen: tuple[OtherProcess, ...]) -> None:
        """Let other processes stay on the GPU: rows of what else lives there, as one edit."""
        self._store.edit("residents_added", taken(seen))

    def _describe(self) -> None:
        from optmem_gui.gui.dialogs.describe_result import DescribeDialog  # noqa: PLC0415  # as said above

        kept = self._selected[0]
        dialog = DescribeDialog(kept, self._window)
        if dialog.exec():
            self._change(
                lambda: self.results.describe(kept.id, dialog.name.text(), dialog.note.toPlainText())
            )
        dialog.deleteLater()

    def _export(self) -> None:
        from optmem_gui.report.files import write_whole  # noqa: PLC0415  # as said above
        from optmem_gui.report.kept_file import kept_text  # noqa: PLC0415  # as said above

        kept = self._selected[0]
        path = self._files.ask_path(self.tr("Export"), self._stem(kept), ".json", self.tr("Measurement"))
        if path is not None:
            self._change(lambda: write_whole(path, kept_text(kept)))

    def _delete(self) -> None:
        """Delete what is selected, once that is confirmed."""
        ids = () if self.page is None else self.page.selected_ids()
        buttons = QMessageBox.StandardButton
        question = self.tr("Delete {count} measurements for good?").format(count=len(ids))
        if len(ids) == 1 and self._selected:
            model = kept_title(self._selected[0].title, self._selected[0].summary.param_count)
            question = self.tr("Delete the measurement of {model} for good?").format(model=model)
        answer = QMessageBox.question(
            self._window,
            self.tr("Delete measurements"),
            question,
            buttons.Yes | buttons.Cancel,
            buttons.Cancel,
        )
        if answer == buttons.Yes:
            self._change(lambda: self.results.delete(*ids))

    def _change(self, work: Callable[[], object]) -> None:
        """Do something with files; what goes wrong is said in the notice bar."""
        try:
            work()
        except UserError as error:
            self._store.notice(error.reason)
        self._list()

    def _ask_file(self) -> None:
        kind = self.tr("Measurement")
        title = self.tr("Open a measurement")
        name, _ = QFileDialog.getOpenFileName(self._window, title, filter=f"{kind} (*.json)")
        if name:
            self.open(Path(name))

    @staticmethod
    def _stem(kept: KeptResult) -> str:
        return f"{kept.title} {kept.summary.optimizer} {kept.date[:10]}"

    # -- measurements that end

    def _follow(self, snapshot: Snapshot) -> None:
        """Keep a measurement as it ends, and learn from it what its GPU adds."""
        kept = snapshot.measurement.kept
        if kept is None or kept is self._followed:
            return
        before, self._followed = self._followed, kept
        if before is not None and before.id == kept.id:  # a simulation came to stand beside it
            self._change(lambda: self.results.put_rows(kept.id, kept.rows))
            return
        self._last = kept.id
        self._tell(self.results.keep(kept))
        self._list()
        found = snapshot.measurement.calibration
        if found is not None and not isinstance(found, Reason):
            from optmem_gui.report.calibrations import remember  # noqa: PLC0415  # as said above

            try:
                remember(self._calibrations, found)
            except UserError as error:
                self._store.notice(error.reason)
            self.apply_calibrations()

    def _tell(self, reason: Reason | None) -> None:
        if reason is not None:
            self._store.notice(reason)

    # -- what they calibrate

    def forget(self, uuid: str) -> None:
        """Predict a GPU by the general band again."""
        from optmem_gui.report.calibrations import forget  # noqa: PLC0415  # as said above

        self._change(lambda: forget(self._calibrations, uuid))
        self.apply_calibrations()

    def apply_calibrations(self) -> None:
        """Predict by what is known of the user's GPUs now."""
        from optmem_gui.engine.calibration import calibrated  # noqa: PLC0415  # as said above
        from optmem_gui.report.calibrations import load_calibrations  # noqa: PLC0415  # as said above

        known, problem = load_calibrations(self._calibrations)
        self._tell(problem)
        self._store.set_gpus(calibrated(self._store.gpus.values(), known))
        if self.page is not None:
            self.page.show_calibrations(known)
