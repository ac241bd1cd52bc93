"""What other releases of torch run otherwise than the one that traces."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from optmem_gui.worker.simulate.einsum import einsum_in_order
from tests.worker.simulate.tracing import A100, kept, now, taken, tracing

_OLD = replace(A100, torch="2.6")


@pytest.mark.parametrize(
    "equation",
    [
        "bi,ij->bj",
        "bthd,bshd->bhts",
        "...i,ji->...j",
        "ij,ij->ij",
        "ij,kj->ik",
        "abc,cd->abd",
        "i,j->ij",
        "abi,i->ab",
    ],
)
def test_older_einsum_computes_the_same(equation: str) -> None:
    sizes = dict(zip("abcdhijkst", range(2, 12), strict=True))

    def make(term: str) -> Tensor:
        return torch.randn([*([3, 4] if "..." in term else []), *(sizes[c] for c in term.replace("...", ""))])

    operands = [make(term) for term in equation.partition("->")[0].split(",")]
    found = einsum_in_order(equation, operands)
    assert found is not None
    torch.testing.assert_close(found, torch.einsum(equation, *operands))


@pytest.mark.parametrize("equation", ["ij->ji", "ij,jk", "ii,ij->ij", "ij,jk,kl->il"])
def test_other_equations_are_left_to_torch(equation: str) -> None:
    operands = [torch.zeros(3, 3) for _ in equation.partition("->")[0].split(",")]
    assert einsum_in_order(equation, operands) is None


def test_older_einsum_keeps_its_operands_in_order() -> None:
    """``weight @ x`` gives a result whose rows are the weight's: it is not contiguous for the caller."""
    found = {}
    for target in (_OLD, A100):
        with tracing(target):
            weight, x = torch.zeros(100, 16, device="cuda"), torch.zeros(2, 8, 16, device="cuda")
            found[target.torch] = torch.einsum("vd,btd->btv", weight, x).is_contiguous()
    assert found == {"2.6": False, "2.13": True}


def test_full_slice_is_an_operator_with_a_gradient_in_older_releases() -> None:
    """``logits[:, -1, :]`` is one select; two full slices more in 2.6, which have zeros of their own."""
    found = {}
    for target in (_OLD, A100):
        with tracing(target) as tracker:
            logits = torch.zeros(4, 8, 100, device="cuda", requires_grad=True)
            loss = logits[:, -1, :].sum()
            start = now(tracker)
            loss.backward()  # type: ignore[no-untyped-call]  # the library leaves it untyped
        found[target.torch] = sum(1 for _, size in taken(tracker, start) if size == 4 * 8 * 100 * 4)
    assert found["2.6"] == found["2.13"] + 1


@pytest.mark.parametrize(
    "index", [(slice(None), 0), (..., slice(1, 3)), (None, slice(None, None, 2)), (0, ..., None), (-1,)]
)
def test_older_indexing_gives_the_same_shape(index: tuple[object, ...]) -> None:
    with tracing(_OLD):
        x = torch.zeros(4, 6, 8, device="cuda")
        found = x[index]  # type: ignore[index]  # values of a table of cases
    assert found.shape == torch.zeros(4, 6, 8)[index].shape  # type: ignore[index]  # values of a table of cases


def test_indexing_by_tensors_is_left_to_torch() -> None:
    with tracing(_OLD):
        x = torch.zeros(4, 6, device="cuda")
        assert x[torch.tensor([0, 1], device="cuda")].shape == (2, 6)
        assert x[[0, 1], :].shape == (2, 6)


def test_values_come_to_the_host_as_zeros() -> None:
    with tracing() as tracker:
        x = torch.ones(4, device="cuda")
        assert x.cpu().tolist() == [0.0] * 4
        assert x.sum().item() == 0
        host = torch.ones(4)
        host.copy_(x)
        assert kept(tracker, 0) == 16


def test_growing_storage_is_another_allocation() -> None:
    with tracing() as tracker:
        x = torch.zeros(4, device="cuda")
        start = now(tracker)
        x.resize_(1000)
        assert kept(tracker, start) == 4000 - 16
        assert taken(tracker, start) == [("resize_", 4000)]
