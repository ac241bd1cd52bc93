"""What a kept measurement is called, and what the user wants to remember about it."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from optmem_gui.gui.i18n import without_mnemonic
from optmem_gui.report.kept_result import KeptResult


class DescribeDialog(QDialog):
    """Asks for a name and a note."""

    def __init__(self, kept: KeptResult, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("describeResult")
        self.setWindowTitle(self.tr("Name and note"))
        self.name = QLineEdit(kept.name, self)
        self.name.setPlaceholderText(kept.summary.model)
        self.name.setMaxLength(200)
        self.note = QPlainTextEdit(kept.note, self)
        self.note.setTabChangesFocus(True)
        form = QFormLayout()
        for text, field in ((self.tr("&Name"), self.name), (self.tr("N&ote"), self.note)):
            caption = QLabel(text, self)
            caption.setBuddy(field)
            field.setAccessibleName(without_mnemonic(text))
            form.addRow(caption, field)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self
        )
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addLayout(form)
        column.addWidget(buttons)
        self.setMinimumWidth(26 * self.fontMetrics().height())
