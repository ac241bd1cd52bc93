"""English templates: measure."""

from __future__ import annotations

TEXTS: dict[str, str] = {}
