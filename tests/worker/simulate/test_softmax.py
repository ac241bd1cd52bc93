"""Releases up to 1.10 keep the input of a softmax for its backward."""

from __future__ import annotations

import pytest
import torch

from optmem_gui.core.simulating import SimulationTarget
from tests.worker.simulate.tracing import kept, now, tracing


@pytest.mark.parametrize(("release", "tensors"), [("1.10", 2), ("1.11", 1), ("2.13", 1)])
def test_the_input_is_kept_as_long_as_the_result(release: str, tensors: int) -> None:
    with tracing(SimulationTarget(torch=release, architecture="sm_70")) as tracker:
        leaf = torch.randn(64, 64, device="cuda", requires_grad=True)
        start = now(tracker)
        out = (leaf * 2).softmax(-1)
        assert kept(tracker, start) == tensors * 4 * 64 * 64
        out.sum().backward()  # type: ignore[no-untyped-call]  # the library leaves it untyped
        del out
        assert kept(tracker, start) == 4 * 64 * 64  # the gradient


def test_without_gradients_nothing_is_kept() -> None:
    with tracing(SimulationTarget(torch="1.10", architecture="sm_70")) as tracker, torch.no_grad():
        leaf = torch.randn(64, 64, device="cuda", requires_grad=True)
        start = now(tracker)
        out = (leaf * 2).log_softmax(-1)
        assert kept(tracker, start) == out.nbytes
