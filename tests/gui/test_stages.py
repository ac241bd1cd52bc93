"""Layers of every pipeline stage in the window."""

from __future__ import annotations

from optmem_gui.architectures.presets import preset_ref
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.store import Store


def _two_stages(store: Store) -> None:
    store.load_model(preset_ref("llama-3.1-8b"), None)
    store.edit("parallel.gpus", "8")
    store.edit("parallel.pp", "2")


def _stages(store: Store) -> tuple[int, ...]:
    return store.snapshot.scenario.parallel.stages


def test_layers_are_typed_and_taken_back(window: MainWindow, store: Store) -> None:
    field = window.inputs.sharding.stages
    store.load_model(preset_ref("llama-3.1-8b"), None)
    store.edit("parallel.gpus", "8")
    assert not field.isEnabled()
    _two_stages(store)
    assert field.isEnabled()
    store.edit("parallel.stages", "15, 17")
    assert _stages(store) == (15, 17)
    assert store.snapshot.breakdown is not None
    assert "15 layers" in str(store.snapshot.breakdown.ranks[0].why)
    store.edit("parallel.stages", "")
    assert _stages(store) == ()


def test_a_sum_that_is_not_the_models_is_said_beside_the_field(window: MainWindow, store: Store) -> None:
    _two_stages(store)
    store.edit("parallel.stages", "15, 18")
    assert "33 layers in all, but the model has 32" in str(store.snapshot.issues["parallel.stages"])
    assert "33" in window.inputs.sharding.stages.issue.text()
    assert _stages(store) == ()


def test_another_number_of_stages_forgets_their_layers(window: MainWindow, store: Store) -> None:
    _two_stages(store)
    store.edit("parallel.stages", "15, 17")
    store.edit("parallel.pp", "4")
    assert _stages(store) == ()
    assert not store.snapshot.issues
    assert window.inputs.sharding.stages.edit.text() == ""
    store.undo_stack.undo()
    assert _stages(store) == (15, 17)
