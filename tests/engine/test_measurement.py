from __future__ import annotations

import dataclasses
import os
import threading
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from optmem_gui.core.protocol import Hello, PhaseSample, Progress, Sample, StepResult, encode
from optmem_gui.core.requests import MeasureRequest
from optmem_gui.engine.child import Launch
from optmem_gui.engine.measurement import Event, Limits, Measurement, MeasurementResult
from tests.engine.gate import Condition, Gate, device_uses, host_memory_is_sampled, process_is_sampled
from tests.waiting import PATIENCE_S, until

MIB = 1 << 20
PATIENT = Limits(
    baseline_s=PATIENCE_S, start_s=PATIENCE_S, silence_s=PATIENCE_S, patience_s=PATIENCE_S, settle_s=0.1
)
"""For workers that end by themselves."""

FIRM = dataclasses.replace(PATIENT, patience_s=0.5)
"""For workers that have to be ended."""

Fake = Callable[[str], Launch]


def measure(
    launch: Launch,
    request: MeasureRequest,
    limits: Limits = PATIENT,
    listen: Callable[[Event], None] = lambda event: None,
) -> MeasurementResult:
    return Measurement(worker=launch, limits=limits).run(request, listen)


def reason_of(result: MeasurementResult) -> str:
    assert result.reason is not None
    return result.reason.key


def test_a_finished_measurement_brings_figures_phases_and_samples(
    fake: Fake, request_: MeasureRequest, gate: Gate
) -> None:
    events: list[Event] = []
    listen = gate.when(host_memory_is_sampled, then=events.append)
    result = measure(fake("normal"), request_, listen=listen)
    assert result.status == "done"
    assert result.reason is None
    assert result.result is not None
    assert result.result.steady.categories.weights == 4 * MIB
    assert [p.phase for p in result.phases] == [
        "load",
        *("forward", "backward", "optimizer_step", "between_steps") * 2,
    ]
    assert result.hello is not None
    assert result.hello.torch == "9.9.9"
    assert {type(event) for event in events} == {Hello, Progress, PhaseSample, StepResult, Sample}
    assert result.rss_peak_bytes is not None
    assert result.rss_peak_bytes > MIB
    assert result.process_peak_bytes is None
    assert result.context_bytes is None


def test_samples_ascend_and_are_no_more_than_a_hundred_a_second(
    fake: Fake, request_: MeasureRequest, gate: Gate
) -> None:
    """How even they come on a quiet machine is for the benchmarks; here none is made up for."""
    clocks: list[int] = []

    def enough(event: Event) -> bool:
        if isinstance(event, Sample):
            clocks.append(event.clock_ns)
        return len(clocks) >= 40

    measure(fake("normal"), request_, listen=gate.when(enough))
    assert clocks == sorted(set(clocks))
    # The first may be late, and its period begins anew: of n samples n - 2 have a whole period before them.
    assert len(clocks) - 2 <= 100 * (clocks[-1] - clocks[0]) / 1e9


@pytest.mark.parametrize(
    ("behaviour", "key", "words"),
    [
        ("garbage", "measure.not_a_worker", "Welcome to Python!"),
        ("wrong version", "measure.wrong_version", "version 2"),
        ("segfault", "measure.crashed", "SIGSEGV"),
        ("killed", "measure.killed", "SIGKILL in backward"),
        ("status", "measure.exited", "status 7"),
        ("leaves", "measure.exited", "status 0"),
    ],
)
def test_what_goes_wrong_is_named(
    fake: Fake, request_: MeasureRequest, behaviour: str, key: str, words: str
) -> None:
    result = measure(fake(behaviour), request_)
    assert result.status == "failed"
    assert reason_of(result) == key
    assert words in str(result.reason)
    assert result.result is None


def test_last_words_of_the_worker_are_kept_as_detail(fake: Fake, request_: MeasureRequest) -> None:
    assert "the last words" in measure(fake("status"), request_).detail


@pytest.mark.parametrize("behaviour", ["garbage between", "unknown kind"])
def test_lines_that_are_no_message_do_not_disturb(
    fake: Fake, request_: MeasureRequest, behaviour: str
) -> None:
    assert measure(fake(behaviour), request_).status == "done"


def test_out_of_memory_is_a_result_with_what_ran_before(fake: Fake, request_: MeasureRequest) -> None:
    result = measure(fake("out of memory"), request_)
    assert result.status == "out_of_memory"
    assert [p.phase for p in result.phases] == ["load"]
    assert "asked for 3.00 GiB more and 1.00 GiB was free" in str(result.reason)


