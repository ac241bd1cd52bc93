"""The activations of one micro-batch, from a scenario or from what it was reduced to."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from optmem_gui.core.activations.course import course_of
from optmem_gui.core.activations.layers import kernel_of
from optmem_gui.core.activations.moments import Activations
from optmem_gui.core.activations.plan import Plan, make_plan
from optmem_gui.core.activations.remarks import not_counted
from optmem_gui.core.kernels.gemm import cublas_workspace_bytes
from optmem_gui.core.layout import Layout
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.transformer import TransformerShape


def workspace_bytes(architecture: str | None, *, cpu: bool) -> int:
    """Workspaces of cuBLAS: one for the forward thread, one for autograd's.

    Args:
        architecture: Compute capability such as ``sm_90``; None when no GPU is chosen.
        cpu: The step runs on the CPU, which has none.
    """
    if cpu:
        return 0
    return 2 * cublas_workspace_bytes(architecture)


def estimate_activations(
    shape: TransformerShape,
    scenario: Scenario,
    layout: Layout,
    architecture: str | None = None,
) -> Activations:
    """Predict the activations of one micro-batch.

    Args:
        shape: Dimensions of the transformer.
        scenario: The set-up; ``batch`` and ``sequence`` are set.
        layout: Where its parameters live.
        architecture: Compute capability of the GPU, for the cuBLAS workspace.

    Raises:
        UserError: The kind of checkpointing is unknown, or the attention kernel cannot take these types.
        ValueError: ``batch`` or ``sequence`` is missing.
    """
    if scenario.batch is None or scenario.sequence is None:
        raise ValueError("estimate_activations needs a batch and a sequence length")
    plan = make_plan(shape, scenario, layout, scenario.batch, scenario.sequence)
    return activations_of(plan, architecture)


def activations_of(plan: Plan, architecture: str | None, *, ends_only: bool = False) -> Activations:
    """The same from a scenario that was reduced already.

    Args:
        plan: The step.
        architecture: Compute capability of the GPU, for the cuBLAS workspace.
        ends_only: Of the course, give the ends of each straight line alone. What stands beside it is shared
            out in whole bytes, so that a peak between them can be larger by a few.

    Raises:
        UserError: The attention kernel cannot take these types.
    """
    found = _of_plan(plan, ends_only=ends_only)
    return replace(found, workspace_bytes=workspace_bytes(architecture, cpu=plan.cpu))


@lru_cache(maxsize=512)
def _of_plan(plan: Plan, *, ends_only: bool) -> Activations:
    """Many layouts and GPUs share a plan, and an edit of anything else leaves it alone; no workspace yet."""
    kernel, why = kernel_of(plan)
    course = course_of(plan)
    return Activations(
        moments=tuple(course.moments(ends_only=ends_only)),
        items=tuple(course.items()),
        saved_bytes=course.saved.activations,
        autocast_bytes=course.saved.autocast_copies,
        logits_bytes=course.kept_logits,
        workspace_bytes=0,
        attention_used=kernel,
        attention_why=why,
        not_counted=tuple(not_counted(plan, kernel)),
    )
