"""Which library's defaults to begin with, what they are, and what was changed since."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QPushButton, QWidget

from optmem_gui.core.recipes import RECIPES, Followed, followed
from optmem_gui.core.scenario import Lora
from optmem_gui.core.units import format_count
from optmem_gui.gui.fields import Choice, ChoiceField
from optmem_gui.gui.i18n import listed, precision_name
from optmem_gui.gui.input_panel import InputPanel
from optmem_gui.gui.plain import plain_tip
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.widgets.labels import ValueLabel

_CHANGED = "≠"


class RecipePanel(InputPanel):
    """A list of recipes; of the chosen one every default, the changed ones marked, each with its source."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel.recipe")
        self.choice = ChoiceField("recipe", self)
        self.add(self.choice)
        self.reset = QPushButton(self)
        self.reset.setObjectName("resetRecipe")
        self.reset.clicked.connect(self._reset)
        self._lines: list[tuple[ValueLabel, ValueLabel]] = []
        self.defaults = QWidget(self)
        self._grid = QGridLayout(self.defaults)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(self.fontMetrics().height() // 6)
        self._grid.setHorizontalSpacing(self.fontMetrics().height() // 2)
        self._grid.setColumnStretch(1, 1)
        self.body.addWidget(self.choice)
        self.body.addWidget(self.defaults)
        self.body.addWidget(self.reset, 0, Qt.AlignmentFlag.AlignLeft)
        self.retranslate()

    def retranslate(self) -> None:
        """Put the words of the current language in."""
        self.title.setText(self.tr("Recipe"))
        self.choice.set_label(
            self.tr("Defaults of"), self.tr("Sets the fields below as this library does by default")
        )
        self.choice.set_choices(
            [
                Choice("", self.tr("none: as the fields say")),
                *(Choice(recipe.id, recipe.title, tip=recipe.library) for recipe in RECIPES.values()),
            ]
        )
        self.reset.setText(self.tr("Back to its defaults"))

    def show_values(self, snapshot: Snapshot) -> None:
        """Show the recipe and how far it is followed."""
        scenario = snapshot.inputs.scenario
        recipe = RECIPES.get(scenario.recipe or "")
        self.choice.show_value("" if recipe is None else recipe.id)
        rows = () if recipe is None else followed(scenario, recipe)
        self.choice.set_note("" if recipe is None else recipe.library)
        self.defaults.setVisible(bool(rows))
        changed = sum(row.differs for row in rows)
        self.reset.setVisible(changed > 0)
        while len(self._lines) < len(rows):
            line = ValueLabel(tone="muted", factor=0.92), ValueLabel(factor=0.92, wrap=True)
            for column, label in enumerate(line):
                self._grid.addWidget(label, len(self._lines), column, Qt.AlignmentFlag.AlignTop)
            self._lines.append(line)
        for place, line in enumerate(self._lines):
            for label in line:
                label.setVisible(place < len(rows))
            if place < len(rows) and recipe is not None:
                self._show(line, rows[place], recipe.library)

    def _show(self, line: tuple[ValueLabel, ValueLabel], row: Followed, library: str) -> None:
        name, value = line
        expected = self._said(row.default.field, row.expected)
        name.setText(self._name(row.default.field))
        if row.differs:
            now = self._said(row.default.field, row.value)
            value.setText(
                self.tr("{mark} {now}, not {default}").format(mark=_CHANGED, now=now, default=expected)
            )
        else:
            value.setText(expected)
        value.set_tone("caution" if row.differs else "text")
        tip = self.tr("Default of {library}: {source}").format(library=library, source=row.default.source)
        for label in line:
            label.setToolTip(plain_tip(tip))
            label.setAccessibleDescription(tip)

    def _name(self, field: str) -> str:
        names = {
            "lora": self.tr("Adapters"),
            "precision": self.tr("Precision"),
            "optimizer": self.tr("Optimizer"),
            "options": self.tr("Its options"),
            "clip": self.tr("Clipping"),
            "set_to_none": self.tr("zero_grad frees"),
            "checkpointing": self.tr("Checkpointing"),
            "loss": self.tr("Loss"),
            "parallel.shard": self.tr("Engine"),
            "parallel.offload": self.tr("Offload"),
            "parallel.reshard": self.tr("Reshards"),
            "parallel.fp32_reduce": self.tr("Reduces in fp32"),
            "parallel.bucket_elements": self.tr("Bucket, elements"),
            "parallel.live_elements": self.tr("Live parameters"),
        }
        return names[field]

    def _said(self, field: str, value: Any) -> str:  # noqa: ANN401  # each field has a type of its own
        if field == "precision":
            return precision_name(str(value))
        if isinstance(value, bool):
            return self.tr("yes") if value else self.tr("no")
        if isinstance(value, int):
            return format_count(value)
        if isinstance(value, Lora):
            return self.tr("rank {rank} on {dtype}").format(rank=value.rank, dtype=value.base_dtype)
        if isinstance(value, tuple):
            return listed(f"{name}={setting}" for name, setting in value) or self.tr("as they come")
        words = {
            ("checkpointing", "full"): self.tr("every layer"),
            ("loss", "full"): self.tr("full logits"),
            ("loss", "chunked"): self.tr("chunked"),
        }
        said = words.get((field, str(value)), str(value))
        return self.tr("none") if value in (None, "none") else said

    def _reset(self) -> None:
        if self._shown is not None:
            self.edited.emit("recipe", self._shown.inputs.scenario.recipe)
