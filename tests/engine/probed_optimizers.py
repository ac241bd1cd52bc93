"""Optimizers that a user might name; the worker imports them by their path."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

BLOCK = 256
SMALLEST = 4096


class Toy8bit(torch.optim.Optimizer):
    """Codes of a byte with one fp32 scale a block and a table; small tensors stay fp32."""

    def __init__(self, params: Iterable[Tensor], lr: float = 1e-3) -> None:
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> Any:
        del closure
        for group in self.param_groups:
            for parameter in group["params"]:
                state, count = self.state[parameter], parameter.numel()
                if state:
                    continue
                state["step"] = torch.tensor(0.0)
                if count < SMALLEST:
                    state["moment"] = torch.zeros_like(parameter, dtype=torch.float32)
                    continue
                state["moment"] = torch.zeros_like(parameter, dtype=torch.uint8)
                state["absmax"] = torch.zeros(-(-count // BLOCK), device=parameter.device)
                state["table"] = torch.zeros(256, device=parameter.device)


class SharedTable(torch.optim.Optimizer):
    """A full-size moment that points to one table, which the optimizer keeps once for all parameters."""

    def __init__(self, params: Iterable[Tensor]) -> None:
        super().__init__(params, {})
        self.tables = {"dynamic": torch.zeros(256)}

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> Any:
        del closure
        for group in self.param_groups:
            for parameter in group["params"]:
                state = self.state[parameter]
                state["moment"] = torch.zeros_like(parameter)
                state["table"] = self.tables["dynamic"]


class LowRank(torch.optim.Optimizer):
    """A moment of low rank for matrices, as large as the parameter for everything else."""

    def __init__(self, params: Iterable[Tensor], rank: int = 4) -> None:
        super().__init__(params, {"rank": rank})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> Any:
        del closure
        for group in self.param_groups:
            for parameter in group["params"]:
                shape = tuple(parameter.shape)
                if len(shape) == 2:
                    shape = (min(group["rank"], *shape), max(shape))
                self.state[parameter].setdefault("exp_avg", parameter.new_zeros(shape))


class Odd(torch.optim.Optimizer):
    """Keeps as many elements as no rule says."""

    def __init__(self, params: Iterable[Tensor]) -> None:
        super().__init__(params, {})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> Any:
        del closure
        for group in self.param_groups:
            for parameter in group["params"]:
                self.state[parameter]["plain"] = torch.zeros_like(parameter)
                self.state[parameter]["odd"] = parameter.new_zeros(parameter.numel() ** 2 % 1009 + 7)


class Changing(Odd):
    """Follows one rule on small tensors and another on the large ones that rules are not made from."""

    def step(self, closure: Callable[[], float] | None = None) -> Any:
        del closure
        for group in self.param_groups:
            for parameter in group["params"]:
                count = parameter.numel() + int(parameter.numel() == 5000)
                self.state[parameter]["moment"] = torch.zeros(count)


class Shared(Odd):
    """Keeps one vector as long as the largest parameter, with the first of them."""

    def step(self, closure: Callable[[], float] | None = None) -> Any:
        del closure
        parameters = self.param_groups[0]["params"]
        self.state[parameters[0]]["flat"] = torch.zeros(max(p.numel() for p in parameters))


class Elsewhere(Odd):
    """Keeps its buffer where nobody looks, and a state that grows."""

    def step(self, closure: Callable[[], float] | None = None) -> Any:
        del closure
        self.buffer = torch.zeros(self.param_groups[0]["params"][0].numel())
        for parameter in self.param_groups[0]["params"]:
            before = self.state[parameter].get("history", torch.zeros(0))
            self.state[parameter]["history"] = torch.zeros(before.numel() + 1)


class Raising(Odd):
    """Has a mistake in its step."""

    def step(self, closure: Callable[[], float] | None = None) -> Any:
        del closure
        raise ZeroDivisionError("a mistake of my own\nwith a second line")


class Leaving(Odd):
    """Ends the interpreter."""

    def step(self, closure: Callable[[], float] | None = None) -> Any:
        del closure
        raise SystemExit(3)


class Sleeping(Odd):
    """Never returns."""

    def step(self, closure: Callable[[], float] | None = None) -> Any:
        del closure
        time.sleep(3600)
