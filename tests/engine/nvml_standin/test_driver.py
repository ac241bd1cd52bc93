"""The driver's oddities, through the real binding and its ctypes structures."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from optmem_gui.core.observing import OtherProcess
from optmem_gui.core.reasons import Reason
from optmem_gui.engine.devices import list_devices, system_memory
from optmem_gui.engine.nvml import Nvml, NvmlDevice
from optmem_gui.engine.nvml_records import DeviceMemory
from tests.engine.nvml_standin import GIB, H100, L4, MIB, Driver, driver, environment, needs_compiler

pytestmark = needs_compiler

GPU = "GPU-aaaa1111-0000"
SLICES = (
    f"mig 0 MIG-cccc0000-0001 {10 * GIB} 0 {GIB} NVIDIA H100 MIG 1g.10gb",
    f"mig 0 MIG-cccc0000-0002 {20 * GIB} 0 0 NVIDIA H100 MIG 2g.20gb",
)
MakeDriver = Callable[..., Driver]


@pytest.fixture
def nvidia(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Driver]:
    with driver(monkeypatch, tmp_path) as made:
        yield made


@pytest.fixture
def older(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Driver]:
    """A driver without some functions."""
    with driver(monkeypatch, tmp_path, *request.param) as made:
        yield made


def reason(answer: object) -> Reason:
    assert isinstance(answer, Reason)
    return answer


# Starting


@pytest.mark.parametrize(
    ("code", "key", "step"),
    [
        (4, "nvml.no_permission", "ask the administrator"),
        (9, "nvml.no_driver", "modprobe nvidia"),
        (12, "nvml.no_library", "install the driver"),
        (17, "nvml.blocked", "--gpus all"),
        (18, "nvml.mismatch", "restart the computer"),
        (15, "nvml.gpu_lost", "restart the computer"),
        (16, "nvml.reset_required", "--gpu-reset"),
        (999, "nvml.failed", "Unknown Error"),
    ],
)
def test_a_driver_that_does_not_start_says_why_and_what_to_do(
    nvidia: Driver, code: int, key: str, step: str
) -> None:
    nvidia.says(H100, f"error nvmlInit {code}")
    with Nvml() as nvml:
        for answer in (nvml.devices(), nvml.memory(GPU), nvml.process_bytes(GPU, 1)):
            assert reason(answer).key == key
            assert step in str(answer)
    assert list_devices().note is not None
    assert list_devices().gpus == ()
    assert nvidia.sessions() == []


def test_a_machine_without_the_library(tmp_path: Path) -> None:
    """The real loader's own error, in a process that finds no library."""
    if Path("/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1").exists():
        pytest.skip("this machine has a driver")
    code = "import optmem_gui.engine.devices as m; d = m.list_devices(); print(d.note.key, d.cpu.id, d.gpus)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "nvml.no_library cpu ()\n"
    assert found.stderr == ""


def test_the_loader_finds_the_library_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "script").write_text(H100 + "\n")
    code = "from optmem_gui.engine.devices import list_devices as l; print([g.name for g in l().gpus])"
    settings = environment(tmp_path / "script")
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=settings
    )
    assert found.stdout == "['NVIDIA H100 80GB HBM3']\n"


def test_a_driver_without_a_gpu(nvidia: Driver) -> None:
    nvidia.says("")
    assert list_devices().note == Reason("nvml.no_gpu")


def test_a_gpu_that_fails_leaves_the_others(nvidia: Driver) -> None:
    nvidia.says(H100, L4, "error nvmlDeviceGetUUID 15 1")  # the first answers, the second is lost
    with Nvml() as nvml:
        assert nvml.devices() == (NvmlDevice(GPU, "NVIDIA H100 80GB HBM3"),)


def test_only_failing_gpus_give_the_reason(nvidia: Driver) -> None:
    nvidia.says(H100, "error nvmlDeviceGetHandleByIndex 4")
    with Nvml() as nvml:
        assert reason(nvml.devices()).key == "nvml.no_permission"


# Memory


