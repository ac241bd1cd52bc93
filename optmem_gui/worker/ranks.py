"""One process of several that train together: the same steps, with the model split as torch itself splits it.

The processes find each other by a file and speak over the loopback (gloo) or NCCL, inside one machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch._C._distributed_c10d import FileStore
from torch.distributed.fsdp import fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer

from optmem_gui.core.errors import UserError
from optmem_gui.core.precision import PrecisionScheme
from optmem_gui.core.protocol import Result
from optmem_gui.core.requests import Rank
from optmem_gui.worker.buckets import Buckets, gathered
from optmem_gui.worker.build import build
from optmem_gui.worker.cpu_meter import every_thread_counted
from optmem_gui.worker.job import Job
from optmem_gui.worker.measure import Run
from optmem_gui.worker.transformer import Block
from optmem_gui.worker.update import Update, optimizer_class

SHARDS = ("ddp", "zero-redundancy", "fsdp2")
_PATIENCE = timedelta(seconds=120)
"""For the other processes to arrive; they import torch at the same time."""


class RankRun(Run):
    """The measurement of one rank; what it reports is what this rank holds."""

    def measure(self) -> Result:
        """Join the others, run the steps with them, leave.

        Raises:
            UserError: What was asked for is not measured on several ranks.
        """
        rank = self._rank
        if rank.shard not in SHARDS or self.request.shape is None:
            raise UserError("measure.ranks", shard=rank.shard, known=", ".join(SHARDS))
        backend = "gloo" if self.request.device == "cpu" else "nccl"
        store = FileStore(rank.store, rank.count)
        dist.init_process_group(
            backend, store=store, rank=rank.index, world_size=rank.count, timeout=_PATIENCE
        )
        try:
            with every_thread_counted() if backend == "gloo" else nullcontext():
                result = super().measure()
            dist.barrier()
        finally:
            dist.destroy_process_group()
        return result

    @property
    def _rank(self) -> Rank:
        if self.request.rank is None:
            raise AssertionError("a request for one of several ranks says which")
        return self.request.rank

    def _made(self, scheme: PrecisionScheme, device: torch.device) -> tuple[Job, Update]:
        job = build(self.request, scheme, device)
        module = job.module
        if module is None:
            raise AssertionError("a transformer is a module")
        if self._rank.shard == "fsdp2":
            for block in _blocks(module):
                fully_shard(block)
            fully_shard(module)
            parameters = tuple(module.parameters())
            job = replace(job, parameters=parameters, held=partial(gathered, module, parameters))
            return job, Update(self.request, scheme, job.trainable, device, names=job.trainable_names)
        buckets = Buckets(module, bucket_view=self._rank.bucket_view)
        job = replace(job, loss=buckets.loss, held=buckets.held)
        dealt = self._dealt if self._rank.shard == "zero-redundancy" else None
        return job, Update(self.request, scheme, job.trainable, device, dealt, names=job.trainable_names)

    def _dealt(self, parameters: Sequence[nn.Parameter]) -> torch.optim.Optimizer:
        factory = optimizer_class(self.request.optimizer)
        options: dict[str, Any] = {"lr": 1e-3, **dict(self.request.options)}
        return ZeroRedundancyOptimizer(list(parameters), factory, **options)


def _blocks(module: nn.Module) -> Iterator[nn.Module]:
    return (each for each in module.modules() if isinstance(each, Block))
