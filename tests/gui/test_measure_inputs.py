"""What *Measure* in the window asks of the worker: kinds of models, what goes beside them, several ranks."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from pytestqt.qtbot import QtBot
from safetensors.torch import save_file

from optmem_gui.architectures.presets import preset_ref
from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.core.errors import UserError
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.protocol import Categories, Hello, PhaseSample, Result, StepResult
from optmem_gui.core.requests import MeasureRequest
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.per_rank import held_by
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.engine import devices
from optmem_gui.engine.devices import Device, Devices
from optmem_gui.engine.measurement import MeasurementResult
from optmem_gui.gui import measuring as measuring_module
from optmem_gui.gui.dialogs.measure_options import MeasureOptionsDialog
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.panels.measurement import MeasurementPanel
from optmem_gui.gui.snapshot import MeasureStage
from optmem_gui.gui.store import Store
from optmem_gui.gui.tasks import prepare as prepare_module
from optmem_gui.gui.tasks.prepare import PLAIN, MeasureOptions, prepare, prepare_ranks
from tests.gui.conftest import settle

CPU = Device(devices.CPU, "a CPU", 64 << 30, 32 << 30)
ONLY_CPU = Devices((), CPU, None)
CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "vocab_size": 40,
}


def asked(scenario: Scenario, options: MeasureOptions = PLAIN) -> MeasureRequest:
    return prepare(scenario, CPU, 3, None, options).request


def test_a_number_of_parameters_runs_as_a_transformer() -> None:
    request = asked(Scenario(synthetic_ref(200_000), batch=2, sequence=16))
    assert request.shape is not None
    assert (request.config, request.tensors) == ("", ())


def test_a_preset_that_is_no_plain_transformer_is_built_from_its_config() -> None:
    scenario = Scenario(preset_ref("qwen3-30b-a3b"), batch=1, sequence=16)
    request = asked(scenario)
    assert json.loads(request.config)["model_type"] == "qwen3_moe"
    assert request.shape is None
    assert request.tensors == ()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkpoint of two tensors with the config of another size beside it."""
    save_file(
        {"up_proj.weight": torch.zeros(8, 4), "norm.weight": torch.zeros(8)}, tmp_path / "m.safetensors"
    )
    return tmp_path


def test_a_checkpoint_with_its_config_is_built_from_it(folder: Path) -> None:
    (folder / "config.json").write_text(json.dumps(CONFIG))
    scenario = Scenario(open_checkpoint(folder / "config.json").ref, batch=1, sequence=8)
    assert json.loads(asked(scenario).config) == CONFIG


def test_bare_tensors_of_a_checkpoint_are_asked_for_by_their_groups(folder: Path) -> None:
    request = asked(Scenario(open_checkpoint(folder / "m.safetensors").ref, batch=1, sequence=8))
    assert request.config == ""
    assert sorted(tensor.shape for tensor in request.tensors) == [(8,), (8, 4)]


def test_own_values_come_from_the_files_of_the_checkpoint(folder: Path) -> None:
    scenario = Scenario(open_checkpoint(folder / "m.safetensors").ref)
    request = asked(scenario, MeasureOptions(own_weights=True))
    assert request.own_weights == (str((folder / "m.safetensors").resolve()),)
    assert asked(scenario).own_weights == ()


def test_a_function_takes_the_place_of_the_model() -> None:
    prepared = prepare(
        Scenario(synthetic_ref(200_000)), CPU, 3, None, MeasureOptions(function="/a/b.py:step")
    )
    assert prepared.request.function == "/a/b.py:step"
    assert prepared.breakdown is None
    assert prepared.request.tensors == ()


def test_compiling_and_the_history_are_passed_on() -> None:
    scenario = Scenario(synthetic_ref(200_000), batch=1, sequence=8)
    request = asked(scenario, MeasureOptions(compiled=True, history="history.pickle"))
    assert request.compiled
    assert request.history == "history.pickle"


RANKED = Scenario(
    synthetic_ref(200_000), batch=1, sequence=8, precision="fp32", parallel=Parallel(gpus=2, shard="fsdp2")
)


def test_several_ranks_get_a_device_each() -> None:
    prepared = prepare_ranks(RANKED, ONLY_CPU, 2, PLAIN)
    assert prepared.rank_devices == ("cpu", "cpu")
    assert prepared.on_cpu
    assert prepared.scenario.parallel.gpus == 2
    assert prepared.warning is None


