"""Why a number is what it is, as data: a key and the values that go into its sentence.

No prose is assembled here. A :class:`Reason` names a template; the English templates live in
:mod:`optmem_gui.core.texts` (command line, JSON), the Chinese ones in the translation files. A
placeholder's ending says how it is shown: ``{..._bytes}`` as a size; every other whole number has thousands
separators, unless it is the name of a thing (:data:`NAMES`). Text is shown as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from optmem_gui.core.texts import TEMPLATES
from optmem_gui.core.units import format_bytes, format_count

Value = str | int | float

NAMES = frozenset({"code", "number", "pid", "signal", "status", "version"})
"""Placeholders whose number names a thing and counts nothing: people look for it digit by digit."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A sentence in waiting.

    Attributes:
        key: Name of the template in :data:`optmem_gui.core.texts.TEMPLATES`.
        values: What the template's placeholders stand for.
    """

    key: str
    values: Mapping[str, Value] = field(default_factory=dict)

    def __str__(self) -> str:
        return render(self)


def render(
    reason: Reason,
    template: str | None = None,
    size: Callable[[int], str] = format_bytes,
) -> str:
    """Write a reason out.

    Args:
        reason: What to say.
        template: A translated template; the English one when left out.
        size: How to write a number of bytes (GiB or GB, as the user chose).

    Raises:
        KeyError: The key has no template, or the template asks for a value that is missing.
    """
    text = TEMPLATES[reason.key] if template is None else template
    shown = {name: _shown(name, value, size) for name, value in reason.values.items()}
    return text.format(**shown)


def _shown(name: str, value: Value, size: Callable[[int], str]) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        if name == "bytes" or name.endswith("_bytes"):
            return size(value)
        return str(value) if name in NAMES else format_count(value)
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)
