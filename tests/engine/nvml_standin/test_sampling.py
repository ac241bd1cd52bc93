"""The sampler as a process of its own, with the real binding and the stand-in of the driver."""

from __future__ import annotations

import dataclasses
import itertools
import os
import queue
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from optmem_gui.core.protocol import Hello, Message, Sample, SamplerNote, decode
from optmem_gui.core.requests import BareTensor, MeasureRequest
from optmem_gui.engine.child import Child, Launch
from optmem_gui.engine.measurement import Event, Limits, Measurement, MeasurementResult
from optmem_gui.engine.worker_process import child_environment, sampler_launch
from tests.engine.nvml_standin import GIB, MIB, environment, needs_compiler
from tests.waiting import PATIENCE_S

pytestmark = needs_compiler

GPU = "GPU-fake"  # the fake worker's
H100 = f"gpu {GPU} {80 * GIB} {GIB // 2} {2 * GIB} NVIDIA H100 80GB HBM3"
FAKE = Path(__file__).parents[1] / "fake_worker.py"


Enough = Callable[[list[Message]], bool]


def of_device(messages: list[Message]) -> list[Sample]:
    return [m for m in messages if isinstance(m, Sample) and m.device_used_bytes is not None]


def of_process(messages: list[Message]) -> list[Sample]:
    return [m for m in messages if isinstance(m, Sample) and m.process_bytes is not None]


@dataclass
class Heard:
    """What a sampler says, and the end of its output."""

    lines: queue.SimpleQueue[bytes | None] = field(default_factory=queue.SimpleQueue)

    def messages(self, enough: Enough) -> list[Message]:
        """Everything until the end, or until it is enough."""
        found: list[Message] = []
        while (line := self.lines.get(timeout=PATIENCE_S)) is not None:
            message = decode(line)
            assert message is not None
            found.append(message)
            if enough(found):
                break
        return found


def launch(script: Path, rate_hz: int = 100) -> Launch:
    return dataclasses.replace(sampler_launch(rate_hz), environment=child_environment(environment(script)))


def sampled(script: Path, enough: Enough, rate_hz: int = 100) -> list[Message]:
    """What the sampler says of this process as the worker, until it is enough."""
    heard = Heard()
    child = Child("sampler", heard.lines.put)
    child.start(launch(script, rate_hz))
    try:
        child.write(f"device {GPU}\nworker {os.getpid()}\nready\n".encode())
        return heard.messages(enough)
    finally:
        child.stop(PATIENCE_S)
        assert child.returncode == 0


@pytest.fixture
def says(tmp_path: Path) -> Callable[..., Path]:
    """Write what the driver does."""

    def write(*lines: str) -> Path:
        script = tmp_path / "script"
        script.write_text("\n".join(lines) + "\n")
        return script

    return write


def test_device_process_and_host_memory_come_together(says: Callable[..., Path]) -> None:
    script = says(H100, f"process 0 {os.getpid()} {GIB}", f"grow {MIB}")

    def enough(said: list[Message]) -> bool:
        return len(of_device(said)) >= 30 and len(of_process(said)) >= 3

    samples = [m for m in sampled(script, enough) if isinstance(m, Sample)]
    used = [sample.device_used_bytes for sample in of_device([*samples])]
    # Used grows by 1 MiB a query, and no query is made but for a sample.
    assert used == list(range(2 * GIB, 2 * GIB + len(used) * MIB, MIB))
    assert {sample.process_bytes for sample in samples} - {None} == {GIB}
    assert any((sample.rss_bytes or 0) > MIB for sample in samples)
    clocks = [sample.clock_ns for sample in samples]
    assert clocks == sorted(set(clocks))


def test_a_thousand_a_second_do_not_ask_for_the_process_as_often(says: Callable[..., Path]) -> None:
    """Of n questions n - 2 have 10 ms before them: the first may be late, and its pause begins anew."""
    script = says(H100, f"process 0 {os.getpid()} {GIB}")
    walks = of_process(sampled(script, lambda said: len(of_process(said)) >= 40, rate_hz=1000))
    assert len(walks) - 2 <= 100 * (walks[-1].clock_ns - walks[0].clock_ns) / 1e9


def test_a_driver_that_takes_its_time_piles_nothing_up(says: Callable[..., Path]) -> None:
    """50 ms a query at 100 samples a second: every sample is as old as its clock says."""
    script = says(H100, "delay nvmlDeviceGetMemoryInfo_v2 50000")
    known = [each.clock_ns for each in of_device(sampled(script, lambda said: len(of_device(said)) >= 10))]
    assert all(later - earlier >= 50_000_000 for earlier, later in itertools.pairwise(known))


