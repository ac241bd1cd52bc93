"""The self-check: how far the numbers are from real steps on a device of this computer, run by run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

from optmem_gui.core.errors import UserError
from optmem_gui.core.selfcheck import Workload, workloads
from optmem_gui.core.units import format_count
from optmem_gui.engine.devices import CPU, Devices
from optmem_gui.engine.selfcheck import Checked, SelfCheck
from optmem_gui.gui.cards import IssueLabel
from optmem_gui.gui.i18n import render_reason
from optmem_gui.gui.tasks.selfcheck import SelfCheckThread
from optmem_gui.gui.widgets.copy_table import CopyTable
from optmem_gui.gui.widgets.labels import ValueLabel
from optmem_gui.gui.widgets.text_table import Heads, TextRow, TextTableModel
from optmem_gui.report.files import write_whole
from optmem_gui.report.json_document import to_text
from optmem_gui.report.selfcheck_document import row_cells, row_document, selfcheck_document, selfcheck_page

MakeCheck = Callable[[str], SelfCheck]
"""Makes a check of a device."""


_SHOWN = (0, 2, 3, 7, 8, 6, 4, 5)
"""Columns of the page in the order of this table: what matters stands before the bytes behind it."""


class SelfCheckDialog(QDialog):
    """Runs the check and fills a table; what was finished stays when it is stopped.

    Args:
        make: Makes the check.
        parent: The window.
    """

    def __init__(self, make: MakeCheck, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("selfcheck")
        self._make = make
        self._thread: SelfCheckThread | None = None
        self._finished: list[Checked] = []
        self._count = 0
        self.device, self.quick = QComboBox(self), QCheckBox(self)
        self.device_caption, self.what = QLabel(self), QLabel(self)
        self.what.setWordWrap(True)
        self.device_caption.setBuddy(self.device)
        self.quick.setChecked(True)
        self.issue, self.progress = IssueLabel(self), QProgressBar(self)
        self.progress.setTextVisible(False)
        self.status = ValueLabel(wrap=True)
        self.rows, self.table = TextTableModel(self), CopyTable(self)
        self.table.setModel(self.rows)
        self._build()
        self.retranslate()
        self.offer(None)
        self._show_state()

    def offer(self, devices: Devices | None) -> None:
        """Let the user choose among these; None where they are not known yet."""
        if self.is_running:
            return
        chosen = self.device.currentData()
        self.device.clear()
        for gpu in devices.gpus if devices is not None else ():
            self.device.addItem(gpu.name, gpu.id)
        self.device.addItem("CPU", CPU)
        self.device.setCurrentIndex(max(0, self.device.findData(chosen)))

    def _build(self) -> None:
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        role = QDialogButtonBox.ButtonRole.ActionRole
        self.start, self.stop, self.save_json, self.save_page = (
            self.buttons.addButton("", role) for _ in range(4)
        )
        self.start.setDefault(True)
        self.start.clicked.connect(self.begin)
        self.stop.clicked.connect(self.give_up)
        self.save_json.clicked.connect(lambda: self._ask_file("json"))
        self.save_page.clicked.connect(lambda: self._ask_file("md"))
        self.buttons.rejected.connect(self.reject)
        line = QHBoxLayout()
        line.addWidget(self.device_caption)
        line.addWidget(self.device)
        line.addSpacing(self.fontMetrics().height())
        line.addWidget(self.quick)
        line.addStretch(1)
        column = QVBoxLayout(self)
        column.addWidget(self.what)
        column.addLayout(line)
        for widget in (self.issue, self.progress, self.status):
            column.addWidget(widget)
        column.addWidget(self.table, 1)
        column.addWidget(self.buttons)
        em = self.fontMetrics().height()
        self.resize(56 * em, 32 * em)

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.setWindowTitle(self.tr("Self-check"))
        self.what.setText(
            self.tr(
                "Small models are trained for a few steps in a process of their own, and every number is put "
                "beside what torch really took. Nothing leaves this computer."
            )
        )
        self.device_caption.setText(self.tr("&Device"))
        self.device.setAccessibleName(self.tr("Device"))
        self.quick.setText(self.tr("&Short: one run of each kind"))
        self.progress.setAccessibleName(self.tr("Progress of the self-check"))
        self.table.setAccessibleName(self.tr("Peaks estimated, simulated and measured"))
        self.start.setText(self.tr("Chec&k"))
        self.stop.setText(self.tr("S&top"))
        self.save_json.setText(self.tr("Save as &JSON..."))
        self.save_page.setText(self.tr("Save as &Markdown..."))

    # -- running

    @property
    def is_running(self) -> bool:
        """Whether a check is under way."""
        return self._thread is not None

    def begin(self) -> None:
        """Start anew."""
        if self._thread is not None:
            return
        chosen = [each for each in workloads() if each.quick or not self.quick.isChecked()]
        self._finished, self._count = [], len(chosen)
        self.issue.show_issue("")
        thread = SelfCheckThread(self._make(self.device.currentData()), chosen, self)
        thread.began.connect(self._began)
        thread.row.connect(self._take)
        thread.finished.connect(self._ended)
        self._thread = thread
        self.status.setText(self.tr("Starting"))
        self._show_state()
        thread.start()

    def give_up(self) -> None:
        """Stop; finished runs stay in the table."""
        if self._thread is not None:
            self.status.setText(self.tr("Stopping"))
            self._thread.stop()

    def shut_down(self) -> None:
        """Stop and wait until no process is left."""
        thread = self._thread
        if thread is not None:
            thread.stop()
            thread.wait()

    def _began(self, workload: Workload) -> None:
        self.status.setText(
            self.tr("{done} of {count} runs; now: {name}").format(
                done=len(self._finished), count=self._count, name=workload.id
            )
        )

    def _take(self, checked: Checked) -> None:
        self._finished.append(checked)
        self._show_state()
        self.table.scrollToBottom()

    def _ended(self) -> None:
        thread, self._thread = self._thread, None
        if thread is None:
            return
        thread.deleteLater()
        self.issue.show_issue("" if thread.refused is None else render_reason(thread.refused))
        self.status.setText(self._summary())
        self._show_state()
        if thread.defect is not None:
            raise thread.defect

    # -- showing

    def _show_state(self) -> None:
        running, there = self.is_running, bool(self._finished)
        self.progress.setVisible(running)
        self.progress.setRange(0, self._count)
        self.progress.setValue(len(self._finished))
        self.device.setEnabled(not running)
        self.quick.setEnabled(not running)
        self.start.setEnabled(not running)
        self.stop.setEnabled(running)
        for button in (self.save_json, self.save_page):
            button.setEnabled(there and not running)
        self.rows.show_rows(self._heads(), tuple(map(self._row, self._finished)))
        self.table.fit_columns(len(self._heads().cells))

    def _heads(self) -> Heads:
        cells = (
            self.tr("run"),
            self.tr("precision"),
            self.tr("state off by"),
            self.tr("estimate off by"),
            self.tr("simulation off by"),
            self.tr("measured"),
            self.tr("estimated"),
            self.tr("simulated"),
        )
        return Heads(cells, numeric=frozenset(range(2, 8)))

    def _row(self, checked: Checked) -> TextRow:
        document = row_document(checked)
        cells = [row_cells(document)[column] for column in _SHOWN]
        if not document["failed"]:
            return TextRow(tuple(cells))
        cells[2] = self.tr("failed")
        reasons = (checked.simulation.reason, checked.measurement.reason)
        tip = "\n".join(render_reason(reason) for reason in reasons if reason is not None)
        return TextRow(tuple(cells), tip=tip)

    def _summary(self) -> str:
        """What the finished runs come to, in a sentence."""
        if not self._finished:
            return ""
        found = selfcheck_document(self._finished)["summary"]
        if found["estimated_worst"] is None:
            return self.tr("All {count} runs failed.").format(count=found["runs"])
        return self.tr(
            "{runs} runs, {failed} failed. Optimizer state at most {state} bytes apart; estimated peak at "
            "most {estimated} off, simulated at most {simulated}."
        ).format(
            runs=found["runs"],
            failed=found["failed"],
            state=format_count(found["state_apart"]),
            estimated=f"{found['estimated_worst']:.3%}",
            simulated=f"{found['simulated_worst']:.3%}",
        )

    # -- saving

    def _ask_file(self, suffix: str) -> None:
        name, _ = QFileDialog.getSaveFileName(self, self.tr("Save the self-check"), f"selfcheck.{suffix}")
        if name:
            self.save(Path(name), suffix)

    def save(self, path: Path, suffix: str) -> None:
        """Write the finished runs.

        Args:
            path: Where to.
            suffix: ``json``, or ``md`` for a page with the table.
        """
        document = selfcheck_document(self._finished)
        text = to_text(document) if suffix == "json" else selfcheck_page(document)
        try:
            write_whole(path, text)
        except UserError as error:
            self.issue.show_issue(render_reason(error.reason))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
            self._show_state()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802  # Qt's name
        """Closing stops."""
        self.give_up()
        super().closeEvent(event)

    def reject(self) -> None:
        """So does the button, and Esc."""
        self.give_up()
        super().reject()
