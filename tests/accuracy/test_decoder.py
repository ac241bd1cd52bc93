"""The trace of our own decoder is pinned: every event of three steps, phase by phase."""

from __future__ import annotations

from pathlib import Path

import pytest

from optmem_gui.core.requests import MeasureRequest, SimulateRequest
from optmem_gui.core.simulating import SimulationReport, SimulationTarget
from optmem_gui.worker.simulate.run import Simulation

A100 = SimulationTarget(torch="2.13", architecture="sm_80", sm_count=108, threads_per_sm=2048)
STEP = f"{Path(__file__).parent / 'decoder.py'}:step"

# embedding 1000 x 256; a block: two norms of 256, qkv 768 x 256, out 256 x 256, gate and up 2048 x 256,
# down 256 x 1024; a last norm
PARAMETERS = 1000 * 256 + 3 * (2 * 256 + (768 + 256 + 2048) * 256 + 256 * 1024) + 256
WEIGHTS = 4 * PARAMETERS  # every tensor is a multiple of 512 B
WORKSPACES = 2 * 8_519_680


def simulated(precision: str) -> SimulationReport:
    work = MeasureRequest("cuda", "torch.optim.AdamW", precision=precision, function=STEP)
    return Simulation(SimulateRequest(work, A100, every_block=True), lambda _message: None).run()


@pytest.mark.parametrize(
    ("precision", "events", "forward", "backward"),
    [("fp32", 2454, 82_961_408, 84_558_848), ("amp-bf16", 3024, 81_769_472, 82_282_496)],
)
def test_the_trace_is_pinned(precision: str, events: int, forward: int, backward: int) -> None:
    report = simulated(precision)
    assert report.param_count == PARAMETERS == 3_403_520
    assert report.event_count == events
    # the update by lists: weights, gradients, two states and one list of temporaries, each as large
    update = 5 * WEIGHTS + WORKSPACES
    assert [(phase.phase, phase.peak_bytes) for phase in report.phases if phase.step == 3] == [
        ("forward", forward),
        ("backward", backward),
        ("optimizer_step", update),
        ("between_steps", 3 * WEIGHTS + WORKSPACES),
    ]
    assert (report.peak_bytes, report.peak_phase) == (update, "optimizer_step")
    assert report.exact


def test_what_stands_between_steps_is_weights_state_and_workspaces() -> None:
    phases = {(phase.step, phase.phase): phase for phase in simulated("fp32").phases}
    assert phases[0, "load"].allocated_bytes == WEIGHTS
    for step in (1, 2, 3):
        assert phases[step, "between_steps"].allocated_bytes == 3 * WEIGHTS + WORKSPACES
    # the first step's forward has one workspace and no state yet
    assert phases[1, "forward"].start_bytes == WEIGHTS
