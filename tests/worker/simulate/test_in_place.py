"""Where a GPU writes into a tensor that the meta device would make anew."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from optmem_gui.core.errors import UserError
from optmem_gui.worker.simulate import calibration, in_place
from tests.worker.simulate.tracing import events, now, taken, tracing

_SIZE = 4096


def _leaf(device: str = "cuda") -> Tensor:
    return torch.zeros(_SIZE, device=device, requires_grad=True)


def _names(pairs: list[tuple[str, int]]) -> list[str]:
    return [name for name, _ in pairs]


def test_calibration_counts_references_in_this_process() -> None:
    with tracing():
        pass
    assert in_place.counts.adds_in_place
    assert in_place.counts.tensor > 0
    assert in_place.counts.storage > 0


def test_torch_with_other_counts_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with tracing():
        pass
    monkeypatch.setattr(in_place, "counts", in_place.Counts(-1, -1, adds_in_place=False))
    monkeypatch.setattr(in_place, "references", lambda tensor: (7, 7))
    with pytest.raises(UserError, match=r"torch .* counts references otherwise") as caught:
        calibration.calibrate()
    assert caught.value.code == "simulate.other_references"


def test_gradients_of_one_tensor_are_added_up_in_the_first() -> None:
    """Three branches: three gradients are made, none for their sums."""
    with tracing() as tracker:
        inner = _leaf() * 2.0
        loss = (inner.tanh() + inner.sigmoid() + inner.sin()).sum()
        start = now(tracker)
        loss.backward()  # type: ignore[no-untyped-call]  # the library leaves it untyped
    assert "add" not in _names(taken(tracker, start))


def test_gradient_that_goes_two_ways_is_not_written_into() -> None:
    """``y + y`` hands the same gradient to both uses: their sum must be a tensor of its own."""
    with tracing() as tracker:
        weight = torch.zeros(_SIZE, device="cuda")
        inner = _leaf() * 2.0
        loss = ((inner + inner) * weight).sum()
        start = now(tracker)
        loss.backward()  # type: ignore[no-untyped-call]  # the library leaves it untyped
    assert _names(taken(tracker, start)).count("add") == 1


def test_python_backward_that_adds_makes_a_tensor() -> None:
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx: object, x: Tensor) -> Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: object, *gradients: Tensor) -> Tensor:
            return gradients[0] + gradients[0]

    with tracing() as tracker:
        weight = torch.zeros(_SIZE, device="cuda")
        loss = (Doubled.apply(_leaf() * 1.0) * weight).sum()  # type: ignore[no-untyped-call]  # the library leaves it untyped
        start = now(tracker)
        loss.backward()
    assert _names(taken(tracker, start)).count("add") == 1


def test_second_backward_adds_into_the_gradient_of_a_leaf() -> None:
    with tracing() as tracker:
        leaf = _leaf()
        leaf.exp().sum().backward()  # type: ignore[no-untyped-call]  # the library leaves it untyped
        start = now(tracker)
        leaf.exp().sum().backward()  # type: ignore[no-untyped-call]  # the library leaves it untyped
    assert sum(size for _, size in events(tracker, start)) == 0


def test_gradient_of_an_index_is_added_into_its_zeros() -> None:
    with tracing() as tracker:
        rows = torch.zeros(64, _SIZE, device="cuda", requires_grad=True)
        loss = rows[torch.zeros(8, dtype=torch.int64, device="cuda")].sum()
        start = now(tracker)
        loss.backward()  # type: ignore[no-untyped-call]  # the library leaves it untyped
    full = [name for name, size in taken(tracker, start) if size == 64 * _SIZE * 4]
    assert full == ["new_zeros"]


def test_gradient_of_gather_is_added_into_its_zeros() -> None:
    with tracing() as tracker:
        rows = torch.zeros(64, _SIZE, device="cuda", requires_grad=True)
        loss = rows.gather(1, torch.zeros(64, 1, dtype=torch.int64, device="cuda")).sum()
        start = now(tracker)
        loss.backward()  # type: ignore[no-untyped-call]  # the library leaves it untyped
    assert [name for name, size in taken(tracker, start) if size == 64 * _SIZE * 4] == ["new_zeros"]


def test_gradient_of_masked_fill_is_a_full_copy() -> None:
    with tracing() as tracker:
        mask = torch.zeros(_SIZE, dtype=torch.bool, device="cuda")
        loss = (_leaf() * 1.0).masked_fill(mask, 0.0).exp().sum()
        start = now(tracker)
        loss.backward()  # type: ignore[no-untyped-call]  # the library leaves it untyped
    assert ("masked_fill", 4 * _SIZE) in taken(tracker, start)


def test_double_backward_makes_tensors() -> None:
    """With ``create_graph`` autograd keeps what it adds up."""
    with tracing() as tracker:
        inner = _leaf() * 2.0
        loss = (inner.tanh() + inner.sigmoid()).sum()
        start = now(tracker)
        torch.autograd.grad(loss, inner, create_graph=True)
    assert "add" in _names(taken(tracker, start))


@pytest.mark.parametrize("shape", [(8, 16), (4, 8, 16)], ids=["matrix", "batch"])
def test_linear_of_plain_input_adds_its_bias_in_the_product(shape: tuple[int, ...]) -> None:
    with tracing() as tracker:
        layer = torch.nn.Linear(16, 32, device="cuda")
        start = now(tracker)
        layer(torch.zeros(*shape, device="cuda"))
    assert _names(taken(tracker, start)) == ["zeros", "addmm"]


def test_linear_of_a_strided_batch_adds_its_bias_into_the_product() -> None:
    with tracing() as tracker:
        layer = torch.nn.Linear(16, 32, device="cuda")
        x = torch.zeros(8, 4, 16, device="cuda").transpose(0, 1)
        start = now(tracker)
        out = layer(x)
    made = [pair for pair in taken(tracker, start) if pair[1] == out.numel() * 4]
    assert len(made) == 1
