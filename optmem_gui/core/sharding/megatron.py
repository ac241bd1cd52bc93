"""What Megatron-LM keeps of the activations, layer by layer, in its own kernels.

References: Korthikanti et al., arXiv 2205.05198, table 2 (``s b h (34 + 5 a s / h)`` a layer; what tensor and
sequence parallelism divide) and Megatron-LM ``megatron/training/theoretical_memory_usage.py``; the loss from
``megatron/core/tensor_parallel/cross_entropy.py`` (16-bit logits and their fp32 exponentials, both for a part
of the vocabulary). Its recorded peaks stand in ``resources/docs/several-gpus.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from optmem_gui.core.activations import ActivationItem, ActivationMoment, Activations
from optmem_gui.core.activations.choice import checkpoint_span
from optmem_gui.core.kernels.gemm import CUBLAS_LARGE_BYTES
from optmem_gui.core.model import ModelRef, Role
from optmem_gui.core.parallel import ONE_GPU
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.tensors import is_positions
from optmem_gui.core.transformer import TransformerShape

VOCABULARY_MULTIPLE = 128
"""``--make-vocab-size-divisible-by``: of it and of the tensor-parallel ranks the vocabulary is a multiple."""

TRANSFORMER_ENGINE_WORKSPACE_BYTES = 32 << 20
"""TransformerEngine's own workspace for cuBLASLt, beside that of torch."""


def is_megatron(scenario: Scenario) -> bool:
    """Whether Megatron-LM runs the step: its optimizer, or its scheme over several GPUs."""
    several = scenario.parallel != ONE_GPU
    return several and (scenario.parallel.shard == "megatron" or scenario.precision.startswith("megatron"))


