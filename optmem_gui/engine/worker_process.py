"""Where the worker and the sampler come from, and what their exit means."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

import optmem_gui
from optmem_gui.core.reasons import Reason
from optmem_gui.engine.child import Launch

_ROOT = str(Path(optmem_gui.__file__).resolve().parent.parent)
_WORKER = "optmem_gui.worker"
_SAMPLER = "optmem_gui.engine.sampler"
_DROPPED = ("PYTHONHOME", "PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONWARNINGS", "PYTHONEXECUTABLE")


def worker_launch(python: str | None = None) -> Launch:
    """The worker under the user's Python, or under this one.

    Args:
        python: Python with torch in which the user trains; this program's own when left out.
    """
    return _launch(python or sys.executable, _WORKER)


def sampler_launch(rate_hz: int) -> Launch:
    """The sampler, under this program's own Python: it needs nvidia-ml-py and psutil."""
    return _launch(sys.executable, _SAMPLER, "--rate", str(rate_hz))


def _launch(python: str, module: str, *arguments: str) -> Launch:
    command = (python, "-u", "-m", module, "--parent", str(os.getpid()), *arguments)
    return Launch(command, child_environment(os.environ), _ROOT)


def child_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What a child inherits: no Qt settings, no library path of a bundle, this package importable.

    A bundle's loader puts its own libraries in front and keeps the user's path under ``..._ORIG``
    (PyInstaller manual, "LD_LIBRARY_PATH / LIBPATH considerations"); a CUDA library beside the bundle's
    must not reach the user's torch.
    """
    kept = {
        name: value
        for name, value in environment.items()
        if not name.startswith(("QT_", "QML", "PYSIDE", "_MEIPASS", "_PYI")) and name not in _DROPPED
    }
    for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LIBPATH"):
        original = kept.pop(f"{name}_ORIG", None)
        if original is not None:
            kept[name] = original
        elif getattr(sys, "frozen", False):
            kept.pop(name, None)
    kept["PYTHONPATH"] = os.pathsep.join(part for part in (_ROOT, kept.get("PYTHONPATH", "")) if part)
    kept["CUDA_DEVICE_ORDER"] = kept.get("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    kept["PYTHONIOENCODING"] = "utf-8"
    return kept


def explain_exit(returncode: int, phase: str, action: str = "measure") -> Reason:
    """Why a worker that said nothing more ended.

    Args:
        returncode: Exit status, negative for a signal, an NTSTATUS on Windows.
        phase: Where it was.
        action: What it was doing, ``measure`` or ``simulate``: the area of the texts.
    """
    if returncode < 0:
        name = _signal_name(-returncode)
        how = "killed" if name in ("SIGKILL", "SIGTERM") else "crashed"
        return Reason(f"{action}.{how}", {"signal": name, "phase": phase})
    if returncode >= 0xC0000000:
        return Reason(f"{action}.crashed", {"signal": f"0x{returncode:08X}", "phase": phase})
    return Reason(f"{action}.exited", {"status": returncode, "phase": phase})


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
