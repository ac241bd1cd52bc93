"""Ways to fit: single changes to a scenario, with what each saves and what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from optmem_gui.core.breakdown import Fit
from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Lora, Scenario
from optmem_gui.core.sharding.mesh import MOST_GPUS

_LOW_PRECISION = {"fp32": "amp-bf16", "amp-bf16": "bf16-autocast", "amp-fp16": "bf16-autocast"}

_SHARES_MORE = {"ddp": "fsdp2", "zero-redundancy": "fsdp2", "zero1": "zero2", "zero2": "zero3"}
"""The engine that shares more among the same ranks."""


@dataclass(frozen=True, slots=True)
class Way:
    """One change.

    Attributes:
        id: What is changed.
        changes: Fields of the scenario and their new values.
        cost: What is paid for it.
        saved_bytes: How much lower the peak is.
        peak_bytes: The peak with it.
        fit: The verdict with it; None without a GPU.
    """

    id: str
    changes: tuple[tuple[str, Any], ...]
    cost: Reason
    saved_bytes: int
    peak_bytes: int
    fit: Fit | None

    def applied(self, scenario: Scenario) -> Scenario:
        """The scenario with the change."""
        return replace(scenario, **dict(self.changes))


def ways_to_fit(scenario: Scenario, gpu: Gpu | None) -> tuple[Way, ...]:
    """Every single change that lowers the peak, the one that saves most first.

    Raises:
        UserError: The scenario itself is impossible.
    """
    now = compute(scenario, gpu).peak_bytes
    found = []
    for way, changes in _candidates(scenario):
        try:
            then = compute(replace(scenario, **changes), gpu)
        except UserError:  # this change does not go together with the rest of the scenario
            continue
        if then.peak_bytes < now:
            saved = now - then.peak_bytes
            cost = Reason(f"way.{way}")
            found.append(Way(way, tuple(changes.items()), cost, saved, then.peak_bytes, then.fit))
    return tuple(sorted(found, key=lambda each: -each.saved_bytes))


def _candidates(scenario: Scenario) -> Iterator[tuple[str, dict[str, Any]]]:
    if scenario.batch is not None and scenario.is_sized:
        yield from _of_activations(scenario, scenario.batch)
    if scenario.precision in _LOW_PRECISION:
        yield "precision", {"precision": _LOW_PRECISION[scenario.precision]}
    if not scenario.set_to_none:
        yield "set_to_none", {"set_to_none": True}
    if scenario.optimizer == "torch.AdamW" and "bitsandbytes.AdamW8bit" in CATALOGUE:
        yield "eight_bit", {"optimizer": "bitsandbytes.AdamW8bit", "options": ()}
    if scenario.optimizer.startswith("torch.") and not scenario.option("fused"):
        options = dict(scenario.options)
        options.pop("foreach", None)
        yield "fused", {"options": tuple(sorted((options | {"fused": True}).items()))}
    if scenario.lora is None:
        yield "lora", {"lora": Lora(rank=16)}
    elif scenario.lora.base_dtype not in ("nf4", "nf4-dq"):
        yield "nf4", {"lora": replace(scenario.lora, base_dtype="nf4")}
    if scenario.parallel.gpus > 1:
        for way, parallel in _of_layout(scenario.parallel):
            yield way, {"parallel": parallel}


def _of_layout(parallel: Parallel) -> Iterator[tuple[str, Parallel]]:
    further = _SHARES_MORE.get(parallel.shard)
    if further is not None:
        yield "shard_more", replace(parallel, shard=further, bucket_view=False)
    if 2 * parallel.gpus <= MOST_GPUS and parallel.shard != "ddp":
        yield "more_gpus", replace(parallel, gpus=2 * parallel.gpus)
    if parallel.offload == "none":
        yield "offload_optimizer", replace(parallel, offload="optimizer")
    if parallel.offload != "all":
        yield "offload_all", replace(parallel, offload="all")
    if parallel.tp > 1 and not parallel.sequence_parallel:
        yield "sequence_parallel", replace(parallel, sequence_parallel=True)
    if parallel.shard == "ddp" and not parallel.bucket_view:
        yield "bucket_view", replace(parallel, bucket_view=True)


def _of_activations(scenario: Scenario, batch: int) -> Iterator[tuple[str, dict[str, Any]]]:
    if batch > 1:
        accumulate = scenario.accumulate * batch
        yield "micro_batch", {"batch": 1, "accumulate": accumulate}
    if scenario.checkpointing != "full":
        yield "checkpointing", {"checkpointing": "full"}
    if scenario.loss != "chunked":
        yield "loss", {"loss": "chunked"}
    if scenario.keep_logits:
        yield "keep_logits", {"keep_logits": False}
    if scenario.attention in ("eager", "math"):
        yield "attention", {"attention": "auto"}
