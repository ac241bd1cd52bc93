from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from optmem_gui.core.gpus import Gpu
from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.engine.gpu_table import load_gpus
from optmem_gui.gui import store as store_module
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.store import FIRST_GPU, Store, first_scenario


@pytest.fixture
def lone() -> Iterator[Store]:
    """A store without a window."""
    made = Store(load_gpus(), replace(first_scenario(), model=synthetic_ref(1_000_000_000)))
    yield made
    made.deleteLater()


def test_the_first_gpu_is_in_the_table() -> None:
    assert FIRST_GPU in load_gpus()


def test_an_edit_gives_a_new_snapshot_with_its_figures(lone: Store, qtbot: QtBot) -> None:
    before = lone.snapshot
    with qtbot.waitSignal(lone.changed) as signal:
        lone.edit("params", "2B")
    after: Snapshot = signal.args[0]
    assert after is lone.snapshot
    assert before.breakdown is not None
    assert after.breakdown is not None
    # bf16 weights: 2 bytes a parameter.
    assert before.breakdown.component("weights").bytes == 2 * 10**9
    assert after.breakdown.component("weights").bytes == 4 * 10**9


def test_the_same_value_is_no_edit(lone: Store) -> None:
    lone.edit("precision", lone.snapshot.scenario.precision)
    assert lone.undo_stack.count() == 0


def test_undo_and_redo_go_through_every_edit(lone: Store) -> None:
    lone.edit("precision", "fp32")
    lone.edit("optimizer", "torch.SGD")
    lone.undo_stack.undo()
    assert lone.snapshot.scenario.optimizer == "torch.AdamW"
    assert lone.snapshot.scenario.precision == "fp32"
    lone.undo_stack.undo()
    assert lone.snapshot.scenario.precision == "bf16"
    lone.undo_stack.redo()
    lone.undo_stack.redo()
    assert lone.snapshot.scenario.optimizer == "torch.SGD"


def test_quick_typing_in_one_field_is_one_step(lone: Store) -> None:
    for text in ("1", "13", "13B"):
        lone.edit("params", text)
    assert lone.undo_stack.count() == 1
    lone.undo_stack.undo()
    assert lone.snapshot.scenario.model.param_count == 1_000_000_000
    assert lone.snapshot.inputs.text("params") == "1B"


def test_slow_typing_is_several_steps(lone: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "MERGE_SECONDS", 0.0)
    lone.edit("params", "13")
    lone.edit("params", "13B")
    assert lone.undo_stack.count() == 2


def test_typing_and_taking_back_leaves_nothing_to_undo(lone: Store) -> None:
    lone.edit("clip", True)
    lone.edit("clip", False)
    assert lone.undo_stack.count() == 0


def test_invalid_input_leaves_the_last_result_and_marks_it(lone: Store) -> None:
    good = lone.snapshot.breakdown
    lone.edit("params", "nonsense")
    assert lone.snapshot.stale
    assert lone.snapshot.issues["params"].key == "count.not_a_number"
    assert lone.snapshot.breakdown == good
    lone.edit("params", "3B")
    after = lone.snapshot
    assert not after.stale
    assert not after.issues


def test_a_refused_combination_stays_beside_the_field_that_made_it(lone: Store) -> None:
    lone.edit("option.foreach", True)
    lone.edit("option.fused", True)
    good = lone.snapshot.breakdown
    assert set(lone.snapshot.issues) == {"option.fused"}
    assert lone.snapshot.scenario.options == (("foreach", True),)
    lone.edit("batch", "4")
    assert set(lone.snapshot.issues) == {"option.fused"}
    assert lone.snapshot.breakdown == good
    # Taking the other side of the conflict back makes everything typed meanwhile count.
    lone.edit("option.foreach", None)
    assert not lone.snapshot.issues
    assert lone.snapshot.scenario.batch == 4
    assert dict(lone.snapshot.scenario.options) == {"fused": True}


def test_unknown_targets_are_refused_and_the_figures_stay(lone: Store) -> None:
    lone.edit("lora", True)
    good = lone.snapshot.breakdown
    lone.edit("lora.targets", "no_such_layer")
    assert lone.snapshot.issues["lora.targets"].key == "lora.no_target"
    assert lone.snapshot.breakdown == good


def test_a_load_is_one_step_and_keeps_edits_made_meanwhile(lone: Store) -> None:
    lone.edit("precision", "fp32")
    lone.load_model(synthetic_ref(123_456), None)
    assert lone.snapshot.scenario.model.param_count == 123_456
    assert lone.snapshot.scenario.precision == "fp32"
    lone.undo_stack.undo()
    assert lone.snapshot.scenario.model.param_count == 1_000_000_000
    assert lone.snapshot.scenario.precision == "fp32"


def test_a_scenario_file_is_clean_until_it_is_edited(lone: Store) -> None:
    path = Path("/somewhere/run.optmem")
    lone.load_scenario(replace(first_scenario(), gpu="no-such-gpu"), path)
    assert lone.snapshot.file == path
    assert lone.snapshot.scenario.gpu is None
    assert lone.undo_stack.isClean()
    lone.edit("clip", True)
    assert not lone.undo_stack.isClean()
    lone.undo_stack.undo()
    assert lone.undo_stack.isClean()


def test_the_comparison_follows_and_the_latest_edit_wins(lone: Store, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: lone.snapshot.comparison_complete)
    lone.edit("params", "2B")
    assert not lone.snapshot.comparison_complete
    lone.edit("params", "3B")
    with qtbot.waitSignal(lone.comparison_changed):
        pass
    rows = {row.optimizer: row for row in lone.snapshot.comparison}
    assert set(rows) == set(CATALOGUE)
    # AdamW keeps two bf16 moments: 2 x 2 bytes a parameter, and a 4-byte step a tensor beside them.
    state = rows["torch.AdamW"].state_bytes
    assert 12 * 10**9 <= state < 12 * 10**9 + 10_000
    assert rows["torch.SGD"].state_bytes == 0
    present = lone.snapshot.breakdown
    assert present is not None
    assert rows["torch.AdamW"].peak_bytes == present.peak_bytes


def test_the_comparison_holds_the_thread_only_in_slices(
    lone: Store, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    qtbot.waitUntil(lambda: lone.snapshot.comparison_complete)
    monkeypatch.setattr(store_module, "SLICE_SECONDS", 0.0)
    turns: list[int] = []
    lone._slices.timeout.connect(lambda: turns.append(len(turns)))
    lone.edit("params", "2B")
    qtbot.waitUntil(lambda: lone.snapshot.comparison_complete)
    assert len(turns) >= len(CATALOGUE)


def test_switching_the_unit_is_no_edit(lone: Store, qtbot: QtBot) -> None:
    with qtbot.waitSignal(lone.changed):
        lone.set_unit("GB")
    assert lone.snapshot.unit == "GB"
    assert lone.undo_stack.count() == 0


def test_the_gpu_gives_the_verdict(lone: Store) -> None:
    lone.edit("gpu", None)
    assert lone.snapshot.gpu is None
    assert lone.snapshot.breakdown is not None
    assert lone.snapshot.breakdown.fit is None
    lone.edit("gpu", FIRST_GPU)
    after = lone.snapshot
    assert isinstance(after.gpu, Gpu)
    assert after.breakdown is not None
    assert after.breakdown.fit is not None
    assert after.breakdown.fit.usable == after.gpu.usable_bytes
