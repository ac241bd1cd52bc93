"""Where the memory goes: every component with its size, its formula and its reason."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QSplitter, QTextBrowser, QWidget

from optmem_gui.core.breakdown import Breakdown, Component
from optmem_gui.core.units import SizeUnit, format_bytes, format_count
from optmem_gui.core.why.answer import Subject
from optmem_gui.gui.i18n import component_name, render_reason
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.widgets.breakdown_model import BreakdownModel, Column, SwatchDelegate
from optmem_gui.gui.widgets.copy_table import CopyTable
from optmem_gui.gui.widgets.painting import em
from optmem_gui.gui.widgets.titled import TitledPanel
from optmem_gui.gui.widgets.why_button import WhyButton


class BreakdownPanel(TitledPanel):
    """The table of components, and below it everything about the selected one.

    Emits:
        why_wanted: The :class:`~optmem_gui.core.why.answer.Subject` to explain.
    """

    why_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("breakdown")
        self._snapshot: Snapshot | None = None
        self.model = BreakdownModel(self)
        self.table = CopyTable()
        self.table.setObjectName("breakdownTable")
        self.table.setModel(self.model)
        self.table.setItemDelegateForColumn(Column.COMPONENT, SwatchDelegate(self.table))
        self.details = QTextBrowser()
        self.details.setObjectName("breakdownDetails")
        self.details.setFrameShape(QFrame.Shape.NoFrame)
        self.details.setOpenLinks(False)
        self.details.setTabChangesFocus(True)
        self.details.document().setDocumentMargin(2)
        self._details_html = ""
        self._widths = [0] * Column.WHY
        self.why = WhyButton()
        self.head.addWidget(self.why)
        self._lay_out()
        self.why.clicked.connect(self.ask_why)
        self.why_action = QAction(self)
        self.why_action.triggered.connect(self.ask_why)
        self.table.addAction(self.why_action)  # of its context menu
        self.table.activated.connect(self.ask_why)
        self.table.resized.connect(self._fit_rows)
        self.table.selectionModel().selectionChanged.connect(self._render_details)
        self.retranslate()

    def _lay_out(self) -> None:
        line = round(em(self))
        halves = QSplitter(Qt.Orientation.Vertical)
        halves.setChildrenCollapsible(False)
        halves.addWidget(self.table)
        halves.addWidget(self.details)
        halves.setStretchFactor(0, 4)
        halves.setStretchFactor(1, 1)
        halves.setSizes([14 * line, 4 * line])
        self.details.setMinimumHeight(2 * line)
        self.body.addWidget(halves, 1)

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]  # panels render snapshots
        """Show a snapshot."""
        self._snapshot = snapshot
        self.model.show_breakdown(snapshot.breakdown, snapshot.unit)
        nothing_moves = snapshot.scenario.parallel.offload == "none"
        if nothing_moves != self.table.isColumnHidden(Column.HOST):
            self.table.setColumnHidden(Column.HOST, nothing_moves)
            self._widths = [0] * Column.WHY
        self._fit_columns()
        self._fit_rows()
        self._render_details()

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self._widths = [0] * Column.WHY
        self.title.setText(self.tr("Breakdown"))
        self.why_action.setText(self.tr("Why this number?"))
        self.why.name(self.tr("Why is the selected number what it is? Also a double click on it, or Enter"))
        self._fit_rows()
        self.table.setAccessibleName(self.tr("Memory by component"))
        self.details.setAccessibleName(self.tr("About the selected component"))
        if self._snapshot is not None:
            self.render(self._snapshot)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow a change of font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.table.fit_rows()
            self._widths = [0] * Column.WHY
            self._fit_columns()

    def _fit_rows(self) -> None:
        """Where not every row has room, hide those of 0 bytes, so that the peak below them is seen."""
        count = self.model.rowCount()
        room = self.table.viewport().height() // max(1, self.table.verticalHeader().defaultSectionSize())
        empty = [row for row in range(count) if self._is_empty(row)] if count > room else []
        for row in range(count):
            if self.table.isRowHidden(row) != (row in empty):
                self.table.setRowHidden(row, row in empty)
        breakdown = None if self._snapshot is None else self._snapshot.breakdown
        note = self.tr("per GPU")
        if breakdown is not None and len(breakdown.ranks) > 1:
            note = self.tr("on the worst rank")
        elif empty:
            note = self.tr("per GPU; empty rows hidden: {count}").format(count=len(empty))
        self.write_note(note)

    def _is_empty(self, row: int) -> bool:
        component = self.model.component_at(row)
        return component is not None and component.counted and component.bytes == 0

    def copy_table(self) -> None:
        """Put the table on the clipboard."""
        self.table.copy()

    def ask_why(self) -> None:
        """Ask why the selected number is what it is; the peak where none is selected."""
        rows = self.table.selectionModel().selectedRows()
        component = self.model.component_at(rows[-1].row()) if rows else None
        asked = Subject("tier", "allocated") if component is None else Subject("component", component.id)
        self.why_wanted.emit(asked)

    def _fit_columns(self) -> None:
        """Widen columns when a text gets wider than any before; they don't jump while a number is typed."""
        texts, width = self.model.texts(), self.table.fontMetrics().horizontalAdvance
        if not texts:
            return
        widths = [max(width(row[column]) for row in texts) for column in range(Column.WHY)]
        if any(new > old for new, old in zip(widths, self._widths, strict=True)):
            self._widths = [max(pair) for pair in zip(widths, self._widths, strict=True)]
            self.table.fit_columns(Column.WHY)

    # Details of the selected row

    def _render_details(self) -> None:
        snapshot = self._snapshot
        if snapshot is None or snapshot.breakdown is None:
            html = ""
        else:
            rows = self.table.selectionModel().selectedRows()
            component = self.model.component_at(rows[-1].row()) if rows else None
            if component is None:
                html = self._assumptions_html(snapshot.breakdown, snapshot.unit)
            else:
                html = self._component_html(component, snapshot.unit)
        if html != self._details_html:
            self._details_html = html
            self.details.setHtml(html)

    def _component_html(self, row: Component, unit: SizeUnit) -> str:
        name, formula = component_name(row.id), render_reason(row.formula, unit)
        head = self.tr("<b>{name}</b>: {text}").format(name=escape(name), text=escape(formula))
        lines = [head, escape(render_reason(row.why, unit))]
        if row.counted:
            lines.append(escape(self._exact(row, unit)))
        if row.host_bytes:
            host = self.tr("{size} of it lives in host memory ({count} bytes)").format(
                size=format_bytes(row.host_bytes, unit), count=format_count(row.host_bytes)
            )
            lines.append(escape(host))
        parts = [
            self.tr("{size}: {text}").format(
                size=escape(format_bytes(part.bytes, unit)), text=escape(render_reason(part.why, unit))
            )
            for part in row.details
        ]
        return _paragraphs(lines) + _list(parts)

    def _exact(self, row: Component, unit: SizeUnit) -> str:
        return self.tr(
            "Largest {size} ({count} bytes); at the peak {at_peak} ({at_peak_count} bytes)"
        ).format(
            size=format_bytes(row.bytes, unit),
            count=format_count(row.bytes),
            at_peak=format_bytes(row.at_peak, unit),
            at_peak_count=format_count(row.at_peak),
        )

    def _assumptions_html(self, breakdown: Breakdown, unit: SizeUnit) -> str:
        check = escape(self.tr("Check:"))
        warnings = [f"<b>{check}</b> {escape(render_reason(reason, unit))}" for reason in breakdown.warnings]
        taken = [escape(render_reason(reason, unit)) for reason in breakdown.assumptions]
        return _paragraphs(warnings) + _list(taken)


def _paragraphs(lines: list[str]) -> str:
    return "".join(f'<p style="margin:0 0 3px 0">{line}</p>' for line in lines)


def _list(items: list[str]) -> str:
    return _paragraphs([f"&#8226; {item}" for item in items])
