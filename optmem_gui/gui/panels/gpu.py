"""The GPU that the verdict is for."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from optmem_gui.core.gpus import Gpu
from optmem_gui.core.units import MIB, format_bytes
from optmem_gui.gui.fields import Choice, ChoiceField
from optmem_gui.gui.i18n import gpu_group_name
from optmem_gui.gui.snapshot import Snapshot


class GpuChooser(QWidget):
    """A searchable list of GPUs, grouped by product line."""

    edited = Signal(str, object)

    def __init__(self, gpus: Mapping[str, Gpu], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._gpus = gpus
        self._shown: Snapshot | None = None
        self.caption = QLabel(self)
        self.field = ChoiceField("gpu", self, searchable=True)
        self.field.label.hide()
        self.field.combo.setMinimumContentsLength(22)
        self.field.edited.connect(self.edited)
        self.caption.setBuddy(self.field.combo)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, self.fontMetrics().height() // 2, 0)
        line.addWidget(self.caption)
        line.addWidget(self.field)
        self.retranslate()

    def retranslate(self) -> None:
        """Put the words of the current language in."""
        self.caption.setText(self.tr("&GPU"))
        self.field.set_label(self.tr("GPU"), self.tr("The GPU that the verdict is for; type to search"))
        self._fill()

    def _fill(self) -> None:
        unit = self._shown.unit if self._shown else "GiB"
        tip = self.tr("{usable} usable of {total}; {source}")
        self.field.set_choices(
            [
                Choice(None, self.tr("no GPU chosen")),
                *(
                    Choice(
                        gpu.id,
                        gpu.name,
                        gpu_group_name(gpu.group),
                        tip.format(
                            usable=format_bytes(gpu.usable_bytes, unit),
                            total=format_bytes(gpu.total_mib * MIB, unit),
                            source=gpu.source,
                        ),
                    )
                    for gpu in self._gpus.values()
                ),
            ]
        )

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]  # panels render snapshots
        """Show a snapshot."""
        before, self._shown = self._shown, snapshot
        if before is not None and before.unit != snapshot.unit:
            self._fill()
        self.field.show_value(snapshot.inputs.scenario.gpu)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
