"""Thousands of ranks, none of them run: torch's fake process group on the meta device."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from optmem_gui.core.estimate import compute
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.per_rank import held_by
from optmem_gui.core.synthetic import synthetic_ref
from tests.sharding.jobs import Case
from tests.waiting import PATIENCE_S

ROOT = Path(__file__).parents[2]

PROGRAM = """
import json, sys, warnings
warnings.simplefilter("ignore")  # of torch, in a process of its own
import torch
import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from tests.sharding.tiny import Tiny
from tests.sharding.world import state_tensors
from tests.waiting import PATIENCE_S

rows = []
for world, rank in json.loads(sys.argv[1]):
    dist.init_process_group("fake", store=FakeStore(), rank=rank, world_size=world)
    mesh = init_device_mesh("cpu", (world,))
    with torch.device("meta"):
        model = Tiny()
    for layer in model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters())
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    optimizer.step()
    local = [parameter.to_local() for parameter in model.parameters()]
    rows.append({
        "weights": sum(tensor.nbytes for tensor in local),
        "stored": sum(tensor.untyped_storage().nbytes() for tensor in local),
        "state": sum(tensor.nbytes for _, tensor in state_tensors(optimizer)),
    })
    dist.destroy_process_group()
print(json.dumps(rows))
"""

RANKS = [(1024, 0), (1024, 20), (1024, 1023), (4096, 49)]


@pytest.fixture(scope="module")
def real() -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(RANKS)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("index", range(len(RANKS)), ids=[f"{rank} of {world}" for world, rank in RANKS])
def test_ranks_among_thousands(index: int, real: list[dict[str, Any]]) -> None:
    world, rank = RANKS[index]
    said = held_by(Case(Parallel(gpus=world, shard="fsdp2"), "torch.AdamW").scenario, rank)
    assert said.weights_bytes == real[index]["stored"]
    assert said.weights_bytes - said.weights_padding_bytes == real[index]["weights"]
    assert said.state_bytes == real[index]["state"]


@pytest.mark.parametrize("shard", ["ddp", "zero-redundancy", "zero1", "zero3", "fsdp1", "fsdp2", "megatron"])
def test_the_cost_does_not_depend_on_the_number_of_ranks(shard: str) -> None:
    """The cost of 16,384 ranks is that of 8, not 2,000 times as much; counted, because no clock is steady."""
    scheme = {"zero": "bf16-master", "mega": "megatron-bf16"}.get(shard[:4], "bf16")
    scheme = "bf16" if shard == "zero-redundancy" else scheme
    scenario = Scenario(synthetic_ref(405_000_000_000), precision=scheme)

    def cost(gpus: int) -> int:
        chosen = replace(scenario, parallel=Parallel(gpus=gpus, shard=shard))
        compute(chosen)
        return executed_lines(lambda: compute(chosen))

    assert cost(16_384) < 2 * cost(8)


def executed_lines(work: Callable[[], object]) -> int:
    """How many lines of Python a call executes, every turn of a loop included."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count
