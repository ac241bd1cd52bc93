"""Whole simulated runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from optmem_gui.core.errors import UserError
from optmem_gui.core.protocol import Message, Progress, decode, encode
from optmem_gui.core.requests import BareTensor, MeasureRequest, SimulateRequest
from optmem_gui.core.simulating import CATEGORIES, SimulationReport, SimulationTarget
from optmem_gui.core.transformer import TransformerShape
from optmem_gui.worker.inbox import Cancelled
from optmem_gui.worker.simulate.run import Simulation
from tests.worker.simulate.tracing import A100, MIB

SHAPE = TransformerShape(
    vocab=1000, hidden=128, layers=3, heads=4, kv_heads=2, head_dim=32, ffn=256, norm="rms"
)
WORK = MeasureRequest("cpu", "torch.optim.AdamW", shape=SHAPE, batch=2, sequence=64)


def simulate(
    work: MeasureRequest = WORK,
    target: SimulationTarget = A100,
    send: Callable[[Message], None] = lambda message: None,
) -> SimulationReport:
    return Simulation(SimulateRequest(work, target), send).run()


def test_report_is_complete_and_travels() -> None:
    sent: list[Message] = []
    report = simulate(send=sent.append)
    assert [(p.step, p.phase) for p in report.phases] == [(0, "load")] + [
        (step, phase)
        for step in (1, 2, 3)
        for phase in ("forward", "backward", "optimizer_step", "between_steps")
    ]
    assert [m.stage for m in sent if isinstance(m, Progress)] == [p.phase for p in report.phases]
    assert report.peak_bytes == max(p.peak_bytes for p in report.phases if p.step == 3)
    assert report.peak_reserved_bytes == max(p.peak_reserved_bytes for p in report.phases)
    assert sum(report.categories.values()) == report.peak_bytes
    assert sum(row.bytes for row in report.alive) == report.peak_bytes
    assert set(report.categories) <= set(CATEGORIES)
    assert report.peak_high_bytes == report.peak_bytes
    assert decode(encode(report)) == report


def test_second_and_third_step_are_alike() -> None:
    phases = {(p.step, p.phase): p for p in simulate().phases}
    for phase in ("backward", "optimizer_step", "between_steps"):
        assert phases[2, phase].peak_bytes == phases[3, phase].peak_bytes, phase
        assert phases[2, phase].allocated_bytes == phases[3, phase].allocated_bytes, phase


def test_weights_gradients_and_state_have_their_sizes() -> None:
    report = simulate()
    tensors = {row for row in report.alive if row.category == "weights"}
    assert sum(row.requested_bytes for row in tensors) == 4 * report.param_count
    state = [row for row in report.alive if row.category == "optimizer_state"]
    assert sum(row.requested_bytes for row in state) == 8 * report.param_count
    assert report.largest["gradients"] >= 4 * report.param_count
    assert {row.module for row in tensors} >= {"model.layers.0.mlp.up_proj", "lm_head", "model.embed_tokens"}


def test_points_keep_the_peak_of_every_phase() -> None:
    report = simulate()
    for phase in report.phases:
        inside = [p for p in report.points if (p.step, p.phase) == (phase.step, phase.phase)]
        assert inside, phase
        if phase.peak_bytes > phase.start_bytes:
            assert max(sum(p.parts) for p in inside) == phase.peak_bytes
        assert sum(inside[-1].parts) == phase.allocated_bytes
    assert [p.event for p in report.points] == sorted(p.event for p in report.points)
    assert len(report.points) < 6000


@pytest.mark.parametrize(
    "precision", ["fp32", "bf16", "amp-bf16", "amp-fp16", "bf16-master", "megatron-bf16"]
)
def test_every_precision_runs(precision: str) -> None:
    report = simulate(replace(WORK, precision=precision))
    weight = 4 if precision in ("fp32", "amp-bf16", "amp-fp16") else 2
    weights = [row for row in report.alive if row.category == "weights"]
    assert sum(row.requested_bytes for row in weights) == weight * report.param_count
    assert ("master_weights" in report.largest) is (precision in ("bf16-master", "megatron-bf16"))
    assert ("autocast_copies" in report.largest) is precision.startswith("amp-")
    unproven = "".join(str(note.values.get("operators", "")) for note in report.notes)
    assert ("GradScaler" in unproven) is (precision == "amp-fp16")


def test_clipping_takes_norms_and_accumulation_repeats_the_passes() -> None:
    report = simulate(replace(WORK, clip=True, accumulate=2))
    assert [p.phase for p in report.phases if p.step == 2].count("forward") == 2
    assert report.operator_count > simulate().operator_count


def test_gradients_may_stay_between_steps() -> None:
    kept = simulate(replace(WORK, set_to_none=False)).phases[-1].allocated_bytes
    freed = simulate().phases[-1].allocated_bytes
    assert kept - freed >= 4 * simulate().param_count


@pytest.mark.parametrize("checkpointing", ["attention", "full", "every-2"])
def test_checkpointing_keeps_less_after_forward(checkpointing: str) -> None:
    def after_forward(work: MeasureRequest) -> int:
        phases = simulate(work).phases
        return next(p.allocated_bytes for p in phases if (p.step, p.phase) == (3, "forward"))

    work = replace(WORK, sequence=512, attention="eager")
    assert after_forward(replace(work, checkpointing=checkpointing)) < after_forward(work)


def test_temporaries_of_adam_follow_its_kernel() -> None:
    """Lists: a copy of the parameters. Fused: nothing. A loop: a root, a quotient, and the last quotient."""
    work = MeasureRequest("cpu", "torch.optim.AdamW", tensors=(BareTensor((1 << 20,), "fp32", count=8),))
    found = {}
    for options in ((), (("fused", True),), (("foreach", False),)):
        report = simulate(replace(work, options=options))
        step = next(p for p in report.phases if (p.step, p.phase) == (3, "optimizer_step"))
        found[options] = (step.peak_bytes - step.start_bytes) // (4 * MIB)
    assert found[()] == 8
    assert found[("fused", True),] == 0
    assert found[("foreach", False),] == 3


def test_optimizer_that_evaluates_the_loss_itself() -> None:
    report = simulate(replace(WORK, optimizer="torch.optim.LBFGS", options=(("history_size", 2),)))
    assert {p.phase for p in report.phases} == {"load", "optimizer_step", "between_steps"}
    assert report.largest["optimizer_state"] >= 4 * report.param_count


def test_step_that_does_not_fit_ends_the_trace() -> None:
    free = simulate()
    tight = simulate(target=replace(A100, capacity_bytes=free.peak_reserved_bytes - (8 << 20)))
    assert tight.out_of_memory
    assert not free.out_of_memory
    assert tight.peak_bytes < free.peak_bytes
    assert len(tight.phases) <= len(free.phases)
    assert sum(row.bytes for row in tight.alive) == tight.peak_bytes


def test_allocator_settings_are_those_of_the_target() -> None:
    rounded = simulate(target=replace(A100, allocator="roundup_power2_divisions:1"))
    halved = simulate(target=replace(A100, allocator="roundup_power2_divisions:2"))
    assert halved.peak_bytes > rounded.peak_bytes == simulate().peak_bytes
    with pytest.raises(UserError, match="PYTORCH_CUDA_ALLOC_CONF"):
        simulate(target=replace(A100, allocator="nonsense:1"))


def test_unknown_gpu_gives_a_band_and_no_exactness() -> None:
    report = simulate(replace(WORK, batch=64), replace(A100, sm_count=None, threads_per_sm=None))
    assert report.peak_high_bytes >= report.peak_bytes
    assert not report.exact


def test_bare_tensors_in_fp32_need_no_assumption() -> None:
    work = MeasureRequest("cpu", "torch.optim.SGD", tensors=(BareTensor((100, 100), "fp32"),))
    report = simulate(work)
    assert report.exact
    assert report.notes == ()


def test_cancel_is_heard_between_two_operators() -> None:
    asked: list[None] = []

    def cancelled() -> bool:
        asked.append(None)
        return len(asked) > 50

    simulation = Simulation(SimulateRequest(WORK, A100), lambda message: None, cancelled)
    with pytest.raises(Cancelled):
        simulation.run()
    assert len(asked) == 51
    assert simulate().param_count  # the process is fit for the next one


def _function(folder: Path, body: str) -> MeasureRequest:
    file = folder / "mine.py"
    file.write_text(f"import torch\nfrom torch import nn\n\n{body}")
    return MeasureRequest("cpu", "torch.optim.SGD", function=f"{file}:make")


_MODEL = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        {body}


def make(device):
    model = Model().to(device)
    return model, torch.zeros(4, 8, device=device), lambda model, x: model(x)
"""


