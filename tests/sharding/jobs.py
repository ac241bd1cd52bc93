"""Which engines meet which optimizers on how many processes, and what the program says to each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from optmem_gui.checkpoints.names import role_of
from optmem_gui.core.dtypes import F32
from optmem_gui.core.model import ModelRef, ModelSpec, ParameterTensor, Source, group_model
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.optimizers.rules_lowrank import SIDES
from optmem_gui.core.optimizers.state import constructor_keywords
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.scenario import Options, Scenario
from tests.sharding.job import Job
from tests.sharding.tiny import MODELS


@dataclass(frozen=True, slots=True)
class Case:
    """One run."""

    parallel: Parallel
    optimizer: str
    options: Options = ()
    precision: str = "fp32"
    model: str = "tiny"

    @property
    def name(self) -> str:
        """What a test calls it."""
        chosen = self.parallel
        extra = [f"{name}={value}" for name, value in self.options]
        extra += [f"tp{chosen.tp}"] * (chosen.tp > 1) + [f"x{chosen.replicas}"] * (chosen.replicas > 1)
        extra += ["view"] * chosen.bucket_view
        return "-".join((f"{chosen.gpus}", chosen.shard, self.optimizer, self.precision, *extra))

    @property
    def scenario(self) -> Scenario:
        """The same for the program."""
        return Scenario(
            model_of(self.model),
            optimizer=self.optimizer,
            options=self.options,
            precision=self.precision,
            target="cpu",
            parallel=self.parallel,
        )

    @property
    def job(self) -> Job:
        """The same for real processes."""
        implementation, chosen = find(self.optimizer), self.parallel
        return Job(
            name=self.name,
            ranks=chosen.gpus,
            engine=chosen.shard,
            optimizer=implementation.path,
            keywords=dict(constructor_keywords(implementation, self.options)),
            precision=self.precision,
            model=self.model,
            tp=chosen.tp,
            replicas=chosen.replicas,
            bucket_view=chosen.bucket_view,
            group=self._group(),
        )

    def _group(self) -> dict[str, Any]:
        """What stands beside the parameters in their group."""
        implementation = find(self.optimizer)
        if implementation.handing != "low_rank":
            return {}
        values = implementation.settings(self.options, "cpu").values
        return {
            "rank": values["rank"],
            "update_proj_gap": 200,
            "scale": 0.25,
            "alpha": 1.0,
            "scale_type": "channel",
            "proj": values.get("proj"),
            "proj_type": values.get("proj_type", "std"),
        }


@lru_cache
def model_of(name: str) -> ModelRef:
    """The model as the program sees it: from the names and shapes of its parameters."""
    module = MODELS[name]()
    rows = tuple(
        ParameterTensor(name, tuple(p.shape), F32, role_of(name, tuple(p.shape)))
        for name, p in module.named_parameters()
    )
    return group_model(ModelSpec(name, Source.FILE, rows))


ELEMENTWISE: tuple[tuple[str, Options], ...] = (
    ("torch.AdamW", ()),
    ("torch.SGD", (("momentum", 0.9),)),
    ("torch.AdamW", (("fused", True),)),
    ("torch.Adam", (("amsgrad", True),)),
    ("torch.Adagrad", ()),
    ("torch.RMSprop", ()),
)
WORLDS = (2, 4, 8)
_FEWER = {2: 6, 4: 3, 8: 2}
"""How many of them run on so many processes: the arithmetic is that of two."""


def cases() -> Iterator[Case]:
    """Every run whose states are compared, rank by rank."""
    for gpus in WORLDS:
        for optimizer, options in ELEMENTWISE[: _FEWER[gpus]]:
            for shard in ("zero-redundancy", "fsdp2", "fsdp1"):
                yield Case(Parallel(gpus=gpus, shard=shard), optimizer, options)
        for view in (False, True):
            for precision in ("fp32", "bf16"):
                yield Case(
                    Parallel(gpus=gpus, shard="ddp", bucket_view=view), "torch.AdamW", precision=precision
                )
        for shard in ("ddp", "zero-redundancy"):
            for optimizer in ("torch.Adafactor", "transformers.Adafactor"):
                yield Case(Parallel(gpus=gpus, shard=shard), optimizer)
            for optimizer in ("torch.Muon", "bitsandbytes.AdamW8bit"):
                yield Case(Parallel(gpus=gpus, shard=shard), optimizer, model="matrices")
        yield Case(Parallel(gpus=gpus, shard="fsdp1"), "bitsandbytes.AdamW8bit", model="matrices")
        yield Case(Parallel(gpus=gpus, shard="fsdp2"), "torch.Muon", model="matrices")
        yield Case(Parallel(gpus=gpus, shard="fsdp2"), "torch.AdamW", precision="bf16")
        yield Case(Parallel(gpus=gpus, shard="fsdp2"), "torch.AdamW", precision="amp-bf16")
        yield Case(Parallel(gpus=gpus, shard="fsdp2", tp=gpus), "torch.AdamW")
        yield from _matrix_optimizers(gpus)
        if gpus > 2:
            yield Case(Parallel(gpus=gpus, shard="fsdp2", tp=2), "torch.AdamW")
    for gpus, replicas in ((4, 2), (8, 2), (8, 4)):
        yield Case(Parallel(gpus=gpus, shard="hsdp", replicas=replicas), "torch.AdamW")


def _matrix_optimizers(gpus: int) -> Iterator[Case]:
    """Those that look at rows and columns, low-rank and quantized ones."""
    if gpus < 8:
        yield from _low_rank(gpus)
        for optimizer in QUANTIZED:
            yield Case(Parallel(gpus=gpus, shard="fsdp2"), optimizer, model="matrices")
    if gpus > 2:
        return
    rank: Options = (("rank", 16),)
    for optimizer, options in MATRIX_SHARDED:
        yield Case(Parallel(gpus=gpus, shard="fsdp2"), optimizer, options, model="matrices")
    for optimizer in MATRIX_DEALT:
        yield Case(Parallel(gpus=gpus, shard="zero-redundancy"), optimizer, model="matrices")
    for shard in ("ddp", "zero-redundancy"):
        yield Case(Parallel(gpus=gpus, shard=shard), "galore_torch.GaLoreAdamW", rank, model="matrices")


def _low_rank(gpus: int) -> Iterator[Case]:
    """Projectors of whole matrices beside moments of a rank's rows, or of all of them."""
    parallel = Parallel(gpus=gpus, shard="fsdp2")
    for side in SIDES:
        options: Options = (("rank", 5), ("proj_type", side))
        yield Case(parallel, "galore_torch.GaLoreAdamW", options, model="oblong")
        if side != "full":  # its step ends in an error there, on one process too
            yield Case(parallel, "fira.FiraAdamW", options, model="oblong")
    for precision in ("bf16", "amp-bf16"):
        yield Case(parallel, "galore_torch.GaLoreAdamW", (("rank", 5),), precision, "oblong")
        yield Case(parallel, "pytorch_optimizer.Conda", (), precision, "oblong")
    if gpus == 4:
        replicated = Parallel(gpus=4, shard="hsdp", replicas=2)
        yield Case(replicated, "galore_torch.GaLoreAdamW", (("rank", 5),), model="oblong")


