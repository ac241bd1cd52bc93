"""A GPU that cannot be used says why: with a torch that fails as each kind of machine makes it fail."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from optmem_gui.core.errors import UserError
from optmem_gui.core.requests import BareTensor, MeasureRequest
from optmem_gui.worker import device as module
from optmem_gui.worker.device import hello, open_device
from optmem_gui.worker.failures import explain
from optmem_gui.worker.measure import Run

UUIDS = ("11111111-aaaa-bbbb-cccc-000000000001", "22222222-aaaa-bbbb-cccc-000000000002")


class FakeCuda:
    """``torch.cuda`` of a machine with two GPUs, one of which fails as told."""

    def __init__(self, problem: Exception | None = None) -> None:
        self.problem = problem
        self.available = True
        self.chosen: Any = None

    def is_available(self) -> bool:
        return self.available

    def init(self) -> None:
        raise RuntimeError("The NVIDIA driver on your system is too old (found version 11040).\nMore.")

    @staticmethod
    def device_count() -> int:
        return len(UUIDS)

    def set_device(self, device: Any) -> None:
        self.chosen = device

    @staticmethod
    def get_device_capability(_device: Any) -> tuple[int, int]:
        return (12, 0)

    @staticmethod
    def get_device_name(_device: Any) -> str:
        return "NVIDIA L4"

    @staticmethod
    def get_device_properties(index: Any) -> SimpleNamespace:
        number = index if isinstance(index, int) else index.index
        return SimpleNamespace(
            uuid=UUIDS[number],
            name="NVIDIA L4",
            total_memory=24 << 30,
            major=8,
            minor=9,
            multi_processor_count=58,
            max_threads_per_multi_processor=1536,
        )

    def ones(self, *_arguments: Any, **_named: Any) -> torch.Tensor:
        if self.problem is not None:
            raise self.problem
        return torch.ones(8)


@pytest.fixture
def gpus(monkeypatch: pytest.MonkeyPatch) -> Callable[..., FakeCuda]:
    """Put a machine with GPUs in the place of this one."""
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)

    def make(problem: Exception | None = None, cuda: str | None = "12.6") -> FakeCuda:
        made = FakeCuda(problem)
        fake = SimpleNamespace(
            cuda=made,
            ones=made.ones,
            device=torch.device,
            version=SimpleNamespace(cuda=cuda, hip=None),
            __version__="2.13.0+cu126",
        )
        monkeypatch.setattr(module, "torch", fake)
        return made

    return make


def refusal(text: str) -> UserError:
    with pytest.raises(UserError) as caught:
        open_device(text)
    return caught.value


def test_a_gpu_is_found_by_the_drivers_uuid(gpus: Callable[..., FakeCuda]) -> None:
    gpus()
    assert open_device(f"GPU-{UUIDS[1]}") == torch.device("cuda", 1)
    said = hello(torch.device("cuda", 1))
    assert said.uuid == f"GPU-{UUIDS[1]}"
    assert (said.architecture, said.sm_count, said.threads_per_sm) == ("sm_89", 58, 1536)


def test_a_slice_is_chosen_by_the_environment(
    gpus: Callable[..., FakeCuda], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = gpus()
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "MIG-before")
    device = open_device("MIG-cccc0000-0002")
    assert device == made.chosen == torch.device("cuda", 0)
    assert hello(device).uuid == "MIG-cccc0000-0002"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "CUDA error: no kernel image is available for execution on the device\nCompile with ...",
            ("sm_120", "2.13.0+cu126", "install a build"),
        ),
        ("CUDA error: all CUDA-capable devices are busy or unavailable", ("exclusive mode", "NVIDIA L4")),
    ],
)
def test_a_gpu_that_fails_at_its_first_kernel_says_why(
    gpus: Callable[..., FakeCuda], text: str, words: tuple[str, ...]
) -> None:
    gpus(RuntimeError(text))
    said = str(refusal("cuda:0"))
    assert all(word in said for word in words), said


def test_a_torch_for_the_cpu_only_is_named(gpus: Callable[..., FakeCuda]) -> None:
    gpus(cuda=None)
    assert "CPU build" in str(refusal("cuda:0"))


def test_a_driver_that_is_too_old_for_torch_is_named(gpus: Callable[..., FakeCuda]) -> None:
    gpus().available = False
    said = str(refusal("cuda:0"))
    assert "driver on your system is too old" in said
    assert "update the driver" in said


@pytest.mark.parametrize("visible", ["", "-1"])
def test_a_hidden_gpu_is_named_with_what_hides_it(
    gpus: Callable[..., FakeCuda], monkeypatch: pytest.MonkeyPatch, visible: str
) -> None:
    gpus().available = False
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert f"CUDA_VISIBLE_DEVICES={visible} hides" in str(refusal("cuda:0"))


def test_a_gpu_that_torch_does_not_see_without_an_error_is_said(
    gpus: Callable[..., FakeCuda], monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = gpus()
    fake.available = False
    assert refusal("cuda:0").code == "measure.no_cuda"
    monkeypatch.setattr(fake, "init", lambda: None)
    assert refusal("cuda:0").code == "measure.sees_no_gpu"


def test_a_number_or_uuid_that_does_not_exist_is_named(gpus: Callable[..., FakeCuda]) -> None:
    gpus()
    assert "cuda:7" in str(refusal("cuda:7"))
    assert "GPU-ffff" in str(refusal("GPU-ffff"))


@pytest.mark.parametrize(
    ("text", "code", "key"),
    [
        (
            "CUDA error: device-side assert triggered\nCUDA kernel errors ...",
            "gpu_lost",
            "measure.gpu_failed",
        ),
        ("CUDA error: an illegal memory access was encountered", "gpu_lost", "measure.gpu_failed"),
        ("CUDA error: unspecified launch failure", "gpu_lost", "measure.gpu_failed"),
        ("CUDA error: out of memory\nCUDA kernel errors ...", "out_of_memory", "measure.no_room_to_start"),
        ("mat1 and mat2 shapes cannot be multiplied", "error", "measure.step_failed"),
    ],
)
def test_what_torch_raises_becomes_a_sentence(text: str, code: str, key: str) -> None:
    failed = explain(RuntimeError(text), 2, "backward", "cuda:0")
    assert (failed.code, failed.key, failed.step, failed.phase) == (code, key, 2, "backward")
    assert text.splitlines()[0] in str(failed.reason)
    assert "kernel errors" not in str(failed.reason)


@pytest.mark.parametrize("sticky", [False, True])
def test_out_of_memory_tells_what_was_asked_and_what_was_free(
    monkeypatch: pytest.MonkeyPatch, *, sticky: bool
) -> None:
    def free() -> tuple[int, int]:
        if sticky:
            raise RuntimeError("CUDA error: device-side assert triggered")
        return 1 << 30, 24 << 30

    monkeypatch.setattr(torch.cuda, "mem_get_info", free)
    text = "CUDA out of memory. Tried to allocate 3.00 GiB. GPU 0 has a total capacity of 23.64 GiB"
    failed = explain(torch.OutOfMemoryError(text), 1, "forward", "cuda:0")
    assert failed.code == "out_of_memory"
    assert failed.values["asked_bytes"] == 3 << 30
    assert failed.values["free_bytes"] == (0 if sticky else 1 << 30)


def test_no_host_memory_left_is_a_result_too() -> None:
    failed = explain(MemoryError(), 1, "load", "cuda:0")
    assert (failed.code, failed.key) == ("out_of_memory", "measure.out_of_host_memory")


def test_a_torch_that_is_too_old_is_named_before_anything_is_allocated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch, "__version__", "2.4.1+cu121")
    said: list[object] = []
    with pytest.raises(UserError, match=r"torch 2\.4\.1\+cu121 is older than 2\.5; update torch"):
        Run(
            MeasureRequest("cpu", "torch.optim.SGD", tensors=(BareTensor((4,), "fp32"),)), said.append
        ).measure()
    assert said == []
