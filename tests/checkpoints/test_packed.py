from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from optmem_gui.checkpoints.opening import open_checkpoint
from tests.checkpoints.builders import codes, write_safetensors

PREFIX = "model.layers.0.self_attn.q_proj"
NORM = {"model.norm.weight": ("BF16", [128])}

# 64 outputs x 128 inputs = 8,192 weights in each, and 128 of the norm.
GPTQ = {
    f"{PREFIX}.qweight": ("I32", [128 // 8, 64]),
    f"{PREFIX}.qzeros": ("I32", [1, 64 // 8]),
    f"{PREFIX}.scales": ("F16", [1, 64]),
    f"{PREFIX}.g_idx": ("I32", [128]),
}
AWQ = {
    f"{PREFIX}.qweight": ("I32", [128, 64 // 8]),
    f"{PREFIX}.qzeros": ("I32", [1, 64 // 8]),
    f"{PREFIX}.scales": ("F16", [1, 64]),
}
COMPRESSED = {
    f"{PREFIX}.weight_packed": ("I32", [64, 128 // 8]),
    f"{PREFIX}.weight_scale": ("BF16", [64, 1]),
    f"{PREFIX}.weight_shape": ("I64", [2]),
    f"{PREFIX}.weight_g_idx": ("I32", [128]),
}
NF4 = {
    f"{PREFIX}.weight": ("U8", [4096, 1]),
    f"{PREFIX}.weight.absmax": ("U8", [128]),
    f"{PREFIX}.weight.quant_map": ("F32", [16]),
    f"{PREFIX}.weight.nested_absmax": ("F32", [1]),
    f"{PREFIX}.weight.nested_quant_map": ("F32", [256]),
    f"{PREFIX}.weight.quant_state.bitsandbytes__nf4": ("U8", [182]),
}
LLM_INT8 = {f"{PREFIX}.weight": ("I8", [64, 128]), f"{PREFIX}.SCB": ("F32", [64])}
MXFP4 = {
    "mlp.experts.down_proj_blocks": ("U8", [2, 32, 4, 16]),
    "mlp.experts.down_proj_scales": ("U8", [2, 32, 4]),
}

_PACKED = ("qweight", "weight_packed", "proj.weight", "_blocks")


@pytest.mark.parametrize(
    ("entries", "settings", "logical", "stored"),
    [
        (AWQ, {}, ((64, 128), "int4"), 128 * 8),
        (GPTQ, {"quant_method": "gptq", "bits": 4}, ((64, 128), "int4"), 16 * 64),
        (GPTQ, {}, ((64, 128), "int4"), 16 * 64),
        (AWQ, {"quant_method": "awq", "bits": 4}, ((64, 128), "int4"), 128 * 8),
        (
            COMPRESSED,
            {"config_groups": {"group_0": {"weights": {"num_bits": 4}}}},
            ((64, 128), "int4"),
            64 * 16,
        ),
        (NF4, {"quant_method": "bitsandbytes", "load_in_4bit": True}, ((8192,), "nf4"), 4096),
        (LLM_INT8, {"quant_method": "bitsandbytes", "load_in_8bit": True}, ((64, 128), "int8"), 8192),
        (MXFP4, {"quant_method": "mxfp4"}, ((2, 32, 128), "fp4_e2m1"), 2 * 32 * 4 * 16),
    ],
)
def test_packed_weights_count_as_the_parameters_they_hold(
    tmp_path: Path,
    entries: dict[str, Any],
    settings: dict[str, Any],
    logical: tuple[tuple[int, ...], str],
    stored: int,
) -> None:
    write_safetensors(tmp_path / "model.safetensors", {**entries, **NORM})
    config = {"quantization_config": settings}
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    checkpoint = open_checkpoint(tmp_path)
    assert checkpoint.param_count == 8192 + 128
    assert checkpoint.ref.param_count == 8192 + 128
    assert checkpoint.trainable_count == (8192 + 128 if logical[1] == "fp4_e2m1" else 128)
    weight = next(tensor for tensor in checkpoint.spec.parameters if "norm" not in tensor.name)
    assert (weight.shape, weight.dtype.id) == logical
    assert weight.name in (f"{PREFIX}.weight", "mlp.experts.down_proj")
    assert not checkpoint.spec.buffers
    assert codes(checkpoint) == {"packed_weights", "auxiliary"}
    reason = next(reason for reason in checkpoint.warnings if reason.key == "checkpoint.packed_weights")
    assert (reason.values["stored_count"], reason.values["count"]) == (stored, 8192)
    (dtype, _) = next(entry for name, entry in entries.items() if name.endswith(_PACKED))
    assert reason.values["packed_bytes"] == stored * (4 if dtype == "I32" else 1)


def test_eight_bits_halve_the_factor(tmp_path: Path) -> None:
    """The zero points, [1, 64 / (32 / bits)], tell the bits where no config does."""
    entries = {
        **GPTQ,
        f"{PREFIX}.qweight": ("I32", [128 // 4, 64]),
        f"{PREFIX}.qzeros": ("I32", [1, 64 // 4]),
    }
    write_safetensors(tmp_path / "model.safetensors", entries)
    assert open_checkpoint(tmp_path).param_count == 8192
    config = {"quantization_config": {"quant_method": "gptq", "bits": 8}}
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert open_checkpoint(tmp_path).param_count == 8192


def test_bits_that_nothing_tells_are_said_to_be_assumed(tmp_path: Path) -> None:
    checkpoint = open_checkpoint(write_safetensors(tmp_path / "a.safetensors", COMPRESSED))
    assert checkpoint.param_count == 8192
    assert "assumed_bits" in codes(checkpoint)


def test_scales_of_fp8_weights_are_no_parameters(tmp_path: Path) -> None:
    """256 x 128 weights and a norm of 256; block scales apart."""
    entries = {
        f"{PREFIX}.weight": ("F8_E4M3", [128, 256]),
        f"{PREFIX}.weight_scale_inv": ("F32", [1, 2]),
        "model.norm.weight": ("BF16", [256]),
        "head": ("F8_E4M3", [4]),
        "head_scale": ("F32", []),
        "norm_scale": ("F32", [3]),
    }
    checkpoint = open_checkpoint(write_safetensors(tmp_path / "model.safetensors", entries))
    assert checkpoint.param_count == 128 * 256 + 256 + 4 + 3
    assert checkpoint.auxiliary_count == 3
    assert checkpoint.auxiliary_bytes == 12
    assert codes(checkpoint) == {"auxiliary"}


def test_an_unknown_packing_is_said_to_be_one(tmp_path: Path) -> None:
    path = write_safetensors(tmp_path / "a.safetensors", {"q.weight": ("I32", [8, 8]), **NORM})
    checkpoint = open_checkpoint(path)
    assert checkpoint.param_count == 128
    assert codes(checkpoint) == {"integer_weights"}
    assert "stored elements, not parameters" in str(checkpoint.warnings[0])
