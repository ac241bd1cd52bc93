"""State of real optimizers of transformers, bitsandbytes, torchao and optimi, name by name: 0 bytes apart."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

import pytest
import torch

from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.optimizers.state import optimizer_state, step_temporaries
from optmem_gui.core.scenario import Options
from tests.core.optimizers.live_bytes import extra_peak
from tests.core.optimizers.real import MIXED, layout_of
from tests.core.optimizers.recordings import States, states_of
from tools.record_optimizer_states import DTYPES, SHAPES, build, cases, held, summed

LIBRARIES = ("transformers", "bitsandbytes", "torchao", "optimi")
STEPS = 3
RECTIFIED = 6
"""Steps after which RAdam has started to divide by its second moment."""

SMALL: tuple[Shape, ...] = ((), (1, 1), (4095,), (4096,), (4097,), (24, 16, 3, 3), (96, 128))
"""Around the 4096 elements from which state is quantized."""

PROVEN = [each for each in CATALOGUE.values() if each.library in LIBRARIES and each.proven]


def _cases() -> Iterator[tuple[Implementation, Options]]:
    for implementation in PROVEN:
        for options in cases(implementation):
            paged = implementation.family == "ademamix" and dict(options).get("is_paged")
            if not paged:  # asks the CUDA driver for memory even on the CPU
                yield implementation, options


def _named(value: object) -> str | None:
    if isinstance(value, Implementation):
        return value.id
    if isinstance(value, tuple):
        return ",".join(f"{name}={setting}" for name, setting in value) or "defaults"
    return None


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The libraries warn of missing kernels; torchao compiles its update, which changes no state."""
    monkeypatch.setattr(torch, "compile", lambda function, **_: function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of another library, whatever they are
        yield


def _new_gradients(parameters: Sequence[torch.nn.Parameter]) -> None:
    for parameter in parameters:
        parameter.grad = torch.randn_like(parameter)


def _stepped(implementation: Implementation, options: Options, shapes: Sequence[Shape], dtype: str) -> States:
    torch.manual_seed(0)
    parameters = [torch.nn.Parameter(torch.randn(shape).to(DTYPES[dtype])) for shape in shapes]
    optimizer = build(implementation, options, parameters)
    for _ in range(STEPS):
        _new_gradients(parameters)
        optimizer.step()
    found = summed(held(optimizer, parameters))
    return {name: (count, size) for name, (count, size) in found.items()}


def _check(implementation: Implementation, options: Options, shapes: Sequence[Shape], dtype: str) -> None:
    estimated = optimizer_state(implementation, options, layout_of(shapes, dtype), "cuda")
    assert states_of(estimated) == _stepped(implementation, options, shapes, dtype)


@pytest.mark.parametrize("dtype", ["fp32", "bf16", "fp16"])
@pytest.mark.parametrize(("implementation", "options"), list(_cases()), ids=_named)
def test_state_is_the_real_one(implementation: Implementation, options: Options, dtype: str) -> None:
    if "optimizer.fp32_only" in implementation.cautions and dtype != "fp32":
        with pytest.raises(AssertionError):
            _stepped(implementation, options, SMALL, dtype)
        return
    _check(implementation, options, SHAPES if not options and dtype == "bf16" else SMALL, dtype)


@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
@pytest.mark.parametrize(
    "name", ["bitsandbytes.AdamW8bit", "torchao.AdamW4bit", "transformers.Adafactor", "optimi.AdamW"]
)
def test_state_on_the_large_model(name: str, dtype: str) -> None:
    _check(CATALOGUE[name], (), MIXED, dtype)


ORDERS: tuple[tuple[Shape, ...], ...] = (
    ((64, 64),) * 4,
    ((128, 64), (96, 64), (32, 64)),
    ((32, 64), (96, 64), (128, 64)),
)
"""Equal parameters; falling; rising."""


@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
@pytest.mark.parametrize(
    "implementation", [each for each in PROVEN if each.library in ("transformers", "optimi")], ids=_named
)
def test_temporaries_are_near_the_real_ones(implementation: Implementation, dtype: str) -> None:
    """Without a GPU, after RAdam's rectification has started; vectors of rows and columns are left out."""
    for shapes in ORDERS:
        torch.manual_seed(0)
        parameters = [torch.nn.Parameter(torch.randn(shape).to(DTYPES[dtype])) for shape in shapes]
        optimizer = build(implementation, (), parameters)
        for _ in range(RECTIFIED):
            _new_gradients(parameters)
            optimizer.step()
        _new_gradients(parameters)
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        known = (*parameters, *gradients, *(tensor for _, tensor in held(optimizer, parameters)))
        del gradients
        measured, _ = extra_peak(optimizer.step, iter(known))
        estimated = step_temporaries(implementation, (), layout_of(shapes, dtype), "cpu")
        assert measured - 2048 <= estimated.bytes <= measured
