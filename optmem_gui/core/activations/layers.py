"""One layer written down: norms, attention, MLP, and how their results join the residual stream.

Source: the decoder layers in ``modeling_*.py`` of transformers 5.24.
"""

from __future__ import annotations

from collections.abc import Callable

from optmem_gui.core.activations.attention import attend, sizes_of
from optmem_gui.core.activations.choice import Kernel, kernel_for
from optmem_gui.core.activations.mlp import feed_forward
from optmem_gui.core.activations.norms import apply_norm
from optmem_gui.core.activations.plan import Plan
from optmem_gui.core.activations.program import Program
from optmem_gui.core.activations.projections import project
from optmem_gui.core.activations.rotary import HEADS_FIRST
from optmem_gui.core.activations.tape import Region, Step, Value
from optmem_gui.core.dtypes import BF16, F16, DType
from optmem_gui.core.layer_form import Residual
from optmem_gui.core.reasons import Reason


def stream_dtype(plan: Plan) -> DType:
    """Type of the residual stream: what the embedding gives, widened by norms that are wider."""
    return plan.matrix("embed_tokens").dtype


def kernel_of(plan: Plan) -> tuple[Kernel, Reason]:
    """The attention kernel that runs, with the reason."""
    wide = plan.matrix("q_proj")
    half = plan.autocast is not None or wide.dtype in (BF16, F16)
    if wide.packed:
        half = plan.autocast is not None or stream_dtype(plan) in (BF16, F16)
    return kernel_for(plan.attention, half=half, shape=plan.shape, target="cpu" if plan.cpu else "cuda")


class _Layer:
    """A layer under construction; what attention's core does is set apart, to be run again in backward."""

    def __init__(self, plan: Plan, *, input_needs_grad: bool, dense: bool) -> None:
        self.plan, self.dense = plan, dense
        self.program = Program(plan.autocast, plan.cpu)
        count = plan.stream_count * plan.shape.hidden
        self.x = self.program.value(count, stream_dtype(plan), input_needs_grad, "residual")
        self.steps: list[Step] = []

    def finish(self, result: Value) -> tuple[list[Step], Value, Value]:
        """The operations, the input and the result."""
        self.program.hold(self.x)
        self.steps += self.program.ops
        return self.steps, self.x, result

    def norm(self, x: Value, leaf: str) -> Value:
        """A norm, and all tokens of what it gives: the linear layers keep them."""
        return gathered(self.program, self.plan, apply_norm(self.program, self.plan, x, leaf))

    def attention(self, x: Value, reads: Value) -> Value:
        """Attention's branch, from what it reads.

        Args:
            x: The residual stream before the norm, which may be the same.
            reads: What the projections read.
        """
        program, plan, shape = self.program, self.plan, self.plan.shape
        kernel = kernel_of(plan)[0]
        q, k, v = project(program, plan, reads, stream_dtype(plan))
        start = len(program.ops)
        sizes = sizes_of(shape, plan.batch, plan.sequence)
        mixed = attend(program, (q, k, v), kernel, sizes, shape.form.scores)
        if plan.recompute_attention:
            core, program.ops[start:] = tuple(program.ops[start:]), []
            self.steps += [*program.ops, Region(core, (q, k, v), mixed)]
            program.ops.clear()
        if reads is not x:
            program.hold(reads)
        if shape.rotary in HEADS_FIRST and kernel in ("flash", "cudnn"):
            # its queries lie heads first, and so does the result; the other kernels give tokens first
            mixed = program.copy(mixed, "linear_input")
        branch = program.linear(mixed, plan.matrix("o_proj"), plan.token_count, "residual")
        return self._after(branch, "post_attention_layernorm")

    def mlp(self, reads: Value) -> Value:
        """The branch of the MLP, from what it reads."""
        branch = feed_forward(self.program, self.plan, reads, dense=self.dense)
        return self._after(branch, "post_feedforward_layernorm")

    def _after(self, branch: Value, leaf: str) -> Value:
        """This rank's tokens, normed, scaled and dropped as the shape has it."""
        program, plan, shape = self.program, self.plan, self.plan.shape
        branch = scattered(program, plan, branch)
        if shape.norms_after:
            branch = apply_norm(program, plan, branch, leaf)
        if shape.form.scaled_branches:
            branch = program.scale(branch, "residual")
        return program.dropout(branch, shape.dropout, "residual")


def layer_program(
    plan: Plan, *, input_needs_grad: bool, dense: bool = False
) -> tuple[list[Step], Value, Value]:
    """The operations of one block, with its input and its result.

    Args:
        plan: The step.
        input_needs_grad: Whether backward goes on before this block.
        dense: It has a plain MLP although others have experts.
    """
    layer = _Layer(plan, input_needs_grad=input_needs_grad, dense=dense)
    return layer.finish(_RESIDUALS[plan.shape.form.residual](layer))


def _serial(layer: _Layer) -> Value:
    """Attention, then the MLP."""
    program, shape, x = layer.program, layer.plan.shape, layer.x
    before = shape.form.norms_before
    reads = layer.norm(x, "input_layernorm") if before else x
    middle = program.add(x, layer.attention(x, reads), "residual")
    leaf = "pre_feedforward_layernorm" if shape.norms_after else "post_attention_layernorm"
    return program.add(middle, layer.mlp(layer.norm(middle, leaf) if before else middle), "residual")


def _parallel(layer: _Layer) -> Value:
    """Both read what one norm gives."""
    reads = layer.norm(layer.x, "input_layernorm")
    return _both(layer, layer.attention(layer.x, reads), layer.mlp(reads))


def _parallel_norms(layer: _Layer) -> Value:
    """Both read the same stream through norms of their own."""
    mixed = layer.attention(layer.x, layer.norm(layer.x, "input_layernorm"))
    return _both(layer, mixed, layer.mlp(layer.norm(layer.x, "post_attention_layernorm")))


def _both(layer: _Layer, mixed: Value, inner: Value) -> Value:
    return layer.program.add(layer.program.add(mixed, inner, "residual"), layer.x, "residual")


_RESIDUALS: dict[Residual, Callable[[_Layer], Value]] = {
    "serial": _serial,
    "parallel": _parallel,
    "parallel_norms": _parallel_norms,
}


def gathered(program: Program, plan: Plan, x: Value) -> Value:
    """All tokens of what a norm makes of this rank's: the linear layers keep them (sequence parallel).

    Source: torch ``distributed/tensor/parallel/style.py`` (``SequenceParallel``, and ``PrepareModuleInput``
    from ``Shard(1)`` to ``Replicate``), laid out as torchtitan does for Llama.
    """
    return x if plan.along == 1 else program.copy(x, "linear_input", plan.token_count * plan.shape.hidden)


def scattered(program: Program, plan: Plan, x: Value) -> Value:
    """This rank's tokens of a sum over ranks (``RowwiseParallel`` to ``Shard(1)``)."""
    return x if plan.along == 1 else program.copy(x, "residual", plan.stream_count * plan.shape.hidden)
