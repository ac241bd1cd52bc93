"""What a worker is asked to run."""

from __future__ import annotations

from dataclasses import dataclass

from optmem_gui.core.run_defaults import DEFAULT_STEPS
from optmem_gui.core.scenario import Attention, Lora, Loss, Options
from optmem_gui.core.simulating import SimulationTarget
from optmem_gui.core.transformer import TransformerShape

OLDEST_PYTHON = (3, 10)
"""First Python under which a worker runs."""

OLDEST_TORCH = (2, 5)
"""First release whose device properties carry the UUID by which a GPU is found."""


@dataclass(frozen=True, slots=True)
class BareTensor:
    """Equal tensors of a checkpoint, measured as parameters without the model around them.

    Attributes:
        shape: Elements.
        dtype: Id of the element type; the precision scheme replaces a floating one.
        trainable: Whether they get a gradient.
        count: How many there are.
        buffer: Kept beside the parameters, in its own type.
        name: End of their names, such as ``q_proj.weight``, for an optimizer that goes by names.
    """

    shape: tuple[int, ...]
    dtype: str
    trainable: bool = True
    count: int = 1
    buffer: bool = False
    name: str = ""


@dataclass(frozen=True, slots=True)
class FrozenTensors:
    """Parameters of a transformer that get no gradient; of equal ones the first ``count``.

    Attributes:
        name: End of their names, such as ``q_proj.weight``.
        shape: Elements.
        count: How many.
    """

    name: str
    shape: tuple[int, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Alike:
    """Parameters that are told from others by the end of their names and their shape.

    Attributes:
        name: End of their names, such as ``q_proj.weight``; empty where the shape alone decides.
        shape: Elements.
    """

    name: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ParameterGroup:
    """What an optimizer is handed as one group.

    Attributes:
        values: What the group says beside its parameters, such as ``use_muon``.
        alike: Its parameters.
        matrices: It takes every trained matrix of more than one element instead.
        rest: It takes what the groups before it leave.
    """

    values: Options
    alike: tuple[Alike, ...] = ()
    matrices: bool = False
    rest: bool = False


@dataclass(frozen=True, slots=True)
class Rank:
    """Which of several processes of one training run this is.

    Attributes:
        index: Its number, 0 first.
        count: Of how many.
        shard: ``ddp``, ``zero-redundancy`` or ``fsdp2``.
        store: File by which the processes of this machine find each other.
        bucket_view: DDP's ``gradient_as_bucket_view``.
    """

    index: int
    count: int
    shard: str
    store: str
    bucket_view: bool = False


@dataclass(frozen=True, slots=True)
class MeasureRequest:
    """One measurement.

    Attributes:
        device: ``cpu``, ``cuda:N`` as torch numbers devices, or the UUID that the driver gives a GPU.
        optimizer: Import path of the class, such as ``torch.optim.AdamW``.
        options: Its options that differ from the defaults.
        precision: Id of the precision scheme.
        shape: The transformer to build; without it ``tensors`` are measured bare.
        tensors: Parameters and buffers when there is no shape.
        frozen: Parameters of the transformer that are not trained.
        steps: Optimizer steps, at least 2 so that first and steady step are told apart.
        batch: Sequences a micro-batch.
        sequence: Tokens a sequence.
        checkpointing: ``none``, ``attention``, ``full`` or ``every-K``.
        attention: Attention kernel.
        loss: How logits and cross-entropy are computed.
        accumulate: Micro-batches before a step.
        clip: ``clip_grad_norm_`` runs before the step.
        set_to_none: ``zero_grad`` frees gradients instead of zeroing them.
        keep_logits: The loop keeps the logits through the step.
        lora: Adapters on a frozen base, if any.
        config: Text of a ``config.json``; transformers builds its model, in place of ``shape``.
        function: A user's function as ``FILE.py:NAME`` that returns model, batch and loss, in place of both.
        rank: Which of several processes this is; None for a run on one device.
        named: The optimizer takes ``(name, parameter)`` pairs.
        whole_model: It takes the model itself.
        fused_backward: Its method that runs backward and updates meanwhile; empty where ``step`` updates.
        state_attributes: Its attributes that keep the state, where that is not ``state``.
        groups: The groups it takes; empty where it takes a plain list.
        own_weights: Files whose values are loaded into the parameters; empty for random ones.
        compiled: ``torch.compile`` compiles the model.
        history: File for the history of the caching allocator, as ``torch.cuda.memory._dump_snapshot``
            writes it; empty for none.
    """

    device: str
    optimizer: str
    options: Options = ()
    precision: str = "fp32"
    shape: TransformerShape | None = None
    tensors: tuple[BareTensor, ...] = ()
    frozen: tuple[FrozenTensors, ...] = ()
    steps: int = DEFAULT_STEPS
    batch: int = 1
    sequence: int = 1
    checkpointing: str = "none"
    attention: Attention = "auto"
    loss: Loss = "full"
    accumulate: int = 1
    clip: bool = False
    set_to_none: bool = True
    keep_logits: bool = False
    lora: Lora | None = None
    config: str = ""
    function: str = ""
    rank: Rank | None = None
    named: bool = False
    whole_model: bool = False
    fused_backward: str = ""
    state_attributes: tuple[str, ...] = ()
    groups: tuple[ParameterGroup, ...] = ()
    own_weights: tuple[str, ...] = ()
    compiled: bool = False
    history: str = ""


@dataclass(frozen=True, slots=True)
class SimulateRequest:
    """One traced run.

    Attributes:
        work: What to run; its device is not used.
        target: The machine whose memory is predicted.
        every_block: Trace every repeated block, instead of tracing one and replaying it.
        number: Of the request, so that a cancelled one is told from the latest.
    """

    work: MeasureRequest
    target: SimulationTarget
    every_block: bool = False
    number: int = 0


@dataclass(frozen=True, slots=True)
class CancelRequest:
    """Stop tracing one request; the answer to it is no longer wanted.

    Attributes:
        number: Of the :class:`SimulateRequest`.
    """

    number: int
