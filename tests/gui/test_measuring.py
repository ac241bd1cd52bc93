from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from pytestqt.qtbot import QtBot

from optmem_gui.core.protocol import PhaseSample
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.engine import devices
from optmem_gui.engine.child import Launch
from optmem_gui.engine.devices import Device, Devices
from optmem_gui.engine.measurement import Limits, Measurement
from optmem_gui.engine.worker_process import child_environment
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.panels.measurement import MeasurementPanel
from optmem_gui.gui.snapshot import MeasureStage, Simulated, SimulateStage, SimulationState
from optmem_gui.gui.store import Store
from optmem_gui.gui.tasks import prepare as prepare_module
from optmem_gui.gui.tasks.prepare import prepare
from tests.gui import simulation_samples
from tests.gui.conftest import settle
from tests.waiting import PATIENCE_S

FAKE = Path(__file__).parents[1] / "engine" / "fake_worker.py"
CPU = Device(devices.CPU, "a CPU", 64 << 30, 32 << 30)
SMALL = Device(devices.CPU, "a small CPU", 8 << 30, 4 << 30)


@pytest.fixture(autouse=True)
def _no_process_left() -> Iterator[None]:
    """Every worker and sampler that a test started is gone at its end."""
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    yield
    left = [child for child in psutil.Process().children(recursive=True) if child.pid not in before]
    assert left == []


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch) -> Callable[[Device], None]:
    """Make the machine have one device, a CPU of a given size."""

    def choose(device: Device) -> None:
        monkeypatch.setattr(prepare_module, "list_devices", lambda: Devices((), device, None))

    return choose


def with_worker(window: MainWindow, behaviour: str, *, impatient: bool = False) -> None:
    """Let the window measure with a worker that behaves in a given way."""
    launch = Launch((sys.executable, str(FAKE), behaviour), child_environment(os.environ), str(FAKE.parent))
    silent = behaviour in ("mute", "hangs", "endless garbage")
    patience = 1.0 if silent and impatient else PATIENCE_S
    to_be_ended = silent or behaviour == "stubborn"
    limits = Limits(start_s=patience, silence_s=patience, patience_s=0.5 if to_be_ended else PATIENCE_S)
    window.runs.measurer._make = lambda python, sample_hz: Measurement(
        python, sample_hz, worker=launch, limits=limits
    )


def small(store: Store) -> None:
    """A scenario that is measured in a moment."""
    store.edit("params", "200k")
    store.edit("precision", "fp32")
    store.edit("batch", "1")
    store.edit("sequence", "16")


def wait_for(store: Store, qtbot: QtBot, *stages: MeasureStage) -> None:
    qtbot.waitUntil(lambda: store.snapshot.measurement.stage in stages)


def measurement_panel(window: MainWindow) -> MeasurementPanel:
    panel = window.results.panel("measurement")
    assert isinstance(panel, MeasurementPanel)
    return panel


def texts(window: MainWindow) -> tuple[str, bool]:
    panel = measurement_panel(window)
    return panel.status.text(), panel.isVisible()


def test_the_button_says_where_it_measures(
    window: MainWindow, qtbot: QtBot, on: Callable[[Device], None]
) -> None:
    on(CPU)
    with qtbot.waitSignal(window.store.changed):
        window.runs.measurer.probe()
    assert "CPU" in window.actions_table["measure"].text()
    gpu = Device("GPU-1", "NVIDIA H100", 80 << 30, 70 << 30)
    window.store.set_devices(Devices((gpu,), CPU, None))
    assert "GPU" in window.actions_table["measure"].text()
    assert window.store.snapshot.measurement.stage is MeasureStage.IDLE
    settle()


