"""A training step of a network reduced to what its activations depend on, small enough to be a cache key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from optmem_gui.core.activations.program import Matrix
from optmem_gui.core.activations.tape import NEW_SEGMENTS
from optmem_gui.core.activations.weights import Matrices
from optmem_gui.core.blocks import MIN_BLOCK_BYTES
from optmem_gui.core.dtypes import DType
from optmem_gui.core.kernels.processors import Processors
from optmem_gui.core.layout import Layout, PlacedGroup, in_order
from optmem_gui.core.model import Role, Shape
from optmem_gui.core.networks import Network
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Attention, Scenario


@dataclass(frozen=True, slots=True)
class Weight:
    """A parameter of a network, by what its group is known by.

    Attributes:
        name: How the programs call it.
        role: What it does.
        leaf: Module that owns it.
        shape: Its shape.
        bias: A bias goes with it: of a norm under its own role, of the others under that of biases.
    """

    name: str
    role: Role
    leaf: str
    shape: Shape
    bias: bool = False

    @property
    def bias_role(self) -> Role:
        """The role that its bias has."""
        return Role.NORM if self.role is Role.NORM else Role.BIAS


@dataclass(frozen=True, slots=True)
class Setting:
    """Everything the arithmetic of a network needs.

    Attributes:
        network: Dimensions.
        batch: Sequences, images or recordings a micro-batch.
        sequence: Tokens of each; of an encoder-decoder, of its target.
        matrices: The weights, by the name that the programs call them by.
        autocast: Type of autocast's casts.
        attention: Kernel asked for.
        recomputed: Every layer is run again in backward.
        keep_logits: The loop holds the logits through the step.
        cpu: The CPU's rules apply.
        accumulating: Gradients exist before the micro-batch that is described.
        unit: Allocation granularity, bytes.
        processors: The GPU's; None on the CPU and where they are not known.
    """

    network: Network
    batch: int
    sequence: int
    matrices: Matrices
    autocast: DType | None
    attention: Attention
    recomputed: bool
    keep_logits: bool
    cpu: bool
    accumulating: bool
    unit: int
    processors: Processors | None = None

    def matrix(self, name: str) -> Matrix:
        """A weight by its name."""
        return self.matrices.by_leaf[name]


def make_setting(
    network: Network,
    weights: Iterable[Weight],
    scenario: Scenario,
    layout: Layout,
    sequence: int,
    *,
    processors: Processors | None,
) -> Setting | Reason:
    """Reduce a scenario, or say why what it keeps is not known.

    Args:
        network: Dimensions.
        weights: Its parameters.
        scenario: The set-up; ``batch`` is set.
        layout: Where its parameters live.
        sequence: Tokens of each sequence.
        processors: The GPU's; None where they are not known.
    """
    if scenario.checkpointing not in ("none", "full", "every-1"):
        return Reason("network.whole_blocks", {"checkpointing": scenario.checkpointing})
    if scenario.lora is not None:
        return Reason("network.no_adapters")
    parallel = scenario.parallel
    if parallel.shard == "megatron" or max(parallel.tp, parallel.pp, parallel.cp) > 1:
        return Reason("network.whole_model")
    found = _matrices(weights, layout)
    if isinstance(found, Reason):
        return found
    cpu = scenario.target == "cpu"
    return Setting(
        network=network,
        batch=scenario.batch or 1,
        sequence=sequence,
        matrices=found,
        autocast=layout.scheme.autocast,
        attention=scenario.attention,
        recomputed=scenario.checkpointing != "none",
        keep_logits=scenario.keep_logits,
        cpu=cpu,
        accumulating=scenario.accumulate > 1 or not scenario.set_to_none,
        unit=1 if cpu else MIN_BLOCK_BYTES if in_order(scenario) else NEW_SEGMENTS,
        processors=None if cpu else processors,
    )


def _matrices(weights: Iterable[Weight], layout: Layout) -> Matrices | Reason:
    """The weights as they are held; those that do the same are held and trained alike, or nothing is said.

    A file may name its modules as another release of the library did, so names decide only where parameters
    of one role and shape differ.
    """
    placed: dict[tuple[Role, Shape], list[PlacedGroup]] = {}
    for one in layout.placed:
        placed.setdefault((one.group.role, one.group.shape), []).append(one)
    rows: list[tuple[str, Matrix]] = []
    for weight in weights:
        found = placed.get((weight.role, weight.shape), [])
        biases = placed.get((weight.bias_role, weight.shape[:1]), []) if weight.bias else []
        if not found or (weight.bias and not biases):
            return Reason("network.not_its_tensors", {"module": weight.leaf})
        held = _alike(found, weight.leaf)
        if held is None or (biases and not _goes_with(held, biases, weight.leaf)):
            return Reason("network.unlike_parts", {"module": weight.leaf})
        rows.append((weight.name, _matrix(weight, held)))
    return Matrices(tuple(rows))


def _alike(found: Sequence[PlacedGroup], leaf: str) -> PlacedGroup | None:
    """One of them, if all are held and trained alike, or all of those with this name."""
    for some in (found, [one for one in found if one.group.leaf == leaf]):
        if some and len({(one.weights, one.gradients, one.trainable) for one in some}) == 1:
            return some[0]
    return None


def _goes_with(held: PlacedGroup, biases: Sequence[PlacedGroup], leaf: str) -> bool:
    bias = _alike(biases, leaf)
    return bias is not None and bias.trainable == held.trainable


def _matrix(weight: Weight, held: PlacedGroup) -> Matrix:
    rows = weight.shape[0]
    return Matrix(
        rows=rows,
        columns=held.group.numel // rows,
        dtype=held.weights,
        trained=held.trainable,
        gradient=held.gradients or held.weights,
        bias=weight.bias,
    )
