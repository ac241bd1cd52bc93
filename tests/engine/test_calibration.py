"""What a measurement says about its GPU: the whole way through the stand-in of the driver, and by hand."""

from __future__ import annotations

import dataclasses
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from optmem_gui.core.calibration import Calibration, chosen_for, release
from optmem_gui.core.estimate import compute
from optmem_gui.core.observing import DeviceFacts, OtherProcess, Others, other_changes
from optmem_gui.core.overhead import CONTEXT_BYTES, process_band
from optmem_gui.core.protocol import Hello, PhaseSample, Progress, Sample, StepResult
from optmem_gui.core.reasons import Reason
from optmem_gui.core.requests import BareTensor, MeasureRequest
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.simulation_target import target_of
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.engine.calibration import calibrate, calibrated
from optmem_gui.engine.child import Launch
from optmem_gui.engine.gpu_table import find_gpu, load_gpus
from optmem_gui.engine.measurement import Event, Limits, Measurement, MeasurementResult
from optmem_gui.engine.worker_process import child_environment, sampler_launch
from tests.engine.gate import Gate
from tests.engine.nvml_standin import GIB, MIB, environment, needs_compiler
from tests.waiting import PATIENCE_S

GPU = "GPU-fake"
TOTAL = 81559 * MIB
H100 = f"gpu {GPU} {TOTAL} {GIB // 2} {2 * GIB} NVIDIA H100 80GB HBM3"
FAKE = Path(__file__).parent / "fake_worker.py"
REQUEST = MeasureRequest(GPU, "torch.optim.SGD", tensors=(BareTensor((64, 64), "fp32"),), steps=2)
HELLO = Hello(7, "3.11", "2.13.0+cu130", "NVIDIA H100 80GB HBM3", GPU, TOTAL - GIB // 2, 0)
FACTS = DeviceFacts(GPU, "580.00", TOTAL, GIB // 2, 2)
ALONE = (Others(0, ()),)


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A short path: the stand-in's script has little room for one."""
    with tempfile.TemporaryDirectory() as made:
        monkeypatch.setenv("FAKE_PID_FILE", f"{made}/pid")
        yield Path(made)


class LookedAround:
    """Whether the sampler has looked at who uses the GPU since the other process may have come.

    It does so twice a second by its own clock, and says what it saw before the next sample.
    """

    def __init__(self, *, listed: bool) -> None:
        self._listed = listed
        self._since_ns: int | None = None

    def __call__(self, event: Event) -> bool:
        """One event; the first is the word of the worker that the other process is there."""
        if self._since_ns is None:
            self._since_ns = time.monotonic_ns() if isinstance(event, Progress) else None
            return False
        if not isinstance(event, Sample) or event.clock_ns < self._since_ns + 500_000_000:
            return False
        return not self._listed or event.process_bytes is not None


@pytest.fixture
def measured(folder: Path, gate: Gate) -> Callable[..., MeasurementResult]:
    """Measure with the fake worker beside a driver that says this; the worker holds 64 MiB + 448 MiB."""

    def run(*lines: str, listed: bool = True) -> MeasurementResult:
        script = folder / "script"
        script.write_text("\n".join((H100, f"process 0 @{folder}/pid {512 * MIB}", *lines)) + "\n")
        worker = Launch(
            (sys.executable, str(FAKE), "on a GPU"), child_environment(os.environ), str(FAKE.parent)
        )
        sampler = dataclasses.replace(sampler_launch(100), environment=child_environment(environment(script)))
        limits = Limits(
            baseline_s=PATIENCE_S, start_s=PATIENCE_S, silence_s=PATIENCE_S, patience_s=1.0, settle_s=0.1
        )
        looked_around = LookedAround(listed=listed)
        listen = gate.when(lambda event: isinstance(event, StepResult), looked_around)
        return Measurement(worker=worker, sampler=sampler, limits=limits).run(REQUEST, listen)

    return run


@needs_compiler
def test_a_run_alone_on_the_gpu_calibrates_it(measured: Callable[..., MeasurementResult]) -> None:
    outcome = measured(f"process 0 1234 {2 * GIB}", "program 1234 /usr/bin/trainer")
    assert outcome.facts == FACTS
    assert outcome.others[-1].processes == (OtherProcess(1234, "/usr/bin/trainer", 2 * GIB),)
    found = calibrate(outcome, "2026-11-30")
    assert isinstance(found, Calibration), str(found)
    # 512 MiB of the process less the 64 MiB that the fake worker says torch had reserved
    assert (found.low_bytes, found.high_bytes) == (448 * MIB, 448 * MIB)
    assert found.key == (GPU, "580.00", "9.9.9")
    assert found.gpu == "h100-80gb"
    assert found.usable_bytes == TOTAL - GIB // 2


@needs_compiler
def test_a_process_that_comes_meanwhile_is_named_and_nothing_is_calibrated(
    measured: Callable[..., MeasurementResult], folder: Path
) -> None:
    other = f"@{folder}/pid.other"
    outcome = measured(f"process 0 {other} {3 * GIB}", f"program {other} /opt/notebook")
    warning = next(w for w in outcome.warnings if w.key == "measure.other_changed")
    assert f"Process {os.getpid()} (/opt/notebook) changed what it uses of the GPU by 3.00 GiB" in str(
        warning
    )
    assert calibrate(outcome, "2026-11-30") == Reason("calibrate.disturbed")


@needs_compiler
def test_where_the_driver_hides_processes_nothing_is_calibrated(
    measured: Callable[..., MeasurementResult],
) -> None:
    outcome = measured("error nvmlDeviceGetComputeRunningProcesses 3", listed=False)
    assert outcome.others == ()
    assert calibrate(outcome, "2026-11-30") == Reason("calibrate.hidden")


def phase(step: int, end_ns: int, reserved: int | None) -> PhaseSample:
    return PhaseSample(step, "between_steps", end_ns - 5, end_ns, 0, 0, 0, reserved, reserved)


def outcome(**changed: object) -> MeasurementResult:
    """Torch holds 600 MiB from 20 ns on; the process holds 1,000 MiB afterwards."""
    made = MeasurementResult(
        "done",
        REQUEST,
        hello=HELLO,
        phases=(phase(0, 10, 100 * MIB), phase(1, 20, 600 * MIB), phase(2, 30, 600 * MIB)),
        samples=(Sample(15, None, 900 * MIB), Sample(25, None, 1000 * MIB), Sample(29, None, None)),
        facts=FACTS,
        others=ALONE,
    )
    return dataclasses.replace(made, **changed)  # type: ignore[arg-type]  # names of fields


def test_what_the_process_holds_beyond_torch_is_counted_once_torch_holds_most() -> None:
    found = calibrate(outcome(), "2026-11-30")
    assert isinstance(found, Calibration)
    assert found.low_bytes == 400 * MIB


@pytest.mark.parametrize(
    ("changed", "key"),
    [
        ({"status": "out_of_memory"}, "unfinished"),
        ({"hello": None}, "unfinished"),
        ({"hello": dataclasses.replace(HELLO, uuid=None)}, "cpu"),
        ({"facts": None}, "hidden"),
        ({"facts": dataclasses.replace(FACTS, version=0)}, "unified"),
        ({"others": ()}, "hidden"),
        ({"warnings": (Reason("measure.others_changed", {"change_bytes": GIB}),)}, "disturbed"),
        ({"samples": (Sample(15, None, 900 * MIB),)}, "too_short"),
        ({"samples": (Sample(25, None, 500 * MIB),)}, "implausible"),
        ({"facts": dataclasses.replace(FACTS, total_bytes=500 * MIB)}, "spilled"),
    ],
)
def test_a_run_that_cannot_be_trusted_says_why(changed: dict[str, object], key: str) -> None:
    found = calibrate(outcome(**changed), "2026-11-30")
    assert found == Reason(f"calibrate.{key}")
    assert str(found).startswith("Not calibrated: ")


def test_changes_of_others_count_from_nothing_where_a_process_came_or_went() -> None:
    seen = (
        Others(0, (OtherProcess(1, "a", GIB), OtherProcess(2, "b", None))),
        Others(9, (OtherProcess(1, "a", 2 * GIB), OtherProcess(2, "b", None), OtherProcess(3, "c", 5 * GIB))),
    )
    assert [(c.process.pid, c.bytes) for c in other_changes(seen)] == [(3, 5 * GIB), (1, GIB)]


def calibration(low: int, high: int, **changed: object) -> Calibration:
    made = Calibration(
        GPU, "NVIDIA H100", "h100-80gb", "580.00", "2.13.0+cu130", low, high, TOTAL, GIB, "2026-11-30"
    )
    return dataclasses.replace(made, **changed)  # type: ignore[arg-type]  # names of fields


def test_runs_widen_the_band_and_are_counted() -> None:
    both = calibration(400, 400).with_run(calibration(500, 500, date="2026-12-01"))
    assert (both.low_bytes, both.high_bytes, both.run_count, both.date) == (400, 500, 2, "2026-12-01")


def test_the_latest_of_the_same_torch_is_chosen() -> None:
    known = (calibration(1, 1, torch="2.12.1"), calibration(2, 2), calibration(3, 3, gpu="l4"))
    assert release("2.13.0a0+git12") == "2.13"
    assert chosen_for("h100-80gb", known) == known[1]
    assert chosen_for("h100-80gb", known, "2.12") == known[0]
    assert chosen_for("h100-80gb", known, "2.11") is None
    assert chosen_for("a100-80gb", known) is None


def test_predictions_of_that_gpu_rest_on_it() -> None:
    plain = find_gpu("h100-80gb")
    gpu = calibrated(load_gpus().values(), (calibration(448 * MIB, 450 * MIB),))["h100-80gb"]
    scenario = Scenario(synthetic_ref(1_000_000), precision="bf16", gpu=gpu.id)
    before, after = compute(scenario, plain), compute(scenario, gpu)
    assert after.process.low == before.reserved.low + 448 * MIB
    assert after.process.high == before.reserved.high + 450 * MIB
    assert after.fit is not None
    assert after.fit.usable == TOTAL - GIB  # the driver's own part as read there
    assert "assume.context" in {reason.key for reason in before.assumptions}
    said = next(reason for reason in after.assumptions if reason.key == "assume.calibrated")
    assert "448.0 MiB to 450.0 MiB, calibrated on this GPU (GPU-fake, driver 580.00" in str(said)
    assert process_band(after.reserved, "cpu", gpu=gpu) == process_band(after.reserved, "cpu")
    assert target_of(plain).capacity_bytes == plain.usable_bytes - CONTEXT_BYTES.low
    assert target_of(gpu).capacity_bytes == TOTAL - GIB - 448 * MIB
