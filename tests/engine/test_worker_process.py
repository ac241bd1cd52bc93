from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from optmem_gui.engine.worker_process import child_environment, explain_exit, worker_launch


def test_a_child_gets_no_qt_and_no_library_path_of_a_bundle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "_MEIPASS", "/bundle", raising=False)
    given = {
        "QT_PLUGIN_PATH": "/bundle/plugins",
        "QML2_IMPORT_PATH": "/bundle/qml",
        "LD_LIBRARY_PATH": "/bundle",
        "PYTHONHOME": "/bundle",
        "_MEIPASS2": "/bundle",
        "HOME": "/home/someone",
        "CUDA_VISIBLE_DEVICES": "1",
    }
    kept = child_environment(given)
    assert kept["HOME"] == "/home/someone"
    assert kept["CUDA_VISIBLE_DEVICES"] == "1"
    assert kept.pop("PYTHONPATH") == str(Path("/bundle/worker_files"))
    assert not [name for name, value in kept.items() if "/bundle" in value]


def test_the_users_own_library_path_comes_back() -> None:
    given = {"LD_LIBRARY_PATH": "/bundle", "LD_LIBRARY_PATH_ORIG": "/usr/local/cuda/lib64"}
    kept = child_environment(given)
    assert kept["LD_LIBRARY_PATH"] == "/usr/local/cuda/lib64"
    assert "LD_LIBRARY_PATH_ORIG" not in kept


def test_what_the_user_had_stays_when_the_loader_has_been_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "_MEIPASS", "/bundle", raising=False)
    assert child_environment({"LD_LIBRARY_PATH": "/opt/mine"})["LD_LIBRARY_PATH"] == "/opt/mine"
    mixed = child_environment({"LD_LIBRARY_PATH": f"/bundle{os.pathsep}/opt/mine"})
    assert mixed["LD_LIBRARY_PATH"] == "/opt/mine"


def test_from_source_the_library_path_is_the_users_own() -> None:
    assert child_environment({"LD_LIBRARY_PATH": "/opt/cuda"})["LD_LIBRARY_PATH"] == "/opt/cuda"


def test_the_package_is_importable_in_front_of_the_users_path() -> None:
    root, *rest = child_environment({"PYTHONPATH": "/mine"})["PYTHONPATH"].split(os.pathsep)
    assert os.path.isdir(os.path.join(root, "optmem_gui", "worker"))  # noqa: PTH112, PTH118  # plain check
    assert rest == ["/mine"]


def test_the_users_python_is_the_one_that_starts() -> None:
    assert worker_launch("/opt/train/bin/python").command[0] == "/opt/train/bin/python"
    assert worker_launch().command[0] == sys.executable


@pytest.mark.parametrize(
    ("returncode", "key", "words"),
    [
        (-9, "measure.killed", "SIGKILL"),
        (-15, "measure.killed", "SIGTERM"),
        (-11, "measure.crashed", "SIGSEGV"),
        (-6, "measure.crashed", "SIGABRT"),
        (-99, "measure.crashed", "signal 99"),
        (0xC0000005, "measure.crashed", "0xC0000005"),  # access violation under Windows
        (3, "measure.exited", "status 3"),
    ],
)
def test_an_exit_is_explained(returncode: int, key: str, words: str) -> None:
    reason = explain_exit(returncode, "backward")
    assert reason.key == key
    assert words in str(reason)
    assert "backward" in str(reason)


def test_the_worker_imports_only_what_every_python_has() -> None:
    """It runs where the user trains: torch and its requirements, and this package's own lower layers."""
    absent = ["PySide6", "shiboken6", "pyqtgraph", "psutil", "pynvml", "msgspec", "platformdirs"]
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({absent}));"  # an import of one of these fails
        "import optmem_gui.worker.__main__, optmem_gui.worker.measure, optmem_gui.worker.failures;"
        "print('\\n'.join(sorted(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=child_environment({})
    )
    loaded = set(done.stdout.split())
    assert "torch" in loaded
    own = {name.split(".")[1] for name in loaded if name.startswith("optmem_gui.")}
    assert own <= {"core", "allocator", "worker"}


def test_the_engine_imports_no_torch_and_no_qt() -> None:
    code = (
        "import sys, optmem_gui.engine.measurement, optmem_gui.engine.devices;"
        "print('\\n'.join(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"torch", "PySide6", "pynvml", "numpy"}
