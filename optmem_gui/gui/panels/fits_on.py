"""Which GPU would do: every one of the table on the present scenario."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHeaderView, QLineEdit, QWidget

from optmem_gui.core.gpu_fits import GpuFit
from optmem_gui.core.units import SizeUnit, format_bytes, format_count
from optmem_gui.gui.i18n import gpu_group_name
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.widgets.copy_table import CopyTable
from optmem_gui.gui.widgets.keyed_table import KEY_ROLE, KeyedOrder, KeyedRow, KeyedTableModel
from optmem_gui.gui.widgets.labels import Sign
from optmem_gui.gui.widgets.text_table import Heads
from optmem_gui.gui.widgets.titled import TitledPanel

_SIGNS: Mapping[str, Sign] = {"yes": "yes", "tight": "tight", "no": "no"}
_RANKS = {"yes": 0, "tight": 1, "no": 2}
_FITS = 1
_FREE = 2
_MANY = 1 << 30
"""Where no number of GPUs is enough, it sorts last."""


class FitsOnPanel(TitledPanel):
    """One row a GPU, sorted and searched; a double click or Enter chooses it.

    Emits:
        edited: ``gpu`` and the id of the one that the user wants.
    """

    edited = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("fitsOn")
        self._snapshot: Snapshot | None = None
        self.search = QLineEdit()
        self.search.setObjectName("fitsOnSearch")
        self.search.setClearButtonEnabled(True)
        self.model = KeyedTableModel(_FITS, self)
        self.order = KeyedOrder(self)
        self.order.setSourceModel(self.model)
        self.table = CopyTable()
        self.table.setObjectName("fitsOnTable")
        self.table.setModel(self.order)
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(_FREE, Qt.SortOrder.DescendingOrder)
        self.table.doubleClicked.connect(self._choose)
        self.table.installEventFilter(self)
        self.search.installEventFilter(self)
        self.search.textChanged.connect(self._search)
        self.body.addWidget(self.search)
        self.body.addWidget(self.table, 1)
        self.retranslate()

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]  # panels render snapshots
        """Show a snapshot; the rows of earlier inputs stay until there are new ones."""
        self._snapshot = snapshot
        fits = snapshot.decisions.fits if snapshot.decisions is not None else ()
        chosen = snapshot.scenario.gpu
        rows = tuple(self._row(fit, snapshot.unit, chosen=fit.gpu.id == chosen) for fit in fits)
        self.model.show_rows(self._heads(), rows)
        header = self.table.horizontalHeader()
        header.setStretchLastSection(False)
        if self.model.columnCount():
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
            for column in range(1, self.model.columnCount()):
                header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self._write_note()

    def _write_note(self) -> None:
        snapshot = self._snapshot
        if snapshot is None or snapshot.decisions is None or not snapshot.decisions.fits:
            self.write_note(self.tr("being computed"))
            return
        fits = snapshot.decisions.fits
        yes = sum(fit.fit.fits == "yes" for fit in fits)
        self.write_note(
            self.tr("fits on {count} of {all} GPUs; a double click chooses one").format(
                count=format_count(yes), all=format_count(len(fits))
            )
        )

    def _heads(self) -> Heads:
        cells = (
            self.tr("GPU"),
            self.tr("fits"),
            self.tr("margin"),
            self.tr("needed"),
        )
        return Heads(cells, (self.tr("margin, bytes"), self.tr("usable, bytes")), frozenset({2, 3}))

    def _row(self, row: GpuFit, unit: SizeUnit, *, chosen: bool) -> KeyedRow:
        gpu, fit = row.gpu, row.fit
        words = {"yes": self.tr("yes"), "tight": self.tr("tight"), "no": self.tr("no")}
        margin = format_bytes(fit.free, unit)
        needed = "-" if row.needed is None else format_count(row.needed)
        if row.needed is None:
            tip = self.tr(
                "{gpu}, {usable} usable: no number of them up to 1,024 is sure to be enough with FSDP2"
            )
        elif fit.fits == "yes":
            tip = self.tr("{gpu}, {usable} usable: fits as it is")
        else:
            tip = self.tr(
                "{gpu}, {usable} usable: surely fits on {needed} of them, shared by FSDP2 at the same batch"
            )
        return KeyedRow(
            cells=(gpu.name, words[fit.fits], margin, needed),
            exact=(str(fit.free), str(fit.usable)),
            tip=tip.format(gpu=gpu.name, usable=format_bytes(fit.usable, unit), needed=needed),
            key=gpu.id,
            order=(
                gpu.name.casefold(),
                _RANKS[fit.fits],
                fit.free,
                _MANY if row.needed is None else row.needed,
            ),
            sign=_SIGNS[fit.fits],
            words=f"{gpu.id} {gpu_group_name(gpu.group)}",
            chosen=chosen,
        )

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.title.setText(self.tr("Fits on"))
        self.search.setPlaceholderText(self.tr("Search: name, product line, yes, no"))
        self.search.setAccessibleName(self.tr("Search the GPUs"))
        self.table.setAccessibleName(self.tr("Every GPU and whether this fits"))
        self.table.setAccessibleDescription(self.tr("Enter chooses the GPU of the row"))
        if self._snapshot is not None:
            self.render(self._snapshot)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow the theme and the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.model.redraw()
        elif event.type() == QEvent.Type.FontChange:
            self.table.fit_rows()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  # Qt's name
        """Enter chooses; the down key goes from the search to the rows."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if watched is self.table and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._choose(self.table.currentIndex())
                return True
            if watched is self.search and event.key() == Qt.Key.Key_Down and self.order.rowCount():
                self.table.setFocus(Qt.FocusReason.TabFocusReason)
                self.table.selectRow(0)
                return True
        return super().eventFilter(watched, event)

    def _search(self, text: str) -> None:
        self.order.search(text)

    def _choose(self, index: QModelIndex | QPersistentModelIndex) -> None:
        if index.isValid():
            self.edited.emit("gpu", index.data(KEY_ROLE))
