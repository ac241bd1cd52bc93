"""Every optimizer the program knows, and finding one by any of its names."""

from __future__ import annotations

from collections.abc import Iterable

from optmem_gui.core.errors import UserError
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.optimizers.libraries import IMPLEMENTATIONS

CATALOGUE: dict[str, Implementation] = {
    implementation.id: implementation for implementation in IMPLEMENTATIONS
}
"""Implementations by id, in the order they are listed. To add one: a declaration and its texts."""


def _names(implementation: Implementation) -> tuple[str, ...]:
    """Every name it answers to, lower case; torch's own classes also answer to their bare name."""
    bare = (implementation.name,) if implementation.library == "torch" else ()
    return tuple(
        name.lower() for name in (implementation.id, implementation.path, *bare, *implementation.aliases)
    )


ALIASES: dict[str, str] = {
    name: implementation.id for implementation in CATALOGUE.values() for name in _names(implementation)
}
"""Id by any name, lower case: the id, the import path, a short name such as ``adamw``."""


def adopt(implementations: Iterable[Implementation]) -> None:
    """Take in the entries that a user added; one that was there under the same id is replaced.

    Names that the program's own entries answer to stay theirs.
    """
    for implementation in implementations:
        CATALOGUE[implementation.id] = implementation
        for name in _names(implementation):
            ALIASES.setdefault(name, implementation.id)


def search_text(implementation: Implementation) -> str:
    """Everything a search should find it by, lower case: its names, its library and its family."""
    words = (implementation.name, implementation.library, implementation.family)
    return " ".join((*_names(implementation), *words)).lower()


def matches(implementation: Implementation, typed: str) -> bool:
    """Whether every word that was typed is part of what it can be found by."""
    known = search_text(implementation)
    return all(word in known for word in typed.lower().split())


def find(name: str) -> Implementation:
    """Look an implementation up.

    Args:
        name: Id, import path or short name, in any case.

    Raises:
        UserError: There is none; the message names the nearest ones.
    """
    found = ALIASES.get(name.strip().lower())
    if found is not None:
        return CATALOGUE[found]
    from difflib import get_close_matches  # noqa: PLC0415  # only a refusal needs it; a start should not wait for it

    near = get_close_matches(name.strip().lower(), ALIASES, n=6, cutoff=0.5)
    ids = list(dict.fromkeys(ALIASES[match] for match in near))[:3] or ["torch.AdamW", "torch.SGD"]
    raise UserError("optimizer.unknown", given=name, near=", ".join(ids))


def library(name: str) -> str:
    """The library that an implementation comes from.

    Raises:
        UserError: There is no such implementation.
    """
    return find(name).library
