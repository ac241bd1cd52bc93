from __future__ import annotations

import dataclasses
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from optmem_gui.core.protocol import Hello, PhaseSample, Progress, Sample, StepResult, encode
from optmem_gui.core.requests import MeasureRequest
from optmem_gui.engine.child import Launch
from optmem_gui.engine.measurement import Event, Limits, Measurement, MeasurementResult

MIB = 1 << 20
QUICK = Limits(start_s=20, silence_s=20, patience_s=0.5, settle_s=0.1)
Fake = Callable[[str], Launch]


def measure(launch: Launch, request: MeasureRequest, limits: Limits = QUICK) -> MeasurementResult:
    return Measurement(worker=launch, limits=limits).run(request, lambda event: None)


def reason_of(result: MeasurementResult) -> str:
    assert result.reason is not None
    return result.reason.key


def test_a_finished_measurement_brings_figures_phases_and_samples(
    fake: Fake, request_: MeasureRequest
) -> None:
    events: list[Event] = []
    result = Measurement(worker=fake("slow"), limits=QUICK).run(request_, events.append)
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


def test_samples_come_at_about_a_hundred_a_second_and_ascend(fake: Fake, request_: MeasureRequest) -> None:
    result = measure(fake("slow"), request_)
    clocks = [sample.clock_ns for sample in result.samples if sample.rss_bytes is not None]
    assert clocks == sorted(clocks)
    seconds = (clocks[-1] - clocks[0]) / 1e9
    assert len(clocks) / seconds == pytest.approx(100, rel=0.5)


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
        ("mute", Limits(start_s=1, silence_s=60, patience_s=0.5), "start"),
        ("hangs", Limits(start_s=60, silence_s=1, patience_s=0.5), "start"),
        ("endless garbage", Limits(start_s=1, silence_s=60, patience_s=0.5), "start"),
    ],
)
def test_a_silent_worker_is_given_up(
    fake: Fake, request_: MeasureRequest, behaviour: str, limits: Limits, phase: str
) -> None:
    started = time.monotonic()
    result = measure(fake(behaviour), request_, limits)
    assert reason_of(result) == "measure.silent"
    assert f"in {phase} " in str(result.reason)
    assert time.monotonic() - started < 15


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
    measurement = Measurement(worker=launch, limits=QUICK)

    def watch(event: Event) -> None:
        if isinstance(event, Hello) and stage == "hello":
            threading.Thread(target=measurement.cancel).start()
        if isinstance(event, Progress) and event.stage == stage:
            threading.Thread(target=measurement.cancel).start()
        if isinstance(event, Sample) and stage == "start":
            measurement.cancel()

    return measurement.run(request, watch)


@pytest.mark.parametrize(
    ("behaviour", "stage"), [("mute", "start"), ("hangs", "hello"), ("slow", "load"), ("stubborn", "forward")]
)
def test_cancel_ends_it_at_every_stage(
    fake: Fake, request_: MeasureRequest, behaviour: str, stage: str
) -> None:
    started = time.monotonic()
    result = cancel_at(fake(behaviour), request_, stage)
    assert result.status == "cancelled"
    assert reason_of(result) == "measure.cancelled"
    assert result.result is None
    assert time.monotonic() - started < 5


def test_cancel_before_the_start_is_honoured(fake: Fake, request_: MeasureRequest) -> None:
    measurement = Measurement(worker=fake("slow"), limits=QUICK)
    measurement.cancel()
    assert measurement.run(request_, lambda event: None).status == "cancelled"


def test_cancel_after_the_end_does_nothing(fake: Fake, request_: MeasureRequest) -> None:
    measurement = Measurement(worker=fake("normal"), limits=QUICK)
    assert measurement.run(request_, lambda event: None).status == "done"
    measurement.cancel()


def test_a_listener_that_raises_leaves_nothing_behind(fake: Fake, request_: MeasureRequest) -> None:
    def refuse(event: Event) -> None:
        raise KeyError(type(event).__name__)

    with pytest.raises(KeyError):
        Measurement(worker=fake("hangs"), limits=QUICK).run(request_, refuse)


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
        measurement = Measurement(worker=worker, sampler=shell("exec cat > /dev/null"), limits=QUICK)
        return measurement.run(request_, lambda event: None)

    assert [reason_of(one(number)) for number in range(len(ENDS))] == [
        "measure.exited",
        "measure.killed",
        "measure.crashed",
        "measure.exited",
        "measure.exited",
    ]
    own = psutil.Process()
    descriptors, threads = own.num_fds(), threading.active_count()
    for number in range(100):
        assert len(one(number).phases) == 1
    assert not own.children(recursive=True)
    assert threading.active_count() == threads
    assert own.num_fds() == descriptors


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


def on_gpu(worker: Launch, sampler: Launch, request: MeasureRequest) -> MeasurementResult:
    patient = dataclasses.replace(QUICK, settle_s=0.3)
    request = dataclasses.replace(request, device="GPU-fake")
    return Measurement(worker=worker, sampler=sampler, limits=patient).run(request, lambda event: None)


def test_on_a_gpu_the_baseline_is_taken_before_the_worker_touches_it(
    fake: Fake, fake_sampler: Fake, request_: MeasureRequest
) -> None:
    result = on_gpu(fake("gpu"), fake_sampler("steady"), request_)
    assert result.status == "done"
    assert result.baseline_bytes == 500 * MIB
    assert result.process_peak_bytes == 450 * MIB
    assert result.warnings == ()


def test_where_the_driver_hides_processes_the_devices_rise_stands_in(
    fake: Fake, fake_sampler: Fake, request_: MeasureRequest
) -> None:
    result = on_gpu(fake("gpu"), fake_sampler("hidden"), request_)
    assert all(sample.process_bytes is None for sample in result.samples)
    assert result.process_peak_bytes == 450 * MIB


def test_other_processes_that_move_meanwhile_are_warned_about(
    fake: Fake, fake_sampler: Fake, request_: MeasureRequest
) -> None:
    result = on_gpu(fake("gpu"), fake_sampler("others"), request_)
    assert [warning.key for warning in result.warnings] == ["measure.others_changed"]


def test_a_driver_that_moves_gpu_memory_to_the_host_is_not_taken_for_a_fit(
    fake: Fake, fake_sampler: Fake, request_: MeasureRequest
) -> None:
    result = on_gpu(fake("spills"), fake_sampler("steady"), request_)
    assert [warning.key for warning in result.warnings] == ["measure.spilled"]
    assert "90.0 GiB was held on a GPU of 80.0 GiB" in str(result.warnings[0])


def test_a_lost_gpu_ends_the_measurement_and_keeps_what_was_sampled(
    fake: Fake, fake_sampler: Fake, request_: MeasureRequest
) -> None:
    started = time.monotonic()
    result = on_gpu(fake("gpu hangs"), fake_sampler("lost"), request_)
    assert result.status == "failed"
    assert reason_of(result) == "measure.gpu_lost"
    assert "restart the computer" in str(result.reason)
    assert len(result.samples) >= 20
    assert time.monotonic() - started < 15
