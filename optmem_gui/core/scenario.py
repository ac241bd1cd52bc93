"""Everything a user chose, as one frozen value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from optmem_gui.core.model import ModelRef
from optmem_gui.core.parallel import ONE_GPU, Parallel
from optmem_gui.core.residents import Resident

Attention = Literal["auto", "flash", "efficient", "cudnn", "math", "eager"]
Loss = Literal["full", "chunked", "fused"]
Target = Literal["cuda", "cpu"]
BaseDType = Literal["bf16", "fp16", "fp32", "nf4", "nf4-dq", "int8"]
OptionValue = bool | int | float | str | None
Options = tuple[tuple[str, OptionValue], ...]


@dataclass(frozen=True, slots=True)
class Lora:
    """Low-rank adapters as PEFT sets them up.

    Attributes:
        rank: Rank of each adapter pair.
        targets: Module names that get one (``q_proj``), or ``("all-linear",)``.
        base_dtype: How the frozen base is held.
        adapter_fp32: PEFT keeps adapters in fp32 whatever the base (``autocast_adapter_dtype``).
    """

    rank: int
    targets: tuple[str, ...] = ("q_proj", "v_proj")
    base_dtype: BaseDType = "bf16"
    adapter_fp32: bool = True


@dataclass(frozen=True, slots=True)
class Scenario:
    """One training set-up, complete enough to predict.

    Attributes:
        model: The model, by its groups.
        optimizer: Id in the catalogue, ``library.Name``.
        options: Options that differ from the implementation's defaults, sorted by name.
        precision: Id of the precision scheme.
        batch: Sequences a micro-batch on one GPU; None leaves activations out.
        sequence: Tokens a sequence.
        checkpointing: ``none``, ``attention``, ``full`` or ``every-K``.
        attention: Attention kernel.
        loss: How logits and cross-entropy are computed.
        accumulate: Micro-batches before a step.
        clip: ``clip_grad_norm_`` runs before the step.
        set_to_none: ``zero_grad`` frees gradients (the default) instead of zeroing them.
        keep_logits: The training loop keeps a reference to the logits through the step.
        lora: Adapters on a frozen base, if any.
        gpu: Id in the table of GPUs, None when no GPU is chosen.
        target: Device whose rules apply.
        parallel: How several GPUs share the run; ``batch`` is that of one data-parallel rank.
        residents: What else lives on each GPU.
        recipe: Id of the recipe that the choices began with, None for none; decides nothing by itself.
    """

    model: ModelRef
    optimizer: str = "torch.AdamW"
    options: Options = ()
    precision: str = "bf16"
    batch: int | None = None
    sequence: int | None = None
    checkpointing: str = "none"
    attention: Attention = "auto"
    loss: Loss = "full"
    accumulate: int = 1
    clip: bool = False
    set_to_none: bool = True
    keep_logits: bool = False
    lora: Lora | None = None
    gpu: str | None = None
    target: Target = "cuda"
    parallel: Parallel = ONE_GPU
    residents: tuple[Resident, ...] = ()
    recipe: str | None = None

    @property
    def tokens(self) -> int | None:
        """Tokens of a sequence: those that the model fixes, else those that were chosen."""
        own = self.model.own_sequence
        return self.sequence if own is None else own

    @property
    def is_sized(self) -> bool:
        """Whether it is said how large a micro-batch is."""
        return self.batch is not None and self.tokens is not None

    def option(self, name: str, default: OptionValue = None) -> OptionValue:
        """Value of one optimizer option, or ``default`` when it was left alone."""
        return dict(self.options).get(name, default)
