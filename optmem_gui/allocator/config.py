"""Settings of PyTorch's caching allocator, as ``PYTORCH_CUDA_ALLOC_CONF`` gives them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from optmem_gui.core.errors import UserError

MIB = 1 << 20
VARIABLE = "PYTORCH_CUDA_ALLOC_CONF"

INTERVALS = 16
"""Sizes from 1 MiB to 64 GiB, one interval a power of two, have their own rounding
(``kRoundUpPowerOfTwoIntervals`` in c10/core/AllocatorConfig.cpp)."""

_NOT_MODELLED = (
    "release_lock_on_cudamalloc",
    "release_lock_on_hipmalloc",
    "pinned_use_cuda_host_register",
    "pinned_use_hip_host_register",
    "pinned_num_register_threads",
    "pinned_use_background_threads",
    "pinned_reserve_segment_size_mb",
    "pinned_free_catch_all",
    "pinned_max_round_threshold_mb",
    "pinned_max_cached_size_mb",
    "graph_capture_record_stream_reuse",
    "throw_on_cudamalloc_oom",
)
"""Settings that change speed, host memory or messages, not what is reserved on the device."""

_TOKEN = re.compile(r"[^,:\[\]]+|[,:\[\]]")
_LARGEST_MB = 1 << 40


@dataclass(frozen=True, slots=True)
class AllocatorConfig:
    """What can be set. Defaults as PyTorch has them.

    Attributes:
        expandable_segments: Segments are ranges of addresses that grow by pages.
        large_segment_bytes: Segment for requests of more than 1 and less than 10 MiB, and the page of
            expandable segments of the large pool.
        max_split_bytes: Blocks of this size and more are never split; None where all may be.
        max_non_split_rounding_bytes: How much larger than the request such a block may be.
        garbage_collection_threshold: Share of the allowed memory above which old cached blocks are given
            back; 0 never. Works only where a memory fraction is set.
        roundup_divisions: Steps between two powers of two that a request is rounded to, for each of the
            :data:`INTERVALS`; 0 or 1 rounds to 512 bytes.
        memory_fraction: Share of the device that may be reserved; None without a limit.
    """

    expandable_segments: bool = False
    large_segment_bytes: int = 20 * MIB
    max_split_bytes: int | None = None
    max_non_split_rounding_bytes: int = 20 * MIB
    garbage_collection_threshold: float = 0.0
    roundup_divisions: tuple[int, ...] = (0,) * INTERVALS
    memory_fraction: float | None = None


def parse_settings(text: str, field: str = VARIABLE) -> AllocatorConfig:
    """Read ``name:value,name:value`` as PyTorch does.

    Args:
        text: The settings; empty for the defaults.
        field: What to call the text in a refusal.

    Raises:
        UserError: A name that does not exist, or a value that PyTorch would refuse.

    Source: ``ConfigTokenizer`` and ``parseArgs`` in c10/core/AllocatorConfig.cpp, torch 2.13.
    """
    tokens = [token for raw in _TOKEN.findall(text) if (token := "".join(raw.split()))]
    config = AllocatorConfig()
    while tokens:
        name, values = _take_pair(tokens, text, field)
        config = _with(config, name, values, field)
        if tokens and tokens.pop(0) != ",":
            raise UserError("allocator.setting_malformed", field=field, given=text)
    return config


def _take_pair(tokens: list[str], text: str, field: str) -> tuple[str, list[str]]:
    """The next name and the tokens of its value, a list in brackets with its brackets."""
    name = tokens.pop(0)
    if name in ",:[]" or len(tokens) < 2 or tokens.pop(0) != ":":
        raise UserError("allocator.setting_malformed", field=field, given=text)
    first = tokens.pop(0)
    if first != "[":
        if first in ",:]":
            raise UserError("allocator.setting_malformed", field=field, given=text)
        return name, [first]
    if "]" not in tokens:
        raise UserError("allocator.setting_malformed", field=field, given=text)
    end = tokens.index("]")
    values = ["[", *tokens[:end]]
    del tokens[: end + 1]
    return name, values


def _with(config: AllocatorConfig, name: str, values: list[str], field: str) -> AllocatorConfig:
    """The settings with one of them changed."""
    if name in _NOT_MODELLED:
        return config
    read = _READERS.get(name)
    if read is None:
        known = ", ".join((*_READERS, *_NOT_MODELLED))
        raise UserError("allocator.setting_unknown", field=field, name=name, known=known)
    if values[0] == "[" and name != "roundup_power2_divisions":
        raise UserError("allocator.setting_malformed", field=field, given=f"{name}:{''.join(values)}]")
    return replace(config, **read(name, values, field, config))


_Reader = Callable[[str, list[str], str, AllocatorConfig], dict[str, Any]]
"""From a name, the tokens of its value, the field and the settings so far to what changes."""


def _boolean(name: str, values: list[str], field: str, config: AllocatorConfig) -> dict[str, Any]:
    del config
    if values[0] not in ("True", "False"):
        raise UserError("allocator.setting_not_bool", field=field, name=name, given=values[0])
    return {name: values[0] == "True"}


def _whole(name: str, text: str, field: str, low: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20 and low <= int(text) <= _LARGEST_MB):
        raise UserError("allocator.setting_not_whole", field=field, name=name, given=text, low=low)
    return int(text)


def _large_segment(name: str, values: list[str], field: str, config: AllocatorConfig) -> dict[str, Any]:
    """More than 10 MiB, the largest request that shares such a segment."""
    del config
    return {"large_segment_bytes": _whole(name, values[0], field, 11) * MIB}


def _from_large_segment(attribute: str) -> _Reader:
    """A reader of a size in MiB that is not below the segment that requests share."""

    def read(name: str, values: list[str], field: str, config: AllocatorConfig) -> dict[str, Any]:
        return {attribute: _whole(name, values[0], field, config.large_segment_bytes // MIB) * MIB}

    return read


def _ratio(attribute: str, *, one_too: bool) -> _Reader:
    def read(name: str, values: list[str], field: str, config: AllocatorConfig) -> dict[str, Any]:
        del config
        try:
            ratio = float(values[0])
        except ValueError:
            ratio = -1.0
        if not (0.0 < ratio < 1.0 or (one_too and ratio == 1.0)):
            raise UserError("allocator.setting_not_ratio", field=field, name=name, given=values[0])
        return {attribute: ratio}

    return read


def _backend(name: str, values: list[str], field: str, config: AllocatorConfig) -> dict[str, Any]:
    del name, config
    if values[0] != "native":
        raise UserError("allocator.setting_backend", field=field, given=values[0])
    return {}


def _roundup(name: str, values: list[str], field: str, config: AllocatorConfig) -> dict[str, Any]:
    """One number for all sizes, or ``[256:1,512:2,>:4]``: up to a size in MiB, and beyond the last."""
    del config
    if values[0] != "[":
        return {"roundup_divisions": (_power(name, values[0], field, zero=False),) * INTERVALS}
    divisions, last = [0] * INTERVALS, 0
    pairs = "".join(values[1:]).split(",") if values[1:] else []
    for position, pair in enumerate(pairs):
        bound, colon, count = pair.partition(":")
        if not colon:
            raise UserError("allocator.setting_malformed", field=field, given=f"{name}:{pair}")
        value = _power(name, count, field, zero=True)
        if bound == ">":
            divisions[last + 1 :] = [value] * (INTERVALS - last - 1)
            continue
        last = min(_power(name, bound, field, zero=False).bit_length() - 1, INTERVALS - 1)
        if position == 0:
            divisions[:last] = [value] * last
        divisions[last] = value
    return {"roundup_divisions": tuple(divisions)}


def _power(name: str, text: str, field: str, *, zero: bool) -> int:
    value = _whole(name, text, field, 0)
    if value & (value - 1) or (value == 0 and not zero):
        raise UserError("allocator.setting_not_power", field=field, name=name, given=text)
    return value


_READERS: dict[str, _Reader] = {
    "expandable_segments": _boolean,
    "large_segment_size_mb": _large_segment,
    "max_split_size_mb": _from_large_segment("max_split_bytes"),
    "max_non_split_rounding_mb": _from_large_segment("max_non_split_rounding_bytes"),
    "garbage_collection_threshold": _ratio("garbage_collection_threshold", one_too=False),
    "per_process_memory_fraction": _ratio("memory_fraction", one_too=True),
    "roundup_power2_divisions": _roundup,
    "backend": _backend,
}


def recorded_config(settings: Mapping[str, Any]) -> AllocatorConfig:
    """The settings a snapshot carries (``allocator_settings``), as numbers and not as they were typed.

    Raises:
        UserError: A value that no PyTorch writes.

    Source: ``THCPModule_memorySnapshot`` in torch/csrc/cuda/Module.cpp; sizes are in bytes there, -1 stands
    for no limit, and the keys of the rounding are the intervals' lower ends in MiB.
    """
    given = settings.get("PYTORCH_CUDA_ALLOC_CONF", "")
    config = parse_settings(_checked(given, str, "PYTORCH_CUDA_ALLOC_CONF"))
    expandable = _checked(
        settings.get("expandable_segments", config.expandable_segments), bool, "expandable_segments"
    )
    max_split = _checked(settings.get("max_split_size", -1), int, "max_split_size")
    threshold = settings.get("garbage_collection_threshold", 0.0)
    divisions = settings.get("roundup_power2_divisions", {})
    return replace(
        config,
        expandable_segments=_checked(expandable, bool, "expandable_segments"),
        max_split_bytes=max_split if 0 < max_split < 1 << 62 else None,
        garbage_collection_threshold=float(_checked(threshold, (int, float), "garbage_collection_threshold")),
        roundup_divisions=_recorded_divisions(_checked(divisions, Mapping, "roundup_power2_divisions")),
    )


def _recorded_divisions(divisions: Mapping[Any, Any]) -> tuple[int, ...]:
    name = "roundup_power2_divisions"
    values = [_checked(divisions.get(str(1 << index), 0), int, name) for index in range(INTERVALS)]
    for value in values:
        if value < 0 or value & (value - 1):
            raise UserError("allocator.setting_inconsistent", name=name, given=value)
    return tuple(values)


def _checked(value: Any, kind: Any, name: str) -> Any:  # noqa: ANN401  # whatever a file holds
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise UserError("allocator.setting_inconsistent", name=name, given=str(value)[:40])
    return value
