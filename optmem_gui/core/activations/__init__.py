"""Activations of a transformer step: what forward saves, and how far backward rises above it."""

from __future__ import annotations

from optmem_gui.core.activations.estimate import activations_of, estimate_activations, workspace_bytes
from optmem_gui.core.activations.moments import ActivationItem, ActivationMoment, Activations

__all__ = [
    "ActivationItem",
    "ActivationMoment",
    "Activations",
    "activations_of",
    "estimate_activations",
    "workspace_bytes",
]
