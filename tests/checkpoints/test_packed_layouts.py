"""One weight of 64 x 128 in every layout."""

from __future__ import annotations

import json
from math import ceil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.checkpoints.checkpoint import Checkpoint
from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.checkpoints.packed import find_packing
from optmem_gui.checkpoints.packed_settings import Settings
from optmem_gui.core.dtypes import BF16, DTYPES
from tests.checkpoints.builders import codes, write_safetensors

OUT, IN = 64, 128
M = "model.layers.0.mlp.down_proj"
Tensors = dict[str, tuple[str, list[int]]]


def opened(folder: Path, entries: Tensors, **config: Any) -> Checkpoint:
    write_safetensors(folder / "model.safetensors", entries)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return open_checkpoint(folder)


def hqq(**extra: tuple[str, list[int]]) -> Tensors:
    """Groups of 64, two weights a byte: [128 groups / 2, 64]; its settings are tensors, too."""
    parts: Tensors = {"W_q": ("U8", [64, 64]), "scale": ("F16", [128, 1]), "zero": ("F16", [128, 1])}
    parts |= {name: ("I32", [1]) for name in ("nbits", "group_size", "axis")}
    parts |= {"shape": ("I64", [2]), "packing": ("U8", [8]), "encoded_state_dict": ("BOOL", [])}
    return {f"{M}.{name}": entry for name, entry in (parts | extra).items()}


