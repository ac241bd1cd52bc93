"""Which copy of a parameter exists, against bitsandbytes and hand counts."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from optmem_gui.core.blocks import rounded
from optmem_gui.core.dtypes import DTYPES, F32, UINT8
from optmem_gui.core.layout import is_target, place
from optmem_gui.core.model import ModelSpec, ParameterTensor, Role, Source, TensorGroup, group_model
from optmem_gui.core.precision import SCHEMES
from optmem_gui.core.scenario import BaseDType, Lora, Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.core.texts import TEMPLATES


def linear(rows: int, columns: int) -> TensorGroup:
    return TensorGroup((rows, columns), F32, Role.MLP, "up_proj", "weight", True, 1)


def packed_blocks(base: BaseDType, rows: int = 384, columns: int = 512) -> tuple[int, ...]:
    spec = ModelSpec(
        "one", Source.FILE, (ParameterTensor("mlp.up_proj.weight", (rows, columns), F32, Role.MLP),)
    )
    layout = place(Scenario(group_model(spec), lora=Lora(4, ("up_proj",), base)))
    return layout.placed[0].weight_blocks


def sizes(*tensors: torch.Tensor) -> tuple[int, ...]:
    return tuple(tensor.numel() * tensor.element_size() for tensor in tensors)


def quantized(rows: int, columns: int, *, double: bool) -> Any:
    functional = pytest.importorskip("bitsandbytes.functional", reason="bitsandbytes is not installed")
    return functional.quantize_4bit(
        torch.randn(rows, columns), blocksize=64, quant_type="nf4", compress_statistics=double
    )


@pytest.mark.parametrize(("rows", "columns"), [(384, 512), (16, 20), (1000, 96)])
def test_nf4_blocks_are_those_of_bitsandbytes(rows: int, columns: int) -> None:
    weights, state = quantized(rows, columns, double=False)
    assert packed_blocks("nf4", rows, columns) == sizes(weights, state.absmax, state.code)


@pytest.mark.parametrize(("rows", "columns"), [(384, 512), (16, 20), (1000, 96)])
def test_double_quantized_blocks_are_those_of_bitsandbytes(rows: int, columns: int) -> None:
    weights, state = quantized(rows, columns, double=True)
    nested = state.state2
    found = sizes(weights, state.absmax, nested.absmax, nested.code, state.offset, state.code)
    assert packed_blocks("nf4-dq", rows, columns) == found


def test_int8_keeps_one_scale_a_row() -> None:
    functional = pytest.importorskip("bitsandbytes.functional", reason="bitsandbytes is not installed")
    weights, scales, _ = functional.int8_vectorwise_quant(torch.randn(384, 512).half())
    assert packed_blocks("int8") == sizes(weights, scales)


def test_k_bit_base_lifts_what_is_not_packed_to_fp32() -> None:
    layout = place(Scenario(synthetic_ref(7_000_000_000), lora=Lora(8, base_dtype="nf4")))
    types = {placed.group.role: placed.weights.id for placed in layout.placed}
    assert types[Role.NORM] == types[Role.EMBEDDING] == types[Role.HEAD] == "fp32"
    assert types[Role.ATTENTION] == "nf4"


def test_adapters_are_fp32_unless_told_otherwise() -> None:
    model = synthetic_ref(7_000_000_000)
    for fp32, expected in ((True, "fp32"), (False, "bf16")):
        layout = place(Scenario(model, precision="bf16", lora=Lora(8, adapter_fp32=fp32)))
        assert {p.weights.id for p in layout.trained} == {expected}
    # q_proj and v_proj of 33 layers of width 4096: 33 x 2 x 8 x (4096 + 4096)
    assert layout.trained_count == 33 * 2 * 8 * 8192


def test_all_linear_leaves_the_head_out() -> None:
    head = TensorGroup((100, 10), F32, Role.HEAD, "lm_head", "weight", True, 1)
    assert is_target(linear(4, 4), ("all-linear",))
    assert not is_target(head, ("all-linear",))
    assert is_target(head, ("lm_head",))
    assert not is_target(TensorGroup((4,), F32, Role.NORM, "norm", "weight", True, 1), ("norm",))


def test_integer_tensors_keep_their_type_and_are_not_trained() -> None:
    spec = ModelSpec("q", Source.FILE, (ParameterTensor("packed", (8, 8), UINT8),))
    layout = place(Scenario(group_model(spec), precision="bf16"))
    assert layout.placed[0].weights == UINT8
    assert layout.trained == ()


def test_frozen_parameters_are_looked_through() -> None:
    rows = tuple(
        ParameterTensor(f"m.{index}.weight", (index + 1, 2), F32, trainable=index != 1) for index in range(3)
    )
    layout = place(Scenario(group_model(ModelSpec("m", Source.FILE, rows))))
    assert layout.neighbours == {(0, 2)}


def test_every_scheme_and_type_is_explained() -> None:
    assert all(f"precision.{scheme}" in TEMPLATES for scheme in SCHEMES)
    assert all(name == dtype.id for name, dtype in DTYPES.items())


MIB = 1 << 20


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        (0, 0),
        (1, 512),
        (512, 512),
        (513, 1024),
        (MIB, MIB),
        (5 * MIB, 5 * MIB),  # four fill a segment of 20 MiB
        (int(6.5 * MIB), int(6.5 * MIB) + MIB // 6 // 512 * 512),  # three leave 0.5 MiB in all
        (6 * MIB, 6 * MIB),  # three leave 2 MiB, which is split off
        (11 * MIB, 12 * MIB),  # a segment of its own, and 1 MiB is not split off
        (11 * MIB - 512, 11 * MIB - 512),
        (12 * MIB, 12 * MIB),
    ],
)
def test_the_allocator_rounds_up_and_keeps_small_ends(asked: int, given: int) -> None:
    assert rounded(asked) == given
