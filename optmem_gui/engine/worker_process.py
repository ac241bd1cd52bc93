"""Where the worker and the sampler come from, and what their exit means."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

from optmem_gui import paths
from optmem_gui.core.reasons import Reason
from optmem_gui.engine.child import Launch

_WORKER = "optmem_gui.worker"
_SAMPLER = "optmem_gui.engine.sampler"
_DROPPED = (
    "PYTHONHOME",
    "PYTHONSTARTUP",
    "PYTHONINSPECT",
    "PYTHONWARNINGS",
    "PYTHONEXECUTABLE",
    "__PYVENV_LAUNCHER__",
)


def worker_launch(python: str | None = None) -> Launch:
    """The worker under the user's Python, or under this one.

    Args:
        python: Python with torch in which the user trains. When left out, this program's own; a bundle
            takes its own torch or, where it has none, looks for a Python that has.

    Raises:
        UserError: A bundle without torch found no Python that has it.
    """
    if python is None and paths.bundle_dir() is not None:
        if paths.bundles_torch():
            return _launch(_bundled(_WORKER))
        from optmem_gui.engine.pythons import default_python  # noqa: PLC0415  # only a bundle looks for one

        python = default_python().path
    return _launch((python or sys.executable, "-u", "-m", _WORKER))


def sampler_launch(rate_hz: int) -> Launch:
    """The sampler, under this program's own Python: it needs nvidia-ml-py and psutil."""
    bundled = paths.bundle_dir() is not None
    program = _bundled(_SAMPLER) if bundled else (sys.executable, "-u", "-m", _SAMPLER)
    return _launch(program, "--rate", str(rate_hz))


def _bundled(module: str) -> tuple[str, ...]:
    """A module under the bundle's second program, which never loads Qt."""
    suffix = ".exe" if sys.platform == "win32" else ""
    return str(Path(sys.executable).parent / f"{paths.WORKER_PROGRAM}{suffix}"), module


def _launch(program: tuple[str, ...], *arguments: str) -> Launch:
    command = (*program, "--parent", str(os.getpid()), *arguments)
    return Launch(command, child_environment(os.environ), str(paths.import_root()))


def child_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What a child inherits: no Qt settings, no library path of a bundle, this package importable."""
    own = {*_DROPPED, *paths.LIBRARY_PATHS, *(f"{name}_ORIG" for name in paths.LIBRARY_PATHS)}
    kept = {
        name: value
        for name, value in environment.items()
        if not name.startswith(("QT_", "QML", "PYSIDE", "_MEIPASS", "_PYI")) and name not in own
    }
    kept |= paths.library_paths(environment)
    root = str(paths.import_root())
    kept["PYTHONPATH"] = os.pathsep.join(part for part in (root, kept.get("PYTHONPATH", "")) if part)
    kept["CUDA_DEVICE_ORDER"] = kept.get("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    kept["PYTHONIOENCODING"] = "utf-8"
    if paths.bundle_dir() is not None and sys.platform == "darwin":
        kept["PYTHONDONTWRITEBYTECODE"] = "1"  # a file written into a signed program breaks its seal
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
