"""What one optimizer keeps on the present model, why, and where that is known from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.optimizers.declare import Implementation, Option
from optmem_gui.core.optimizers.page import OptimizerPage, PageOption, optimizer_page
from optmem_gui.core.optimizers.state import OptimizerState
from optmem_gui.core.proof import proof_of
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import OptionValue
from optmem_gui.core.units import format_count
from optmem_gui.gui.dialogs.reading import ReadingDialog, Sayer
from optmem_gui.gui.i18n import listed, model_title, precision_name, render_reason
from optmem_gui.gui.snapshot import Snapshot

Row = tuple[str, str]


class OptimizerPageDialog(ReadingDialog):
    """A page to read beside the window; it follows the model and the options while it is open.

    Emits:
        chosen: Id of the optimizer, when the user wants to train with it.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("optimizerPage", parent)
        self.optimizer = ""
        self.use = self.add_button()
        self.use.clicked.connect(lambda: self.chosen.emit(self.optimizer))
        em = self.fontMetrics().height()
        self.resize(46 * em, 36 * em)
        self.retranslate()

    def show_page(self, optimizer: str, snapshot: Snapshot) -> None:
        """Show the page of an optimizer."""
        if optimizer != self.optimizer:
            self.optimizer = optimizer
            self.go_to_start()
        self.render(snapshot)

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]  # what shows snapshots says it so
        """Show the same page with other figures; where the reader is on it stays."""
        self._snapshot = snapshot
        if self.optimizer not in CATALOGUE:
            return
        page = optimizer_page(snapshot.scenario, self.optimizer)
        chosen = self.optimizer == snapshot.scenario.optimizer
        self.use.setEnabled(not chosen and page.refused is None)
        self.show_html(self._html(page, snapshot))
        self.setWindowTitle(self.optimizer)

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.use.setText(self.tr("&Train with it"))
        self.copy.setText(self.tr("&Copy"))
        self.text.setAccessibleName(self.tr("About this optimizer"))
        if self._snapshot is not None:
            self.render(self._snapshot)

    # -- the text

    def _html(self, page: OptimizerPage, snapshot: Snapshot) -> str:
        entry = page.implementation
        say = Sayer(snapshot)
        parts = [f"<h2>{escape(entry.name)}</h2>", f"<p>{say.reason(entry.about)}</p>"]
        belief = entry.belief_reason
        if belief is not None:
            otherwise = self.tr("Often believed otherwise:")
            parts.append(f"<p><b>{escape(otherwise)}</b> {say.reason(belief)}</p>")
        parts += [f"<p>⚠ {say.reason(Reason(key, {'optimizer': entry.id}))}</p>" for key in entry.cautions]
        if page.refused is not None:
            parts.append(f"<p>⚠ {say.reason(page.refused)}</p>")
        parts.append(_heading(self.tr("What it keeps")))
        parts.append(self._states(page, say, snapshot))
        parts.append(_heading(self.tr("What its step takes beside that")))
        parts.append(self._step(page, say))
        parts.append(_heading(self.tr("Options that change memory")))
        parts.append(self._options(page.options, say))
        parts.append(_heading(self.tr("Where this is known from")))
        parts.append(_table(self._identity(entry)))
        return "".join(parts)

    def _identity(self, entry: Implementation) -> list[Row]:
        proof = proof_of(entry)
        proven = self.tr("{kind}: {what}").format(
            kind=render_reason(proof.label), what=render_reason(proof.what)
        )
        created = {
            "construction": self.tr("when the optimizer is made"),
            "first_step": self.tr("in the first step"),
        }
        rows = [
            (self.tr("Id"), entry.id),
            (self.tr("Import path"), entry.path),
            (self.tr("Family"), entry.family),
            (self.tr("Also found as"), listed(entry.aliases)),
            (self.tr("Runs in"), entry.runtime),
            (self.tr("State is made"), created[entry.created]),
            (self.tr("Proof"), proven),
            (self.tr("Rules read in"), entry.source),
        ]
        return [(name, escape(value)) for name, value in rows if value]

    def _states(self, page: OptimizerPage, say: Sayer, snapshot: Snapshot) -> str:
        state = page.state
        if state is None:
            return _paragraph(self.tr("Not predicted: it cannot train this model."))
        each = _each(page.per_parameter(state.bytes))
        total = self.tr("{size} on {model} in {precision}: {each} bytes a parameter ({bytes} bytes).").format(
            size=say.size(state.bytes),
            model=model_title(snapshot.scenario.model),
            precision=precision_name(snapshot.scenario.precision),
            each=each,
            bytes=format_count(state.bytes),
        )
        heads = (
            self.tr("state"),
            self.tr("dtype"),
            self.tr("size"),
            self.tr("B/param"),
            self.tr("formula and why"),
        )
        absent = ""
        if page.absent:
            absent = _paragraph(
                self.tr("With other options also: {states}.").format(states=listed(page.absent))
            )
        return f"{_paragraph(total)}{self._state_table(page, state, say, heads)}{absent}"

    @staticmethod
    def _state_table(page: OptimizerPage, state: OptimizerState, say: Sayer, heads: Sequence[str]) -> str:
        rows = [
            (
                escape(row.name),
                escape(row.dtype),
                say.size(row.bytes),
                escape(_each(page.per_parameter(row.bytes))),
                f"{say.reason(row.why)}<br>{say.muted(say.reason(row.dtype_why))}",
            )
            for row in state.rows
        ]
        return _table(rows, heads) if rows else ""

    def _step(self, page: OptimizerPage, say: Sayer) -> str:
        if page.temporaries is None:
            words = self.tr("Not predicted: it runs in another runtime than torch.")
            if page.refused is not None:
                words = self.tr("Not predicted: it cannot train this model.")
            return _paragraph(words)
        why = f"<p>{say.reason(page.temporaries.why)}</p>"
        if page.temporaries.exact:
            return why
        return why + _paragraph(self.tr("This is an estimate, not an exact count."))

    def _options(self, options: Iterable[PageOption], say: Sayer) -> str:
        effects = {"state": self.tr("state"), "temporaries": self.tr("temporaries")}
        rows = [
            (
                f"<b>{escape(each.option.name)}</b>" if each.changed else escape(each.option.name),
                escape(self._value(each.option, each.value)),
                escape(self._value(each.option, each.option.default)),
                escape(listed(effects[effect] for effect in each.option.affects)),
                say.reason(each.option.help),
            )
            for each in options
        ]
        if not rows:
            return _paragraph(self.tr("None."))
        heads = (
            self.tr("option"),
            self.tr("set to"),
            self.tr("default"),
            self.tr("changes"),
            self.tr("what it does"),
        )
        return _table(rows, heads)

    def _value(self, option: Option, value: OptionValue) -> str:
        if value is None:
            return self.tr("automatic") if option.kind == "bool" else self.tr("none")
        if isinstance(value, bool):
            return self.tr("on") if value else self.tr("off")
        return f"{value:g}" if isinstance(value, float) else str(value)


def _heading(text: str) -> str:
    return f"<h3>{escape(text)}</h3>"


def _each(bytes_per_parameter: float) -> str:
    """Bytes a parameter; what is as good as nothing is said to be so."""
    if 0 < bytes_per_parameter < 0.001:
        return "< 0.001"
    return f"{bytes_per_parameter:.4g}"


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _table(rows: Sequence[Sequence[str]], heads: Sequence[str] = ()) -> str:
    """A table of cells that are HTML already; names of columns and rows are escaped where they come from."""
    lines = []
    if heads:
        lines.append("<tr>" + "".join(f'<th align="left">{escape(head)}</th>' for head in heads) + "</tr>")
    lines += ["<tr>" + "".join(f'<td valign="top">{cell}</td>' for cell in row) + "</tr>" for row in rows]
    return f'<table cellpadding="3" cellspacing="0">{"".join(lines)}</table>'
