"""The self-check with workers that need no torch: as on a GPU, interrupted, cancelled, refused."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from optmem_gui.core.errors import UserError
from optmem_gui.core.protocol import Hello
from optmem_gui.core.requests import SimulateRequest
from optmem_gui.core.selfcheck import KINDS, Workload, workloads
from optmem_gui.core.simulating import SimulationTarget
from optmem_gui.engine.child import Launch
from optmem_gui.engine.measurement import Limits, Measurement
from optmem_gui.engine.selfcheck import Checked, SelfCheck, target_there
from optmem_gui.engine.simulation import SimulationEvent, SimulationOutcome, Simulator
from optmem_gui.engine.worker_process import child_environment
from tests.waiting import PATIENCE_S

Fake = Callable[[str], Launch]
LIMITS = Limits(start_s=PATIENCE_S, silence_s=PATIENCE_S, patience_s=0.5, settle_s=0.05)
SIMULATOR = Path(__file__).with_name("fake_simulator.py")
THREE = workloads()[:3]


class Recorded(Simulator):
    """Keeps what it was asked."""

    asked: list[SimulateRequest]

    def simulate(
        self, request: SimulateRequest, on_event: Callable[[SimulationEvent], None]
    ) -> SimulationOutcome:
        self.asked.append(request)
        return super().simulate(request, on_event)


def check_with(
    worker: Launch, sampler: Launch, device: str = "cpu"
) -> tuple[SelfCheck, list[SimulateRequest]]:
    simulator = Launch(
        (sys.executable, str(SIMULATOR), "normal"), child_environment(os.environ), str(SIMULATOR.parent)
    )
    asked: list[SimulateRequest] = []

    def make() -> Simulator:
        made = Recorded(worker=simulator)
        made.asked = asked
        return made

    def measurement() -> Measurement:
        return Measurement(worker=worker, sampler=sampler, limits=LIMITS)

    return SelfCheck(device, measurement=measurement, simulator=make), asked


def nothing(_said: object) -> None:
    """Nobody listens."""


def children() -> list[int]:
    return [child.pid for child in psutil.Process().children(recursive=True)]


def test_on_a_gpu_the_trace_stands_for_the_machine_the_worker_tells_of(
    fake: Fake, fake_sampler: Fake
) -> None:
    check, asked = check_with(fake("gpu"), fake_sampler("normal"), "GPU-fake")
    finished: list[Checked] = []
    rows = check.run(THREE, nothing, finished.append)
    assert [row.workload for row in rows] == list(THREE)
    assert list(rows) == finished
    assert len(asked) == 3
    for request, row in zip(asked, rows, strict=True):
        assert request.target == SimulationTarget("9.9", "sm_90", 132, 2048)
        assert request.work.device == "cuda"
        assert row.measurement.request.device == "GPU-fake"
        assert (row.measurement.status, row.simulation.status) == ("done", "done")
        assert row.breakdown.component("rounding").bytes > 0  # blocks of 512 bytes: estimated for a GPU
    assert children() == []


def test_the_allocator_is_that_of_the_worker_s_environment() -> None:
    hello = Hello(1, "3.11", "2.9.1+cu128", "H100", "GPU-1", 1, 0, "sm_90", 132, 2048)
    settings = {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True", "CUBLAS_WORKSPACE_CONFIG": ":16:8"}
    target = target_there(hello, settings)
    assert (target.torch, target.allocator) == ("2.9", "expandable_segments:True")
    assert target.cublas_workspace == ":16:8"
    newer = target_there(hello, {**settings, "PYTORCH_ALLOC_CONF": "max_split_size_mb:64"})
    assert newer.allocator == "max_split_size_mb:64"  # the new name goes before the old one
    on_cpu = Hello(1, "3.11", "2.13.0+cpu", "CPU", None, None, 0)
    assert target_there(on_cpu, settings) == SimulationTarget("2.13", device="cpu")


def test_an_interrupt_leaves_no_process(fake: Fake, fake_sampler: Fake) -> None:
    check, _ = check_with(fake("normal"), fake_sampler("normal"))

    def interrupt(workload: Workload) -> None:
        if workload is THREE[1]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check.run(THREE, interrupt, nothing)
    assert children() == []
    assert not [thread for thread in threading.enumerate() if thread.name.startswith(("selfcheck", "simul"))]


def test_what_was_finished_before_a_cancel_is_kept(fake: Fake, fake_sampler: Fake) -> None:
    check, _ = check_with(fake("normal"), fake_sampler("normal"))
    rows = check.run(THREE, nothing, lambda row: check.cancel())
    assert [row.workload.id for row in rows] == [THREE[0].id]
    assert children() == []


def test_a_cancel_reaches_a_worker_that_hangs(fake: Fake, fake_sampler: Fake) -> None:
    check, _ = check_with(fake("hangs"), fake_sampler("normal"))
    timer = threading.Timer(0.5, check.cancel)
    timer.start()
    assert check.run(THREE, nothing, nothing) == ()
    timer.join()


def test_without_a_torch_that_can_measure_nothing_is_run(fake: Fake, fake_sampler: Fake) -> None:
    check, asked = check_with(fake("cpu torch"), fake_sampler("normal"), "GPU-fake")
    began: list[str] = []
    with pytest.raises(UserError) as caught:
        check.run(THREE, lambda each: began.append(each.id), nothing)
    assert caught.value.code == "measure.torch_without_cuda"
    assert began == [THREE[0].id]
    assert asked == []


def test_a_run_that_fails_is_a_row(fake: Fake, fake_sampler: Fake) -> None:
    check, _ = check_with(fake("leaves"), fake_sampler("normal"))
    rows = check.run(THREE[:2], nothing, nothing)
    assert [row.measurement.status for row in rows] == ["failed", "failed"]
    assert [row.simulation.status for row in rows] == ["done", "done"]


def test_a_short_check_has_one_run_of_every_kind() -> None:
    quick = [each for each in workloads() if each.quick]
    assert {each.kind for each in quick} == {each.kind for each in workloads()} == set(KINDS)
    assert len(quick) == len(KINDS)
    assert len({each.id for each in workloads()}) == len(workloads()) == 41
