"""Which model: a number of parameters, a known one, or what a file holds."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from optmem_gui.architectures.presets import PRESETS, preset_ref
from optmem_gui.core.model import ModelRef, Source
from optmem_gui.core.units import format_bytes, format_count
from optmem_gui.gui.cards import IssueLabel, MutedLabel
from optmem_gui.gui.fields import Choice, ChoiceField, Segment, TextField
from optmem_gui.gui.i18n import render_reason
from optmem_gui.gui.input_panel import InputPanel
from optmem_gui.gui.plain import plain_tip
from optmem_gui.gui.snapshot import CheckpointSummary, LoadState, Snapshot
from optmem_gui.gui.theme import scaled_font

_PAGE_OF = {Source.SYNTHETIC: 0, Source.PRESET: 1, Source.FILE: 2, Source.CONFIG: 2}
_WARNINGS_SHOWN = 4


class FilePage(QWidget):
    """The file behind the model, what its headers told, and how far reading has come."""

    open_wanted = Signal()
    folder_wanted = Signal()
    cancel_wanted = Signal()
    inspect_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._known: tuple[ModelRef, str] | None = None
        self.caption = QLabel(self)
        self.caption.setFont(scaled_font(self.font(), 0.92))
        self.path = QLineEdit(self)
        self.path.setObjectName("input.file")
        self.path.setReadOnly(True)
        self.caption.setBuddy(self.path)
        self.open, self.folder, self.cancel = QPushButton(self), QPushButton(self), QPushButton(self)
        self.open.clicked.connect(self.open_wanted)
        self.folder.clicked.connect(self.folder_wanted)
        self.cancel.clicked.connect(self.cancel_wanted)
        self.inspect = QPushButton(self)
        self.inspect.clicked.connect(self.inspect_wanted)
        self.partial = IssueLabel(self)
        self.summary, self.warnings = MutedLabel(self), MutedLabel(self)
        self.progress = QProgressBar(self)
        self.progress.setTextVisible(False)
        buttons = QHBoxLayout()
        buttons.addWidget(self.open)
        buttons.addWidget(self.folder)
        working = QHBoxLayout()
        working.addWidget(self.progress, 1)
        working.addWidget(self.cancel)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.caption)
        column.addWidget(self.path)
        column.addLayout(buttons)
        column.addLayout(working)
        column.addWidget(self.partial)
        column.addWidget(self.summary)
        column.addWidget(self.warnings)
        column.addWidget(self.inspect)
        column.addStretch(1)

    def retranslate(self) -> None:
        """Put the words of the current language in."""
        self.caption.setText(self.tr("Checkpoint or config.&json"))
        self.path.setAccessibleName(self.tr("Checkpoint or config.json"))
        self.path.setPlaceholderText(self.tr("none: open one, or drop it here"))
        self.open.setText(self.tr("Open file..."))
        self.folder.setText(self.tr("Folder..."))
        self.cancel.setText(self.tr("Cancel"))
        self.inspect.setText(self.tr("Look inside"))
        self.inspect.setToolTip(self.tr("Its modules, the optimizer in it, and how it is understood (F4)"))
        self.progress.setAccessibleName(self.tr("Progress of reading the file"))

    def show_load(self, load: LoadState | None) -> None:
        """Show how far reading has come, or nothing."""
        self.progress.setVisible(load is not None)
        self.cancel.setVisible(load is not None)
        if load is not None:
            self.progress.setRange(0, load.total_count)
            self.progress.setValue(load.done_count)

    def show_file(self, model: ModelRef, checkpoint: CheckpointSummary | None, snapshot: Snapshot) -> None:
        """Show the file and what it holds; empty for a model that comes from no file."""
        path = model.path or ""
        self.path.setText(Path(path).name if path else "")
        self.path.setToolTip(plain_tip(path))
        lines = [self._counts(model)] if path else []
        if checkpoint is not None:
            lines.append(self._read(checkpoint, snapshot))
        self.summary.setText("\n".join(lines))
        self.inspect.setVisible(checkpoint is not None)
        partial = checkpoint is not None and not checkpoint.complete
        self.partial.show_issue(self.tr("Partial: the figures are of what is there") if partial else "")
        warnings = (
            [] if checkpoint is None else [render_reason(r, snapshot.unit) for r in checkpoint.warnings]
        )
        hidden = len(warnings) - _WARNINGS_SHOWN
        shown = [f"⚠ {text}" for text in warnings[:_WARNINGS_SHOWN]]
        if hidden > 0:
            shown.append(self.tr("... and {number} more (hover to read them)").format(number=hidden))
        self.warnings.setText("\n".join(shown))
        self.warnings.setToolTip(plain_tip("\n".join(warnings)))
        self.summary.setVisible(bool(lines))
        self.warnings.setVisible(bool(warnings))

    def _counts(self, model: ModelRef) -> str:
        dtypes = self._dtypes(model)
        return self.tr("{count} parameters in {tensors} tensors, {dtypes}").format(
            count=format_count(model.param_count), tensors=format_count(model.tensor_count), dtypes=dtypes
        )

    def _dtypes(self, model: ModelRef) -> str:
        """Types of the tensors; read once for a model, because it can have many groups."""
        if self._known is None or self._known[0] is not model:
            self._known = (model, ", ".join(dict.fromkeys(group.dtype.id for group in model.groups)))
        return self._known[1]

    def _read(self, checkpoint: CheckpointSummary, snapshot: Snapshot) -> str:
        text = self.tr("Nothing was loaded: {read} of {size} read.").format(
            read=format_bytes(checkpoint.bytes_read, snapshot.unit),
            size=format_bytes(checkpoint.file_bytes, snapshot.unit),
        )
        if checkpoint.optimizer is not None:
            text += " " + self.tr("Holds the state of {optimizer}, {size}.").format(
                optimizer=checkpoint.optimizer, size=format_bytes(checkpoint.optimizer_bytes, snapshot.unit)
            )
        return text


class ModelPanel(InputPanel):
    """Three ways to say which model; the one in use is the one that is shown. Below, what of it is trained.

    Emits:
        trained_wanted: Pattern of the parameters that are to be trained.
    """

    trained_wanted = Signal(str)
    open_wanted = Signal()
    folder_wanted = Signal()
    cancel_wanted = Signal()
    inspect_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel.model")
        self._model: ModelRef | None = None
        self.params = TextField("params", self)
        self.preset = ChoiceField("model", searchable=True)
        self.preset.edited.connect(self._choose_preset)
        self.file = FilePage(self)
        self.file.open_wanted.connect(self.open_wanted)
        self.file.folder_wanted.connect(self.folder_wanted)
        self.file.cancel_wanted.connect(self.cancel_wanted)
        self.file.inspect_wanted.connect(self.inspect_wanted)
        self.add(self.params)
        self.trained = TextField("trained", self)
        self.trained.edited.connect(lambda _name, pattern: self.trained_wanted.emit(pattern))
        self.pages = QStackedWidget(self)
        self.ways = QButtonGroup(self)
        line = QHBoxLayout()
        line.setSpacing(0)
        self._pages: tuple[QWidget, ...] = (self.params, self.preset, self.file)
        for place, page in enumerate(self._pages):
            button = Segment(self)
            self.ways.addButton(button, place)
            line.addWidget(button)
            self.pages.addWidget(page)
        self.ways.idClicked.connect(self._show_page)
        self.body.addLayout(line)
        self.body.addWidget(self.pages)
        self.body.addWidget(self.trained)
        self.preset.column.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.params.column.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._show_page(0)
        self.retranslate()

    def retranslate(self) -> None:
        """Put the words of the current language in."""
        self.title.setText(self.tr("Model"))
        for place, word in enumerate((self.tr("Parameters"), self.tr("Preset"), self.tr("File"))):
            self.ways.button(place).setText(word)
        self.params.set_label(self.tr("&Parameters"), self.tr("How many: 7B, 125M, 6.74e9 or 7,000,000,000"))
        self.preset.set_label(self.tr("&Preset"), self.tr("A published model; type to search"))
        self.preset.set_choices(
            Choice(preset.id, preset.title, preset.family, keywords=f"{preset.id} {preset.family}")
            for preset in PRESETS.values()
        )
        self.file.retranslate()
        self.trained.set_label(
            self.tr("&Which parameters are trained"),
            self.tr("A regular expression that is searched for in each name, such as lm_head|norm, or all"),
        )
        self.trained.edit.setPlaceholderText(self.tr("as the model comes"))

    def show_values(self, snapshot: Snapshot) -> None:
        """Show the model; the page changes when the model does, not when something else is edited."""
        model = snapshot.inputs.scenario.model
        if model is not self._model:
            self._model = model
            self._show_page(_PAGE_OF[model.source])
        self.params.set_note(self._echo(model) if "params" not in snapshot.issues else "")
        chosen = next((p.id for p in PRESETS.values() if p.title == model.title), None)
        self.preset.show_value(chosen if model.source is Source.PRESET else None)
        self.preset.set_note(self._echo(model) if model.source is Source.PRESET else "")
        from_file = model if model.source in (Source.FILE, Source.CONFIG) else None
        self.file.show_file(from_file or ModelRef("", Source.FILE, ()), snapshot.inputs.checkpoint, snapshot)
        self.show_load(snapshot)
        self._show_trained(model, snapshot)

    def _show_trained(self, model: ModelRef, snapshot: Snapshot) -> None:
        """The choice that stands in the field, and how much it trains once the figures follow it."""
        freezing = snapshot.freezing
        self.trained.show_text(model.trained if freezing is None else freezing.pattern)
        reason = None if freezing is None else freezing.reason
        self.trained.show_issue("" if reason is None else render_reason(reason, snapshot.unit))
        trained = sum(group.param_count for group in model.groups if group.trainable)
        note = ""
        if freezing is None and trained != model.param_count:
            note = self.tr("{trained} of {count} parameters are trained, the others frozen").format(
                trained=format_count(trained), count=format_count(model.param_count)
            )
        elif freezing is not None and reason is None:
            note = self.tr("Looking for the names that match")
        self.trained.set_note(note)

    def show_load(self, snapshot: Snapshot) -> None:
        """Show how far the reading of a file has come."""
        self.file.show_load(snapshot.load)
        if snapshot.load is not None:
            self._show_page(2)

    def _echo(self, model: ModelRef) -> str:
        shape = model.architecture
        exact = self.tr("{count} parameters").format(count=format_count(model.param_count))
        if model.idle_count:
            active = format_count(model.param_count - model.idle_count)
            exact = self.tr("{exact}, {active} of them active for a token").format(exact=exact, active=active)
        if shape is None and model.tensor_count == 1:
            return self.tr("{exact}, a single tensor").format(exact=exact)
        if shape is None:
            return self.tr("{exact} in {tensors} tensors").format(
                exact=exact, tensors=format_count(model.tensor_count)
            )
        return self.tr("{exact}: {layers} layers, width {hidden}, vocabulary {vocab}").format(
            exact=exact,
            layers=format_count(shape.layers),
            hidden=format_count(shape.hidden),
            vocab=format_count(shape.vocab),
        )

    def _choose_preset(self, _name: str, preset_id: object) -> None:
        self.edited.emit("model", (preset_ref(str(preset_id)), None))

    def ask_preset(self) -> None:
        """Show the list of known models, ready to be searched."""
        self._show_page(1)
        self.preset.combo.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.preset.combo.showPopup()

    def _show_page(self, place: int) -> None:
        self.pages.setCurrentIndex(place)
        self.ways.button(place).setChecked(True)
        # A stack is as tall as its tallest page; only the page that is shown shall count.
        for index, page in enumerate(self._pages):
            policy = page.sizePolicy()
            shown = index == place
            policy.setVerticalPolicy(policy.Policy.Preferred if shown else policy.Policy.Ignored)
            page.setSizePolicy(policy)
        self.pages.updateGeometry()
