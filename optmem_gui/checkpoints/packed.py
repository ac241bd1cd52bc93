"""Quantised weights: how many parameters stand behind packed storage.

A packed tensor's element count is not a parameter count: eight 4-bit weights share one int32. Each weight
is judged by itself, from its own companions, because one checkpoint mixes widths and keeps whole-number
tensors that are no weights (routing tables). The layouts are in
:mod:`optmem_gui.checkpoints.packed_rules`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from optmem_gui.checkpoints.contents import Packing, Row, Unpacked
from optmem_gui.checkpoints.packed_rules import BY_LEAF, BY_TYPE, Place
from optmem_gui.checkpoints.packed_settings import Settings

PACKED_TYPES = frozenset(("int32", "uint32", "int16", "uint8", "int8"))
"""Types that packed weights are stored in."""

QUANTISED_TYPES = PACKED_TYPES | {"fp8_e4m3", "fp8_e5m2", "fp4_e2m1"}
"""Types that have scales beside them; a checkpoint without them needs no search."""

_SCALES = ("_scale", ".scale", "_scale_inv", "_scales")


def find_packing(rows: list[Row], config: Mapping[str, Any]) -> Packing:
    """Recognise packed weights by their companions.

    Args:
        rows: All stored tensors.
        config: The folder's ``config.json``; its ``quantization_config`` gives bits and method.
    """
    by_name = {name: (shape, dtype) for name, shape, dtype in rows}
    settings = Settings(config)
    weights: dict[str, Unpacked] = {}
    companions: set[str] = set()
    assumed = False
    for name, shape, dtype in rows:
        prefix, _, leaf = name.rpartition(".")
        rule = BY_LEAF.get(leaf) or BY_TYPE.get(dtype.id)
        if rule is None and f"{name}.absmax" in by_name:
            rule = BY_TYPE["uint8"]  # bitsandbytes keeps its bytes in any type that FSDP can shard
        if rule is not None:
            found = rule(Place(name, prefix, leaf, shape, dtype, by_name, settings))
            if found is not None:
                weights[name] = found.weight
                companions.update(found.companions & by_name.keys())
                assumed = assumed or found.assumed
                continue
        if dtype.id in QUANTISED_TYPES:
            companions.update(scale for ending in _SCALES if (scale := name + ending) in by_name)
    return Packing(weights, frozenset(companions), assumed)
