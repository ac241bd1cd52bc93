from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from optmem_gui.core.requests import BareTensor, MeasureRequest
from optmem_gui.engine.child import Launch
from optmem_gui.engine.worker_process import child_environment
from tests.engine import gate as gates

FAKE = Path(__file__).parent / "fake_worker.py"

gate = gates.gate


@pytest.fixture
def fake() -> Callable[[str], Launch]:
    """How to start the worker that behaves in a given way."""

    def launch(behaviour: str) -> Launch:
        return Launch((sys.executable, str(FAKE), behaviour), child_environment(os.environ), str(FAKE.parent))

    return launch


@pytest.fixture
def fake_sampler() -> Callable[[str], Launch]:
    """How to start the sampler of an imaginary GPU."""
    script = FAKE.with_name("fake_sampler.py")

    def launch(behaviour: str) -> Launch:
        command = (sys.executable, str(script), behaviour)
        return Launch(command, child_environment(os.environ), str(script.parent))

    return launch


@pytest.fixture
def request_() -> MeasureRequest:
    """A request that takes a real worker a moment."""
    return MeasureRequest("cpu", "torch.optim.SGD", tensors=(BareTensor((64, 64), "fp32"),), steps=2)


@pytest.fixture(autouse=True)
def _no_process_left() -> Iterator[None]:
    """Every child that a test started is gone at its end."""
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    yield
    left = [child for child in psutil.Process().children(recursive=True) if child.pid not in before]
    assert not left
