"""Gradients: how many bytes, and in which phases they exist.

References: ``torch.optim.Optimizer.zero_grad`` (``set_to_none=True`` by default since 2.0);
torch/csrc/autograd/functions/accumulate_grad.h (the first gradient is stolen, later ones are added in
place); ``torch.nn.utils.clip_grad_norm_`` and aten/src/ATen/native/cuda/ForeachReduceOp.cu.
"""

from __future__ import annotations

from dataclasses import dataclass

from optmem_gui.core.blocks import MIN_BLOCK_BYTES, whole_blocks
from optmem_gui.core.layout import Layout
from optmem_gui.core.scenario import Scenario

_NORM_CHUNK = 65_536
"""Elements one block of ``foreach_norm`` reduces."""


@dataclass(frozen=True, slots=True)
class Gradients:
    """Gradients of one GPU.

    Attributes:
        bytes: All gradients in the type they persist in.
        rounded_bytes: The same in the caching allocator's blocks.
        in_forward: They are alive while forward runs (accumulation, or zeroed instead of freed).
        between_steps: They outlive the step.
        arriving_bytes: Largest gradient that exists twice while it is added to what is there.
        step_copy_bytes: Copy in the master's type made at the step.
        clip_bytes: Temporaries of ``clip_grad_norm_``.
        step_copy_rounding: What the caching allocator's blocks add to that copy.
    """

    bytes: int
    rounded_bytes: int
    in_forward: bool
    between_steps: bool
    arriving_bytes: int
    step_copy_bytes: int
    clip_bytes: int
    step_copy_rounding: int = 0


def gradients_of(
    layout: Layout, scenario: Scenario, optimized: Layout | None = None, *, stand: bool = False
) -> Gradients:
    """Size and lifetime of the gradients.

    Args:
        layout: The gradients that are kept.
        scenario: How they are handled.
        optimized: What the optimizer sees, where that is not the same.
        stand: They live in a buffer that is made once and never freed.
    """
    total = blocks = largest = 0
    for placed in layout.trained:
        assert placed.gradients is not None  # noqa: S101  # what is trained has a gradient
        size = placed.gradients.bytes_for(placed.group.numel)
        total += size * placed.group.count
        blocks += layout.rounded(size) * placed.group.count
        arriving = layout.scheme.weights.bytes_for(placed.group.numel)
        largest = max(largest, min(size, arriving))
    copy, copy_blocks = _copy_bytes(layout if optimized is None else optimized)
    zeroed = stand or not scenario.set_to_none or layout.scheme.persistent_gradients
    accumulated = scenario.accumulate > 1
    return Gradients(
        bytes=total,
        rounded_bytes=blocks,
        in_forward=zeroed or accumulated,
        between_steps=zeroed,
        arriving_bytes=largest if zeroed or accumulated else 0,
        step_copy_bytes=copy,
        clip_bytes=_clip_bytes(layout) if scenario.clip else 0,
        step_copy_rounding=copy_blocks - copy,
    )


def _copy_bytes(layout: Layout) -> tuple[int, int]:
    """The copy in the master's type, of what the optimizer of this rank updates: requested and in blocks."""
    copied = layout.scheme.step_gradients
    if copied is None:
        return 0, 0
    groups = [placed.group for placed in layout.trained if placed.master is not None]
    sizes = [(copied.bytes_for(group.numel), group.count) for group in groups]
    return sum(size * count for size, count in sizes), sum(
        layout.rounded(size) * count for size, count in sizes
    )


def _clip_bytes(layout: Layout) -> int:
    """One block a tensor for its norm, and the chunk sums of ``foreach_norm``."""
    tensors = sum(placed.group.count for placed in layout.trained)
    largest = max((placed.group.numel for placed in layout.trained), default=0)
    return tensors * MIN_BLOCK_BYTES + whole_blocks(4 * tensors * -(-largest // _NORM_CHUNK))
