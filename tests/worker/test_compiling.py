"""torch.compile in the worker: compiled for real where a compiler is there, one line where none is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch

from optmem_gui.core.errors import UserError
from optmem_gui.core.requests import BareTensor, MeasureRequest
from optmem_gui.core.synthetic import synthetic_shape
from optmem_gui.worker.failures import explain
from optmem_gui.worker.measure import Run

FUNCTION = """
from torch import nn, ones

def step():
    model = nn.Sequential(nn.Linear(8, 4, bias=False), nn.ReLU())
    return model, ones(2, 8), lambda model, batch: model(batch).sum()
"""
SMALL = MeasureRequest(
    "cpu", "torch.optim.SGD", shape=synthetic_shape(5_000), steps=2, batch=1, sequence=4, compiled=True
)


@pytest.mark.timeout(300)  # importing the compiler alone takes seconds, a minute where others run beside
@pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")  # of its own older parts
@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler for torch.compile")
def test_the_model_is_really_compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The compiler's own counters say so, and a weight of 4 x 8 is what it is without it."""
    from torch._dynamo.utils import counters

    file = tmp_path / "mine.py"
    file.write_text(FUNCTION)
    monkeypatch.setattr("torch._inductor.config.cpp.vec_isa_ok", False)  # asking compiles programs of its own
    counters.clear()
    torch._dynamo.reset()
    request = MeasureRequest("cpu", "torch.optim.SGD", steps=2, function=f"{file}:step", compiled=True)
    result = Run(request, lambda message: None).measure()
    assert counters["stats"]["unique_graphs"] >= 1
    assert result.steady.categories.weights == result.steady.categories.gradients == 4 * 4 * 8
    assert result.steady.phases[-1].allocated_bytes == result.load.allocated_bytes


def test_a_machine_without_a_compiler_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch._inductor import cpp_builder
    from torch._inductor.exc import InvalidCxxCompiler

    def none() -> str:
        raise InvalidCxxCompiler

    monkeypatch.setattr(cpp_builder, "get_cpp_compiler", none)
    with pytest.raises(UserError, match=r"needs a C\+\+ compiler on the CPU and finds none"):
        Run(SMALL, lambda message: None).measure()


def test_bare_tensors_have_nothing_to_compile() -> None:
    request = MeasureRequest("cpu", "torch.optim.SGD", tensors=(BareTensor((2, 2), "fp32"),), compiled=True)
    with pytest.raises(UserError, match="needs a model"):
        Run(request, lambda message: None).measure()


def test_a_compiler_that_fails_says_so() -> None:
    from torch._dynamo.exc import InternalTorchDynamoError

    failed = explain(InternalTorchDynamoError("cannot lower x\nmore"), 1, "forward", "cpu")
    assert (failed.code, failed.key) == ("compile_failed", "measure.compile_failed")
    assert failed.values == {"cause": "cannot lower x"}
