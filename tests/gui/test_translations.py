"""Chinese is complete, true to its source, and everywhere; a switch of language leaves nothing behind."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QTranslator
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from optmem_gui import paths
from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.protocol import PhaseSample, Sample
from optmem_gui.core.reasons import Reason
from optmem_gui.core.why.answer import Subject
from optmem_gui.gui.dialogs.about import AboutDialog
from optmem_gui.gui.dialogs.error_report import ErrorReport
from optmem_gui.gui.dialogs.function import FunctionDialog
from optmem_gui.gui.dialogs.optimizer_page import OptimizerPageDialog
from optmem_gui.gui.dialogs.pages import PagesDialog
from optmem_gui.gui.dialogs.probe import ProbeDialog
from optmem_gui.gui.dialogs.settings import SettingsDialog
from optmem_gui.gui.dialogs.why import WhyDialog
from optmem_gui.gui.i18n import without_mnemonic
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.settings import Settings
from optmem_gui.gui.snapshot import MeasurementState, MeasureStage, SimulateStage, SimulationState
from tests.allocator.recorder import as_snapshot
from tests.gui.conftest import settle
from tests.gui.simulation_samples import simulated
from tests.gui.test_memory_snapshots import open_in, program
from tests.gui.texts_shown import texts_shown
from tests.report.kept_samples import kept, kept_ranks
from tools.translations import REASONS, ROOT, TS_FILE, Texts, collect, problems, read

MakeWindow = Callable[..., MainWindow]

_ENGLISH = re.compile(r"[A-Za-z]{2,}(?:,? [a-z]{2,}){2,}")
"""Three words in a row: a sentence, not the name of an option or of a GPU."""


@pytest.fixture(scope="module")
def translations() -> Texts:
    return read(TS_FILE)


# The files


def test_every_text_of_the_program_is_in_the_file_and_translated(translations: Texts) -> None:
    assert sorted(translations) == collect()
    assert list(problems(translations)) == []


def test_the_compiled_file_is_up_to_date(translations: Texts) -> None:
    """``lrelease`` leaves out what is translated by itself, and Qt then gives nothing."""
    translator = QTranslator()
    assert translator.load("optmem_zh_CN", str(paths.translation_dir()))
    compiled = {key: translator.translate(*key) or key[1] for key in translations}
    assert compiled == translations


def test_chinese_keeps_the_letter_of_every_mnemonic(translations: Texts) -> None:
    """So they are as unique as in English; the letter stands in parentheses, before an ellipsis."""
    for (context, source), text in translations.items():
        if context != REASONS and "&" in source:
            letter = re.findall("&(.)", source)[0].upper()
            assert re.fullmatch(rf"[^&]+\(&{letter}\)(\.\.\.)?", text), text


def test_chinese_sentences_have_chinese_marks(translations: Texts) -> None:
    """Half-width marks stay inside code, numbers and Latin words."""
    han = "[\u4e00-\u9fff]"
    wrong = [
        text for text in translations.values() if re.search(rf"{han}[,;:?!.](?!\.)|[,;:?!] ?{han}", text)
    ]
    assert wrong == []


def test_the_chinese_readme_tells_the_same_commands() -> None:
    """What is copied into a shell is the same in both languages, comments for tools left out."""
    english, chinese = (
        (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "README.zh-CN.md")
    )
    blocks = re.compile(r"^```bash\n.*?^```|^\| (?:Windows|macOS) \|.*?$", re.DOTALL | re.MULTILINE)
    assert blocks.findall(chinese) == blocks.findall(english) != []


# The window


def _english(text: str, left: frozenset[str]) -> bool:
    """Whether a text is a source text that is written otherwise in Chinese, or reads like a sentence."""
    return _bare(text) in left or bool(_ENGLISH.search(text))


def _sources(translations: Texts) -> frozenset[str]:
    """Source texts that stand nowhere in Chinese as they are."""
    kept = {_bare(translation) for translation in translations.values()}
    return frozenset({_bare(source) for _context, source in translations} - kept)


def _bare(text: str) -> str:
    return without_mnemonic(text).removesuffix("...")


def left_in_english(shown: dict[str, str], translations: Texts) -> dict[str, str]:
    """What is not Chinese though it could be; where a figure of the table of GPUs is from stays as it is."""
    said = {place: text for place, text in shown.items() if not re.search("input.gpu .*cell", place)}
    left = _sources(translations)
    return {place: text for place, text in said.items() if _english(text, left)}


def _fill(window: MainWindow, qtbot: QtBot) -> None:
    """Bring everything up that can be there: adapters, refused input, a notice, a selected row, the plot."""
    assert window.results.timeline.estimated is not None
    window.store.edit("lora", True)
    window.store.edit("batch", "-3")
    window.store.notice(Reason("drop.nothing_local"))
    window.results.breakdown.table.selectRow(3)
    window.actions_table.submenus["recent"].aboutToShow.emit()
    qtbot.waitUntil(lambda: len(window.store.snapshot.comparison) == len(CATALOGUE))
    qtbot.waitUntil(lambda: decided(window))
    settle()


def decided(window: MainWindow) -> bool:
    """Whether the largest batch and all that is decided beside it belong to what stands in the fields."""
    snapshot = window.store.snapshot
    decisions = snapshot.decisions
    return decisions is not None and decisions.done and decisions.scenario == snapshot.scenario


_SAMPLES = (
    Sample(1_000_000, 3 << 30, 2 << 30),
    PhaseSample(1, "forward", 0, 1_000_000, 1 << 30, 1 << 30, 2 << 30, 3 << 30, 3 << 30),
    PhaseSample(1, "backward", 1_000_000, 2_000_000, 1 << 30, 1 << 30, 2 << 30, 3 << 30, 3 << 30),
)
_HAN = re.compile("[\u4e00-\u9fff]")
STATES = {
    "idle": MeasurementState(),
    "asking": MeasurementState(
        MeasureStage.ASKING,
        device="NVIDIA H100",
        reason=Reason("measure.would_not_fit", {"needed_bytes": 9, "free_bytes": 5, "count": 7}),
        largest_count=7,
    ),
    "preparing": MeasurementState(MeasureStage.PREPARING, device="a CPU", on_cpu=True),
    "starting": MeasurementState(MeasureStage.RUNNING, device="H100", phase="start"),
    "building": MeasurementState(MeasureStage.RUNNING, device="H100", phase="build"),
    "running": MeasurementState(
        MeasureStage.RUNNING,
        device="H100",
        phase="optimizer_step",
        step=2,
        step_count=3,
        fraction=0.5,
        samples=_SAMPLES,
    ),
    "done": MeasurementState(MeasureStage.DONE, device="H100", samples=_SAMPLES, kept=kept()),
    "ranks": MeasurementState(MeasureStage.DONE, device="H100", samples=_SAMPLES, kept=kept_ranks()),
    "stopping": MeasurementState(MeasureStage.STOPPING, device="H100"),
    "failed": MeasurementState(
        MeasureStage.FAILED,
        device="H100",
        reason=Reason("measure.crashed", {"phase": "backward", "signal": "SIGSEGV"}),
        notes=(Reason("nvml.process_hidden"),),
        detail="Traceback",
    ),
    "cancelled": MeasurementState(
        MeasureStage.CANCELLED, device="H100", reason=Reason("measure.cancelled", {"phase": "build"})
    ),
}


def test_the_detector_finds_english_and_lets_names_pass(translations: Texts) -> None:
    found = ["Weights", "&Open...", "Open", "drop one file here", "Fits: 3 GiB free of memory"]
    passed = [
        "权重",
        "AdamW (torch)",
        "H100 SXM5 80GB",
        "torch.AdamW: exp_avg, exp_avg_sq",
        "bf16+fp32",
        "GiB",
        "",
    ]
    left = _sources(translations)
    assert [text for text in (*found, *passed) if _english(text, left)] == found


@pytest.mark.parametrize("state", STATES)
def test_nothing_is_left_in_english(
    make_window: MakeWindow, qtbot: QtBot, translations: Texts, state: str
) -> None:
    window = make_window("zh_CN")
    _fill(window, qtbot)
    window.store.set_measurement(STATES[state])
    settle()
    shown = texts_shown(window)
    assert left_in_english(shown, translations) == {}
    assert len([text for text in shown.values() if _HAN.search(text)]) > 200
    assert "优化器更新" in [text for place, text in shown.items() if "estimatedPlot" in place]


@pytest.mark.parametrize("state", ["idle", "asking", "running", "done", "failed"])
def test_a_switch_of_language_leaves_nothing_behind(
    make_window: MakeWindow, qtbot: QtBot, state: str
) -> None:
    """English to Chinese and back is what was there before; Chinese is what a Chinese start shows."""
    window = make_window("en")
    _fill(window, qtbot)
    window.store.set_measurement(STATES[state])
    settle()
    before = texts_shown(window)
    _switch(window, "zh_CN")
    chinese = texts_shown(window)
    _switch(window, "en")
    assert texts_shown(window) == before
    window.close()
    started = make_window("zh_CN")
    _fill(started, qtbot)
    started.store.set_measurement(STATES[state])
    settle()
    assert chinese == texts_shown(started)


SIMULATIONS = {
    "starting": SimulationState(SimulateStage.RUNNING, phase="start"),
    "tracing": SimulationState(SimulateStage.RUNNING, phase="backward", step=2, step_count=3),
    "stopping": SimulationState(SimulateStage.STOPPING),
    "cancelled": SimulationState(SimulateStage.CANCELLED),
    "failed": SimulationState(
        SimulateStage.FAILED,
        reason=Reason("simulate.crashed", {"phase": "backward", "signal": "SIGSEGV"}),
        detail="Traceback",
    ),
}
RESULTS: dict[str, dict[str, Any]] = {
    "exact": {"exact": True},
    "a band": {"peak_high_bytes": 99 << 30},
    "out of memory": {"out_of_memory": True},
}


@pytest.mark.parametrize("state", [*SIMULATIONS, *RESULTS, "stale"])
def test_no_simulation_is_left_in_english(
    make_window: MakeWindow, qtbot: QtBot, translations: Texts, state: str
) -> None:
    window = make_window("zh_CN")
    _fill(window, qtbot)
    known = SIMULATIONS.get(state)
    window.store.set_simulation(known or simulated(window.store.snapshot, **RESULTS.get(state, {})))
    if state == "stale":
        window.store.edit("batch", "3")
    settle()
    assert left_in_english(_without_names(texts_shown(window)), translations) == {}


def _without_names(shown: dict[str, str]) -> dict[str, str]:
    """Texts without those that name a module or an operator of torch, which are not translated."""
    return {place: text for place, text in shown.items() if "aten::" not in text and "layers." not in text}


@pytest.mark.parametrize("page", range(4))
def test_a_memory_snapshot_is_not_left_in_english(
    make_window: MakeWindow, qtbot: QtBot, translations: Texts, tmp_path: Path, page: int
) -> None:
    path = tmp_path / "run.pickle"
    path.write_bytes(pickle.dumps(as_snapshot(program().recording())))
    window = make_window("zh_CN")
    shown_page = open_in(window, path, qtbot)
    shown_page.pages.show_page(page)
    shown_page.what_if.button.click()
    qtbot.waitUntil(lambda: len(shown_page.what_if.model.rows) == 2)
    settle()
    shown = {place: text for place, text in texts_shown(shown_page).items() if "train.py" not in text}
    assert left_in_english(shown, translations) == {}
    assert any(_HAN.search(text) for text in shown.values())


def _switch(window: MainWindow, language: str) -> None:
    window.actions_table[f"language.{language}"].trigger()
    settle()
    window.actions_table.submenus["recent"].aboutToShow.emit()
    settle()


@pytest.mark.parametrize("shown", ["simulation", "memory snapshot"])
def test_a_switch_of_language_and_back_is_what_was_there_before(
    make_window: MakeWindow, qtbot: QtBot, tmp_path: Path, shown: str
) -> None:
    window = make_window("en")
    _fill(window, qtbot)
    if shown == "simulation":
        window.store.set_simulation(simulated(window.store.snapshot))
    else:
        path = tmp_path / "run.pickle"
        path.write_bytes(pickle.dumps(as_snapshot(program().recording())))
        page = open_in(window, path, qtbot)
        page.what_if.button.click()
        qtbot.waitUntil(lambda: len(page.what_if.model.rows) == 2)
        window.actions_table.submenus["recent"].aboutToShow.emit()
    settle()
    before = texts_shown(window)
    _switch(window, "zh_CN")
    _switch(window, "en")
    assert texts_shown(window) == before


def _page(window: MainWindow) -> OptimizerPageDialog:
    """AdamW's, which has every part: something believed otherwise, states, a bound of the step, options."""
    page = OptimizerPageDialog(window)
    page.show_page("torch.AdamW", window.store.snapshot)
    return page


