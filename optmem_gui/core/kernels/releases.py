"""Releases of torch, whose kernels differ in what they allocate."""

from __future__ import annotations

import re

Release = tuple[int, int]

NEWEST: Release = (2, 13)
"""The newest release whose sources were read; later ones are taken to be like it."""

_VERSION = re.compile(r"(\d+)\.(\d+)")


def release_of(version: str) -> Release:
    """Major and minor number of a version such as ``2.9.1+cu128``; the newest known one for an empty text.

    Raises:
        ValueError: The text does not start with a version.
    """
    if not version:
        return NEWEST
    found = _VERSION.match(version)
    if found is None:
        raise ValueError(f"not a version: {version!r}")
    return int(found[1]), int(found[2])