@pytest.mark.parametrize(
    ("behaviour", "limits", "phase"),
    [
        ("mute", dataclasses.replace(FIRM, start_s=1), "start"),
        ("hangs", dataclasses.replace(FIRM, silence_s=1), "start"),
        ("endless garbage", dataclasses.replace(FIRM, start_s=1), "start"),
    ],
)
def test_a_silent_worker_is_given_up(
    fake: Fake, request_: MeasureRequest, behaviour: str, limits: Limits, phase: str
) -> None:
    result = measure(fake(behaviour), request_, limits)
    assert reason_of(result) == "measure.silent"
    assert result.reason is not None
    assert result.reason.values == {"seconds": 1, "phase": phase}


def test_a_python_that_is_none_is_named(request_: MeasureRequest) -> None:
    result = Measurement(python="/nowhere/python").run(request_, lambda event: None)
    assert reason_of(result) == "measure.no_python"
    assert "/nowhere/python" in str(result.reason)


def test_the_measurement_goes_on_without_a_sampler(fake: Fake, request_: MeasureRequest) -> None:
    absent = Launch(("/nowhere/sampler",), {}, "/")
    result = Measurement(worker=fake("normal"), sampler=absent).run(request_, lambda event: None)
    assert result.status == "done"
    assert [note.key for note in result.notes] == ["nvml.failed"]
    assert result.samples == ()


def cancel_at(launch: Launch, request: MeasureRequest, stage: str) -> MeasurementResult:
    """Cancel from another thread as soon as the worker is at a stage."""
    measurement = Measurement(worker=launch, limits=FIRM)

    def watch(event: Event) -> None:
        if isinstance(event, Hello) and stage == "hello":
            threading.Thread(target=measurement.cancel).start()
        if isinstance(event, Progress) and event.stage == stage:
            threading.Thread(target=measurement.cancel).start()
        if isinstance(event, Sample) and stage == "start":
            measurement.cancel()

    return measurement.run(request, watch)


@pytest.mark.parametrize(
    ("behaviour", "stage"),
    [("mute", "start"), ("hangs", "hello"), ("loads for ever", "load"), ("stubborn", "forward")],
)
def test_cancel_ends_it_at_every_stage(
    fake: Fake, request_: MeasureRequest, behaviour: str, stage: str
) -> None:
    result = cancel_at(fake(behaviour), request_, stage)
    assert result.status == "cancelled"
    assert reason_of(result) == "measure.cancelled"
    assert result.result is None


def test_cancel_before_the_start_is_honoured(fake: Fake, request_: MeasureRequest) -> None:
    measurement = Measurement(worker=fake("hangs"), limits=FIRM)
    measurement.cancel()
    assert measurement.run(request_, lambda event: None).status == "cancelled"


def test_cancel_after_the_end_does_nothing(fake: Fake, request_: MeasureRequest) -> None:
    measurement = Measurement(worker=fake("normal"), limits=PATIENT)
    assert measurement.run(request_, lambda event: None).status == "done"
    measurement.cancel()


def test_a_listener_that_raises_leaves_nothing_behind(fake: Fake, request_: MeasureRequest) -> None:
    def refuse(event: Event) -> None:
        raise KeyError(type(event).__name__)

    with pytest.raises(KeyError):
        measure(fake("hangs"), request_, FIRM, refuse)


REPLIES = (
    Hello(1, "3.11.0", "9.9.9", "fake", None, None, 0),
    Progress("forward", 1, 2),
    PhaseSample(1, "forward", 0, 1, 0, 0, MIB),
)
ENDS = ("exit 0", "kill -9 $$", "kill -11 $$", "echo garbage", "exit 3")


@pytest.mark.skipif(os.name != "posix", reason="the quick worker is a shell script")
def test_a_hundred_runs_in_a_row_leave_no_process_thread_or_descriptor(
    tmp_path: Path, request_: MeasureRequest
) -> None:
    """A worker of a shell's start-up time, which ends in every way that there is."""
    (tmp_path / "replies").write_bytes(b"".join(encode(reply) for reply in REPLIES))

    def shell(script: str) -> Launch:
        return Launch(("/bin/sh", "-c", script), dict(os.environ), str(tmp_path))

    def one(number: int) -> MeasurementResult:
        worker = shell(f"read request; cat replies; {ENDS[number % len(ENDS)]}")
        measurement = Measurement(worker=worker, sampler=shell("exec cat > /dev/null"), limits=PATIENT)
        return measurement.run(request_, lambda event: None)

    assert [reason_of(one(number)) for number in range(len(ENDS))] == [
        "measure.exited",
        "measure.killed",
        "measure.crashed",
        "measure.exited",
        "measure.exited",
    ]
    own = psutil.Process()
    descriptors = own.num_fds()
    for number in range(100):
        assert len(one(number).phases) == 1
    assert not own.children(recursive=True)
    assert until(lambda: not readers())
    assert until(lambda: own.num_fds() <= descriptors)


