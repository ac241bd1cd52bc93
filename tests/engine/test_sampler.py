from __future__ import annotations

import os

import pytest

from optmem_gui.core.protocol import Message, Sample, SamplerNote
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
    assert len(said) == 2
    for sample in said:
        assert isinstance(sample, Sample)
        assert sample.device_used_bytes == 2 * GIB
    sample = said[0]  # the next one follows within 10 ms: the process is not asked about again so soon
    assert isinstance(sample, Sample)
    assert sample.process_bytes == GIB
    assert sample.rss_bytes is not None
    assert sample.rss_bytes > 1 << 20


def test_a_process_is_not_asked_for_before_it_uses_the_device() -> None:
    said, _ = sampled(FakeNvml(), Watched(os.getpid(), "GPU-fake", ready=False), 3)
    assert [type(message) for message in said] == [Sample] * 3


def test_what_is_not_available_is_said_once() -> None:
    said, _ = sampled(FakeNvml(), Watched(os.getpid(), "GPU-fake", ready=True), 3)
    notes = [message for message in said if isinstance(message, SamplerNote)]
    assert [(note.series, note.key) for note in notes] == [("process", "nvml.process_hidden")]
    samples = [message for message in said if isinstance(message, Sample)]
    assert all(sample.process_bytes is None for sample in samples)
    assert all(sample.device_used_bytes == 2 * GIB for sample in samples)


def test_a_gpu_lost_after_twenty_samples_ends_the_sampling() -> None:
    # one call opens the session, one finds the handle, then one query a sample
    fake = FakeNvml(lost_after=22)
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
