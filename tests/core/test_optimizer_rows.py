"""The comparison says what the estimate of each optimizer says, and shares what they have in common."""

from __future__ import annotations

from dataclasses import replace

import pytest

from optmem_gui.core import optimizer_rows as module
from optmem_gui.core import peaks
from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.ground import Ground, grounds_of
from optmem_gui.core.optimizer_rows import OptimizerRow, optimizer_rows
from optmem_gui.core.optimizers.catalogue import CATALOGUE, find
from optmem_gui.core.scenario import Lora, Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.engine.gpu_table import load_gpus

GPU = load_gpus()["h100-80gb"]
MODEL = synthetic_ref(1_300_000_000)
OF_TORCH = tuple(
    {
        (entry.library, entry.family): entry.id for entry in CATALOGUE.values() if entry.runtime == "torch"
    }.values()
)
"""One of each library and family, those of torch among them that cannot train every tensor."""
SCENARIOS = {
    "bare": Scenario(MODEL, precision="fp32"),
    "activations": Scenario(MODEL, precision="amp-bf16", batch=4, sequence=1024),
    "master": Scenario(MODEL, precision="bf16-master", batch=1, sequence=512, clip=True, accumulate=2),
    "megatron": Scenario(MODEL, precision="megatron-bf16", batch=1, sequence=4096, checkpointing="full"),
    "adapters": Scenario(MODEL, batch=2, sequence=256, lora=Lora(8, ("all-linear",), "nf4")),
    "logits": Scenario(MODEL, batch=2, sequence=256, keep_logits=True, set_to_none=False),
    "cpu": Scenario(MODEL, precision="fp32", batch=1, sequence=128, target="cpu"),
    "options": Scenario(MODEL, optimizer="torch.AdamW", options=(("amsgrad", True), ("fused", True))),
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_each_row_is_the_estimate_of_that_optimizer(name: str) -> None:
    scenario = SCENARIOS[name]
    for row in optimizer_rows(scenario, GPU, OF_TORCH):
        options = scenario.options if row.optimizer == scenario.optimizer else ()
        alone = replace(scenario, optimizer=row.optimizer, options=options)
        if row.refused is not None:
            with pytest.raises(UserError) as refusal:
                compute(alone, GPU)
            assert row.refused == refusal.value.reason
            continue
        breakdown = compute(alone, GPU)
        assert row.peak_bytes == breakdown.peak_bytes
        assert row.peak_phase == breakdown.peak_phase
        assert row.state_bytes == breakdown.component("optimizer_state").bytes
        assert breakdown.fit is not None
        assert row.fits == breakdown.fit.fits


def test_a_row_by_hand() -> None:
    """1e9 parameters in fp32: AdamW keeps 8 B a parameter and 4 B a tensor (its step), foreach takes 4 B."""
    model = synthetic_ref(1_000_000_000)
    (row,) = optimizer_rows(Scenario(model, precision="fp32"), None, ["torch.AdamW"])
    assert row.state_bytes == 8_000_000_000 + 4 * model.tensor_count
    assert row.temporaries_bytes == 4_000_000_000
    assert row.peak_phase == "optimizer_step"
    assert row.fits is None
    assert row.state_bytes_per_parameter == pytest.approx(8, abs=1e-5)


def test_copies_of_gradients_are_part_of_the_step() -> None:
    """bf16 with fp32 master weights makes an fp32 copy of the gradients at the step: 4 B a parameter."""
    scenario = Scenario(synthetic_ref(1_000_000_000), precision="bf16-master")
    (row,) = optimizer_rows(scenario, None, ["torch.SGD"])
    assert row.temporaries_bytes == 4_000_000_000


def test_what_cannot_train_the_model_says_why() -> None:
    rows = {row.optimizer: row for row in optimizer_rows(SCENARIOS["bare"], GPU, ["torch.Muon", "torch.SGD"])}
    refused = rows["torch.Muon"].refused
    assert refused is not None
    assert refused.key == "optimizer.only_matrices"
    assert rows["torch.SGD"].refused is None


def test_another_runtime_predicts_state_only(monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = replace(find("torch.Adam"), id="keras.Adam", runtime="tensorflow")
    monkeypatch.setattr(module, "find", lambda _name: foreign)
    (row,) = optimizer_rows(SCENARIOS["bare"], GPU, ["keras.Adam"])
    assert row.state_only
    assert row.state_bytes >= 8 * MODEL.param_count
    assert (row.peak_bytes, row.temporaries_bytes, row.fits) == (0, 0, None)


def test_what_is_shared_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def counted(scenario: Scenario, gpu: object) -> tuple[Ground, ...]:
        calls.append(scenario.optimizer)
        return grounds_of(scenario, GPU if gpu else None)

    monkeypatch.setattr(peaks, "grounds_of", counted)
    rows: list[OptimizerRow] = list(optimizer_rows(SCENARIOS["activations"], GPU, OF_TORCH))
    assert len(rows) == len(OF_TORCH)
    assert len(calls) == 1


def test_an_impossible_scenario_is_refused_as_a_whole() -> None:
    with pytest.raises(UserError, match="nothing such"):
        list(optimizer_rows(replace(SCENARIOS["bare"], precision="nothing such"), GPU, OF_TORCH))
