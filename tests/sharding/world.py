"""Runs engines on several processes of this machine and says what every rank holds.

``python -m tests.sharding.world`` reads jobs as JSON from its standard input, imports the libraries once,
forks so many ranks for every number asked for, and writes what they found as JSON.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import torch
import torch._dynamo
import torch.distributed as dist
from torch import nn
from torch._C._distributed_c10d import FileStore
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecisionPolicy, fully_shard
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.distributed.tensor import DTensor, Replicate
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

from tests.sharding.job import Job
from tests.sharding.sent import Saved, Sent, decoder_layer, ring_attention, tensor_parallel
from tests.sharding.tiny import MODELS, VOCAB, Layer

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}
DDP_STEPS = 2
"""DDP lays its buckets out anew after the first backward."""


@dataclass(frozen=True, slots=True)
class Found:
    """What one rank holds after its last backward and step, bytes.

    Attributes:
        weights: Parameters that the optimizer sees, without padding.
        weights_stored: Storage they live in.
        gradients: Their gradients, without padding.
        gradients_stored: Storage they live in.
        state: Optimizer state.
        buckets: DDP's buckets.
        kinds: Local shapes of state tensors, for a message.
    """

    weights: int
    weights_stored: int
    gradients: int
    gradients_stored: int
    state: int
    buckets: int
    kinds: list[str]


def main() -> None:
    """Read jobs, run them, write what was found."""
    jobs = [Job(**job) for job in json.load(sys.stdin)]
    for module in {job.optimizer.rpartition(".")[0] for job in jobs}:
        importlib.import_module(module)
    torch.set_num_threads(1)
    # traced as ever; what is kept does not depend on code generated from that, which takes minutes
    torch.compile = partial(torch.compile, backend="eager")
    found: dict[str, list[dict[str, Any]]] = {}
    for ranks in sorted({job.ranks for job in jobs}):
        mine = [job for job in jobs if job.ranks == ranks]
        found.update(zip((job.name for job in mine), _world(ranks, mine), strict=True))
    json.dump(found, sys.stdout)


def _world(ranks: int, jobs: list[Job]) -> Iterator[list[dict[str, Any]]]:
    with tempfile.TemporaryDirectory() as folder:
        children = []
        for rank in range(ranks):
            child = os.fork()
            if child == 0:
                _child(rank, ranks, jobs, Path(folder))
            children.append(child)
        codes = [os.waitpid(child, 0)[1] for child in children]
        if any(codes):
            raise SystemExit(f"{ranks} ranks: exit codes {codes}")
        answers = [json.loads((Path(folder) / f"{rank}.json").read_text()) for rank in range(ranks)]
    for index in range(len(jobs)):
        yield [answer[index] for answer in answers]


def _child(rank: int, ranks: int, jobs: Iterable[Job], folder: Path) -> None:
    code = 1
    try:
        warnings.simplefilter("ignore")  # of torch, in a process of its own
        store = FileStore(str(folder / "store"), ranks)
        dist.init_process_group(
            "gloo", store=store, rank=rank, world_size=ranks, timeout=timedelta(seconds=600)
        )
        found = [_answer(job) for job in jobs]
        (folder / f"{rank}.json").write_text(json.dumps(found))
        dist.barrier()
        dist.destroy_process_group()
        code = 0
    except BaseException:  # noqa: BLE001  # a rank must leave with its trace, not with the parent's code
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _answer(job: Job) -> dict[str, Any]:
    """What was found, or why the engine refused; a refusal comes from every rank at the same point."""
    torch._dynamo.reset()  # a step traced for one kind of quantized state is taken for that of another
    try:
        return asdict(RUNS[job.engine](job))
    except (
        RuntimeError,
        ValueError,
        TypeError,
        NotImplementedError,
        AttributeError,
        AssertionError,
    ) as error:
        return {"refused": f"{type(error).__name__}: {error}"[:400]}


def _model(job: Job) -> nn.Module:
    torch.manual_seed(0)
    return MODELS[job.model]().to(DTYPES[job.precision if job.precision in DTYPES else "fp32"])


def _optimizer_class(job: Job) -> type[torch.optim.Optimizer]:
    module, _, name = job.optimizer.rpartition(".")
    found: type[torch.optim.Optimizer] = getattr(importlib.import_module(module), name)
    return found


def _given(model: nn.Module, job: Job) -> Any:  # parameters, or a group of them
    """What the optimizer is made with: low-rank ones want their rank in the parameters' group."""
    return [{"params": list(model.parameters()), **job.group}] if job.group else model.parameters()


def _train(model: nn.Module, optimizer: torch.optim.Optimizer, steps: int = 1) -> None:
    """Steps on data of this rank's own; gradients stay after the last one."""
    torch.manual_seed(dist.get_rank())
    for step in range(steps):
        if step:
            optimizer.zero_grad()
        model(torch.randint(0, VOCAB, (2, 5))).backward()
        optimizer.step()