def test_shape_that_depends_on_data_is_refused_with_operator_and_line(tmp_path: Path) -> None:
    work = _function(tmp_path, _MODEL.format(body="return self.layer(x)[torch.nonzero(x)].sum()"))
    with pytest.raises(UserError, match=r"nonzero .*mine\.py:11") as caught:
        simulate(work)
    assert caught.value.code == "simulate.operator_failed"


def test_error_of_the_program_names_its_line(tmp_path: Path) -> None:
    work = _function(tmp_path, _MODEL.format(body="return self.layer(x).sum() / len(None)"))
    with pytest.raises(UserError, match=r"mine\.py:11 failed \(TypeError"):
        simulate(work)


def test_branch_on_a_value_is_warned_of_with_its_line(tmp_path: Path) -> None:
    body = "return self.layer(x).sum() if x.sum() > 0 else self.layer(x).mean()"
    report = simulate(_function(tmp_path, _MODEL.format(body=body)))
    [note] = [note for note in report.notes if note.key == "simulate.value_read"]
    assert note.values["place"] == "mine.py:11"
    assert not report.exact


def test_compiled_model_is_traced_without_compiling(tmp_path: Path) -> None:
    body = _MODEL.format(body="return self.layer(x).sum()").replace(
        "return model,", "return torch.compile(model),"
    )
    report = simulate(_function(tmp_path, body))
    assert "simulate.compiled" in [note.key for note in report.notes]


