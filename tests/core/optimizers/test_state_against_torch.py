"""Estimated state against the real optimizer's, name by name: 0 bytes apart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest
import torch
from torch._subclasses.fake_tensor import DataDependentOutputException, FakeTensorMode

from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.optimizers.state import OptimizerState, optimizer_state
from optmem_gui.core.scenario import Options
from tests.core.optimizers.real import (
    LIGHT,
    MIXED,
    TORCH_DTYPES,
    Run,
    allow_capturable_on_cpu,
    layout_of,
    option_sets,
    shapes_for,
)

TORCH = [implementation for implementation in CATALOGUE.values() if implementation.library == "torch"]
LBFGS = CATALOGUE["torch.LBFGS"]
STEPS = 3


SMALL: tuple[Shape, ...] = ((), (1, 1), (33,), (16, 24), (8, 4, 3, 3))


def _cases() -> Iterator[tuple[Implementation, Options]]:
    for implementation in TORCH:
        if implementation.name != "LBFGS":
            for options in option_sets(implementation, together=1):
                yield implementation, options
    for name, options in (
        ("RMSprop", (("centered", True), ("momentum", 0.9))),
        ("Adam", (("amsgrad", True), ("fused", True))),
        ("AdamW", (("amsgrad", True), ("capturable", True), ("foreach", True))),
    ):
        yield CATALOGUE[f"torch.{name}"], options


def _named(value: object) -> str | None:
    if isinstance(value, Implementation):
        return value.name
    if isinstance(value, tuple):
        return ",".join(f"{name}={setting}" for name, setting in value) or "defaults"
    return None


def _by_name(state: OptimizerState) -> dict[str, tuple[int, int]]:
    return {row.name: (row.tensor_count, row.bytes) for row in state.rows}


def _real(run: Run) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for name, tensor in run.state():
        count, size = found.get(name, (0, 0))
        found[name] = (count + 1, size + tensor.nbytes)
    return found


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize(("implementation", "options"), list(_cases()), ids=_named)
def test_state_is_the_real_one(
    implementation: Implementation, options: Options, precision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow_capturable_on_cpu(monkeypatch)
    shapes = shapes_for(implementation, LIGHT if options else MIXED)
    run = Run(implementation, options, shapes, TORCH_DTYPES[precision])
    run.advance(1 if implementation.name == "Muon" else STEPS)

    estimated = optimizer_state(implementation, options, layout_of(shapes, precision), "cuda")

    assert _by_name(estimated) == _real(run)
    assert estimated.bytes == run.state_bytes()
    assert estimated.late_bytes == 0
    assert implementation.proven == f"torch {torch.__version__.partition('+')[0]}"


@pytest.mark.parametrize(
    "options",
    [
        (),
        (("max_iter", 1),),
        (("max_iter", 2),),
        (("max_iter", 3),),
        (("history_size", 50), ("max_iter", 4)),
        (("history_size", 5), ("max_iter", 4)),
    ],
    ids=_named,
)
def test_history_grows_as_the_real_one(options: Options) -> None:
    """Pair by pair, on a bowl so flat along some axes that the search does not end before the test does."""
    run = Run(LBFGS, options, SMALL, torch.float32)
    layout = layout_of(SMALL, "fp32")
    for steps in range(1, STEPS + 1):
        run.advance(1)
        real = _real(run)
        real.pop("t", None)  # a 0-d tensor only where the very first step length was shortened
        assert _by_name(optimizer_state(LBFGS, options, layout, "cpu", steps)) == real
    first = optimizer_state(LBFGS, options, layout, "cpu", 1).bytes
    steady = optimizer_state(LBFGS, options, layout, "cpu")
    assert steady.late_bytes == steady.bytes - first


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("search", [(), (("line_search_fn", "strong_wolfe"),)], ids=_named)
def test_full_history_is_the_real_one(search: Options, precision: str) -> None:
    options: Options = (("history_size", 2), *search)
    run = Run(LBFGS, options, SMALL, TORCH_DTYPES[precision])
    run.advance(10)
    real = _real(run)
    real.pop("t", None)  # a line search may leave its step length as a 0-d tensor
    assert _by_name(optimizer_state(LBFGS, options, layout_of(SMALL, precision), "cpu")) == real


@pytest.mark.parametrize("implementation", TORCH, ids=lambda each: each.id)
def test_state_made_by_the_constructor(implementation: Implementation) -> None:
    run = Run(implementation, (), ((4, 4), (8, 8)), torch.float32)
    assert bool(run.state_bytes()) is (implementation.created == "construction")


def _placements() -> Iterator[tuple[Implementation, Options]]:
    for implementation in TORCH:
        if implementation.name not in ("LBFGS", "SparseAdam"):  # keep no tensor that could be on the host
            yield implementation, ()
            for switch in ("capturable", "fused"):
                if implementation.option(switch) is not None and implementation.name != "SGD":
                    yield implementation, ((switch, True),)


@pytest.mark.parametrize(("implementation", "options"), list(_placements()), ids=_named)
def test_scalars_live_where_torch_puts_them(implementation: Implementation, options: Options) -> None:
    """On a pretended GPU, where every tensor knows its device.

    The step itself stops at the first value it reads or kernel it cannot pretend; the state is made by then.
    """
    with FakeTensorMode(allow_non_fake_inputs=True):
        parameters = [torch.nn.Parameter(torch.empty(8, 8, device="cuda")) for _ in range(2)]
        optimizer = getattr(torch.optim, implementation.name)(parameters, **dict(options))
        for parameter in parameters:
            parameter.grad = torch.empty_like(parameter)
        with suppress(DataDependentOutputException, RuntimeError, AssertionError):
            optimizer.step()
        found = {
            name: value.device.type == "cpu"
            for entry in optimizer.state.values()
            for name, value in entry.items()
            if isinstance(value, torch.Tensor)
        }
    estimated = optimizer_state(implementation, options, layout_of(((8, 8), (8, 8)), "fp32"), "cuda")
    assert found or implementation.name == "SGD"
    assert {row.name: row.host for row in estimated.rows} == found
