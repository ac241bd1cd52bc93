"""English templates: components."""

from __future__ import annotations

TEXTS: dict[str, str] = {}
