from __future__ import annotations

import ast
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

import optmem_gui.gui
from optmem_gui.core.breakdown import COMPONENT_IDS, PHASE_IDS
from optmem_gui.core.precision import SCHEMES
from optmem_gui.core.reasons import Reason
from optmem_gui.core.simulating import CATEGORIES
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.engine.gpu_table import load_gpus
from optmem_gui.gui import i18n

SOURCES = sorted(Path(optmem_gui.gui.__file__).parent.rglob("*.py"))
TRANSLATING = {"tr", "translate", "QT_TRANSLATE_NOOP"}


def test_every_id_has_a_name() -> None:
    assert set(i18n.COMPONENT_NAMES) == {*COMPONENT_IDS, *CATEGORIES}
    assert set(i18n.PHASE_NAMES) == set(PHASE_IDS)
    assert set(i18n.PRECISION_NAMES) == set(SCHEMES)
    assert set(i18n.GPU_GROUPS) == {gpu.group for gpu in load_gpus().values()}


def test_a_model_of_a_size_is_named_in_the_language_and_others_as_they_are(qapp: QApplication) -> None:
    translators = i18n.Translators(qapp)
    translators.set_language("zh_CN")
    titles = [i18n.kept_title(synthetic_ref(7_000_000_000).title, 7_000_000_000), i18n.kept_title("mine", 7)]
    translators.set_language("en")
    assert titles == ["7B 参数", "mine"]
    assert i18n.kept_title("7B parameters", 7_000_000_000) == "7B parameters"


def test_a_reason_is_written_with_its_values_in_the_chosen_unit() -> None:
    reason = Reason("measure.nothing_fits", {"needed_bytes": 2 * 10**9, "free_bytes": 1 << 30})
    assert "1.00 GiB" in i18n.render_reason(reason, "GiB")
    assert "2.00 GB" in i18n.render_reason(reason, "GB")


def test_a_reason_names_the_stage_it_speaks_of() -> None:
    stages = ("optimizer_step", "start", "build", "unheard-of")
    said = [i18n.render_reason(Reason("measure.cancelled", {"phase": stage})) for stage in stages]
    assert said == [
        "Measurement stopped in optimizer step",
        "Measurement stopped in start-up",
        "Measurement stopped in building the model",
        "Measurement stopped in unheard-of",
    ]


@pytest.mark.parametrize(
    ("label", "spoken"),
    [
        ("&File", "File"),
        ("文件(&F)", "文件"),
        ("Acc&umulation", "Accumulation"),
        ("打开(&O)...", "打开..."),
        ("a && b", "a & b"),
    ],
)
def test_a_label_without_its_mnemonic(label: str, spoken: str) -> None:
    assert i18n.without_mnemonic(label) == spoken


@pytest.mark.parametrize(
    ("names", "expected"),
    [(["zh-Hans-CN", "en"], "zh_CN"), (["de-DE", "en-US"], "en"), (["fr-FR"], "en"), ([], "en")],
)
def test_the_first_language_that_the_program_speaks_is_taken(
    monkeypatch: pytest.MonkeyPatch, names: list[str], expected: str
) -> None:
    class Locale:
        @staticmethod
        def system() -> Locale:
            return Locale()

        def uiLanguages(self) -> list[str]:  # noqa: N802  # Qt's name
            return names

    monkeypatch.setattr(i18n, "QLocale", Locale)
    assert i18n.system_language() == expected


WITH_TABLES = ("i18n.py", "live_actions.py", "module_tree_model.py", "result_rows.py", "treemap_tiles.py")


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


@pytest.mark.parametrize("path", SOURCES, ids=[path.stem for path in SOURCES])
def test_only_plain_literals_are_translated(path: Path) -> None:
    """``lupdate`` takes an f-string, a joined or a formatted text as it stands; it would never match."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        name = _called(call)
        if name not in TRANSLATING or (name == "translate" and len(call.args) == 1):
            continue  # a painter translates as well, by a point
        source = call.args[0] if name == "tr" else call.args[1]
        if name == "translate" and path.name in WITH_TABLES:
            continue  # texts from the tables, each marked where it stands
        assert isinstance(source, ast.Constant), f"{path.name}:{call.lineno}"
        assert isinstance(source.value, str)


@pytest.mark.parametrize("path", SOURCES, ids=[path.stem for path in SOURCES])
def test_nothing_is_translated_inside_an_f_string(path: Path) -> None:
    """``lupdate`` does not look there: the text would be in no file, and stay English in every language."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    hidden = [
        f"{path.name}:{call.lineno}"
        for text in ast.walk(tree)
        if isinstance(text, ast.JoinedStr)
        for call in ast.walk(text)
        if isinstance(call, ast.Call) and _called(call) in TRANSLATING
    ]
    assert hidden == []


def test_chinese_and_back(qapp: QApplication) -> None:
    translators = i18n.Translators(qapp)
    try:
        translators.set_language("zh_CN")
        assert i18n.component_name("weights") != "Weights"
        assert i18n.phase_name("forward") != "forward"
    finally:
        translators.set_language("en")
    assert i18n.component_name("weights") == "Weights"
