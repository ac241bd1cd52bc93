"""Layouts of a run over several GPUs, as words and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from optmem_gui.core.parallel import Parallel

if TYPE_CHECKING:
    from optmem_gui.core.sharding.planner import PlannedLayout

DEGREES = ("tp", "pp", "cp", "ep")
"""What splits the model, in the order it is written."""


def layout_words(parallel: Parallel) -> str:
    """A layout in the short form that people write: ``fsdp2 dp8 tp4 pp2``; ``one GPU`` without any."""
    if parallel.gpus == 1:
        return "one GPU"
    sizes = {name: getattr(parallel, name) for name in DEGREES}
    split = [f"{name}{size}" for name, size in sizes.items() if size > 1]
    offload = [] if parallel.offload == "none" else [f"offload={parallel.offload}"]
    alone = (
        parallel.data_ranks * parallel.cp == 1
    )  # nothing is shared: what the engine is called says nothing
    shared = [] if alone else [parallel.shard, f"dp{parallel.data_ranks}"]
    return " ".join((*shared, *split, *offload))


def layout_document(layout: PlannedLayout) -> dict[str, Any]:
    """One planned layout for a script."""
    parallel = layout.parallel
    return {
        "gpus": parallel.gpus,
        "shard": parallel.shard,
        "dp": parallel.data_ranks,
        **{name: getattr(parallel, name) for name in DEGREES},
        "offload": parallel.offload,
        "peak": {"allocated": layout.peak_bytes, "phase": layout.peak_phase},
        "process": {"low": layout.process.low, "high": layout.process.high},
        "fits": layout.fits,
        "free": layout.free_bytes,
        "host_bytes": layout.host_bytes,
        "worst_rank": str(layout.worst),
    }
