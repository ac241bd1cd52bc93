"""What models of transformers keep and allocate in a step on the CPU, and the closed form of it."""

from __future__ import annotations

import contextlib
import gc
from dataclasses import dataclass, replace
from typing import Any

import torch
import transformers
from torch import Tensor, nn
from torch.autograd.graph import saved_tensors_hooks

from optmem_gui.architectures.config import read_config
from optmem_gui.core.activations import Activations
from optmem_gui.core.activations.network import network_activations, network_setting
from optmem_gui.core.activations.setting import Setting
from optmem_gui.core.layout import place
from optmem_gui.core.model import ModelRef, group_model
from optmem_gui.core.precision import precision
from optmem_gui.core.scenario import Scenario
from optmem_gui.worker.sources.pretrained import model_class
from tests.core.activation_oracle import Measured, begin_backward, profiled

TYPES = {
    "fp32": torch.float32,
    "bf16": torch.bfloat16,
    "amp-bf16": torch.float32,
    "bf16-autocast": torch.bfloat16,
}

SCALARS = 160
"""Factors that eager code multiplies with are numbers of 8 bytes, which PyTorch keeps as tensors in host
memory: one a layer, three for every GELU that is written out. The gradient that backward starts with is one
more."""


@dataclass(frozen=True)
class Case:
    """A config, and what its model is fed.

    Attributes:
        config: The ``config.json``.
        batch: Keyword -> tensor.
        tokens: Tokens of a sequence; None where the config fixes them.
    """

    config: dict[str, Any]
    batch: dict[str, Tensor]
    tokens: int | None

    @property
    def model(self) -> ModelRef:
        """The model by its groups."""
        spec = read_config(self.config, "config.json").model("test")
        assert spec is not None
        return group_model(spec)

    def scenario(self, **options: Any) -> Scenario:
        """A scenario on the CPU."""
        size = len(next(iter(self.batch.values())))
        return Scenario(self.model, batch=size, sequence=self.tokens, target="cpu", **options)

    def build(self, scenario: Scenario) -> nn.Module:
        """The real model, ready to train."""
        torch.manual_seed(0)
        config = transformers.CONFIG_MAPPING[self.config["model_type"]].from_dict(dict(self.config))
        config.use_cache = False
        attention = "eager" if scenario.attention == "eager" else "sdpa"
        model = model_class(config)._from_config(config, attn_implementation=attention)
        model = model.to(TYPES[scenario.precision]).train()
        if scenario.checkpointing == "full":
            model.activation_checkpointing_enable({"use_reentrant": False, "preserve_rng_state": False})
        return model  # type: ignore[no-any-return]  # the library has no types for its classes


def estimated(scenario: Scenario) -> Activations:
    """The closed form."""
    network = scenario.model.network
    assert network is not None
    setting = network_setting(network, scenario, place(scenario))
    assert isinstance(setting, Setting)
    return network_activations(setting)


def region(scenario: Scenario) -> contextlib.AbstractContextManager[Any]:
    """Autocast where the precision asks for it."""
    if precision(scenario.precision).autocast is None:
        return contextlib.nullcontext()
    return torch.autocast("cpu", dtype=torch.bfloat16)


def saved_bytes(case: Case, scenario: Scenario) -> int:
    """Bytes of the distinct storages that autograd saves; the batch counts, parameters and buffers do not."""
    model = case.build(scenario)
    own = {tensor.untyped_storage().data_ptr() for tensor in (*model.parameters(), *model.buffers())}
    kept = list(case.batch.values())

    def pack(tensor: Tensor) -> Tensor:
        kept.append(tensor)
        return tensor

    with region(scenario), saved_tensors_hooks(pack, lambda tensor: tensor):
        kept.append(model(**case.batch).loss)
    storages = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in kept}
    return sum(size for place_, size in storages.items() if place_ not in own)


def measured(case: Case, scenario: Scenario) -> Measured:
    """Run one step and add up the allocator's own events; the first step is thrown away."""
    model = case.build(scenario)

    def step() -> Tensor:
        batch = {name: tensor.clone() for name, tensor in case.batch.items()}
        with region(scenario):
            loss = model(**batch).loss
        between = begin_backward()
        loss.backward()
        return between

    step()
    model.zero_grad(set_to_none=True)
    gc.collect()
    return profiled(step)


def deeper(case: Case, field: str, layers: int) -> Case:
    """The same with so many layers."""
    return replace(case, config={**case.config, field: layers})
