"""*Why?*: one number with what went into it, its source, its proof, and what is often believed."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from PySide6.QtCore import QLocale, QSignalBlocker, Qt, QUrl, Signal
from PySide6.QtWidgets import QComboBox, QLabel, QWidget

from optmem_gui.core.breakdown import Band
from optmem_gui.core.proof import ProofKind
from optmem_gui.core.units import format_count
from optmem_gui.core.why.answer import Subject, SubjectKind, Term, Why, subjects_of
from optmem_gui.core.why.explain import explain
from optmem_gui.gui.dialogs.pages import page_title
from optmem_gui.gui.dialogs.reading import ReadingDialog, Sayer
from optmem_gui.gui.i18n import component_name, labelled, phase_name, render_reason
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.widgets.painting import em

PROOF_MARKS: dict[ProofKind, str] = {
    "run": "●",
    "recording": "◉",
    "carried": "◐",
    "source": "○",
    "probed": "◆",
    "given": "–",
}
"""A mark a kind of proof: the fuller, the stronger."""

_SHOWN = 8
"""Terms that are listed; the rest is added up in one line."""

_LINKS = {"term.allocated": Subject("tier", "allocated"), "term.reserved": Subject("tier", "reserved")}
"""Terms that are numbers of their own and can be asked about in turn."""


class WhyDialog(ReadingDialog):
    """A small window to read beside the main one; it follows the figures while it is open.

    Emits:
        page_wanted: Name of a page that tells more.
    """

    page_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        label, choice = QLabel(), QComboBox()
        super().__init__("why", parent, (label, choice))
        self._subjects: tuple[Subject, ...] = ()
        self.subject = Subject("tier", "allocated")
        self.label, self.choice = label, choice
        self.choice.setObjectName("whySubject")
        self.label.setBuddy(self.choice)
        self.text.setOpenLinks(False)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.choice.activated.connect(self._chosen)
        self.text.anchorClicked.connect(self._follow_link)
        line = round(em(self))
        self.resize(36 * line, 34 * line)
        self.retranslate()

    def show_subject(self, subject: Subject, snapshot: Snapshot) -> None:
        """Turn to another number."""
        if subject != self.subject:
            self.subject = subject
            self.go_to_start()
        self.render(snapshot)

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]  # what shows snapshots says it so
        """Show the same number of another estimate; where the reader is on it stays."""
        self._snapshot = snapshot
        if snapshot.breakdown is None:
            self.text.clear()
            return
        subjects = subjects_of(snapshot.breakdown)
        if self.subject not in subjects:
            self.subject = subjects[0]
        self._list(subjects)
        why = explain(self.subject, snapshot.scenario, snapshot.gpu, snapshot.breakdown)
        self.show_html(self._html(why, snapshot))
        self.setWindowTitle(self.tr("Why? {name}").format(name=self._name(self.subject)))

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.label.setText(self.tr("&Number"))
        self.choice.setAccessibleName(self.tr("Number to explain"))
        self.copy.setText(self.tr("&Copy"))
        self.text.setAccessibleName(self.tr("Why this number"))
        self._subjects = ()
        if self._snapshot is not None:
            self.render(self._snapshot)

    # -- choosing

    def _list(self, subjects: tuple[Subject, ...]) -> None:
        """Offer every number; kinds are set apart by a line."""
        with QSignalBlocker(self.choice):
            if subjects != self._subjects:
                self._subjects = subjects
                self.choice.clear()
                kind: SubjectKind = "tier"
                for subject in subjects:
                    if subject.kind != kind:
                        self.choice.insertSeparator(self.choice.count())
                        kind = subject.kind
                    self.choice.addItem(self._name(subject), subject)
            self.choice.setCurrentIndex(self._place_of(self.subject))

    def _place_of(self, subject: Subject) -> int:
        return next(row for row in range(self.choice.count()) if self.choice.itemData(row) == subject)

    def _chosen(self, row: int) -> None:
        subject = self.choice.itemData(row)
        if isinstance(subject, Subject) and self._snapshot is not None:
            self.show_subject(subject, self._snapshot)

    def _follow_link(self, link: QUrl) -> None:
        if link.scheme() == "page":
            self.page_wanted.emit(link.path())
            return
        place = link.path()
        if place.isdigit() and int(place) < len(self._subjects) and self._snapshot is not None:
            self.show_subject(self._subjects[int(place)], self._snapshot)

    def _name(self, subject: Subject) -> str:
        if subject.kind == "component":
            return component_name(subject.id)
        if subject.kind == "phase":
            return self.tr("Phase: {phase}").format(phase=phase_name(subject.id))
        if subject.kind == "rank":
            return self.tr("Rank: stage {number}").format(number=format_count(int(subject.id) + 1))
        return {
            "allocated": self.tr("Peak: allocated"),
            "reserved": self.tr("Peak: reserved by PyTorch"),
            "process": self.tr("Peak: shown for the process"),
        }[subject.id]

    # -- the text

    def _html(self, why: Why, snapshot: Snapshot) -> str:
        say = _Sayer(snapshot)
        result = self.tr("not counted") if why.result is None else self._band(why.result, say)
        title = f"<b>{labelled(escape(self._name(why.subject)), result)}</b>"
        parts = [
            f'<p style="margin-bottom:2px"><span style="font-size:large">{title}</span></p>',
            f"<p>{say.reason(why.why)}</p>",
            self._numbers(why, say),
        ]
        if why.belief is not None:
            parts.append(say.box(self.tr("Often believed otherwise"), say.reason(why.belief)))
        parts.append(say.heading(self.tr("How it was proven")))
        for proof in why.proofs:
            mark = f"{PROOF_MARKS[proof.kind]} <b>{say.reason(proof.label)}</b>"
            parts.append(say.line(f"{mark}<br>{say.reason(proof.what)}"))
        parts.append(say.heading(self.tr("Where the rule is from")))
        parts += [say.line(say.reason(source)) for source in why.sources]
        more = self.tr("Read more: {title}").format(title=page_title(why.page, QLocale()))
        parts.append(f"<p>{say.link(f'page:{why.page}', more)}</p>")
        return "".join(parts)

    def _band(self, band: Band, say: _Sayer) -> str:
        if band.low == band.high:
            exact = self.tr("{count} bytes").format(count=format_count(band.low))
            return f"{say.size(band.low)}</b> {say.muted(escape(exact))}<b>"
        template = self.tr("{low} to {high}")
        return template.format(low=say.size(band.low), high=say.size(band.high))

    def _numbers(self, why: Why, say: _Sayer) -> str:
        """Formula, the numbers put in, and the result below a line."""
        formula = self.tr("Formula: {formula}").format(formula=render_reason(why.formula, say.unit))
        head = say.heading(self.tr("Numbers put in")) if why.terms else ""
        rows = [self._row(term, say) for term in why.terms[:_SHOWN]]
        rest = why.terms[_SHOWN:]
        if rest:
            words = self.tr("{count} smaller ones").format(count=format_count(len(rest)))
            rows.append((self._span(rest, say), escape(words)))
        if why.result is not None and len(why.terms) > 1:
            words = self.tr("the largest of them") if why.operation == "largest" else self.tr("in all")
            size = self._span((Term(why.formula, why.result.low, why.result.high),), say)
            rows.append((f"<b>{size}</b>", f"<b>{escape(words)}</b>"))
        return f"{say.line(say.muted(escape(formula)))}{head}{say.table(rows)}"

    def _row(self, term: Term, say: _Sayer) -> tuple[str, str]:
        what = say.reason(term.what)
        subject = _LINKS.get(term.what.key)
        if term.what.key == "term.component":
            subject = Subject("component", str(term.what.values["component"]))
            what = escape(component_name(subject.id))
        if subject in self._subjects:
            what = f'<a href="why:{self._subjects.index(subject)}">{what}</a>'
        return self._span((term,), say), what

    def _span(self, terms: Iterable[Term], say: _Sayer) -> str:
        terms = tuple(terms)
        low, high = sum(term.low for term in terms), sum(term.high for term in terms)
        if low == high:
            return say.size(low)
        return self.tr("{low} to {high}").format(low=say.size(low), high=say.size(high))


class _Sayer(Sayer):
    """The same with the parts that an explanation has."""

    def link(self, target: str, text: str) -> str:
        return f'<a href="{escape(target)}">{escape(text)}</a>'

    @staticmethod
    def heading(text: str) -> str:
        return f'<p style="margin-top:10px; margin-bottom:2px"><b>{escape(text)}</b></p>'

    @staticmethod
    def line(html: str) -> str:
        return f'<p style="margin-top:2px; margin-bottom:2px">{html}</p>'

    def box(self, title: str, html: str) -> str:
        """A block that stands out by its ground and its edge, for what is often believed."""
        return (
            '<table width="100%" cellspacing="0" cellpadding="0" style="margin-top:10px"><tr>'
            f'<td width="4" style="background-color:{self.tone.caution}"></td>'
            f'<td style="background-color:{self.tone.window}; padding:8px">'
            f"<b>{escape(title)}</b><br>{html}</td>"
            "</tr></table>"
        )

    @staticmethod
    def table(rows: Iterable[tuple[str, str]]) -> str:
        cells = "".join(
            f'<tr><td align="right" style="white-space:nowrap; padding-right:10px">{size}</td>'
            f"<td>{what}</td></tr>"
            for size, what in rows
        )
        return f'<table cellspacing="0" cellpadding="2">{cells}</table>' if cells else ""