def test_ranks_on_one_cpu_share_its_memory() -> None:
    """What one rank needs fits, what both need does not."""
    needed = prepare_ranks(RANKED, ONLY_CPU, 2, PLAIN).breakdown
    assert needed is not None
    tight = Device(devices.CPU, "a CPU", needed.process.high * 2, needed.process.high * 3 // 2)
    assert prepare_ranks(RANKED, Devices((), tight, None), 2, PLAIN).warning is not None


def test_what_goes_with_one_device_only_is_refused_for_ranks() -> None:
    with pytest.raises(UserError, match=r"torch\.compile goes with one device only"):
        prepare_ranks(RANKED, ONLY_CPU, 2, MeasureOptions(compiled=True))
    with pytest.raises(UserError, match="history of the caching allocator is of one device only"):
        prepare_ranks(RANKED, ONLY_CPU, 2, MeasureOptions(history="run.pickle"))
    with pytest.raises(UserError, match="own values go with one device only"):
        prepare_ranks(RANKED, ONLY_CPU, 2, MeasureOptions(own_weights=True))


def finished(request: MeasureRequest, scenario: Scenario, rank: int) -> MeasurementResult:
    """What a rank measures that holds what is said."""
    held = held_by(scenario, rank)
    categories = Categories(held.weights_bytes, held.gradients_bytes, held.master_bytes, held.state_bytes)
    phase = PhaseSample(1, "forward", 0, 1, 0, 100 + rank, 100 + rank)
    step = StepResult(1, (phase,), categories, 0)
    result = Result(phase, step, step, (), 1, 1)
    return MeasurementResult("done", request, Hello(1, "3", "2", "CPU", None, None, 0), result)


class FakeRanks:
    """Stands in for the workers: every rank holds what is said, and the first one speaks."""

    def __init__(self, python: str | None, sample_hz: int) -> None:
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True

    def run(
        self,
        request: MeasureRequest,
        parallel: Parallel,
        ids: Sequence[str],
        on_event: Callable[[int, Any], None],
    ) -> tuple[MeasurementResult, ...]:
        scenario = replace(RANKED, target="cpu", parallel=parallel)
        outcomes = tuple(finished(request, scenario, rank) for rank in range(len(ids)))
        for rank, outcome in enumerate(outcomes):
            on_event(rank, outcome.hello)
        return outcomes


def test_the_window_shows_every_rank_beside_its_estimate(
    window: MainWindow, store: Store, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepare_module, "list_devices", lambda: ONLY_CPU)
    monkeypatch.setattr(measuring_module, "RankMeasurement", FakeRanks)
    for field, text in (
        ("params", "200k"),
        ("precision", "fp32"),
        ("batch", "1"),
        ("sequence", "8"),
        ("parallel.gpus", "2"),
        ("parallel.shard", "fsdp2"),
    ):
        store.edit(field, text)
    window.runs.measurer.start()
    qtbot.waitUntil(lambda: store.snapshot.measurement.stage is MeasureStage.DONE)
    state = store.snapshot.measurement
    assert state.kept is not None
    assert [result.rank for result in state.kept.ranks] == [0, 1]
    held = [row for result in state.kept.ranks for row in result.rows if row.kind == "component"]
    assert held
    assert all(row.difference_bytes == 0 for row in held)
    assert state.result is not None
    assert state.result.peak_bytes == 101  # of the rank that holds most
    panel = window.results.panel("measurement")
    assert isinstance(panel, MeasurementPanel)
    cells = [row.cells for row in panel.model.rows]
    assert {cell[1] for cell in cells} == {"0", "1"}
    assert {cell[-1] for cell in cells if cell[0] != "peak allocated"} == {"exact"}
    assert "rank 1" in panel.remarks.text().lower() or not state.warnings
    settle()


def test_the_dialog_offers_what_the_model_and_the_machine_have(window: MainWindow, qtbot: QtBot) -> None:
    dialog = MeasureOptionsDialog(window.store.snapshot, window.runs._settings, window)
    qtbot.addWidget(dialog)
    assert not dialog.own_weights.isEnabled()
    assert "checkpoint" in dialog.own_weights.toolTip()
    assert not dialog.history.isEnabled()
    dialog.compiled.setChecked(True)
    dialog.steps.setValue(5)
    dialog._begin()
    assert dialog.options == MeasureOptions(compiled=True)
    again = MeasureOptionsDialog(window.store.snapshot, window.runs._settings, window)
    qtbot.addWidget(again)
    assert again.steps.value() == 5
