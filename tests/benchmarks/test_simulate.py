"""Speed and memory of tracing, beside torch's own estimator.

Run by hand: ``pytest tests/benchmarks/test_simulate.py -s``; the figures are of this machine.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable

import torch
import torch.nn.functional as F  # noqa: N812  # the name everyone knows it by
from torch import Tensor, nn
from torch.distributed._tools.mem_tracker import MemTracker

from optmem_gui.worker.simulate.tracker import Tracker
from tests.worker.simulate.tracing import events, tracing

_SPEED, _DEPTH, _RSS = 3.0, 2.0, 1.5
_ROUNDED = 512


class _Chain(nn.Module):
    """Linear layers, each read by the next only: torch's estimator makes no copies here."""

    def __init__(self, layers: int, width: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = F.gelu(layer(x))
        return x.square().mean()


class _Decoder(nn.Module):
    """Pre-norm blocks with attention written out."""

    def __init__(self, layers: int = 12, width: int = 512, heads: int = 8, vocab: int = 8000) -> None:
        super().__init__()
        self.table = nn.Embedding(vocab, width)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2 * layers))
        self.qkv = nn.ModuleList(nn.Linear(width, 3 * width) for _ in range(layers))
        self.out = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.up = nn.ModuleList(nn.Linear(width, 4 * width) for _ in range(layers))
        self.down = nn.ModuleList(nn.Linear(4 * width, width) for _ in range(layers))
        self.head, self.heads = nn.Linear(width, vocab, bias=False), heads

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.table(tokens)
        for index, qkv in enumerate(self.qkv):
            parts = qkv(self.norms[2 * index](x)).chunk(3, dim=-1)
            q, k, v = (p.view(*p.shape[:2], self.heads, -1).transpose(1, 2) for p in parts)
            mixed = torch.softmax(q @ k.transpose(2, 3), dim=-1) @ v
            x = x + self.out[index](mixed.transpose(1, 2).reshape(x.shape))
            x = x + self.down[index](F.gelu(self.up[index](self.norms[2 * index + 1](x))))
        return F.cross_entropy(self.head(x).flatten(0, 1), tokens.flatten())


def _steps(
    model: nn.Module, optimizer: torch.optim.Optimizer, batch: Tensor, between: Callable[[], object] = int
) -> float:
    """Processor time of two steps."""
    start = time.process_time()
    for _ in range(2):
        between()
        loss = model(batch)
        loss.backward()
        del loss
        optimizer.step()
        optimizer.zero_grad()
    return time.process_time() - start


def _estimated(make: Callable[[], nn.Module], batch: Callable[[], Tensor]) -> tuple[float, int]:
    """Time and peak of torch's estimator."""
    with torch.device("meta"):
        model, given = make(), batch()
    optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
    estimator = MemTracker()
    estimator.track_external(model, optimizer, given)
    with estimator:
        seconds = _steps(model, optimizer, given, estimator.reset_mod_stats)
    return seconds, int(estimator.get_tracker_snapshot("peak")[torch.device("meta")]["Total"])


def _traced(make: Callable[[], nn.Module], batch: Callable[[], Tensor]) -> tuple[float, Tracker]:
    with tracing() as tracker:
        with torch.device("cuda"):
            model, given = make(), batch()
        optimizer = torch.optim.AdamW(model.parameters())
        return _steps(model, optimizer, given), tracker


def _peak(tracker: Tracker) -> int:
    """Most in use, without what only kernels know of, in blocks of 512 B as the estimator counts."""
    total = most = 0
    for name, size in events(tracker):
        if ":" not in name:
            rounded = -(-abs(size) // _ROUNDED) * _ROUNDED
            total += rounded if size > 0 else -rounded
            most = max(most, total)
    return most


def test_peak_equals_the_estimators_where_it_is_right() -> None:
    def make() -> nn.Module:
        return _Chain(12, 1024)

    def batch() -> Tensor:
        return torch.zeros(512, 1024)

    _, estimated = _estimated(make, batch)
    _, tracker = _traced(make, batch)
    print(f"estimator {estimated} B, traced {_peak(tracker)} B")  # noqa: T201  # what a script prints
    assert _peak(tracker) == estimated


def test_tracing_is_three_times_as_fast() -> None:
    def batch() -> Tensor:
        return torch.zeros(4, 256, dtype=torch.int64)

    _estimated(_Decoder, batch), _traced(_Decoder, batch)  # what torch imports at first
    slow, _ = min(_estimated(_Decoder, batch) for _ in range(3))
    fast = min(_traced(_Decoder, batch)[0] for _ in range(3))
    print(f"estimator {slow:.3f} s, traced {fast:.3f} s: {slow / fast:.1f} x")  # noqa: T201  # what a script prints
    assert slow >= _SPEED * fast


_ALONE = """
import json, time
from pathlib import Path
import torch

def most() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

bare = most()
from optmem_gui.core.requests import MeasureRequest, SimulateRequest
from optmem_gui.core.simulating import SimulationTarget
from optmem_gui.core.transformer import TransformerShape
from optmem_gui.worker.simulate.run import Simulation
shape = TransformerShape(vocab=128256, hidden=8192, layers={layers}, heads=64, kv_heads=8, head_dim=128,
                         ffn=28672, norm="rms")
work = MeasureRequest("cpu", "torch.optim.AdamW", precision="bf16", shape=shape, batch=1, sequence=4096)
target = SimulationTarget("2.13", "sm_90", 132, 2048)
times = []
for _ in range(2):
    start = time.process_time()
    report = Simulation(SimulateRequest(work, target), lambda message: None).run()
    times.append(time.process_time() - start)
print(json.dumps([*times, report.param_count, bare, most()]))
"""


def _alone(layers: int) -> list[float]:
    """A run in a process of its own: first and second time, parameters, memory of torch alone and after."""
    text = subprocess.run(
        [sys.executable, "-c", _ALONE.format(layers=layers)], check=True, capture_output=True, text=True
    ).stdout
    found: list[float] = json.loads(text)
    return found


def test_70b_costs_at_most_two_models_of_four_layers() -> None:
    shallow, deep = _alone(4), _alone(80)
    print(  # noqa: T201  # what a script prints
        f"4 layers {shallow[0]:.2f} s (again {shallow[1]:.2f}), "
        f"{deep[2] / 1e9:.1f}B {deep[0]:.2f} s (again {deep[1]:.2f})"
    )
    assert deep[0] <= _DEPTH * shallow[0]


def test_worker_takes_little_more_memory_than_torch() -> None:
    *_, bare, full = _alone(80)
    print(f"torch {bare / 1024:.0f} MiB, after a 70B trace {full / 1024:.0f} MiB")  # noqa: T201  # what a script prints
    assert full <= _RSS * bare
