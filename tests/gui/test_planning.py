"""The layout of a run over several GPUs in the window: fields, figures of the worst rank, and the planner."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from optmem_gui.architectures.presets import preset_ref
from optmem_gui.core.estimate import compute
from optmem_gui.core.parallel import ONE_GPU, Parallel
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.planner import Planner
from optmem_gui.engine.gpu_table import find_gpu
from optmem_gui.gui.dialogs.planner import PlannerDialog
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.store import Store
from optmem_gui.gui.tasks.plan import BEYOND, PlanThread
from optmem_gui.gui.widgets.breakdown_model import Column
from optmem_gui.gui.widgets.count_plot import LEAST, series_of


def _fill(store: Store) -> None:
    store.load_model(preset_ref("llama-3.1-8b"), None)
    for name, value in (("sequence", "4096"), ("accumulate", "8"), ("gpu", "rtx-4090")):
        store.edit(name, value)


def _planned(window: MainWindow, qtbot: QtBot) -> PlannerDialog:
    window.actions_table["plan"].trigger()
    dialog = window.planning.dialog
    assert dialog is not None
    qtbot.waitUntil(lambda: not dialog.again.isHidden())
    return dialog


def test_one_gpu_shows_one_field(window: MainWindow, store: Store) -> None:
    panel = window.inputs.sharding
    assert panel.shard.isHidden()
    store.edit("parallel.gpus", "8")
    assert not panel.shard.isHidden()
    assert store.snapshot.scenario.parallel == Parallel(gpus=8)
    store.undo_stack.undo()
    assert panel.shard.isHidden()
    assert store.snapshot.scenario.parallel == ONE_GPU


def test_fields_without_sense_say_why(window: MainWindow, store: Store) -> None:
    panel = window.inputs.sharding
    store.edit("parallel.gpus", "8")
    for field in (panel.ep, panel.replicas, panel.interleave, panel.offload, panel.sequence):
        assert not field.isEnabled()
        assert field.note.text()
    assert panel.bucket.isEnabled()
    store.edit("parallel.shard", "hsdp")
    store.edit("parallel.tp", "2")
    store.edit("parallel.pp", "2")
    for field in (panel.replicas, panel.interleave, panel.offload, panel.sequence):
        assert field.isEnabled()
        assert not field.note.text()
    assert not panel.bucket.isEnabled()


def test_sizes_that_conflict_stand_beside_the_field(window: MainWindow, store: Store) -> None:
    store.edit("parallel.gpus", "8")
    store.edit("parallel.tp", "3")
    panel = window.inputs.sharding
    assert "8 does not divide by 3" in panel.tp.issue.text()
    assert store.snapshot.stale
    store.edit("parallel.tp", "many")
    assert "many" in panel.tp.issue.text()
    store.edit("parallel.tp", "4")
    assert not panel.tp.issue.text()
    assert store.snapshot.scenario.parallel.tp == 4


def test_another_engine_gives_up_what_only_the_last_one_has(store: Store) -> None:
    store.edit("parallel.gpus", "8")
    store.edit("parallel.bucket_view", True)
    store.edit("parallel.shard", "fsdp2")
    store.edit("parallel.offload", "all")
    assert not store.snapshot.issues
    store.edit("parallel.shard", "megatron")
    assert store.snapshot.scenario.parallel == Parallel(gpus=8, shard="megatron")


def test_host_memory_that_is_missing_is_named(window: MainWindow, store: Store) -> None:
    store.edit("parallel", Parallel(gpus=8, shard="fsdp2", offload="optimizer"))
    store.edit("parallel.host_bytes", "0.5")
    assert "of host memory" in window.inputs.sharding.host.issue.text()
    store.edit("parallel.host_bytes", "256")
    assert store.snapshot.scenario.parallel.host_bytes == 256 << 30
    assert not store.snapshot.issues


def test_the_headline_names_the_worst_rank(window: MainWindow, store: Store) -> None:
    _fill(store)
    headline = window.results.headline
    assert headline.rank.isHidden()
    store.edit("parallel", Parallel(gpus=16, shard="fsdp2", pp=4, offload="optimizer"))
    assert headline.rank.text().startswith("On the worst of 16 ranks: stage 1 of 4")
    assert headline.rank.text().endswith("of host memory")
    assert not window.results.breakdown.table.isColumnHidden(Column.HOST)
    ranks = window.results.panel("ranks")
    assert ranks is not None
    assert ranks.isVisible()
    rows = ranks.model.rows  # type: ignore[attr-defined]  # the results know views as widgets
    assert [row.cells[0] for row in rows] == ["1, the worst", "2", "4"]
    store.edit("parallel", ONE_GPU)
    assert not ranks.isVisible()
    assert window.results.breakdown.table.isColumnHidden(Column.HOST)


def test_a_layout_is_taken_as_one_step(window: MainWindow, store: Store, qtbot: QtBot) -> None:
    _fill(store)
    before, steps = store.snapshot.scenario, store.undo_stack.count()
    dialog = _planned(window, qtbot)
    assert "are enough" in dialog.answer.text()
    dialog.use.click()
    taken = store.snapshot.scenario.parallel
    assert taken.gpus > 1
    assert store.undo_stack.count() == steps + 1
    assert store.snapshot.breakdown is not None
    assert store.snapshot.breakdown.fit is not None
    assert store.snapshot.breakdown.fit.fits == "yes"
    assert dialog.model.rows[0].exact[0] == str(store.snapshot.breakdown.peak_bytes)
    assert "changed" not in dialog.about.text()
    store.undo_stack.undo()
    assert store.snapshot.scenario == before
    store.edit("sequence", "8192")
    assert "changed" in dialog.about.text()


def test_planning_can_be_stopped_and_ends_with_the_window(window: MainWindow, store: Store) -> None:
    _fill(store)
    window.planning.show()
    dialog = window.planning.dialog
    assert dialog is not None
    assert not dialog.stop.isHidden()
    dialog.stop.click()
    assert dialog.stop.isHidden()
    assert not dialog.again.isHidden()
    dialog.again.click()
    window.close()
    assert not dialog.isVisible()


def test_without_a_gpu_there_is_a_notice(window: MainWindow, store: Store) -> None:
    store.edit("gpu", None)
    with_reason: list[object] = []
    store.noticed.connect(with_reason.append)
    window.planning.show()
    assert len(with_reason) == 1
    assert window.planning.dialog is None


@pytest.mark.usefixtures("qapp")
def test_the_picture_holds_the_planner_s_numbers() -> None:
    gpu = find_gpu("rtx-4090")
    scenario = Scenario(preset_ref("llama-3.1-8b"), precision="bf16", batch=1, sequence=2048, gpu=gpu.id)
    thread = PlanThread(scenario, gpu)
    thread.run()
    plan = thread.plan
    assert plan.done
    assert plan.enough == list(Planner(scenario, gpu).smallest())[-1][0].parallel.gpus
    assert max(plan.tried) == plan.enough << BEYOND
    series = series_of(plan)
    assert set(series) == {LEAST, "ddp", "zero-redundancy", "fsdp2"}
    assert series["fsdp2"][1] == compute(scenario, gpu).peak_bytes
    assert all(series[LEAST][gpus] <= peak for gpus, peak in series["fsdp2"].items())


@pytest.mark.usefixtures("qapp")
def test_what_cannot_be_planned_says_why() -> None:
    gpu = find_gpu("rtx-4090")
    scenario = Scenario(preset_ref("llama-3.1-8b"), optimizer="torch.Muon", precision="bf16")
    thread = PlanThread(scenario, gpu)
    thread.run()
    assert thread.plan.done
    assert thread.plan.reason is not None