def test_a_measurement_runs_through_its_stages(
    window: MainWindow, store: Store, qtbot: QtBot, on: Callable[[Device], None]
) -> None:
    on(CPU)
    small(store)
    with_worker(window, "normal")
    stages: list[MeasureStage] = []
    store.measurement_changed.connect(lambda snapshot: stages.append(snapshot.measurement.stage))
    assert not window.actions_table["stop"].isEnabled()
    window.actions_table["measure"].trigger()
    assert not window.actions_table["measure"].isEnabled()
    assert window.actions_table["stop"].isEnabled()
    wait_for(store, qtbot, MeasureStage.DONE)
    assert list(dict.fromkeys(stages)) == [MeasureStage.PREPARING, MeasureStage.RUNNING, MeasureStage.DONE]
    state = store.snapshot.measurement
    assert any(isinstance(sample, PhaseSample) for sample in state.samples)
    assert state.result is not None
    # The fake worker's phases hold 10 MiB and peak 1 MiB above.
    assert state.result.peak_bytes == 11 << 20
    assert state.kept is not None
    assert measurement_panel(window).model.rowCount() == len(state.kept.rows)
    assert "11.0 MiB" in window.results.headline.measured.findChildren(type(window.units))[1].text()
    assert window.actions_table["measure"].isEnabled()


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("out of memory", "Did not fit"),
        ("segfault", "crashed"),
        ("killed", "ended by"),
        ("garbage", "no measurement"),
        ("wrong version", "protocol version"),
        ("status", "status 7"),
        ("aborts", "SIGABRT"),
        ("leaves", "no result"),
        ("mute", "said nothing for 1 s"),
        ("hangs", "said nothing for 1 s"),
        ("endless garbage", "said nothing for 1 s"),
        ("no torch", "has no torch; install it"),
        ("broken torch", "does not load (libc10.so: no such file); reinstall it"),
        ("old torch", "older than 2.5; update torch"),
        ("cpu torch", "CPU build; install a CUDA build"),
        ("no kernel", "no kernels for this GPU (sm_120); install a build"),
        ("exclusive", "exclusive mode; end that process"),
        ("sticky", "device-side assert triggered); restart the program"),
        ("no room", "close them, or choose another device"),
        ("host memory", "4.00 GiB more than the system gives; measure a smaller model"),
        ("hidden", "CUDA_VISIBLE_DEVICES=-1 hides device GPU-1; unset it"),
    ],
)
def test_whatever_happens_to_the_worker_is_a_clear_state(
    window: MainWindow,
    qtbot: QtBot,
    on: Callable[[Device], None],
    behaviour: str,
    words: str,
) -> None:
    on(CPU)
    store = window.store
    small(store)
    with_worker(window, behaviour, impatient=True)
    window.actions_table["measure"].trigger()
    wait_for(store, qtbot, MeasureStage.FAILED)
    said, visible = texts(window)
    assert words in said
    assert visible
    assert window.actions_table["measure"].isEnabled()
    # What came before the failure is still plotted.
    if behaviour == "out of memory":
        assert any(isinstance(sample, PhaseSample) for sample in store.snapshot.measurement.samples)


@pytest.mark.parametrize("behaviour", ["hangs", "stubborn"])
def test_stop_ends_a_measurement(
    window: MainWindow, store: Store, qtbot: QtBot, on: Callable[[Device], None], behaviour: str
) -> None:
    on(CPU)
    small(store)
    with_worker(window, behaviour)
    window.actions_table["measure"].trigger()
    wait_for(store, qtbot, MeasureStage.RUNNING)
    qtbot.waitUntil(lambda: store.snapshot.measurement.phase != "start")
    window.actions_table["stop"].trigger()
    wait_for(store, qtbot, MeasureStage.CANCELLED)
    qtbot.waitUntil(lambda: not window.runs.measurer._threads)


def test_closing_while_measuring_stops_everything(
    window: MainWindow, store: Store, qtbot: QtBot, on: Callable[[Device], None]
) -> None:
    on(CPU)
    small(store)
    with_worker(window, "hangs")
    window.actions_table["measure"].trigger()
    wait_for(store, qtbot, MeasureStage.RUNNING)
    assert window.close()
    assert window.runs.measurer._threads == set() or all(
        t.isFinished() for t in window.runs.measurer._threads
    )


