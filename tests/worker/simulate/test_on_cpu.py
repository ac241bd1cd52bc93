"""Steps traced for the CPU against torch's own allocation events of the same steps."""

from __future__ import annotations

import gc
from dataclasses import replace

import pytest

from optmem_gui.core.protocol import PhaseSample
from optmem_gui.core.requests import MeasureRequest, SimulateRequest
from optmem_gui.core.simulating import SimulationReport, SimulationTarget
from optmem_gui.core.synthetic import synthetic_shape
from optmem_gui.core.transformer import TransformerShape
from optmem_gui.worker.measure import Run
from optmem_gui.worker.simulate.run import Simulation

COUNT = 300_000
ADAMW = MeasureRequest(
    "cpu", "torch.optim.AdamW", precision="fp32", shape=synthetic_shape(COUNT), steps=2, batch=2, sequence=16
)
NARROW_HEAD = TransformerShape(
    vocab=16, hidden=64, layers=3, heads=4, kv_heads=2, head_dim=16, ffn=192, norm="rms", tied_head=True
)
"""Its peak of backward is not that of the logits, but where gradients of the residual stream meet."""

SCALARS = 16
"""A Python number as a tensor, 8 bytes, and its copy in the type of the operands, at most 8 more."""


def simulated(work: MeasureRequest) -> SimulationReport:
    target = SimulationTarget("2.13", device="cpu")
    return Simulation(SimulateRequest(work, target), lambda message: None).run()


def measured(work: MeasureRequest) -> tuple[PhaseSample, ...]:
    gc.collect()  # tensors that earlier tests left in cycles are not to be freed in mid-run
    result = Run(work, lambda message: None).measure()
    return (result.load, *result.first.phases, *result.steady.phases)


WORKS = {
    "adamw": ADAMW,
    "for-each": replace(ADAMW, options=(("foreach", True),)),
    "momentum": replace(ADAMW, optimizer="torch.optim.SGD", options=(("momentum", 0.9),)),
    "adafactor": replace(ADAMW, optimizer="torch.optim.Adafactor"),
    "nadam": replace(ADAMW, optimizer="torch.optim.NAdam"),
    "asgd": replace(ADAMW, optimizer="torch.optim.ASGD"),
    "checkpointing": replace(ADAMW, checkpointing="full"),
    "accumulation": replace(ADAMW, accumulate=2, set_to_none=False, clip=True),
    "amp-bf16": replace(ADAMW, precision="amp-bf16"),
    "amp-fp16": replace(ADAMW, precision="amp-fp16"),
    "chunked": replace(ADAMW, loss="chunked", sequence=64),
    "eager": replace(ADAMW, attention="eager"),
    "narrow head": replace(ADAMW, shape=NARROW_HEAD),
    "rectified": replace(ADAMW, optimizer="torch.optim.RAdam", steps=6),
    "bf16-master": replace(ADAMW, precision="bf16-master"),
}


@pytest.mark.parametrize("work", WORKS.values(), ids=WORKS)
def test_every_phase_equals_torchs_own_events(work: MeasureRequest) -> None:
    """All but the peaks of the passes in 16 bits, where oneDNN takes memory that depends on the processor."""
    report, samples = simulated(work), measured(work)
    before = samples[0].start_bytes  # other tests of this process
    phases = [p for p in report.phases if p.step in (0, 1, work.steps)]
    assert [(p.step, p.phase) for p in phases] == [(s.step, s.phase) for s in samples]
    for said, real in zip(phases, samples, strict=True):
        assert abs(said.allocated_bytes - (real.allocated_bytes - before)) <= SCALARS, said
        if work.precision == "fp32" or said.phase not in ("forward", "backward"):
            assert abs(said.peak_bytes - (real.peak_bytes - before)) <= SCALARS, said
        assert said.peak_reserved_bytes == said.peak_bytes  # there is no caching allocator


def test_what_is_at_the_peak_is_told_apart() -> None:
    report = simulated(ADAMW)
    assert report.largest["weights"] == report.largest["gradients"] == 4 * COUNT
    tensors = (report.largest["optimizer_state"] - 8 * COUNT) // 4
    assert tensors == sum(row.count for row in report.alive if row.category == "weights")  # a counter each
    assert sum(report.categories.values()) == report.peak_bytes
    assert report.peak_phase == "optimizer_step"
    assert "workspace" not in report.categories
