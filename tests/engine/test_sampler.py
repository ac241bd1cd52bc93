from __future__ import annotations

import itertools
import os
from types import SimpleNamespace

import pytest

from optmem_gui.core.observing import DeviceFacts, OtherProcess, Others
from optmem_gui.core.protocol import Message, Sample, SamplerNote
from optmem_gui.engine import sampler as sampler_module
from optmem_gui.engine.nvml import Nvml
from optmem_gui.engine.sampler import Sampler, Watched
from tests.engine.fake_nvml import GIB, FakeNvml


def sampled(fake: FakeNvml, watched: Watched, times: int) -> tuple[list[Message], Sampler]:
    said: list[Message] = []
    with Nvml(lambda: fake) as nvml:
        sampler = Sampler(nvml, watched, said.append)
        for _ in range(times):
            if not sampler.lost:
                sampler.sample()
    assert fake.sessions == 0
    return said, sampler


def test_device_process_and_host_memory_are_sampled_together() -> None:
    fake = FakeNvml(processes=((os.getpid(), GIB),))
    said, _ = sampled(fake, Watched(os.getpid(), "GPU-fake", ready=True), 2)
    samples = [message for message in said if isinstance(message, Sample)]
    assert [sample.device_used_bytes for sample in samples] == [2 * GIB] * 2
    sample = samples[0]  # the next one follows within 10 ms: the process is not asked about again so soon
    assert sample.process_bytes == GIB
    assert sample.rss_bytes is not None
    assert sample.rss_bytes > 1 << 20


def test_a_process_is_not_asked_for_before_it_uses_the_device() -> None:
    fake = FakeNvml(processes=((os.getpid(), GIB),))
    said, _ = sampled(fake, Watched(os.getpid(), "GPU-fake", ready=False), 3)
    assert [m.process_bytes for m in said if isinstance(m, Sample)] == [None] * 3


def test_the_device_and_who_else_uses_it_are_said_once_and_again_when_that_changes() -> None:
    """The sampler looks around twice a second; here the time of the next look is brought forward."""
    fake = FakeNvml(processes=((os.getpid(), GIB), (7, 2 * GIB), (8, None)))
    said: list[Message] = []
    with Nvml(lambda: fake) as nvml:
        sampler = Sampler(nvml, Watched(os.getpid(), "GPU-fake", ready=True), said.append)
        for processes in (fake.processes, fake.processes, ((7, GIB),)):
            fake.processes = processes
            sampler._others_due_ns = 0
            sampler.sample()
    facts = [message for message in said if isinstance(message, DeviceFacts)]
    assert facts == [DeviceFacts("GPU-fake", "580.00", 24 * GIB, GIB // 2, 2)]
    others = [message.processes for message in said if isinstance(message, Others)]
    first = (OtherProcess(7, "/bin/p7", 2 * GIB), OtherProcess(8, "/bin/p8", None))
    assert others == [first, (OtherProcess(7, "/bin/p7", GIB),)]


def test_what_is_not_available_is_said_once() -> None:
    said, _ = sampled(FakeNvml(), Watched(os.getpid(), "GPU-fake", ready=True), 3)
    notes = [message for message in said if isinstance(message, SamplerNote)]
    assert [(note.series, note.key) for note in notes] == [("process", "nvml.process_hidden")]
    samples = [message for message in said if isinstance(message, Sample)]
    assert all(sample.process_bytes is None for sample in samples)
    assert all(sample.device_used_bytes == 2 * GIB for sample in samples)


def test_a_gpu_lost_after_twenty_samples_ends_the_sampling(monkeypatch: pytest.MonkeyPatch) -> None:
    # a millisecond a sample, so that it looks around once; a machine that stands still would make it twice
    clock = itertools.count(1, 1_000_000)
    monkeypatch.setattr(sampler_module, "time", SimpleNamespace(monotonic_ns=lambda: next(clock)))
    # one call opens the session, one finds the handle, one asks for the driver's version, two for the lists
    # of processes, then one query a sample
    fake = FakeNvml(lost_after=25)
    said, sampler = sampled_until_lost(fake)
    assert sampler.lost
    assert sum(isinstance(m, Sample) and m.device_used_bytes is not None for m in said) == 20
    notes = [message for message in said if isinstance(message, SamplerNote)]
    assert [(note.series, note.key) for note in notes] == [("device", "nvml.gpu_lost")]


def sampled_until_lost(fake: FakeNvml) -> tuple[list[Message], Sampler]:
    said: list[Message] = []
    sampler = Sampler(Nvml(lambda: fake), Watched(None, "GPU-fake"), said.append)
    for _ in range(50):
        if not sampler.lost:
            sampler.sample()
    return said, sampler


def test_on_the_cpu_the_driver_is_not_asked() -> None:
    fake = FakeNvml()
    said, _ = sampled(fake, Watched(os.getpid(), None), 2)
    assert fake.queries == 0
    assert all(isinstance(m, Sample) and m.device_used_bytes is None for m in said)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("worker 17\n", Watched(pid=17)),
        ("device GPU-x\n", Watched(uuid="GPU-x")),
        ("ready\n", Watched(ready=True)),
        ("worker x\n", Watched()),
        ("something else\n", Watched()),
        ("\n", Watched()),
    ],
)
def test_it_is_told_what_to_watch(line: str, expected: Watched) -> None:
    watched = Watched()
    watched.obey(line)
    assert watched == expected