def test_closing_while_preparing_stops_everything(
    window: MainWindow, store: Store, on: Callable[[Device], None]
) -> None:
    on(CPU)
    window.actions_table["measure"].trigger()
    assert window.close()
    assert store.snapshot.measurement.stage is MeasureStage.CANCELLED


def test_a_run_that_would_not_fit_asks_and_offers_a_smaller_model(
    window: MainWindow, store: Store, qtbot: QtBot, on: Callable[[Device], None]
) -> None:
    on(SMALL)
    store.edit("precision", "fp32")
    window.actions_table["measure"].trigger()
    wait_for(store, qtbot, MeasureStage.ASKING)
    panel = measurement_panel(window)
    assert panel.question.isVisible()
    assert panel.largest.isVisible()
    count = store.snapshot.measurement.largest_count
    # 16 bytes a parameter and more in 4 GiB: well below 268 million, and not absurdly small.
    assert 50_000_000 < count < 268_435_456
    with_worker(window, "normal")
    panel.largest.click()
    wait_for(store, qtbot, MeasureStage.DONE)
    measured = store.snapshot.measurement.scenario
    assert measured is not None
    assert measured.model.param_count == count
    assert store.snapshot.scenario.model.param_count == 7_000_000_000


def test_the_question_can_be_declined(
    window: MainWindow, store: Store, qtbot: QtBot, on: Callable[[Device], None]
) -> None:
    on(SMALL)
    window.actions_table["measure"].trigger()
    wait_for(store, qtbot, MeasureStage.ASKING)
    measurement_panel(window).cancel.click()
    assert store.snapshot.measurement.stage is MeasureStage.IDLE
    assert not window.results.side.isVisible()


def test_the_largest_model_fits_and_a_tenth_more_does_not() -> None:
    scenario = Scenario(synthetic_ref(7_000_000_000), precision="fp32", batch=1, sequence=512)
    prepared = prepare(scenario, SMALL, 2)
    assert prepared.warning is not None
    count = prepared.largest_count
    assert prepare(replace(scenario, model=synthetic_ref(count)), SMALL, 2).warning is None
    more = prepare(replace(scenario, model=synthetic_ref(count * 11 // 10)), SMALL, 2)
    assert more.warning is not None


def test_a_real_measurement_on_the_cpu_meets_the_estimate(
    window: MainWindow, store: Store, qtbot: QtBot, on: Callable[[Device], None]
) -> None:
    on(CPU)
    small(store)
    window.actions_table["measure"].trigger()
    wait_for(store, qtbot, MeasureStage.DONE, MeasureStage.FAILED)
    state = store.snapshot.measurement
    assert state.stage is MeasureStage.DONE, state.reason
    assert state.kept is not None
    rows = {row.id: row for row in state.kept.rows if row.kind == "component"}
    for component in ("weights", "gradients", "optimizer_state"):
        assert rows[component].difference_bytes == 0, component
    assert "on the CPU" in measurement_panel(window).note.text()


def test_a_simulation_of_what_was_measured_stands_beside_it(
    window: MainWindow, store: Store, qtbot: QtBot, on: Callable[[Device], None]
) -> None:
    """Before: nothing is simulated. After one for the CPU: every component has a third side."""
    on(CPU)
    small(store)
    with_worker(window, "normal")
    window.actions_table["measure"].trigger()
    wait_for(store, qtbot, MeasureStage.DONE)
    kept = store.snapshot.measurement.kept
    assert kept is not None
    assert all(row.simulated is None for row in kept.rows)
    traced = simulation_samples.report()
    scenario = store.snapshot.scenario
    for device in ("cuda", "cpu"):
        report = replace(traced, target=replace(traced.target, device=device))
        state = SimulationState(SimulateStage.DONE, scenario, result=Simulated(scenario, report))
        store.set_simulation(state)
        after = store.snapshot.measurement.kept
        assert after is not None
        assert after.id == kept.id
        known = [row for row in after.rows if row.kind == "component" and row.simulated is not None]
        assert bool(known) is (device == "cpu")
