"""Choices that the estimate and the measured module have to make alike.

Sources: ``aten/src/ATen/native/transformers/cuda/sdp_utils.cpp`` (order flash, memory-efficient, math;
flash takes half precision and head sizes up to 256; memory-efficient has no grouped heads) and
``.../sdp_utils_cpp.cpp`` for the CPU (flash without dropout); Liger-Kernel's
``fused_linear_cross_entropy.py`` for the chunk size; ``torch.utils.checkpoint`` for what is recomputed.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol

from optmem_gui.core.errors import UserError
from optmem_gui.core.layer_form import Scores
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Attention, Target
from optmem_gui.core.transformer import TransformerShape

Kernel = Literal["flash", "efficient", "cudnn", "math", "eager"]
FLASH_HEAD_DIM = 256

_ONLY_EAGER: frozenset[Scores] = frozenset(("capped", "sinks", "alibi", "masked", "local"))
"""What families do between the products of attention that none of PyTorch's fused kernels can."""


class Heads(Protocol):
    """What the choice of a kernel asks of a model."""

    @property
    def head_dim(self) -> int:
        """Elements of one head."""

    @property
    def dropout(self) -> float:
        """Probability with which attention drops, 0 for none."""


class _HeadsOf(NamedTuple):
    head_dim: int
    dropout: float


def attention_kernel(
    attention: Attention, *, half: bool, shape: Heads, target: Target
) -> tuple[Kernel, Reason]:
    """The kernel that runs, and why.

    Args:
        attention: What was asked for.
        half: Whether queries, keys and values are 16-bit, autocast included.
        shape: Size of the heads, and their dropout.
        target: Device whose rules apply.

    Raises:
        UserError: The kernel that was asked for cannot take these tensors.
    """
    if attention in ("eager", "math"):
        return attention, Reason("attention.asked", {"kernel": attention})
    if target == "cpu":
        return _on_cpu(attention, shape)
    if attention == "auto":
        if not half:
            return "efficient", Reason("attention.auto_fp32")
        if shape.head_dim > FLASH_HEAD_DIM:
            return "efficient", Reason("attention.auto_wide", {"head_dim": shape.head_dim})
        return "flash", Reason("attention.auto_flash")
    if attention != "efficient" and not half:
        raise UserError("attention.needs_half", kernel=attention)
    if attention == "flash" and shape.head_dim > FLASH_HEAD_DIM:
        raise UserError("attention.too_wide", head_dim=shape.head_dim)
    return attention, Reason("attention.asked", {"kernel": attention})


def kernel_for(
    attention: Attention, *, half: bool, shape: TransformerShape, target: Target
) -> tuple[Kernel, Reason]:
    """The same for a decoder, whose family may do what no fused kernel can.

    Args:
        attention: What was asked for.
        half: Whether queries, keys and values are 16-bit, autocast included.
        shape: Dimensions.
        target: Device whose rules apply.

    Raises:
        UserError: The kernel that was asked for cannot take these tensors.
    """
    if shape.form.scores in _ONLY_EAGER:
        if attention not in ("auto", "eager"):
            raise UserError("attention.only_eager", kernel=attention)
        return "eager", Reason("attention.eager_family")
    heads = _HeadsOf(shape.head_dim, shape.attention_dropout)
    kernel, why = attention_kernel(attention, half=half, shape=heads, target=target)
    unequal = shape.value_dim != shape.head_dim
    if kernel != "flash" or not (unequal or (shape.form.masked and target == "cuda")):
        return kernel, why
    if attention == "flash":
        raise UserError("attention.not_flash")
    if target == "cpu":
        return "math", Reason("attention.cpu_unequal")
    return "efficient", Reason("attention.auto_unequal" if unequal else "attention.auto_masked")


def _on_cpu(attention: Attention, shape: Heads) -> tuple[Kernel, Reason]:
    if attention in ("efficient", "cudnn"):
        raise UserError("attention.not_on_cpu", kernel=attention)
    if not shape.dropout:
        return "flash", Reason("attention.cpu_flash")
    if attention == "flash":
        raise UserError("attention.cpu_dropout")
    return "math", Reason("attention.cpu_math")


def expands_heads(attention: Attention, *, half: bool, shape: TransformerShape, target: Target) -> bool:
    """Whether grouped key and value heads are copied out to one a query head before the kernel."""
    return attention_kernel(attention, half=half, shape=shape, target=target)[0] not in ("flash", "cudnn")


def checkpoint_span(checkpointing: str) -> int:
    """Layers recomputed as one unit; 0 where whole layers are not recomputed.

    Raises:
        UserError: Not one of ``none``, ``attention``, ``full``, ``every-K`` with K >= 1.
    """
    if checkpointing in ("none", "attention"):
        return 0
    if checkpointing == "full":
        return 1
    kind, _, number = checkpointing.partition("-")
    if kind == "every" and number.isascii() and number.isdigit() and int(number) >= 1:
        return int(number)
    raise UserError("checkpointing.unknown", given=checkpointing)


def loss_chunk_tokens(token_count: int, shape: TransformerShape) -> int:
    """Tokens whose logits exist at once in the chunked and fused losses.

    Liger-Kernel's rule: a chunk's logits take about as much as the hidden states, rounded up to a power
    of two.
    """
    chunks = -(-shape.vocab // shape.hidden)
    wanted = max(1, -(-token_count // chunks))
    return min(1 << (wanted - 1).bit_length(), max(1, token_count))