@pytest.mark.parametrize(("code", "key"), [(15, "nvml.gpu_lost"), (16, "nvml.reset_required")])
def test_a_gpu_lost_after_twenty_samples_ends_the_process(
    says: Callable[..., Path], code: int, key: str
) -> None:
    script = says(H100, f"error nvmlDeviceGetMemoryInfo_v2 {code} 20")
    said = sampled(script, lambda said: False)  # ends by itself
    assert len(of_device(said)) == 20
    assert [(m.series, m.key) for m in said if isinstance(m, SamplerNote) and m.series == "device"] == [
        ("device", key)
    ]
    assert isinstance(said[-1], SamplerNote)


def test_an_unknown_error_ends_only_its_series(says: Callable[..., Path]) -> None:
    def goes_on(said: list[Message]) -> bool:
        """Host memory does."""
        ended = next(
            (n for n, m in enumerate(said) if isinstance(m, SamplerNote) and m.series == "device"), None
        )
        return ended is not None and any(isinstance(m, Sample) and m.rss_bytes for m in said[ended:])

    said = sampled(says(H100, "error nvmlDeviceGetMemoryInfo_v2 999 20"), goes_on)
    assert goes_on(said)
    assert len(of_device(said)) == 20
    assert [m.key for m in said if isinstance(m, SamplerNote) and m.series == "device"] == ["nvml.failed"]


def test_unified_memory_is_sampled_as_the_systems_and_said_once(says: Callable[..., Path]) -> None:
    script = says(H100, "error nvmlDeviceGetMemoryInfo 3", "error nvmlDeviceGetMemoryInfo_v2 3")
    said = sampled(script, lambda said: len(of_device(said)) >= 30)
    first = next(m for m in said if isinstance(m, Sample))
    notes = [m.key for m in said if isinstance(m, SamplerNote) and m.series == "device"]
    assert notes == ["nvml.unified"]
    assert all(
        (m.device_used_bytes or 0) > MIB
        for m in said
        if isinstance(m, Sample) and m.clock_ns > first.clock_ns
    )


def measure(worker: str, sampler: Launch) -> tuple[MeasurementResult, list[Event]]:
    command = (sys.executable, str(FAKE), worker)
    fake = Launch(command, child_environment(os.environ), str(FAKE.parent))
    limits = Limits(
        baseline_s=PATIENCE_S, start_s=PATIENCE_S, silence_s=PATIENCE_S, patience_s=1.0, settle_s=0.1
    )
    request = MeasureRequest(GPU, "torch.optim.SGD", tensors=(BareTensor((64, 64), "fp32"),), steps=2)
    events: list[Event] = []
    result = Measurement(worker=fake, sampler=sampler, limits=limits).run(request, events.append)
    return result, events


def test_a_measurement_takes_its_baseline_from_the_driver(says: Callable[..., Path]) -> None:
    result, events = measure("gpu", launch(says(H100)))
    assert result.status == "done"
    assert result.baseline_bytes == 2 * GIB
    before = itertools.takewhile(lambda event: not isinstance(event, Hello), events)
    assert any(isinstance(event, Sample) and event.device_used_bytes == 2 * GIB for event in before)


def test_a_gpu_that_needs_a_reset_ends_the_measurement_and_keeps_the_samples(
    says: Callable[..., Path],
) -> None:
    result, _ = measure("gpu hangs", launch(says(H100, "error nvmlDeviceGetMemoryInfo_v2 16 20")))
    assert (result.status, result.reason and result.reason.key) == ("failed", "measure.gpu_lost")
    assert sum(sample.device_used_bytes is not None for sample in result.samples) == 20


@pytest.mark.parametrize(
    "line", ["error nvmlInit 18", "error nvmlDeviceGetMemoryInfo_v2 4\nerror nvmlDeviceGetMemoryInfo 4"]
)
def test_a_measurement_goes_on_without_the_drivers_figures(says: Callable[..., Path], line: str) -> None:
    result, _ = measure("gpu", launch(says(H100, line)))
    assert result.status == "done"
    assert result.baseline_bytes is None
    assert result.process_peak_bytes is None
    assert {note.key for note in result.notes} <= {
        "nvml.mismatch",
        "nvml.no_permission",
        "nvml.process_hidden",
    }
    assert result.notes


def test_two_measurements_follow_each_other_after_a_failure(says: Callable[..., Path]) -> None:
    script = says(H100)
    assert measure("out of memory", launch(script))[0].status == "out_of_memory"
    assert measure("gpu", launch(script))[0].status == "done"
