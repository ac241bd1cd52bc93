"""How several GPUs share one training run, as the user chose it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from optmem_gui.core.errors import UserError

Offload = Literal["none", "optimizer", "all"]

SHARD_IDS = (
    "ddp",
    "zero1",
    "zero2",
    "zero3",
    "fsdp1",
    "fsdp2",
    "hsdp",
    "zero-redundancy",
    "megatron",
)
"""Every way in which data-parallel ranks share what they hold, in the order it is offered."""

SHARD_NAMES: Mapping[str, str] = {
    "ddp": "DDP",
    "zero1": "ZeRO-1 (DeepSpeed)",
    "zero2": "ZeRO-2 (DeepSpeed)",
    "zero3": "ZeRO-3 (DeepSpeed)",
    "fsdp1": "FSDP1",
    "fsdp2": "FSDP2",
    "hsdp": "HSDP",
    "zero-redundancy": "ZeroRedundancyOptimizer",
    "megatron": "Megatron-LM",
}
"""Names of the engines, the same in every language."""


@dataclass(frozen=True, slots=True)
class Parallel:
    """The layout of a run over several GPUs.

    Attributes:
        gpus: Ranks in all, one a GPU.
        shard: One of :data:`SHARD_IDS`: what data-parallel ranks share.
        tp: Ranks that split every matrix (tensor parallel).
        pp: Ranks that split the layers (pipeline parallel).
        ep: Ranks that split the experts of a mixture of experts.
        cp: Ranks that split the sequence (context parallel).
        replicas: Groups of ranks that each hold all shards (HSDP).
        interleave: Chunks of layers a pipeline rank holds (interleaved schedule).
        stages: Layers of every pipeline stage, first to last; empty where they are split evenly.
        sequence_parallel: With tensor parallelism, norms and dropout work on a part of the sequence.
        bucket_view: DDP's ``gradient_as_bucket_view``: gradients live in the buckets.
        offload: What lives in host memory: the optimizer's part, or the parameters too.
        reshard: Parameters are freed after a layer's forward and gathered again in backward (FSDP).
        fp32_reduce: Gradients are reduced in fp32 whatever type they are made in (FSDP's ``reduce_dtype``).
        bucket_elements: Elements of DeepSpeed's ``reduce_bucket_size``.
        live_elements: DeepSpeed's ``stage3_max_live_parameters``.
        host_bytes: Host memory of one machine for each of its ranks, None where it is not known.
    """

    gpus: int = 1
    shard: str = "ddp"
    tp: int = 1
    pp: int = 1
    ep: int = 1
    cp: int = 1
    replicas: int = 1
    interleave: int = 1
    stages: tuple[int, ...] = ()
    sequence_parallel: bool = False
    bucket_view: bool = False
    offload: Offload = "none"
    reshard: bool = True
    fp32_reduce: bool = True
    bucket_elements: int = 500_000_000
    live_elements: int = 1_000_000_000
    host_bytes: int | None = None

    @property
    def data_ranks(self) -> int:
        """Ranks that see different data."""
        return max(1, self.gpus // (self.tp * self.pp * self.cp))

    @property
    def shard_ranks(self) -> int:
        """Ranks among which dense parameters are shared: data and context ranks of one replica group."""
        return max(1, self.data_ranks * self.cp // self.replicas)

    @property
    def expert_ranks(self) -> int:
        """Ranks among which one expert is shared."""
        return max(1, self.data_ranks * self.cp // (self.ep * self.replicas))


_STAGES = re.compile(r"\d{1,6}(?:\s*[,;\s]\s*\d{1,6})*")


def read_stages(text: str) -> tuple[int, ...]:
    """Layers of every pipeline stage, as they are typed: ``10,11,11``; none where nothing is.

    Raises:
        UserError: It is no list of whole numbers.
    """
    given = text.strip()
    if not given:
        return ()
    if not given.isascii() or _STAGES.fullmatch(given) is None:
        raise UserError("shard.stages_text", given=given)
    return tuple(map(int, re.findall(r"\d+", given)))


ONE_GPU = Parallel()
"""No parallelism at all."""
