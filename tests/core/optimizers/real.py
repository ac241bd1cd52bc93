"""Real torch optimizers, built from the catalogue's own paths and stepped on real tensors."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import pytest
import torch

from optmem_gui.core.dtypes import F32
from optmem_gui.core.errors import UserError
from optmem_gui.core.layout import Layout, place
from optmem_gui.core.model import ModelSpec, ParameterTensor, Shape, Source, group_model
from optmem_gui.core.optimizers.declare import Implementation, Option
from optmem_gui.core.optimizers.options import checked
from optmem_gui.core.optimizers.state import constructor_keywords
from optmem_gui.core.scenario import Options, OptionValue, Scenario
from tests.core.optimizers.live_bytes import extra_peak

TORCH_DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}

MIXED: tuple[Shape, ...] = (
    (),
    (1, 1),
    (4095,),
    (4096,),
    (4097,),
    (2048, 2048),
    (384, 512),
    (384,),
    (64, 32, 3, 3),
    (64,),
    (1000, 96),
    (384,),
    (384,),
)
"""0-d, 1 x 1, vectors around 4096, a large matrix, linear and bias, conv and bias, embedding, layer norm."""

LIGHT = tuple(shape for shape in MIXED if shape != (2048, 2048))
"""The same without the large matrix, for many runs."""


def layout_of(shapes: Sequence[Shape], precision: str) -> Layout:
    """The placed groups of parameters of these shapes, in this order."""
    tensors = tuple(ParameterTensor(f"m{i}.weight", shape, F32) for i, shape in enumerate(shapes))
    return place(Scenario(group_model(ModelSpec("shapes", Source.FILE, tensors)), precision=precision))


def shapes_for(implementation: Implementation, shapes: Sequence[Shape]) -> tuple[Shape, ...]:
    """Those that the optimizer can train: matrices for Muon, something with rows for SparseAdam."""
    if implementation.requirement is not None:
        return tuple(shape for shape in shapes if len(shape) == 2)
    if implementation.name == "SparseAdam":
        return tuple(shape for shape in shapes if shape)
    return tuple(shapes)


def values_of(option: Option) -> tuple[OptionValue, ...]:
    """Values that differ from the default and could change memory."""
    if option.kind == "bool":
        return tuple(value for value in (True, False) if value is not option.default)
    if option.kind == "choice":
        return option.choices
    if option.kind == "int":
        return (2, 4)
    return (0.9, 0.0) if option.default else (0.9,)


def option_sets(implementation: Implementation, together: int) -> Iterator[Options]:
    """Every allowed set of up to so many options that affect memory, and the defaults."""
    choices = [
        [(option.name, value) for value in values_of(option)]
        for option in implementation.options
        if option.affects
    ]
    seen: set[Options] = set()
    for number in range(together + 1):
        for chosen in combinations(choices, number):
            for picked in _products(chosen):
                try:
                    options = checked(implementation, picked)
                except UserError:
                    continue
                if options not in seen:
                    seen.add(options)
                    yield options


def _products(chosen: Sequence[Sequence[tuple[str, OptionValue]]]) -> Iterator[Options]:
    if not chosen:
        yield ()
        return
    for rest in _products(chosen[1:]):
        for pair in chosen[0]:
            yield (pair, *rest)


def allow_capturable_on_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ``capturable`` run without a GPU: the arithmetic is the same, only a device check is in the way."""
    for name in ("adam", "nadam", "radam", "adamax", "adadelta", "asgd", "rmsprop", "rprop"):
        module = importlib.import_module(f"torch.optim.{name}")
        monkeypatch.setattr(module, "_get_capturable_supported_devices", lambda **_: ["cpu"])


class Run:
    """One optimizer on real parameters.

    Attributes:
        parameters: What it trains.
        optimizer: The real thing.
    """

    def __init__(
        self, implementation: Implementation, options: Options, shapes: Sequence[Shape], dtype: torch.dtype
    ) -> None:
        torch.manual_seed(0)
        self.parameters = [torch.nn.Parameter(torch.randn(shape).to(dtype)) for shape in shapes]
        module, _, name = implementation.path.rpartition(".")
        keywords: dict[str, Any] = dict(constructor_keywords(implementation, options))
        if dict(options).get("tensor_lr"):
            keywords["lr"] = torch.tensor(1e-3)
        self.optimizer = getattr(importlib.import_module(module), name)(self.parameters, **keywords)
        self._sparse = implementation.name == "SparseAdam"
        self._closure = implementation.name == "LBFGS"
        self._curvature = [10 ** (-3 * torch.rand_like(p)) for p in self.parameters] if self._closure else []

    def advance(self, steps: int) -> None:
        """Run so many steps on new gradients, uncounted."""
        for _ in range(steps):
            self._gradients()
            self._run()

    def step(self) -> tuple[int, int]:
        """Run one step on new gradients, counting.

        Returns:
            State bytes after it, and most bytes alive during it beyond parameters, gradients and that state.
        """
        self._gradients()
        before = self.state_bytes()
        peak, _ = extra_peak(self._run, self._known())
        after = self.state_bytes()
        return after, peak - (after - before)

    def _run(self) -> None:
        if self._closure:
            self.optimizer.step(self._evaluate)
        else:
            self.optimizer.step()

    def state(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Every tensor of the optimizer's state under its name, lists one by one."""
        for entry in self.optimizer.state.values():
            for name, value in entry.items():
                for item in value if isinstance(value, list) else [value]:
                    if isinstance(item, torch.Tensor):
                        yield name, item

    def state_bytes(self) -> int:
        """Bytes of all of them."""
        return sum(tensor.nbytes for _, tensor in self.state())

    def _known(self) -> Iterator[torch.Tensor]:
        yield from self.parameters
        yield from (p.grad for p in self.parameters if p.grad is not None)
        yield from (tensor for _, tensor in self.state())
        yield from self._curvature

    def _gradients(self) -> None:
        for parameter in self.parameters:
            parameter.grad = _sparse(parameter) if self._sparse else torch.randn_like(parameter)

    def _evaluate(self) -> torch.Tensor:
        """A bowl; its gradient is written in place so that only the optimizer's own tensors are counted."""
        loss = torch.zeros(())
        with torch.no_grad():
            for parameter, curvature in zip(self.parameters, self._curvature, strict=True):
                assert parameter.grad is not None
                parameter.grad.copy_(parameter).mul_(curvature)
                loss += 0.5 * torch.dot(parameter.view(-1), parameter.grad.view(-1)).float()
        return loss


def _sparse(parameter: torch.Tensor) -> torch.Tensor:
    """A gradient that touches every row once."""
    rows = torch.randperm(parameter.shape[0])[None]
    return torch.sparse_coo_tensor(rows, torch.randn_like(parameter), parameter.shape, check_invariants=False)
