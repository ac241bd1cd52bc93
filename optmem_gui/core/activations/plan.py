"""A training step reduced to what its activations depend on, small enough to be a cache key."""

from __future__ import annotations

from dataclasses import dataclass

from optmem_gui.core.activations.choice import checkpoint_span
from optmem_gui.core.activations.program import Matrix
from optmem_gui.core.activations.tape import NEW_SEGMENTS
from optmem_gui.core.activations.weights import Matrices, find_matrices
from optmem_gui.core.blocks import MIN_BLOCK_BYTES
from optmem_gui.core.dtypes import DType
from optmem_gui.core.layout import Layout, in_order
from optmem_gui.core.scenario import Attention, Loss, Scenario
from optmem_gui.core.transformer import TransformerShape


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything the arithmetic needs.

    Attributes:
        shape: Dimensions.
        batch: Sequences a micro-batch.
        sequence: Tokens of each.
        matrices: The weights of one layer and outside.
        autocast: Type of autocast's casts.
        attention: Kernel asked for.
        loss: Form of the loss.
        span: Layers recomputed as one unit, 0 for none.
        recompute_attention: Only the attention core is recomputed.
        keep_logits: The loop holds the logits through the step.
        cpu: The CPU's rules apply.
        accumulating: Gradients exist before the micro-batch that is described.
        inputs_need_grad: The embedding's output is made to need a gradient although its weights are
            frozen (PEFT with gradient checkpointing).
        unit: Allocation granularity, bytes.
        embeds: The embedding is on this GPU; else its output comes from another one.
        heads: The head and the loss are on this GPU; else the gradient comes from another one.
        along: Tensor-parallel ranks among which tokens of the residual stream are split (sequence parallel).
    """

    shape: TransformerShape
    batch: int
    sequence: int
    matrices: Matrices
    autocast: DType | None
    attention: Attention
    loss: Loss
    span: int
    recompute_attention: bool
    keep_logits: bool
    cpu: bool
    accumulating: bool
    inputs_need_grad: bool
    unit: int
    embeds: bool = True
    heads: bool = True
    along: int = 1

    @property
    def token_count(self) -> int:
        """Tokens of a micro-batch."""
        return self.batch * self.sequence

    @property
    def stream_count(self) -> int:
        """Tokens of the residual stream, on which norms and dropout work."""
        return self.batch * -(-self.sequence // self.along)

    def matrix(self, leaf: str) -> Matrix:
        """A weight by the name of its module."""
        return self.matrices.by_leaf[leaf]


def make_plan(shape: TransformerShape, scenario: Scenario, layout: Layout, batch: int, sequence: int) -> Plan:
    """Reduce a scenario.

    Raises:
        UserError: The kind of checkpointing is not known.
    """
    span = checkpoint_span(scenario.checkpointing)
    cpu = scenario.target == "cpu"
    return Plan(
        shape=shape,
        batch=batch,
        sequence=sequence,
        matrices=find_matrices(shape, scenario, layout),
        autocast=layout.scheme.autocast,
        attention=scenario.attention,
        loss=scenario.loss,
        span=min(span, shape.layers),
        recompute_attention=scenario.checkpointing == "attention",
        keep_logits=scenario.keep_logits,
        cpu=cpu,
        accumulating=scenario.accumulate > 1 or not scenario.set_to_none,
        inputs_need_grad=scenario.lora is not None and span > 0,
        unit=1 if cpu else MIN_BLOCK_BYTES if in_order(scenario) else NEW_SEGMENTS,
        along=scenario.parallel.tp if scenario.parallel.sequence_parallel else 1,
    )
