"""The first start: figures of an example are there at once, and a line says that they are one."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from optmem_gui.gui import settings as keys
from optmem_gui.gui.notice import Banner
from optmem_gui.gui.settings import Settings
from optmem_gui.gui.snapshot import Snapshot


class FirstRunBar(Banner):
    """Says that an example is shown and how to put one's own model in; gone for good once that was done.

    Emits:
        open_wanted: The user wants to open a file.
        preset_wanted: The user wants to choose a known model.
    """

    open_wanted = Signal()
    preset_wanted = Signal()

    def __init__(self, settings: Settings, snapshot: Snapshot, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("firstRun")
        self._settings = settings
        self._example = snapshot.inputs.scenario.model
        self.open, self.preset = QPushButton(self), QPushButton(self)
        self.open.clicked.connect(self.open_wanted)
        self.preset.clicked.connect(self.preset_wanted)
        self.close_button.clicked.connect(self.dismiss)
        self.add_button(self.open)
        self.add_button(self.preset)
        self.retranslate()
        self.setVisible(settings.get(keys.FIRST_RUN))

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]  # what shows snapshots calls it so
        """Another model is no example any more."""
        if not self.isHidden() and snapshot.inputs.scenario.model is not self._example:
            self.dismiss()

    def dismiss(self) -> None:
        """Hide it, at the next start too."""
        self._settings.set(keys.FIRST_RUN, False)
        self.hide()

    def retranslate(self) -> None:
        """Put the words of the current language in."""
        self.say(
            self.tr(
                "This is an example. Open or drop a checkpoint of your own, choose a known model, or type a "
                "number of parameters."
            )
        )
        self.open.setText(self.tr("Open file..."))
        self.preset.setText(self.tr("Choose a preset"))
        self.close_button.setToolTip(self.tr("Do not show this again"))
        self.close_button.setAccessibleName(self.tr("Do not show this again"))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
