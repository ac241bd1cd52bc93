"""Quantised weights: how many parameters stand behind packed storage.

A packed tensor's element count is not a parameter count: eight 4-bit weights share one int32. Sources:
AutoGPTQ ``qlinear_cuda.py`` (``qweight`` is [in / (32 / bits), out]), AutoAWQ ``gemm.py`` (``qweight`` is
[in, out / (32 / bits)]), compressed-tensors ``pack_quantized.py`` (``weight_packed`` along the columns),
bitsandbytes ``functional.quantize_4bit`` (two 4-bit values a byte, state beside the weight) and
``nn.Int8Params`` (``SCB``), gpt-oss ``weights.py`` (``_blocks`` of 16 bytes = 32 values, ``_scales``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from optmem_gui.checkpoints.contents import Row
from optmem_gui.core.dtypes import DTYPES, DType
from optmem_gui.core.model import Shape


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A packed weight as the parameter it stands for."""

    name: str
    shape: Shape
    dtype: DType
    scheme: str


@dataclass(frozen=True, slots=True)
class Packing:
    """What is packed in a checkpoint.

    Attributes:
        weights: Stored name to the parameter behind it.
        companions: Names of scales and other bookkeeping that no general rule knows.
    """

    weights: Mapping[str, Unpacked]
    companions: frozenset[str]


PACKED_TYPES = frozenset(("int32", "uint8", "int8"))
"""Types that packed weights are stored in."""

QUANTISED_TYPES = PACKED_TYPES | {"fp8_e4m3", "fp8_e5m2", "fp4_e2m1"}
"""Types that have scales beside them; a checkpoint without them needs no search."""

_SCALES = ("_scale", ".scale", "_scale_inv", "_scales")

NOTHING_PACKED = Packing({}, frozenset())


def find_packing(rows: list[Row], config: Mapping[str, Any]) -> Packing:
    """Recognise packed weights by their companions.

    Args:
        rows: All stored tensors.
        config: The folder's ``config.json``; its ``quantization_config`` gives bits and method.
    """
    by_name = {name: (shape, dtype) for name, shape, dtype in rows}
    weights: dict[str, Unpacked] = {}
    companions: set[str] = set()
    quantization = config.get("quantization_config")
    settings = quantization if isinstance(quantization, dict) else {}
    for name, shape, dtype in rows:
        prefix, _, leaf = name.rpartition(".")
        if leaf == "qweight" and dtype.id == "int32" and len(shape) == 2:
            companions.add(f"{prefix}.scales")
            weights[name] = _qweight(prefix, shape, by_name, settings)
        elif leaf == "weight_packed" and len(shape) == 2:
            bits = _bits(settings)
            columns = shape[1] * dtype.bits // bits
            weights[name] = Unpacked(
                f"{prefix}.weight", (shape[0], columns), _int(bits), "compressed-tensors"
            )
        elif dtype.id == "uint8" and f"{name}.absmax" in by_name:
            weights[name] = Unpacked(name, (2 * prod(shape),), DTYPES["nf4"], "bitsandbytes 4-bit")
        elif dtype.id == "int8" and (f"{prefix}.SCB" in by_name or f"{prefix}.weight_scale" in by_name):
            weights[name] = Unpacked(name, shape, dtype, "int8")
        elif leaf.endswith("_blocks") and dtype.id == "uint8" and len(shape) >= 2:
            base = name.removesuffix("_blocks")
            if f"{base}_scales" in by_name:
                companions.add(f"{base}_scales")
                logical = (*shape[:-2], shape[-2] * shape[-1] * 2)
                weights[name] = Unpacked(base, logical, DTYPES["fp4_e2m1"], "mxfp4")
        elif dtype.id in QUANTISED_TYPES:
            companions.update(scale for ending in _SCALES if (scale := name + ending) in by_name)
    return Packing(weights, frozenset(companions))


def _qweight(
    prefix: str, shape: Shape, by_name: Mapping[str, tuple[Shape, DType]], settings: Mapping[str, Any]
) -> Unpacked:
    bits = _bits(settings)
    if settings.get("quant_method") == "awq" or settings.get("version") in ("gemm", "gemv"):
        return Unpacked(f"{prefix}.weight", (shape[1] * 32 // bits, shape[0]), _int(bits), "awq")
    indices = by_name.get(f"{prefix}.g_idx")
    inputs = prod(indices[0]) if indices is not None else 0
    if not inputs:
        inputs = shape[0] * 32 // bits
    return Unpacked(f"{prefix}.weight", (shape[1], inputs), _int(bits), "gptq")


def _bits(settings: Mapping[str, Any]) -> int:
    """Bits of one weight, as the config says; 4, by far the most common, where it says nothing."""
    found = settings.get("bits", settings.get("w_bit"))
    groups = settings.get("config_groups")
    if found is None and isinstance(groups, dict):
        for group in groups.values():
            scheme = group.get("weights") if isinstance(group, dict) else None
            if isinstance(scheme, dict):
                found = scheme.get("num_bits")
    return found if isinstance(found, int) and found in (2, 3, 4, 8) else 4


def _int(bits: int) -> DType:
    if bits == 4:
        return DTYPES["int4"]
    return DTYPES["int8"] if bits == 8 else DType(f"int{bits}", bits, "packed")
