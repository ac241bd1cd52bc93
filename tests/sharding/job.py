"""What one run on several processes is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Job:
    """One engine with one optimizer on so many processes."""

    name: str
    ranks: int
    engine: str
    optimizer: str
    keywords: dict[str, Any]
    precision: str
    model: str
    tp: int = 1
    replicas: int = 1
    bucket_view: bool = False
    group: dict[str, Any] = field(default_factory=dict)
