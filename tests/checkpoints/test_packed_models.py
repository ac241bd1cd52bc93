"""Whole models with the totals that were published for them, and what libraries themselves save packed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from optmem_gui.architectures.config import read_config
from optmem_gui.checkpoints.opening import open_checkpoint
from tests.checkpoints.builders import codes
from tests.checkpoints.test_packed_layouts import IN, OUT, M, Tensors, opened


def llama(size: str) -> tuple[list[tuple[str, tuple[int, ...]]], int]:
    """Names and shapes of Llama 3.1, and the published total."""
    dimensions = {
        "8b": (4096, 32, 32, 14_336, 8_030_261_248),
        "70b": (8192, 80, 64, 28_672, 70_553_706_496),
    }
    hidden, layers, heads, ffn, total = dimensions[size]
    values = {"hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads}
    values |= {"num_key_value_heads": 8, "intermediate_size": ffn, "vocab_size": 128_256}
    spec = read_config({"model_type": "llama", **values}, "config.json").model("llama")
    assert spec is not None
    return [(row.name, row.shape) for row in spec.parameters], total


@pytest.mark.parametrize("size", ["8b", "70b"])
@pytest.mark.parametrize("layout", ["w4a16", "gptq", "awq", "nf4", "mlx"])
def test_packed_llamas_have_their_published_totals(tmp_path: Path, size: str, layout: str) -> None:
    """All matrices of the blocks packed to 4 bits; with ``w4a16``, index tables and, in 8B, biases of zeros.

    The biases are one a row of the seven matrices: 32 (2 x 4096 + 2 x 1024 + 2 x 14336 + 4096) = 1,376,256.
    """
    rows, total = llama(size)
    entries: Tensors = {}
    for name, shape in rows:
        if len(shape) == 2 and "layers" in name:
            module = name.removesuffix(".weight")
            entries |= _packed(module, *shape, layout, biases=size == "8b" and layout == "w4a16")
        else:
            entries[name] = ("BF16", list(shape))
    groups = {"group_0": {"weights": {"num_bits": 4, "group_size": 128}, "targets": ["Linear"]}}
    settings: dict[str, dict[str, Any]] = {
        "w4a16": {"config_groups": groups},
        "gptq": {"quant_method": "gptq", "bits": 4, "group_size": 128},
        "awq": {"quant_method": "awq", "bits": 4, "group_size": 128},
        "nf4": {"quant_method": "bitsandbytes"},
        "mlx": {"group_size": 64, "bits": 4},
    }
    checkpoint = opened(tmp_path, entries, quantization_config=settings[layout])
    extra = 1_376_256 if size == "8b" and layout == "w4a16" else 0
    assert checkpoint.param_count == total + extra
    assert (total + extra == 8_031_637_504) == bool(extra)
    assert "assumed_bits" not in codes(checkpoint)


def _packed(module: str, rows: int, columns: int, layout: str, *, biases: bool) -> Tensors:
    parts: dict[str, Tensors] = {
        "w4a16": {
            "weight_packed": ("I32", [rows, columns // 8]),
            "weight_scale": ("BF16", [rows, columns // 128]),
            "weight_shape": ("I64", [2]),
            "weight_g_idx": ("I32", [columns]),
        },
        "gptq": {
            "qweight": ("I32", [columns // 8, rows]),
            "qzeros": ("I32", [columns // 128, rows // 8]),
            "scales": ("F16", [columns // 128, rows]),
            "g_idx": ("I32", [columns]),
        },
        "awq": {
            "qweight": ("I32", [columns, rows // 8]),
            "qzeros": ("I32", [columns // 128, rows // 8]),
            "scales": ("F16", [columns // 128, rows]),
        },
        "nf4": {
            "weight": ("U8", [rows * columns // 2, 1]),
            "weight.absmax": ("U8", [rows * columns // 64]),
            "weight.quant_map": ("F32", [16]),
            "weight.nested_absmax": ("F32", [rows * columns // 64 // 256]),
            "weight.nested_quant_map": ("F32", [256]),
            "weight.quant_state.bitsandbytes__nf4": ("U8", [180]),
        },
        "mlx": {
            "weight": ("U32", [rows, columns // 8]),
            "scales": ("BF16", [rows, columns // 64]),
            "biases": ("BF16", [rows, columns // 64]),
        },
    }
    found = parts[layout] | ({"bias": ("BF16", [rows])} if biases else {})
    return {f"{module}.{name}": entry for name, entry in found.items()}


def test_what_bitsandbytes_saves(tmp_path: Path) -> None:
    """Its own 4-bit layers, quantised on the CPU, saved with their state."""
    bnb = pytest.importorskip("bitsandbytes")
    from safetensors.torch import save_file

    layer = bnb.nn.Linear4bit(IN, OUT, bias=True, quant_type="nf4", compress_statistics=True)
    layer = layer.to("cpu")
    if layer.weight.quant_state is None:
        layer.weight = layer.weight._quantize("cpu")
    state = {f"{M}.{name}": tensor.contiguous() for name, tensor in layer.state_dict().items()}
    save_file(state, tmp_path / "model.safetensors")
    checkpoint = open_checkpoint(tmp_path)
    assert checkpoint.param_count == OUT * IN + OUT
    assert {row.dtype.id for row in checkpoint.spec.parameters if row.name.endswith("weight")} == {"nf4"}
    assert codes(checkpoint) == {"packed_weights", "auxiliary"}


@pytest.mark.filterwarnings("ignore")  # torchao looks for kernels of other devices and says so
@pytest.mark.parametrize(
    ("config", "dtype"), [("Int8WeightOnlyConfig", "int8"), ("Float8WeightOnlyConfig", "fp8_e4m3")]
)
def test_what_torchao_flattens(tmp_path: Path, config: str, dtype: str) -> None:
    quantization = pytest.importorskip("torchao.quantization")
    from safetensors.torch import save_file
    from torchao.prototype.safetensors.safetensors_support import flatten_tensor_state_dict

    net = torch.nn.Sequential(torch.nn.Linear(IN, OUT, dtype=torch.bfloat16))
    quantization.quantize_(net, getattr(quantization, config)(version=2))
    tensors, metadata = flatten_tensor_state_dict(net.state_dict())
    save_file(tensors, tmp_path / "model.safetensors", metadata)
    checkpoint = open_checkpoint(tmp_path)
    weight, bias = sorted(checkpoint.spec.parameters, key=lambda row: -row.numel)
    assert (weight.name, weight.shape, weight.dtype.id) == ("0.weight", (OUT, IN), dtype)
    assert bias.name == "0.bias"
    assert checkpoint.param_count == OUT * IN + OUT