def _local(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor


def _stored(tensors: Iterable[torch.Tensor]) -> int:
    """Bytes of the distinct storages behind tensors."""
    storages = {}
    for tensor in tensors:
        storage = _local(tensor).untyped_storage()
        if storage.nbytes():
            storages[storage.data_ptr()] = storage.nbytes()
    return sum(storages.values())


def state_tensors(optimizer: torch.optim.Optimizer) -> Iterator[tuple[str, torch.Tensor]]:
    """Every distinct tensor in an optimizer's state, with its name."""
    seen: dict[int, torch.Tensor] = {}  # held, so that no other tensor gets the same id
    groups = (group.items() for group in optimizer.param_groups)
    kept = [{name: value for name, value in group if name != "params"} for group in groups]
    for state in (*optimizer.state.values(), *kept):
        for name, value in _walk("", state):
            if id(value) not in seen:
                seen[id(value)] = value
                for tensor in _inner(_local(value)):
                    yield name, tensor


def _inner(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    """What a tensor is made of: quantized state is a class of its own around codes and scales."""
    if type(tensor) is torch.Tensor or not hasattr(tensor, "__tensor_flatten__"):
        yield tensor
        return
    for name in tensor.__tensor_flatten__()[0]:
        yield getattr(tensor, name)


def _walk(name: str, value: Any) -> Iterator[tuple[str, torch.Tensor]]:
    if isinstance(value, torch.Tensor):
        yield name, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _walk(str(key), inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _walk(name, inner)
    elif hasattr(value, "ortho_matrix"):  # a projector keeps its matrices as views into whole ones
        kept = value.ortho_matrix
        for matrix in kept if isinstance(kept, (list, tuple)) else (kept,):
            held = _local(matrix)
            yield "ortho_matrix", held.new_empty(0).set_(held.untyped_storage())


def _found(model: nn.Module, optimizer: torch.optim.Optimizer, buckets: int = 0) -> Found:
    parameters = list(model.parameters())
    gradients = [p.grad for p in parameters if p.grad is not None]
    states = list(state_tensors(optimizer))
    return Found(
        weights=sum(_local(p).nbytes for p in parameters),
        weights_stored=_stored(parameters),
        gradients=sum(_local(g).nbytes for g in gradients),
        gradients_stored=_stored(gradients),
        state=sum(tensor.nbytes for _, tensor in states),
        buckets=buckets,
        kinds=[f"{name} {tuple(tensor.shape)} {tensor.dtype}" for name, tensor in states],
    )


def _ddp(job: Job) -> Found:
    model = DistributedDataParallel(_model(job), gradient_as_bucket_view=job.bucket_view)
    sizes: dict[int, int] = {}

    def hook(_: object, bucket: Any) -> Any:
        if bucket.index() == 0:
            sizes.clear()
        sizes[bucket.index()] = bucket.buffer().untyped_storage().nbytes()
        return dist.all_reduce(bucket.buffer(), async_op=True).get_future().then(lambda done: done.value()[0])

    hook.__annotations__.clear()  # DDP compares them with types; here they are strings
    model.register_comm_hook(None, hook)
    if job.engine == "zero-redundancy":
        dealt = ZeroRedundancyOptimizer(_given(model, job), _optimizer_class(job), **job.keywords)
        _train(model, dealt, DDP_STEPS)
        return _found(model, dealt.optim, sum(sizes.values()))
    optimizer = _optimizer_class(job)(_given(model, job), **job.keywords)
    _train(model, optimizer, DDP_STEPS)
    return _found(model, optimizer, sum(sizes.values()))


def _fsdp2(job: Job) -> Found:
    data = job.ranks // job.tp
    model = _model(job)
    if job.tp > 1:
        mesh = init_device_mesh("cpu", (data, job.tp), mesh_dim_names=("data", "tensor"))
        _split(model, mesh["tensor"])
        over = mesh["data"]
    elif job.replicas > 1:
        shape = (job.replicas, data // job.replicas)
        over = init_device_mesh("cpu", shape, mesh_dim_names=("replicate", "shard"))
    else:
        over = init_device_mesh("cpu", (data,), mesh_dim_names=("data",))
    policy = MixedPrecisionPolicy()
    if job.precision == "amp-bf16":
        policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    if data > 1:
        for layer in model.layers:  # type: ignore[union-attr]  # values of a table of cases
            fully_shard(layer, mesh=over, mp_policy=policy)
        fully_shard(model, mesh=over, mp_policy=policy)
    optimizer = _optimizer_class(job)(_given(model, job), **job.keywords)
    _train(model, optimizer)
    return _found(model, optimizer)


def _fsdp1(job: Job) -> Found:
    wrap = ModuleWrapPolicy({Layer if job.model == "tiny" else nn.Linear})
    model = FullyShardedDataParallel(_model(job), auto_wrap_policy=wrap, device_id=torch.device("cpu"))
    optimizer = _optimizer_class(job)(_given(model, job), **job.keywords)
    _train(model, optimizer)
    return _found(model, optimizer)


def _split(model: nn.Module, mesh: Any) -> None:
    """A plan as torchtitan and transformers write it for Llama."""
    columns = dict.fromkeys(("q_proj", "k_proj", "v_proj", "gate_proj", "up_proj"), ColwiseParallel)
    rows = dict.fromkeys(("o_proj", "down_proj"), RowwiseParallel)
    plan: dict[str, Any] = {
        "embed_tokens": RowwiseParallel(input_layouts=Replicate()),
        "lm_head": ColwiseParallel(output_layouts=Replicate()),
    }
    for name, module in model.named_modules():
        leaf = name.rpartition(".")[2]
        if isinstance(module, nn.Linear) and leaf in {**columns, **rows}:
            plan[name] = {**columns, **rows}[leaf]()
    parallelize_module(model, mesh, plan)


RUNS: dict[str, Callable[[Job], Found | Sent | Saved]] = {
    "ddp": _ddp,
    "zero-redundancy": _ddp,
    "fsdp1": _fsdp1,
    "fsdp2": _fsdp2,
    "hsdp": _fsdp2,
    "ring attention": ring_attention,
    "tensor parallel": tensor_parallel,
    "decoder layer": decoder_layer,
}

if __name__ == "__main__":
    main()
