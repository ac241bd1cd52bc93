"""The bar at the top: what is done most, the GPU, and the one button that stands out."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QSizePolicy, QToolBar, QToolButton, QWidget

from optmem_gui.core.gpus import Gpu
from optmem_gui.gui.icons import icon
from optmem_gui.gui.live_actions import Actions
from optmem_gui.gui.panels.gpu import GpuChooser
from optmem_gui.gui.theme import is_dark, shades

_LEFT = ("open", "save")
_AFTER_EXPORT = ("undo", "redo")
_RIGHT = ("simulate", "measure", "stop")


class TopBar(QToolBar):
    """Buttons of the action table, and the chooser of the GPU.

    Attributes:
        gpu: The chooser.
        export_button: Opens the menu of formats.
    """

    def __init__(self, table: Actions, gpus: Mapping[str, Gpu], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bar")
        self._table = table
        self.setMovable(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        side = round(self.fontMetrics().height() * 1.15)
        self.setIconSize(QSize(side, side))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.gpu = GpuChooser(gpus)
        self.gpu.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.export_button = QToolButton()
        self.export_button.setMenu(table.submenus["export"])
        self.export_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.export_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.export_button.setIconSize(self.iconSize())
        self.export_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        space = QWidget()
        space.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._add(_LEFT)
        self.addWidget(self.export_button)
        self.addSeparator()
        self._add(_AFTER_EXPORT)
        for name in _AFTER_EXPORT:  # everybody knows their arrows, and the bar has to fit small windows
            button = self.widgetForAction(table[name])
            if isinstance(button, QToolButton):
                button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        self.addWidget(space)
        self.addWidget(self.gpu)
        self._add(_RIGHT)
        self.retranslate()
        self.redraw()

    def _add(self, names: tuple[str, ...]) -> None:
        for name in names:
            self.addAction(self._table[name])
            self.widgetForAction(self._table[name]).setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def retranslate(self) -> None:
        """Put the words of the current language in."""
        self.setWindowTitle(self.tr("Tool bar"))
        self.export_button.setText(self.tr("Export"))
        self.export_button.setToolTip(self.tr("Save the figures or a picture of them"))

    def redraw(self) -> None:
        """Draw icons and the main button in the colours of the present theme."""
        self._table.redraw()
        self.export_button.setIcon(icon("export"))
        tone = shades(is_dark())
        # A style sheet for this one button: Fusion has no way to fill a tool button.
        self.widgetForAction(self._table["measure"]).setStyleSheet(
            f"QToolButton {{ background: {tone.accent}; color: {tone.on_accent};"
            f" border: 2px solid {tone.accent}; border-radius: 4px; padding: 3px 8px; }}"
            f"QToolButton:focus {{ border-color: {tone.text}; }}"
            f"QToolButton:disabled {{ background: {tone.grid}; border-color: {tone.grid};"
            f" color: {tone.muted}; }}"
        )
        self._table["measure"].setIcon(icon("measure", tone.on_accent))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow language and theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        elif event.type() == QEvent.Type.PaletteChange:
            self.redraw()
