"""What else lives on the GPU, and recipes, in the window."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.core.errors import UserError
from optmem_gui.core.observing import OtherProcess
from optmem_gui.core.reasons import Reason
from optmem_gui.core.recipes import RECIPES, with_recipe
from optmem_gui.core.residents import Resident
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.core.units import GIB
from optmem_gui.engine.devices import CPU, Device, Devices
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.resident_edits import read_count, templates, without_row
from optmem_gui.gui.store import Store
from optmem_gui.report.scenario_file import load_scenario, save_scenario

NAMES: Mapping[str, str] = {
    name: name for name in ("ema", "reference", "teacher", "reward", "vae", "text", "kv_cache")
}


def test_templates_are_what_they_say() -> None:
    model = synthetic_ref(7_000_000_000)
    shape = model.architecture
    assert shape is not None
    rows = {each.id: each for each in templates(model, NAMES)}
    assert rows["ema"].resident == Resident("ema", model.param_count, "fp32")
    cache = rows["kv_cache"]
    # keys and values: layers x heads x dimension of each token, 65,536 tokens
    assert cache.resident.count == 2 * shape.layers * shape.kv_heads * shape.head_dim * 65_536
    for each in rows.values():
        assert read_count(each.text) == each.resident.count


@given(factors=st.lists(st.integers(1, 5000), min_size=1, max_size=4))
def test_products_are_read(factors: list[int]) -> None:
    expected = 1
    for factor in factors:
        expected *= factor
    for sign in (" x ", "*", " × "):  # the sign of multiplication itself
        assert read_count(sign.join(map(str, factors))) == expected


@pytest.mark.parametrize("given", ["", "x", "7Q", "2 x", "-3", "1e12 x 1e12"])
def test_no_count_is_said(given: str) -> None:
    with pytest.raises(UserError):
        read_count(given)


def test_rows_behind_a_removed_one_move_up() -> None:
    texts = {"resident.0.count": "a", "resident.1.count": "b", "resident.2.name": "c", "batch": "1"}
    assert without_row(texts, 1) == {"resident.0.count": "a", "resident.1.name": "c", "batch": "1"}


def test_a_row_is_added_edited_and_removed(window: MainWindow, store: Store) -> None:
    panel = window.inputs.residents
    before = store.snapshot.breakdown
    panel.menu.aboutToShow.emit()
    actions = panel.menu.actions()
    assert len(actions) == len(NAMES)
    actions[1].trigger()
    actions[-1].trigger()
    residents = store.snapshot.scenario.residents
    assert [resident.name for resident in residents] == ["Reference model", "KV cache of a rollout engine"]
    after = store.snapshot.breakdown
    assert before is not None
    assert after is not None
    size = sum(resident.size_bytes for resident in residents)
    assert after.component("other_models").bytes == size
    assert after.peak_bytes - before.peak_bytes == size
    assert " x " in store.snapshot.inputs.text("resident.1.count")
    store.edit("resident.0.count", "7Q")
    assert "7Q is no number of elements" in panel.fields["resident.0.count"].issue.text()
    assert store.snapshot.scenario.residents == residents
    store.edit("resident.0.count", "3B")
    store.edit("resident.0.dtype", "nf4")
    assert store.snapshot.scenario.residents[0] == Resident("Reference model", 3_000_000_000, "nf4")
    store.edit("resident_removed", 0)
    assert [resident.name for resident in store.snapshot.scenario.residents] == [residents[1].name]
    assert set(panel.fields) == {"resident.0.name", "resident.0.count", "resident.0.dtype"}
    assert " x " in store.snapshot.inputs.text("resident.0.count")
    store.undo_stack.undo()
    assert len(store.snapshot.scenario.residents) == 2


def test_every_field_has_a_name(window: MainWindow, store: Store) -> None:
    panel = window.inputs.residents
    store.edit("residents_added", templates(store.snapshot.scenario.model, NAMES)[:1])
    for name, field in panel.fields.items():
        editor = field.label.buddy()
        assert editor is not None, name
        assert editor.accessibleName(), name


@pytest.mark.parametrize("recipe_id", RECIPES)
def test_a_recipe_sets_the_fields(window: MainWindow, store: Store, recipe_id: str) -> None:
    before = store.snapshot.scenario
    store.edit("recipe", recipe_id)
    assert not store.snapshot.issues
    assert store.snapshot.scenario == with_recipe(before, RECIPES[recipe_id])
    panel = window.inputs.recipe
    assert panel.reset.isHidden()
    store.edit("precision", "te-fp8")
    assert not panel.reset.isHidden()
    changed = [value.text() for _, value in panel._lines if value.text().startswith("≠")]
    assert len(changed) == 1
    assert "te-fp8" in changed[0] or "TransformerEngine" in changed[0]
    tips = [value.toolTip() for _, value in panel._lines if not value.isHidden()]
    assert all(RECIPES[recipe_id].library.split()[0] in tip for tip in tips)
    panel.reset.click()
    assert store.snapshot.scenario == with_recipe(before, RECIPES[recipe_id])
    assert panel.reset.isHidden()
    store.undo_stack.undo()
    assert store.snapshot.scenario.precision == "te-fp8"


def test_no_recipe_leaves_the_fields_alone(window: MainWindow, store: Store) -> None:
    store.edit("recipe", "hf-trainer")
    chosen = store.snapshot.scenario
    store.edit("batch", "2")
    assert store.snapshot.inputs.scenario.recipe == "hf-trainer"
    store.edit("recipe", "")
    assert store.snapshot.scenario.recipe is None
    assert store.snapshot.scenario.optimizer == chosen.optimizer
    assert window.inputs.recipe.defaults.isHidden()


def test_a_file_opens_with_its_recipe_and_what_was_changed_since(
    window: MainWindow, store: Store, tmp_path: Path
) -> None:
    store.edit("recipe", "peft-lora")
    store.edit("precision", "fp32")
    begun = store.snapshot.scenario
    path = tmp_path / "begun.optmem"
    save_scenario(path, begun)
    store.edit("recipe", "")
    store.load_scenario(load_scenario(path), path)
    panel = window.inputs.recipe
    assert store.snapshot.scenario == begun
    assert panel.choice.combo.currentData() == "peft-lora"
    changed = [name.text() for name, value in panel._lines if value.text().startswith("≠")]
    assert changed == ["Precision"]
    store.undo_stack.undo()
    assert store.snapshot.scenario.recipe is None
    store.undo_stack.redo()
    assert store.snapshot.scenario.recipe == "peft-lora"


def _devices(others: tuple[OtherProcess, ...] | Reason) -> Devices:
    gpu = Device("GPU-1", "NVIDIA L4", 24 * GIB, 19 * GIB, others=others)
    return Devices((gpu,), Device(CPU, "CPU", GIB, GIB), None)


def test_other_processes_are_taken_in_with_one_click(window: MainWindow, store: Store) -> None:
    panel = window.inputs.residents
    assert panel.take_button.isHidden()
    before = store.snapshot.scenario
    there = (OtherProcess(4321, "/usr/bin/python3", 5 * GIB), OtherProcess(7, "C:\\x\\game.exe", GIB))
    store.set_devices(_devices((*there, OtherProcess(99, "", None))))
    said = panel.there.text()
    assert said.startswith(
        "On NVIDIA L4 now: python3 (process 4321), 5.00 GiB; game.exe (process 7), 1.00 GiB"
    )
    assert said.endswith("? (process 99), ?")
    panel.take_button.click()
    assert store.snapshot.scenario.residents == (
        Resident.of_bytes("python3", 5 * GIB),
        Resident.of_bytes("game.exe", GIB),
    )
    assert panel.take_button.isHidden()
    store.undo_stack.undo()
    assert store.snapshot.scenario == before
    assert not panel.take_button.isHidden()


def test_processes_that_the_driver_hides_say_why(window: MainWindow, store: Store) -> None:
    store.set_devices(_devices(Reason("nvml.no_permission")))
    panel = window.inputs.residents
    assert panel.there.text().startswith("Other processes: The driver refuses figures")
    assert panel.take_button.isHidden()
    store.set_devices(_devices(()))
    assert panel.there.isHidden()
