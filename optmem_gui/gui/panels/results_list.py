"""The measurements that are kept: a list, and below it the one that is selected, or two side by side."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QItemSelectionModel, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSplitter, QVBoxLayout, QWidget

from optmem_gui.core.calibration import Calibration
from optmem_gui.core.overhead import CONTEXT_BYTES
from optmem_gui.core.reasons import Reason
from optmem_gui.core.units import SizeUnit, format_bytes
from optmem_gui.gui.cards import Surface
from optmem_gui.gui.i18n import kept_title, labelled, listed, precision_name, render_reason
from optmem_gui.gui.panels.result_detail import ResultDetail
from optmem_gui.gui.widgets.copy_table import CopyTable
from optmem_gui.gui.widgets.labels import ValueLabel
from optmem_gui.gui.widgets.painting import em
from optmem_gui.gui.widgets.result_rows import error_text, shared_among
from optmem_gui.gui.widgets.text_table import Heads, TextRow, TextTableModel
from optmem_gui.gui.widgets.titled import TitledPanel
from optmem_gui.report.kept_result import KeptResult
from optmem_gui.report.results_store import Entry, Listing

_PEAK, _ERROR = 5, 6


class ResultsPage(TitledPanel):
    """Shows the list and what is selected in it; what is done about it is said, not done.

    Emits:
        leave_wanted: Go back to the estimate.
        open_wanted: Open an exported measurement.
        selected: Ids of the selected measurements, in the order of the list.
        take_wanted, describe_wanted, export_wanted, picture_wanted, delete_wanted: What to do with what is
            selected.
        forget_wanted: UUID of a GPU whose calibration is to be forgotten.
    """

    leave_wanted = Signal()
    open_wanted = Signal()
    selected = Signal(object)
    take_wanted = Signal()
    describe_wanted = Signal()
    export_wanted = Signal()
    picture_wanted = Signal()
    delete_wanted = Signal()
    forget_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("resultsPage")
        self._listing = Listing(())
        self._unit: SizeUnit = "GiB"
        self._calibrations: tuple[Calibration, ...] = ()
        self.model = TextTableModel(self)
        self.table = CopyTable()
        self.table.setObjectName("resultsTable")
        self.table.setModel(self.model)
        self.table.selectionModel().selectionChanged.connect(self._tell_selected)
        self.empty, self.problems = ValueLabel(tone="muted", wrap=True), ValueLabel(tone="caution", wrap=True)
        self.leave, self.open = QPushButton(), QPushButton()
        self.take, self.describe, self.export = QPushButton(), QPushButton(), QPushButton()
        self.picture, self.delete = QPushButton(), QPushButton()
        self.detail = ResultDetail()
        self.calibrated = QWidget()
        self._lines = QVBoxLayout(self.calibrated)
        self._lines.setContentsMargins(0, 0, 0, 0)
        for button, signal in (
            (self.leave, self.leave_wanted),
            (self.open, self.open_wanted),
            (self.take, self.take_wanted),
            (self.describe, self.describe_wanted),
            (self.export, self.export_wanted),
            (self.picture, self.picture_wanted),
            (self.delete, self.delete_wanted),
        ):
            button.setAutoDefault(False)
            button.clicked.connect(signal)
        self._lay_out()
        self.retranslate()
        self.show_selected(())

    def _lay_out(self) -> None:
        self.head.addWidget(self.open)
        self.head.addWidget(self.leave)
        upper, lower = Surface(), Surface()
        for widget in (self.empty, self.table, self.problems, self.calibrated):
            upper.body.addWidget(widget, 1 if widget is self.table else 0)
        buttons = QHBoxLayout()
        for button in (self.take, self.describe, self.export, self.picture, self.delete):
            buttons.addWidget(button)
        buttons.addStretch(1)
        lower.body.addWidget(self.detail, 1)
        lower.body.addLayout(buttons)
        self.rows = QSplitter(Qt.Orientation.Vertical)
        self.rows.setChildrenCollapsible(False)
        self.rows.setHandleWidth(round(em(self) / 2))
        self.rows.addWidget(upper)
        self.rows.addWidget(lower)
        self.rows.setStretchFactor(0, 2)
        self.rows.setStretchFactor(1, 5)
        self.rows.setSizes([round(11 * em(self)), round(27 * em(self))])
        self.body.addWidget(self.rows, 1)

    def show_listing(self, listing: Listing, unit: SizeUnit) -> None:
        """Show what is kept; what is selected stays selected as far as it is still there."""
        chosen = set(self.selected_ids())
        self._listing, self._unit = listing, unit
        entries = listing.entries
        self.model.show_rows(self._heads(), tuple(self._row(entry) for entry in entries))
        self.table.fit_columns(_ERROR + 1)
        self.table.setVisible(bool(entries))
        self.empty.setVisible(not entries)
        problems = "\n".join(render_reason(reason, unit) for reason in listing.problems)
        self.problems.setText(problems)
        self.problems.setVisible(bool(problems))
        places = [place for place, entry in enumerate(entries) if entry.id in chosen]
        self._select(places)

    def select(self, result_id: str) -> None:
        """Select one of the list."""
        self._select([place for place, entry in enumerate(self._listing.entries) if entry.id == result_id])

    def _select(self, places: Sequence[int]) -> None:
        selection, flag = self.table.selectionModel(), QItemSelectionModel.SelectionFlag
        selection.clearSelection()
        for place in places:
            index = self.model.index(place, 0)
            selection.select(index, flag.Select | flag.Rows)
            self.table.scrollTo(index)
        if places:
            selection.setCurrentIndex(self.model.index(places[0], 0), flag.NoUpdate)

    def selected_ids(self) -> tuple[str, ...]:
        """Ids of what is selected, in the order of the list."""
        places = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        return tuple(
            self._listing.entries[place].id for place in places if place < len(self._listing.entries)
        )

    def _tell_selected(self, *_changes: object) -> None:
        self.selected.emit(self.selected_ids())

    def show_selected(self, results: Sequence[KeptResult], problem: Reason | None = None) -> None:
        """Show one measurement, or two beside each other; nothing for any other number.

        Args:
            results: What is selected.
            problem: Why one of them cannot be shown.
        """
        one = results[0] if len(results) == 1 else None
        for button in (self.describe, self.export, self.picture):
            button.setEnabled(one is not None)
        self.take.setEnabled(one is not None and not one.function)
        count = len(self.selected_ids())
        self.delete.setEnabled(count > 0)
        self.detail.show_results(results, problem, self._unit, count)

    def show_calibrations(self, calibrations: tuple[Calibration, ...]) -> None:
        """Say what was calibrated, with a way to forget each."""
        self._calibrations = calibrations
        while (item := self._lines.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for calibration in calibrations:
            self._lines.addWidget(self._calibration_line(calibration))
        self.calibrated.setVisible(bool(calibrations))

    def _calibration_line(self, calibration: Calibration) -> QWidget:
        line, text, button = QWidget(), ValueLabel(tone="muted", wrap=True), QPushButton(self.tr("Forget"))
        said = render_reason(calibration.reason(CONTEXT_BYTES), self._unit)
        text.setText(labelled(calibration.device, said))
        button.setAutoDefault(False)
        button.setAccessibleName(
            self.tr("Forget what was calibrated on {gpu}").format(gpu=calibration.device)
        )
        button.clicked.connect(lambda: self.forget_wanted.emit(calibration.uuid))
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(text, 1)
        row.addWidget(button)
        return line

    def _heads(self) -> Heads:
        cells = (
            self.tr("Date"),
            self.tr("Model"),
            self.tr("Optimizer"),
            self.tr("Precision"),
            self.tr("Device"),
            self.tr("Measured peak"),
            self.tr("Error of the estimate"),
            self.tr("Note"),
        )
        return Heads(cells, (self.tr("Peak, bytes"), self.tr("Id")), frozenset({_PEAK, _ERROR}))

    def _row(self, entry: Entry) -> TextRow:
        found, title = entry.summary, kept_title(entry.title, entry.summary.param_count)
        peak = self.tr("did not fit") if found.status == "out_of_memory" else "-"
        cells = (
            entry.date[:16].replace("T", " "),
            title,
            found.optimizer,
            precision_name(found.precision),
            listed(filter(None, (found.device, shared_among(found.ranks, found.shard)))),
            peak if found.peak_bytes is None else format_bytes(found.peak_bytes, self._unit),
            error_text(found.error),
            entry.note.replace("\n", " "),
        )
        exact = ("" if found.peak_bytes is None else str(found.peak_bytes), entry.id)
        torch = self.tr("torch {version}").format(version=found.torch or "?")
        return TextRow(cells, exact, "\n".join(part for part in (title, torch, entry.note) if part))

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.title.setText(self.tr("Measurements"))
        self.write_note(self.tr("select one to see it, two to compare them"))
        self.leave.setText(self.tr("Back to the estimate"))
        self.open.setText(self.tr("Open a file..."))
        self.take.setText(self.tr("Take this scenario"))
        self.take.setToolTip(self.tr("Puts what was measured into the fields; it can be undone"))
        self.describe.setText(self.tr("Name and note..."))
        self.export.setText(self.tr("Export as JSON..."))
        self.picture.setText(self.tr("Export a picture..."))
        self.delete.setText(self.tr("Delete..."))
        self.table.setAccessibleName(self.tr("Measurements that are kept"))
        self.empty.setText(self.tr("Nothing was measured yet. Every measurement that ends is kept here."))
        self.show_listing(self._listing, self._unit)
        self.show_calibrations(self._calibrations)
