"""Save a small model and its optimizer from two ranks: ``python -m tests.checkpoints.two_ranks FOLDER``.

A process of its own, because ranks are forked, and a process that has run torch's threads must not fork.
"""

from __future__ import annotations

import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.checkpoint.state_dict import get_state_dict
from torch.distributed.checkpoint.state_dict_saver import save
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.multiprocessing.spawn import start_processes


def _on_a_rank(rank: int, folder: str) -> None:
    dist.init_process_group("gloo", init_method=f"file://{folder}.rendezvous", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 8))
    fully_shard(model, mesh=init_device_mesh("cpu", (2,)))
    optimizer = torch.optim.AdamW(model.parameters())
    torch.autograd.backward(model(torch.randn(4, 16)).sum())
    optimizer.step()
    weights, state = get_state_dict(model, optimizer)
    save({"model": weights, "optim": state}, checkpoint_id=folder)
    dist.destroy_process_group()


if __name__ == "__main__":
    start_processes(_on_a_rank, (sys.argv[1],), nprocs=2, start_method="fork")  # type: ignore[no-untyped-call]  # torch has no types here
