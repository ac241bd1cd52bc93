"""The real worker under the engine: crashes, a parent that is killed, a Python without torch."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import threading
from pathlib import Path

import psutil
import pytest

from optmem_gui.core.requests import BareTensor, MeasureRequest
from optmem_gui.engine.measurement import Limits, Measurement, MeasurementResult
from tests.waiting import is_alive, until

REQUEST = MeasureRequest(
    "cpu",
    "torch.optim.SGD",
    tensors=(BareTensor((128, 32), "fp32"), BareTensor((7,), "fp32", count=3)),
    steps=2,
)
ELEMENTS = 128 * 32 + 3 * 7


def measure(request: MeasureRequest, python: str | None = None) -> MeasurementResult:
    return Measurement(python=python).run(request, lambda event: None)


def with_optimizer(name: str, **options: str) -> MeasureRequest:
    path = f"tests.engine.odd_optimizers.{name}"
    return dataclasses.replace(REQUEST, optimizer=path, options=tuple(options.items()))


def test_what_a_library_prints_does_not_disturb_the_messages() -> None:
    result = measure(with_optimizer("NoisySgd"))
    assert result.status == "done", result.detail
    assert result.result is not None
    assert result.result.steady.categories.weights == 4 * ELEMENTS


def test_a_crash_in_native_code_is_named() -> None:
    result = measure(with_optimizer("AbortingSgd"))
    assert result.status == "failed"
    assert "SIGABRT" in str(result.reason)
    assert "optimizer_step" in str(result.reason)


def test_an_allocation_that_cannot_succeed_is_a_result_with_the_bytes_asked() -> None:
    tensors = (BareTensor((8,), "fp32"), BareTensor((1 << 20, 1 << 30), "fp32"))
    result = measure(dataclasses.replace(REQUEST, tensors=tensors))
    assert result.status == "out_of_memory"
    assert result.reason is not None
    assert result.reason.values["asked_bytes"] == 4 << 50
    assert result.phases[-1].phase == "load"


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"optimizer": "torch.optim.NoSuch"}, "measure.no_optimizer"),
        ({"optimizer": "nosuchlibrary.Adam"}, "measure.no_library"),
        ({"options": (("momentum", -1.0),)}, "measure.optimizer_refused"),
        ({"options": (("nosuch", 1),)}, "measure.optimizer_refused"),
        ({"precision": "te-fp8"}, "measure.precision_not_in_torch"),
        ({"precision": "fp7"}, "precision.unknown"),
        ({"steps": 1}, "measure.too_few_steps"),
        ({"tensors": (BareTensor((4,), "fp32", trainable=False),)}, "measure.nothing_to_train"),
        ({"tensors": (BareTensor((4,), "fp6_e2m3"),)}, "measure.no_torch_dtype"),
        ({"device": "cuda:0"}, "measure.torch_without_cuda"),
    ],
)
def test_what_cannot_be_measured_is_refused_with_the_next_step(change: dict[str, object], key: str) -> None:
    if key == "measure.torch_without_cuda":
        torch = pytest.importorskip("torch")
        if torch.version.cuda is not None:
            pytest.skip("this torch is built for CUDA")
    result = measure(dataclasses.replace(REQUEST, **change))  # type: ignore[arg-type]  # values of a table of cases
    assert result.status == "failed"
    assert result.reason is not None
    assert result.reason.key == key
    assert str(result.reason)


def test_a_python_without_torch_says_what_to_install(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True)
    python = str(tmp_path / "bare" / "bin" / "python")
    result = measure(REQUEST, python)
    assert result.status == "failed"
    assert result.reason is not None
    assert result.reason.key == "measure.no_torch"
    assert python in str(result.reason)


def descendants(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's death signal is Linux's")
def test_nothing_survives_a_parent_that_is_killed_during_a_native_call(tmp_path: Path) -> None:
    """The worker holds the interpreter in native code: only the kernel can end it."""
    marker = tmp_path / "stuck"
    code = (
        "from tests.engine.test_real_worker import measure, with_optimizer;"
        f"measure(with_optimizer('StuckSgd', marker={str(marker)!r}))"
    )
    root = Path(__file__).resolve().parents[2]
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=root)
    try:
        assert until(lambda: is_stuck(marker))
        children = descendants(parent.pid)
        assert len(children) == 2  # worker and sampler
        assert int(marker.read_text()) in {child.pid for child in children}
    finally:
        parent.kill()
        parent.wait()
    assert until(lambda: not any(is_alive(child.pid) for child in children))


def is_stuck(marker: Path) -> bool:
    """The worker has said where it is, and is in native code from then on."""
    return marker.exists() and marker.read_text() != ""


def test_a_worker_that_is_stuck_in_native_code_can_be_cancelled(tmp_path: Path) -> None:
    marker = tmp_path / "stuck"
    measurement = Measurement(limits=Limits(patience_s=0.5))

    def cancel() -> None:
        assert until(lambda: is_stuck(marker))
        measurement.cancel()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    result = measurement.run(with_optimizer("StuckSgd", marker=str(marker)), lambda event: None)
    canceller.join()
    assert result.status == "cancelled"
    assert not is_alive(int(marker.read_text()))


def test_the_worker_runs_by_hand_and_answers_a_broken_request() -> None:
    command = [sys.executable, "-m", "optmem_gui.worker"]
    done = subprocess.run(command, input=b"not json\n", capture_output=True, check=False, env=os.environ)
    assert done.returncode == 1
    assert b'"key":"measure.bad_request"' in done.stdout
    done = subprocess.run(command, input=b'{"v":99}\n', capture_output=True, check=False, env=os.environ)
    assert b'"key":"measure.wrong_version"' in done.stdout