def with_padded_vocabulary(model: ModelRef, tp: int) -> ModelRef:
    """The model with its vocabulary padded as Megatron-LM does (``_vocab_size_with_padding``)."""
    shape = model.architecture
    if shape is None:
        return model
    unit = VOCABULARY_MULTIPLE * tp
    rows = -(-shape.vocab // unit) * unit
    groups = tuple(
        replace(group, shape=(rows, *group.shape[1:]))
        if group.role in (Role.EMBEDDING, Role.HEAD) and not is_positions(group)
        else group
        for group in model.groups
    )
    return replace(model, groups=groups, architecture=replace(shape, vocab=rows))


@dataclass(frozen=True, slots=True)
class _Layer:
    """Bytes of one block on one rank.

    Attributes:
        residual: Inputs of both norms.
        linear_input: Inputs of the first products of attention and MLP.
        masks: Dropout masks of both branches.
        attention: Queries, keys, values and the result.
        scores: Attention matrix, its dropout mask and result, where no fused kernel runs.
        mlp: Around the activation function.
        boundary: Input of the block.
        moving: Gradients of activations that exist at once in its backward.
    """

    residual: int
    linear_input: int
    masks: int
    attention: int
    scores: int
    mlp: int
    boundary: int
    moving: int

    @property
    def kept(self) -> int:
        """All that waits for backward."""
        return self.residual + self.linear_input + self.masks + self.attention + self.scores + self.mlp


def megatron_activations(
    shape: TransformerShape, scenario: Scenario, *, embeds: bool, heads: bool
) -> Activations:
    """Activations of one micro-batch on one rank.

    Args:
        shape: Dimensions as the rank computes with them: its heads, its part of the MLP and the vocabulary.
        scenario: The set-up as the rank computes it.
        embeds: The embedding is on this rank.
        heads: The head and the loss are.

    Raises:
        UserError: The kind of checkpointing is unknown.
        ValueError: ``batch`` or ``sequence`` is missing.
    """
    if scenario.batch is None or scenario.sequence is None:
        raise ValueError("activations need a batch and a sequence length")
    layer = _layer(shape, scenario, scenario.batch, scenario.sequence)
    span = min(checkpoint_span(scenario.checkpointing), shape.layers)
    if scenario.checkpointing == "attention":
        layer = replace(layer, scores=0)
    tokens = scenario.batch * scenario.sequence
    course = _Course(
        layer=layer,
        layers=shape.layers,
        each=layer.kept if span == 0 else -(-layer.boundary // span),
        again=span * layer.kept,
        mask=layer.masks // 2 if embeds else 0,
        end=2 * layer.boundary if heads else 0,
        logits=6 * tokens * shape.vocab if heads else 0,
    )
    return Activations(
        moments=tuple(course.moments()),
        items=tuple(course.items()),
        saved_bytes=course.saved,
        autocast_bytes=0,
        logits_bytes=2 * tokens * shape.vocab if heads else 0,
        workspace_bytes=CUBLAS_LARGE_BYTES + TRANSFORMER_ENGINE_WORKSPACE_BYTES,
        attention_used="eager" if layer.scores else "flash",
        attention_why=Reason("shard.megatron.attention"),
        not_counted=(Reason("shard.megatron.activations"),),
    )


def _layer(shape: TransformerShape, scenario: Scenario, batch: int, sequence: int) -> _Layer:
    tokens = batch * sequence
    parallel = scenario.parallel
    along = parallel.tp if parallel.sequence_parallel else 1
    stream = tokens * shape.hidden // along
    query, value = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    inner = shape.ffn * (2 if shape.gated else 1)
    plain = scenario.attention in ("eager", "math")
    scores = batch * shape.heads * sequence * sequence * parallel.cp
    return _Layer(
        residual=4 * stream,
        linear_input=4 * stream,
        masks=2 * stream if shape.dropout else 0,
        attention=2 * tokens * (query + 2 * value) + 2 * tokens * query,
        scores=(5 if shape.dropout else 2) * scores if plain else 0,
        mlp=2 * tokens * (inner + shape.ffn),
        boundary=2 * stream,
        moving=2 * tokens * (inner + shape.ffn) + 4 * stream,
    )


@dataclass(frozen=True, slots=True)
class _Course:
    """One micro-batch on one rank, bytes.

    Attributes:
        layer: One block.
        layers: Blocks.
        each: What a block keeps for backward.
        again: What a recomputed unit builds up once more, 0 where nothing is recomputed.
        mask: Dropout mask of the embedding.
        end: Inputs of the last norm and of the head.
        logits: The 16-bit ones and their fp32 exponentials.
    """

    layer: _Layer
    layers: int
    each: int
    again: int
    mask: int
    end: int
    logits: int

    @property
    def saved(self) -> int:
        """All that waits for backward at the end of forward."""
        return self.mask + self.each * self.layers + self.end + self.logits

    def moments(self) -> Iterator[ActivationMoment]:
        """Forward builds up, the loss stands on all of it, backward takes down."""
        for index in range(self.layers):
            running = self.mask + self.each * index + max(self.each, self.layer.kept)
            yield ActivationMoment("forward", f"layer {index + 1}", running, 0, 0, 0)
        yield ActivationMoment("forward", "loss", self.saved, 0, 0, 0)
        yield ActivationMoment("backward", "loss", self.saved, 0, 0, 0)
        for index in reversed(range(self.layers)):
            alive = self.mask + self.each * (index + 1) + self.again
            yield ActivationMoment("backward", f"layer {index + 1}", alive, 0, 0, self.layer.moving)

    def items(self) -> Iterator[ActivationItem]:
        """What is saved, by kind; sums to :attr:`saved`."""
        layer, layers = self.layer, self.layers
        rows = {"checkpoint": self.saved - self.logits}
        if not self.again:
            rows = {
                "residual": layer.residual * layers + self.end,
                "linear_input": layer.linear_input * layers,
                "dropout_mask": layer.masks * layers + self.mask,
                "attention": (layer.attention + layer.scores) * layers,
                "mlp": layer.mlp * layers,
            }
        for name, size in {**rows, "logits": self.logits}.items():
            if size:
                count = 1 if name == "logits" else layers
                yield ActivationItem(name, size, count, Reason(f"activation.{name}"))
