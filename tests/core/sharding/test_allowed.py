"""Which optimizers an engine takes: what is refused names the optimizer, the engine and what takes it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.optimizers.catalogue import CATALOGUE, find
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding import dtensor_steps
from optmem_gui.core.sharding.allowed import is_elementwise, runs_on_dtensor
from optmem_gui.core.synthetic import synthetic_ref

PLAIN = Scenario(synthetic_ref(10_000_000), precision="fp32")
TABLES = (
    dtensor_steps.MIXED,
    dtensor_steps.PLACEMENT,
    dtensor_steps.OPERATOR,
    dtensor_steps.FOREACH_ONLY,
    dtensor_steps.WHOLE_PROJECTORS,
    dtensor_steps.QUANTIZED,
    dtensor_steps.EXCEPT,
)


def _on(shard: str, optimizer: str) -> Scenario:
    return replace(PLAIN, optimizer=optimizer, parallel=Parallel(gpus=2, shard=shard))


def test_tables_name_each_optimizer_once() -> None:
    named = [optimizer for table in TABLES for optimizer in table]
    assert len(named) == len(set(named))
    assert set(named) <= set(CATALOGUE)


def test_foreach_forms_that_fail_have_another_form() -> None:
    for optimizer in dtensor_steps.FOREACH_ONLY:
        scenario = _on("fsdp2", optimizer)
        with pytest.raises(UserError, match="set foreach to False"):
            compute(scenario)
        compute(replace(scenario, options=(("foreach", False),)))


@pytest.mark.parametrize("optimizer", dtensor_steps.WHOLE_PROJECTORS)
def test_projectors_of_whole_matrices_are_on_each_rank(optimizer: str) -> None:
    scenario = _on("fsdp2", optimizer)
    assert any(reason.key == "shard.projectors_on_each" for reason in compute(scenario).assumptions)
    split = replace(scenario, model=synthetic_ref(50_000_000), parallel=Parallel(gpus=2, shard="fsdp2", tp=2))
    with pytest.raises(UserError, match="not counted together with tensor parallelism"):
        compute(split)
    compute(_on("zero-redundancy", optimizer))


@pytest.mark.parametrize("optimizer", dtensor_steps.QUANTIZED)
def test_quantized_state_needs_fp32_parameters(optimizer: str) -> None:
    scenario = _on("fsdp2", optimizer)
    with pytest.raises(UserError, match="16-bit sharded tensors of fsdp2"):
        compute(replace(scenario, precision="bf16"))
    for precision in ("fp32", "amp-bf16"):
        compute(replace(scenario, precision=precision))
    compute(replace(_on("zero-redundancy", optimizer), precision="bf16"))


def test_a_library_is_refused_but_for_what_is_written_with_torch() -> None:
    assert not runs_on_dtensor(find("bitsandbytes.AdamW8bit"))
    assert runs_on_dtensor(find("bitsandbytes.PytorchLARS"))
    assert runs_on_dtensor(find("torch.AdamW"))


def test_deepspeeds_own_muon_is_named() -> None:
    with pytest.raises(UserError, match=r"DeepSpeed's own Muon, which runs there, is not counted"):
        compute(_on("zero2", "torch.Muon"))
    with pytest.raises(UserError, match="fsdp1 cuts parameters as one flat vector; use ddp"):
        compute(_on("fsdp1", "torch.Muon"))


def test_a_rule_that_stops_at_a_vector_looks_at_rows() -> None:
    """Adam-mini refuses a vector under a matrix's name; it is no reason to refuse the model."""
    adam_mini = find("adam_mini.Adam_mini")
    assert not is_elementwise(adam_mini, adam_mini.settings((), "cuda"))
    with pytest.raises(UserError, match="needs whole rows and columns"):
        compute(_on("zero1", "adam_mini.Adam_mini"))
