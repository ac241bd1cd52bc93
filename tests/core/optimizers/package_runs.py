"""Real optimizers of any package, built from the catalogue's paths, stepped, and every tensor they hold."""

from __future__ import annotations

import importlib
import inspect
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.optimizers.state import OptimizerState, constructor_keywords
from optmem_gui.core.scenario import Options

Sizes = dict[str, tuple[int, int]]
"""Tensors and bytes by the name of the state."""

SMALL: tuple[Shape, ...] = ((), (1, 1), (33,), (4097,), (96, 128), (48,), (16, 8, 3, 3), (100, 24), (7, 5, 3))
"""0-d, 1 x 1, vectors, matrices of both orientations, a convolution, three axes."""


def load(path: str) -> Any:
    """The class, whatever its package warns about while it is imported."""
    module, _, name = path.rpartition(".")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of another library, whatever they are
        return getattr(importlib.import_module(module), name)


def parameters_of(shapes: Sequence[Shape], dtype: torch.dtype) -> list[torch.nn.Parameter]:
    """Parameters with random values, none of them zero."""
    torch.manual_seed(0)
    return [torch.nn.Parameter(torch.randn(shape).to(dtype)) for shape in shapes]


def stepped(
    implementation: Implementation,
    options: Options,
    parameters: Sequence[torch.nn.Parameter],
    steps: int = 3,
    first: Any = None,
) -> Any:
    """The optimizer after so many steps on random gradients.

    What it would have compiled runs as it is written: the states are the same, and a compiler takes minutes.

    Args:
        implementation: Whose class is built, with its own ``arguments``.
        options: Options beside the defaults.
        parameters: What it trains.
        steps: How many steps.
        first: What the constructor gets in place of the list of parameters.
    """
    factory = load(implementation.path)
    keywords = dict(constructor_keywords(implementation, options))
    with warnings.catch_warnings(), torch.compiler.set_stance("force_eager"):
        warnings.simplefilter("ignore")  # of another library, whatever they are
        optimizer = factory(list(parameters) if first is None else first, **keywords)
        for _ in range(steps):
            if hasattr(optimizer, "train"):
                optimizer.train()
            gradients(parameters)
            step(optimizer, parameters)
    return optimizer


def gradients(parameters: Sequence[torch.nn.Parameter]) -> None:
    """New random gradients."""
    for parameter in parameters:
        parameter.grad = torch.randn_like(parameter)


def step(optimizer: Any, parameters: Sequence[torch.nn.Parameter]) -> None:
    """One step, with a closure where the optimizer insists on one."""
    closure = inspect.signature(type(optimizer).step).parameters.get("closure")
    if closure is not None and closure.default is inspect.Parameter.empty:

        def evaluate() -> torch.Tensor:
            gradients(parameters)
            return torch.zeros(())

        optimizer.step(evaluate)
    else:
        optimizer.step()


def held(optimizer: Any) -> Sizes:
    """Every tensor in the optimizer's state and groups by name, each storage counted once, in full."""
    sizes: Sizes = {}
    seen = {p.untyped_storage()._cdata for group in optimizer.param_groups for p in group["params"]}
    for name, tensor in tensors_of(optimizer):
        storage = tensor.untyped_storage()
        if storage._cdata not in seen:
            seen.add(storage._cdata)
            count, size = sizes.get(name, (0, 0))
            sizes[name] = (count + 1, size + storage.nbytes())
    return sizes


def tensors_of(optimizer: Any) -> Iterator[tuple[str, torch.Tensor]]:
    """Every tensor of the state and of the groups but the parameters, views and repetitions included."""
    groups = [{k: v for k, v in group.items() if k != "params"} for group in optimizer.param_groups]
    yield from _tensors(optimizer.state, "")
    yield from _tensors(groups, "")


def _tensors(value: object, name: str) -> Iterator[tuple[str, torch.Tensor]]:
    if isinstance(value, torch.Tensor):
        yield name, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _tensors(item, key if isinstance(key, str) else name)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _tensors(item, name)
    elif type(value).__module__.partition(".")[0] not in ("builtins", "torch"):
        for key, item in getattr(value, "__dict__", {}).items():
            yield from _tensors(item, key)


def declared(state: OptimizerState) -> Sizes:
    """The same of an estimate; rows of one name and several types together."""
    sizes: Sizes = {}
    for row in state.rows:
        count, size = sizes.get(row.name, (0, 0))
        sizes[row.name] = (count + row.tensor_count, size + row.bytes)
    return sizes
