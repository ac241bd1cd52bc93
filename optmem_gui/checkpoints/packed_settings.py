"""What a ``config.json`` says about packed weights: bits and group sizes, for all modules or for some."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

MAX_BITS = 8
_MAX_GROUP = 1 << 20
_MAX_LENGTH = 500


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
        self._groups = list(_groups(self._values.get("config_groups")))
        dynamic = self._values.get("dynamic")
        self._dynamic = [
            (_Pattern(str(pattern).removeprefix("+:")), values)
            for pattern, values in (dynamic.items() if isinstance(dynamic, dict) else ())
            if isinstance(values, dict)
        ]
        self._last: tuple[str | None, Mapping[str, Any], Mapping[str, Any]] = (None, {}, {})

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
        own, group = self._about(module)
        weights = str(self._values.get("weights", ""))
        named = int(weights[-1]) if re.fullmatch(r"q?u?int[2-8]", weights) else None
        for value in (
            own.get("bits"),
            group.get("num_bits"),
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
        for values in (*self._about(module), self._values, self._inner):
            value = values.get("group_size")
            if type(value) is int and 1 <= value <= _MAX_GROUP:
                return value
        return None

    def _about(self, module: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """What is said about this module alone, and about the group it is in."""
        if self._last[0] != module:
            self._last = (module, self._own(module), self._group(module))
        return self._last[1:]

    def _own(self, module: str) -> Mapping[str, Any]:
        """By the module's name (MLX), or by a pattern (GPTQModel)."""
        own = self._values.get(module)
        if isinstance(own, dict):
            return own
        return next((values for pattern, values in self._dynamic if pattern.matches(module)), {})

    def _group(self, module: str) -> Mapping[str, Any]:
        """The group of compressed-tensors: by name or pattern, else the first that is meant for a class."""
        general: Mapping[str, Any] = {}
        for weights, names, patterns in self._groups:
            if module in names or any(pattern.matches(module) for pattern in patterns):
                return weights
            if any("." not in name for name in names):
                general = general or weights
        return general


def _groups(groups: object) -> Iterator[tuple[Mapping[str, Any], frozenset[str], list[_Pattern]]]:
    """The groups of compressed-tensors: their scheme, names or classes they are meant for, and patterns."""
    for group in groups.values() if isinstance(groups, dict) else ():
        weights = group.get("weights") if isinstance(group, dict) else None
        if not isinstance(weights, dict):
            continue
        targets = group.get("targets")
        listed = [str(target) for target in targets] if isinstance(targets, list) else ["Linear"]
        patterns = [_Pattern(target[3:]) for target in listed if target.startswith("re:")]
        yield weights, frozenset(target for target in listed if not target.startswith("re:")), patterns


_REPEATED = re.compile(r"\)\s*[*+{]")
_REPETITION = re.compile(r"[*+{]")


class _Pattern:
    """A pattern of a config, held against a module's name from its beginning.

    The pieces between ``.*`` are looked for one after another. That is what a pattern of the kind published
    means, and it cannot be made to run for years as a whole hostile expression can; one with repeated
    groups, or with more repetitions in a piece than any published one, matches nothing.
    """

    def __init__(self, pattern: str) -> None:
        self._pieces: list[re.Pattern[str]] = []
        pieces = pattern.removeprefix("^").split(".*")
        hostile = any(_REPEATED.search(piece) or len(_REPETITION.findall(piece)) > 2 for piece in pieces)
        if hostile or len(pattern) > _MAX_LENGTH:
            return
        try:
            self._pieces = [re.compile(piece) for piece in pieces]
        except (re.error, OverflowError, RecursionError):
            self._pieces = []

    def matches(self, module: str) -> bool:
        """Whether a module's name is meant."""
        if not self._pieces or len(module) > _MAX_LENGTH:
            return False
        first, *others = self._pieces
        found = first.match(module)
        for piece in others:
            if found is None:
                return False
            found = piece.search(module, found.end())
        return found is not None
