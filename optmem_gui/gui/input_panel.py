"""What every card of inputs does: pass edits on, show snapshots, follow the language."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QWidget

from optmem_gui.gui.cards import Card
from optmem_gui.gui.fields import Field, TextField
from optmem_gui.gui.i18n import render_reason
from optmem_gui.gui.snapshot import Snapshot


class InputPanel(Card):
    """A card of fields. It never writes: ``edited(name, value)`` says what the user wants."""

    edited = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fields: dict[str, Field] = {}
        self._shown: Snapshot | None = None

    def add(self, field: Field) -> None:
        """Take a field in: its edits become the panel's."""
        self.fields[field.name] = field
        field.edited.connect(self.edited)

    def drop(self, field: Field) -> None:
        """Give a field up, for panels whose fields follow the choice."""
        del self.fields[field.name]
        field.hide()
        field.deleteLater()

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]  # panels render snapshots
        """Show a snapshot."""
        self._shown = snapshot
        self.show_values(snapshot)
        for name, field in self.fields.items():
            reason = snapshot.issues.get(name)
            field.show_issue("" if reason is None else render_reason(reason, snapshot.unit))
            if isinstance(field, TextField):
                field.show_text(self.field_text(snapshot, name))

    def field_text(self, snapshot: Snapshot, name: str) -> str:
        """What stands in a text field."""
        return snapshot.inputs.text(name)

    def show_values(self, snapshot: Snapshot) -> None:
        """Show what is not text; each panel's own."""
        raise NotImplementedError

    def retranslate(self) -> None:
        """Put the words of the current language in; each panel's own."""
        raise NotImplementedError

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
            if self._shown is not None:
                self.render(self._shown)
