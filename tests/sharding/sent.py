"""What real collectives make while ranks that split one micro-batch send each other parts of it.

They run on a gloo of one thread: once it has done something that was asked for later, it has let go of all
that it sent before, and what is alive then is what the engine keeps.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch._C._distributed_c10d import Store
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.experimental._context_parallel import _attention as ring
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaDecoderLayer, LlamaRotaryEmbedding

from tests.sharding.job import Job

BATCH, HEADS, TOKENS, HEAD_DIM, HIDDEN, FFN = 2, 3, 16, 8, 24, 64
"""Of one rank: its heads, its tokens of a sequence."""

_Tensors = tuple[torch.Tensor, ...]

_RING = ("_c10d_functional", "aten.cat")
"""What ring attention sends and receives is laid end to end first."""

_ONE_THREAD = "gloo_of_one_thread"


def _make_group(store: Store, rank: int, ranks: int, timeout: timedelta) -> dist.ProcessGroupGloo:
    """Gloo takes what is asked for in turn; its usual two threads would each hold on to something."""
    options = dist.ProcessGroupGloo._Options()  # type: ignore[attr-defined]  # the stubs have another name
    options._devices = [dist.ProcessGroupGloo.create_device(interface="lo")]
    options._threads = 1
    options._timeout = timeout
    return dist.ProcessGroupGloo(store, rank, ranks, options)


def _group() -> dist.ProcessGroup:
    if _ONE_THREAD not in dist.Backend.backend_list:
        dist.Backend.register_backend(_ONE_THREAD, _make_group, devices=["cpu"])
    made = dist.new_group(backend=_ONE_THREAD)
    assert isinstance(made, dist.ProcessGroup)
    return made


@dataclass(frozen=True, slots=True)
class Sent:
    """Most bytes alive at once that collectives, and what lays tensors end to end for them, have made."""

    forward: int
    backward: int


class _Watch(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch leaves it untyped
    """Adds up storages that some operations make, as long as they live."""

    def __init__(self, made_by: tuple[str, ...], group: dist.ProcessGroup) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        self._made_by = made_by
        self._group = group
        self._alive: dict[int, int] = {}
        self.most = 0

    def __torch_dispatch__(
        self,
        func: Any,  # torch's signature
        types: Any,  # torch's signature
        args: Any = (),  # torch's signature
        kwargs: Any = None,  # torch's signature
    ) -> Any:  # torch's signature
        """Run one operation and remember what it made."""
        del types
        made = func(*args, **(kwargs or {}))
        # what waits for a collective is a wrapper around the tensor that it made, and has no memory
        if type(made) is torch.Tensor and any(name in str(func) for name in self._made_by):
            storage = made.untyped_storage()
            if id(storage) not in self._alive:
                self._alive[id(storage)] = storage.nbytes()
                weakref.finalize(storage, self._alive.pop, id(storage))
            dist.all_reduce(torch.zeros(1), group=self._group)  # every rank makes the same, so all come here
            self.most = max(self.most, sum(self._alive.values()))
        return made


def _most(work: Callable[[], Any], made_by: tuple[str, ...], group: dist.ProcessGroup) -> tuple[Any, int]:
    with _Watch(made_by, group) as watch:
        done = work()
    return done, watch.most


@dataclass(frozen=True, slots=True)
class Saved:
    """Bytes of distinct storages that autograd keeps of one layer, weights and rotary tables left out."""

    saved: int


def decoder_layer(job: Job) -> Saved:
    """One layer of transformers' Llama, split as torchtitan does; ``group`` says whether along tokens too."""
    along = bool(job.group["sequence_parallel"])
    config = LlamaConfig(
        vocab_size=64, hidden_size=HIDDEN, num_hidden_layers=1, num_attention_heads=8, num_key_value_heads=4,
        head_dim=HEAD_DIM, intermediate_size=FFN, attn_implementation="sdpa",
    )  # fmt: skip
    layer = LlamaDecoderLayer(config, 0)
    parallelize_module(layer, init_device_mesh("cpu", (job.ranks,)), _plan(along=along))
    tokens = TOKENS // job.ranks if along else TOKENS
    given = torch.randn(BATCH, tokens, HIDDEN, requires_grad=True)
    tables = LlamaRotaryEmbedding(config)(torch.randn(BATCH, TOKENS, HIDDEN), torch.arange(TOKENS)[None])
    own = {_storage(tensor)._cdata for tensor in (*layer.parameters(), *tables)}
    kept: dict[int, torch.UntypedStorage] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storage = _storage(tensor)
        if storage._cdata not in own:
            kept[storage._cdata] = storage
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        layer(hidden_states=given, position_embeddings=tables, attention_mask=None)
    return Saved(sum(storage.nbytes() for storage in kept.values()))


