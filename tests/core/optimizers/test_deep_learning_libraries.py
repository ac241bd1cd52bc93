"""State of real optimizers of transformers, bitsandbytes, torchao and optimi, name by name: 0 bytes apart."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

import pytest
import torch

from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.optimizers.state import optimizer_state
from optmem_gui.core.scenario import Options
from tests.core.optimizers.real import MIXED, layout_of
from tests.core.optimizers.recordings import States, states_of
from tools.record_optimizer_states import DTYPES, SHAPES, build, cases, held, summed

LIBRARIES = ("transformers", "bitsandbytes", "torchao", "optimi")
STEPS = 3

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
        warnings.simplefilter("ignore")
        yield


def _stepped(implementation: Implementation, options: Options, shapes: Sequence[Shape], dtype: str) -> States:
    torch.manual_seed(0)
    parameters = [torch.nn.Parameter(torch.randn(shape).to(DTYPES[dtype])) for shape in shapes]
    optimizer = build(implementation, options, parameters)
    for _ in range(STEPS):
        for parameter in parameters:
            parameter.grad = torch.randn_like(parameter)
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