def test_program_that_names_cuda_comes_to_the_traced_device(tmp_path: Path) -> None:
    body = """
def make():
    model = nn.Linear(8, 8).cuda()
    assert torch.cuda.is_available() and torch.cuda.device_count() == 1
    scale = torch.tensor(2.0, device="cuda:0")
    generator = torch.Generator(device="cuda")

    def loss():
        x = torch.randn(4, 8, device=torch.device("cuda"), generator=None).to("cuda", non_blocking=True)
        torch.cuda.synchronize()
        return (model(x) * scale).sum()

    return model, loss
"""
    report = simulate(_function(tmp_path, body))
    assert report.param_count == 72
    assert report.largest["weights"] == 1024


def test_tie_survives_the_move_to_the_gpu(tmp_path: Path) -> None:
    body = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.head = nn.Embedding(100, 64), nn.Linear(64, 100, bias=False)
        self.head.weight = self.table.weight


def make():
    model = Model().to("cuda")
    assert model.head.weight is model.table.weight
    return model, lambda: model.head(model.table(torch.zeros(4, dtype=torch.long, device="cuda"))).sum()
"""
    report = simulate(_function(tmp_path, body))
    assert report.param_count == 6400


@pytest.mark.parametrize(
    ("optimizer", "element"),
    [("bitsandbytes.optim.PagedAdamW32bit", 0), ("timm.optim.NAdamW", 8), ("torch.optim.AdamW", 8)],
)
def test_optimizer_that_does_not_run_is_taken_by_its_rules(
    optimizer: str, element: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Paged state lies in host memory; a library that is not there is replaced; AdamW's rule equals AdamW."""
    traced = simulate(replace(WORK, optimizer="torch.optim.AdamW"))
    if optimizer.startswith("torch."):

        def refuse(path: str) -> type:
            raise UserError("measure.no_library", path=path, cause="no such library")

        monkeypatch.setattr("optmem_gui.worker.simulate.trace.optimizer_class", refuse)
    report = simulate(replace(WORK, optimizer=optimizer))
    assert report.notes[0].key == "simulate.optimizer_by_rule"
    assert not report.exact
    state = sum(row.requested_bytes for row in report.alive if row.category == "optimizer_state")
    large = 4096 if optimizer.startswith("bits") else 0  # tensors too small to be paged stay on the device
    assert element * report.param_count <= state <= element * report.param_count + 8 * 3 * 100 * large
    if optimizer.startswith("torch."):
        assert abs(report.peak_bytes - traced.peak_bytes) <= 0.01 * traced.peak_bytes
