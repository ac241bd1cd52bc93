from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn

from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.checkpoints.optimizer_state import COUNTERS

Make = Callable[[list[nn.Parameter]], torch.optim.Optimizer]

MAKERS: dict[str, tuple[str, Make]] = {
    "SGD": ("sgd", lambda p: torch.optim.SGD(p, lr=0.1)),
    "SGD momentum": ("sgd-momentum", lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9)),
    "Adam": ("adam", torch.optim.Adam),
    "Adam amsgrad": ("adam", lambda p: torch.optim.Adam(p, amsgrad=True)),
    "AdamW": ("adam", torch.optim.AdamW),
    "NAdam": ("nadam", torch.optim.NAdam),
    "RAdam": ("radam", torch.optim.RAdam),
    "Adamax": ("adamax", torch.optim.Adamax),
    "Adadelta": ("adadelta", torch.optim.Adadelta),
    "Adagrad": ("adagrad", torch.optim.Adagrad),
    "RMSprop": ("rmsprop", torch.optim.RMSprop),
    "RMSprop centered momentum": (
        "rmsprop",
        lambda p: torch.optim.RMSprop(p, centered=True, momentum=0.9),
    ),
    "Rprop": ("rprop", torch.optim.Rprop),
    "ASGD": ("asgd", torch.optim.ASGD),
    "Adafactor": ("adafactor", torch.optim.Adafactor),
    "Muon": ("muon", lambda p: torch.optim.Muon([q for q in p if q.ndim == 2])),
}


@pytest.mark.parametrize("name", list(MAKERS))
def test_every_optimizer_of_torch_is_recognised_and_measured(tmp_path: Path, name: str) -> None:
    kind, make = MAKERS[name]
    parameters = [nn.Parameter(torch.ones(6, 4)), nn.Parameter(torch.ones(5))]
    optimizer = make(parameters)
    for parameter in parameters:
        parameter.grad = torch.ones_like(parameter)
    optimizer.step()
    path = tmp_path / "optimizer.pt"
    torch.save(optimizer.state_dict(), path)
    found = open_checkpoint(path).optimizer
    assert found is not None
    assert found.kind == kind
    tensors = [
        (name, value)
        for state in optimizer.state.values()
        for name, value in state.items()
        if isinstance(value, torch.Tensor)
    ]
    like = [value for name, value in tensors if name not in COUNTERS]
    assert found.element_count == sum(value.numel() for value in like)
    assert found.state_bytes == sum(value.nbytes for value in like)
    assert found.step_bytes == sum(value.nbytes for name, value in tensors if name in COUNTERS)
    assert sum(found.dtypes.values()) == found.element_count


def test_the_history_of_lbfgs_counts(tmp_path: Path) -> None:
    parameter = nn.Parameter(torch.ones(7))
    lbfgs = torch.optim.LBFGS([parameter], history_size=3, max_iter=5)

    def closure() -> torch.Tensor:
        lbfgs.zero_grad()
        loss = (parameter**4).sum()
        torch.autograd.backward(loss)
        return loss

    lbfgs.step(closure)  # type: ignore[no-untyped-call]  # torch has no types here
    path = tmp_path / "lbfgs.pt"
    torch.save({"optimizer": lbfgs.state_dict(), "model": {"w": parameter.detach()}}, path)
    found = open_checkpoint(path).optimizer
    assert found is not None
    assert found.kind == "lbfgs"
    state = lbfgs.state[parameter]
    tensors = [value for value in state.values() if isinstance(value, torch.Tensor)]
    tensors += [
        item
        for value in state.values()
        if isinstance(value, list)
        for item in value
        if isinstance(item, torch.Tensor)
    ]
    counters = [state[name] for name in COUNTERS if isinstance(state.get(name), torch.Tensor)]
    expected = sum(tensor.numel() for tensor in tensors) - sum(counter.numel() for counter in counters)
    assert found.element_count == expected


def test_several_optimizers_add_up(tmp_path: Path) -> None:
    first, second = nn.Linear(3, 3), nn.Linear(2, 2)
    states = []
    for module in (first, second):
        adam = torch.optim.Adam(module.parameters())
        for parameter in module.parameters():
            parameter.grad = torch.ones_like(parameter)
        adam.step()
        states.append(adam.state_dict())
    path = tmp_path / "gan.pt"
    torch.save({"generator": first.state_dict(), "optimizer_g": states[0], "optimizer_d": states[1]}, path)
    checkpoint = open_checkpoint(path)
    assert checkpoint.param_count == 12
    assert checkpoint.optimizer is not None
    assert checkpoint.optimizer.param_count == 12 + 6
    assert checkpoint.optimizer.element_count == 2 * (12 + 6)
    assert checkpoint.optimizer.step_count == 4
