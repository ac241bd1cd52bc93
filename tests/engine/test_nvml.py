from __future__ import annotations

import pytest

from optmem_gui.core.reasons import Reason
from optmem_gui.engine.devices import Device, Devices, list_devices
from optmem_gui.engine.nvml import Nvml, NvmlDevice
from optmem_gui.engine.nvml_records import DeviceMemory
from tests.engine.fake_nvml import GIB, FakeNvml


def session(fake: FakeNvml) -> Nvml:
    return Nvml(lambda: fake)


@pytest.mark.parametrize(("uuid", "name"), [("GPU-fake", "NVIDIA L4"), (b"GPU-fake", b"NVIDIA L4")])
def test_names_may_be_bytes_or_text(uuid: str | bytes, name: str | bytes) -> None:
    with session(FakeNvml(uuid=uuid, name=name)) as nvml:
        assert nvml.devices() == (NvmlDevice("GPU-fake", "NVIDIA L4"),)


@pytest.mark.parametrize(
    ("code", "key", "step"),
    [
        (12, "nvml.no_library", "install the driver"),
        (9, "nvml.no_driver", "modprobe nvidia"),
        (18, "nvml.mismatch", "restart"),
        (4, "nvml.no_permission", "administrator"),
        (999, "nvml.failed", "code 999"),
    ],
)
def test_a_driver_that_does_not_start_says_why_and_what_to_do(code: int, key: str, step: str) -> None:
    fake = FakeNvml(fails={"nvmlInit": code})
    with session(fake) as nvml:
        answers = (nvml.devices(), nvml.memory("GPU-fake"), nvml.process_bytes("GPU-fake", 1))
    for answer in answers:
        assert isinstance(answer, Reason)
        assert answer.key == key
        assert step in str(answer)
    assert fake.sessions == 0


def test_without_the_binding_there_is_a_reason_too() -> None:
    def missing() -> FakeNvml:
        raise ModuleNotFoundError("pynvml")

    answer = Nvml(missing).devices()
    assert isinstance(answer, Reason)
    assert answer.key == "nvml.no_module"


