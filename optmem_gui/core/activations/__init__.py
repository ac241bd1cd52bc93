"""Activations of a transformer step: what forward saves, and how far backward rises above it."""

from __future__ import annotations

from optmem_gui.core.activations.estimate import (
    ActivationItem,
    ActivationMoment,
    Activations,
    activations_of,
    estimate_activations,
    workspace_bytes,
)

__all__ = [
    "ActivationItem",
    "ActivationMoment",
    "Activations",
    "activations_of",
    "estimate_activations",
    "workspace_bytes",
]
