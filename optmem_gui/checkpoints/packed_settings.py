"""What a ``config.json`` says about packed weights: bits and group sizes, for all modules or for some."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

MAX_BITS = 8
_MAX_GROUP = 1 << 20
_MAX_PATTERN = 500


class Settings:
    """Bits and group sizes, by module.

    Args:
        config: A whole ``config.json``. Sources: ``quantization_config`` of transformers (GPTQ, AWQ, HQQ,
            quanto, bitsandbytes), ``config_groups`` of compressed-tensors, ``dynamic`` of GPTQModel,
            ``quantization`` of mlx-lm.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        found = config.get("quantization_config")
        if not isinstance(found, dict):
            found = config.get("quantization")
        if not isinstance(found, dict):
            found = config.get("compression_config")
        self._values: dict[str, Any] = found if isinstance(found, dict) else {}
        inner = self._values.get("quant_config")
        inner = inner.get("weight_quant_params") if isinstance(inner, dict) else None
        self._inner: dict[str, Any] = inner if isinstance(inner, dict) else {}
        groups = self._values.get("config_groups")
        self._groups = (
            [group for group in groups.values() if isinstance(group, dict)]
            if isinstance(groups, dict)
            else []
        )

    @property
    def method(self) -> str:
        """``quant_method``, or what compressed-tensors calls the format."""
        return str(self._values.get("quant_method", ""))

    @property
    def format(self) -> str:
        """How the checkpoint lays packed weights out, where the method has several ways."""
        for key in ("format", "checkpoint_format", "version"):
            if isinstance(self._values.get(key), str):
                return str(self._values[key]).lower()
        return ""

    def bits(self, module: str) -> int | None:
        """Bits of one weight of a module."""
        own = self._own(module)
        weights = str(self._values.get("weights", ""))
        named = int(weights[-1]) if re.fullmatch(r"q?u?int[2-8]", weights) else None
        for value in (
            own.get("bits"),
            self._group(module).get("num_bits"),
            self._values.get("bits"),
            self._values.get("w_bit"),
            self._inner.get("nbits"),
            named,
        ):
            if type(value) is int and 1 <= value <= MAX_BITS:
                return value
        return None

    def group_size(self, module: str) -> int | None:
        """Weights that share a scale, in a module."""
        for values in (self._own(module), self._group(module), self._values, self._inner):
            value = values.get("group_size")
            if type(value) is int and 1 <= value <= _MAX_GROUP:
                return value
        return None

    def _own(self, module: str) -> Mapping[str, Any]:
        """What is said about this module alone: by its name (MLX), or by a pattern (GPTQModel)."""
        own = self._values.get(module)
        if isinstance(own, dict):
            return own
        patterns = self._values.get("dynamic")
        if isinstance(patterns, dict):
            for pattern, values in patterns.items():
                if isinstance(values, dict) and _matches(str(pattern).removeprefix("+:"), module):
                    return values
        return {}

    def _group(self, module: str) -> Mapping[str, Any]:
        """The group of compressed-tensors that a module is in: by name or pattern, else by its class."""
        general: Mapping[str, Any] = {}
        for group in self._groups:
            weights = group.get("weights")
            if not isinstance(weights, dict):
                continue
            targets = group.get("targets")
            for target in targets if isinstance(targets, list) else ["Linear"]:
                if target == module or (str(target).startswith("re:") and _matches(str(target)[3:], module)):
                    return weights
                if "." not in str(target) and not str(target).startswith("re:"):
                    general = general or weights
        return general


def _matches(pattern: str, module: str) -> bool:
    """Whether a pattern from a config matches a module's name from its beginning.

    The pieces between ``.*`` are looked for one after another. That is what a pattern of the kind published
    means, and it cannot be made to run for years as a whole hostile expression can; one with repeated
    groups, or with more repetitions in a piece than any published one, does not match.
    """
    if len(pattern) > _MAX_PATTERN or len(module) > _MAX_PATTERN:
        return False
    first, *others = pattern.removeprefix("^").split(".*")
    try:
        if any(_REPEATED.search(piece) or len(_REPETITION.findall(piece)) > 2 for piece in (first, *others)):
            return False
        found = re.match(first, module)
        for piece in others:
            if found is None:
                return False
            found = re.compile(piece).search(module, found.end())
    except (re.error, OverflowError, RecursionError):
        return False
    return found is not None


_REPEATED = re.compile(r"\)\s*[*+{]")
_REPETITION = re.compile(r"[*+{]")
