"""Quantised weights: how many parameters stand behind packed storage.

A packed tensor's element count is not a parameter count: eight 4-bit weights share one int32. Sources:
AutoGPTQ ``qlinear_cuda.py`` (``qweight`` is [in / (32 / bits), out]), AutoAWQ ``gemm.py`` (``qweight`` is
[in, out / (32 / bits)]), compressed-tensors ``pack_quantized.py`` (``weight_packed`` along the columns),
bitsandbytes ``functional.quantize_4bit`` (two 4-bit values a byte, state beside the weight) and
``nn.Int8Params`` (``SCB``), gpt-oss ``weights.py`` (``_blocks`` of 16 bytes = 32 values, ``_scales``).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from optmem_gui.checkpoints.contents import Packing, Row, Unpacked
from optmem_gui.core.dtypes import DTYPES, DType
from optmem_gui.core.model import Shape

PACKED_TYPES = frozenset(("int32", "uint8", "int8"))
"""Types that packed weights are stored in."""

QUANTISED_TYPES = PACKED_TYPES | {"fp8_e4m3", "fp8_e5m2", "fp4_e2m1"}
"""Types that have scales beside them; a checkpoint without them needs no search."""

_BITS = (2, 3, 4, 8)
_SCALES = ("_scale", ".scale", "_scale_inv", "_scales")


def find_packing(rows: list[Row], config: Mapping[str, Any]) -> Packing:
    """Recognise packed weights by their companions.

    Args:
        rows: All stored tensors.
        config: The folder's ``config.json``; its ``quantization_config`` gives bits and method.
    """
    by_name = {name: (shape, dtype) for name, shape, dtype in rows}
    quantization = config.get("quantization_config")
    bits = _bits(quantization) if isinstance(quantization, dict) else None
    weights: dict[str, Unpacked] = {}
    companions: set[str] = set()
    assumed = False
    for name, shape, dtype in rows:
        prefix, _, leaf = name.rpartition(".")
        weight: Unpacked | None = None
        if leaf == "qweight" and dtype.id == "int32" and len(shape) == 2:
            weight = _qweight(prefix, shape, by_name, bits)
            companions.add(f"{prefix}.scales")
        elif leaf == "weight_packed" and len(shape) == 2:
            logical = (shape[0], shape[1] * dtype.bits // (bits or 4))
            weight = Unpacked(f"{prefix}.weight", logical, _int(bits or 4), "compressed-tensors")
            assumed = assumed or bits is None
        elif dtype.id == "uint8" and f"{name}.absmax" in by_name:
            weight = Unpacked(name, (2 * prod(shape),), DTYPES["nf4"], "bitsandbytes 4-bit")
        elif dtype.id == "int8" and (f"{prefix}.SCB" in by_name or f"{prefix}.weight_scale" in by_name):
            weight = Unpacked(name, shape, dtype, "int8")
        elif leaf.endswith("_blocks") and dtype.id == "uint8" and len(shape) >= 2:
            base = name.removesuffix("_blocks")
            if f"{base}_scales" in by_name:
                companions.add(f"{base}_scales")
                logical_blocks = (*shape[:-2], shape[-2] * shape[-1] * 2)
                weight = Unpacked(base, logical_blocks, DTYPES["fp4_e2m1"], "mxfp4")
        elif dtype.id in QUANTISED_TYPES:
            companions.update(scale for ending in _SCALES if (scale := name + ending) in by_name)
        if weight is not None:
            weights[name] = weight
    return Packing(weights, frozenset(companions), assumed)


def _qweight(
    prefix: str, shape: Shape, by_name: Mapping[str, tuple[Shape, DType]], bits: int | None
) -> Unpacked | None:
    """GPTQ packs along the inputs, AWQ along the outputs; ``scales`` [groups, out] tells which."""
    outputs = _columns(by_name, f"{prefix}.scales")
    if not outputs:
        return None
    if shape[1] == outputs:
        bits = bits or 32 * _columns(by_name, f"{prefix}.qzeros") // outputs
        logical, scheme = (outputs, shape[0] * 32 // bits if bits else 0), "gptq"
    else:
        bits = 32 * shape[1] // outputs
        logical, scheme = (outputs, shape[0]), "awq"
    return Unpacked(f"{prefix}.weight", logical, _int(bits), scheme) if bits in _BITS else None


def _columns(by_name: Mapping[str, tuple[Shape, DType]], name: str) -> int:
    shape = by_name[name][0] if name in by_name else ()
    return shape[1] if len(shape) == 2 else 0


def _bits(settings: Mapping[str, Any]) -> int | None:
    """Bits of one weight, as far as the config says."""
    found = settings.get("bits", settings.get("w_bit"))
    groups = settings.get("config_groups")
    if found is None and isinstance(groups, dict):
        for group in groups.values():
            scheme = group.get("weights") if isinstance(group, dict) else None
            if isinstance(scheme, dict):
                found = scheme.get("num_bits")
    return found if type(found) is int and found in _BITS else None


def _int(bits: int) -> DType:
    if bits == 4:
        return DTYPES["int4"]
    return DTYPES["int8"] if bits == 8 else DType(f"int{bits}", bits, "packed")
