"""A step of one's own: name the file and its function, agree that it runs, and it is traced or measured."""

from __future__ import annotations

import ast
from pathlib import Path

from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from optmem_gui.core.reasons import Reason
from optmem_gui.gui.cards import IssueLabel
from optmem_gui.gui.i18n import render_reason, without_mnemonic
from optmem_gui.gui.pythons import shown_python

_MOST_BYTES = 4 << 20
"""A longer file is no program that somebody wrote."""


def functions_in(path: Path) -> tuple[str, ...]:
    """Functions of a Python file that can be called without arguments of their own, in the order written.

    The file is parsed, not run. A file that cannot be read or parsed has none.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            return ()
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    found = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    return tuple(node.name for node in found if not _required(node.args))


def _required(arguments: ast.arguments) -> list[str]:
    """Arguments that a caller has to give; ``device`` is given by the worker."""
    positional = [*arguments.posonlyargs, *arguments.args]
    needed = positional[: len(positional) - len(arguments.defaults)]
    only = [a for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is None]
    return [argument.arg for argument in (*needed, *only) if argument.arg != "device"]


class FunctionDialog(QDialog):
    """Asks for a file and a function in it, and for a yes before it runs.

    Attributes:
        function: ``FILE.py:NAME`` once it was accepted.

    Args:
        python: Under which it runs; empty for this program's own.
        last: What was named before.
        parent: Qt's owner.
        measured: Real steps are measured; otherwise one is traced.
    """

    def __init__(
        self, python: str, last: str = "", parent: QWidget | None = None, *, measured: bool = False
    ) -> None:
        super().__init__(parent)
        self.setObjectName("function")
        self._measured = measured
        self.setWindowTitle(
            self.tr("Measure a function of your own")
            if measured
            else self.tr("Simulate a function of your own")
        )
        self._python = shown_python(python)
        self.function = ""
        self.path, self.name = QLineEdit(self), QComboBox(self)
        self.path.setPlaceholderText("train.py")
        self.name.setEditable(True)
        self.issue = IssueLabel(self)
        self.path.textChanged.connect(self._list_functions)
        self._build()
        file, _, name = last.rpartition(":")
        self.path.setText(file)
        if name:
            self.name.setEditText(name)

    def _build(self) -> None:
        browse = QPushButton(self.tr("Choose..."), self)
        browse.setAutoDefault(False)
        browse.clicked.connect(self._choose_file)
        file = QHBoxLayout()
        file.addWidget(self.path, 1)
        file.addWidget(browse)
        form = QFormLayout()
        for text, field in ((self.tr("Python &file"), self.path), (self.tr("F&unction"), self.name)):
            caption = QLabel(text, self)
            caption.setBuddy(field)
            field.setAccessibleName(without_mnemonic(text))
            if field is self.path:
                form.addRow(caption, file)
            else:
                form.addRow(caption, field)
        what = QLabel(self._what().format(python=self._python), self)
        what.setWordWrap(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        verb = self.tr("&Measure") if self._measured else self.tr("&Simulate")
        start = buttons.addButton(verb, QDialogButtonBox.ButtonRole.ActionRole)
        start.setDefault(True)
        start.clicked.connect(self._begin)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(what)
        column.addLayout(form)
        column.addWidget(self.issue)
        column.addWidget(buttons)
        self.setMinimumWidth(34 * self.fontMetrics().height())

    def _what(self) -> str:
        if self._measured:
            return self.tr(
                "The function returns model, batch and loss, or model and a loss that makes its own batch. "
                "It is called once and real steps of it run, with the optimizer and the other settings of "
                "this window, in a process of its own under {python}. Nothing leaves this computer."
            )
        return self.tr(
            "The function returns model, batch and loss, or model and a loss that makes its own batch. "
            "It is called once and its step is traced, with the optimizer and the other settings of this "
            "window, in a process of its own under {python}. Nothing leaves this computer."
        )

    def _choose_file(self) -> None:
        kinds = self.tr("Python files") + " (*.py)"
        name, _ = QFileDialog.getOpenFileName(self, self.tr("Python file"), self.path.text(), kinds)
        if name:
            self.path.setText(name)

    def _list_functions(self, text: str) -> None:
        """Offer what the file has; what was typed stays."""
        path = Path(text.strip())
        typed = self.name.currentText()
        found = functions_in(path) if path.suffix == ".py" and path.is_file() else ()
        self.name.clear()
        self.name.addItems(found)
        if typed and typed not in found:
            self.name.setEditText(typed)

    def _begin(self) -> None:
        path, name = Path(self.path.text().strip()), self.name.currentText().strip()
        reason: Reason | None = None
        if not path.is_file():
            reason = Reason("source.no_file", {"file": str(path)})
        elif not name.isidentifier():
            reason = Reason("source.function_form", {"given": f"{path}:{name}"})
        self.issue.show_issue("" if reason is None else render_reason(reason))
        if reason is None and self._may_run(path.resolve(), name):
            self.function = f"{path.resolve()}:{name}"
            self.accept()

    def _may_run(self, path: Path, name: str) -> bool:
        """A function is code: nothing runs before a yes that shows what."""
        text = self.tr("Run {name} in {path}, under {python}? It can do whatever its code says.").format(
            name=name, path=path, python=self._python
        )
        buttons = QMessageBox.StandardButton
        answer = QMessageBox.question(
            self, self.tr("Run this function"), text, buttons.Yes | buttons.No, buttons.No
        )
        return answer == buttons.Yes
