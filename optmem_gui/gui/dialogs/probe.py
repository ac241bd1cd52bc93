"""Add an optimizer of one's own: name its class, let it be probed, read what was found."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from optmem_gui.core.errors import UserError
from optmem_gui.core.optimizers.probe import Inference, probe_options, probe_request
from optmem_gui.core.optimizers.probed_rules import LIKE, Case, Condition, ProbedState
from optmem_gui.core.probing import ProbeRequest
from optmem_gui.core.protocol import Progress
from optmem_gui.engine.probe import Probe, ProbeOutcome
from optmem_gui.gui.cards import IssueLabel
from optmem_gui.gui.i18n import listed, render_reason, without_mnemonic
from optmem_gui.gui.pythons import shown_python
from optmem_gui.gui.tasks.probe import ProbeThread

MakeProbe = Callable[[str | None], Probe]


class ProbeDialog(QDialog):
    """Asks for a class, probes it after a yes, shows the rules, and offers to add it.

    Emits:
        added: The :class:`UserOptimizer` that the user wants in the catalogue.
    """

    added = Signal(object)

    def __init__(self, python: str, parent: QWidget | None = None, make: MakeProbe = Probe) -> None:
        super().__init__(parent)
        self.setObjectName("probe")
        self.setWindowTitle(self.tr("Add an optimizer of your own"))
        self._python, self._make = python, make
        self._thread: ProbeThread | None = None
        self._found: Inference | None = None
        self.path, self.options, self.folder = QLineEdit(self), QLineEdit(self), QLineEdit(self)
        self.path.setPlaceholderText("package.module:Class")
        self.options.setPlaceholderText("lr=0.001 rank=8")
        self.folder.setPlaceholderText(self.tr("where Python finds it anyway"))
        self.issue = IssueLabel(self)
        self.progress = QProgressBar(self)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("Progress of the probe"))
        self.report = QPlainTextEdit(self)
        self.report.setReadOnly(True)
        self.report.setAccessibleName(self.tr("What was found"))
        self.report.setPlaceholderText(
            self.tr(
                "What the class keeps for parameters of many shapes, and the rules behind it, appear here."
            )
        )
        self._build()
        self._show_busy(busy=False)

    def _build(self) -> None:
        form = QFormLayout()
        browse = QPushButton(self.tr("Choose..."), self)
        browse.setAutoDefault(False)
        browse.clicked.connect(self._choose_folder)
        folder = QHBoxLayout()
        folder.addWidget(self.folder, 1)
        folder.addWidget(browse)
        self._row(form, self.tr("&Class"), self.path, self.path)
        self._row(form, self.tr("&Options"), self.options, self.options)
        self._row(form, self.tr("&Folder of its module"), self.folder, folder)
        what = QLabel(
            self.tr(
                "The class is imported and stepped on small tensors in a process of its own, under {python}. "
                "Nothing leaves this computer."
            ).format(python=shown_python(self._python)),
            self,
        )
        what.setWordWrap(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        role = QDialogButtonBox.ButtonRole.ActionRole
        self.start = buttons.addButton(self.tr("&Probe"), role)
        self.stop = buttons.addButton(self.tr("&Stop"), role)
        self.add = buttons.addButton(self.tr("&Add to the list"), role)
        self.start.setDefault(True)
        self.start.clicked.connect(self._begin)
        self.stop.clicked.connect(self._stop)
        self.add.clicked.connect(self._add)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(what)
        column.addLayout(form)
        for widget in (self.issue, self.progress, self.report, buttons):
            column.addWidget(widget)
        em = self.fontMetrics().height()
        self.resize(42 * em, 30 * em)

    @staticmethod
    def _row(form: QFormLayout, text: str, field: QLineEdit, place: QWidget | QHBoxLayout) -> None:
        caption = QLabel(text)
        caption.setBuddy(field)
        field.setAccessibleName(without_mnemonic(text))
        if isinstance(place, QWidget):
            form.addRow(caption, place)
        else:
            form.addRow(caption, place)

    def _choose_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, self.tr("Folder of the module"), self.folder.text())
        if name:
            self.folder.setText(name)

    # -- the probe

    def _begin(self) -> None:
        try:
            request = probe_request(
                self.path.text(), probe_options(self.options.text()), self.folder.text().strip()
            )
        except UserError as error:
            self.issue.show_issue(render_reason(error.reason))
            return
        self.issue.show_issue("")
        if self._may_run(request):
            self._run(request)

    def _may_run(self, request: ProbeRequest) -> bool:
        """A class is code: nothing runs before a yes that shows what."""
        where = request.folder or self.tr("the folders of Python")
        text = self.tr(
            "Run {path}, found in {folder}, under {python}? It can do whatever its code says."
        ).format(path=request.path, folder=where, python=shown_python(self._python))
        buttons = QMessageBox.StandardButton
        answer = QMessageBox.question(
            self, self.tr("Run this class"), text, buttons.Yes | buttons.No, buttons.No
        )
        return answer == buttons.Yes

    def _run(self, request: ProbeRequest) -> None:
        self._found = None
        self.report.clear()
        thread = ProbeThread(request, self._make(self._python or None), self)
        thread.progressed.connect(self._progress)
        thread.finished.connect(self._finished)
        self._thread = thread
        self._show_busy(busy=True)
        thread.start()

    def _progress(self, progress: Progress) -> None:
        self.progress.setRange(0, progress.steps)
        self.progress.setValue(progress.step)

    def _finished(self) -> None:
        thread, self._thread = self._thread, None
        self._show_busy(busy=False)
        if thread is None:
            return
        outcome = thread.outcome
        thread.deleteLater()
        if isinstance(outcome, Exception):
            raise outcome
        if outcome is not None:
            self.show_outcome(outcome)

    def _stop(self) -> None:
        if self._thread is not None:
            self._thread.stop()

    def _show_busy(self, *, busy: bool) -> None:
        self.progress.setRange(0, 0 if busy else 1)
        self.progress.setVisible(busy)
        self.start.setEnabled(not busy)
        self.stop.setEnabled(busy)
        self.add.setEnabled(not busy and self._found is not None and self._found.entry is not None)

    def done(self, result: int) -> None:
        """End what runs and wait for it, however the dialog is left."""
        if self._thread is not None:
            self._thread.stop()
            self._thread.wait()
        super().done(result)

    # -- what was found

    def show_outcome(self, outcome: ProbeOutcome) -> None:
        """Write down the rules, or what could not be explained."""
        if outcome.inference is None:
            self.issue.show_issue(render_reason(outcome.reason) if outcome.reason else "")
            self.report.setPlainText(outcome.detail)
            return
        found = self._found = outcome.inference
        lines = [self._rule(state) for state in found.states]
        if not lines and found.entry is not None:
            lines = [self.tr("It keeps nothing from step to step.")]
        version = outcome.report.version if outcome.report else ""
        lines.insert(0, f"{outcome.request.path} ({version})")
        if found.entry is not None and found.entry.trains:
            conditions = listed(self._condition(each) for each in found.entry.trains)
            lines.append(self.tr("It takes only parameters with {conditions}.").format(conditions=conditions))
        lines += [f"⚠ {render_reason(problem)}" for problem in found.problems]
        self.report.setPlainText("\n".join(lines))
        if found.entry is None:
            self.issue.show_issue(
                self.tr("Not everything could be explained, so it cannot be added; see below")
            )
        self._show_busy(busy=False)

    def _add(self) -> None:
        if self._found is not None and self._found.entry is not None:
            self.added.emit(self._found.entry)
            self.accept()

    def _rule(self, state: ProbedState) -> str:
        *cases, last = (self._case(case) for case in state.cases)
        if cases:
            last = self.tr("otherwise {size}").format(size=last)
        size = self.tr("; ").join([*cases, last])
        if state.host:
            size = listed([size, self.tr("in host memory")])
        return self.tr("{state}: {size}").format(state=state.name, size=size)

    def _case(self, case: Case) -> str:
        size = case.size
        words = {
            "none": self.tr("nothing"),
            "scalar": self.tr("one number"),
            "constant": self.tr("{value} elements"),
            "full": self.tr("as many elements as the parameter"),
            "packed": self.tr("half as many elements as the parameter"),
            "blocks": self.tr("one number for {value} elements"),
            "axis": self.tr("as many as axis {value} is long"),
            "rest": self.tr("the parameter without axis {value}"),
            "square": self.tr("the square of axis {value}"),
            "triangle": self.tr("the triangle of axis {value}"),
            "low_rank": self.tr("rank {value} times one side"),
        }
        said = words[size.kind].format(value=size.value)
        if size.kind != "none":
            said = listed([said, self.tr("type of the parameter") if case.dtype == LIKE else case.dtype])
        if not case.when:
            return said
        conditions = listed(self._condition(each) for each in case.when)
        return self.tr("with {conditions}: {size}").format(conditions=conditions, size=said)

    def _condition(self, condition: Condition) -> str:
        words = {
            "ndim": self.tr("{value} or more axes"),
            "exactly_ndim": self.tr("{value} axes"),
            "numel": self.tr("{value} or more elements"),
            "smaller_side": self.tr("both sides {value} or more"),
            "larger_side": self.tr("a side of {value} or more"),
            "multiple_of": self.tr("a multiple of {value} elements"),
        }
        return words[condition.what].format(value=condition.value)
