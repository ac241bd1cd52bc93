"""Adding an optimizer of one's own in the window: nothing runs before a yes, and what was found is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from optmem_gui.core.optimizers.catalogue import ALIASES, CATALOGUE
from optmem_gui.core.optimizers.probe import Inference
from optmem_gui.core.optimizers.probed_rules import Case, Condition, ProbedState, Size, UserOptimizer
from optmem_gui.core.probing import ProbeReport, ProbeRequest
from optmem_gui.core.protocol import Progress
from optmem_gui.core.reasons import Reason
from optmem_gui.engine.probe import Probe, ProbeOutcome
from optmem_gui.gui.dialogs.probe import ProbeDialog
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.settings import Settings
from optmem_gui.gui.store import Store
from optmem_gui.paths import OPTIMIZERS_FILE
from optmem_gui.report.user_optimizers import load_user_optimizers

STATES = (
    ProbedState("step", (Case(Size("scalar"), "fp32"),), host=True),
    ProbedState(
        "moment", (Case(Size("full"), "uint8", (Condition("numel", 4096),)), Case(Size("full"), "fp32"))
    ),
)
ENTRY = UserOptimizer("user.Mine", "mine.optim.Mine", "mine 1.0", STATES)


class FakeProbe(Probe):
    """Answers at once what the test wants, and remembers what was asked."""

    asked: list[ProbeRequest]

    def __init__(self, outcome: Callable[[ProbeRequest], ProbeOutcome]) -> None:
        super().__init__()
        self.asked, self._answer = [], outcome

    def run(self, request: ProbeRequest, on_progress: Callable[[Progress], None]) -> ProbeOutcome:
        self.asked.append(request)
        on_progress(Progress("probe", 1, 2))
        return self._answer(request)


def _found(request: ProbeRequest, entry: UserOptimizer | None = ENTRY, *problems: Reason) -> ProbeOutcome:
    return ProbeOutcome(request, ProbeReport("mine 1.0", "2.13.0", ()), Inference(entry, STATES, problems))


@pytest.fixture(autouse=True)
def _catalogue_as_it_was() -> Iterator[None]:
    entries, names = set(CATALOGUE), set(ALIASES)
    yield
    for name in set(CATALOGUE) - entries:
        del CATALOGUE[name]
    for name in set(ALIASES) - names:
        del ALIASES[name]


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was asked before the class ran; the answer is yes."""
    asked: list[str] = []

    def answer(_parent: object, _title: str, text: str, *_buttons: object) -> QMessageBox.StandardButton:
        asked.append(text)
        return QMessageBox.StandardButton.Yes

    monkeypatch.setattr(QMessageBox, "question", answer)
    return asked


def _dialog(qtbot: QtBot, probe: Probe) -> ProbeDialog:
    dialog = ProbeDialog("/my/python", make=lambda _python: probe)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.path.setText("mine.optim:Mine")
    return dialog


def _start(qtbot: QtBot, dialog: ProbeDialog) -> None:
    qtbot.mouseClick(dialog.start, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not dialog.stop.isEnabled())


def test_rules_are_shown_and_can_be_added(qtbot: QtBot, questions: list[str]) -> None:
    probe = FakeProbe(_found)
    dialog = _dialog(qtbot, probe)
    dialog.options.setText("rank=8 fused=true")
    assert not dialog.add.isEnabled()
    _start(qtbot, dialog)
    assert probe.asked[0].options == (("rank", 8), ("fused", True))
    assert "mine.optim.Mine" in questions[0]
    assert "/my/python" in questions[0]
    assert dialog.report.toPlainText().splitlines() == [
        "mine.optim.Mine (mine 1.0)",
        "step: one number, fp32, in host memory",
        (
            "moment: with 4096 or more elements: as many elements as the parameter, uint8; "
            "otherwise as many elements as the parameter, fp32"
        ),
    ]
    with qtbot.waitSignal(dialog.added) as heard:
        qtbot.mouseClick(dialog.add, Qt.MouseButton.LeftButton)
    assert heard.args == [ENTRY]


