"""Who holds which copy in which type."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from optmem_gui.core.precision import SCHEMES
from optmem_gui.gui.fields import Choice, ChoiceField
from optmem_gui.gui.i18n import precision_name, text
from optmem_gui.gui.input_panel import InputPanel
from optmem_gui.gui.snapshot import Snapshot


class PrecisionPanel(InputPanel):
    """The precision scheme, with one line that says what it does to memory."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.scheme = ChoiceField("precision", self)
        self.add(self.scheme)
        self.body.addWidget(self.scheme)
        self.retranslate()

    def retranslate(self) -> None:
        """Put the words of the current language in."""
        self.title.setText(self.tr("Precision"))
        self.scheme.set_label(self.tr("S&cheme"), self.tr("Which copy of a parameter exists in which type"))
        self.scheme.set_choices(
            Choice(scheme, precision_name(scheme), tip=text(f"precision.{scheme}")) for scheme in SCHEMES
        )

    def show_values(self, snapshot: Snapshot) -> None:
        """Show the scheme and why it costs what it costs."""
        scheme = snapshot.inputs.scenario.precision
        self.scheme.show_value(scheme)
        self.scheme.set_note(text(f"precision.{scheme}"))
