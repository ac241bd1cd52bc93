"""Which optimizer would do: every one of them on the present model."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QFont, QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QWidget

from optmem_gui.core.optimizer_rows import OptimizerRow
from optmem_gui.core.units import format_bytes
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.widgets.comparison_filters import ComparisonFilters
from optmem_gui.gui.widgets.comparison_model import ROW_ROLE, Column, ComparisonModel
from optmem_gui.gui.widgets.comparison_order import ComparisonFilter, ComparisonOrder
from optmem_gui.gui.widgets.copy_table import CopyTable
from optmem_gui.gui.widgets.peak_bar import PeakBarDelegate
from optmem_gui.gui.widgets.titled import TitledPanel


class ComparisonPanel(TitledPanel):
    """A sorted, filtered table with a bar a row; a double click or Enter asks for that optimizer.

    Emits:
        chosen: Id of the optimizer that the user wants.
        about_wanted: Id of the optimizer whose page the user wants to read.
    """

    chosen = Signal(object)
    about_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("comparison")
        self._snapshot: Snapshot | None = None
        self.filters = ComparisonFilters()
        self.filter = self.filters.search
        self.model = ComparisonModel(self)
        self.order = ComparisonOrder(self)
        self.order.setSourceModel(self.model)
        self.table = CopyTable()
        self.table.setObjectName("comparisonTable")
        self.table.setModel(self.order)
        self.table.setItemDelegateForColumn(Column.PEAK, PeakBarDelegate(self.table))
        self.table.horizontalHeader().setStretchLastSection(False)
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # library and class both stay readable
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(Column.PEAK, Qt.SortOrder.AscendingOrder)
        self.filters.changed.connect(self._show_only)
        self._about = QAction(self.table)
        self._about.triggered.connect(self._want_about)
        self.table.addAction(self._about)
        self.table.doubleClicked.connect(self._choose)
        self.table.installEventFilter(self)
        self.filter.installEventFilter(self)
        self.table.resized.connect(self._stretch_bars)
        self._fitted: tuple[object, ...] = ()
        self._bar_width = self._number_width = self._name_width = 0
        self.body.addWidget(self.filters)
        self.body.addWidget(self.table, 1)
        self.setFocusProxy(self.filter)
        self.retranslate()

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]  # panels render snapshots
        """Show a snapshot."""
        self._snapshot = snapshot
        fit = snapshot.breakdown.fit if snapshot.breakdown else None
        usable = fit.usable if fit else None
        self.model.show_rows(snapshot.comparison, snapshot.scenario.optimizer, usable, snapshot.unit)
        self._write_counts()
        self._fit_columns()

    def _show_only(self, wanted: ComparisonFilter) -> None:
        self.order.show_only(wanted)
        self._write_counts()

    def _write_counts(self) -> None:
        """How many of how many are shown, and where the line of the bars stands."""
        snapshot = self._snapshot
        if snapshot is None:
            return
        fit = snapshot.breakdown.fit if snapshot.breakdown else None
        shown, count = self.order.rowCount(), len(snapshot.comparison)
        note = self.tr("{count} optimizers").format(count=count)
        if shown != count:
            note = self.tr("{shown} of {count} optimizers").format(shown=shown, count=count)
        if fit is not None:
            usable = format_bytes(fit.usable, snapshot.unit)
            note = self.tr("{optimizers}; line: usable {size}").format(optimizers=note, size=usable)
        self.write_note(note)

    def _fit_columns(self) -> None:
        """Columns follow the number of rows and the unit; edits of figures leave them alone."""
        snapshot = self._snapshot
        if snapshot is None or not snapshot.comparison:
            return
        state = (len(snapshot.comparison), snapshot.unit, len(self.model.longest_peak), self.tr("state"))
        if state != self._fitted:
            self._fitted = state
            for column in Column:
                self.table.setColumnWidth(column, self._needed_width(column))
            self._name_width = self.table.columnWidth(Column.OPTIMIZER)
            metrics = self.table.fontMetrics()
            self._number_width = metrics.horizontalAdvance(self.model.longest_peak) + metrics.height()
            self._bar_width = self._number_width + 6 * metrics.height()
            self._stretch_bars()

    def _needed_width(self, column: Column) -> int:
        """Room for the header and the longest cell; Qt would ask every cell for its size, 10 ms a column."""
        metrics, header = self.table.fontMetrics(), self.table.horizontalHeader()
        bold = QFont(self.table.font())
        bold.setBold(True)
        cell = QFontMetrics(bold).horizontalAdvance(self.model.longest_text(column)) + metrics.height()
        return max(cell, header.sectionSizeHint(column))

    def _stretch_bars(self) -> None:
        """The bars take what the other columns leave; where all is narrow, the number stays in sight."""
        room = self.table.viewport().width()
        # The peak stays in sight beside the longest name; a name that is cut has its tooltip.
        self.table.setColumnWidth(
            Column.OPTIMIZER, min(self._name_width, max(room // 2, room - self._bar_width))
        )
        others = sum(self.table.columnWidth(column) for column in Column if column is not Column.PEAK)
        beside_name = room - self.table.columnWidth(Column.OPTIMIZER)
        narrow = min(self._bar_width, max(self._number_width, beside_name))
        self.table.setColumnWidth(Column.PEAK, max(narrow, room - others))

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.title.setText(self.tr("Compare optimizers"))
        self._about.setText(self.tr("About this optimizer"))
        self.table.setAccessibleName(self.tr("Every optimizer on this model"))
        self.table.setAccessibleDescription(self.tr("Enter chooses the optimizer of the row, F1 says more"))
        self.table.setToolTip(self.tr("Double-click or press Enter to choose an optimizer; F1 says more"))
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

    @property
    def current(self) -> str | None:
        """Id of the row that the keyboard is on, while it is in the table."""
        row = self._row(self.table.currentIndex())
        # The menu bar takes the focus itself; the window remembers where it was.
        return row.optimizer if row is not None and self.window().focusWidget() is self.table else None

    def _want_about(self) -> None:
        row = self._row(self.table.currentIndex())
        if row is not None:
            self.about_wanted.emit(row.optimizer)

    @staticmethod
    def _row(index: QModelIndex | QPersistentModelIndex) -> OptimizerRow | None:
        row = index.data(ROW_ROLE) if index.isValid() else None
        return row if isinstance(row, OptimizerRow) else None

    def _choose(self, index: QModelIndex | QPersistentModelIndex) -> None:
        row = self._row(index)
        if row is not None and row.refused is None:
            self.chosen.emit(row.optimizer)