def test_nothing_runs_without_a_yes(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    probe = FakeProbe(_found)
    monkeypatch.setattr(QMessageBox, "question", lambda *_: QMessageBox.StandardButton.No)
    dialog = _dialog(qtbot, probe)
    qtbot.mouseClick(dialog.start, Qt.MouseButton.LeftButton)
    assert probe.asked == []
    assert dialog.start.isEnabled()


@pytest.mark.parametrize(
    ("path", "options", "said"), [("Mine", "", "no import path"), ("a.B", "x", "name=value")]
)
def test_what_cannot_be_read_is_said_before_anything_is_asked(
    qtbot: QtBot, questions: list[str], path: str, options: str, said: str
) -> None:
    dialog = _dialog(qtbot, FakeProbe(_found))
    dialog.path.setText(path)
    dialog.options.setText(options)
    qtbot.mouseClick(dialog.start, Qt.MouseButton.LeftButton)
    assert said in dialog.issue.text()
    assert questions == []


def test_what_could_not_be_explained_is_listed_and_not_added(qtbot: QtBot, questions: list[str]) -> None:
    problem = Reason("probe.unexplained", {"state": "odd", "examples": "3 x 4: 7 fp32"})
    dialog = _dialog(qtbot, FakeProbe(lambda request: _found(request, None, problem)))
    _start(qtbot, dialog)
    assert "odd: no rule explains its sizes (3 x 4: 7 fp32)" in dialog.report.toPlainText()
    assert "cannot be added" in dialog.issue.text()
    assert not dialog.add.isEnabled()
    assert len(questions) == 1


def test_a_class_that_raises_shows_one_line_and_the_detail(qtbot: QtBot, questions: list[str]) -> None:
    reason = Reason("probe.all_refused", {"path": "mine.optim.Mine", "cause": "ValueError: no"})
    dialog = _dialog(
        qtbot, FakeProbe(lambda request: ProbeOutcome(request, reason=reason, detail="Traceback ..."))
    )
    _start(qtbot, dialog)
    assert "ValueError: no" in dialog.issue.text()
    assert dialog.report.toPlainText() == "Traceback ..."
    assert dialog.path.text() == "mine.optim:Mine"  # nothing lost: it can be corrected and probed again
    assert dialog.start.isEnabled()
    del questions


def test_leaving_the_dialog_stops_what_runs(qtbot: QtBot, questions: list[str]) -> None:
    del questions

    class Slow(FakeProbe):
        def run(self, request: ProbeRequest, on_progress: Callable[[Progress], None]) -> ProbeOutcome:
            del on_progress
            return ProbeOutcome(request, reason=self._lines.get())  # type: ignore[arg-type]  # until cancelled

    dialog = _dialog(qtbot, Slow(_found))
    qtbot.mouseClick(dialog.start, Qt.MouseButton.LeftButton)
    assert dialog.stop.isEnabled()
    dialog.reject()
    assert not dialog.isVisible()


def test_an_entry_is_chosen_saved_and_there_after_a_restart(
    window: MainWindow, store: Store, qtbot: QtBot, make_window: Callable[..., MainWindow]
) -> None:
    """1 B an element, and 4 B a tensor, where tensors have 4096 elements or more; 4 B an element else."""
    window.optimizers.add(ENTRY)
    scenario = store.snapshot.scenario
    assert scenario.optimizer == "user.Mine"
    groups = scenario.model.groups
    moment = sum(g.count * g.numel * (1 if g.numel >= 4096 else 4) for g in groups)
    breakdown = store.snapshot.breakdown
    assert breakdown is not None
    assert breakdown.component("optimizer_state").bytes == moment + 4 * scenario.model.tensor_count
    assert window.inputs.optimizer.choice.combo.currentText() == "Mine (user)"
    qtbot.waitUntil(lambda: "user.Mine" in {row.optimizer for row in store.snapshot.comparison})
    saved, _ = load_user_optimizers(window._settings.path.parent / OPTIMIZERS_FILE)
    assert saved == (ENTRY,)
    window.close()
    del CATALOGUE["user.Mine"]
    again = make_window()
    assert "user.Mine" in CATALOGUE
    qtbot.waitUntil(lambda: "user.Mine" in {row.optimizer for row in again.store.snapshot.comparison})


def test_a_damaged_file_is_said_in_the_window(
    make_window: Callable[..., MainWindow], settings: Settings, qtbot: QtBot
) -> None:
    (settings.path.parent / OPTIMIZERS_FILE).write_text("{")
    window = make_window()
    qtbot.waitUntil(lambda: "set aside" in window.notice.text.text())
