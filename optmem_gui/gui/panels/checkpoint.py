"""What a checkpoint holds: figures, modules, the optimizer in it, how it is understood, remarks."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QProgressBar, QPushButton, QWidget

from optmem_gui.checkpoints.checkpoint import Checkpoint
from optmem_gui.checkpoints.choices import Choices
from optmem_gui.core.module_tree import ROOT
from optmem_gui.core.units import SizeUnit, format_bytes, format_count, format_short_count
from optmem_gui.gui.cards import Surface
from optmem_gui.gui.i18n import labelled, listed, render_reason
from optmem_gui.gui.inspecting import InspectState
from optmem_gui.gui.panels.checkpoint_choices import ChoicesView
from optmem_gui.gui.panels.checkpoint_modules import ModulesView
from optmem_gui.gui.panels.checkpoint_optimizer import AdapterView, OptimizerView
from optmem_gui.gui.plain import plain_tip
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.tasks.inspect import Inspected
from optmem_gui.gui.widgets.labels import NumberTile, ValueLabel
from optmem_gui.gui.widgets.pages import Pages
from optmem_gui.gui.widgets.painting import em
from optmem_gui.gui.widgets.titled import TitledPanel

_TIES_TOLD = 200


class CheckpointPage(TitledPanel):
    """Everything about one checkpoint, in place of the results.

    Emits:
        leave_wanted: The user is done with it.
        stop_wanted: What is under way is to be given up.
        read_wanted: The files are to be read again.
    """

    leave_wanted = Signal()
    stop_wanted = Signal()
    read_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("checkpoint")
        self._state = InspectState()
        self._snapshot: Snapshot | None = None
        self.again, self.leave, self.stop = QPushButton(), QPushButton(), QPushButton()
        self.again.clicked.connect(self.read_wanted)
        self.leave.clicked.connect(self.leave_wanted)
        self.stop.clicked.connect(self.stop_wanted)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setRange(0, 0)
        self.working = ValueLabel(tone="caution", wrap=True)
        self.partial = ValueLabel(tone="caution", bold=True, wrap=True)
        self.reason = ValueLabel(tone="bad", wrap=True)
        self.tiles = {name: NumberTile() for name in ("parameters", "trained", "stored", "read")}
        self.beside = ValueLabel(tone="muted", factor=0.92, wrap=True)
        self.adapter = AdapterView()
        self.modules, self.optimizer, self.choices = ModulesView(), OptimizerView(), ChoicesView()
        self.notes = QPlainTextEdit()
        self.notes.setReadOnly(True)
        self.notes.setTabChangesFocus(True)
        self.pages = Pages((self.modules, self.optimizer, self.choices, self.notes))
        self._lay_out()
        self.retranslate()

    def _lay_out(self) -> None:
        for button in (self.again, self.leave):
            self.head.addWidget(button)
        self.figures, self.parts = Surface(), Surface()
        numbers, working = QHBoxLayout(), QHBoxLayout()
        for tile in self.tiles.values():
            numbers.addWidget(tile, 1)
        working.addWidget(self.working, 1)
        working.addWidget(self.progress)
        working.addWidget(self.stop)
        self.progress.setMaximumWidth(round(8 * em(self)))
        self.figures.body.addWidget(self.partial)
        self.figures.body.addLayout(numbers)
        self.figures.body.addWidget(self.beside)
        self.figures.body.addWidget(self.adapter)
        self.parts.body.addWidget(self.pages, 1)
        self.body.addLayout(working)
        self.body.addWidget(self.reason)
        self.body.addWidget(self.figures)
        self.body.addWidget(self.parts, 1)
        self.body.addStretch(0)

    def show_state(self, state: InspectState, snapshot: Snapshot) -> None:
        """Show a checkpoint as far as it is known."""
        self._state, self._snapshot = state, snapshot
        shown, unit = state.shown, snapshot.unit
        for widget in (self.working, self.progress, self.stop):
            widget.setVisible(state.busy)
        self.working.setText(
            self.tr("Reading") if shown is None else self.tr("Working; the figures are of the choice before")
        )
        issue = "" if state.reason is None else render_reason(state.reason, unit)
        at_field = shown is not None and state.refused is not None and self._is_pattern(state, shown)
        self.reason.setText("" if at_field else issue)
        self.reason.setVisible(bool(issue) and not at_field)
        self.figures.setVisible(shown is not None)
        self.parts.setVisible(shown is not None)
        if shown is None:
            self.write_note("")
            return
        self._show_figures(shown, unit)
        self.adapter.show_adapter(shown)
        self.modules.show_tree(shown.tree, unit)
        self.optimizer.show_found(shown, snapshot.scenario, unit)
        asked = state.asked or (state.refused if at_field else None) or shown.question
        self.choices.show_choices(
            shown, asked.choices or Choices(), shown.question.trained, issue if at_field else ""
        )
        self._show_notes(shown, unit)

    @staticmethod
    def _is_pattern(state: InspectState, shown: Inspected) -> bool:
        """Whether it is the pattern that was refused."""
        asked = None if state.refused is None else state.refused.choices
        before = shown.question.choices
        return asked is not None and asked.frozen != ("" if before is None else before.frozen)

    def _show_figures(self, shown: Inspected, unit: SizeUnit) -> None:
        found, tree = shown.chosen, shown.tree
        note = labelled(found.path.name, found.format)
        if found.file_count > 1:
            note = self.tr("{what}, {files} files").format(what=note, files=format_count(found.file_count))
        self.write_note(note)
        self.note.setToolTip(plain_tip(str(found.path)))
        trained = sum(group.param_count for group in shown.model.groups if group.trainable)
        share = f"{100 * trained / found.param_count:.1f} %" if found.param_count else "0 %"
        tiles = {
            "parameters": (self.tr("Parameters"), found.param_count, format_count(found.param_count)),
            "trained": (self.tr("Trained"), trained, share),
        }
        for name, (caption, count, note) in tiles.items():
            self.tiles[name].show_number(caption, format_short_count(count), note, format_count(count))
        stored = tree.stored_bytes[ROOT]
        self.tiles["stored"].show_number(
            self.tr("In the file"),
            format_bytes(stored, unit),
            self.tr("{count} tensors").format(count=format_count(found.tensor_count)),
            self.tr("{count} bytes").format(count=format_count(stored)),
        )
        self.tiles["read"].show_number(
            self.tr("Read"),
            format_bytes(found.bytes_read, unit),
            self.tr("of {size}").format(size=format_bytes(found.file_bytes, unit)),
            self.tr("Only headers and indexes are read, nothing is executed"),
        )
        self.beside.setText(self._beside(found, unit))
        self.partial.setVisible(not found.complete)

    def _beside(self, found: Checkpoint, unit: SizeUnit) -> str:
        """What is in the file beside parameters, and as what they are stored."""
        said = [
            self.tr("Stored as {types}.").format(
                types=listed(f"{name} ({format_short_count(count)})" for name, count in found.dtypes.items())
            )
        ]
        packed = [kind for kind in found.inventory.kinds if kind.packed]
        if packed:
            weights = sum(kind.param_count for kind in packed)
            taken = sum(kind.count * kind.stored_dtype.bytes_for(kind.stored_count) for kind in packed)
            said.append(
                self.tr("{count} parameters are packed into {size}; in 16 bits they are {whole}.").format(
                    count=format_count(weights),
                    size=format_bytes(taken, unit),
                    whole=format_bytes(2 * weights, unit),
                )
            )
        if found.buffer_count:
            said.append(
                self.tr("Buffers: {count} elements, {size}.").format(
                    count=format_count(found.buffer_count), size=format_bytes(found.buffer_bytes, unit)
                )
            )
        if found.auxiliary_count:
            said.append(
                self.tr("Bookkeeping: {count} elements, {size}.").format(
                    count=format_count(found.auxiliary_count), size=format_bytes(found.auxiliary_bytes, unit)
                )
            )
        if found.tied:
            said.append(self.tr("Tied, counted once: {count}.").format(count=format_count(len(found.tied))))
        return " ".join(said)

    def _show_notes(self, shown: Inspected, unit: SizeUnit) -> None:
        """What was ignored and why, and everything else that the reader remarked."""
        found = shown.chosen
        said = [render_reason(reason, unit) for reason in found.warnings]
        if found.tied:
            said.append(self.tr("Tied, counted once:"))
            said += [f"  {other} = {owner}" for other, owner in found.tied[:_TIES_TOLD]]
            more = len(found.tied) - _TIES_TOLD
            if more > 0:
                said.append(self.tr("  and {number} more").format(number=format_count(more)))
        text = "\n".join(said) or self.tr("Nothing was ignored, nothing is remarkable.")
        if self.notes.toPlainText() != text:
            self.notes.setPlainText(text)
        self._name_pages(len(found.warnings))

    def _name_pages(self, remarks: int) -> None:
        notes = self.tr("Remarks ({count})").format(count=remarks) if remarks else self.tr("Remarks")
        self.pages.name((self.tr("Modules"), self.tr("Optimizer state"), self.tr("Choices"), notes))

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.title.setText(self.tr("Checkpoint"))
        self.again.setText(self.tr("Read again"))
        self.leave.setText(self.tr("Back to the estimate"))
        self.stop.setText(self.tr("Stop"))
        self.progress.setAccessibleName(self.tr("Progress with the checkpoint"))
        self.partial.setText(self.tr("Partial: not everything that belongs to it is there, see the remarks."))
        self.notes.setAccessibleName(self.tr("What was ignored, and other remarks"))
        self._name_pages(0)
        if self._snapshot is not None:
            self.show_state(self._state, self._snapshot)
