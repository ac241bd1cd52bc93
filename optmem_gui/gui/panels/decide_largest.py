"""The largest batch and the longest sequence that fit, each a click away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from optmem_gui.core.units import format_count
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.widgets.painting import em

if TYPE_CHECKING:
    from optmem_gui.core.solve import Solution


class Largest(QWidget):
    """Two buttons, there while a GPU is chosen and the model's architecture is known.

    Emits:
        edited: ``batch`` or ``sequence``, and the text that the user wants there.
    """

    edited = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("largest")
        self._snapshot: Snapshot | None = None
        self.batch, self.sequence = QPushButton(), QPushButton()
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(round(em(self) / 2))
        for button in (self.batch, self.sequence):
            button.setAutoDefault(False)
            button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
            line.addWidget(button)
        line.addStretch(1)
        self.batch.clicked.connect(lambda: self._want("batch"))
        self.sequence.clicked.connect(lambda: self._want("sequence"))

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]  # panels render snapshots
        """Show a snapshot; figures of earlier inputs stay until there are new ones, and cannot be pressed."""
        self._snapshot = snapshot
        scenario, decisions = snapshot.scenario, snapshot.decisions
        known = snapshot.gpu is not None and scenario.model.is_known
        self.setVisible(known)
        if not known:
            return
        current = (
            decisions is not None
            and decisions.scenario == scenario
            and decisions.gpu == snapshot.gpu
            and not snapshot.is_behind
        )
        batch = decisions.batch if decisions is not None else None
        sequence = decisions.sequence if decisions is not None else None
        self.batch.setVisible(scenario.tokens is not None and not (current and batch is None))
        self.sequence.setVisible(
            scenario.batch is not None
            and scenario.model.own_sequence is None
            and not (current and sequence is None)
        )
        self._put(self.batch, self.tr("Largest batch: {value}"), batch, current=current)
        self._put(self.sequence, self.tr("Longest sequence: {value}"), sequence, current=current)

    def _put(self, button: QPushButton, words: str, solution: Solution | None, *, current: bool) -> None:
        if solution is None:
            value, tip = "...", self.tr("Being computed")
        elif solution.sure:
            value = format_count(solution.sure)
            tip = self.tr("Put it in: the most that surely fits")
            if solution.perhaps > solution.sure:
                tip = self.tr("Put it in: the most that surely fits; up to {count} may").format(
                    count=format_count(solution.perhaps)
                )
        elif solution.perhaps:
            value = self.tr("perhaps {count}").format(count=format_count(solution.perhaps))
            tip = self.tr("Nothing surely fits; this may")
        else:
            value, tip = self.tr("none"), self.tr("Not even 1 fits")
        button.setText(words.format(value=value))
        button.setToolTip(tip)
        button.setAccessibleDescription(tip)
        button.setEnabled(current and solution is not None and solution.perhaps > 0)

    def _want(self, name: str) -> None:
        decisions = self._snapshot.decisions if self._snapshot is not None else None
        solution = None if decisions is None else decisions.batch if name == "batch" else decisions.sequence
        if solution is not None:
            self.edited.emit(name, str(solution.sure or solution.perhaps))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange and self._snapshot is not None:
            self.render(self._snapshot)
