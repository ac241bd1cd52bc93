"""Edits of the layout of a run over several GPUs: what a text becomes, and what a choice takes along."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from optmem_gui.core.errors import UserError
from optmem_gui.core.parallel import Parallel, read_stages
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.mesh import MOST_GPUS, check_stages, layer_count
from optmem_gui.core.units import GIB

if TYPE_CHECKING:
    from optmem_gui.core.parallel import Offload

PREFIX = "parallel."
SIZES = ("gpus", "tp", "pp", "cp", "ep", "replicas", "interleave")
"""Fields that are whole numbers."""

PARAMETERS_OFFLOAD = ("zero3", "fsdp1", "fsdp2", "hsdp")
OPTIMIZERS_OFFLOAD = ("zero1", "zero2", *PARAMETERS_OFFLOAD)
"""Engines that move parameters, and those that move optimizer state, to host memory."""

_WHOLE = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,9}")
_DECIMAL = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,3})?")


def parallel_text(parallel: Parallel, name: str) -> str:
    """The text of a field of the layout."""
    value = getattr(parallel, name)
    if name == "host_bytes":
        return "" if value is None else f"{value / GIB:g}"
    if name == "stages":
        return ", ".join(map(str, parallel.stages))
    return str(value)


def read_size(name: str) -> Callable[[Scenario, str], Scenario]:
    """How the text of one number of ranks is read."""

    def read(scenario: Scenario, text: str) -> Scenario:
        given = text.strip()
        if _WHOLE.fullmatch(given) is None or not 1 <= int(given.replace(",", "")) <= MOST_GPUS:
            raise UserError("shard.out_of_range", option=name, given=given or "''", high=MOST_GPUS)
        changed: dict[str, Any] = {name: int(given.replace(",", ""))}
        if changed.get("pp", scenario.parallel.pp) != scenario.parallel.pp:
            changed["stages"] = ()  # layers of so many stages as there were
        return replace(scenario, parallel=replace(scenario.parallel, **changed))

    return read


def read_host(scenario: Scenario, text: str) -> Scenario:
    """Host memory for each GPU, GiB; empty where it is not known."""
    given = text.strip()
    if given and _DECIMAL.fullmatch(given) is None:
        raise UserError("cli.size", option="host_memory", given=given)
    size = int(float(given) * GIB) if given else None
    return replace(scenario, parallel=replace(scenario.parallel, host_bytes=size))


def read_stage_layers(scenario: Scenario, text: str) -> Scenario:
    """Layers of every pipeline stage; empty where they are split evenly."""
    parallel = replace(scenario.parallel, stages=read_stages(text))
    if parallel.stages:
        check_stages(layer_count(scenario.model), parallel)
    return replace(scenario, parallel=parallel)


def with_shard(parallel: Parallel, shard: str) -> Parallel:
    """Another engine; what only the one before has is given up."""
    return replace(
        parallel,
        shard=shard,
        bucket_view=parallel.bucket_view and shard == "ddp",
        replicas=parallel.replicas if shard == "hsdp" else 1,
        offload=_offload(parallel.offload, shard),
    )


def _offload(offload: Offload, shard: str) -> Offload:
    if shard not in OPTIMIZERS_OFFLOAD:
        return "none"
    return "optimizer" if offload == "all" and shard not in PARAMETERS_OFFLOAD else offload
