"""What else lives on the GPU: an EMA copy, a reference model, frozen encoders, other processes."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QVBoxLayout, QWidget

from optmem_gui.core.observing import OtherProcess
from optmem_gui.core.reasons import Reason
from optmem_gui.core.units import SizeUnit, format_bytes
from optmem_gui.gui.cards import MutedLabel
from optmem_gui.gui.fields import Choice, ChoiceField, TextField, side_by_side
from optmem_gui.gui.i18n import clauses, listed, render_reason
from optmem_gui.gui.input_panel import InputPanel
from optmem_gui.gui.resident_edits import DTYPES, PREFIX, Template, program_name, taken, templates
from optmem_gui.gui.snapshot import Snapshot


class ResidentsPanel(InputPanel):
    """A row for each, and a menu that adds one; there is nothing to see until something is added.

    Emits:
        rebuilt: There are other rows now.
    """

    rebuilt = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel.residents")
        self._rows: list[QWidget] = []
        self.hint = MutedLabel(self)
        self.add_button = QPushButton(self)
        self.add_button.setObjectName("addResident")
        self.menu = QMenu(self.add_button)
        self.menu.setToolTipsVisible(True)
        self.menu.aboutToShow.connect(self._fill_menu)
        self.add_button.setMenu(self.menu)
        self.column_of_rows = QVBoxLayout()
        self.body.addWidget(self.hint)
        self.body.addLayout(self.column_of_rows)
        self.body.addWidget(self.add_button)
        self.there = MutedLabel(self)
        self.take_button = QPushButton(self)
        self.take_button.setObjectName("takeProcesses")
        self.take_button.clicked.connect(self._take)
        self.body.addWidget(self.there)
        self.body.addWidget(self.take_button, 0, Qt.AlignmentFlag.AlignLeft)
        self._offered: tuple[Template, ...] = ()
        self.retranslate()

    def retranslate(self) -> None:
        """Put the words of the current language in."""
        self.title.setText(self.tr("What else is on the GPU"))
        self.hint.setText(self.tr("Nothing: add an EMA copy, a reference model or a frozen encoder."))
        self.add_button.setText(self.tr("Add"))
        self.add_button.setAccessibleName(self.tr("Add something that lives on the GPU"))
        self.take_button.setText(self.tr("Add these processes"))
        self.take_button.setToolTip(self.tr("Each becomes a row with its name and its bytes"))
        self._label()

    def show_values(self, snapshot: Snapshot) -> None:
        """Show the rows."""
        residents = snapshot.inputs.scenario.residents
        if len(residents) != len(self._rows):
            self._build(len(residents))
        for row, resident in enumerate(residents):
            field = self.fields[f"{PREFIX}{row}.dtype"]
            assert isinstance(field, ChoiceField)  # noqa: S101  # _build() made it
            if resident.dtype not in DTYPES:  # a scenario file may hold another type
                field.add_choice(Choice(resident.dtype, resident.dtype))
            field.show_value(resident.dtype)
            takes = self.tr("takes {size}").format(size=format_bytes(resident.size_bytes, snapshot.unit))
            self.fields[f"{PREFIX}{row}.count"].set_note(takes)
        self.hint.setVisible(not residents)
        self._show_processes(snapshot)

    def _show_processes(self, snapshot: Snapshot) -> None:
        """Who uses the GPU at hand now, and an offer to take them in."""
        device = None if snapshot.devices is None else snapshot.devices.automatic()
        others = () if device is None else device.others
        self._offered, text = (), ""
        if isinstance(others, Reason):
            text = self.tr("Other processes: {why}").format(why=render_reason(others, snapshot.unit))
        elif device is not None and others:
            self._offered = tuple(
                each for each in taken(others) if each.resident not in snapshot.inputs.scenario.residents
            )
            listing = clauses(self._said(other, snapshot.unit) for other in others)
            text = self.tr("On {device} now: {processes}").format(device=device.name, processes=listing)
        self.there.setText(text)
        self.there.setVisible(bool(text))
        self.take_button.setVisible(bool(self._offered))

    def _said(self, process: OtherProcess, unit: SizeUnit) -> str:
        text = self.tr("{name} (process {pid}), {size}")
        size = "?" if process.used_bytes is None else format_bytes(process.used_bytes, unit)
        return text.format(name=program_name(process) or "?", pid=process.pid, size=size)

    def _take(self) -> None:
        self.edited.emit("residents_added", self._offered)

    def _build(self, count: int) -> None:
        while len(self._rows) > count:
            place = len(self._rows) - 1
            for part in ("name", "count", "dtype"):
                self.drop(self.fields[f"{PREFIX}{place}.{part}"])
            row = self._rows.pop()
            self.column_of_rows.removeWidget(row)
            row.hide()
            row.deleteLater()
        while len(self._rows) < count:
            row = self._made(len(self._rows))
            self._rows.append(row)
            self.column_of_rows.addWidget(row)
        self._label()
        self.rebuilt.emit()

    def _made(self, place: int) -> QWidget:
        name, count = TextField(f"{PREFIX}{place}.name", self), TextField(f"{PREFIX}{place}.count", self)
        dtype = ChoiceField(f"{PREFIX}{place}.dtype", self)
        dtype.set_choices(Choice(each, each) for each in DTYPES)
        for field in (name, count, dtype):
            self.add(field)
        remove = QPushButton("✕")
        remove.setObjectName(f"removeResident.{place}")
        remove.setFixedWidth(2 * self.fontMetrics().height())
        remove.clicked.connect(lambda: self.edited.emit("resident_removed", place))
        row = QWidget(self)
        head = QHBoxLayout()
        head.addWidget(name, 1)
        head.addWidget(remove, 0, Qt.AlignmentFlag.AlignBottom)
        column = QVBoxLayout(row)
        column.setContentsMargins(0, 0, 0, self.fontMetrics().height() // 3)
        column.addLayout(head)
        column.addWidget(side_by_side([count, dtype]))
        return row

    def _label(self) -> None:
        for place, row in enumerate(self._rows):
            self.fields[f"{PREFIX}{place}.name"].set_label(self.tr("Name"), self.tr("What to call it"))
            self.fields[f"{PREFIX}{place}.count"].set_label(
                self.tr("Elements"),
                self.tr(
                    "A number such as 7B, or a product. Of a KV cache: 2 x layers x KV heads x head "
                    "dimension x tokens held at once"
                ),
            )
            self.fields[f"{PREFIX}{place}.dtype"].set_label(self.tr("dtype"), self.tr("Type of its elements"))
            remove = row.findChild(QPushButton, f"removeResident.{place}")
            if remove is not None:
                remove.setToolTip(self.tr("Remove it"))
                remove.setAccessibleName(self.tr("Remove what stands in row {row}").format(row=place + 1))

    def _fill_menu(self) -> None:
        snapshot = self._shown
        if snapshot is None:
            return
        names = {
            "ema": self.tr("EMA copy"),
            "reference": self.tr("Reference model"),
            "teacher": self.tr("Teacher model"),
            "reward": self.tr("Reward model"),
            "vae": self.tr("VAE, frozen"),
            "text": self.tr("T5-XXL text encoder, frozen"),
            "kv_cache": self.tr("KV cache of a rollout engine"),
        }
        self.menu.clear()
        for template in templates(snapshot.scenario.model, names):
            size = format_bytes(template.resident.size_bytes, snapshot.unit)
            action = self.menu.addAction(listed((names[template.id], size)))
            action.setToolTip(listed((template.text, template.resident.dtype)))
            action.triggered.connect(
                lambda _checked=False, chosen=template: self.edited.emit("residents_added", (chosen,))
            )
