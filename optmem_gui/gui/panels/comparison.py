"""Which optimizer would do: every one of them on the present model."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from optmem_gui.core.units import format_bytes
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.widgets.comparison_model import (
    ROW_ROLE,
    Column,
    ComparisonModel,
    ComparisonOrder,
    PeakBarDelegate,
)
from optmem_gui.gui.widgets.copy_table import CopyTable
from optmem_gui.gui.widgets.titled import TitledPanel


class ComparisonPanel(TitledPanel):
    """A sorted, filtered table with a bar a row; a double click or Enter asks for that optimizer.

    Emits:
        chosen: Id of the optimizer that the user wants.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("comparison")
        self._snapshot: Snapshot | None = None
        self.filter = QLineEdit()
        self.filter.setObjectName("comparisonFilter")
        self.filter.setClearButtonEnabled(True)
        self.model = ComparisonModel(self)
        self.order = ComparisonOrder(self)
        self.order.setSourceModel(self.model)
        self.order.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.table = CopyTable()
        self.table.setObjectName("comparisonTable")
        self.table.setModel(self.order)
        self.table.setItemDelegateForColumn(Column.PEAK, PeakBarDelegate(self.table))
        self.table.horizontalHeader().setStretchLastSection(False)
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(Column.PEAK, Qt.SortOrder.AscendingOrder)
        self.filter.textChanged.connect(self.order.setFilterFixedString)
        self.table.doubleClicked.connect(self._choose)
        self.table.installEventFilter(self)
        self.filter.installEventFilter(self)
        self.table.resized.connect(self._stretch_bars)
        self._fitted: tuple[object, ...] = ()
        self._bar_width = self._number_width = 0
        self.body.addWidget(self.filter)
        self.body.addWidget(self.table, 1)
        self.setFocusProxy(self.filter)
        self.retranslate()

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]  # panels render snapshots
        """Show a snapshot."""
        self._snapshot = snapshot
        fit = snapshot.breakdown.fit if snapshot.breakdown else None
        usable = fit.usable if fit else None
        self.model.show_rows(snapshot.comparison, snapshot.scenario.optimizer, usable, snapshot.unit)
        note = self.tr("this model; {count} optimizers").format(count=len(snapshot.comparison))
        if usable is not None:
            note = self.tr("this model; line: usable {size}").format(size=format_bytes(usable, snapshot.unit))
        self.write_note(note)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Columns follow the number of rows and the unit; edits of figures leave them alone."""
        snapshot = self._snapshot
        if snapshot is None or not snapshot.comparison:
            return
        longest = max(len(format_bytes(row.peak_bytes, snapshot.unit)) for row in snapshot.comparison)
        verdicts = frozenset(row.fits for row in snapshot.comparison)
        state = (len(snapshot.comparison), snapshot.unit, longest, verdicts, self.tr("state"))
        if state != self._fitted:
            self._fitted = state
            self.table.fit_columns(len(Column))
            self._bar_width = self.table.columnWidth(Column.PEAK)
            metrics = self.table.fontMetrics()
            self._number_width = metrics.horizontalAdvance(self.model.longest_peak) + metrics.height()
            self._stretch_bars()

    def _stretch_bars(self) -> None:
        """The bars take what the other columns leave; where all is narrow, the number stays in sight."""
        room = self.table.viewport().width()
        others = sum(self.table.columnWidth(column) for column in Column if column is not Column.PEAK)
        beside_name = room - self.table.columnWidth(Column.OPTIMIZER)
        narrow = min(self._bar_width, max(self._number_width, beside_name))
        self.table.setColumnWidth(Column.PEAK, max(narrow, room - others))

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.title.setText(self.tr("Compare optimizers"))
        self.filter.setPlaceholderText(self.tr("Filter by name, such as Adam"))
        self.filter.setAccessibleName(self.tr("Filter the optimizers by name"))
        self.table.setAccessibleName(self.tr("Every optimizer on this model"))
        self.table.setAccessibleDescription(self.tr("Enter chooses the optimizer of the row"))
        self.table.setToolTip(self.tr("Double-click or press Enter to choose an optimizer"))
        self.model.retranslate()
        if self._snapshot is not None:
            self.render(self._snapshot)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow a change of font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.table.fit_rows()
            self._fitted = ()
            self._fit_columns()

    def copy_table(self) -> None:
        """Put the table on the clipboard."""
        self.table.copy()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  # Qt's name
        """Enter chooses; the down key goes from the filter to the rows."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if watched is self.table and enter:
                self._choose(self.table.currentIndex())
                return True
            if watched is self.filter and event.key() == Qt.Key.Key_Down and self.order.rowCount():
                self.table.setFocus(Qt.FocusReason.TabFocusReason)
                self.table.selectRow(0)
                return True
        return super().eventFilter(watched, event)

    def _choose(self, index: QModelIndex | QPersistentModelIndex) -> None:
        row = index.data(ROW_ROLE) if index.isValid() else None
        if row is not None and row.refused is None:
            self.chosen.emit(row.optimizer)
