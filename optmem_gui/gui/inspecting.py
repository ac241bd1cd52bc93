"""The checkpoint behind the model, looked into: its tree, its optimizer state, how it is understood.

A choice is worked on off the UI thread. What is shown stays, marked, until it is through; then one undo step
replaces the model. Undoing it, or opening another file, is followed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from optmem_gui.core.reasons import Reason
from optmem_gui.gui.snapshot import CheckpointSummary, Snapshot
from optmem_gui.gui.store import Store
from optmem_gui.gui.tasks.inspect import Inspected, InspectThread, Known, Question
from optmem_gui.gui.tasks.load import LoadedModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from optmem_gui.checkpoints.choices import Choices


@dataclass(frozen=True, slots=True)
class InspectState:
    """How far looking into a checkpoint has come.

    Attributes:
        shown: The last answer; it stays while another one is worked on.
        busy: Another one is worked on.
        asked: The choice that is worked on; None where nothing is, or nothing was chosen.
        reason: Why the last question has no answer.
        refused: The question that has none.
    """

    shown: Inspected | None = None
    busy: bool = False
    asked: Question | None = None
    reason: Reason | None = None
    refused: Question | None = None


class Inspector(QObject):
    """Answers for the page; the latest question wins.

    Emits:
        changed: An :class:`InspectState`.
    """

    changed = Signal(object)

    def __init__(
        self, store: Store, parent: QObject | None = None, python: Callable[[], str] = lambda: ""
    ) -> None:
        super().__init__(parent)
        self._store, self._python = store, python
        self._known: tuple[Path, Path | None, Known] | None = None
        self._current: InspectThread | None = None
        self._choosing = False
        self._threads: set[InspectThread] = set()
        self.state = InspectState()
        self.active = False
        store.changed.connect(self.follow)

    # -- what is known

    def hold(self, loaded: LoadedModel) -> None:
        """Keep what was just read, so that it need not be read again."""
        checkpoint = loaded.checkpoint
        self._known = (checkpoint.path, checkpoint.base, Known(loaded.read, checkpoint.stamp))
        self._give_up()
        self._show(InspectState())

    def activate(self, active: bool) -> None:
        """Follow the store, because the page is seen, or no longer."""
        self.active = active
        if active:
            self.follow(self._store.snapshot)

    def follow(self, snapshot: Snapshot) -> None:
        """Show the checkpoint behind the present model."""
        wanted = _question(snapshot)
        asked = None if self._current is None else self._current.question
        if self._choosing and asked is not None and (wanted is None or wanted.path != asked.path):
            self._give_up()  # the choice was about another file
        if wanted is None:
            if self.state.shown is not None:
                self._give_up()
                self._show(InspectState())
            return
        if not self.active or self._choosing or asked == wanted:
            return
        shown, summary = self.state.shown, snapshot.inputs.checkpoint
        if shown is not None and shown.question == wanted and _stamp(summary) == shown.summary.stamp:
            return
        if self.state.refused != wanted:
            self._ask(wanted, choosing=False)

    # -- what the user wants

    def choose(self, choices: Choices) -> None:
        """Understand the checkpoint in another way; a pattern that freezes replaces one that trains."""
        question = _question(self._store.snapshot)
        if question is not None:
            trained = "" if choices.frozen else question.trained
            self._choose(replace(question, choices=choices, trained=trained))

    def choose_base(self, path: Path) -> None:
        """Put the adapter on this model."""
        question = _question(self._store.snapshot)
        if question is not None:
            self._choose(replace(question, base=path))

    def read_again(self) -> None:
        """Read the files anew, after they changed."""
        question = _question(self._store.snapshot)
        if question is not None:
            self._known = None
            self._choose(question)

    def take(self) -> None:
        """Make the optimizer of the file that of the scenario, as one undo step."""
        shown = self.state.shown
        if shown is None or shown.suggestion is None:
            return
        found = shown.suggestion
        changes: dict[str, object] = {"optimizer": found.optimizer, "options": found.options}
        if found.precision is not None:
            changes["precision"] = found.precision
        self._store.edit("several", (changes, self._store.snapshot.inputs.checkpoint))

    def take_adapter(self) -> None:
        """Make the adapter a setting on its base, so that rank and targets can be changed."""
        setting = None if self.state.shown is None else self.state.shown.as_setting
        if setting is not None:
            changes = {"model": setting.model, "lora": setting.lora}
            self._store.edit("several", (changes, setting.checkpoint))

    def stop(self) -> None:
        """Give up what is worked on."""
        self._give_up()
        self._show(InspectState(self.state.shown))

    def close(self) -> None:
        """Stop and wait, because a thread must not outlive the window."""
        self._give_up()
        for thread in tuple(self._threads):
            thread.wait()

    # -- threads

    def _choose(self, question: Question) -> None:
        shown = self.state.shown
        if shown is not None and shown.question == question and self._known is not None:
            self.stop()
            return
        self._ask(question, choosing=True)

    def _ask(self, question: Question, *, choosing: bool) -> None:
        self._give_up()
        known = None
        if self._known is not None and self._known[:2] == (question.path, question.base):
            known = self._known[2]
        thread = InspectThread(question, known, self, self._python())
        thread.finished.connect(self._finished)
        self._threads.add(thread)
        self._current, self._choosing = thread, choosing
        asked = question if choosing else None
        self._show(InspectState(self.state.shown, busy=True, asked=asked))
        self._store.set_regrouping(choosing)
        thread.start()

    def _give_up(self) -> None:
        if self._current is not None:
            self._current.requestInterruption()
            self._current = None
        self._choosing = False
        self._store.set_regrouping(False)

    def _finished(self) -> None:
        thread = self.sender()
        if not isinstance(thread, InspectThread):
            return
        self._threads.discard(thread)
        thread.deleteLater()
        if thread is not self._current:
            return
        choosing, question = self._choosing, thread.question
        self._current, self._choosing = None, False
        match thread.outcome:
            case Inspected() as found:
                known = Known(found.read, found.summary.stamp, found.as_setting)
                self._known = (question.path, question.base, known)
                self._show(InspectState(found))
                if choosing:
                    self._store.load_model(found.model, found.summary)
            case Reason() as reason:
                self._show(InspectState(self.state.shown, reason=reason, refused=question))
            case _:
                self._show(InspectState(self.state.shown))
        self._store.set_regrouping(False)  # last, because it makes the page look at the model again
        if isinstance(thread.outcome, Exception):
            raise thread.outcome

    def _show(self, state: InspectState) -> None:
        self.state = state
        self.changed.emit(state)


def _question(snapshot: Snapshot) -> Question | None:
    """What the present model asks for; None where no file is behind it."""
    inputs = snapshot.inputs
    checkpoint = inputs.checkpoint
    if checkpoint is None:
        return None
    return Question(checkpoint.path, checkpoint.base, checkpoint.choices, inputs.scenario.model.trained)


def _stamp(checkpoint: CheckpointSummary | None) -> tuple[int, int, int] | None:
    return None if checkpoint is None else checkpoint.stamp
