"""Presets in the window, and configs that their own library builds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QThread
from pytestqt.qtbot import QtBot

from optmem_gui.architectures.presets import PRESETS
from optmem_gui.core.describing import DescribedTensor, DescribeReport
from optmem_gui.core.model import Source
from optmem_gui.engine.config_builder import ConfigBuilder
from optmem_gui.gui.fields import SearchCompleter
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.store import Store

ODD = {"model_type": "odd", "hidden_size": 8}


def test_a_family_that_is_not_known_is_built_by_its_library(
    window: MainWindow, store: Store, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def build(_builder: ConfigBuilder, config: str, cancelled: Callable[[], bool]) -> DescribeReport:
        asked.append(config)
        return DescribeReport("transformers 5.24.0", "Odd", (DescribedTensor("weight", (8, 8), "bf16"),))

    monkeypatch.setattr(ConfigBuilder, "build", build)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(ODD), encoding="utf-8")
    window.open(path)
    qtbot.waitUntil(lambda: not window.loader.is_busy)
    assert [json.loads(text) for text in asked] == [ODD]
    assert store.snapshot.scenario.model.param_count == 64
    assert "Odd as transformers 5.24.0 builds it." in window.inputs.model.file.warnings.text()


def test_a_library_that_builds_for_long_can_be_stopped(
    window: MainWindow, store: Store, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = store.snapshot.scenario.model

    def build(_builder: ConfigBuilder, _config: str, cancelled: Callable[[], bool]) -> None:
        while not cancelled():
            QThread.msleep(5)

    monkeypatch.setattr(ConfigBuilder, "build", build)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(ODD), encoding="utf-8")
    window.open(path)
    bar = window.inputs.model.file.progress
    qtbot.waitUntil(lambda: bar.isVisibleTo(window) and bar.maximum() == 0)  # busy: nobody knows how far
    window.inputs.model.file.cancel.click()
    qtbot.waitUntil(lambda: not window.loader.is_busy)
    assert store.snapshot.scenario.model is before
    assert store.snapshot.load is None


def test_every_preset_can_be_chosen(window: MainWindow, store: Store) -> None:
    for preset in PRESETS.values():
        window.inputs.model.preset.edited.emit("model", preset.id)
        assert store.snapshot.scenario.model.param_count == preset.total
        assert store.snapshot.scenario.model.source is Source.PRESET
        assert window.inputs.model.preset.combo.currentText() == preset.title


def test_presets_stand_under_their_families_and_are_found_by_words(window: MainWindow) -> None:
    combo = window.inputs.model.preset.combo
    rows = [(combo.itemText(row), combo.itemData(row)) for row in range(combo.count())]
    headings = [text for text, value in rows if value is None]
    assert headings == list(dict.fromkeys(preset.family for preset in PRESETS.values()))
    completer = combo.completer()
    assert isinstance(completer, SearchCompleter)
    completer.look_for("deepseek 671")
    model = completer.model()
    assert [model.index(row, 0).data() for row in range(model.rowCount())] == ["DeepSeek-V3 / R1 671B"]


def test_a_preset_says_what_it_is(window: MainWindow) -> None:
    panel = window.inputs.model.preset
    for preset_id, said in (
        ("mixtral-8x7b", "46,702,792,704 parameters, 12,879,925,248 of them active for a token: 32 layers"),
        ("bert-base-uncased", "109,482,240 parameters in 199 tensors"),
        ("llama-3.1-8b", "8,030,261,248 parameters: 32 layers, width 4,096, vocabulary 128,256"),
    ):
        panel.edited.emit("model", preset_id)
        assert panel.note.text().startswith(said)