# layout: tensors, quantization_config, logical type
LAYOUTS: dict[str, tuple[Tensors, dict[str, Any], str]] = {
    "gptq 3 bits, by g_idx": (
        {
            f"{M}.qweight": ("I32", [IN * 3 // 32, OUT]),
            f"{M}.qzeros": ("I32", [1, OUT * 3 // 32]),
            f"{M}.scales": ("F16", [1, OUT]),
            f"{M}.g_idx": ("I32", [IN]),
        },
        {},
        "int3",
    ),
    "gptq, this module 8 bits, all others 4": (
        {
            f"{M}.qweight": ("I32", [IN // 4, OUT]),
            f"{M}.qzeros": ("I32", [1, OUT // 4]),
            f"{M}.scales": ("F16", [1, OUT]),
        },
        {"quant_method": "gptq", "bits": 4, "dynamic": {r"+:.*down_proj": {"bits": 8}}},
        "int8",
    ),
    "awq gemv": (
        {
            f"{M}.qweight": ("I32", [OUT, IN // 8]),
            f"{M}.qzeros": ("I32", [OUT, 1]),
            f"{M}.scales": ("F16", [OUT, 8]),
        },
        {"quant_method": "awq", "bits": 4, "version": "gemv"},
        "int4",
    ),
    "awq gemv_fast": (
        {
            f"{M}.qweight": ("I16", [OUT // 4, IN]),
            f"{M}.qzeros": ("F16", [8, OUT]),
            f"{M}.scales": ("F16", [8, OUT]),
        },
        {"quant_method": "awq", "bits": 4, "version": "gemv_fast"},
        "int4",
    ),
    "marlin": (
        {
            f"{M}.B": ("I32", [IN // 16, OUT * 2]),
            f"{M}.s": ("F16", [1, OUT]),
            f"{M}.workspace": ("I32", [16]),
        },
        {"quant_method": "marlin", "bits": 4},
        "int4",
    ),
    "compressed-tensors nvfp4": (
        {
            f"{M}.weight_packed": ("U8", [OUT, IN // 2]),
            f"{M}.weight_scale": ("F8_E4M3", [OUT, IN // 16]),
            f"{M}.weight_global_scale": ("F32", [1]),
            f"{M}.input_global_scale": ("F32", [1]),
        },
        {"config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "float"}}}},
        "fp4_e2m1",
    ),
    "compressed-tensors mxfp6": (
        {f"{M}.weight_packed": ("U8", [OUT, IN * 3 // 4]), f"{M}.weight_scale": ("U8", [OUT, IN // 32])},
        {"config_groups": {"group_0": {"weights": {"num_bits": 6, "type": "float"}}}},
        "fp6_e3m2",
    ),
    "modelopt nvfp4": (
        {
            f"{M}.weight": ("U8", [OUT, IN // 2]),
            f"{M}.weight_scale": ("F8_E4M3", [OUT, IN // 16]),
            f"{M}.weight_scale_2": ("F32", []),
            f"{M}.input_scale": ("F32", []),
        },
        {"quant_method": "modelopt", "quant_algo": "NVFP4"},
        "fp4_e2m1",
    ),
    "quark mxfp4": (
        {f"{M}.weight": ("U8", [OUT, IN // 2]), f"{M}.weight_scale": ("U8", [OUT, IN // 32])},
        {"quant_method": "quark"},
        "fp4_e2m1",
    ),
    "bitsandbytes fp4 in bf16 storage": (
        {
            f"{M}.weight": ("BF16", [OUT * IN // 4, 1]),
            f"{M}.weight.absmax": ("F32", [128]),
            f"{M}.weight.quant_map": ("F32", [16]),
            f"{M}.weight.quant_state.bitsandbytes__fp4": ("U8", [90]),
        },
        {"quant_method": "bitsandbytes", "bnb_4bit_quant_storage": "bfloat16"},
        "nf4",
    ),
    "mlx 4 bits": (
        {
            f"{M}.weight": ("U32", [OUT, IN // 8]),
            f"{M}.scales": ("BF16", [OUT, IN // 64]),
            f"{M}.biases": ("BF16", [OUT, IN // 64]),
        },
        {"group_size": 64, "bits": 4},
        "int4",
    ),
    "mlx, this module 6 bits": (
        {
            f"{M}.weight": ("U32", [OUT, IN * 6 // 32]),
            f"{M}.scales": ("BF16", [OUT, IN // 32]),
            f"{M}.biases": ("BF16", [OUT, IN // 32]),
        },
        {"group_size": 64, "bits": 4, M: {"group_size": 32, "bits": 6}},
        "int6",
    ),
    "mlx mxfp4": (
        {f"{M}.weight": ("U32", [OUT, IN // 8]), f"{M}.scales": ("U8", [OUT, IN // 32])},
        {"group_size": 32, "bits": 4, "mode": "mxfp4"},
        "int4",
    ),
    "hqq 4 bits": (hqq(), {"quant_method": "hqq"}, "int4"),
    "hqq 3 bits, padded to tens": (
        hqq(W_q=("I32", [13, 64])),
        {"quant_method": "hqq", "quant_config": {"weight_quant_params": {"nbits": 3, "group_size": 64}}},
        "int3",
    ),
    "hqq 3 bits viewed as floats": (hqq(W_q=("F16", [13, 128])), {}, "int3"),
    "hqq 3 bits, groups along the outputs": (
        hqq(W_q=("I32", [7, 128]), scale=("F16", [1, 128]), zero=("F16", [1, 128])),
        {"quant_method": "hqq", "quant_config": {"weight_quant_params": {"nbits": 3, "group_size": 64}}},
        "int3",
    ),
    "hqq 8 bits viewed as floats": (hqq(W_q=("F16", [128, 32])), {}, "int8"),
    "eetq": ({f"{M}.weight": ("I8", [IN, OUT]), f"{M}.weight_scales": ("F16", [OUT])}, {}, "int8"),
    "bitnet": (
        {f"{M}.weight": ("U8", [OUT // 4, IN]), f"{M}.weight_scale": ("BF16", [1])},
        {"quant_method": "bitnet"},
        "int2",
    ),
    "quanto int4": (
        {
            f"{M}.weight._data._data": ("U8", [32, 128]),
            f"{M}.weight._scale": ("BF16", [64, 1]),
            f"{M}.weight._shift": ("BF16", [64, 1]),
            f"{M}.input_scale": ("BF16", []),
            f"{M}.output_scale": ("BF16", []),
        },
        {"quant_method": "quanto", "weights": "int4"},
        "int4",
    ),
    "quanto int2 without a config": (
        {
            f"{M}.weight._data._data": ("U8", [16, 128]),
            f"{M}.weight._scale": ("BF16", [64, 1]),
            f"{M}.weight._shift": ("BF16", [64, 1]),
        },
        {},
        "int2",
    ),
    "quanto int8": (
        {f"{M}.weight._data": ("I8", [OUT, IN]), f"{M}.weight._scale": ("BF16", [OUT, 1])},
        {"quant_method": "quanto", "weights": "int8"},
        "int8",
    ),
    "torchao int4": (
        {
            f"{M}._weight_qdata": ("U8", [OUT, IN // 2]),
            f"{M}._weight_scale": ("BF16", [IN // 32, OUT]),
            f"{M}._weight_zero_point": ("BF16", [IN // 32, OUT]),
        },
        {"quant_method": "torchao"},
        "int4",
    ),
    "torchao int4 in tiles": (
        {
            f"{M}._weight_qdata": ("I32", [OUT // 8, IN // 32, 8, 4]),
            f"{M}._weight_scale_and_zero": ("BF16", [IN // 32, OUT, 2]),
        },
        {"quant_method": "torchao"},
        "int4",
    ),
    "deepseek experts of 4 bits": (
        {f"{M}.weight": ("I8", [OUT, IN // 2]), f"{M}.scale": ("F8_E8M0", [OUT, IN // 32])},
        {"quant_method": "fp8", "weight_block_size": [128, 128]},
        "fp4_e2m1",
    ),
}


@pytest.mark.parametrize("layout", list(LAYOUTS))
def test_a_weight_of_64_by_128(tmp_path: Path, layout: str) -> None:
    entries, settings, dtype = LAYOUTS[layout]
    extra: Tensors = {f"{M}.bias": ("BF16", [OUT])}
    checkpoint = opened(tmp_path, entries | extra, quantization_config=settings)
    weight, bias = sorted(checkpoint.spec.parameters, key=lambda row: -row.numel)
    assert (weight.name, bias.name) == (f"{M}.weight", f"{M}.bias")
    assert weight.numel == OUT * IN
    assert weight.dtype.id == dtype
    assert weight.dtype is DTYPES[dtype]  # so that a saved scenario finds it again
    assert checkpoint.param_count == OUT * IN + OUT
    assert not checkpoint.spec.buffers
    assert codes(checkpoint) <= {"packed_weights", "auxiliary"}


@pytest.mark.parametrize("bits", range(1, 9))
@pytest.mark.parametrize("columns", [128, 100])
def test_any_width_of_compressed_tensors(tmp_path: Path, bits: int, columns: int) -> None:
    """Dense packing: ceil(columns bits / 32) words a row; one scale a group of 20 or 32 tells the columns."""
    group = 32 if columns == 128 else 20
    entries: Tensors = {
        f"{M}.weight_packed": ("I32", [OUT, ceil(columns * bits / 32)]),
        f"{M}.weight_scale": ("BF16", [OUT, columns // group]),
        f"{M}.weight_shape": ("I64", [2]),
    }
    scheme = {"weights": {"num_bits": bits, "group_size": group}, "targets": ["Linear"]}
    checkpoint = opened(tmp_path, entries, quantization_config={"config_groups": {"group_0": scheme}})
    (weight,) = checkpoint.spec.parameters
    assert (weight.shape, weight.dtype.id) == ((OUT, columns), f"int{bits}")


def test_groups_of_compressed_tensors_differ_by_target(tmp_path: Path) -> None:
    """Experts of 4 bits, attention of 8, told apart by their names; three dimensions hold whole experts."""
    groups = {
        "group_0": {"weights": {"num_bits": 4}, "targets": [r"re:.*experts\.\d+\..*_proj$"]},
        "group_1": {"weights": {"num_bits": 8}, "targets": ["Linear"]},
    }
    entries: Tensors = {
        "model.layers.0.mlp.experts.11.up_proj.weight_packed": ("I32", [OUT, IN // 8]),
        "model.layers.0.self_attn.q_proj.weight_packed": ("I32", [OUT, IN // 4]),
        "model.layers.1.self_attn.q_proj.weight_packed": ("I32", [3, OUT, IN // 4]),
    }
    checkpoint = opened(tmp_path, entries, quantization_config={"config_groups": groups})
    assert checkpoint.param_count == 2 * OUT * IN + 3 * OUT * IN


def test_marlin_24_keeps_two_weights_of_four(tmp_path: Path) -> None:
    entries: Tensors = {
        f"{M}.weight_packed": ("I32", [IN // 32, OUT * 2]),
        f"{M}.scale_packed": ("F16", [1, OUT]),
        f"{M}.meta": ("I16", [IN // 4, OUT // 4]),
    }
    groups = {"group_0": {"weights": {"num_bits": 4}}}
    checkpoint = opened(
        tmp_path, entries, quantization_config={"config_groups": groups, "format": "marlin-24"}
    )
    assert checkpoint.param_count == OUT * IN


def test_a_routing_table_is_not_unpacked(tmp_path: Path) -> None:
    """Experts of 4 bits beside fp8 attention and a table of whole numbers, in one checkpoint."""
    experts: Tensors = {}
    for expert in range(4):
        experts |= {
            f"layers.0.ffn.experts.{expert}.w1.weight": ("I8", [OUT, IN // 2]),
            f"layers.0.ffn.experts.{expert}.w1.scale": ("F8_E8M0", [OUT, IN // 32]),
        }
    others: Tensors = {
        "layers.0.ffn.gate.weight": ("BF16", [4, IN]),
        "layers.0.ffn.gate.tid2eid": ("I32", [1000, 2]),
        "layers.0.attn.wq_a.weight": ("F8_E4M3", [256, 256]),
        "layers.0.attn.wq_a.scale": ("F8_E8M0", [2, 2]),
    }
    settings = {"quant_method": "fp8", "expert_dtype": "fp4"}
    checkpoint = opened(tmp_path, experts | others, quantization_config=settings)
    assert checkpoint.param_count == 4 * OUT * IN + 4 * IN + 256 * 256
    assert checkpoint.buffer_count == 2000
    assert checkpoint.auxiliary_count == 4 * OUT * IN // 32 + 4


def test_floats_that_only_look_packed_stay_what_they_are() -> None:
    rows = [("a.B", (4, 4), BF16), ("a.s", (1, 4), BF16), ("a.qweight", (4, 4), BF16), ("a.W_q", (4,), BF16)]
    packing = find_packing(rows, {})
    assert not packing.weights
    assert not packing.companions


def test_patterns_of_a_config_cannot_take_forever() -> None:
    """Each of these makes Python's own search run for years on a name of 200 letters."""
    for pattern in ("(a+)+$", "(.*a){20}", ".*.*.*.*.*.*.*.*.*.*.*.*b", "a*a*a*a*a*a*a*a*b", "(", "[z-a]"):
        groups = {"g": {"weights": {"num_bits": 3}, "targets": [f"re:{pattern}"]}}
        settings = Settings({"quantization_config": {"config_groups": groups}})
        assert settings.bits("a" * 200) is None


_LEAVES = ["qweight", "qzeros", "scales", "g_idx", "weight_packed", "weight_scale", "W_q", "scale", "weight"]
_LEAVES += [
    "weight._data",
    "weight._scale",
    "_weight_qdata",
    "_weight_scale",
    "B",
    "s",
    "w_blocks",
    "w_scales",
]


@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from(_LEAVES),
            st.lists(st.integers(0, 9), max_size=4).map(tuple),
            st.sampled_from(list(DTYPES.values())),
        ),
        max_size=8,
        unique_by=lambda row: row[0],
    ),
    bits=st.integers(0, 40),
    group=st.integers(0, 9),
)
def test_any_shapes_are_judged(rows: list[tuple[str, tuple[int, ...], Any]], bits: int, group: int) -> None:
    config = {"quantization_config": {"bits": bits, "group_size": group}}
    for settings in ({}, config):
        packing = find_packing([(f"m.{leaf}", shape, dtype) for leaf, shape, dtype in rows], settings)
        assert all(weight.dtype.id in DTYPES for weight in packing.weights.values())
        assert all(min(weight.shape, default=0) >= 0 for weight in packing.weights.values())
