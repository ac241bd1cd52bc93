"""What was calibrated on the user's GPUs, in a file beside the settings."""

from __future__ import annotations

import json
import logging
from pathlib import Path

from optmem_gui.core.calibration import Calibration
from optmem_gui.core.codec import CodecError, from_json, to_json
from optmem_gui.core.errors import UserError
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.reasons import Reason
from optmem_gui.engine.calibration import calibrated
from optmem_gui.engine.gpu_table import load_gpus
from optmem_gui.paths import CALIBRATIONS_FILE, settings_dir
from optmem_gui.report.files import set_aside, write_whole

_log = logging.getLogger(__name__)

_VERSION = 1
_LARGEST_BYTES = 1 << 20


def load_calibrations(path: Path) -> tuple[tuple[Calibration, ...], Reason | None]:
    """Read the file.

    Returns:
        The calibrations, the latest last, and what to say about a file that cannot be used: one that is
        damaged is set aside.
    """
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            raise CodecError(f"larger than {_LARGEST_BYTES} bytes")
        return _entries(json.loads(path.read_text(encoding="utf-8"))), None
    except (FileNotFoundError, NotADirectoryError):
        return (), None
    except (ValueError, RecursionError) as error:
        return (), _set_aside(path, str(error).splitlines()[0])
    except OSError as error:
        return (), Reason("calibrate.file_unreadable", {"path": str(path), "why": error.strerror or "?"})


def _entries(data: object) -> tuple[Calibration, ...]:
    if not isinstance(data, dict) or data.get("version") != _VERSION:
        raise CodecError("not a file of this version")
    rows = data.get("calibrations")
    if not isinstance(rows, list):
        raise CodecError("$.calibrations: expected a list")
    entries = tuple(from_json(Calibration, row, f"$.calibrations[{at}]") for at, row in enumerate(rows))
    for entry in entries:
        if not 0 <= entry.low_bytes <= entry.high_bytes <= entry.total_bytes:
            raise CodecError(f"{entry.uuid}: sizes that no GPU has")
    return entries


def _set_aside(path: Path, why: str) -> Reason:
    aside = set_aside(path)
    if aside is None:
        return Reason("calibrate.file_unreadable", {"path": str(path), "why": why})
    return Reason("calibrate.file_damaged", {"path": str(path), "why": why, "aside": str(aside)})


def remember(path: Path, found: Calibration) -> Calibration:
    """Add what one run found to what is known of the same GPU, driver and torch.

    Returns:
        What is known now.

    Raises:
        UserError: The file cannot be written.
    """
    known, _ = load_calibrations(path)
    before = next((one for one in known if one.key == found.key), None)
    after = found if before is None else before.with_run(found)
    _save(path, (*(one for one in known if one.key != found.key), after))
    return after


def forget(path: Path, uuid: str) -> None:
    """Forget what was calibrated on one GPU, with every driver and torch.

    Raises:
        UserError: The file cannot be written.
    """
    known, _ = load_calibrations(path)
    _save(path, tuple(one for one in known if one.uuid != uuid))


def _save(path: Path, entries: tuple[Calibration, ...]) -> None:
    document = {"version": _VERSION, "calibrations": [to_json(entry) for entry in entries]}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or str(error)
        raise UserError("output.not_written", path=str(path), why=why) from error
    write_whole(path, json.dumps(document, indent=1) + "\n")


def calibrations_file() -> Path:
    """Where the command line and the window look."""
    return settings_dir() / CALIBRATIONS_FILE


def calibrated_gpus(torch: str = "") -> dict[str, Gpu]:
    """The table of GPUs with what was measured on those that were.

    Args:
        torch: Version of the torch that will train, ``major.minor``, where it is known.
    """
    known, problem = load_calibrations(calibrations_file())
    if problem is not None:
        _log.warning("%s", problem)
    return calibrated(load_gpus().values(), known, torch)


def calibrated_gpu(gpu: Gpu, torch: str = "") -> Gpu:
    """One GPU of the table with what was measured on one of its kind.

    Args:
        gpu: The GPU.
        torch: As for :func:`calibrated_gpus`.
    """
    return calibrated_gpus(torch)[gpu.id]
