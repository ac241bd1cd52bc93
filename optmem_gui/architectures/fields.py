"""Numbers of a config, each checked when it is asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from optmem_gui.core.errors import UserError

_MAX_LAYERS = 10_000
_MAX_DIMENSION = 1 << 40
_MAX_STAGES = 16
_MAX_MULTIPLE = 1024
_CLASS = re.compile(r"(For[A-Z]\w*|LMHeadModel|Model)$")


class Fields:
    """Numbers of one config, each checked when it is asked for.

    Args:
        values: The config, or the part of it that describes one tower.
        file: What to call it in an error.
    """

    def __init__(self, values: Mapping[str, Any], file: str) -> None:
        self._values = values
        self._file = file

    def part(self, name: str) -> Fields:
        """A config inside the config, such as ``vision_config``; empty where it is left out.

        Raises:
            UserError: It is no object.
        """
        value = self._values.get(name)
        if value is not None and not isinstance(value, dict):
            raise self._bad(name, value)
        return Fields(value or {}, self._file)

    def with_defaults(self, defaults: Mapping[str, Any]) -> Fields:
        """The same config with numbers of its class for what it leaves out."""
        given = {name: value for name, value in self._values.items() if value is not None}
        return Fields({**defaults, **given}, self._file)

    def task(self) -> str:
        """What the class in ``architectures`` is for, such as ``ForCausalLM``; empty if unsaid."""
        named = self._values.get("architectures")
        if not isinstance(named, list) or not named or not isinstance(named[0], str):
            return ""
        found = _CLASS.search(named[0])
        return found.group() if found else named[0]

    def count(self, name: str, default: int | None = None, *, least: int = 1, alias: str = "") -> int:
        """A whole number of at least ``least``.

        Args:
            name: Field.
            default: Where it is left out or null.
            least: Smallest number that makes sense.
            alias: Older name of the field.

        Raises:
            UserError: Missing, not a number or out of range.
        """
        value = self._values.get(name)
        if value is None and alias:
            value = self._values.get(alias)
            name = name if value is None else alias
        if value is None:
            value = default
        if value is None:
            raise UserError("config.missing_field", file=self._file, field=name)
        return self._checked(name, value, least)

    def counts(
        self, name: str, default: Sequence[int] | None = None, *, most: int = _MAX_DIMENSION
    ) -> list[int]:
        """A short list of whole numbers of at least 0, such as the widths of the stages.

        Raises:
            UserError: Missing, no list, too long, or a number is out of range.
        """
        value = self._values.get(name)
        if value is None:
            value = default
        if value is None:
            raise UserError("config.missing_field", file=self._file, field=name)
        if not isinstance(value, (list, tuple)) or not 0 < len(value) <= _MAX_STAGES:
            raise self._bad(name, value)
        checked = [self._checked(name, one, 0) for one in value]
        if max(checked) > most:
            raise self._bad(name, value)
        return checked

    def layers(self, name: str, default: int | None = None, *, least: int = 1, alias: str = "") -> int:
        """A number of blocks.

        Raises:
            UserError: Missing, or beyond any real model.
        """
        value = self.count(name, default, least=least, alias=alias)
        if value > _MAX_LAYERS:
            raise self._bad(name, value)
        return value

    def depths(self, name: str, default: Sequence[int] | None = None) -> list[int]:
        """Numbers of blocks, stage by stage.

        Raises:
            UserError: Missing, or beyond any real model.
        """
        return self.counts(name, default, most=_MAX_LAYERS // _MAX_STAGES)

    def repeated(self, name: str, default: int, stages: int) -> list[int]:
        """One number for all stages, or a list with one a stage.

        Raises:
            UserError: Neither, or a list of another length.
        """
        if not isinstance(self._values.get(name), (list, tuple)):
            return [self.layers(name, default)] * stages
        values = self.depths(name)
        if len(values) != stages:
            raise self.refuse(name)
        return values

    def indices(self, name: str) -> list[int]:
        """Numbers of layers; none where the field is left out.

        Raises:
            UserError: No list of whole numbers.
        """
        value = self._values.get(name)
        if value is None:
            return []
        if not isinstance(value, list) or len(value) > _MAX_LAYERS:
            raise self._bad(name, value)
        return [self._checked(name, one, 0) for one in value]

    def names(self, name: str, default: Sequence[str] = ()) -> list[str]:
        """A short list of words, such as the kinds of the stages.

        Raises:
            UserError: No list of words.
        """
        value = self._values.get(name)
        if value is None:
            return list(default)
        if (
            not isinstance(value, list)
            or len(value) > _MAX_LAYERS
            or not all(isinstance(v, str) for v in value)
        ):
            raise self._bad(name, value)
        return value

    def flag(self, name: str, default: bool = False) -> bool:
        """A yes or no."""
        value = self._values.get(name)
        return default if value is None else bool(value)

    def word(self, name: str, default: str = "") -> str:
        """A word, such as the kind of an activation function."""
        value = self._values.get(name)
        return value if isinstance(value, str) else default

    def ratio(self, name: str, default: float = 0.0) -> float:
        """A probability, such as dropout."""
        value = self._values.get(name)
        return float(value) if isinstance(value, (int, float)) and 0 <= value <= 1 else default

    def multiple(self, name: str, default: float, of: int) -> int:
        """A width given as a multiple of another, such as ``mlp_ratio``; rounded down as the classes do.

        Raises:
            UserError: Not a number, or nothing is left of the width.
        """
        value = self._values.get(name)
        if value is None:
            value = default
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= _MAX_MULTIPLE:
            raise self._bad(name, value)
        width = int(of * value)
        if width < 1:
            raise self._bad(name, value)
        return width

    def kinds(self, name: str) -> frozenset[str]:
        """Words of a list, or of one word that joins them with ``|``."""
        value = self._values.get(name)
        words = value.split("|") if isinstance(value, str) else value if isinstance(value, list) else []
        return frozenset(str(word).strip().lower() for word in words)

    def turned(self, head_dim: int, default: float, alias: str = "") -> int:
        """Elements of a head that carry the position, from ``partial_rotary_factor``.

        Args:
            head_dim: Elements of a head.
            default: Factor where the config leaves it out.
            alias: Older name of the field.
        """
        inner = self.part("rope_parameters")
        outer = self.number(alias, default) if alias else default
        return int(
            head_dim * inner.number("partial_rotary_factor", self.number("partial_rotary_factor", outer))
        )

    def number(self, name: str, default: float) -> float:
        """A number that is no count."""
        value = self._values.get(name)
        return float(value) if isinstance(value, (int, float)) else default

    def labels(self) -> int:
        """Classes of a classifier: ``num_labels``, else as many as ``id2label`` names, else 2.

        Raises:
            UserError: No usable count.
        """
        names = self._values.get("id2label")
        return self.count("num_labels", len(names) if isinstance(names, dict) and names else 2)

    def has(self, name: str) -> bool:
        """Whether the field is there and not null."""
        return self._values.get(name) is not None

    def says_null(self, name: str) -> bool:
        """Whether the field is there and null, which turns off what the class has by default."""
        return name in self._values and self._values[name] is None

    def refuse(self, name: str) -> UserError:
        """The error for a field whose value does not fit the others."""
        return self._bad(name, self._values.get(name))

    def _checked(self, name: str, value: object, least: int) -> int:
        if type(value) is not int or not least <= value <= _MAX_DIMENSION:
            raise self._bad(name, value)
        return value

    def _bad(self, name: str, value: object) -> UserError:
        return UserError("config.bad_field", file=self._file, field=name, given=repr(value)[:60])