def test_the_newer_query_leaves_the_drivers_reserve_out(nvidia: Driver) -> None:
    with Nvml() as nvml:
        # 80 in all, 2 used by processes, 0.5 kept by the driver: 77.5 free
        assert nvml.memory(GPU) == DeviceMemory(80 * GIB, 2 * GIB, 155 * GIB // 2, GIB // 2, 2)


@pytest.mark.parametrize("older", [("MEMORY_V2",)], indirect=True)
def test_a_driver_before_510_has_only_the_older_query(older: Driver) -> None:
    with Nvml() as nvml:
        assert nvml.memory(GPU) == DeviceMemory(80 * GIB, 5 * GIB // 2, 155 * GIB // 2, None, 1)


@pytest.mark.parametrize("code", [3, 13, 25, 999])
def test_the_older_query_stands_in_and_is_marked(nvidia: Driver, code: int) -> None:
    nvidia.says(H100, f"error nvmlDeviceGetMemoryInfo_v2 {code}")
    with Nvml() as nvml:
        answer = nvml.memory(GPU)
        assert isinstance(answer, DeviceMemory)
        assert (answer.version, answer.used) == (1, 5 * GIB // 2)


def test_one_run_keeps_to_one_query(nvidia: Driver) -> None:
    """The queries differ by the driver's reserve, which must not look like an allocation."""
    nvidia.says(H100, "error nvmlDeviceGetMemoryInfo_v2 999 3")
    with Nvml() as nvml:
        answers = [nvml.memory(GPU) for _ in range(4)]
    assert [a.used for a in answers if isinstance(a, DeviceMemory)] == [2 * GIB] * 3
    assert reason(answers[3]).key == "nvml.failed"


def test_unified_memory_is_the_systems(nvidia: Driver) -> None:
    nvidia.says(H100, "error nvmlDeviceGetMemoryInfo 3", "error nvmlDeviceGetMemoryInfo_v2 3")
    with Nvml() as nvml:
        assert reason(nvml.memory(GPU)).key == "nvml.not_supported"
    (gpu,) = list_devices().gpus
    assert gpu.total_bytes == system_memory()[0]
    assert gpu.free_bytes is not None
    assert 0 < gpu.free_bytes < gpu.total_bytes
    assert "unified memory" in str(gpu.note)


@pytest.mark.parametrize("total", [0, (1 << 64) - 1])
def test_a_memory_of_nothing_or_everything_is_no_figure(nvidia: Driver, total: int) -> None:
    """WSL shows 17179869184 GiB where the driver has no number."""
    nvidia.says(f"gpu {GPU} {total} 0 0 NVIDIA GB10")
    with Nvml() as nvml:
        assert reason(nvml.memory(GPU)).key == "nvml.not_supported"


def test_a_gpu_without_permission_keeps_its_name(nvidia: Driver) -> None:
    nvidia.says(H100, "error nvmlDeviceGetMemoryInfo 4", "error nvmlDeviceGetMemoryInfo_v2 4")
    (gpu,) = list_devices().gpus
    assert (gpu.name, gpu.total_bytes, gpu.note) == (
        "NVIDIA H100 80GB HBM3",
        None,
        Reason("nvml.no_permission"),
    )


def test_a_device_that_is_not_there_is_named(nvidia: Driver) -> None:
    with Nvml() as nvml:
        assert nvml.memory("GPU-other") == Reason("nvml.no_device", {"uuid": "GPU-other"})


def test_a_name_of_raw_bytes_does_not_hide_the_gpu(nvidia: Driver) -> None:
    nvidia.script.write_bytes(f"gpu {GPU} {GIB} 0 0 GRID \xff\xfe\n".encode("latin-1"))
    with Nvml() as nvml:
        assert nvml.devices() == (NvmlDevice(GPU, "GPU"),)


# Slices


def test_of_a_sliced_gpu_the_slices_are_listed(nvidia: Driver) -> None:
    nvidia.says(H100, L4, *SLICES, f"process 2 self {GIB}")
    with Nvml() as nvml:
        assert nvml.devices() == (
            NvmlDevice("MIG-cccc0000-0001", "NVIDIA H100 MIG 1g.10gb", GPU),
            NvmlDevice("MIG-cccc0000-0002", "NVIDIA H100 MIG 2g.20gb", GPU),
            NvmlDevice("GPU-bbbb2222-0000", "NVIDIA L4"),
        )
        memory = nvml.memory("MIG-cccc0000-0001")
        assert isinstance(memory, DeviceMemory)
        assert (memory.total, memory.used) == (10 * GIB, GIB)
        assert nvml.process_bytes("MIG-cccc0000-0001", os.getpid()) == GIB
    devices = list_devices()
    number = {"CUDA_VISIBLE_DEVICES": "0"}
    assert [gpu.parent for gpu in devices.gpus] == [GPU, GPU, ""]
    assert devices.find("cuda:0", number) == devices.gpus[0]  # the first slice of the first GPU
    assert devices.find("cuda:1", {}) == devices.gpus[2]
    assert devices.find("MIG-cccc0000-0002") == devices.gpus[1]
    assert devices.automatic({"CUDA_VISIBLE_DEVICES": "MIG-cccc0000-0002"}) == devices.gpus[1]


# Processes


def test_own_use_is_found_by_number_among_many(nvidia: Driver) -> None:
    others = [f"process 0 {9000 + number} {MIB}" for number in range(40)]
    nvidia.says(H100, *others, f"process 0 self {3 * GIB}")
    with Nvml() as nvml:
        assert nvml.process_bytes(GPU, os.getpid()) == 3 * GIB


def test_windows_and_wsl_list_processes_without_a_size(nvidia: Driver) -> None:
    nvidia.says(H100, "process 0 self na")
    with Nvml() as nvml:
        assert nvml.process_bytes(GPU, os.getpid()) == Reason("nvml.process_hidden")


def test_a_container_sees_the_hosts_numbers(nvidia: Driver) -> None:
    nvidia.says(H100, f"process 0 {os.getpid() + 1} {GIB}")
    with Nvml() as nvml:
        assert nvml.process_bytes(GPU, os.getpid()) == Reason("nvml.process_hidden")


def test_a_virtual_gpu_lists_no_processes(nvidia: Driver) -> None:
    nvidia.says(H100, "error nvmlDeviceGetComputeRunningProcesses 3")
    with Nvml() as nvml:
        assert isinstance(nvml.memory(GPU), DeviceMemory)
        assert "virtual GPU" in str(nvml.process_bytes(GPU, 1))


def test_a_user_without_permission_for_processes_keeps_the_devices_figure(nvidia: Driver) -> None:
    nvidia.says(H100, "error nvmlDeviceGetComputeRunningProcesses 4")
    with Nvml() as nvml:
        assert isinstance(nvml.memory(GPU), DeviceMemory)
        assert reason(nvml.process_bytes(GPU, 1)).key == "nvml.no_permission"


def test_wide_records_of_the_first_535_drivers_are_told_by_their_content(nvidia: Driver) -> None:
    rows = [f"process 0 {4000 + number} {(number + 1) * MIB}" for number in range(4)]
    nvidia.says(H100, "wide", *rows, f"process 0 self {3 * GIB}")
    with Nvml() as nvml:
        assert nvml.process_bytes(GPU, os.getpid()) == 3 * GIB  # from the second version's list


@pytest.mark.parametrize("older", [("V2",)], indirect=True)
def test_wide_records_without_another_list_are_no_figure(older: Driver) -> None:
    older.says(H100, "wide", f"process 0 4000 {MIB}", f"process 0 self {3 * GIB}")
    with Nvml() as nvml:
        answer = nvml.process_bytes(GPU, os.getpid())
        assert reason(answer).key == "nvml.process_garbled"
        assert "update the driver" in str(answer)


@pytest.mark.parametrize("older", [("V3",)], indirect=True)
def test_a_driver_before_510_lists_processes_by_the_second_version(older: Driver) -> None:
    older.says(H100, f"process 0 self {GIB}")
    with Nvml() as nvml:
        assert nvml.process_bytes(GPU, os.getpid()) == GIB


@pytest.mark.parametrize("older", [("V3", "V2")], indirect=True)
def test_a_driver_before_450_lists_none(older: Driver) -> None:
    with Nvml() as nvml:
        assert reason(nvml.process_bytes(GPU, 1)).key == "nvml.old_driver"
        assert isinstance(nvml.memory(GPU), DeviceMemory)


# Sessions


@pytest.mark.parametrize(("code", "key"), [(15, "nvml.gpu_lost"), (999, "nvml.failed")])
def test_a_gpu_lost_after_twenty_samples(nvidia: Driver, code: int, key: str) -> None:
    nvidia.says(H100, f"error nvmlDeviceGetMemoryInfo_v2 {code} 20")
    with Nvml() as nvml:
        answers = [nvml.memory(GPU) for _ in range(22)]
    assert all(isinstance(answer, DeviceMemory) for answer in answers[:20])
    assert [reason(answer).key for answer in answers[20:]] == [key, key]


def test_fifty_sessions_are_balanced_and_handles_found_anew(nvidia: Driver) -> None:
    nvml = Nvml()
    for _ in range(50):
        with nvml:
            assert isinstance(nvml.memory(GPU), DeviceMemory)
    assert nvidia.sessions() == ["init", "shutdown"] * 50


def test_a_session_ended_by_another_library_is_opened_again(nvidia: Driver) -> None:
    import pynvml

    with Nvml() as nvml:
        assert isinstance(nvml.memory(GPU), DeviceMemory)
        pynvml.nvmlShutdown()
        assert isinstance(nvml.memory(GPU), DeviceMemory)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_opens_its_own_session(nvidia: Driver) -> None:
    code = f"""
import os
from optmem_gui.engine.nvml import Nvml
from optmem_gui.engine.nvml_records import DeviceMemory
with Nvml() as nvml:
    assert isinstance(nvml.memory({GPU!r}), DeviceMemory)
    child = os.fork()
    good = isinstance(nvml.memory({GPU!r}), DeviceMemory)
    if child == 0:
        nvml.close()
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert isinstance(nvml.memory({GPU!r}), DeviceMemory)
"""
    settings = {**environment(nvidia.script), "NVML_STANDIN_LOG": str(nvidia.log)}
    subprocess.run([sys.executable, "-c", code], check=True, env=settings)
    assert sorted(nvidia.sessions()) == ["init", "init", "shutdown", "shutdown"]


def test_the_deprecated_binding_with_bytes_and_a_warning_works_too(tmp_path: Path) -> None:
    """The package named pynvml installs the same module, warns at import and gives bytes."""
    (tmp_path / "pynvml.py").write_text(
        """
import warnings
warnings.warn("The pynvml package is deprecated.", FutureWarning)
class NVMLError(Exception): pass
def nvmlInit(): pass
def nvmlShutdown(): pass
def nvmlDeviceGetCount(): return 1
def nvmlDeviceGetHandleByIndex(index): return 7
def nvmlDeviceGetUUID(handle): return b"GPU-old"
def nvmlDeviceGetName(handle): return b"NVIDIA L4"
"""
    )
    code = "from optmem_gui.engine.nvml import Nvml; print(Nvml().devices())"
    settings = {**os.environ, "PYTHONPATH": str(tmp_path)}
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=settings
    )
    assert "NvmlDevice(uuid='GPU-old', name='NVIDIA L4', parent='')" in found.stdout


# Who else is there


def test_other_processes_are_listed_with_the_device(nvidia: Driver) -> None:
    there = (f"process 0 4321 {5 * GIB}", "program 4321 /usr/bin/python3", "process 0 99 na")
    nvidia.says(H100, *there, f"process 0 {os.getpid()} {GIB}")
    assert list_devices().gpus[0].others == (
        OtherProcess(99, "", None),
        OtherProcess(4321, "/usr/bin/python3", 5 * GIB),
    )


def test_processes_that_are_not_listed_say_why(nvidia: Driver) -> None:
    nvidia.says(H100, "error nvmlDeviceGetComputeRunningProcesses 4")
    assert reason(list_devices().gpus[0].others).key == "nvml.no_permission"
