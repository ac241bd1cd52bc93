"""Low-rank adapters as PEFT sets them up, without PEFT: it need not be installed where the user trains.

Reference: peft/tuners/lora/layer.py ``Linear.forward`` (the input is cast to the adapter's type, the
result is added to the base's output and cast back).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from optmem_gui.core.errors import UserError
from optmem_gui.core.scenario import Lora

_ALL_LINEAR = "all-linear"
_HEAD = "lm_head"


class AdaptedLinear(nn.Module):
    """A frozen linear layer with a trained pair of thin matrices beside it."""

    def __init__(self, base: nn.Linear, rank: int, dtype: torch.dtype) -> None:
        super().__init__()
        self.base_layer = base
        self.lora_A = nn.Linear(base.in_features, rank, bias=False, dtype=dtype)
        self.lora_B = nn.Linear(rank, base.out_features, bias=False, dtype=dtype)
        nn.init.zeros_(self.lora_B.weight)

    def forward(self, x: Tensor) -> Tensor:
        """Base output plus the low-rank update."""
        result = self.base_layer(x)
        update = self.lora_B(self.lora_A(x.to(self.lora_A.weight.dtype)))
        return (result + update).to(result.dtype)  # type: ignore[no-any-return]  # torch's own types say Any


def add_adapters(model: nn.Module, lora: Lora, dtype: torch.dtype) -> None:
    """Freeze a model and put an adapter on each target.

    Args:
        model: Changed in place.
        lora: Rank and targets.
        dtype: Type of the adapters.

    Raises:
        UserError: No linear layer is called by one of the targets.
    """
    model.requires_grad_(False)
    linear = [(name, module) for name, module in model.named_modules() if isinstance(module, nn.Linear)]
    chosen = [pair for pair in linear if _is_target(pair[0].rpartition(".")[2], lora)]
    if not chosen:
        known = sorted({name.rpartition(".")[2] for name, _ in linear})
        raise UserError("lora.no_target", targets=", ".join(lora.targets), known=", ".join(known))
    for name, base in chosen:
        parent, _, leaf = name.rpartition(".")
        setattr(model.get_submodule(parent), leaf, AdaptedLinear(base, lora.rank, dtype))


def _is_target(leaf: str, lora: Lora) -> bool:
    return leaf in lora.targets or (_ALL_LINEAR in lora.targets and leaf != _HEAD)
