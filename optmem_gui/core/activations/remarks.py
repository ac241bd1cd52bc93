"""What the activations of a step leave out, and what they take for granted."""

from __future__ import annotations

from collections.abc import Iterator

from optmem_gui.core.activations.plan import Plan
from optmem_gui.core.reasons import Reason


def not_counted(plan: Plan, kernel: str) -> Iterator[Reason]:
    """Everything about these activations that a reader must know.

    Args:
        plan: The step.
        kernel: Attention kernel that runs.
    """
    if not plan.cpu:
        yield Reason("activation.no_kernel_buffers")
        if kernel in ("flash", "cudnn"):
            yield Reason("activation.not_compared", {"kernel": kernel})
    if 0 < plan.shape.window < plan.sequence:
        yield Reason("activation.window", {"window_count": plan.shape.window})
    if plan.shape.form.masked and kernel != "eager":
        yield Reason("activation.mask")
    if plan.shape.value_dim != plan.shape.head_dim and kernel == "efficient":
        yield Reason("activation.unequal_heads")
    if plan.shape.experts:
        yield Reason("activation.experts")
    if plan.matrix("q_proj").packed:
        yield Reason("activation.kbit_fp32")
        yield Reason("activation.packed_not_compared")
