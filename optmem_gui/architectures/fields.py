"""Numbers of a config, each checked when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from optmem_gui.core.errors import UserError

_MAX_LAYERS = 10_000
_MAX_DIMENSION = 1 << 40


class Fields:
    """Numbers of one config, each checked when it is asked for."""

    def __init__(self, values: Mapping[str, Any], file: str) -> None:
        self._values = values
        self._file = file

    def count(self, name: str, default: int | None = None, *, least: int = 1) -> int:
        """A whole number of at least ``least``.

        Raises:
            UserError: Missing, not a number or out of range.
        """
        value = self._values.get(name)
        if value is None:
            value = default
        if value is None:
            raise UserError("config.missing_field", file=self._file, field=name)
        if type(value) is not int or not least <= value <= _MAX_DIMENSION:
            raise UserError("config.bad_field", file=self._file, field=name, given=repr(value)[:60])
        return value

    def layers(self, name: str) -> int:
        """A number of blocks.

        Raises:
            UserError: Missing, or beyond any real model.
        """
        value = self.count(name)
        if value > _MAX_LAYERS:
            raise UserError("config.bad_field", file=self._file, field=name, given=str(value))
        return value

    def flag(self, name: str, default: bool = False) -> bool:
        """A yes or no."""
        value = self._values.get(name)
        return default if value is None else bool(value)

    def ratio(self, name: str, default: float = 0.0) -> float:
        """A probability, such as dropout."""
        value = self._values.get(name)
        return float(value) if isinstance(value, (int, float)) and 0 <= value <= 1 else default