def readers() -> list[str]:
    """Threads that read what a worker or a sampler says; those of other tests may end meanwhile."""
    names = (thread.name for thread in threading.enumerate())
    return [name for name in names if name.startswith(("worker ", "sampler "))]


def with_samples(result: MeasurementResult, **series: list[int | None]) -> MeasurementResult:
    columns = zip(*series.values(), strict=True)
    samples = tuple(Sample(at, **dict(zip(series, row, strict=True))) for at, row in enumerate(columns))
    return dataclasses.replace(result, samples=samples)


def test_the_context_is_what_the_process_holds_beyond_the_reserve(request_: MeasureRequest) -> None:
    phase = PhaseSample(1, "forward", 0, 1, 0, 0, 60 * MIB, 80 * MIB, 100 * MIB)
    plain = MeasurementResult("done", request_, phases=(phase,), baseline_bytes=500 * MIB)
    own = with_samples(plain, process_bytes=[None, 300 * MIB, 550 * MIB])
    assert own.process_peak_bytes == 550 * MIB
    assert own.context_bytes == 450 * MIB  # 550 in the process, of which torch reserved 100
    device = with_samples(plain, device_used_bytes=[500 * MIB, 1040 * MIB, 700 * MIB])
    assert device.process_peak_bytes == 540 * MIB  # 1040 at most, 500 before
    assert device.context_bytes == 440 * MIB


BASELINE, CONTEXT, OTHERS = 500 * MIB, 450 * MIB, 200 * MIB
"""What the fake sampler says of its GPU."""


def on_gpu(
    worker: Launch, sampler: Launch, request: MeasureRequest, listen: Callable[[Event], None]
) -> MeasurementResult:
    request = dataclasses.replace(request, device="GPU-fake")
    return Measurement(worker=worker, sampler=sampler, limits=FIRM).run(request, listen)


@pytest.fixture
def sampled_on_gpu(
    fake: Fake, fake_sampler: Fake, request_: MeasureRequest, gate: Gate
) -> Callable[..., MeasurementResult]:
    """A worker that goes on once it was seen on the GPU, beside a sampler that behaves in a given way."""

    def run(worker: str, sampler: str, seen: Condition = process_is_sampled) -> MeasurementResult:
        return on_gpu(fake(worker), fake_sampler(sampler), request_, gate.when(seen))

    return run


def test_on_a_gpu_the_baseline_is_taken_before_the_worker_touches_it(
    sampled_on_gpu: Callable[..., MeasurementResult],
) -> None:
    result = sampled_on_gpu("gpu", "steady")
    assert result.status == "done"
    assert result.baseline_bytes == BASELINE
    assert result.process_peak_bytes == CONTEXT
    assert result.warnings == ()


def test_where_the_driver_hides_processes_the_devices_rise_stands_in(
    sampled_on_gpu: Callable[..., MeasurementResult],
) -> None:
    result = sampled_on_gpu("gpu", "hidden", device_uses(BASELINE + CONTEXT))
    assert all(sample.process_bytes is None for sample in result.samples)
    assert result.process_peak_bytes == CONTEXT


def test_other_processes_that_move_meanwhile_are_warned_about(
    sampled_on_gpu: Callable[..., MeasurementResult],
) -> None:
    result = sampled_on_gpu("gpu", "others", device_uses(BASELINE + CONTEXT + OTHERS))
    assert [warning.key for warning in result.warnings] == ["measure.others_changed"]


def test_a_driver_that_moves_gpu_memory_to_the_host_is_not_taken_for_a_fit(
    sampled_on_gpu: Callable[..., MeasurementResult],
) -> None:
    result = sampled_on_gpu("spills", "steady")
    assert [warning.key for warning in result.warnings] == ["measure.spilled"]
    assert "90.0 GiB was held on a GPU of 80.0 GiB" in str(result.warnings[0])


def test_a_figure_that_comes_late_is_waited_for_after_the_worker_has_gone(
    sampled_on_gpu: Callable[..., MeasurementResult],
) -> None:
    """A sampler that says nothing for longer than the driver is given to let go of the worker's memory."""
    result = sampled_on_gpu("gpu", "stalls")
    assert result.status == "done"
    assert result.samples[-1].device_used_bytes == BASELINE
    assert result.warnings == ()


def test_a_lost_gpu_ends_the_measurement_and_keeps_what_was_sampled(
    fake: Fake, fake_sampler: Fake, request_: MeasureRequest
) -> None:
    result = on_gpu(fake("gpu hangs"), fake_sampler("lost"), request_, lambda event: None)
    assert result.status == "failed"
    assert reason_of(result) == "measure.gpu_lost"
    assert "restart the computer" in str(result.reason)
    assert len(result.samples) >= 20