def test_the_newer_query_leaves_the_drivers_reserve_out() -> None:
    with session(FakeNvml()) as nvml:
        # 24 in all, 2 used by processes, 0.5 kept by the driver
        expected = DeviceMemory(24 * GIB, 2 * GIB, 43 * GIB // 2, GIB // 2, 2)
        assert nvml.memory("GPU-fake") == expected


@pytest.mark.parametrize("code", [3, 13, 25, 999])
def test_the_older_query_stands_in_and_is_marked(code: int) -> None:
    with session(FakeNvml(fails={"v2": code})) as nvml:
        expected = DeviceMemory(24 * GIB, 5 * GIB // 2, 43 * GIB // 2, None, 1)
        assert nvml.memory("GPU-fake") == expected


def test_an_older_binding_has_no_newer_query() -> None:
    fake = FakeNvml()
    fake.nvmlMemory_v2 = None
    with session(fake) as nvml:
        memory = nvml.memory("GPU-fake")
        assert isinstance(memory, DeviceMemory)
        assert memory.version == 1


def test_unified_memory_has_no_figure() -> None:
    with session(FakeNvml(fails={"nvmlDeviceGetMemoryInfo": 3})) as nvml:
        answer = nvml.memory("GPU-fake")
        assert isinstance(answer, Reason)
        assert answer.key == "nvml.not_supported"


def test_a_device_that_is_not_there_is_named() -> None:
    with session(FakeNvml()) as nvml:
        assert nvml.memory("GPU-other") == Reason("nvml.no_device", {"uuid": "GPU-other"})


@pytest.mark.parametrize("used", [None, (1 << 64) - 1])
def test_windows_does_not_tell_what_a_process_uses(used: int | None) -> None:
    with session(FakeNvml(processes=((42, used),))) as nvml:
        assert nvml.process_bytes("GPU-fake", 42) == Reason("nvml.process_hidden")


def test_a_process_that_is_not_listed_does_not_use_nothing() -> None:
    with session(FakeNvml(processes=((1, GIB),))) as nvml:
        assert nvml.process_bytes("GPU-fake", 42) == Reason("nvml.process_hidden")


def test_a_process_is_found_by_its_number() -> None:
    with session(FakeNvml(processes=((1, GIB), (42, 3 * GIB)))) as nvml:
        assert nvml.process_bytes("GPU-fake", 42) == 3 * GIB


def test_an_old_driver_without_the_process_query() -> None:
    with session(FakeNvml(fails={"nvmlDeviceGetComputeRunningProcesses": 13})) as nvml:
        answer = nvml.process_bytes("GPU-fake", 42)
        assert isinstance(answer, Reason)
        assert answer.key == "nvml.old_driver"


def test_a_lost_gpu_is_said_and_its_handle_dropped() -> None:
    fake = FakeNvml(fails={"v2": 15})
    with session(fake) as nvml:
        answer = nvml.memory("GPU-fake")
        assert isinstance(answer, Reason)
        assert answer.key == "nvml.gpu_lost"
        del fake.fails["v2"]
        assert isinstance(nvml.memory("GPU-fake"), DeviceMemory)


def test_sessions_are_balanced_over_many_uses() -> None:
    fake = FakeNvml()
    for _ in range(50):
        with session(fake) as nvml:
            assert fake.sessions == 0
            assert isinstance(nvml.memory("GPU-fake"), DeviceMemory)
            assert fake.sessions == 1
        assert fake.sessions == 0


def test_devices_are_listed_with_what_is_free() -> None:
    found = list_devices(session(FakeNvml()))
    assert found.gpus == (Device("GPU-fake", "NVIDIA L4", 24 * GIB, 43 * GIB // 2),)
    assert found.note is None
    assert found.cpu.total_bytes is not None
    assert found.cpu.free_bytes is not None
    assert 0 < found.cpu.free_bytes <= found.cpu.total_bytes
    assert found.find("cpu") is found.cpu
    assert found.find("GPU-fake") is found.gpus[0]
    assert found.find("GPU-other") is None


def test_without_a_driver_only_the_cpu_is_listed_and_why() -> None:
    found = list_devices(session(FakeNvml(fails={"nvmlInit": 18})))
    assert found.gpus == ()
    assert found.note == Reason("nvml.mismatch")
    assert found.automatic({}) is found.cpu


def gpus() -> Devices:
    rows = (("GPU-aa11", 10), ("GPU-bb22", 30), ("GPU-bb33", 20))
    devices = tuple(Device(uuid, "GPU", 80 * GIB, free * GIB) for uuid, free in rows)
    return Devices(devices, Device("cpu", "CPU", 64 * GIB, 32 * GIB), None)


@pytest.mark.parametrize(
    ("visible", "chosen"),
    [
        (None, "GPU-bb22"),  # most memory free
        ("0,2", "GPU-bb33"),
        ("GPU-aa11", "GPU-aa11"),
        ("GPU-aa", "GPU-aa11"),  # shortened
        ("GPU-bb", "cpu"),  # two match: CUDA shows none
        ("0,x,1", "GPU-aa11"),  # the list ends at the first entry that is none
        ("7", "cpu"),
        ("-1", "cpu"),
        ("", "cpu"),
    ],
)
def test_the_automatic_choice_respects_what_is_visible(visible: str | None, chosen: str) -> None:
    environment = {} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}
    assert gpus().automatic(environment).id == chosen


@pytest.mark.parametrize(
    ("text", "environment", "found"),
    [
        ("cuda:1", {}, "GPU-bb22"),
        ("cuda", {}, "GPU-aa11"),
        ("cuda:0", {"CUDA_VISIBLE_DEVICES": "2,0"}, "GPU-bb33"),
        ("cuda:2", {"CUDA_VISIBLE_DEVICES": "2,0"}, None),
        ("cuda:3", {}, None),
        ("cuda:x", {}, None),
        ("cuda:0", {"CUDA_DEVICE_ORDER": "FASTEST_FIRST"}, None),  # only torch knows which is fastest
        ("auto", {}, "GPU-bb22"),
        ("cpu", {}, "cpu"),
    ],
)
def test_a_device_is_found_by_torchs_number(
    text: str, environment: dict[str, str], found: str | None
) -> None:
    device = gpus().find(text, environment)
    assert (None if device is None else device.id) == found