def _storage(tensor: torch.Tensor) -> torch.UntypedStorage:
    return (tensor.to_local() if isinstance(tensor, DTensor) else tensor).untyped_storage()


def _plan(*, along: bool) -> dict[str, Any]:
    columns = [f"self_attn.{name}_proj" for name in "qkv"] + ["mlp.gate_proj", "mlp.up_proj"]
    after = Shard(1) if along else Replicate()
    plan: dict[str, Any] = {name: ColwiseParallel() for name in columns}
    plan |= {name: RowwiseParallel(output_layouts=after) for name in ("self_attn.o_proj", "mlp.down_proj")}
    if along:
        plan |= {name: SequenceParallel() for name in ("input_layernorm", "post_attention_layernorm")}
        plan["self_attn"] = PrepareModuleInput(
            input_kwarg_layouts={"hidden_states": Shard(1)},
            desired_input_kwarg_layouts={"hidden_states": Replicate()},
            use_local_output=True,
        )
        plan["mlp"] = PrepareModuleInput(
            input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),), use_local_output=True
        )
    return plan


def ring_attention(job: Job) -> Sent:
    """torch's ring attention as ``context_parallel`` runs it, around the CPU's fused kernel.

    The kernel is given by hand, because torch has rules for those of CUDA only; all blocks are of the same
    use, so none is skipped.
    """
    del job
    ring._cp_options.enable_load_balance = False
    query, key, value, gradient = (
        torch.randn(BATCH, HEADS, TOKENS, HEAD_DIM, dtype=torch.bfloat16) for _ in range(4)
    )

    def attend(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, **_: object) -> _Tensors:
        made: _Tensors = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(query, key, value)
        return made

    def back(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, **given: object) -> _Tensors:
        tensors = (given["gradient"], query, key, value, given["out"], given["logsumexp"])
        kernel = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward
        made: _Tensors = kernel(*tensors, 0.0, False)
        return made

    group = _group()
    (out, lse, *_), forward = _most(
        lambda: ring._templated_ring_attention(group, 2, attend, query, key, value), _RING, group
    )
    _, backward = _most(
        lambda: ring._templated_ring_attention_backward(
            group, 2, back, gradient, "gradient", query, key, value, out, lse, is_causal=False
        ),
        _RING,
        group,
    )
    return Sent(forward, backward)


def tensor_parallel(job: Job) -> Sent:
    """Two products as DTensor splits them: by columns, then by rows."""
    del job
    model = nn.Sequential(nn.Linear(HIDDEN, FFN, bias=False), nn.SiLU(), nn.Linear(FFN, HIDDEN, bias=False))
    group = _group()
    parallelize_module(
        model, DeviceMesh.from_group(group, "cpu"), {"0": ColwiseParallel(), "2": RowwiseParallel()}
    )
    given = torch.randn(BATCH, TOKENS, HIDDEN, requires_grad=True)
    collectives = ("_c10d_functional",)
    out, forward = _most(lambda: model(given), collectives, group)
    loss = out.sum()
    del out
    _, backward = _most(loss.backward, collectives, group)
    return Sent(forward, backward)
