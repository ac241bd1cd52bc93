"""The left column: every card of inputs, scrollable."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from optmem_gui.gui.input_panel import InputPanel
from optmem_gui.gui.panels.batch import BatchPanel
from optmem_gui.gui.panels.lora import LoraPanel
from optmem_gui.gui.panels.model import ModelPanel
from optmem_gui.gui.panels.optimizer import OptimizerPanel
from optmem_gui.gui.panels.precision import PrecisionPanel
from optmem_gui.gui.panels.recipe import RecipePanel
from optmem_gui.gui.panels.residents import ResidentsPanel
from optmem_gui.gui.panels.sharding import ShardingPanel
from optmem_gui.gui.snapshot import Snapshot


class InputsColumn(QScrollArea):
    """Model, recipe, optimizer, precision, batch, adapters, GPUs, in the order people decide them."""

    edited = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inputs")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.model, self.optimizer, self.sharding = ModelPanel(), OptimizerPanel(), ShardingPanel()
        self.recipe, self.residents = RecipePanel(), ResidentsPanel()
        self.panels: tuple[InputPanel, ...] = (
            self.model,
            self.recipe,
            self.optimizer,
            PrecisionPanel(),
            BatchPanel(),
            LoraPanel(),
            self.sharding,
            self.residents,
        )
        content = QWidget()
        content.setObjectName("inputsContent")
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, self.fontMetrics().height() // 3, 0)
        column.setSpacing(self.fontMetrics().height() // 2)
        for panel in self.panels:
            panel.edited.connect(self.edited)
            column.addWidget(panel)
        column.addStretch(1)
        self.setWidget(content)
        # The column lies on the window's ground, not on a sheet of its own.
        self.viewport().setAutoFillBackground(False)
        content.setAutoFillBackground(False)
        content.installEventFilter(self)

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]  # panels render snapshots
        """Show a snapshot."""
        for panel in self.panels:
            panel.render(snapshot)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  # Qt's name
        """Keep the column as wide as its content asks for, so that nothing is cut at the side."""
        if watched is self.widget() and event.type() == QEvent.Type.LayoutRequest:
            self._fit_width()
        return super().eventFilter(watched, event)

    def _fit_width(self) -> None:
        content = self.widget()
        if content is not None:
            needed = content.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width()
            if self.minimumWidth() != needed:
                self.setMinimumWidth(needed)

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """Wide enough for the words, not wider."""
        em = self.fontMetrics().height()
        return QSize(max(self.minimumWidth(), 19 * em), 40 * em)
