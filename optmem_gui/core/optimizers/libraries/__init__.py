"""Declarations of every optimizer, one module a library; each library's tuple is joined here."""

from __future__ import annotations

from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.optimizers.libraries.torch_optim import TORCH_OPTIM

IMPLEMENTATIONS: tuple[Implementation, ...] = (*TORCH_OPTIM,)
"""Every implementation, in the order the window lists them."""
