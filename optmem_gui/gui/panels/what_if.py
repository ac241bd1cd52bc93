"""Other allocator settings, tried on the requests of a recording: what to set, and what comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from optmem_gui.allocator.config import VARIABLE, parse_settings
from optmem_gui.allocator.what_if import WhatIf
from optmem_gui.core.errors import UserError
from optmem_gui.core.reasons import Reason
from optmem_gui.core.units import GIB, SizeUnit, format_bytes, format_count
from optmem_gui.gui.fields import FlagField, TextField, side_by_side
from optmem_gui.gui.i18n import render_reason
from optmem_gui.gui.replaying import ReplayState
from optmem_gui.gui.tasks.replay import Trial
from optmem_gui.gui.widgets.copy_table import CopyTable
from optmem_gui.gui.widgets.labels import ValueLabel
from optmem_gui.gui.widgets.painting import em
from optmem_gui.gui.widgets.text_table import Heads, TextRow, TextTableModel

_MOST_GIB = 1 << 20
_WITH_FRACTION = "per_process_memory_fraction:1.0"
"""Without a fraction PyTorch never collects; with all of the device allowed it collects near its end."""


class WhatIfPanel(QWidget):
    """Fields for the settings that change what is reserved, the line they make, and a row a trial.

    Emits:
        wanted: The :class:`Trial` that the user asks for.
    """

    wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = ReplayState()
        self._unit: SizeUnit = "GiB"
        self.expandable = FlagField("what_if.expandable", self)
        self.split = TextField("what_if.max_split", self)
        self.threshold = TextField("what_if.threshold", self)
        self.roundup = TextField("what_if.roundup", self)
        self.memory = TextField("what_if.memory", self)
        self.texts = {
            "max_split_size_mb": self.split,
            "garbage_collection_threshold": self.threshold,
            "roundup_power2_divisions": self.roundup,
        }
        self.line = ValueLabel(tone="muted", wrap=True)
        self.button = QPushButton()
        self.button.clicked.connect(self._try)
        self.model = TextTableModel(self)
        self.table = CopyTable()
        self.table.setModel(self.model)
        for field in (*self.texts.values(), self.memory):
            field.edited.connect(self._follow)
            field.edit.returnPressed.connect(self._try)
        self.expandable.edited.connect(self._choose_expandable)
        self._lay_out()
        self.retranslate()

    def _lay_out(self) -> None:
        line = QHBoxLayout()
        line.addWidget(self.line, 1)
        line.addWidget(self.button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(round(em(self) / 3))
        column.addWidget(self.expandable)
        column.addWidget(side_by_side([self.split, self.threshold, self.roundup, self.memory]))
        column.addLayout(line)
        column.addWidget(self.table, 1)

    # What is wanted

    def _choose_expandable(self, _name: str, on: object) -> None:
        self.expandable.show_value(bool(on))
        self._follow()

    def _follow(self, *_edit: object) -> None:
        self._check()

    def _parts(self) -> list[str]:
        """The settings that were given, as PyTorch takes them."""
        parts = ["expandable_segments:True"] if self.expandable.box.isChecked() else []
        parts += [
            f"{name}:{field.edit.text().strip()}"
            for name, field in self.texts.items()
            if field.edit.text().strip()
        ]
        if self.threshold.edit.text().strip():
            parts.append(_WITH_FRACTION)
        return parts

    def _check(self) -> Trial | None:
        """The trial that the fields make; None where one of them is wrong, which is said beside it."""
        good = True
        for name, field in self.texts.items():
            text = field.edit.text().strip()
            good &= self._accepts(field, f"{name}:{text}" if text else "")
        capacity = self._capacity()
        good &= not self.memory.issue.text()
        parts = self._parts()
        self.line.setText(
            f"{VARIABLE}={','.join(parts)}" if parts else self.tr("Nothing is set: PyTorch's defaults")
        )
        self.button.setEnabled(good and not self._state.busy)
        if not good:
            return None
        settings = ",".join(parts)
        return Trial(settings, parse_settings(settings), capacity)

    def _accepts(self, field: TextField, setting: str) -> bool:
        try:
            parse_settings(setting)
        except UserError as error:
            field.show_issue(render_reason(error.reason, self._unit))
            return False
        field.show_issue("")
        return True

    def _capacity(self) -> int | None:
        """Bytes of the device, None without an end; what is wrong is said beside the field."""
        text = self.memory.edit.text().strip().lower().removesuffix("gib").strip()
        reason: Reason | None = None
        size = Decimal(0)
        try:
            size = Decimal(text or "0")
        except InvalidOperation:
            reason = Reason("what_if.memory", {"given": text})
        if reason is None and text and not (size.is_finite() and 0 < size <= _MOST_GIB):
            reason = Reason("what_if.memory", {"given": text})
        if reason is None and not text and self.threshold.edit.text().strip():
            reason = Reason("what_if.needs_memory")
        self.memory.show_issue("" if reason is None else render_reason(reason, self._unit))
        return int(size * GIB) if text and reason is None else None

    def _try(self) -> None:
        trial = self._check()
        if trial is not None and self.button.isEnabled():
            self.wanted.emit(trial)

    # What came of it

    def show_state(self, state: ReplayState, unit: SizeUnit) -> None:
        """Show the trials so far."""
        self._state, self._unit = state, unit
        rows = []
        if state.as_recorded is not None:
            rows.append(self._row(self.tr("as recorded"), None, state.as_recorded, state.as_recorded))
            rows += [
                self._row(
                    each.trial.settings or self.tr("defaults"),
                    each.trial.capacity_bytes,
                    each.found,
                    state.as_recorded,
                )
                for each in state.tried
            ]
        self.model.show_rows(self._heads(), tuple(rows))
        self.table.fit_columns(7)
        self._check()

    def _heads(self) -> Heads:
        cells = (
            self.tr("settings"),
            self.tr("reserved peak"),
            self.tr("against recorded"),
            self.tr("allocated peak"),
            self.tr("reserved at the end"),
            self.tr("segments"),
            self.tr("emptied caches"),
            self.tr("ran out"),
        )
        exact = (self.tr("reserved peak, bytes"), self.tr("allocated peak, bytes"))
        return Heads(cells, exact, frozenset(range(1, 7)))

    def _row(self, name: str, capacity: int | None, found: WhatIf, recorded: WhatIf) -> TextRow:
        totals = found.totals
        beyond = totals.reserved_peak - recorded.totals.reserved_peak
        against = (
            "" if found is recorded else f"{'+' if beyond > 0 else ''}{format_bytes(beyond, self._unit)}"
        )
        if capacity is not None:
            name = self.tr("{settings} on {size}").format(
                settings=name, size=format_bytes(capacity, self._unit)
            )
        out = (
            self.tr("no")
            if found.ran_out_at is None
            else self.tr("at event {number}").format(number=format_count(found.ran_out_at + 1))
        )
        cells = (
            name,
            format_bytes(totals.reserved_peak, self._unit),
            against,
            format_bytes(totals.allocated_peak, self._unit),
            format_bytes(totals.reserved, self._unit),
            format_count(totals.segments),
            format_count(found.retries),
            out,
        )
        return TextRow(cells, (str(totals.reserved_peak), str(totals.allocated_peak)), name)

    def names(self) -> Sequence[str]:
        """The settings that have a row."""
        return [row.cells[0] for row in self.model.rows]

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.expandable.set_label(
            self.tr("e&xpandable_segments"), self.tr("Segments grow by pages instead of being taken whole")
        )
        self.split.set_label(
            self.tr("max_&split_size_mb"), self.tr("Blocks of this many MiB and more are never split")
        )
        self.threshold.set_label(
            self.tr("garbage_co&llection_threshold"),
            self.tr("Share of the device above which old free blocks are given back, between 0 and 1"),
        )
        self.roundup.set_label(
            self.tr("ro&undup_power2_divisions"),
            self.tr("Steps between powers of two that requests are rounded to: 1, 2, 4, 8 ..."),
        )
        self.memory.set_label(
            self.tr("&Device memory, GiB"), self.tr("What the device hands out; empty for no end")
        )
        self.button.setText(self.tr("&Try"))
        self.button.setToolTip(
            self.tr("Serve the recorded requests with these settings, from an empty device")
        )
        self.table.setAccessibleName(self.tr("Settings that were tried"))
        self.show_state(self._state, self._unit)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow a change of language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