MATRIX_SHARDED: tuple[tuple[str, Options], ...] = (
    ("muon.SingleDeviceMuon", ()),
    ("pytorch_optimizer.Adalite", ()),
    ("pytorch_optimizer.Adan", (("foreach", False),)),
)
"""Run on FSDP2's row shards: the state is that of a rank's rows."""

QUANTIZED = ("torchao.AdamW8bit", "torchao.AdamW4bit", "torchao.AdamWFp8")
"""Run on them beside fp32 parameters."""

MATRIX_DEALT = (
    "pytorch_optimizer.SOAP",
    "pytorch_optimizer.Shampoo",
    "pytorch_optimizer.CAME",
    "came_pytorch.CAME",
    "torchao.AdamW8bit",
)
"""Run on whole parameters, which ZeroRedundancyOptimizer deals out."""

SENT = ("ring attention", "tensor parallel")
"""What ranks of one micro-batch send each other."""


def sent_jobs() -> Iterator[Job]:
    """A run of each on two numbers of processes; nothing is optimized."""
    for engine in SENT:
        for ranks in (2, 4):
            yield Job(f"{ranks} {engine}", ranks, engine, "torch.optim.AdamW", {}, "fp32", "tiny")
    for along in (False, True):
        for ranks in (2, 4):
            name = layer_name(ranks, along=along)
            group = {"sequence_parallel": along}
            yield Job(name, ranks, "decoder layer", "torch.optim.AdamW", {}, "fp32", "tiny", group=group)


def layer_name(ranks: int, *, along: bool) -> str:
    """What a test calls a layer split by tensor parallelism, along tokens too or not."""
    return f"{ranks} decoder layer{' along tokens' * along}"


REFUSED = (
    ("fsdp2", "torch.Adafactor"),
    ("fsdp2", "transformers.Adafactor"),
    ("fsdp2", "bitsandbytes.AdamW8bit"),
    ("fsdp2", "madgrad.MirrorMADGRAD"),
    ("fsdp2", "came_pytorch.CAME"),
    ("fsdp2", "pytorch_optimizer.SOAP"),
    ("fsdp2", "pytorch_optimizer.Shampoo"),
    ("fsdp2", "pytorch_optimizer.Adan"),
    ("fsdp1", "torch.Muon"),
)
"""What an engine cannot run: the real step ends in an error on every rank."""


def refused() -> Iterator[Case]:
    """A run of each."""
    for shard, optimizer in REFUSED:
        yield Case(Parallel(gpus=2, shard=shard), optimizer, model="matrices")
    for optimizer in QUANTIZED:
        yield Case(Parallel(gpus=2, shard="fsdp2"), optimizer, precision="bf16", model="matrices")
