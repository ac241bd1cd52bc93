"""The layers of a model as runs of equal ones: the first, those with a plain MLP, the others."""

from __future__ import annotations

from typing import NamedTuple

from optmem_gui.core.activations.plan import Plan
from optmem_gui.core.activations.stages import Stage, layer_stage
from optmem_gui.core.activations.tape import Point


class Run(NamedTuple):
    """Layers that cost the same.

    Attributes:
        start: The first of them.
        end: One behind the last.
        stage: One of them, run saving.
        bare: One of them, run without saving; the same where nothing is recomputed.
    """

    start: int
    end: int
    stage: Stage
    bare: Stage

    def between(self, start: int, end: int) -> int:
        """How many of them lie between two layers."""
        return max(0, min(self.end, end) - max(self.start, start))


class LayerRuns:
    """All layers of a plan.

    Args:
        plan: The step.
        needs_grad: The embedding's output needs a gradient.
    """

    def __init__(self, plan: Plan, *, needs_grad: bool) -> None:
        shape = plan.shape
        self.dense = min(shape.mixture.dense_layers, shape.layers) if shape.experts else 0
        first = layer_stage(plan, input_needs_grad=needs_grad, keep=True, dense=self.dense > 0)
        later = first.needs_grad
        runs = [self._run(plan, 0, 1, dense=self.dense > 0, later=later)._replace(stage=first)]
        if self.dense > 1:
            runs.append(self._run(plan, 1, self.dense, dense=True, later=later))
        runs.append(self._run(plan, max(1, self.dense), shape.layers, dense=False, later=later))
        self.first, self.later, self._runs = first, runs[-1].stage, tuple(runs)

    @staticmethod
    def _run(plan: Plan, start: int, end: int, *, dense: bool, later: bool) -> Run:
        stage = layer_stage(plan, input_needs_grad=later, keep=True, dense=dense)
        bare = layer_stage(plan, input_needs_grad=later, keep=False, dense=dense) if plan.span else stage
        return Run(start, end, stage, bare)

    def at(self, index: int) -> Run:
        """The run that a layer belongs to."""
        return next(run for run in reversed(self._runs) if index >= run.start)

    def counted(self, start: int, end: int) -> list[tuple[Run, int]]:
        """Each run with how many of its layers lie between two layers, those with none left out."""
        found = ((run, run.between(start, end)) for run in self._runs)
        return [(run, count) for run, count in found if count]

    def kept(self, start: int, end: int) -> Point:
        """Kept by layers ``start`` to ``end`` when they are run saving."""
        total = Point()
        for run, count in self.counted(start, end):
            total += run.stage.kept * count
        return total

    def gradients(self, start: int, end: int) -> int:
        """Parameter gradients that these layers leave."""
        return sum(run.stage.gradients * count for run, count in self.counted(start, end))
