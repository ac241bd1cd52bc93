"""Which optimizer, and those of its options that change memory."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from optmem_gui.core.optimizers.catalogue import CATALOGUE, search_text
from optmem_gui.core.optimizers.declare import Implementation, Option
from optmem_gui.core.proof import kind_label, kind_of, proof_of
from optmem_gui.gui.cards import MutedLabel
from optmem_gui.gui.fields import Choice, ChoiceField, Field, FlagField, TextField, side_by_side
from optmem_gui.gui.i18n import render_reason
from optmem_gui.gui.input_panel import InputPanel
from optmem_gui.gui.snapshot import Snapshot


class OptimizerPanel(InputPanel):
    """A searchable list of the catalogue; the options of the chosen one follow from its declaration.

    Emits:
        rebuilt: The options are others now.
        about_wanted: The page of the chosen optimizer is wanted.
    """

    rebuilt = Signal()
    about_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel.optimizer")
        self._implementation: Implementation | None = None
        self.choice = ChoiceField("optimizer", self, searchable=True)
        self.add(self.choice)
        self._recent: tuple[str, ...] = ()
        self.options = QWidget(self)
        self.proof = MutedLabel(self)
        self.about = QPushButton(self)
        self.about.setObjectName("aboutOptimizer")
        self.about.clicked.connect(self.about_wanted)
        self.body.addWidget(self.choice)
        self.body.addWidget(self.options)
        foot = QHBoxLayout()
        foot.addWidget(self.proof, 1)
        foot.addWidget(self.about, 0, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        self.body.addLayout(foot)
        self.retranslate()

    def retranslate(self) -> None:
        """Put the words of the current language in."""
        self.title.setText(self.tr("Optimizer"))
        self.choice.set_label(self.tr("&Implementation"), self.tr("Class and library; type to search"))
        self.about.setText(self.tr("About this optimizer"))
        self.about.setToolTip(self.tr("Its states, formulas, options and sources (F1)"))
        self.list_entries()
        self._label_options()

    def show_recent(self, ids: Iterable[str]) -> None:
        """Put the optimizers that were used last at the head of the list."""
        self._recent = tuple(name for name in ids if name in CATALOGUE)
        self.list_entries()

    def list_entries(self) -> None:
        """Offer what the catalogue holds now: used last, then library by library."""
        recent = self.tr("Recently used")
        libraries: dict[str, list[Implementation]] = {}
        for entry in CATALOGUE.values():
            libraries.setdefault(entry.library, []).append(entry)
        known = [entry for entries in libraries.values() for entry in entries]
        choices = [_choice(CATALOGUE[name], recent) for name in self._recent]
        self.choice.set_choices(choices + [_choice(entry, entry.library) for entry in known])

    def show_values(self, snapshot: Snapshot) -> None:
        """Show the choice, and the options as they are set."""
        scenario = snapshot.inputs.scenario
        implementation = CATALOGUE[scenario.optimizer]
        if implementation is not self._implementation:
            self._implementation = implementation
            self._build_options(implementation)
        self.choice.show_value(implementation.id)
        belief = implementation.belief_reason
        about = [render_reason(implementation.about, snapshot.unit)]
        if belief is not None:
            about.append(render_reason(belief, snapshot.unit))
        self.choice.set_note("\n".join(about))
        values = implementation.settings(scenario.options, scenario.target).values
        for option in implementation.options:
            field = self.fields.get(f"option.{option.name}")
            if isinstance(field, ChoiceField):
                field.show_value(values[option.name])
            elif isinstance(field, FlagField):
                field.show_value(bool(values[option.name]))
        proof = proof_of(implementation)
        kind, library = render_reason(proof.label), implementation.proven
        said = self.tr("Proof: {kind}, {library}") if library else self.tr("Proof: {kind}")
        self.proof.setText(said.format(kind=kind, library=library))
        self.proof.setToolTip(render_reason(proof.what))

    def _build_options(self, implementation: Implementation) -> None:
        for name in [name for name in self.fields if name.startswith("option.")]:
            self.drop(self.fields[name])
        fields = [_field_for(option, self) for option in implementation.options if option.affects]
        for field in fields:
            self.add(field)
        rows = QWidget(self)
        column = QVBoxLayout(rows)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(rows.fontMetrics().height() // 3)
        for pair in _pairs(fields):
            column.addWidget(side_by_side(pair))
        self.body.replaceWidget(self.options, rows)
        self.options.deleteLater()
        self.options = rows
        rows.setVisible(bool(fields))
        self._label_options()
        self.rebuilt.emit()

    def _label_options(self) -> None:
        if self._implementation is None:
            return
        for option in self._implementation.options:
            field = self.fields.get(f"option.{option.name}")
            if field is None:
                continue
            # The constructor's own keyword: what the user writes in a training script.
            field.set_label(option.name, render_reason(option.help))
            if isinstance(field, ChoiceField):
                field.set_choices(self._choices(option))

    def _choices(self, option: Option) -> list[Choice]:
        on_off = option.kind == "bool"
        # A switch that is None is left to torch; a name that is None is switched off.
        unset = [Choice(None, self.tr("automatic") if on_off else self.tr("none"))]
        chosen = [Choice(True, self.tr("on")), Choice(False, self.tr("off"))]
        named = [Choice(name, name) for name in option.choices]
        return (unset if option.default is None else []) + (chosen if on_off else named)


def _choice(entry: Implementation, group: str) -> Choice:
    label = f"{entry.name} ({entry.library})"
    note = f"{render_reason(entry.about)}\n{render_reason(kind_label(kind_of(entry)))}"
    return Choice(entry.id, label, group, note, search_text(entry))


def _field_for(option: Option, parent: QWidget) -> Field:
    """The input that suits an option: a box, a list, or a line of text."""
    name = f"option.{option.name}"
    if option.kind == "bool" and option.default is not None:
        return FlagField(name, parent)
    if option.kind in ("bool", "choice"):
        return ChoiceField(name, parent)
    return TextField(name, parent)


def _pairs(fields: list[Field]) -> list[list[Field]]:
    """Rows of two of a kind: boxes beside boxes, lists beside lists, in the order of the declaration."""
    rows: list[list[Field]] = []
    for kind in (FlagField, ChoiceField, TextField):
        alike: list[Field] = [field for field in fields if isinstance(field, kind)]
        rows += [alike[place : place + 2] for place in range(0, len(alike), 2)]
    return rows
