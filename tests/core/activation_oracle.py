"""What PyTorch itself keeps and allocates in a step on the CPU: the other side of every comparison."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.graph import saved_tensors_hooks
from torch.profiler import ProfilerActivity, profile

from optmem_gui.core.activations import Activations, estimate_activations
from optmem_gui.core.layout import place
from optmem_gui.core.model import Source
from optmem_gui.core.precision import precision
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import transformer_ref
from optmem_gui.core.transformer import TransformerShape
from optmem_gui.worker.transformer import Transformer

LLAMA = TransformerShape(128, 64, 3, 4, 2, 16, 96, norm="rms")
GPT = TransformerShape(
    128, 64, 3, 4, 4, 16, 160, norm="layer", gated=False, biases=True, positions=48, tied_head=True
)
SYNTHETIC = TransformerShape(200, 64, 3, 4, 4, 16, 96, remainder=7)
QWEN3 = replace(LLAMA, head_norms=True, head_dim=24)
SHAPES = {"llama": LLAMA, "qwen3": QWEN3, "gpt": GPT, "synthetic": SYNTHETIC}
_HALF = {"bf16": torch.bfloat16}


def scenario_of(shape: TransformerShape, **options: Any) -> Scenario:
    """A scenario on the CPU: batch 2, 32 tokens, unless said otherwise."""
    settings = {"batch": 2, "sequence": 32, "target": "cpu", "precision": "fp32", **options}
    return Scenario(transformer_ref("test", Source.PRESET, shape), **settings)


def estimated(scenario: Scenario) -> Activations:
    """The closed form."""
    assert scenario.model.architecture is not None
    return estimate_activations(scenario.model.architecture, scenario, place(scenario))


def build(scenario: Scenario) -> Transformer:
    """The real module of a scenario."""
    shape = scenario.model.architecture
    assert shape is not None
    torch.manual_seed(0)
    model = Transformer(
        shape,
        attention=scenario.attention,
        loss=scenario.loss,
        checkpointing=scenario.checkpointing,
        keep_logits=scenario.keep_logits,
    )
    return model.to(_HALF.get(precision(scenario.precision).weights.id, torch.float32))


def autocast(scenario: Scenario) -> contextlib.AbstractContextManager[Any]:
    """The autocast region that the precision asks for."""
    if precision(scenario.precision).autocast is None:
        return contextlib.nullcontext()
    return torch.autocast("cpu", dtype=torch.bfloat16)


def batch_of(scenario: Scenario) -> tuple[Tensor, Tensor]:
    """Tokens and labels."""
    shape = scenario.model.architecture
    assert shape is not None
    assert scenario.batch is not None
    assert scenario.sequence is not None
    size = (scenario.batch, scenario.sequence)
    return torch.randint(0, shape.vocab, size), torch.randint(0, shape.vocab, size)


def saved_bytes(model: nn.Module, forward: Callable[[], Tensor], held: Iterable[Tensor]) -> int:
    """Bytes of the distinct storages that autograd saves, parameters excluded, ``held`` included."""
    parameters = {p.untyped_storage().data_ptr() for p in model.parameters()}
    kept: list[Tensor] = list(held)

    def pack(tensor: Tensor) -> Tensor:
        kept.append(tensor)
        return tensor

    with saved_tensors_hooks(pack, lambda tensor: tensor):
        kept.append(forward())
    storages = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in kept}
    return sum(size for place, size in storages.items() if place not in parameters)


@dataclass(frozen=True, slots=True)
class Measured:
    """Bytes that the CPU allocator handed out: at the end of forward, and the largest of each half."""

    saved: int
    forward: int
    backward: int


def measured(scenario: Scenario) -> Measured:
    """Run one step and add up the allocator's own events.

    The first step is thrown away; where the scenario accumulates, its gradients stay. What the CPU's
    kernels allocate and free inside themselves (oneDNN's packing of 16-bit matrices, the blocks of its
    attention) exists there alone and is left out.
    """
    model = build(scenario)
    tokens, labels = batch_of(scenario)

    def step() -> Tensor:
        batch = tokens.clone(), labels.clone()
        with autocast(scenario):
            loss = model(*batch)
        between = begin_backward()
        loss.backward()
        return between

    step()
    if scenario.accumulate == 1:
        model.zero_grad(set_to_none=True)
    model.logits = None
    gc.collect()
    return profiled(step)


_BETWEEN_BYTES = 11_111_111
"""Allocated when backward begins, and of a size that nothing else has: no clock tells the halves apart."""


def begin_backward() -> Tensor:
    """What tells the halves of a step apart."""
    return torch.empty(_BETWEEN_BYTES, dtype=torch.uint8)


def profiled(step: Callable[[], Tensor]) -> Measured:
    """Run a step, which gives back what :func:`begin_backward` gave; add up the allocator's own events."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        kept = step()
    del kept  # after the last event, so that its release is none of them
    return _fold(profiler)


def _fold(profiler: Any) -> Measured:
    live = saved = forward = backward = 0
    sizes = _without_kernel_scratch(_allocations(profiler))
    assert sizes.count(_BETWEEN_BYTES) == 1
    begins = sizes.index(_BETWEEN_BYTES)
    for size in sizes[:begins]:
        live += size
        forward, saved = max(forward, live), live
    for size in sizes[begins + 1 :]:
        live += size
        backward = max(backward, live)
    return Measured(saved, forward, backward)


def _allocations(profiler: Any) -> list[Any]:
    def walk(events: Any) -> Iterator[Any]:
        for event in events:
            yield event
            yield from walk(event.children)

    tree = walk(profiler.profiler.kineto_results.experimental_event_tree())
    found = [event for event in tree if type(event.extra_fields).__name__.endswith("Allocation")]
    return sorted(found, key=lambda event: event.start_time_ns)


def _without_kernel_scratch(events: Iterable[Any]) -> list[int]:
    kept: list[int] = []
    keys: list[tuple[int, int | None]] = []
    for event in events:
        fields = event.extra_fields
        key = (fields.ptr, event.parent.id if event.parent else None)
        inside = event.parent is not None and "flash_attention_for_cpu" in event.parent.name
        if keys and fields.alloc_size < 0 and keys[-1] == key:
            keys.pop()
            kept.pop()
        elif inside and fields.alloc_size < 0:
            made = max(index for index, (place, _) in enumerate(keys) if place == fields.ptr)
            del keys[made], kept[made]
        else:
            keys.append(key)
            kept.append(fields.alloc_size)
    return kept
