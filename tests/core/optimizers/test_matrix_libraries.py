"""Muon, Dion, SOAP, DistributedShampoo: state by role, block and side, 0 bytes from the real one."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from math import prod

import pytest
import torch
import torch.distributed as dist

from optmem_gui.architectures.presets import preset_ref
from optmem_gui.core.dtypes import F32
from optmem_gui.core.errors import UserError
from optmem_gui.core.layout import place
from optmem_gui.core.model import ParameterTensor, Role
from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.optimizers.libraries.matrices import MATRICES, MUON
from optmem_gui.core.optimizers.state import optimizer_state
from optmem_gui.core.scenario import Options, Scenario
from tests.core.optimizers.handed import handed, layout_of_tensors
from tests.core.optimizers.package_runs import declared, held, parameters_of, stepped
from tests.core.optimizers.real import layout_of
from tests.core.optimizers.recordings import RecordedRow, rows_of, states_of

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
TENSORS = tuple(
    ParameterTensor(name, shape, F32, role)
    for name, shape, role in (
        ("embed_tokens.weight", (100, 24), Role.EMBEDDING),
        ("q_proj.weight", (48, 32), Role.ATTENTION),
        ("up_proj.weight", (96, 48), Role.MLP),
        ("up_proj.bias", (96,), Role.BIAS),
        ("conv.weight", (16, 8, 3, 3), Role.CONVOLUTION),
        ("norm.weight", (48,), Role.NORM),
        ("scale", (), Role.OTHER),
        ("gate", (1, 1), Role.OTHER),
        ("lm_head.weight", (100, 48), Role.HEAD),
    )
)
HIDDEN = TENSORS[1:3]
SPLITS: tuple[Options, ...] = ((), (("split", "matrices"),))
RECORDED = list(rows_of("dion", "soap", "distributed_shampoo"))


@pytest.fixture(scope="module", autouse=True)
def _one_rank() -> Iterator[None]:
    """The distributed classes gather from every rank: here from one, in this process."""
    dist.init_process_group("gloo", store=torch._C._distributed_c10d.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


def _id(value: object) -> str:
    return value.id if isinstance(value, Implementation) else str(value)


@pytest.mark.parametrize("precision", list(DTYPES))
@pytest.mark.parametrize("options", SPLITS, ids=str)
@pytest.mark.parametrize("implementation", MUON[:2], ids=_id)
def test_muon_beside_adam_is_the_real_one(
    implementation: Implementation, options: Options, precision: str
) -> None:
    parameters = parameters_of([tensor.shape for tensor in TENSORS], DTYPES[precision])
    groups = handed(implementation, options, TENSORS, parameters)
    optimizer = stepped(implementation, options, parameters, first=groups)
    estimated = optimizer_state(implementation, options, layout_of_tensors(TENSORS, precision), "cuda")
    assert declared(estimated) == held(optimizer)


@pytest.mark.parametrize("precision", list(DTYPES))
@pytest.mark.parametrize("implementation", MUON[2:], ids=_id)
def test_muon_alone_is_the_real_one(implementation: Implementation, precision: str) -> None:
    parameters = parameters_of([tensor.shape for tensor in HIDDEN], DTYPES[precision])
    optimizer = stepped(implementation, (), parameters)
    estimated = optimizer_state(implementation, (), layout_of_tensors(HIDDEN, precision), "cuda")
    assert declared(estimated) == held(optimizer)


@pytest.mark.parametrize("implementation", MUON[2:], ids=_id)
def test_muon_alone_leaves_no_tensor_out(implementation: Implementation) -> None:
    with pytest.raises(UserError, match=r"up_proj\.bias"):
        optimizer_state(implementation, (), layout_of_tensors(TENSORS[1:4], "bf16"), "cuda")


def test_muon_proven_with_what_is_installed() -> None:
    assert {each.proven for each in MUON} == {f"muon-optimizer {version('muon-optimizer')}"}


@pytest.mark.parametrize("row", RECORDED, ids=str)
def test_state_is_the_recorded_one(row: RecordedRow) -> None:
    implementation = CATALOGUE[row.id]
    assert implementation.proven == row.library
    estimated = optimizer_state(implementation, row.options, layout_of(row.shapes, row.dtype), "cuda")
    assert states_of(estimated) == row.states


def test_every_recorded_library_is_complete() -> None:
    recorded = {row.id for row in RECORDED}
    assert {each.id for each in MATRICES if each not in MUON} == recorded


def test_muon_on_llama_by_hand() -> None:
    """Llama-3.1-8B in bf16: 2 B for the hidden matrices, 4 B for embedding, head and norms."""
    layout = place(Scenario(preset_ref("llama-3.1-8b"), precision="bf16"))
    outside = 2 * 128_256 * 4096 + 65 * 4096
    total = sum(prod(p.group.shape) * p.group.count for p in layout.trained)
    assert total == 8_030_261_248
    estimated = optimizer_state(MUON[0], (), layout, "cuda")
    assert estimated.bytes == 2 * (total - outside) + 4 * outside


def test_galore_on_llama_by_hand() -> None:
    """Rank 128 in bf16: m x n has a projector of 128 x shorter and two moments of 128 x longer side."""
    layout = place(Scenario(preset_ref("llama-3.1-8b"), precision="bf16"))
    outside = 2 * 128_256 * 4096 + 65 * 4096
    square = 128 * (4096 + 2 * 4096)  # q_proj and o_proj
    narrow = 128 * (1024 + 2 * 4096)  # k_proj and v_proj
    wide = 128 * (4096 + 2 * 14_336)  # gate_proj, up_proj and down_proj
    layer = 2 * square + 2 * narrow + 3 * wide
    estimated = optimizer_state(CATALOGUE["galore_torch.GaLoreAdamW"], (), layout, "cuda")
    assert estimated.bytes == 2 * (32 * layer + 2 * outside)
