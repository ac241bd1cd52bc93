"""The table of GPUs: ``resources/data/gpus.toml``, every total as somebody's driver reported it."""

from __future__ import annotations

from functools import cache
from typing import Any

import tomllib

from optmem_gui.core.errors import UserError
from optmem_gui.core.gpus import Gpu
from optmem_gui.paths import data_file

_NEAR = 4


@cache
def load_gpus() -> dict[str, Gpu]:
    """Every GPU by its id, in the order of the menus.

    The reserve is the largest one read on that GPU, because it differs by driver and machine and a
    verdict should hold on all of them; where none was read it is the median share of the table.
    """
    table = tomllib.loads(data_file("gpus.toml").read_text(encoding="utf-8"))
    share = float(table["median_reserve_share"])
    gpus = (_gpu(row, share) for row in table["gpu"])
    return {gpu.id: gpu for gpu in gpus}


def _gpu(row: dict[str, Any], share: float) -> Gpu:
    reserve = row.get("reserve_mib")
    return Gpu(
        id=row["id"],
        name=row["name"],
        nvml_name=row["nvml_name"],
        total_mib=row["total_mib"],
        reserve_mib=round(row["total_mib"] * share) if reserve is None else reserve,
        reserve_read=reserve is not None,
        architecture=row["architecture"],
        group=row["group"],
        source=row["source"],
        sm_count=row.get("sm_count"),
        sm_source=row.get("sm_source", ""),
    )


def find_gpu(given: str) -> Gpu:
    """Look a GPU up by id, by name or by the name its driver reports.

    Raises:
        UserError: No entry, or several memory sizes, go by that name; the nearest ids are listed.
    """
    gpus = load_gpus()
    wanted = _folded(given)
    if wanted in gpus:
        return gpus[wanted]
    named = [gpu for gpu in gpus.values() if wanted in _names(gpu)]
    if len(named) == 1:
        return named[0]
    near = [gpu.id for gpu in named] or _near(wanted, gpus)
    raise UserError("gpu.unknown", given=given, known=", ".join(near))


def match_gpu(name: str, total_mib: int) -> Gpu | None:
    """The entry of a device that is present, by the driver's name and its memory together.

    Args:
        name: As the driver, or CUDA, calls it; a name can stand for several sizes.
        total_mib: The driver's total, or CUDA's, which is less by the driver's reserve (up to 5 %).

    Returns:
        The entry with the nearest total; None when the table does not have this size.
    """
    wanted = _folded(name)
    sizes = [gpu for gpu in load_gpus().values() if wanted in _names(gpu)]
    near = [gpu for gpu in sizes if gpu.total_mib * 0.95 <= total_mib <= gpu.total_mib]
    return min(near, key=lambda gpu: gpu.total_mib - total_mib, default=None)


def _names(gpu: Gpu) -> set[str]:
    drivers = gpu.nvml_name.split(" / ")
    return {_folded(name) for name in (gpu.name, *drivers, *(d.removeprefix("NVIDIA ") for d in drivers))}


def _folded(name: str) -> str:
    return "-".join(name.casefold().split())


def _near(wanted: str, gpus: dict[str, Gpu]) -> list[str]:
    inside = [gpu_id for gpu_id in gpus if wanted and (wanted in gpu_id or gpu_id in wanted)]
    from difflib import get_close_matches  # noqa: PLC0415  # only a refusal needs it

    close = get_close_matches(wanted, gpus, n=_NEAR, cutoff=0.4)
    return list(dict.fromkeys((*inside, *close)))[:_NEAR] or ["rtx-4090", "a100-80gb", "h100-80gb", "b200"]
