"""Declarations of every optimizer, one module a library; each library's tuple is joined here."""

from __future__ import annotations

from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.optimizers.libraries.bitsandbytes import BITSANDBYTES
from optmem_gui.core.optimizers.libraries.fused_kernels import FUSED_KERNELS
from optmem_gui.core.optimizers.libraries.heavyball import HEAVYBALL
from optmem_gui.core.optimizers.libraries.keras import KERAS_AND_TENSORFLOW
from optmem_gui.core.optimizers.libraries.learning_rate_free import LEARNING_RATE_FREE
from optmem_gui.core.optimizers.libraries.low_rank import LOW_RANK
from optmem_gui.core.optimizers.libraries.matrices import MATRICES
from optmem_gui.core.optimizers.libraries.memory_light import MEMORY_LIGHT
from optmem_gui.core.optimizers.libraries.optax import OPTAX_ALL
from optmem_gui.core.optimizers.libraries.optimi import OPTIMI
from optmem_gui.core.optimizers.libraries.pytorch_optimizer_full import FULL as PYTORCH_OPTIMIZER_FULL
from optmem_gui.core.optimizers.libraries.pytorch_optimizer_parts import PARTS as PYTORCH_OPTIMIZER_PARTS
from optmem_gui.core.optimizers.libraries.single_algorithm import SINGLE_ALGORITHM
from optmem_gui.core.optimizers.libraries.timm import TIMM
from optmem_gui.core.optimizers.libraries.torch_optim import TORCH_OPTIM
from optmem_gui.core.optimizers.libraries.torch_optimizer import TORCH_OPTIMIZER
from optmem_gui.core.optimizers.libraries.torchao import TORCHAO
from optmem_gui.core.optimizers.libraries.transformers import TRANSFORMERS

IMPLEMENTATIONS: tuple[Implementation, ...] = (
    *TORCH_OPTIM,
    *BITSANDBYTES,
    *TRANSFORMERS,
    *TORCHAO,
    *OPTIMI,
    *TIMM,
    *FUSED_KERNELS,
    *SINGLE_ALGORITHM,
    *LEARNING_RATE_FREE,
    *PYTORCH_OPTIMIZER_FULL,
    *PYTORCH_OPTIMIZER_PARTS,
    *TORCH_OPTIMIZER,
    *HEAVYBALL,
    *LOW_RANK,
    *MATRICES,
    *MEMORY_LIGHT,
    *KERAS_AND_TENSORFLOW,
    *OPTAX_ALL,
)
"""Every implementation, in the order the window lists them."""
