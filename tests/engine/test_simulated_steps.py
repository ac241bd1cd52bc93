"""The simulator with the real worker: warm, cancelled while it traces, and fed with bad input."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import psutil
import pytest

from optmem_gui.core.protocol import Progress
from optmem_gui.core.requests import BareTensor, MeasureRequest, SimulateRequest
from optmem_gui.core.simulating import SimulationTarget
from optmem_gui.core.synthetic import synthetic_shape
from optmem_gui.engine.simulation import SimulationEvent, SimulationLimits, SimulationOutcome, Simulator
from tests.waiting import PATIENCE_S

TARGET = SimulationTarget("2.13", "sm_90", 132, 2048)
SMALL = MeasureRequest("cuda", "torch.optim.SGD", tensors=(BareTensor((256, 1024), "fp32"),))


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    with Simulator(limits=SimulationLimits(silence_s=PATIENCE_S, cancel_s=PATIENCE_S)) as made:
        yield made
    assert workers() == set()


@pytest.fixture(autouse=True)
def _no_process_left() -> None:
    """The worker stays warm from one test to the next; that it is gone is seen at the end."""


def workers() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True)}


def simulate(simulator: Simulator, work: MeasureRequest) -> SimulationOutcome:
    return simulator.simulate(SimulateRequest(work, TARGET), lambda _: None)


def function(folder: Path, text: str) -> MeasureRequest:
    file = folder / "mine.py"
    file.write_text(dedent(text), encoding="utf-8")
    return MeasureRequest("cuda", "torch.optim.SGD", function=f"{file}:step")


def refused(simulator: Simulator, work: MeasureRequest) -> str:
    outcome = simulate(simulator, work)
    assert outcome.status == "failed"
    assert outcome.report is None
    line = str(outcome.reason)
    assert "\n" not in line
    return line


def test_a_worker_that_is_warm_answers_again(simulator: Simulator) -> None:
    """The weight is 1 MiB; SGD without momentum keeps nothing."""
    first = simulate(simulator, SMALL)
    warm = workers()
    second = simulate(simulator, SMALL)
    assert workers() == warm
    assert first.status == second.status == "done"
    assert first.report is not None
    assert second.report is not None
    assert second.report.peak_bytes == first.report.peak_bytes
    assert second.report.categories == first.report.categories
    assert second.report.categories["weights"] == 1 << 20
    assert second.report.event_count == first.report.event_count


def test_a_cancel_is_heard_while_it_traces_and_the_worker_stays(simulator: Simulator) -> None:
    shape = synthetic_shape(3_000_000_000)
    assert shape is not None
    large = MeasureRequest("cuda", "torch.optim.AdamW", shape=shape, batch=1, sequence=64, steps=1_000_000)
    assert simulate(simulator, SMALL).status == "done"
    before = workers()
    stops: list[threading.Thread] = []

    def stop(event: SimulationEvent) -> None:
        if isinstance(event, Progress) and event.stage == "forward" and not stops:
            stops.append(threading.Thread(target=simulator.cancel))
            stops[0].start()

    request = SimulateRequest(large, TARGET, every_block=True)
    assert simulator.simulate(request, stop).status == "cancelled"
    stops[0].join()
    assert simulate(simulator, SMALL).status == "done"
    assert workers() == before


def test_a_failure_of_a_function_names_its_line(simulator: Simulator, tmp_path: Path) -> None:
    text = """
        from torch import nn, randn
        def step():
            model = nn.Linear(4, 3)
            def loss(model, x):
                return model(x).sum() / len(missing)
            return model, randn(2, 4), loss
    """
    assert "mine.py:6 failed (NameError" in refused(simulator, function(tmp_path, text))


def test_an_edited_function_is_read_again(simulator: Simulator, tmp_path: Path) -> None:
    bad = """
        from torch import nn
        def step():
            return nn.Linear(4, 1), lambda: 1 / 0
    """
    assert "ZeroDivisionError" in refused(simulator, function(tmp_path, bad))
    good = """
        from torch import nn, ones
        def step():
            model = nn.Linear(1024, 1024)
            return model, lambda: model(ones(2, 1024)).sum()
    """
    assert simulate(simulator, function(tmp_path, good)).status == "done"


@pytest.mark.parametrize("body", ["while True: pass", "import time; time.sleep(600)"])
def test_a_function_that_never_returns_is_ended(tmp_path: Path, body: str) -> None:
    text = f"def step():\n    {body}\n"
    patient = SimulationLimits(silence_s=PATIENCE_S)
    with Simulator(limits=patient) as simulator:
        work = function(tmp_path, text)
        assert simulate(simulator, SMALL).status == "done"
        simulator._limits = replace(patient, silence_s=1.0)
        line = refused(simulator, work)
        assert "endless loop" in line
        simulator._limits = patient
        assert simulate(simulator, SMALL).status == "done"


def test_shapes_that_depend_on_data_are_named(simulator: Simulator, tmp_path: Path) -> None:
    text = """
        from torch import nn, randn
        def step():
            def loss(model, x):
                out = model(x)
                return out[out > 0].sum()
            return nn.Linear(4, 3), randn(2, 4), loss
    """
    line = refused(simulator, function(tmp_path, text))
    assert "mine.py:6" in line


def test_an_operator_without_a_rule_for_shapes_is_named(simulator: Simulator, tmp_path: Path) -> None:
    text = """
        import torch
        from torch import nn, randn
        @torch.library.custom_op("mine::twice", mutates_args=())
        def twice(x: torch.Tensor) -> torch.Tensor:
            return x * 2
        def step():
            def loss(model, x):
                out = model(x)
                return twice(out.detach()).sum() + out.sum()
            return nn.Linear(4, 3), randn(2, 4), loss
    """
    line = refused(simulator, function(tmp_path, text))
    assert "mine::twice" in line
    assert "mine.py:10" in line


def test_a_branch_on_data_is_warned_about_with_its_line(simulator: Simulator, tmp_path: Path) -> None:
    text = """
        from torch import nn, randn
        def step():
            def loss(model, x):
                out = model(x).sum()
                if out > 3:
                    out = out * 2
                return out
            return nn.Linear(4, 3), randn(2, 4), loss
    """
    outcome = simulate(simulator, function(tmp_path, text))
    assert outcome.report is not None
    assert [n.values.get("place") for n in outcome.report.notes if n.key == "simulate.value_read"] == [
        "mine.py:6"
    ]
    assert not outcome.report.exact


def test_a_config_through_transformers(simulator: Simulator) -> None:
    config = {
        "architectures": ["BertForMaskedLM"],
        "model_type": "bert",
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "vocab_size": 96,
        "max_position_embeddings": 32,
    }
    work = MeasureRequest("cuda", "torch.optim.AdamW", config=json.dumps(config), batch=2, sequence=32)
    outcome = simulate(simulator, work)
    assert outcome.report is not None
    assert not [note for note in outcome.report.notes if note.key == "simulate.value_read"]
    assert {row.module for row in outcome.report.alive} >= {"bert.embeddings.word_embeddings"}
    assert "bert.encoder.layer.1.attention.self.query" in {row.module for row in outcome.report.alive}