def _why(window: MainWindow) -> WhyDialog:
    dialog = WhyDialog(window)
    dialog.show_subject(Subject("tier", "process"), window.store.snapshot)
    return dialog


@pytest.mark.parametrize(
    "kind", ["about", "settings", "report", "optimizer", "probe", "function", "why", "pages"]
)
def test_dialogs_are_chinese(
    make_window: MakeWindow, settings: Settings, translations: Texts, kind: str
) -> None:
    window = make_window("zh_CN")
    made: dict[str, Callable[[], QDialog]] = {
        "about": lambda: AboutDialog(window),
        "settings": lambda: SettingsDialog(settings, window),
        "report": lambda: ErrorReport("Traceback", window),
        "optimizer": lambda: _page(window),
        "probe": lambda: ProbeDialog("", window),
        "function": lambda: FunctionDialog("", "", window),
        "why": lambda: _why(window),
        "pages": lambda: PagesDialog(window),
    }
    dialog = made[kind]()
    shown = {place: text for place, text in texts_shown(dialog).items() if str(settings.path) not in text}
    dialog.deleteLater()
    licences = "QPlainTextEdit"  # names and versions, to be copied
    left = left_in_english(shown, translations)
    assert {place: text for place, text in left.items() if licences not in place} == {}
    assert any(_HAN.search(text) for text in shown.values())
