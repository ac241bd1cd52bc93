"""Real optimizers are stepped, and the rules that are found give what they keep, 0 bytes apart."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import pytest
import torch

from optmem_gui.core.dtypes import F32
from optmem_gui.core.layout import place
from optmem_gui.core.model import ModelRef, Role, Shape, Source, TensorGroup
from optmem_gui.core.optimizers.probe import infer, predicted_bytes, probe_request
from optmem_gui.core.optimizers.probed_rules import UserOptimizer, implementation
from optmem_gui.core.optimizers.state import optimizer_state
from optmem_gui.core.probing import ProbeReport
from optmem_gui.core.protocol import Failed, Hello, Message, PhaseSample, Progress
from optmem_gui.core.scenario import Options, Scenario
from optmem_gui.worker.cpu_meter import CpuMeter
from optmem_gui.worker.probe import Probing
from optmem_gui.worker.update import state_tensors

TOYS = "tests.engine.probed_optimizers"
UNSEEN: tuple[Shape, ...] = (
    (11,),
    (300, 500),
    (500, 300),
    (6, 7, 8),
    (64, 32, 3, 3),
    (12_345,),
    (2,),
    (90, 4),
)
"""Shapes that neither made nor checked the rules."""


def _probe(path: str, options: Options = (), folder: str = "") -> tuple[ProbeReport | Failed, list[Message]]:
    said: list[Message] = []
    return Probing(probe_request(path, options, folder), said.append).run(), said


def _entry(path: str, options: Options = ()) -> UserOptimizer:
    request = probe_request(path, options)
    report, _ = _probe(path, options)
    assert isinstance(report, ProbeReport)
    found = infer(request, report)
    assert found.problems == ()
    assert found.entry is not None
    return found.entry


def _real_bytes(factory: Any, options: Options, shape: Shape, dtype: torch.dtype) -> int:
    parameter = torch.nn.Parameter(torch.randn(shape).to(dtype))
    optimizer = factory([parameter], **dict(options))
    for _ in range(3):
        parameter.grad = torch.randn_like(parameter)
        optimizer.step()
    return sum(tensor.numel() * tensor.element_size() for _, tensor in state_tensors(optimizer))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("AdamW", ()),
        ("AdamW", (("amsgrad", True), ("foreach", False))),
        ("Adafactor", ()),
        ("SGD", (("momentum", 0.9),)),
        ("SGD", ()),
        ("ASGD", ()),
    ],
)
def test_rules_of_torch_are_found_to_the_byte(name: str, options: Options) -> None:
    entry = _entry(f"torch.optim.{name}", options)
    factory = getattr(torch.optim, name)
    for shape in UNSEEN:
        for dtype, torch_type in (("fp32", torch.float32), ("bf16", torch.bfloat16)):
            assert predicted_bytes(entry, shape, dtype) == _real_bytes(factory, options, shape, torch_type), (
                shape
            )


def test_counters_that_stay_on_the_host_are_told_apart() -> None:
    """AdamW keeps its step on the host (0-d fp32), and both moments beside the parameter."""
    entry = _entry("torch.optim.AdamW")
    assert {state.name: state.host for state in entry.states} == {
        "step": True,
        "exp_avg": False,
        "exp_avg_sq": False,
    }
    assert entry.proven.startswith("torch 2.")
    assert entry.step_tensors == 3.0  # two of its own and one of the matrix before (torch/optim/adam.py)


def test_what_a_step_takes_does_not_depend_on_what_was_recorded_before() -> None:
    samples: list[PhaseSample] = []
    with CpuMeter(samples.append).phase(1, "load"):
        kept = torch.zeros(1000)
    assert samples[0].allocated_bytes - samples[0].start_bytes == 4000
    assert _entry("torch.optim.AdamW").step_tensors == 3.0
    assert kept.numel() == 1000


def test_state_that_the_constructor_makes() -> None:
    assert _entry("torch.optim.Adagrad").at_construction
    assert not _entry("torch.optim.SGD", (("momentum", 0.9),)).at_construction


def test_a_class_that_takes_matrices_only() -> None:
    entry = _entry("torch.optim.Muon")
    assert [condition.holds((4, 4)) for condition in entry.trains] == [True]
    assert [condition.holds((4, 4, 4)) for condition in entry.trains] == [False]


def test_blocks_scales_and_tables_of_an_8_bit_class() -> None:
    """A byte an element, 4 B a block of 256, a table of 256 x 4 B, 4 B of step; below 4096 elements fp32."""
    entry = _entry(f"{TOYS}.Toy8bit")
    for shape in UNSEEN:
        count = prod(shape)
        large = count + 4 * -(-count // 256) + 1024
        expected = 4 + (large if count >= 4096 else 4 * count)
        assert predicted_bytes(entry, shape, "bf16") == expected, shape


def test_a_table_that_all_parameters_share_counts_once() -> None:
    """Two fp32 parameters of 1,000 and 2,000 elements: 12,000 B of moments and 1,024 B of table."""
    entry = _entry(f"{TOYS}.SharedTable")
    assert [tensor.bytes for tensor in entry.tables] == [1024]
    groups = tuple(
        TensorGroup((count,), F32, Role.OTHER, "part", "weight", trainable=True, count=1)
        for count in (1000, 2000)
    )
    layout = place(Scenario(ModelRef("two", Source.FILE, groups), precision="fp32"))
    assert optimizer_state(implementation(entry), (), layout, "cuda").bytes == 12_000 + 1024


def test_low_rank_with_an_option() -> None:
    entry = _entry(f"{TOYS}.LowRank", (("rank", 6),))
    assert predicted_bytes(entry, (300, 500), "fp32") == 4 * 6 * 500
    assert predicted_bytes(entry, (3, 500), "fp32") == 4 * 3 * 500
    assert predicted_bytes(entry, (7, 8, 9), "fp32") == 4 * 7 * 8 * 9
    assert entry.options == (("rank", 6),)


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("Odd", {"probe.unexplained"}),
        ("Changing", {"probe.not_confirmed"}),
        ("Shared", {"probe.shared"}),
        ("Elsewhere", {"probe.outside", "probe.grows"}),
    ],
)
def test_what_no_rule_explains_is_named(name: str, keys: set[str]) -> None:
    request = probe_request(f"{TOYS}.{name}", ())
    report, _ = _probe(request.path)
    assert isinstance(report, ProbeReport)
    found = infer(request, report)
    assert found.entry is None
    assert {problem.key for problem in found.problems} == keys


@pytest.mark.parametrize(
    ("name", "cause"), [("Raising", "ZeroDivisionError: a mistake of my own"), ("Leaving", "3")]
)
def test_a_class_that_raises_is_reported_for_every_shape(name: str, cause: str) -> None:
    report, said = _probe(f"{TOYS}.{name}")
    assert isinstance(report, ProbeReport)
    assert all(cause in seen.refused and "\n" not in seen.refused for seen in report.parameters)
    assert isinstance(said[0], Hello)
    steps = [message.step for message in said if isinstance(message, Progress)]
    assert steps == list(range(1, len(report.parameters) + 1))


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("no_such_library.optim.Adam", "measure.no_library"),
        ("torch.optim.NoSuchClass", "measure.no_optimizer"),
        ("torch.optim.adam.adamw", "measure.no_library"),
    ],
)
def test_a_library_or_class_that_is_missing(path: str, code: str) -> None:
    answer, _ = _probe(path)
    assert isinstance(answer, Failed)
    assert answer.key in (code, "measure.no_optimizer")
    assert path in str(answer.reason)


def test_a_module_that_raises_while_it_is_imported(tmp_path: Path) -> None:
    (tmp_path / "broken_on_import.py").write_text("raise RuntimeError('not today')\n")
    answer, _ = _probe("broken_on_import.Mine", folder=str(tmp_path))
    assert isinstance(answer, Failed)
    assert answer.key == "probe.import_failed"
    assert "RuntimeError: not today" in str(answer.reason)


def test_an_option_it_does_not_have() -> None:
    report, _ = _probe("torch.optim.SGD", (("no_such_option", 1),))
    assert isinstance(report, ProbeReport)
    assert all("no_such_option" in seen.refused for seen in report.parameters)


def test_fewer_types_when_one_is_refused() -> None:
    request = replace(probe_request("torch.optim.AdamW", ()), dtypes=("fp32",))
    report = Probing(request, lambda _message: None).run()
    assert isinstance(report, ProbeReport)
    found = infer(request, report)
    assert found.entry is not None
    assert found.entry.dtypes == ("fp32",)
