"""How a checkpoint is understood: the rules, and what can be chosen otherwise."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from optmem_gui.checkpoints.choices import RULES, Choices
from optmem_gui.core.units import format_count
from optmem_gui.gui.fields import Choice, ChoiceField, FlagField, TextField
from optmem_gui.gui.freezing import AFTER_KEY_MS
from optmem_gui.gui.i18n import render_reason
from optmem_gui.gui.tasks.inspect import Inspected
from optmem_gui.gui.widgets.labels import ValueLabel
from optmem_gui.gui.widgets.painting import em


class ChoicesView(QWidget):
    """Which weights, what is frozen by its name, whether ties count once; and the rules for all else.

    Emits:
        chosen: The :class:`Choices` that are wanted now.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choices = Choices()
        self._inspected: Inspected | None = None
        self._trained = ""
        self.weights = ChoiceField("checkpoint.weights", self)
        self.tied = FlagField("checkpoint.tied", self)
        self.frozen = TextField("checkpoint.frozen", self)
        self.rules_title, self.rules = ValueLabel(bold=True), ValueLabel(wrap=True)
        self.weights.edited.connect(self._choose_weights)
        self.tied.edited.connect(self._choose_tied)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(AFTER_KEY_MS)
        self._later.timeout.connect(self._choose_frozen)
        self.frozen.edited.connect(lambda *_edit: self._later.start())
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(round(em(self) / 2))
        for widget in (self.weights, self.tied, self.frozen, self.rules_title, self.rules):
            column.addWidget(widget)
        column.addStretch(1)
        self.retranslate()

    def show_choices(self, inspected: Inspected | None, choices: Choices, trained: str, issue: str) -> None:
        """Show how the checkpoint is understood.

        Args:
            inspected: The checkpoint.
            choices: What stands in the fields.
            trained: Pattern of the parameters that are trained, which the model's own field holds.
            issue: Why the last choice cannot be used.
        """
        self._inspected, self._choices, self._trained = inspected, choices, trained
        self.weights.show_value(choices.weights)
        self.tied.show_value(choices.tied)
        if not self._later.isActive():
            self.frozen.show_text(choices.frozen)
        self.frozen.show_issue(issue)
        if inspected is None:
            return
        average, tied = inspected.has_average, len(inspected.read.tied)
        self.weights.setEnabled(average)
        self.weights.set_note("" if average else self.tr("This file holds one set of weights."))
        self.tied.setEnabled(bool(tied))
        self.tied.set_note(
            self._about_ties(inspected) if tied else self.tr("No tensors share their elements.")
        )
        counts = self.tr("{trained} parameters are trained, {frozen} frozen.").format(
            trained=format_count(sum(g.param_count for g in inspected.model.groups if g.trainable)),
            frozen=format_count(sum(g.param_count for g in inspected.model.groups if not g.trainable)),
        )
        if trained:
            counts += " " + self.tr(
                "The model's own field trains what {pattern} finds; a pattern here replaces it."
            ).format(pattern=trained)
        self.frozen.set_note(counts)

    def _about_ties(self, inspected: Inspected) -> str:
        other, owner = inspected.read.tied[0]
        return self.tr("{count}, such as {other}, which is {owner}").format(
            count=format_count(len(inspected.read.tied)), other=other, owner=owner
        )

    def _choose_weights(self, _name: str, weights: object) -> None:
        self._choose(replace(self._choices, weights="average" if weights == "average" else "model"))

    def _choose_tied(self, _name: str, tied: object) -> None:
        self._choose(replace(self._choices, tied=bool(tied)))

    def _choose_frozen(self) -> None:
        self._choose(replace(self._choices, frozen=self.frozen.edit.text().strip()))

    def _choose(self, choices: Choices) -> None:
        self._later.stop()
        self._choices = choices
        self.chosen.emit(choices)

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.weights.set_label(self.tr("Weights"), self.tr("The model's own, or their averaged copy"))
        self.weights.set_choices(
            (
                Choice("model", self.tr("the model's own")),
                Choice("average", self.tr("averaged copy (EMA)")),
            )
        )
        self.tied.set_label(
            self.tr("Tied tensors count once"), self.tr("Off: each counts on its own, as if they were untied")
        )
        self.frozen.set_label(
            self.tr("Frozen"),
            self.tr(
                "A regular expression that is searched for in each name, such as embed|layers\\.[0-9]\\."
            ),
        )
        self.frozen.edit.setPlaceholderText(self.tr("nothing beyond what the file says"))
        self.rules_title.setText(self.tr("Everything else follows from these rules"))
        self.rules.setText("\n".join(f"{n}. {render_reason(rule)}" for n, rule in enumerate(RULES, 1)))
        self.show_choices(self._inspected, self._choices, self._trained, "")

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow a change of language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
